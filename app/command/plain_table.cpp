#include "app/command/plain_table.h"

#include <algorithm>
#include <filesystem>

#include "app/engine/store_cache.h"
#include "core/import/formats/table/preview.h"
#include "core/import/formats/table/table_reader.h"
#include "core/import/records/units.h"
#include "core/import/registry.h"
#include "core/import/text/text.h"

namespace jitterscope::app {
namespace {

using import::Input; // clang-format takes a line that begins with "import" for a module

// The beginning of a table up to its last whole line.
Input head_of(const Input& input) {
  auto head = input.head;
  if (!input.whole()) head.resize(head.rfind('\n') == std::string::npos ? head.size() : head.rfind('\n') + 1);
  return Input::from_memory(input.name(), std::move(head));
}

Expected<import::table::Preview> preview_of(const std::string& file, const Job& job) {
  const auto inputs = import::expand(file, job);
  if (!inputs) return forward(inputs.error());
  if (inputs->empty()) return failure(ErrorKind::BadInput, "the archive is empty", file);
  return import::table::preview(head_of(inputs->front()), {}, 0);
}

bool has_column(const nlohmann::json& columns, const std::string& name) {
  return std::any_of(columns.begin(), columns.end(),
                     [&](const auto& column) { return column.at("name") == name; });
}

} // namespace

bool is_plain_table(const std::string& file, const Job& job) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored) || looks_like_store(QString::fromStdString(file)))
    return false;
  const auto inputs = import::expand(file, job);
  if (!inputs || inputs->size() != 1) return false;
  const auto reader = import::reader_for(inputs->front());
  return reader && (*reader)->format == import::table::kReader.format;
}

bool table_has_launches(const std::string& file, const Job& job) {
  const auto preview = preview_of(file, job);
  return preview && std::any_of(preview->columns.begin(), preview->columns.end(),
                                [](const auto& column) { return column.role.has_value(); });
}

std::string column_of_launches(const nlohmann::json& columns, const std::string& given) {
  if (has_column(columns, given)) return given;
  const auto [title, unit] = import::split_unit(given);
  const auto name = import::slug(title);
  // The importer adds "recorded_" to names of its own columns ("kernel_us" in a table with "kernel").
  for (const auto& column : columns)
    for (const auto& candidate : {name, "recorded_" + name})
      if (column.at("name") == candidate && (unit.empty() || column.at("kind") == "number")) return candidate;
  return given;
}

std::string column_of_launches(const nlohmann::json& columns, const std::string& given,
                               const std::vector<std::string>& files, const Job& job) {
  const auto name = column_of_launches(columns, given);
  if (given.empty() || has_column(columns, name)) return name;
  for (const auto& file : files) {
    if (!is_plain_table(file, job)) continue;
    const auto preview = preview_of(file, job);
    for (std::size_t i = 0; preview && i < preview->columns.size(); ++i)
      if (preview->columns[i].role == import::ColumnRole::Duration && preview->columns[i].name == given)
        return "duration";
  }
  return name;
}

} // namespace jitterscope::app
