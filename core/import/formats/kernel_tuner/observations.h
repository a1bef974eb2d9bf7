#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <simdjson.h>

namespace jitterscope::import::kernel_tuner {

/// An observer's measurement of a configuration: power, clocks, temperature.
struct Observation {
  std::string name;
  std::string unit;           ///< the unit of the values and of their column
  std::vector<double> values; ///< by repetition, NaN if missing; a single one applies to all repetitions
  std::string text;           ///< the measurement if it is not a number; `values` is then empty
};

/// True for the times and the error of a configuration and for times of the tuner itself; is_derived(): for
/// values computed from a configuration's mean time.
bool is_result(std::string_view name);
bool is_derived(std::string_view name);

/// False for values that are neither a number, a text nor one number per repetition. `unit`: as written;
/// empty: the unit that Kernel Tuner's own observers use for this name.
bool observe(std::string_view name, std::string_view unit, simdjson::dom::element value,
             std::size_t repetitions, Observation& out);

} // namespace jitterscope::import::kernel_tuner
