#include "core/analysis/parallel/parallel.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "core/analysis/parallel/parallel_axes.h"
#include "core/analysis/parallel/parallel_cache.h"
#include "core/analysis/parallel/related_order.h"
#include "core/base/agreement.h"

namespace jitterscope::analysis {
namespace {

/// Recorded attributes (counters, parameters) that are associated with the duration: at most `maximum` of
/// them, strongest first, by squared correlation over the first 65,536 launches; without durations, those
/// with the largest relative spread. The same on every rank: each reads the same launches.
Expected<std::vector<const LaunchColumn*>> informative_columns(const Session& session,
                                                               const LaunchColumns& columns,
                                                               std::size_t maximum, bool by_target,
                                                               const Job& job) {
  const std::int64_t rows = std::min<std::int64_t>(session.launches(), 65'536);
  const auto values_of = [&](std::string_view name) {
    std::vector<double> values;
    for (const auto& segment : session.segments(0, rows)) {
      const auto part = columns.read(name, segment);
      values.insert(values.end(), part.begin(), part.end());
    }
    return values;
  };
  const auto target = by_target && columns.find("duration") ? values_of("duration") : std::vector<double>();
  std::vector<std::pair<double, const LaunchColumn*>> scores;
  for (const auto& column : columns.list()) {
    const bool attribute = column.recorded && !column.constant && column.kind == ColumnKind::Number;
    if (!attribute) continue;
    if (job.cancelled()) return Job::cancelled_error();
    const double score = similarity(values_of(column.name), target);
    if (score > 0) scores.emplace_back(score, &column);
  }
  std::stable_sort(scores.begin(), scores.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  // Of columns that are more similar than kSame (such as cycles and nanoseconds), only the first gets an
  // axis.
  constexpr double kSame = 0.96;
  constexpr std::size_t kMaxCompared = 200;
  std::vector<const LaunchColumn*> chosen;
  std::vector<std::vector<double>> kept;
  if (scores.size() > kMaxCompared) scores.resize(kMaxCompared);
  for (const auto& [score, column] : scores) {
    if (chosen.size() == maximum) break;
    if (!target.empty() && score > 0.999) continue; // a copy of the duration
    if (job.cancelled()) return Job::cancelled_error();
    auto values = values_of(column->name);
    if (std::any_of(kept.begin(), kept.end(),
                    [&](const auto& other) { return similarity(values, other) > kSame; }))
      continue;
    chosen.push_back(column);
    kept.push_back(std::move(values));
  }
  return chosen;
}

// An axis on which hardly any row has a value is not a default, but can be chosen. Decided on a sample that
// is the same on every rank.
bool nearly_all_missing(const Session& session, const LaunchColumns& columns, const std::string& name) {
  constexpr std::int64_t kRows = 16'384;
  constexpr double kMaxMissingShare = 0.99;
  const auto values = sampled_values(session, columns, name, kRows);
  const auto missing = std::count_if(values.begin(), values.end(), [](double v) { return std::isnan(v); });
  return static_cast<double>(missing) > kMaxMissingShare * static_cast<double>(values.size());
}

} // namespace

Expected<std::vector<std::string>> default_axes(const Session& session, const LaunchColumns& columns,
                                                std::size_t maximum, Communicator& communicator,
                                                const Job& job, ParallelCache* cache) {
  std::int64_t known = cache && cache->default_axes.contains(maximum);
  if (auto agreed = known_to_all(communicator, {&known, 1}); !agreed) return forward(agreed.error());
  if (known) return cache->default_axes.at(maximum);
  /// In display order; if there are too many, the axes with the largest `leaves` are dropped first.
  struct DefaultAxis {
    const char* name;
    int leaves;
  };
  static constexpr std::array kDefaultAxes = {DefaultAxis{"short_name", 1},
                                              DefaultAxis{"blocks", 1},
                                              DefaultAxis{"threads_per_block", 5},
                                              DefaultAxis{"registers", 6},
                                              DefaultAxis{"dynamic_shared_memory", 6},
                                              DefaultAxis{"device", 3},
                                              DefaultAxis{"rank", 3},
                                              DefaultAxis{"stream", 3},
                                              DefaultAxis{"gap_ns", 3},
                                              DefaultAxis{"queue_delay_ns", 4},
                                              DefaultAxis{"concurrency", 4},
                                              DefaultAxis{"burst_position", 7},
                                              DefaultAxis{"migration_ns", 1},
                                              DefaultAxis{"overlap_host_to_device_ns", 2},
                                              DefaultAxis{"overlap_device_to_host_ns", 3},
                                              DefaultAxis{"memory_stall", 5},
                                              DefaultAxis{"duration", 0},
                                              DefaultAxis{"kernel_variability", 0}};
  struct Candidate {
    const LaunchColumn* column;
    int leaves;
  };
  constexpr std::size_t kMaxInformative = 6;
  const auto found = informative_columns(session, columns, kMaxInformative, true, job);
  if (!found) return forward(found.error());
  const auto& informative = *found;
  std::vector<Candidate> candidates;
  for (const auto& default_axis : kDefaultAxes) {
    if (std::string_view(default_axis.name) == "memory_stall")
      for (std::size_t i = informative.size(); i-- > 0;) // strongest next to the duration
        candidates.push_back({informative[i], i < 3 ? 2 : 4});
    if (std::string_view(default_axis.name) ==
        "memory_stall") // clocks precede the quantities they may explain
      for (const auto& column : columns.list())
        if (column.name.rfind("mean_", 0) == 0 && column.name.find("clock") != std::string::npos)
          candidates.push_back({&column, 2});
    if (const auto* column = columns.find(default_axis.name))
      candidates.push_back({column, default_axis.leaves});
  }
  std::vector<const LaunchColumn*> examined;
  for (const auto& candidate : candidates) examined.push_back(candidate.column);
  constexpr std::int64_t kRows = 500'000;
  const RowSample sample(session, communicator, kRows);
  auto ranges = find_ranges(session, columns, examined, sample, communicator, job, cache);
  if (!ranges) return forward(ranges.error());
  std::vector<Candidate> chosen;
  for (std::size_t a = 0; a < candidates.size(); ++a) {
    if (job.cancelled()) return Job::cancelled_error();
    if (ranges->lows[a] < ranges->highs[a] &&
        (candidates[a].leaves == 0 || !nearly_all_missing(session, columns, candidates[a].column->name)))
      chosen.push_back(candidates[a]);
  }
  while (chosen.size() > std::max<std::size_t>(maximum, 1))
    chosen.erase(std::max_element(chosen.begin(), chosen.end(), [](const Candidate& x, const Candidate& y) {
      return x.leaves < y.leaves;
    }));
  std::vector<std::string> axes;
  for (const auto& candidate : chosen) axes.push_back(candidate.column->name);
  if (auto agreed = all_ranks_succeeded(communicator); !agreed) return forward(agreed.error());
  if (cache) cache->default_axes[maximum] = axes;
  return axes;
}

Expected<std::vector<std::string>> widest_columns(const Session& session, const LaunchColumns& columns,
                                                  std::size_t maximum, const Job& job) {
  const auto widest = informative_columns(session, columns, maximum, false, job);
  if (!widest) return forward(widest.error());
  std::vector<std::string> names;
  for (const auto* column : *widest) names.push_back(column->name);
  return names;
}

namespace {

constexpr std::int64_t kOrderRows = 16'384;

} // namespace

Expected<std::vector<std::string>> related_order(const Session& session, const LaunchColumns& columns,
                                                 const std::vector<std::string>& axes,
                                                 const std::string& pinned, bool mutual_information,
                                                 const Job& job) {
  std::vector<std::vector<double>> values;
  for (const auto& axis : axes) {
    if (job.cancelled()) return Job::cancelled_error();
    values.push_back(sampled_values(session, columns, axis, kOrderRows));
  }
  const auto first = std::find(axes.begin(), axes.end(), pinned);
  const auto places =
      related_order(values, first == axes.end() ? -1 : first - axes.begin(), mutual_information, job);
  if (!places) return forward(places.error());
  std::vector<std::string> order;
  for (const std::size_t axis : *places) order.push_back(axes[axis]);
  return order;
}

} // namespace jitterscope::analysis
