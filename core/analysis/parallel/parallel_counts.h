#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/analysis/filter/selection.h"

namespace jitterscope::analysis {

/// How the values of a numeric axis are spread over its length.
/// automatic: log for positive quantities that span more than two decades, symlog for skewed ones with zeros
/// or negative values (symmetric_log.h), else linear. quantile: a quarter of the length for each quarter of
/// the rows, straight between. rank: the same length for the same number of rows.
enum class AxisScale : std::uint8_t { automatic, linear, log, quantile, rank, symlog };
std::string to_string(AxisScale scale);
bool parse(const std::string& text, AxisScale& scale);

/// In which order categories stand along their axis.
enum class CategoryOrder : std::uint8_t { value, frequency, target };

inline constexpr int kMostParallelBins = 254; ///< with the one for missing values a bin's number is a byte

/// Range and, for columns that name things, the distinct values of a column over all launches.
struct ColumnRange {
  double low = 0, high = 0; ///< low > high: no values
  std::set<std::int64_t> distinct;
  std::vector<double> sample; ///< sorted; of rows that a filter keeps
};

struct ParallelOptions {
  std::vector<std::string> axes;           ///< columns of launches in display order; empty: default_axes()
  std::map<std::string, AxisScale> scales; ///< by column; automatic where nothing is said
  std::map<std::string, CategoryOrder> orders; ///< by column of categories
  std::string target; ///< column that CategoryOrder::target sorts by: its mean in each category
  std::shared_ptr<const Selection>
      within;                     ///< other rows are not there: neither in ranges of numbers nor in any count
  std::string within_name;        ///< by which what is known of those rows is kept; empty: nothing is
  std::vector<Selection> classes; ///< counted apart, for colours: at most 8
  bool classes_over_all = false;  ///< of all launches instead of the selected ones
  int bins = 128;                 ///< per numeric axis, 2 … kMostParallelBins
  std::int64_t look_at = 0;       ///< > 0: about that many rows evenly spread, for a first picture; ranges
                                  ///< are those of these rows where `ranges` has none
  std::map<std::string, ColumnRange>
      ranges; ///< of a first picture, by column: of all launches, from an earlier answer
};

struct ParallelAxis {
  std::string column, unit, description;
  double minimum = 0, maximum = 1;     ///< of all launches, or of those `within`
  double straight_below = 0;           ///< of symlog: magnitudes below it are on a straight scale
  AxisScale scale = AxisScale::linear; ///< in use: never automatic
  std::vector<double> edges;           ///< numbers: bins + 1, ascending; equal steps along the axis
  std::vector<std::string> categories; ///< when set, value i stands for categories[i]
  std::vector<double> codes;           ///< the column's own value of each category
  bool texts = false;                  ///< the column holds texts: its values are places in a list
  std::int64_t missing = 0;
  std::vector<std::int64_t> all,
      selected; ///< 1-D histogram; with missing values one cell more, the last, for them
};

/// Counts of two neighbouring axes: counts[left · right_bins + right], cells for missing values included.
struct ParallelPair {
  std::string left, right;
  int left_bins = 0, right_bins = 0;
  std::vector<std::int64_t> all, selected;
};

/// Selected launches of one class: by axis and by pair, in the cells of those.
struct ParallelClass {
  std::int64_t rows = 0;
  std::vector<std::vector<std::int64_t>> axes, pairs;
};

struct ParallelCounts {
  std::vector<ParallelAxis> axes;
  std::vector<ParallelPair> pairs;
  std::vector<ParallelClass> classes;
  std::int64_t rows = 0, selected_rows = 0; ///< of those looked at, and `within`
  std::int64_t looked_at = 0;               ///< whatever they are
  std::int64_t all_rows = 0;                ///< of the session
};

} // namespace jitterscope::analysis
