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

inline constexpr int kMaxParallelBins = 254; ///< bin numbers, including the bin of missing values, fit a byte

/// Range and, for columns that hold identifiers, the distinct values of a column over all launches.
struct ColumnRange {
  double low = 0, high = 0; ///< low > high: no values
  std::set<std::int64_t> distinct;
  std::vector<double> sample; ///< sorted; values of rows that a filter keeps
};

struct ParallelOptions {
  std::vector<std::string> axes;           ///< columns of launches in display order; empty: default_axes()
  std::map<std::string, AxisScale> scales; ///< by column; default: automatic
  std::map<std::string, CategoryOrder> orders; ///< by column of categories
  std::string target; ///< column whose mean per category orders CategoryOrder::target
  std::shared_ptr<const Selection>
      within;                     ///< all other rows are ignored, both in ranges of numbers and in counts
  std::string within_name;        ///< cache key of results about the rows `within`; empty: not cached
  std::vector<Selection> classes; ///< counted separately, for colours: at most 8
  bool classes_over_all = false;  ///< classes of all launches instead of the selected ones
  int bins = 128;                 ///< per numeric axis, 2 … kMaxParallelBins
  /// > 0: about this many evenly spread rows, for a preview; ranges are then computed from these rows unless
  /// given in `ranges`.
  std::int64_t sample_rows = 0;
  std::map<std::string, ColumnRange>
      ranges; ///< for a preview: ranges over all launches from an earlier answer, by column
};

struct ParallelAxis {
  std::string column, unit, description;
  double minimum = 0, maximum = 1;     ///< over all launches, or over the launches `within`
  double straight_below = 0;           ///< symlog: threshold of the linear part
  AxisScale scale = AxisScale::linear; ///< effective scale: never automatic
  std::vector<double> edges;           ///< numbers: bins + 1, ascending; in equal steps along the axis
  std::vector<std::string> categories; ///< if set, bin i counts categories[i]
  std::vector<double> codes;           ///< column value of each category
  bool texts = false;                  ///< the column holds texts: its values are indices into a list
  std::int64_t missing = 0;
  std::vector<std::int64_t> all,
      selected; ///< 1-D histogram; if there are missing values, the last cell counts them
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
  std::int64_t examined = 0; ///< rows read, selected or not
  std::int64_t all_rows = 0; ///< number of rows in the session
};

} // namespace jitterscope::analysis
