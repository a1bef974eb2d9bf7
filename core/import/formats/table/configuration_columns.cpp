#include "core/import/formats/table/configuration_columns.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <map>
#include <string>

#include "core/import/records/units.h"
#include "core/import/text/csv/number.h"
#include "core/import/text/text.h"

namespace jitterscope::import::table {

namespace {

constexpr ConfigurationFields kGrid = {&Configuration::grid_x, &Configuration::grid_y,
                                       &Configuration::grid_z};
constexpr ConfigurationFields kBlock = {&Configuration::block_x, &Configuration::block_y,
                                        &Configuration::block_z};

// "grid_x", "grid_dim_x", "griddimx", "grd_x" …: slugs of column names.
std::map<std::string, ConfigurationField, std::less<>> names_of_fields() {
  std::map<std::string, ConfigurationField, std::less<>> names = {
      {"registers_per_thread", &Configuration::registers},
      {"registers", &Configuration::registers},
      {"static_shared_memory", &Configuration::static_shared_memory},
      {"dynamic_shared_memory", &Configuration::dynamic_shared_memory}};
  const auto add = [&](const char* what, const ConfigurationFields& fields) {
    for (const std::string join : {"", "_"})
      for (std::size_t axis = 0; axis < 3; ++axis) names.emplace(what + join + "xyz"[axis], fields[axis]);
  };
  for (const auto* what : {"grid", "grid_dim", "griddim", "grd"}) add(what, kGrid);
  for (const auto* what : {"block", "block_dim", "blockdim", "blk"}) add(what, kBlock);
  return names;
}

// "grid", "grid_size", "blockdim" …: names of columns with all three extents.
std::map<std::string, ConfigurationFields, std::less<>> names_of_extents() {
  std::map<std::string, ConfigurationFields, std::less<>> names;
  const auto add = [&](const std::string& what, const ConfigurationFields& fields) {
    for (const auto* behind : {"", "_size", "size", "_dim", "dim", "_dims", "dims", "_xyz", "xyz", "_shape"})
      names.emplace(what + behind, fields);
  };
  for (const auto* what : {"grid", "grd"}) add(what, kGrid);
  for (const auto* what : {"block", "blk", "thread_block", "threadblock"}) add(what, kBlock);
  return names;
}

template <class Value>
Value found_in(const std::map<std::string, Value, std::less<>>& names, std::string_view name) {
  const auto found = names.find(name);
  return found == names.end() ? Value{} : found->second;
}

} // namespace

ConfigurationField configuration_field(std::string_view title) {
  static const auto kNames = names_of_fields();
  return found_in(kNames, slug(title));
}

ConfigurationFields configuration_fields(std::string_view title) {
  static const auto kNames = names_of_extents();
  const auto words = slug(split_unit(title).title);
  return found_in(kNames, std::string_view(words).substr(words.starts_with("launch_") ? 7 : 0));
}

std::span<const ConfigurationFields> dimensions() {
  static constexpr std::array kDimensions = {kGrid, kBlock};
  return kDimensions;
}

std::optional<std::array<std::uint32_t, 3>> parse_extents(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with("dim3")) text = trimmed(text.substr(4));
  constexpr std::array<std::string_view, 4> kBrackets = {"()", "[]", "{}", "<>"};
  const bool bracketed =
      text.size() > 2 && std::any_of(kBrackets.begin(), kBrackets.end(), [&](std::string_view pair) {
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
    const bool separated =
        rest.front() == ',' || rest.front() == 'x' || rest.front() == '*' || rest.front() == ';';
    if (count == 3 || (!separated && rest.size() == text.size())) return {};
    text = separated ? trimmed(rest.substr(1)) : rest;
    if (text.empty()) return {};
  }
  return count > 1 || (count == 1 && bracketed) ? std::optional(extents) : std::nullopt;
}

} // namespace jitterscope::import::table
