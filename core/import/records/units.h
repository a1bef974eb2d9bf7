#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace jitterscope::import {

/// The factor that converts a value in some spelling of a unit to the unit of stored columns:
/// ns, B, Hz, B/s, W, J, V, % … Prefixes are decimal unless stated otherwise (KiB).
struct Unit {
  std::string base;  ///< unit that is stored with the column; empty for pure numbers
  double factor = 1; ///< a value times this factor is in the unit `base`
};

/// "usecond", "us", "Kbyte/block", "cycle/nsecond", "Gbyte/s", "Mhz", "MiB", "mW" … An unknown spelling
/// is kept unchanged, with factor 1.
Unit normalised_unit(std::string_view spelling);

/// ns per unit of time ("ms" 10^6), exact; nothing for anything else, including fractions of a ns.
std::optional<std::int64_t> nanoseconds_in(std::string_view spelling);

/// A column name with its unit split off: "Duration (ns)", "runtime [us]", "time_ms" have units ns, us, ms.
/// After an underscore only known units are split off; brackets always contain one, unless they are empty.
struct TitledUnit {
  std::string_view title;
  std::string_view unit; ///< unit as written, empty for none
};
TitledUnit split_unit(std::string_view title);

} // namespace jitterscope::import
