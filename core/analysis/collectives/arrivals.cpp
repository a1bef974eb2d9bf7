#include "core/analysis/collectives/arrivals.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>

#include <fmt/core.h>

#include "core/analysis/collectives/interval_parts.h"
#include "core/base/median.h"
#include "core/base/stratified_sample.h"

namespace jitterscope::analysis {
namespace {

constexpr std::int64_t kMaxEvents = 2'000'000; ///< maximum number of events read between collectives

double median_or_0(std::vector<double> values) {
  return values.empty() ? 0 : median_of(values);
}

/// The largest k so that P(Binomial(n, ½) < k) is at most 2.5 %. The interval from the k-th smallest to the
/// k-th largest value then contains the median with at least 95 % (David and Nagaraja, Order Statistics,
/// 7.1).
std::size_t rank_of_interval(std::size_t n) {
  double below = 0;
  const auto size = static_cast<double>(n);
  for (std::size_t k = 0; k < n; ++k) {
    const auto at = static_cast<double>(k);
    below += std::exp(std::lgamma(size + 1) - std::lgamma(at + 1) - std::lgamma(size - at + 1) -
                      size * std::log(2.0));
    if (below > 0.025) return k;
  }
  return 0;
}

double own_minus_mean_of_others(const std::vector<double>& values, std::size_t own) {
  const auto sum = std::accumulate(values.begin(), values.end(), 0.0);
  return values[own] - (sum - values[own]) / static_cast<double>(values.size() - 1);
}

/// The participating collectives of one device in start order.
struct Sequence {
  std::uint32_t track = 0;
  const Trace* trace = nullptr;
  const store::Series* series = nullptr;
  std::map<std::uint32_t, std::int64_t> counts; ///< number of collectives by session kernel
  bool all = true;                              ///< all events of `series` participate
  std::vector<std::uint32_t> chosen;            ///< if not `all`: positions in `series` that participate

  std::uint32_t kernel(const store::Event& event) const {
    return event.name < trace->kernel.size() ? trace->kernel[event.name] : kNone;
  }
  std::size_t position(std::int64_t number) const {
    return all ? static_cast<std::size_t>(number) : chosen[static_cast<std::size_t>(number)];
  }
  store::Event event(std::int64_t number) const { return series->at(position(number)); }
  std::size_t row(std::int64_t number) const { return series->row(position(number)); }
};

/// Measured values of one collective, by participant.
struct Observed {
  std::int64_t number = 0;
  std::vector<double> inside,
      since_previous; ///< since_previous: empty for the first collective, if collectives overlap on a device,
                      ///< or if the previous one is not concurrent
  std::vector<IntervalParts> parts; ///< by participant; empty if the time was not divided into parts
};

class ArrivalsFinder {
public:
  ArrivalsFinder(const Session& session, const LaunchColumns& columns, const Tracks& tracks, const Job& job)
      : session_(session), columns_(columns), tracks_(tracks), job_(job) {}

  Expected<Arrivals> run(std::optional<std::int64_t> row) {
    find_participants();
    if (!count_kernels() || !match()) return Job::cancelled_error();
    if (result_.participants.size() < 2 || result_.collectives == 0) return std::move(result_);
    choose_clock();
    for (const auto number : stratified_sample(result_.collectives, Arrivals::kMaxAnalysed))
      if (!examine(number)) return Job::cancelled_error();
    result_.ends_apart_ns = median_or_0(std::move(ends_apart_));
    if (!account()) return Job::cancelled_error();
    for (std::size_t p = 0; p < sequences_.size(); ++p) explain(p);
    choose(row);
    return std::move(result_);
  }

private:
  void find_participants() {
    for (const auto& track : tracks_.list()) {
      if (track.kind != TrackKind::Collective || tracks_.levels(track.id).empty() ||
          !tracks_.levels(track.id).front())
        continue;
      Sequence sequence;
      sequence.track = track.id;
      sequence.trace = &session_.traces()[track.trace];
      sequence.series = tracks_.levels(track.id).front();
      if (sequence.series->events() == 0) continue;
      Participant participant;
      participant.trace = track.trace;
      participant.track = track.id;
      const auto device = sequence.series->resource;
      participant.rank = columns_.of_resources("rank", track.trace)[device];
      participant.device = columns_.of_resources("device", track.trace)[device];
      sequences_.push_back(std::move(sequence));
      result_.participants.push_back(std::move(participant));
    }
    name_participants();
  }

