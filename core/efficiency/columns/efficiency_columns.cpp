#include "core/efficiency/columns/efficiency_columns.h"

#include <algorithm>
#include <limits>
#include <map>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "core/base/stop.h"
#include "core/efficiency/chosen_numbers.h"
#include "core/efficiency/metrics/syntax.h"
#include "core/efficiency/processes.h"

namespace jitterscope::efficiency {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

/// A rank, or a device if ranks are unknown, with its indices in Result::devices and Result::hosts; of the
/// hosts only the master thread of each process, because other threads do not call MPI.
struct Waiting {
  std::string name;
  std::int32_t rank = -1;
  std::vector<std::size_t> devices{}, hosts{};
  bool on_devices = false;
};

class Windows {
public:
  Windows(const analysis::Session& session, const Activity& activity, const Result& result)
      : session_(session), activity_(activity), result_(result) {
    find_ranks();
    if (waiting_.size() < 2) find_devices();
    if (waiting_.size() < 2) waiting_.clear();
    for (auto& one : waiting_)
      one.on_devices = std::ranges::any_of(one.devices, [&](std::size_t d) {
        return activity_.devices()[result_.devices[d].row].collectives;
      });
    std::erase_if(waiting_, [&](const Waiting& one) { return !one.on_devices && !has_mpi(one); });
  }

  const std::vector<Waiting>& waiting() const { return waiting_; }

  double factor(std::size_t window, Factor factor) const {
    const auto& ratio = result_.parts[window].factors[factor];
    return ratio.known() ? ratio.value() : kMissing;
  }

  /// Fraction of a window that the rank or device waits.
  double waits(std::size_t window, const Waiting& one) const {
    const auto& part = result_.parts[window];
    double time = 0;
    for (const auto d : one.devices)
      if (one.on_devices) time += static_cast<double>(part.devices[d].communication);
    for (const auto h : one.hosts)
      if (!one.on_devices) time += static_cast<double>(part.hosts[h].mpi);
    const auto rows = one.on_devices ? one.devices.size() : one.hosts.size();
    return time / (static_cast<double>(rows) * static_cast<double>(part.elapsed));
  }

  /// The window that contains a time; result.parts.size() outside all windows.
  std::size_t window_of(std::int64_t time) const {
    const auto& parts = result_.parts;
    const auto after =
        std::ranges::upper_bound(parts, time, {}, [](const auto& part) { return part.range.begin.count; });
    if (after == parts.begin() || std::prev(after)->range.end.count <= time) return parts.size();
    return static_cast<std::size_t>(std::prev(after) - parts.begin());
  }

