#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/import/formats/table/shape.h"
#include "core/import/records/attribute_column.h"

namespace jitterscope::import::table {

inline constexpr std::size_t kMostColumns = 65'536;

/// What a column holds, judged by a sample of its cells.
struct Column {
  enum class Kind { Unknown, Number, Text };
  std::string title; ///< without its unit, unlike all others
  std::string unit;  ///< as written
  Kind kind = Kind::Unknown;
  bool untitled = false;
  bool whole = true;       ///< all numbers of the sample are written as whole ones
  bool integral = true;    ///< all are whole, also those written "64.0", as pandas does beside missing values
  bool quantities = false; ///< units stand in the cells (quantity.h)
  bool unit_in_row = false; ///< times in the unit that Columns::unit_column says, kept in ns
  bool extents = false;     ///< texts of a grid or block, as parse_extents() reads them
  bool dates = false;       ///< texts that say a day and a time of it, as parse_date_time() reads them
  std::optional<std::size_t>
      seconds; ///< "start_nsec": the column "start_sec" to whose seconds this is to be added
};

struct Columns {
  std::vector<Column> all;
  bool has_units_row = false;
  bool mixed = false;         ///< some column of the sample holds numbers and other texts
  bool decimal_comma = false; ///< "3,14" where fields are separated by something else
  std::size_t unit_column =
      kMostColumns; ///< "time_unit": says in each row the unit of others; kMostColumns: none
  std::int64_t sampled_rows = 0, sampled_bytes = 0; ///< of the file on disk: what the judgement rests on
};

} // namespace jitterscope::import::table
