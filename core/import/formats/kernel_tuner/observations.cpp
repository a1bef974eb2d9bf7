#include "core/import/formats/kernel_tuner/observations.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "core/import/records/units.h"
#include "core/import/text/text.h"

namespace jitterscope::import::kernel_tuner {
namespace {

// Results of a configuration, which are not parameters.
constexpr std::array kResults = {"time",           "times",         "compile_time",   "verification_time",
                                 "benchmark_time", "strategy_time", "framework_time", "timestamp",
                                 "__error__"};

// kernel_tuner/observers: NVML reports clocks in MHz, PMT and PowerSensor report J and W.
constexpr std::array kUnits = {std::pair{"_power", "W"},       std::pair{"_energy", "J"},
                               std::pair{"core_freq", "MHz"},  std::pair{"mem_freq", "MHz"},
                               std::pair{"temperature", "°C"}, std::pair{"gr_voltage", "mV"}};

std::string_view unit_of(std::string_view name) {
  for (const auto& [ending, unit] : kUnits)
    if (name.ends_with(ending)) return unit;
  return {};
}

double number_or_missing(simdjson::dom::element value) {
  double out = 0;
  return value.is_number() && !value.get_double().get(out) && std::isfinite(out)
             ? out
             : std::numeric_limits<double>::quiet_NaN();
}

} // namespace

bool is_result(std::string_view name) {
  return std::find(kResults.begin(), kResults.end(), name) != kResults.end();
}

bool is_derived(std::string_view name) {
  return name.ends_with("FLOP/s") || name.ends_with("FLOPS") || name.ends_with("FLOPS/W") ||
         name.ends_with("B/s");
}

bool observe(std::string_view name, std::string_view unit, simdjson::dom::element value,
             std::size_t repetitions, Observation& out) {
  const auto kept = normalised_unit(unit.empty() ? unit_of(name) : unit);
  out = {clean_text(name), kept.base, {}, {}};
  if (simdjson::dom::array list; !value.get_array().get(list)) {
    for (auto one : list) {
      if (!one.is_number() && !one.is_null()) return false;
      out.values.push_back(number_or_missing(one) * kept.factor);
    }
    return out.values.size() == repetitions;
  }
  if (std::string_view text; !value.get_string().get(text)) {
    out.text = clean_text(text);
    return !out.text.empty();
  }
  if (value.is_bool()) {
    out.values = {value.get_bool().value() ? 1.0 : 0.0};
    return true;
  }
  out.values = {number_or_missing(value) * kept.factor};
  return value.is_number() || value.is_null();
}

} // namespace jitterscope::import::kernel_tuner
