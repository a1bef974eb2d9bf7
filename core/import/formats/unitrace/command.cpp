#include "core/import/formats/unitrace/command.h"

#include <charconv>

namespace jitterscope::import::unitrace {
namespace {

std::optional<std::int64_t> number_at(std::string_view& text) {
  std::int64_t number = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), number);
  if (result.ec != std::errc()) return {};
  text.remove_prefix(static_cast<std::size_t>(result.ptr - text.data()));
  return number;
}

// "{4; 1024; 1}"
std::optional<std::array<std::int64_t, 3>> extents_at(std::string_view& text) {
  std::array<std::int64_t, 3> extents = {1, 1, 1};
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const auto digits = text.find_first_of("0123456789}");
    if (digits == std::string_view::npos) return {};
    text.remove_prefix(digits);
    const auto number = number_at(text);
    if (!number) return {};
    extents[i] = *number;
  }
  const auto end = text.find('}');
  if (end == std::string_view::npos) return {};
  text.remove_prefix(end + 1);
  return extents;
}

} // namespace

bool is_api(std::string_view name) {
  return (name.starts_with("ze") || name.starts_with("cl") || name.starts_with("ur")) && name.size() > 2 &&
         name[2] >= 'A' && name[2] <= 'Z';
}

Command command_of(std::string_view written) {
  Command command{written, {}, {}, {}};
  const auto open = written.ends_with(']') ? written.rfind('[') : std::string_view::npos;
  if (open == std::string_view::npos || open == 0) return command;
  auto inside = written.substr(open + 1);
  if (inside.starts_with("SIMD")) {
    command.name = written.substr(0, open);
    inside.remove_prefix(4);
    (void)number_at(inside); // work-items of an instruction
    command.groups = extents_at(inside);
    command.group_size = extents_at(inside);
  } else if (is_api(written)) {
    command.name = written.substr(0, open);
    command.bytes = number_at(inside);
  }
  return command;
}

bool is_memory_command(std::string_view name) {
  if (!is_api(name)) return false;
  for (const std::string_view part : {"Memory", "Mem", "Buffer", "Image", "SVM"})
    if (name.find(part) != std::string_view::npos && !name.ends_with("Barrier")) return true;
  return false;
}

bool is_other_command(std::string_view name) {
  return is_api(name) && !is_memory_command(name);
}

} // namespace jitterscope::import::unitrace