  // Uses the shortest combination of rank, device and file that makes the names unique.
  void name_participants() {
    auto& all = result_.participants;
    const auto by = [&](bool rank, bool device, bool trace) {
      std::map<std::string, int> names;
      for (auto& one : all) {
        one.name.clear();
        const auto add = [&](const std::string& text) { one.name += (one.name.empty() ? "" : ", ") + text; };
        if (rank && !std::isnan(one.rank)) add(fmt::format("rank {}", one.rank));
        if (device && !std::isnan(one.device)) add(fmt::format("device {}", one.device));
        if (trace) add(session_.traces()[one.trace].name);
        ++names[one.name];
      }
      return names.size() == all.size() && !names.contains("");
    };
    if (!by(true, false, false) && !by(false, true, false) && !by(true, true, false)) by(true, true, true);
  }

  bool count_kernels() {
    std::vector<store::Event> events(4096);
    for (auto& sequence : sequences_)
      for (std::size_t first = 0; first < sequence.series->events(); first += events.size()) {
        if (job_.cancelled()) return false;
        const auto last = std::min(first + events.size(), sequence.series->events());
        sequence.series->read(first, last, events.data());
        for (std::size_t i = 0; i < last - first; ++i) ++sequence.counts[sequence.kernel(events[i])];
      }
    return true;
  }

  bool match() {
    if (sequences_.empty()) return true;
    const auto common = [&](std::uint32_t kernel, std::int64_t count) {
      return kernel != kNone && std::all_of(sequences_.begin(), sequences_.end(), [&](const Sequence& other) {
               const auto found = other.counts.find(kernel);
               return found != other.counts.end() && found->second == count;
             });
    };
    for (auto& sequence : sequences_) {
      std::int64_t participating = 0;
      std::map<std::uint32_t, bool> participates;
      for (const auto& [kernel, count] : sequence.counts) {
        participates[kernel] = common(kernel, count);
        (participates[kernel] ? participating : result_.unmatched) += count;
      }
      result_.collectives = participating;
      sequence.all = participating == static_cast<std::int64_t>(sequence.series->events());
      if (sequence.all) continue;
      for (std::size_t position = 0; position < sequence.series->events(); ++position) {
        if (position % 4096 == 0 && job_.cancelled()) return false;
        if (participates[sequence.kernel(sequence.series->at(position))])
          sequence.chosen.push_back(static_cast<std::uint32_t>(position));
      }
    }
    return true;
  }

  std::int64_t shift_of(std::size_t p) const { return sequences_[p].trace->shift_ns + shifts_[p]; }

  bool same_kernel(std::int64_t number) const {
    const auto kernel = sequences_.front().kernel(sequences_.front().event(number));
    return std::all_of(sequences_.begin(), sequences_.end(),
                       [&](const Sequence& one) { return one.kernel(one.event(number)) == kernel; });
  }

  bool is_concurrent(std::int64_t number) const {
    if (!same_kernel(number)) return false;
    std::int64_t last_start = INT64_MIN, first_end = INT64_MAX;
    for (std::size_t p = 0; p < sequences_.size(); ++p) {
      const auto event = sequences_[p].event(number);
      last_start = std::max(last_start, event.begin + shift_of(p));
      first_end = std::min(first_end, event.end + shift_of(p));
    }
    return last_start < first_end;
  }

