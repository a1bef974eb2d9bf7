#include "core/import/records/kernel_names.h"

#include <cstdlib>
#include <memory>
#include <optional>
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

/// A name split at its first brackets.
struct Signature {
  std::string outside; ///< text outside all brackets and before the parameters
  bool template_arguments = false;
  bool other_brackets = false;                ///< { } or [ ] before the parameters
  std::optional<std::string_view> parameters; ///< without the parentheses; nullopt: none
  std::string_view rest;                      ///< text after the parameters
};

Signature split(std::string_view name) {
  Signature found;
  int depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (depth == 0 && !found.parameters && name.substr(i).starts_with(kAnonymous)) {
      i += kAnonymous.size() - 1;
      continue;
    }
    const bool opens = c == '<' || c == '{' || c == '(' || c == '[',
               closes = c == '>' || c == '}' || c == ')' || c == ']';
    if (depth == 0 && c == '(') {
      found.parameters = name.substr(i + 1); // of a truncated name: all of the rest
      for (std::size_t j = i, inside = 0; j < name.size(); ++j) {
        if (name[j] == '(') ++inside;
        if (name[j] != ')' || --inside > 0) continue;
        found.parameters = name.substr(i + 1, j - i - 1);
        found.rest = name.substr(j + 1);
        break;
      }
      return found;
    }
    if (depth == 0 && opens) (c == '<' ? found.template_arguments : found.other_brackets) = true;
    if (opens)
      ++depth;
    else if (closes)
      depth -= depth > 0;
    else if (depth == 0)
      found.outside += c;
  }
  return found;
}

bool is_of_identifier(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' ||
         c == '.' || static_cast<unsigned char>(c) >= 0x80;
}

bool is_numeral(char c) {
  return c >= '0' && c <= '9';
}

/// Whether the text can be a list of parameter types: "", "float const*, int", "...", not "3x3" or "#2".
bool are_types(std::string_view parameters) {
  const auto first = parameters.find_first_not_of(' ');
  if (first == std::string_view::npos) return true;
  const char c = parameters[first];
  return (is_of_identifier(c) && !is_numeral(c)) || c == '(' || c == ':' || c == '{' || c == '<';
}

/// Whether C++ allows the text after the parameters: qualifiers, a clone's suffix, a function inside.
bool is_after_parameters(std::string_view rest) {
  const auto first = rest.find_first_not_of(' ');
  if (first == std::string_view::npos) return true;
  rest.remove_prefix(first);
  if (rest.starts_with("::") || rest.front() == '[' || rest.front() == '.' || rest.front() == '&')
    return true;
  return rest.starts_with("const") || rest.starts_with("volatile") || rest.starts_with("noexcept");
}

/// Whether the text before a function's name can be its return type. The names of functions that are no
/// templates have a return type only in sources, where it is mostly a type of the language.
bool is_return_type(std::string_view before, bool of_template) {
  for (const char c : before)
    if (!is_of_identifier(c) && c != ' ' && c != ':' && c != '*' && c != '&') return false;
  if (before.empty() || is_numeral(before.front())) return false;
  if (of_template) return true;
  const auto word = before.substr(0, before.find_first_of(" *&"));
  for (const std::string_view known :
       {"void", "bool", "char", "short", "int", "long", "unsigned", "signed", "float", "double", "auto",
        "const", "static", "inline", "extern", "__global__", "__kernel", "kernel"})
    if (word == known) return true;
  return false;
}

/// Whether a name is a function of C++, of which parts can be left out without loss.
bool is_signature(const Signature& of) {
  if (of.parameters && (!are_types(*of.parameters) || !is_after_parameters(of.rest))) return false;
  if (of.other_brackets && !of.parameters && !of.template_arguments) return false;
  const auto name = without_blanks_behind(of.outside);
  const auto blank = name.find_last_of(' ');
  if (blank == std::string_view::npos) return true;
  if (name.size() < of.outside.size()) return false; // "conv 3 (fast)": C++ has no blank there
  const auto function = name.substr(blank + 1);
  if (is_numeral(function.front())) return false;
  for (const char c : function)
    if (!is_of_identifier(c) && c != ':' && c != '~') return false;
  return (of.parameters || of.template_arguments) &&
         is_return_type(without_blanks_behind(name.substr(0, blank)), of.template_arguments);
}

} // namespace

std::string readable_kernel_name(std::string_view recorded) {
  return clean_text(demangled(std::string(without_object_suffix(recorded))));
}

std::string short_kernel_name(std::string_view readable) {
  if (readable.starts_with(kUnnamed)) readable.remove_prefix(kUnnamed.size());
  if (readable.starts_with('<')) return std::string(readable); // not template arguments
  const auto signature = split(readable);
  if (!is_signature(signature)) return std::string(readable);
  std::string_view rest = without_blanks_behind(signature.outside);
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
