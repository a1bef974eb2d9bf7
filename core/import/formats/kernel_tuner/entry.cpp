#include "core/import/formats/kernel_tuner/entry.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/import/records/units.h"
#include "core/import/text/text.h"

namespace jitterscope::import::kernel_tuner {
namespace {

using simdjson::dom::element;

constexpr std::int64_t kMaxSum = 1'000'000'000'000'000'000; // maximum sum of times [ns], against overflow
constexpr double kMaxTime =
    1e18; // maximum valid time [ns]; Kernel Tuner wrote 1e20 ms for configurations that failed
constexpr const char* kWithoutTime = "without time";

// Words of Kernel Tuner ("…Config"), of the T4 form (lower case) and of KTT.
constexpr std::array kFailures = {std::pair{"CompilationFailedConfig", "failed-configuration-compilation"},
                                  std::pair{"compile", "failed-configuration-compilation"},
                                  std::pair{"CompilationFailed", "failed-configuration-compilation"},
                                  std::pair{"RuntimeFailedConfig", "failed-configuration-runtime"},
                                  std::pair{"runtime", "failed-configuration-runtime"},
                                  std::pair{"ComputationFailed", "failed-configuration-runtime"},
                                  std::pair{"InvalidConfig", "failed-configuration-constraints"},
                                  std::pair{"constraints", "failed-configuration-constraints"},
                                  std::pair{"DeviceLimitsExceeded", "failed-configuration-constraints"},
                                  std::pair{"correctness", "failed-configuration-result"},
                                  std::pair{"ValidationFailed", "failed-configuration-result"},
                                  std::pair{"timeout", "failed-configuration-timeout"},
                                  std::pair{kWithoutTime, "failed-configuration-without-time"}};

std::optional<double> number(element value) {
  double out = 0;
  if (value.is_bool()) return value.get_bool().value() ? 1.0 : 0.0;
  if (!value.is_number() || value.get_double().get(out) || !std::isfinite(out)) return {};
  return out;
}

void add_parameter(std::string_view name, element value, Entry& entry) {
  if (const auto scalar = number(value)) {
    entry.parameters.push_back({clean_text(name), *scalar});
    return;
  }
  std::string_view text;
  if (!value.get_string().get(text)) entry.parameters.push_back({clean_text(name), clean_text(text)});
}

std::optional<std::int64_t> nanoseconds(element value, std::int64_t scale) {
  const auto time = number(value);
  if (!time || value.is_bool() || *time < 0 || *time * static_cast<double>(scale) > kMaxTime) return {};
  return std::llround(*time * static_cast<double>(scale));
}

void add_times(element value, std::int64_t scale, Entry& entry) {
  simdjson::dom::array repetitions;
  if (value.get_array().get(repetitions)) return;
  for (auto repetition : repetitions) entry.times.push_back(nanoseconds(repetition, scale));
}

// Sizes of the grid in blocks and of the block, as written by KTT for CUDA.
void add_extents(element function, Entry& entry) {
  const auto extents = [&](const char* key, std::array<std::uint32_t, 3>& into) {
    const char* const axes[] = {"X", "Y", "Z"};
    for (std::size_t axis = 0; axis < into.size(); ++axis)
      if (std::uint64_t extent = 0;
          !function[key][axes[axis]].get_uint64().get(extent) && extent <= 0xFFFFFFFF)
        into[axis] = static_cast<std::uint32_t>(extent);
  };
  extents("GlobalSize", entry.grid);
  extents("LocalSize", entry.block);
}

// Python writes NaN and Infinity, which are not JSON.
std::string without_python_numbers(std::string_view text) {
  std::string out;
  bool quoted = false;
  for (std::size_t at = 0; at < text.size();) {
    if (quoted && text[at] == '\\') {
      out += text.substr(at, 2);
      at += 2;
      continue;
    }
    if (text[at] == '"') quoted = !quoted;
    bool replaced = false;
    for (const std::string_view word : {"NaN", "-Infinity", "Infinity"})
      if (!quoted && !replaced && text.substr(at).starts_with(word)) {
        out += "null";
        at += word.size();
        replaced = true;
      }
    if (!replaced) out += text[at++];
  }
  return out;
}

} // namespace

std::string_view failure_code(std::string_view failure) {
  for (const auto& [words, code] : kFailures)
    if (failure == words) return code;
  return "failed-configuration-other";
}

bool EntryParser::parse_cache(simdjson::dom::object object, const Stated& stated, Entry& entry) {
  const auto& names = stated.parameters;
  element time;
  const bool has_time = !object["time"].get(time);
  const auto is_parameter = [&](std::string_view name, element value) {
    if (names.empty()) return !is_result(name) && !is_derived(name) && !value.is_array();
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  for (auto [name, value] : object)
    if (is_parameter(name, value)) add_parameter(name, value, entry);
  std::string_view kind;
  if (has_time && !time.get_string().get(kind)) {
    entry.failure = clean_text(kind.substr(0, 60));
    if (element times; !object["times"].get(times)) add_times(times, stated.time_ns, entry);
    return true;
  }
  if (element times; !object["times"].get(times)) add_times(times, stated.time_ns, entry);
  if (entry.times.empty() && has_time) entry.times.push_back(nanoseconds(time, stated.time_ns));
  if (std::none_of(entry.times.begin(), entry.times.end(), [](const auto& t) { return t.has_value(); }))
    entry.failure = kWithoutTime;
  for (auto [name, value] : object)
    if (!is_parameter(name, value) && !is_result(name)) add_observation(name, {}, value, entry);
  return true;
}

void EntryParser::add_observation(std::string_view name, std::string_view unit, element value, Entry& entry) {
  Observation observation;
  if (is_derived(name))
    entry.derived.push_back(clean_text(name));
  else if (observe(name, unit, value, entry.times.size(), observation))
    entry.observations.push_back(std::move(observation));
  else
    entry.unread.push_back(clean_text(name));
}

namespace {

// KTT has its own name for the time of a configuration; others use the name of the objective.
bool is_time(std::string_view name, std::string_view unit, simdjson::dom::object object) {
  if (name == "time" || name == "TotalDuration") return true;
  simdjson::dom::array objectives;
  if (!nanoseconds_in(unit) || object["objectives"].get_array().get(objectives)) return false;
  return std::any_of(objectives.begin(), objectives.end(), [&](element objective) {
    std::string_view one;
    return !objective.get_string().get(one) && one == name;
  });
}

} // namespace

bool EntryParser::parse_t4(simdjson::dom::object object, simdjson::dom::object configuration,
                           const Stated& stated, Entry& entry) {
  for (auto [name, value] : configuration) add_parameter(name, value, entry);
  std::int64_t scale = stated.time_ns;
  element measured;
  bool has_time = false;
  simdjson::dom::array measurements;
  const bool has_measurements = !object["measurements"].get_array().get(measurements);
  if (has_measurements)
    for (auto measurement : measurements) {
      std::string_view name, unit;
      if (measurement["unit"].get_string().get(unit)) unit = {};
      if (has_time || measurement["name"].get_string().get(name) || !is_time(name, unit, object)) continue;
      has_time = !measurement["value"].get(measured);
      scale = nanoseconds_in(unit).value_or(scale);
    }
  if (element runtimes; !object["times"]["runtimes"].get(runtimes)) add_times(runtimes, scale, entry);
  std::string_view invalidity;
  if (!object["invalidity"].get_string().get(invalidity) && invalidity != "correct" && !invalidity.empty()) {
    entry.failure = clean_text(invalidity.substr(0, 60));
    return true;
  }
  if (entry.times.empty() && has_time) entry.times.push_back(nanoseconds(measured, scale));
  if (std::none_of(entry.times.begin(), entry.times.end(), [](const auto& t) { return t.has_value(); }))
    entry.failure = kWithoutTime;
  if (!has_measurements) return true;
  for (auto measurement : measurements) {
    std::string_view name, unit;
    element value;
    if (measurement["name"].get_string().get(name) || measurement["value"].get(value) || is_result(name))
      continue;
    if (measurement["unit"].get_string().get(unit)) unit = {};
    if (is_time(name, unit, object)) continue;
    add_observation(name, unit, value, entry);
  }
  return true;
}

// KTT's own format: a configuration runs one or several kernel functions, one after the other.
bool EntryParser::parse_ktt(simdjson::dom::object object, simdjson::dom::array configuration,
                            const Stated& stated, Entry& entry) {
  for (auto pair : configuration) {
    std::string_view name;
    element value;
    if (!pair["Name"].get_string().get(name) && !pair["Value"].get(value)) add_parameter(name, value, entry);
  }
  std::string_view text;
  if (!object["KernelName"].get_string().get(text)) entry.kernel = clean_text(text);
  if (!object["Status"].get_string().get(text) && text != "Ok") {
    entry.failure = clean_text(text.substr(0, 60));
    return true;
  }
  std::optional<std::int64_t> time;
  simdjson::dom::array functions;
  if (!object["ComputationResults"].get_array().get(functions))
    for (auto function : functions) {
      element duration;
      const auto lasted =
          function["Duration"].get(duration) ? std::nullopt : nanoseconds(duration, stated.time_ns);
      if (lasted) time = std::min(time.value_or(0), kMaxSum) + *lasted;
      if (functions.size() == 1) add_extents(function, entry);
    }
  element total;
  if (!time && !object["TotalDuration"].get(total)) time = nanoseconds(total, stated.time_ns);
  if (time)
    entry.times.push_back(time);
  else
    entry.failure = kWithoutTime;
  return true;
}

bool EntryParser::parse(std::string_view text, const Stated& stated, Entry& entry) {
  entry = {};
  element root;
  if (parser_.parse(text.data(), text.size(), true).get(root)) {
    scratch_ = without_python_numbers(text);
    if (parser_.parse(scratch_).get(root)) return false;
  }
  simdjson::dom::object object, configuration;
  if (root.get_object().get(object)) return false;
  if (!object["configuration"].get_object().get(configuration))
    return parse_t4(object, configuration, stated, entry);
  if (simdjson::dom::object parameters; !object["parameters"].get_object().get(parameters)) { // CLTune
    for (auto [name, value] : parameters) add_parameter(name, value, entry);
    if (std::string_view kernel; !object["kernel"].get_string().get(kernel))
      entry.kernel = clean_text(kernel);
    if (element time; !object["time"].get(time)) entry.times.push_back(nanoseconds(time, stated.time_ns));
    if (entry.times.empty() || !entry.times.front()) entry.failure = kWithoutTime;
    return true;
  }
  if (simdjson::dom::array pairs; !object["Configuration"].get_array().get(pairs))
    return parse_ktt(object, pairs, stated, entry);
  return parse_cache(object, stated, entry);
}

} // namespace jitterscope::import::kernel_tuner
