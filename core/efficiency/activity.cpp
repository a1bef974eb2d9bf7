#include "core/efficiency/activity.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include <fmt/core.h>

#include "core/base/agreement.h"
#include "core/base/parallel.h"
#include "core/efficiency/activity_rows.h"

namespace jitterscope::efficiency {
namespace {

constexpr std::size_t kNumbers = 4; ///< numbers per row and range

/// Appends an ordinal to names that occur several times, from the second one on.
template <class Row>
void make_names_unique(std::vector<Row>& rows) {
  std::map<std::string, int> seen;
  for (auto& row : rows)
    if (const int times = ++seen[row.name]; times > 1) row.name += fmt::format(" ({})", times);
}

/// First row of each rank, and one past the last: consecutive rows with about the same number of events per
/// rank.
std::vector<std::size_t> shares(const std::vector<std::uint64_t>& events, int ranks) {
  std::vector<std::uint64_t> sums{0};
  constexpr std::uint64_t kRowItself = 16;
  for (const auto count : events) sums.push_back(sums.back() + count + kRowItself);
  std::vector<std::size_t> first;
  for (int rank = 0; rank <= ranks; ++rank) {
    const auto from =
        static_cast<std::uint64_t>(share_of(static_cast<std::int64_t>(sums.back()), rank, ranks).first);
    first.push_back(
        static_cast<std::size_t>(std::lower_bound(sums.begin(), sums.end(), from) - sums.begin()));
  }
  first.back() = events.size();
  return first;
}

std::array<std::int64_t, kNumbers> device_numbers(const CoveredTime::Lengths& covered, std::int64_t elapsed,
                                                  Collectives collectives) {
  namespace u = device_unions;
  const bool useful = collectives == Collectives::Useful;
  const auto computes = covered[useful ? u::kKernels : u::kUseful];
  const auto moves = covered[useful ? u::kMoves : u::kMovesAll];
  const auto exposed = covered[u::kBusy] - computes;
  return {computes, exposed, moves - exposed, elapsed - covered[u::kBusy]};
}

/// `recorded`: part of `elapsed` in which the host was recorded. Time in calls is not useful, even in state
/// Running.
std::array<std::int64_t, kNumbers> host_numbers(const CoveredTime::Lengths& covered, std::int64_t elapsed,
                                                std::int64_t recorded, bool states) {
  namespace u = host_unions;
  const auto useful = (states ? covered[u::kKnown] : recorded) - covered[u::kCalls];
  return {useful, covered[u::kMpi], covered[u::kCalls] - covered[u::kMpi],
          elapsed - covered[u::kCalls] - useful};
}

/// The host of a row of a store's resources.
std::uint32_t host_of(const store::Store& store, std::uint32_t resource) {
  const auto& resources = store.resources();
  while (resources[resource].parent != kNone) resource = resources[resource].parent;
  return resource;
}

/// Converts numbers by row, range and kind into times by range and row.
Times decoded(const std::vector<std::int64_t>& numbers, std::size_t devices, std::size_t hosts,
              std::size_t ranges) {
  Times times{std::vector(ranges, std::vector<DeviceTime>(devices)),
              std::vector(ranges, std::vector<HostTime>(hosts))};
  for (std::size_t row = 0; row < devices + hosts; ++row)
    for (std::size_t r = 0; r < ranges; ++r) {
      const auto* n = &numbers[(row * ranges + r) * kNumbers];
      if (row < devices)
        times.devices[r][row] = {n[0], n[1], n[2], n[3]};
      else
        times.hosts[r][row - devices] = {n[0], n[1], n[2], n[3]};
    }
  return times;
}

} // namespace

std::string_view to_string(Collectives collectives) {
  return collectives == Collectives::Useful ? "useful" : "comm";
}

/// Finds the rows of all traces and indexes those of one rank.
class Activity::Builder {
public:
  Builder(const analysis::Session& session, const Job& job) : session_(session), job_(job), stop_(job) {}

