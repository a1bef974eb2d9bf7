#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/import/records/units.h"

namespace jitterscope::import::table {

/// A number whose unit stands beside it in the cell, "12.5 us", "45 %", "4KiB", or one that spreadsheets are
/// told not to touch, ="12".
struct Quantity {
  std::string_view number;
  std::string_view unit; ///< as written, empty for none
};

/// What a cell says that spreadsheets are told not to touch: name of ="name". All others as they are. `cell`:
/// without blanks at either end.
std::string_view without_formula(std::string_view cell);

/// Nothing for every other text, pure numbers included. Letters that alone are more often a name than a unit
/// ("16b", "3C") need a blank before them.
std::optional<Quantity> quantity(std::string_view cell);

/// A cell of a column that holds quantities in the unit of the column; pure numbers have the latter. Nothing
/// for what is neither, and for units of something else.
std::optional<double> number_of_quantity(std::string_view cell, const Unit& column);

/// The same of a column of times in whole ns, half away from zero; `scale`: ns of the column's unit.
std::optional<std::int64_t> nanoseconds_of_quantity(std::string_view cell, std::int64_t scale);

} // namespace jitterscope::import::table
