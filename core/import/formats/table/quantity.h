#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/import/records/units.h"

namespace jitterscope::import::table {

/// A number with its unit in the same cell ("12.5 us", "45 %", "4KiB"), or a number protected from conversion
/// by spreadsheets (="12").
struct Quantity {
  std::string_view number;
  std::string_view unit; ///< as written, empty for none
};

/// The content of a cell that is protected from conversion by spreadsheets: name of ="name". All others
/// unchanged. `cell`: without blanks at either end.
std::string_view without_formula(std::string_view cell);

/// Converts "1.234,5 W" to "1234.5 W".
std::string decimal_point(std::string_view text);

/// Nothing for every other text, including pure numbers. Letters that are more often a suffix of a name than
/// a unit ("16b", "3C") need a blank before them.
std::optional<Quantity> quantity(std::string_view cell);

/// A cell of a column of quantities, converted to the unit of the column; pure numbers are in that unit
/// already. Nothing for other texts, and for units of another kind.
std::optional<double> number_of_quantity(std::string_view cell, const Unit& column);

/// number_of_quantity() for a column of times, in whole ns, rounded half away from zero; `scale`: ns per
/// unit.
std::optional<std::int64_t> nanoseconds_of_quantity(std::string_view cell, std::int64_t scale);

} // namespace jitterscope::import::table
