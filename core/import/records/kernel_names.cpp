#include "core/import/records/kernel_names.h"

#include <cstdlib>
#include <memory>
#include <utility>

#include <cxxabi.h>

#include "core/import/records/events.h"
#include "core/import/text/text.h"

namespace jitterscope::import {
namespace {

constexpr std::string_view kAnonymous = "(anonymous namespace)";
constexpr std::string_view kUnnamed = "<unnamed>::"; // as written by Nsight Compute
// The demangler's time may grow much faster than the name; no compiler writes longer ones.
constexpr std::size_t kMaxMangled = 16'384;

std::string_view without_blanks_behind(std::string_view text) {
  const auto end = text.find_last_not_of(" \t\r\n");
  return text.substr(0, end == std::string_view::npos ? 0 : end + 1);
}

std::string_view without_object_suffix(std::string_view name) {
  name = without_blanks_behind(name);
  for (const std::string_view suffix : {"[clone .kd]", "(.kd)", ".kd"})
    if (name.size() > suffix.size() && name.ends_with(suffix))
      return without_blanks_behind(name.substr(0, name.size() - suffix.size()));
  return name;
}

std::string demangled(const std::string& name) {
  if (!name.starts_with("_Z") || name.size() > kMaxMangled) return name;
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 && text ? std::string(text.get()) : name;
}

// The text outside all brackets and before the parameters.
std::string outside_brackets(std::string_view name) {
  std::string out;
  int depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (depth == 0 && name.substr(i).starts_with(kAnonymous)) {
      i += kAnonymous.size() - 1;
      continue;
    }
    if (c == '(' && depth == 0) break;
    if (c == '<' || c == '{' || c == '(' || c == '[')
      ++depth;
    else if (c == '>' || c == '}' || c == ')' || c == ']')
      depth -= depth > 0;
    else if (depth == 0)
      out += c;
  }
  return out;
}

} // namespace

std::string readable_kernel_name(std::string_view recorded) {
  return clean_text(demangled(std::string(without_object_suffix(recorded))));
}

std::string short_kernel_name(std::string_view readable) {
  if (readable.starts_with(kUnnamed)) readable.remove_prefix(kUnnamed.size());
  if (readable.starts_with('<')) return std::string(readable); // not template arguments
  const auto outside = outside_brackets(readable);
  std::string_view rest = without_blanks_behind(outside);
  if (const auto blank = rest.find_last_of(' '); blank != std::string_view::npos)
    rest = rest.substr(blank + 1);
  if (const auto scope = rest.rfind("::"); scope != std::string_view::npos) rest = rest.substr(scope + 2);
  return rest.empty() || rest.starts_with("operator") ? std::string(readable) : std::string(rest);
}

std::optional<store::TransferKind> memory_operation_of(std::string_view readable) {
  constexpr std::string_view kRuntime = "__amd_rocclr_";
  if (!readable.starts_with(kRuntime)) return {};
  const auto what = readable.substr(kRuntime.size());
  if (what.starts_with("copy")) return store::TransferKind::DeviceToDevice;
  if (what.starts_with("fill")) return store::TransferKind::Memset;
  return {};
}

std::optional<store::TransferKind> named_memory_operation(std::string_view name) {
  using enum store::TransferKind;
  const auto has = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
  const auto is_or_begins = [&](std::string_view word) {
    return name.starts_with(word) && (name.size() == word.size() || name[word.size()] == ' ');
  };
  const bool in_brackets = name.starts_with('[') && name.ends_with(']') &&
                           (has("memcpy") || has("memset") || has("Memcpy") || has("Memset"));
  if (in_brackets || is_or_begins("Memcpy") || is_or_begins("Memset") || name == "FillBuffer" ||
      (name.starts_with("Copy") && (has("ToHost") || has("ToDevice")) && copy_kind(name) != Unknown)) {
    const auto kind = copy_kind(name);
    if (!has("Unified")) return kind;
    return kind == HostToDevice   ? MigrationHostToDevice
           : kind == DeviceToHost ? MigrationDeviceToHost
                                  : MigrationDeviceToDevice;
  }
  return memory_operation_of(name);
}

const KernelNames::Known& KernelNames::of(std::string_view recorded) {
  if (const auto found = known_.find(recorded); found != known_.end()) return found->second;
  std::string key(recorded); // `recorded` may refer to a text of the draft, which moves when a text is added
  const auto readable = readable_kernel_name(key);
  Kernel kernel;
  kernel.name = draft_.strings.intern(readable).value;
  kernel.short_name = draft_.strings.intern(short_kernel_name(readable)).value;
  Known known{draft_.kernel(kernel), memory_operation_of(readable)};
  return known_.emplace(std::move(key), known).first->second;
}

} // namespace jitterscope::import
