#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/import/formats/table/column_kinds.h"

namespace jitterscope::import::table {

/// The letters and digits of a title, in lower case.
std::string plain_title(std::string_view title);

struct TimeTitle {
  std::string title;                 ///< plain_title() of the column name without its unit
  std::optional<std::int64_t> scale; ///< ns per unit, nothing for no unit
  bool other_unit = false;           ///< the column states a unit that is not a unit of time
};

/// Also recognises a unit at the end of a name: "BeginNs".
TimeTitle time_title(const Column& column);

/// True for the titles of columns with starts, and with ends: "starttime", "stop". `title`: as in TimeTitle.
bool is_start_title(std::string_view title);
bool is_end_title(std::string_view title);

} // namespace jitterscope::import::table