  // Uses the clocks of the files, unless most collectives would then not be concurrent.
  void choose_clock() {
    constexpr std::int64_t kTried = 500;
    shifts_.assign(sequences_.size(), 0);
    std::int64_t tried = 0, concurrent = 0;
    std::vector<std::vector<double>> later(sequences_.size());
    for (const auto number : stratified_sample(result_.collectives, kTried)) {
      if (!same_kernel(number)) continue;
      ++tried;
      concurrent += is_concurrent(number);
      const auto first = sequences_.front().event(number).end + shift_of(0);
      for (std::size_t p = 0; p < sequences_.size(); ++p)
        later[p].push_back(static_cast<double>(sequences_[p].event(number).end + shift_of(p) - first));
    }
    if (2 * concurrent >= tried) return;
    for (std::size_t p = 0; p < sequences_.size(); ++p)
      shifts_[p] = -static_cast<std::int64_t>(median_or_0(later[p]));
    result_.shifted = true;
    const auto [minimum, maximum] = std::minmax_element(shifts_.begin(), shifts_.end());
    result_.largest_shift_ns = static_cast<double>(*maximum - *minimum);
  }

  bool examine(std::int64_t number) {
    if (job_.cancelled()) return false;
    ++result_.examined;
    if (!is_concurrent(number)) return ++result_.apart, true;
    const auto arrival = arrival_of(number);
    auto ends = arrival.end; // on the chosen clock
    for (std::size_t p = 0; p < ends.size(); ++p) ends[p] += shifts_[p];
    const auto [first, last] = std::minmax_element(ends.begin(), ends.end());
    ends_apart_.push_back(static_cast<double>(*last - *first));
    if (arrival.together) return ++result_.together, true;
    auto& latest = result_.participants[arrival.last];
    ++latest.last;
    latest.waited_for_ns += arrival.late_ns;
    observed_.push_back(observe(arrival));
    return true;
  }

  Arrival arrival_of(std::int64_t number) const {
    Arrival arrival;
    arrival.number = number;
    std::vector<double> inside;
    for (std::size_t p = 0; p < sequences_.size(); ++p) {
      const auto& sequence = sequences_[p];
      const auto event = sequence.event(number);
      arrival.rows.push_back(sequence.trace->first_launch + static_cast<std::int64_t>(sequence.row(number)));
      arrival.start.push_back(event.begin + sequence.trace->shift_ns);
      arrival.end.push_back(event.end + sequence.trace->shift_ns);
      inside.push_back(static_cast<double>(event.end - event.begin));
    }
    arrival.last = static_cast<std::size_t>(std::min_element(inside.begin(), inside.end()) - inside.begin());
    arrival.late_ns = -own_minus_mean_of_others(inside, arrival.last);
    std::int64_t first_end = INT64_MAX, last_end = INT64_MIN;
    for (std::size_t p = 0; p < sequences_.size(); ++p) {
      first_end = std::min(first_end, arrival.end[p] + shifts_[p]);
      last_end = std::max(last_end, arrival.end[p] + shifts_[p]);
    }
    arrival.together = arrival.late_ns <= static_cast<double>(last_end - first_end);
    return arrival;
  }

  Observed observe(const Arrival& arrival) const {
    Observed observed;
    observed.number = arrival.number;
    for (std::size_t p = 0; p < sequences_.size(); ++p) {
      observed.inside.push_back(static_cast<double>(arrival.end[p] - arrival.start[p]));
      if (arrival.number == 0) continue;
      const auto before = sequences_[p].event(arrival.number - 1).end + sequences_[p].trace->shift_ns;
      observed.since_previous.push_back(static_cast<double>(arrival.start[p] - before));
    }
    // Collectives that overlap on a device (several streams) have no time in between.
    if (std::any_of(observed.since_previous.begin(), observed.since_previous.end(),
                    [](double ns) { return ns < 0; }))
      observed.since_previous.clear();
    if (arrival.number > 0 && !is_concurrent(arrival.number - 1)) observed.since_previous.clear();
    return observed;
  }

