#include "tests/core/import/trace_text.h"

#include <fmt/format.h>

namespace jitterscope::import {
namespace {

std::string resource_path(const store::TraceData& data, std::uint32_t row) {
  std::string path;
  for (; row != kNone; row = data.resources[row].parent)
    path =
        fmt::format("/{}:{}{}", static_cast<int>(data.resources[row].kind), data.resources[row].number, path);
  return path;
}

std::string cell(const store::TraceData& data, const std::string& column, std::uint32_t value) {
  if (value == kNone) return "-";
  if (column == "name" || column == "short_name" || column == "domain" || column == "unit")
    return data.strings[StringId{value}];
  if (column == "stream" || column == "thread" || column == "device") return resource_path(data, value);
  return std::to_string(value);
}

std::string cell(const store::TraceData&, const std::string&, std::uint8_t value) {
  return std::to_string(static_cast<int>(value));
}

template <class Number>
std::string cell(const store::TraceData&, const std::string&, Number value) {
  return fmt::format("{}", value);
}

} // namespace

std::string table_text(const store::TraceData& data, const store::Table& table) {
  std::string text = table.name;
  for (const auto& column : table.columns) text += fmt::format(" {}[{}]", column.name, column.unit);
  for (std::size_t row = 0; row < table.rows(); ++row) {
    text += '\n';
    for (const auto& column : table.columns)
      text += std::visit([&](const auto& values) { return cell(data, column.name, values[row]); },
                         column.values) +
              ' ';
  }
  return text;
}

std::string resources_text(const store::TraceData& data) {
  std::string text;
  for (std::uint32_t row = 0; row < data.resources.size(); ++row) {
    const auto& r = data.resources[row];
    text += fmt::format("{} \"{}\" rank {} physical {}\n", resource_path(data, row), r.name, r.rank,
                        r.physical == kNone ? "-" : resource_path(data, r.physical));
  }
  return text;
}

} // namespace jitterscope::import
