#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/analysis/filter/selection.h"

namespace jitterscope::analysis {

/// Scale of a numeric axis.
/// - automatic: log for positive quantities that span more than two decades; symlog for skewed ones with
///   zeros or negative values (symmetric_log.h); else linear.
/// - quantile: a quarter of the length for each quarter of the rows, linear in between.
/// - rank: equal length for equal numbers of rows.
enum class AxisScale : std::uint8_t { automatic, linear, log, quantile, rank, symlog };
std::string to_string(AxisScale scale);
bool parse(const std::string& text, AxisScale& scale);

/// Order of the categories along their axis.
enum class CategoryOrder : std::uint8_t { value, frequency, target };

inline constexpr int kMaxParallelBins =
    254; ///< maximum bins of an axis: all bin numbers, also that of missing values, fit a byte

/// Range and, for columns that hold identifiers, the distinct values of a column over all launches.
struct ColumnRange {
  double low = 0, high = 0; ///< minimum and maximum; low > high: no values
  std::set<std::int64_t> distinct;
  std::vector<double> sample; ///< values of a sample of the rows that a filter keeps, sorted
};

struct ParallelOptions {
  std::vector<std::string> axes;           ///< columns of launches in display order; empty: default_axes()
  std::map<std::string, AxisScale> scales; ///< by column: its scale; default: automatic
  std::map<std::string, CategoryOrder> orders; ///< by column of categories: their order
  std::string target; ///< column whose mean per category orders CategoryOrder::target
  std::shared_ptr<const Selection>
      within;              ///< only these rows count, both in ranges of numbers and in counts; null: all rows
  std::string within_name; ///< cache key of results about the rows `within`; empty: not cached
  std::vector<Selection> classes; ///< at most 8 classes of rows that are counted separately, for colours
  bool classes_over_all = false;  ///< classes contain all launches (true) or only selected ones (false)
  int bins = 128;                 ///< number of bins of a numeric axis, 2 … kMaxParallelBins
  /// > 0: about this many evenly spread rows, for a preview; ranges are then computed from these rows unless
  /// given in `ranges`.
  std::int64_t sample_rows = 0;
  std::map<std::string, ColumnRange>
      ranges; ///< for a preview: ranges over all launches from an earlier answer, by column
};

struct ParallelAxis {
  std::string column, unit, description;
  double minimum = 0, maximum = 1;     ///< extremes over all launches, or over the launches `within`
  double straight_below = 0;           ///< symlog: threshold of the linear part
  AxisScale scale = AxisScale::linear; ///< effective scale: never automatic
  std::vector<double> edges; ///< of numbers: bins + 1 edges, ascending, at equal distances along the axis
  std::vector<std::string> categories; ///< of categories: their names; bin i counts categories[i]
  std::vector<double> codes;           ///< by category: value of the column
  bool texts = false;                  ///< the column holds texts: its values are indices into a list
  std::int64_t missing = 0;
  std::vector<std::int64_t> all,
      selected; ///< by bin: number of rows; if there are missing values, the last element counts them
};

/// Counts of two adjacent axes: counts[left · right_bins + right], including cells for missing values.
struct ParallelPair {
  std::string left, right;
  int left_bins = 0, right_bins = 0;
  std::vector<std::int64_t> all, selected;
};

/// Selected launches of one class, by axis and by pair, in the same cells.
struct ParallelClass {
  std::int64_t rows = 0;
  std::vector<std::vector<std::int64_t>> axes, pairs;
};

struct ParallelCounts {
  std::vector<ParallelAxis> axes;
  std::vector<ParallelPair> pairs;
  std::vector<ParallelClass> classes;
  std::int64_t rows = 0,
               selected_rows =
                   0; ///< among the rows read: rows in the filter `within`, and selected rows among these
  std::int64_t examined = 0; ///< number of rows read, selected or not
  std::int64_t all_rows = 0; ///< number of rows in the session
};

} // namespace jitterscope::analysis