  // Divides the time before collectives into parts. If there are too many events, only some collectives are
  // divided; these are evenly spread.
  bool account() {
    std::vector<IntervalReader> readers;
    for (const auto& sequence : sequences_)
      readers.emplace_back(session_, tracks_, sequence.track, host_names_);
    const auto read = [&] {
      return std::accumulate(readers.begin(), readers.end(), std::int64_t{0},
                             [](std::int64_t sum, const IntervalReader& r) { return sum + r.events_read(); });
    };
    std::vector<std::size_t> order;
    for (std::size_t stride = std::size_t{1} << 14; stride > 0;
         stride /= 2) // 0, 16384, …, then the positions between them, and so on
      for (std::size_t i = 0; i < observed_.size(); i += stride)
        if (stride == std::size_t{1} << 14 || i / stride % 2 == 1) order.push_back(i);
    for (const auto i : order) {
      auto& observed = observed_[i];
      if (observed.since_previous.empty()) continue;
      if (read() > kMaxEvents) break;
      for (std::size_t p = 0; p < sequences_.size(); ++p) {
        if (job_.cancelled()) return false;
        observed.parts.push_back(
            readers[p].between(sequences_[p].row(observed.number - 1), sequences_[p].row(observed.number)));
      }
      ++result_.accounted;
    }
    return true;
  }

  std::size_t last_of(const Observed& observed) const {
    return static_cast<std::size_t>(std::min_element(observed.inside.begin(), observed.inside.end()) -
                                    observed.inside.begin());
  }

  void explain(std::size_t participant) {
    std::vector<const Observed*> of;
    for (const auto& observed : observed_)
      if (last_of(observed) == participant) of.push_back(&observed);
    result_.participants[participant].why = why(participant, of);
  }

  Lateness why(std::size_t own, const std::vector<const Observed*>& of) const {
    Lateness result;
    std::vector<double> late, since, launches, work, waits, idle;
    std::array<std::vector<double>, kParts> parts;
    std::map<std::uint32_t, KernelExcess> kernels;
    std::map<std::uint32_t, HostExcess> longer, meanwhile;
    for (const auto* observed : of) {
      late.push_back(-own_minus_mean_of_others(observed->inside, own));
      if (observed->number == 0) note_first_lateness(result, own, late.back());
      if (observed->parts.empty()) continue;
      const auto excess = [&](auto&& value) {
        std::vector<double> values;
        for (const auto& part : observed->parts) values.push_back(static_cast<double>(value(part)));
        return own_minus_mean_of_others(values, own);
      };
      since.push_back(own_minus_mean_of_others(observed->since_previous, own));
      for (std::size_t part = 0; part < kParts; ++part)
        parts[part].push_back(excess([&](const IntervalParts& p) { return p.parts[part]; }));
      launches.push_back(excess([](const IntervalParts& p) { return p.launches; }));
      if (std::all_of(observed->parts.begin(), observed->parts.end(),
                      [](const IntervalParts& p) { return p.host_work.has_value(); })) {
        work.push_back(excess([](const IntervalParts& p) { return *p.host_work; }));
        waits.push_back(excess([](const IntervalParts& p) { return *p.host_waits; }));
        idle.push_back(parts[static_cast<std::size_t>(Part::NotLaunched)].back());
        add_host(own, *observed, longer, meanwhile);
      }
      add_kernels(own, *observed, kernels);
    }
    result.late = spread_of(std::move(late));
    result.since_previous = spread_of(std::move(since));
    for (std::size_t part = 0; part < kParts; ++part) result.parts[part] = spread_of(std::move(parts[part]));
    result.launches = spread_of(std::move(launches));
    result.host_work = spread_of(std::move(work));
    result.host_waits = spread_of(std::move(waits));
    result.host_idle = spread_of(std::move(idle));
    result.host_longer = main_part_of(longer, result.host_work.sum);
    result.host_meanwhile = main_part_of(meanwhile, result.host_idle.sum);
    for (auto& [kernel, excess] : kernels) result.kernels.push_back(excess);
    std::sort(result.kernels.begin(), result.kernels.end(), [](const KernelExcess& a, const KernelExcess& b) {
      return std::pair(-a.duration_ns, a.kernel) < std::pair(-b.duration_ns, b.kernel);
    });
    std::erase_if(result.kernels, [](const KernelExcess& k) { return k.duration_ns <= 0; });
    if (result.kernels.size() > 3) result.kernels.resize(3);
    return result;
  }

