#include "core/analysis/parallel.h"

#include <array>
#include <cmath>
#include <limits>
#include <set>

#include <fmt/core.h>

#include "core/analysis/row_walk.h"

namespace jitterscope::analysis {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::size_t kMostCategories = 24;

/// Range and, for columns that name things, the distinct values of every axis.
struct Ranges {
  std::vector<double> lows, highs;
  std::vector<std::set<std::int64_t>> distinct; ///< category columns; stops growing beyond kMostCategories
};

Expected<Ranges> find_ranges(const Session& session, const LaunchColumns& columns,
                             const std::vector<const LaunchColumn*>& axes, Communicator& communicator,
                             const Job& job) {
  Ranges ranges{std::vector<double>(axes.size(), kInfinity), std::vector<double>(axes.size(), -kInfinity),
                std::vector<std::set<std::int64_t>>(axes.size())};
  auto walked = walk_share(session, communicator, job, "ranges of the axes", [&](const Segment& segment) {
    for (std::size_t a = 0; a < axes.size(); ++a)
      for (const double value : columns.read(axes[a]->name, segment)) {
        if (std::isnan(value)) continue;
        ranges.lows[a] = std::min(ranges.lows[a], value);
        ranges.highs[a] = std::max(ranges.highs[a], value);
        auto& distinct = ranges.distinct[a];
        if (axes[a]->kind != ColumnKind::Number && distinct.size() <= kMostCategories)
          distinct.insert(static_cast<std::int64_t>(value));
      }
  });
  if (!walked) return forward(walked.error());
  if (auto done = global_range(communicator, ranges.lows, ranges.highs); !done) return forward(done.error());
  for (std::size_t a = 0; a < axes.size(); ++a) {
    if (axes[a]->kind == ColumnKind::Number) continue;
    const std::vector<std::int64_t> mine(ranges.distinct[a].begin(), ranges.distinct[a].end());
    auto all = communicator.all_gather<std::int64_t>(mine);
    if (!all) return forward(all.error());
    ranges.distinct[a] = {all->begin(), all->end()};
  }
  return ranges;
}

/// Turns values into bin numbers; -1 for missing.
class Binning {
public:
  Binning(const ParallelAxis& axis, int bins) : axis_(axis) {
    count_ = axis.categories.empty() ? bins : static_cast<int>(axis.categories.size());
    low_ = axis.log ? std::log(axis.minimum) : axis.minimum;
    const double high = axis.log ? std::log(axis.maximum) : axis.maximum;
    scale_ = high > low_ ? count_ / (high - low_) : 0;
  }
  int count() const { return count_; }
  int operator()(double value) const {
    if (std::isnan(value)) return -1;
    if (!axis_.codes.empty()) {
      const auto found = std::lower_bound(axis_.codes.begin(), axis_.codes.end(), value);
      return static_cast<int>(found - axis_.codes.begin());
    }
    const double at = ((axis_.log ? std::log(value) : value) - low_) * scale_;
    return std::clamp(static_cast<int>(at), 0, count_ - 1);
  }

private:
  const ParallelAxis& axis_;
  int count_ = 1;
  double low_ = 0, scale_ = 0;
};

/// Squared correlation of two columns over the rows in which both are there; without a target the squared
/// coefficient of variation. 0 when neither can be told.
double telling(const std::vector<double>& values, const std::vector<double>& target) {
  double n = 0, x = 0, y = 0, xx = 0, yy = 0, xy = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double other = target.empty() ? 0 : target[i];
    if (!std::isfinite(values[i]) || !std::isfinite(other)) continue;
    ++n;
    const double dx = (values[i] - x), dy = other - y;
    x += dx / n, y += dy / n; // Welford's update: counters are large and close together
    xx += dx * (values[i] - x), yy += dy * (other - y), xy += dx * (other - y);
  }
  if (n < 3 || !(xx > 0)) return 0;
  if (target.empty()) return x != 0 ? xx / n / (x * x) : 0;
  return yy > 0 ? xy * xy / (xx * yy) : 0;
}

std::string category_label(const LaunchColumns& columns, const LaunchColumn& column, std::int64_t code) {
  if (column.kind == ColumnKind::Text) return columns.text(column.name, static_cast<double>(code));
  return fmt::format("{}", code);
}

