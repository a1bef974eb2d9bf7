#include "core/import/formats/tau/function_name.h"

#include <algorithm>
#include <array>
#include <optional>

#include "core/import/records/kernel_names.h"
#include "core/import/text/csv/number.h"

namespace jitterscope::import::tau {
namespace {

constexpr std::string_view kCalls = " => ", kParameters = " [ <";
constexpr std::string_view kTopLevel = ".TAU application";

// The next parameter of "<size> = <100>, <n> = <4> ]", which is removed from the text; nothing at its end.
std::optional<std::pair<std::string_view, std::string_view>> next_parameter(std::string_view& text) {
  constexpr std::string_view kBetween = "> = <";
  const auto between = text.find(kBetween), end = text.find('>', between + kBetween.size());
  if (!text.starts_with('<') || between == std::string_view::npos || end == std::string_view::npos) return {};
  const auto value = between + kBetween.size();
  const std::pair out(trimmed(text.substr(1, between - 1)), trimmed(text.substr(value, end - value)));
  text.remove_prefix(end + 1);
  text.remove_prefix(std::min(text.find('<'), text.size()));
  return out;
}

bool is_sample(std::string_view function, std::string_view groups) {
  constexpr std::array<std::string_view, 3> kGroups = {"TAU_SAMPLE", "TAU_SAMPLE_CONTEXT", "TAU_UNWIND"};
  constexpr std::array<std::string_view, 5> kNames = {"[SAMPLE]", "[CONTEXT]", "[UNWIND]", "[INTERMEDIATE]",
                                                      "[SUMMARY]"};
  return std::any_of(kGroups.begin(), kGroups.end(), [&](auto g) { return has_group(groups, g); }) ||
         std::any_of(kNames.begin(), kNames.end(), [&](auto n) { return function.starts_with(n); });
}

} // namespace

const char* to_string(RowKind kind) {
  switch (kind) {
  case RowKind::mpi:
    return "MPI call";
  case RowKind::kernel:
    return "kernel";
  case RowKind::copy:
    return "memory operation";
  case RowKind::gpu_call:
    return "GPU call";
  case RowKind::synchronisation:
    return "GPU synchronisation";
  case RowKind::idle:
    return "idle GPU";
  case RowKind::sample:
    return "sample";
  case RowKind::event:
    return "event";
  case RowKind::function:
    break;
  }
  return "function";
}

std::string FunctionName::whole_path() const {
  std::string out;
  for (const auto& caller : path) out += caller + '/';
  return out + function;
}

std::string FunctionName::variant() const {
  std::string out;
  for (const auto& [name, value] : parameters) out += (out.empty() ? "" : ", ") + name + " = " + value;
  return out;
}

NameParts parts_of(std::string_view name) {
  NameParts out;
  out.function = trimmed(name);
  if (const auto begin = out.function.rfind(kParameters);
      begin != std::string_view::npos && out.function.ends_with(']')) {
    auto parameters = out.function.substr(begin + kParameters.size() - 1);
    if (auto rest = parameters; next_parameter(rest)) {
      out.parameters = parameters;
      out.function = trimmed(out.function.substr(0, begin));
    }
  }
  if (const auto call = out.function.rfind(kCalls); call != std::string_view::npos) {
    out.callers = trimmed(out.function.substr(0, call));
    out.function = trimmed(out.function.substr(call + kCalls.size()));
  }
  return out;
}

FunctionName function_name(std::string_view name) {
  auto [callers, function, parameters] = parts_of(name);
  FunctionName out;
  out.function = std::string(function);
  while (const auto parameter = next_parameter(parameters)) out.parameters.emplace_back(*parameter);
  while (!callers.empty()) {
    const auto call = callers.find(kCalls);
    out.path.emplace_back(trimmed(callers.substr(0, call)));
    callers = call == std::string_view::npos ? std::string_view() : callers.substr(call + kCalls.size());
  }
  return out;
}

std::string_view without_place(std::string_view function) {
  auto at = function.find(" [{");
  if (at == std::string_view::npos) return function;
  auto out = trimmed(function.substr(0, at));
  if (out.ends_with(" C")) out = trimmed(out.substr(0, out.size() - 2)); // the suffix for the language
  return out.empty() ? function : out;
}

bool has_group(std::string_view groups, std::string_view group) {
  for (bool more = true; more;) {
    const auto bar = groups.find('|');
    if (trimmed(groups.substr(0, bar)) == group) return true;
    more = bar != std::string_view::npos;
    if (more) groups.remove_prefix(bar + 1);
  }
  return false;
}

RowKind kind_of(std::string_view function, std::string_view groups, bool on_gpu) {
  if (is_sample(function, groups)) return RowKind::sample;
  if (has_group(groups, "MPI") || function.starts_with("MPI_")) return RowKind::mpi;
  if (has_group(groups, "TAU_GPU_KERNEL")) return RowKind::kernel;
  if (has_group(groups, "TAU_GPU_MEMORY_COPY") || has_group(groups, "TAU_GPU_UNIFIED_MEMORY"))
    return RowKind::copy;
  if (has_group(groups, "TAU_GPU_SYNCHRONIZATION")) return RowKind::synchronisation;
  if (has_group(groups, "TAU_GPU_API")) return RowKind::gpu_call;
  if (!on_gpu) return RowKind::function;
  if (function == kTopLevel) return RowKind::idle;
  return named_memory_operation(function) ? RowKind::copy : RowKind::kernel;
}

std::string_view operation_of(std::string_view function) {
  return trimmed(function.substr(0, function.find('(')));
}

} // namespace jitterscope::import::tau