  static void add_kernels(std::size_t own, const Observed& observed,
                          std::map<std::uint32_t, KernelExcess>& kernels) {
    const auto others = static_cast<double>(observed.parts.size() - 1);
    for (std::size_t p = 0; p < observed.parts.size(); ++p)
      for (const auto& [kernel, sums] : observed.parts[p].kernels) {
        auto& excess = kernels.try_emplace(kernel, KernelExcess{kernel, 0, 0}).first->second;
        const auto weight = p == own ? 1 : -1 / others;
        excess.duration_ns += weight * static_cast<double>(sums.first);
        excess.launches += weight * static_cast<double>(sums.second);
      }
  }

  void add_host(std::size_t own, const Observed& observed, std::map<std::uint32_t, HostExcess>& longer,
                std::map<std::uint32_t, HostExcess>& meanwhile) const {
    const auto others = static_cast<double>(observed.parts.size() - 1);
    for (std::size_t p = 0; p < observed.parts.size(); ++p)
      for (const auto& [name, share] : observed.parts[p].host) {
        const auto weight = p == own ? 1 : -1 / others;
        const auto add = [&, id = name](std::map<std::uint32_t, HostExcess>& to, std::int64_t time,
                                        std::int64_t times) {
          auto& excess = to[id];
          excess.time_ns += weight * static_cast<double>(time);
          excess.times += weight * static_cast<double>(times);
        };
        if (!host_names_.waits(name)) add(longer, share.time, share.times);
        add(meanwhile, share.idle, share.times);
      }
  }

  std::vector<HostExcess> main_part_of(const std::map<std::uint32_t, HostExcess>& all, double sum) const {
    std::vector<HostExcess> maximum;
    for (const auto& [name, excess] : all)
      if (excess.time_ns > 0 && excess.time_ns >= 0.1 * sum)
        maximum.push_back({host_names_[name], excess.time_ns, excess.times});
    std::sort(maximum.begin(), maximum.end(), [](const HostExcess& a, const HostExcess& b) {
      return std::pair(-a.time_ns, a.name) < std::pair(-b.time_ns, b.name);
    });
    if (maximum.size() > 3) maximum.resize(3);
    return maximum;
  }

  void note_first_lateness(Lateness& result, std::size_t own, double late) const {
    result.first_late_ns = late;
    if (result_.shifted) return;
    const auto& list = tracks_.list();
    const auto process_of = [&](std::uint32_t track) {
      auto at = static_cast<std::int32_t>(track);
      while (at >= 0 && list[static_cast<std::size_t>(at)].kind != TrackKind::Process)
        at = list[static_cast<std::size_t>(at)].parent;
      return at;
    };
    std::map<std::int32_t, std::int64_t> begins; // by process: earliest begin of its tracks
    for (const auto& sequence : sequences_) begins.emplace(process_of(sequence.track), INT64_MAX);
    if (begins.size() != sequences_.size()) return;
    for (const auto& track : list) {
      const auto found = begins.find(process_of(track.id));
      if (found == begins.end()) continue;
      for (const auto* series : tracks_.levels(track.id))
        if (series && series->events() > 0)
          found->second = std::min(found->second, series->begin + session_.traces()[track.trace].shift_ns);
    }
    std::vector<double> of_participants;
    for (const auto& sequence : sequences_)
      of_participants.push_back(static_cast<double>(begins.at(process_of(sequence.track))));
    result.recording_later_ns = own_minus_mean_of_others(of_participants, own);
  }