  /// By trace and resource, the index in waiting() of the rank or device that owns its launches; kNone if
  /// there is none.
  std::vector<std::vector<std::uint32_t>> owners() const {
    std::map<std::int32_t, std::uint32_t> of_rank;
    std::map<std::pair<std::size_t, std::uint32_t>, std::uint32_t> of_device; // trace, physical device
    for (std::uint32_t w = 0; w < waiting_.size(); ++w) {
      const auto& one = waiting_[w];
      if (by_rank_) {
        of_rank[one.rank] = w;
        continue;
      }
      const auto& row = activity_.devices()[result_.devices[one.devices.front()].row];
      of_device[{row.trace, session_.traces()[row.trace].store.resources()[row.resource].physical}] = w;
    }
    std::vector<std::vector<std::uint32_t>> all;
    for (std::size_t t = 0; t < session_.traces().size(); ++t) {
      const auto& resources = session_.traces()[t].store.resources();
      auto& of = all.emplace_back(resources.size(), kNone);
      for (std::uint32_t r = 0; r < resources.size(); ++r)
        for (auto at = r; at < resources.size() && of[r] == kNone; at = resources[at].parent) {
          const auto& on = resources[at];
          if (const auto found = of_rank.find(on.rank);
              on.kind == store::ResourceKind::Process && found != of_rank.end())
            of[r] = found->second;
          if (const auto found = of_device.find({t, on.physical});
              on.kind == store::ResourceKind::Device && found != of_device.end())
            of[r] = found->second;
        }
    }
    return all;
  }

private:
  void find_ranks() {
    std::map<std::int32_t, Waiting> ranks;
    for (std::size_t d = 0; d < result_.devices.size(); ++d)
      if (const auto& row = activity_.devices()[result_.devices[d].row]; row.sharing != Sharing::Whole)
        ranks[row.rank].devices.push_back(d);
    std::vector<std::size_t> rows;
    for (const auto& host : result_.hosts) rows.push_back(host.row);
    for (const auto master : processes_of(activity_, rows).masters)
      ranks[activity_.hosts()[rows[master]].rank].hosts.push_back(master);
    for (auto& [rank, one] : ranks) {
      if (rank < 0) continue;
      one.name = fmt::format("rank_{}", rank);
      one.rank = rank;
      waiting_.push_back(std::move(one));
    }
    by_rank_ = true;
  }
  void find_devices() {
    waiting_.clear();
    by_rank_ = false;
    std::map<std::int64_t, std::size_t> of_number;
    for (const auto& device : result_.devices) ++of_number[activity_.devices()[device.row].number];
    for (std::size_t d = 0; d < result_.devices.size(); ++d) {
      const auto number = activity_.devices()[result_.devices[d].row].number;
      const auto shown = of_number[number] > 1 ? static_cast<std::int64_t>(d) : number;
      waiting_.push_back({fmt::format("gpu_{}", shown), -1, {d}});
    }
  }
  bool has_mpi(const Waiting& one) const {
    return std::ranges::any_of(one.hosts,
                               [&](std::size_t h) { return activity_.hosts()[result_.hosts[h].row].mpi; });
  }
  const analysis::Session& session_;
  const Activity& activity_;
  const Result& result_;
  std::vector<Waiting> waiting_;
  bool by_rank_ = true;
};

/// A column of launches, with its value in every window.
struct Value {
  KeptColumn column;
  std::vector<double> by_window;
};

std::string words_of(Factor factor) {
  std::string words(id_of(factor));
  std::ranges::replace(words, '.', '_');
  return words;
}

/// "; of ranks 0-3 only": the rows that the columns are about; empty: all.
std::string chosen_text(const Options& options) {
  std::vector<std::string> parts;
  if (!options.ranks.empty())
    parts.push_back("ranks " + as_ranges({options.ranks.begin(), options.ranks.end()}));
  if (!options.devices.empty())
    parts.push_back("devices " + as_ranges({options.devices.begin(), options.devices.end()}));
  return parts.empty() ? std::string() : fmt::format("; of {} only", fmt::join(parts, " and "));
}

std::vector<Value> values_of(const Windows& windows, const Result& result, const std::string& chosen) {
  std::vector<Value> values;
  const auto add = [&](std::string name, const std::string& description, auto&& value) {
    auto& added = values.emplace_back();
    added.column = {std::move(name), "", description + chosen, metrics::kUnknownTier, {}};
    for (std::size_t w = 0; w < result.parts.size(); ++w) added.by_window.push_back(value(w));
  };
  const auto as = to_string(result.collectives);
  for (int f = 0; f < kFactors; ++f) {
    const auto factor = static_cast<Factor>(f);
    if (!result.factors[factor].known()) continue;
    add("efficiency_" + words_of(factor),
        fmt::format("efficiency {} of the time window in which the launch starts; collectives count as {}",
                    id_of(factor), as),
        [&](std::size_t w) { return windows.factor(w, factor); });
  }
  for (std::size_t i = 0; i < std::min(windows.waiting().size(), kMaxWaiting); ++i) {
    const auto& one = windows.waiting()[i];
    std::string words = one.name; // "rank_3"
    std::replace(words.begin(), words.end(), '_', ' ');
    add(one.name + "_waits",
        fmt::format("share of the time window in which {} waits: {}", words,
                    one.rank < 0     ? "it communicates without computing"
                    : one.on_devices ? "its devices communicate without computing"
                                     : "it is inside MPI calls"),
        [&](std::size_t w) { return windows.waits(w, one); });
  }
  return values;
}

} // namespace

Expected<std::vector<KeptColumn>> efficiency_columns(const analysis::Session& session,
                                                     const Activity& activity, Options options,
                                                     Communicator& communicator, const Job& job) {
  options.range = Interval{options.parts.front().begin, options.parts.back().end};
  auto result = efficiencies(activity, session, options, communicator, job);
  if (!result) return forward(result.error());
  const Windows windows(session, activity, *result);
  const auto chosen = chosen_text(options);
  auto values = values_of(windows, *result, chosen);
  const auto& waiting = windows.waiting();
  const auto owners = windows.owners();
  const auto count = result->parts.size();
  // Fraction of waiting by window and rank or device, and its sum by window.
  std::vector<double> shares(count * waiting.size()), sums(count);
  for (std::size_t w = 0; w < count; ++w)
    for (std::size_t i = 0; i < waiting.size(); ++i)
      sums[w] += shares[w * waiting.size() + i] = windows.waits(w, waiting[i]);
  KeptColumn others{"others_wait",
                    "",
                    "mean share of the time window in which the other ranks or devices wait" + chosen,
                    metrics::kUnknownTier,
                    {}};
  Stop stop(job);
  const auto rows = static_cast<std::size_t>(session.launches());
  for (auto& value : values) value.column.values.reserve(rows);
  for (std::size_t t = 0; t < session.traces().size(); ++t) {
    const auto& trace = session.traces()[t];
    const auto starts = trace.starts();
    const auto streams = trace.store.column<std::uint32_t>("launches", "stream");
    for (std::size_t row = 0; row < starts.size() && !stop.at(row); ++row) {
      const auto w = windows.window_of(starts[row] + trace.shift_ns);
      for (auto& value : values) value.column.values.push_back(w < count ? value.by_window[w] : kMissing);
      const auto own = owners[t][streams[row]];
      const bool is_own = own != kNone;
      const auto number = waiting.size() - (is_own ? 1 : 0);
      others.values.push_back(w < count && number > 0
                                  ? (sums[w] - (is_own ? shares[w * waiting.size() + own] : 0.0)) /
                                        static_cast<double>(number)
                                  : kMissing);
    }
  }
  if (stop.requested()) return Job::cancelled_error();
  std::vector<KeptColumn> columns;
  for (auto& value : values) columns.push_back(std::move(value.column));
  if (!waiting.empty()) columns.push_back(std::move(others));
  return columns;
}

} // namespace jitterscope::efficiency
