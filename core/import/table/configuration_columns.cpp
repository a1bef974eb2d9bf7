#include "core/import/table/configuration_columns.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <initializer_list>
#include <string>
#include <utility>

#include "core/import/csv/number.h"
#include "core/import/text.h"
#include "core/import/units.h"

namespace jitterscope::import::table {

ConfigurationField configuration_field(std::string_view title) {
  static constexpr std::array kExtents = {
      std::pair{"grid_x", &Configuration::grid_x},   std::pair{"grid_y", &Configuration::grid_y},
      std::pair{"grid_z", &Configuration::grid_z},   std::pair{"block_x", &Configuration::block_x},
      std::pair{"block_y", &Configuration::block_y}, std::pair{"block_z", &Configuration::block_z}};
  static constexpr std::array kOthers = {
      std::pair{"registers_per_thread", &Configuration::registers},
      std::pair{"registers", &Configuration::registers},
      std::pair{"static_shared_memory", &Configuration::static_shared_memory},
      std::pair{"dynamic_shared_memory", &Configuration::dynamic_shared_memory}};
  const auto words = slug(title);
  for (const auto& [name, field] : kOthers)
    if (words == name) return field;
  for (const auto& [name, field] : kExtents) {
    const std::string_view extent(name);
    const auto what = extent.substr(0, extent.size() - 2); // "grid"
    const auto axis = extent.substr(extent.size() - 1);    // "x"
    const std::string_view shortened = what == "grid" ? "grd" : "blk";
    for (const auto& spelt : {std::string(what), std::string(what) + "_dim", std::string(what) + "dim",
                              std::string(shortened)})
      if (words == spelt + std::string(axis) || words == spelt + "_" + std::string(axis)) return field;
  }
  return nullptr;
}

ConfigurationFields configuration_fields(std::string_view title) {
  auto words = slug(split_unit(title).title);
  if (words.starts_with("launch_")) words.erase(0, 7);
  const auto is = [&](std::initializer_list<std::string_view> whats) {
    constexpr std::array kBehind = {"",     "_size", "size", "_dim",  "dim", "_dims",
                                    "dims", "_xyz",  "xyz",  "_shape"};
    return std::any_of(whats.begin(), whats.end(), [&](std::string_view what) {
      return std::any_of(kBehind.begin(), kBehind.end(),
                         [&](const char* behind) { return words == std::string(what) + behind; });
    });
  };
  if (is({"grid", "grd"})) return {&Configuration::grid_x, &Configuration::grid_y, &Configuration::grid_z};
  if (is({"block", "blk", "thread_block", "threadblock"}))
    return {&Configuration::block_x, &Configuration::block_y, &Configuration::block_z};
  return {};
}

std::optional<std::array<std::uint32_t, 3>> parse_extents(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with("dim3")) text = trimmed(text.substr(4));
  constexpr std::array<std::string_view, 4> kBrackets = {"()", "[]", "{}", "<>"};
  const bool bracketed = text.size() > 2 && std::any_of(kBrackets.begin(), kBrackets.end(), [&](std::string_view pair) {
    return text.front() == pair[0] && text.back() == pair[1];
  });
  if (bracketed) text = trimmed(text.substr(1, text.size() - 2));
  if (bracketed && text.ends_with(',')) text = trimmed(text.substr(0, text.size() - 1)); // "(4,)"
  std::array<std::uint32_t, 3> extents = {1, 1, 1};
  std::size_t count = 0;
  while (!text.empty()) {
    const auto result = std::from_chars(text.data(), text.data() + text.size(), extents[count]);
    if (result.ec != std::errc()) return {};
    text.remove_prefix(static_cast<std::size_t>(result.ptr - text.data()));
    ++count;
    const auto rest = trimmed(text);
    if (rest.empty()) break;
    const bool separated = rest.front() == ',' || rest.front() == 'x' || rest.front() == '*' || rest.front() == ';';
    if (count == 3 || (!separated && rest.size() == text.size())) return {};
    text = separated ? trimmed(rest.substr(1)) : rest;
    if (text.empty()) return {};
  }
  return count > 1 || (count == 1 && bracketed) ? std::optional(extents) : std::nullopt;
}

} // namespace jitterscope::import::table
