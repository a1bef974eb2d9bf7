#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/import/formats/table/shape.h"
#include "core/import/records/attribute_column.h"

namespace jitterscope::import::table {

inline constexpr std::size_t kMaxColumns = 65'536;

/// Range of numbers, empty (minimum > maximum) where there are none.
struct NumberRange {
  double minimum = std::numeric_limits<double>::infinity(), maximum = -minimum;
  void include(double number) {
    minimum = number < minimum ? number : minimum; // ignores NaN
    maximum = number > maximum ? number : maximum;
  }
  void include(const NumberRange& other) {
    minimum = std::min(minimum, other.minimum);
    maximum = std::max(maximum, other.maximum);
  }
  bool empty() const { return minimum > maximum; }
};

/// Content of a column, judged by a sample of its cells.
struct Column {
  enum class Kind { Unknown, Number, Text };
  std::string title; ///< without its unit, unlike RowPlan::titles
  std::string unit;  ///< as written in the title
  Kind kind = Kind::Unknown;
  bool untitled = false;
  bool whole = true; ///< all numbers of the sample are written as integers
  bool integral =
      true; ///< all numbers of the sample are integers, including "64.0" (pandas, with missing values)
  bool quantities = false;  ///< cells are numbers with units (quantity.h)
  bool unit_in_row = false; ///< times whose unit is in column Columns::unit_column; stored in ns
  bool extents = false;     ///< texts with a grid or block, as parse_extents() reads them
  bool dates = false;       ///< texts with a date and a time of day, as parse_date_time() reads them
  bool may_be_time = false; ///< named like a start or an end, or mapped to a start or end by the user
  NumberRange range;        ///< range of the sampled numbers other than -1; only if may_be_time
  std::optional<std::size_t>
      seconds; ///< "start_nsec": index of the column "start_sec", to whose seconds it is added

  /// Whether -1 represents a missing time: all other numbers of the sample are at least 2.
  bool minus_one_is_missing() const { return !range.empty() && range.minimum >= 2; }
};

struct Columns {
  std::vector<Column> all;
  bool has_units_row = false;
  bool mixed = false;         ///< some column of the sample holds both numbers and other texts
  bool decimal_comma = false; ///< numbers are written as "3,14"; the separator of fields is not a comma
  std::size_t unit_column = kMaxColumns; ///< column "time_unit", which states the unit of other columns in
                                         ///< each row; kMaxColumns: none
  std::int64_t sampled_rows = 0,
               sampled_bytes = 0; ///< rows of the sample, and their bytes in the file on disk
};

} // namespace jitterscope::import::table