ParallelAxis make_axis(const LaunchColumns& columns, const LaunchColumn& column, const Ranges& ranges,
                       std::size_t a) {
  ParallelAxis axis;
  axis.column = column.name;
  axis.unit = column.unit;
  axis.description = column.description;
  if (ranges.lows[a] <= ranges.highs[a]) {
    axis.minimum = ranges.lows[a];
    axis.maximum = ranges.highs[a];
  }
  const auto& distinct = ranges.distinct[a];
  if (column.kind != ColumnKind::Number && !distinct.empty() && distinct.size() <= kMostCategories)
    for (const auto code : distinct) {
      axis.codes.push_back(static_cast<double>(code));
      axis.categories.push_back(category_label(columns, column, code));
    }
  // Positive quantities that span more than two decades are read on a log scale.
  axis.log = axis.categories.empty() && axis.minimum > 0 && axis.maximum / axis.minimum > 100;
  return axis;
}

/// Recorded attributes (counters, parameters) that go with the duration most: at most `most` of them, the
/// strongest first, by squared correlation over at most 65,536 launches; without durations those of the
/// greatest spread relative to their mean. The same on every rank: each looks at the same launches.
std::vector<const LaunchColumn*> telling_columns(const Session& session, const LaunchColumns& columns,
                                                 std::size_t most, const Job& job) {
  const std::int64_t rows = std::min<std::int64_t>(session.launches(), 65'536);
  const auto values_of = [&](std::string_view name) {
    std::vector<double> values;
    for (const auto& segment : session.segments(0, rows)) {
      const auto part = columns.read(name, segment);
      values.insert(values.end(), part.begin(), part.end());
    }
    return values;
  };
  const auto target = columns.find("duration") ? values_of("duration") : std::vector<double>();
  std::vector<std::pair<double, const LaunchColumn*>> scores;
  for (const auto& column : columns.list()) {
    const bool attribute = column.recorded && !column.constant && column.kind == ColumnKind::Number;
    if (!attribute) continue;
    if (job.cancelled()) break;
    const double score = telling(values_of(column.name), target);
    if (score > 0) scores.emplace_back(score, &column);
  }
  std::stable_sort(scores.begin(), scores.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  // Columns that say the same (cycles and nanoseconds) need no axis each.
  constexpr double kSame = 0.96;
  constexpr std::size_t kMostCompared = 200;
  std::vector<const LaunchColumn*> chosen;
  std::vector<std::vector<double>> kept;
  if (scores.size() > kMostCompared) scores.resize(kMostCompared);
  for (const auto& [score, column] : scores) {
    if (chosen.size() == most) break;
    if (!target.empty() && score > 0.999) continue; // the duration once more
    auto values = values_of(column->name);
    if (std::any_of(kept.begin(), kept.end(),
                    [&](const auto& other) { return telling(values, other) > kSame; }))
      continue;
    chosen.push_back(column);
    kept.push_back(std::move(values));
  }
  return chosen;
}

} // namespace

Expected<std::vector<std::string>> default_axes(const Session& session, const LaunchColumns& columns,
                                                std::size_t most, Communicator& communicator,
                                                const Job& job) {
  /// In display order; where there is no room the highest numbers leave first.
  struct Wanted {
    const char* name;
    int leaves;
  };
  static constexpr std::array kWanted = {Wanted{"short_name", 1},
                                         Wanted{"blocks", 1},
                                         Wanted{"threads_per_block", 5},
                                         Wanted{"registers", 6},
                                         Wanted{"dynamic_shared_memory", 6},
                                         Wanted{"device", 3},
                                         Wanted{"rank", 3},
                                         Wanted{"stream", 3},
                                         Wanted{"gap_ns", 3},
                                         Wanted{"queue_delay_ns", 4},
                                         Wanted{"concurrency", 4},
                                         Wanted{"burst_position", 7},
                                         Wanted{"migration_ns", 1},
                                         Wanted{"overlap_host_to_device_ns", 2},
                                         Wanted{"overlap_device_to_host_ns", 3},
                                         Wanted{"memory_stall", 5},
                                         Wanted{"duration", 0},
                                         Wanted{"kernel_variability", 0}};
  struct Candidate {
    const LaunchColumn* column;
    int leaves;
  };
  constexpr std::size_t kMostTelling = 6;
  const auto telling_ones = telling_columns(session, columns, kMostTelling, job);
  std::vector<Candidate> candidates;
  for (const auto& wanted : kWanted) {
    if (std::string_view(wanted.name) == "memory_stall")
      for (std::size_t i = telling_ones.size(); i-- > 0;) // the most telling next to what it tells of
        candidates.push_back({telling_ones[i], i < 3 ? 2 : 4});
    if (std::string_view(wanted.name) == "memory_stall") // clocks stand before what is to be explained
      for (const auto& column : columns.list())
        if (column.name.rfind("mean_", 0) == 0 && column.name.find("clock") != std::string::npos)
          candidates.push_back({&column, 2});
    if (const auto* column = columns.find(wanted.name)) candidates.push_back({column, wanted.leaves});
  }
  std::vector<const LaunchColumn*> looked_at;
  for (const auto& candidate : candidates) looked_at.push_back(candidate.column);
  auto ranges = find_ranges(session, columns, looked_at, communicator, job);
  if (!ranges) return forward(ranges.error());
  std::vector<Candidate> chosen;
  for (std::size_t a = 0; a < candidates.size(); ++a)
    if (ranges->lows[a] < ranges->highs[a]) chosen.push_back(candidates[a]);
  while (chosen.size() > std::max<std::size_t>(most, 1))
    chosen.erase(std::max_element(chosen.begin(), chosen.end(), [](const Candidate& x, const Candidate& y) {
      return x.leaves < y.leaves;
    }));
  std::vector<std::string> axes;
  for (const auto& candidate : chosen) axes.push_back(candidate.column->name);
  return axes;
}

Expected<ParallelCounts> parallel_counts(const Session& session, const LaunchColumns& columns,
                                         const Selection& selection, const ParallelOptions& options,
                                         Communicator& communicator, const Job& job) {
  std::vector<const LaunchColumn*> wanted;
  for (const auto& name : options.axes) {
    wanted.push_back(columns.find(name));
    if (!wanted.back())
      return failure(ErrorKind::BadUse, "there is no column '" + name + "'", {}, "axes",
                     "'info' lists the columns.");
  }
  const int bins = std::clamp(options.bins, 2, 1024);
  auto ranges = find_ranges(session, columns, wanted, communicator, job);
  if (!ranges) return forward(ranges.error());
  ParallelCounts counts;
  for (std::size_t a = 0; a < wanted.size(); ++a)
    counts.axes.push_back(make_axis(columns, *wanted[a], *ranges, a));
  std::vector<Binning> binnings;
  for (auto& axis : counts.axes) {
    binnings.emplace_back(axis, bins);
    axis.all.assign(static_cast<std::size_t>(binnings.back().count()), 0);
    axis.selected = axis.all;
  }
  for (std::size_t a = 0; a + 1 < wanted.size(); ++a) {
    const int left = binnings[a].count(), right = binnings[a + 1].count();
    const std::vector<std::int64_t> zeros(static_cast<std::size_t>(left) * static_cast<std::size_t>(right));
    counts.pairs.push_back({wanted[a]->name, wanted[a + 1]->name, left, right, zeros, zeros});
  }
  std::int64_t rows[2] = {};
  auto walked = walk_share(session, communicator, job, "parallel coordinates", [&](const Segment& segment) {
    const auto mask = selection.select(session, columns, segment);
    rows[0] += segment.rows();
    for (const auto bit : mask) rows[1] += bit;
    std::vector<int> before;
    for (std::size_t a = 0; a < wanted.size(); ++a) {
      const auto values = columns.read(wanted[a]->name, segment);
      std::vector<int> codes(values.size());
      auto& axis = counts.axes[a];
      for (std::size_t i = 0; i < values.size(); ++i) {
        const int code = codes[i] = binnings[a](values[i]);
        if (code < 0) {
          ++axis.missing;
          continue;
        }
        ++axis.all[static_cast<std::size_t>(code)];
        axis.selected[static_cast<std::size_t>(code)] += mask[i];
        if (a == 0 || before[i] < 0) continue;
        auto& pair = counts.pairs[a - 1];
        const auto cell = static_cast<std::size_t>(before[i]) * static_cast<std::size_t>(pair.right_bins) +
                          static_cast<std::size_t>(code);
        ++pair.all[cell];
        pair.selected[cell] += mask[i];
      }
      before = std::move(codes);
    }
  });
  if (!walked) return forward(walked.error());
  if (auto done = communicator.sum(rows); !done) return forward(done.error());
  counts.rows = rows[0];
  counts.selected_rows = rows[1];
  for (auto& axis : counts.axes) {
    std::int64_t missing[1] = {axis.missing};
    if (auto done = communicator.sum(missing); !done) return forward(done.error());
    axis.missing = missing[0];
    for (auto* histogram : {&axis.all, &axis.selected})
      if (auto done = communicator.sum(*histogram); !done) return forward(done.error());
  }
  for (auto& pair : counts.pairs)
    for (auto* histogram : {&pair.all, &pair.selected})
      if (auto done = communicator.sum(*histogram); !done) return forward(done.error());
  return counts;
}

} // namespace jitterscope::analysis