  Expected<Activity> run(const Communicator& communicator) {
    for (const auto& trace : session_.traces()) {
      activity_.index_.emplace_back(trace.store);
      activity_.shifts_.push_back(trace.shift_ns);
      if (stop_.requested()) return Job::cancelled_error();
    }
    for (std::size_t trace = 0; trace < session_.traces().size(); ++trace)
      for (auto& [row, events] : devices_of(session_, trace, activity_.index_[trace])) {
        activity_.devices_.push_back(std::move(row));
        add_events(std::move(events), trace, device_unions::kCount);
      }
    for (std::size_t trace = 0; trace < session_.traces().size(); ++trace)
      for (auto& [row, events, states] : hosts_of(session_, trace, activity_.index_[trace], stop_)) {
        activity_.states_.push_back(states);
        activity_.hosts_.push_back(std::move(row));
        add_events(std::move(events), trace, host_unions::kCount);
      }
    make_names_unique(activity_.devices_);
    make_names_unique(activity_.hosts_);
    activity_.repeated_processes_ = repeats_processes();
    if (activity_.repeated_processes_) find_recorded_time();
    return prepare(communicator);
  }

private:
  const store::Store& store_of(std::size_t trace) const { return session_.traces()[trace].store; }

  void find_recorded_time() {
    std::map<std::pair<std::size_t, std::uint32_t>, Activity::Extent> recorded; // by trace and host
    const auto add = [&](std::size_t trace, std::uint32_t resource, const Activity::Extent& extent) {
      auto& of = recorded.try_emplace({trace, host_of(store_of(trace), resource)}, extent).first->second;
      of.begin = std::min(of.begin, extent.begin), of.end = std::max(of.end, extent.end);
    };
    const auto& devices = activity_.devices_;
    for (std::size_t d = 0; d < devices.size(); ++d)
      add(devices[d].trace, devices[d].resource, activity_.extents_[d]);
    for (std::size_t h = 0; h < activity_.hosts_.size(); ++h)
      add(activity_.hosts_[h].trace, activity_.hosts_[h].thread, activity_.extents_[devices.size() + h]);
    for (const auto& host : activity_.hosts_)
      activity_.recorded_.push_back(recorded.at({host.trace, host_of(store_of(host.trace), host.thread)}));
  }

  bool repeats_processes() const {
    std::map<std::pair<bool, std::int64_t>, std::pair<std::size_t, std::uint32_t>> known;
    return std::ranges::any_of(activity_.hosts_, [&](const HostRow& host) {
      const std::pair process(host.trace, host.process);
      const auto number = host.rank >= 0 ? host.rank : store_of(host.trace).resources()[host.process].number;
      return known.try_emplace({host.rank >= 0, number}, process).first->second != process;
    });
  }

  void add_events(std::vector<CoveringEvents> events, std::size_t trace, int unions) {
    Extent extent{INT64_MAX, INT64_MIN};
    std::uint64_t count = 0;
    for (const auto& part : events) {
      count += part.series->events();
      if (part.series->events() == 0) continue;
      extent.begin = std::min(extent.begin, part.series->begin + session_.traces()[trace].shift_ns);
      extent.end = std::max(extent.end, part.series->end + session_.traces()[trace].shift_ns);
    }
    activity_.extents_.push_back(extent);
    counts_.push_back(count);
    events_.push_back(std::move(events));
    unions_.push_back(unions);
  }

  Expected<Activity> prepare(const Communicator& communicator) {
    constexpr std::uint64_t kMany =
        3u << 24; // events; for fewer, blocks are small: 20 B per event (1 GB), else 1 B
    const auto all = std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
    const auto block = all < kMany ? CoveredTime::kSmallBlock : CoveredTime::kBlock;
    const auto first = shares(counts_, communicator.size());
    const auto rank = static_cast<std::size_t>(communicator.rank());
    activity_.first_ = first[rank];
    const auto rows = static_cast<std::int64_t>(first[rank + 1] - first[rank]);
    for (auto row = first[rank]; row < first[rank + 1]; ++row) {
      if (stop_.requested()) return Job::cancelled_error();
      job_.progress(static_cast<std::int64_t>(row - first[rank]), rows, "activity of devices and threads");
      activity_.covered_.emplace_back(std::move(events_[row]), unions_[row], stop_, block);
    }
    if (stop_.requested()) return Job::cancelled_error();
    return std::move(activity_);
  }

