#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <vector>

#include "core/analysis/columns/launch_reader.h"
#include "core/analysis/parallel/parallel_counts.h"
#include "core/analysis/session/row_sample.h"
#include "core/analysis/statistics/bin_finder.h"
#include "core/base/stop.h"

namespace jitterscope::analysis {

struct ParallelCache;

/// An axis with more categories than this has a numeric scale instead of names.
inline constexpr std::size_t kMaxCategories = 250;

/// Range of every axis and, for columns that hold identifiers, the distinct values.
struct Ranges {
  std::vector<double> lows, highs;
  std::vector<std::set<std::int64_t>>
      distinct; ///< by axis of categories: its values, at most kMaxCategories + 1
  std::vector<std::vector<double>>
      samples; ///< by axis, if a filter keeps some rows: values of about 65,536 kept rows, sorted; else empty

  explicit Ranges(std::size_t axes)
      : lows(axes, std::numeric_limits<double>::infinity()),
        highs(axes, -std::numeric_limits<double>::infinity()), distinct(axes), samples(axes) {}
  void add(std::size_t axis, bool category, double value) {
    if (std::isnan(value)) return;
    lows[axis] = std::min(lows[axis], value);
    highs[axis] = std::max(highs[axis], value);
    if (category && distinct[axis].size() <= kMaxCategories)
      distinct[axis].insert(static_cast<std::int64_t>(value));
  }
  void set(std::size_t axis, const ColumnRange& range) {
    lows[axis] = range.low, highs[axis] = range.high, distinct[axis] = range.distinct,
    samples[axis] = range.sample;
  }
  ColumnRange of(std::size_t axis) const { return {lows[axis], highs[axis], distinct[axis], samples[axis]}; }
  void add(const Ranges& other) {
    for (std::size_t a = 0; a < lows.size(); ++a) {
      lows[a] = std::min(lows[a], other.lows[a]);
      highs[a] = std::max(highs[a], other.highs[a]);
      distinct[a].insert(other.distinct[a].begin(), other.distinct[a].end());
      samples[a].insert(samples[a].end(), other.samples[a].begin(), other.samples[a].end());
    }
  }
};

bool names_things(const LaunchColumn& column);

std::vector<LaunchReader> readers_of(const Session& session, const LaunchColumns& columns,
                                     const std::vector<const LaunchColumn*>& axes);

/// Rows that a filter keeps: a bit per row of the sample, and the cache key of results about them.
struct KeptRows {
  const std::vector<std::uint64_t>* bits = nullptr;
  std::string name;
};

/// Range and distinct values of every axis, over the rows of the sample unless known for all rows. If a
/// filter keeps some rows, ranges of numbers are those of the kept rows; identifiers keep their numbers under
/// any filter. `given`: ranges that are used instead of searching them in a sample of the rows. Collective;
/// results over all rows are cached.
Expected<Ranges> find_ranges(const Session& session, const LaunchColumns& columns,
                             const std::vector<const LaunchColumn*>& axes, const RowSample& sample,
                             Communicator& communicator, const Job& job, ParallelCache* cache,
                             const std::optional<KeptRows>& kept = {},
                             const std::map<std::string, ColumnRange>& given = {});

/// An axis without its counts. `kept`: quantiles come from the sample in `ranges`, not from all rows. The
/// same on every rank.
ParallelAxis make_axis(const Session& session, const LaunchColumns& columns, const LaunchColumn& column,
                       const Ranges& ranges, std::size_t a, AxisScale scale, int bins, bool kept = false);

/// Values of a column in a sample of at most about `maximum` rows, of those that `within` selects; NaN where
/// missing. Each rank reads the same rows. Incomplete if a stop is requested.
std::vector<double> sampled_values(const Session& session, const LaunchColumns& columns,
                                   std::string_view name, std::int64_t maximum,
                                   const Selection* within = nullptr, Stop* stop = nullptr);

/// Maps values to bin numbers; the last bin is for missing values.
class Binning {
public:
  explicit Binning(const ParallelAxis& axis) : codes_(axis.codes) {
    count_ = count_of(axis);
    if (codes_.empty() && axis.edges.size() > 1) finder_.emplace(axis.edges);
  }
  static int count_of(const ParallelAxis& axis) {
    return std::max(1, axis.categories.empty() ? static_cast<int>(axis.edges.size()) - 1
                                               : static_cast<int>(axis.categories.size()));
  }
  /// Number of bins without the one for missing values.
  int count() const { return count_; }
  std::uint8_t operator()(double value) const {
    if (std::isnan(value)) return static_cast<std::uint8_t>(count_);
    if (!codes_.empty())
      return static_cast<std::uint8_t>(std::min<std::ptrdiff_t>(
          std::lower_bound(codes_.begin(), codes_.end(), value) - codes_.begin(), count_ - 1));
    return finder_ ? static_cast<std::uint8_t>((*finder_)(value)) : 0;
  }

private:
  std::vector<double> codes_;
  int count_ = 1;
  std::optional<BinFinder> finder_;
};

} // namespace jitterscope::analysis
