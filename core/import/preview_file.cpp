#include "core/import/preview_file.h"

#include <filesystem>

#include "core/import/formats/device_log/device_log_reader.h"
#include "core/import/formats/table/json_records.h"
#include "core/import/formats/table/table_reader.h"
#include "core/import/registry.h"

namespace jitterscope::import {

Expected<std::optional<table::Preview>> preview_file(const std::string& path, const ImportOptions& options) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return std::nullopt;
  auto input = file_alone(path);
  auto reader = input ? reader_for(*input) : Expected<const Reader*>(nullptr);
  if (!reader || !*reader || (*reader)->format != table::kReader.format) return std::nullopt;
  if ((*reader)->read != &table::read) { // records of JSON
    auto records = table::first_json_records(*input);
    if (!records) return forward(records.error());
    if (*records) input = std::move(**records);
    reader = reader_for(*input);
    if (!reader || (*reader)->read != &table::read) return std::nullopt;
  }
  auto shown = table::preview(*input, options);
  if (!shown) return forward(shown.error());
  return std::optional(std::move(*shown));
}

bool is_log_next_to_a_trace(const std::string& path) {
  std::error_code ignored;
  const auto input = std::filesystem::is_regular_file(path, ignored) ? file_alone(path) : std::nullopt;
  const auto reader = input ? reader_for(*input) : Expected<const Reader*>(nullptr);
  return reader && *reader && (*reader)->read == &table::read && device_log::is_table_of_samples(*input, {});
}

} // namespace jitterscope::import
