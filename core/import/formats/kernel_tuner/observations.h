#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <simdjson.h>

namespace jitterscope::import::kernel_tuner {

/// What an observer saw of a configuration: power, clocks, temperature.
struct Observation {
  std::string name;
  std::string unit;           ///< that columns keep, which the values are in
  std::vector<double> values; ///< by repetition, NaN missing; a single one is of all repetitions
  std::string text;           ///< where it is no number; then there are no values
};

/// The times of the tuner itself, and what follows from a configuration's mean time.
bool is_result(std::string_view name);
bool is_derived(std::string_view name);

/// False for what is neither a number, a text nor one number for each of the repetitions. `unit`: as written,
/// empty: as Kernel Tuner's own observers measure a thing of this name.
bool observe(std::string_view name, std::string_view unit, simdjson::dom::element value,
             std::size_t repetitions, Observation& out);

} // namespace jitterscope::import::kernel_tuner