  const analysis::Session& session_;
  const Job& job_;
  Stop stop_;
  Activity activity_;
  std::vector<std::vector<CoveringEvents>> events_; ///< events of each row
  std::vector<std::uint64_t> counts_;
  std::vector<int> unions_;
};

Expected<Activity> Activity::make(const analysis::Session& session, Communicator& communicator,
                                  const Job& job) {
  if (session.launch_order())
    return failure(ErrorKind::BadUse, "tables without times have no efficiencies", {}, {},
                   "Open a trace that records when kernels and calls ran.");
  return Builder(session, job).run(communicator);
}

Interval Activity::extent(std::span<const std::uint8_t> devices, std::span<const std::uint8_t> hosts) const {
  std::int64_t begin = INT64_MAX, end = INT64_MIN;
  const auto add = [&](bool chosen, const Extent& extent) {
    if (!chosen || extent.begin > extent.end) return;
    begin = std::min(begin, extent.begin);
    end = std::max(end, extent.end);
  };
  for (std::size_t d = 0; d < devices.size(); ++d) add(devices[d] != 0, extents_[d]);
  for (std::size_t h = 0; h < hosts.size(); ++h) add(hosts[h] != 0, extents_[devices_.size() + h]);
  return begin <= end ? Interval{{begin}, {end}} : Interval{};
}

std::vector<std::int64_t> Activity::numbers_of(std::size_t row, std::span<const Interval> ranges,
                                               Collectives collectives) const {
  const bool device = row < devices_.size();
  const auto shift = shifts_[device ? devices_[row].trace : hosts_[row - devices_.size()].trace];
  const auto& covered = covered_[row - first_];
  std::vector<std::int64_t> numbers;
  for (const auto& range : ranges) {
    const auto lengths = covered.within(range.begin.count - shift, range.end.count - shift);
    const auto elapsed = range.length().count;
    const auto recorded = [&] {
      if (recorded_.empty()) return elapsed;
      const auto& of = recorded_[row - devices_.size()];
      const auto begin = std::max(range.begin.count, of.begin), end = std::min(range.end.count, of.end);
      return end > begin ? end - begin : 0;
    };
    const auto of = device ? device_numbers(lengths, elapsed, collectives)
                           : host_numbers(lengths, elapsed, recorded(), hosts_[row - devices_.size()].states);
    numbers.insert(numbers.end(), of.begin(), of.end());
  }
  return numbers;
}

Expected<Times> Activity::times(std::span<const Interval> ranges, Collectives collectives,
                                Communicator& communicator, const Job& job) const {
  constexpr std::size_t kRowsOfTask = 64;
  const auto width = ranges.size() * kNumbers;
  std::vector<std::int64_t> own(covered_.size() * width);
  const auto task = [&](std::size_t t) {
    for (auto row = t * kRowsOfTask; row < std::min(covered_.size(), (t + 1) * kRowsOfTask); ++row)
      std::ranges::copy(numbers_of(first_ + row, ranges, collectives),
                        own.begin() + static_cast<std::ptrdiff_t>(row * width));
  };
  if (!parallel_for((covered_.size() + kRowsOfTask - 1) / kRowsOfTask, worker_threads(), task, job.cancelled))
    return Job::cancelled_error();
  auto all = communicator.all_gather(std::span<const std::int64_t>(own));
  if (!all) return forward(all.error());
  return decoded(*all, devices_.size(), hosts_.size(), ranges.size());
}

// Shares of ranks are consecutive, so the numbers are in the order of rows.
Expected<Times> Activity::times_of(std::span<const std::size_t> devices, std::span<const std::size_t> hosts,
                                   std::span<const Interval> ranges, Collectives collectives,
                                   Communicator& communicator) const {
  std::vector<std::int64_t> own;
  const auto add = [&](std::size_t row) {
    if (row >= first_ && row - first_ < covered_.size())
      std::ranges::copy(numbers_of(row, ranges, collectives), std::back_inserter(own));
  };
  for (const auto device : devices) add(device);
  for (const auto host : hosts) add(devices_.size() + host);
  auto all = communicator.all_gather(std::span<const std::int64_t>(own));
  if (!all) return forward(all.error());
  return decoded(*all, devices.size(), hosts.size(), ranges.size());
}

} // namespace jitterscope::efficiency