  // The collective of the row, else the one at which the slowest participant is latest.
  void choose(std::optional<std::int64_t> row) {
    for (std::size_t p = 0; p < result_.participants.size(); ++p) {
      if (result_.participants[p].last == 0) continue;
      if (!result_.slowest ||
          result_.participants[p].waited_for_ns > result_.participants[*result_.slowest].waited_for_ns)
        result_.slowest = p;
    }
    std::optional<std::int64_t> number;
    if (row) {
      number = number_of(*row);
    } else if (result_.slowest) {
      double maximum = -1;
      for (const auto& observed : observed_)
        if (const auto own = last_of(observed);
            own == *result_.slowest && -own_minus_mean_of_others(observed.inside, own) > maximum) {
          maximum = -own_minus_mean_of_others(observed.inside, own);
          number = observed.number;
        }
    }
    if (!number || !is_concurrent(*number)) return;
    auto arrival = arrival_of(*number);
    auto observed = observe(arrival);
    if (!observed.since_previous.empty())
      for (std::size_t p = 0; p < sequences_.size(); ++p)
        observed.parts.push_back(IntervalReader(session_, tracks_, sequences_[p].track, host_names_)
                                     .between(sequences_[p].row(*number - 1), sequences_[p].row(*number)));
    arrival.why = why(arrival.last, {&observed});
    result_.at = std::move(arrival);
  }

  std::optional<std::int64_t> number_of(std::int64_t row) const {
    for (const auto& sequence : sequences_) {
      const auto in_trace = row - sequence.trace->first_launch;
      if (in_trace < 0 || in_trace >= sequence.trace->launches()) continue;
      const auto start = sequence.trace->starts()[static_cast<std::size_t>(in_trace)];
      for (auto at = sequence.series->position_of(start);
           at < sequence.series->events() && sequence.series->begin_at(at) == start; ++at) {
        if (static_cast<std::int64_t>(sequence.series->row(at)) != in_trace) continue;
        if (sequence.all) return static_cast<std::int64_t>(at);
        const auto found = std::lower_bound(sequence.chosen.begin(), sequence.chosen.end(), at);
        if (found == sequence.chosen.end() || *found != at) return std::nullopt;
        return found - sequence.chosen.begin();
      }
    }
    return std::nullopt;
  }

  const Session& session_;
  const LaunchColumns& columns_;
  const Tracks& tracks_;
  const Job& job_;
  Arrivals result_;
  std::vector<Sequence> sequences_; ///< by participant: its collectives
  std::vector<std::int64_t>
      shifts_; ///< by participant: shift of the clock [ns], in addition to that of the session
  std::vector<Observed> observed_; ///< collectives with a late participant
  std::vector<double> ends_apart_;
  HostNames host_names_;
};

} // namespace

std::string_view to_string(Part part) {
  switch (part) {
  case Part::Kernels:
    return "kernels";
  case Part::Copies:
    return "copies";
  case Part::NotLaunched:
    return "not-launched";
  case Part::Queued:
    return "queued";
  case Part::Unknown:
    break;
  }
  return "unknown";
}

Spread spread_of(std::vector<double> values) {
  Spread spread;
  spread.n = static_cast<std::int64_t>(values.size());
  if (values.empty()) return spread;
  std::sort(values.begin(), values.end());
  spread.sum = std::accumulate(values.begin(), values.end(), 0.0);
  spread.median = median_or_0(values);
  const auto rank =
      spread.n < Spread::kMinForInterval ? 1 : std::max<std::size_t>(rank_of_interval(values.size()), 1);
  spread.low = values[rank - 1];
  spread.high = values[values.size() - rank];
  return spread;
}

Expected<Arrivals> arrivals(const Session& session, const LaunchColumns& columns, const Tracks& tracks,
                            std::optional<std::int64_t> row, const Job& job) {
  if (session.launch_order())
    return failure(ErrorKind::BadUse,
                   "a table without times does not show which device arrives last at collectives");
  if (row && (*row < 0 || *row >= session.launches()))
    return failure(ErrorKind::BadUse, fmt::format("there is no launch {}", *row));
  return ArrivalsFinder(session, columns, tracks, job).run(row);
}

} // namespace jitterscope::analysis
