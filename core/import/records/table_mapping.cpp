#include "core/import/records/table_mapping.h"

#include <algorithm>

#include <fmt/core.h>

#include "core/base/text_pattern.h"
#include "core/store/format/analysis_rows.h"

namespace jitterscope::import {
namespace {

using namespace std::string_view_literals;

constexpr std::array<std::string_view, kColumnRoles> kNames = {"kernel"sv, "start"sv,  "end"sv, "duration"sv,
                                                               "device"sv, "stream"sv, "rank"sv};
constexpr auto kUnit = "unit:"sv, kRows = "rows"sv, kSamples = "samples"sv,
               kCollectives = "collective_kernels"sv;

tl::unexpected<Error> bad_entry(const std::string& entry) {
  return failure(ErrorKind::BadUse, fmt::format("\"{}\" is not a mapping of a column", entry), {}, {},
                 "Write ROLE=COLUMN, where ROLE is kernel, start, end, duration, device, stream or rank, or "
                 "unit:COLUMN=UNIT, or samples=COLUMN for the times of a log. For all files, write "
                 "rows=launches, bursts, ranges or calls, or collective_kernels=REGEX.");
}

} // namespace

std::string_view to_string(ColumnRole role) {
  return kNames[static_cast<std::size_t>(role)];
}

Expected<TableMapping> parse_mapping(std::span<const std::string> entries) {
  TableMapping mapping;
  for (const auto& entry : entries) {
    const bool unit = entry.starts_with(kUnit);
    const auto equals = unit ? entry.rfind('=') : entry.find('=');
    if (equals == std::string::npos) return bad_entry(entry);
    const auto key = entry.substr(0, equals), value = entry.substr(equals + 1);
    if (unit) {
      mapping.units[key.substr(kUnit.size())] = value;
      continue;
    }
    if (key == kRows) { // applies to every file, not to columns: rows_of_mapping()
      if (!store::analysis_rows_from(value)) return bad_entry(entry);
      continue;
    }
    if (key == kCollectives) {
      if (auto pattern = TextPattern::of(value); !pattern)
        return failure(ErrorKind::BadUse, pattern.error().message, {}, entry, pattern.error().hint);
      mapping.collective_kernels = value;
      continue;
    }
    if (key == kSamples) {
      mapping.samples = value;
      continue;
    }
    const auto role = std::find(kNames.begin(), kNames.end(), key);
    if (role == kNames.end()) return bad_entry(entry);
    mapping.columns[static_cast<std::size_t>(role - kNames.begin())] = value;
  }
  return mapping;
}

std::vector<std::string> entries_of(const TableMapping& mapping) {
  std::vector<std::string> entries;
  for (std::size_t role = 0; role < kColumnRoles; ++role)
    if (mapping.columns[role]) entries.push_back(fmt::format("{}={}", kNames[role], *mapping.columns[role]));
  if (mapping.samples) entries.push_back(fmt::format("{}={}", kSamples, *mapping.samples));
  if (mapping.collective_kernels)
    entries.push_back(fmt::format("{}={}", kCollectives, *mapping.collective_kernels));
  for (const auto& [column, unit] : mapping.units)
    entries.push_back(fmt::format("{}{}={}", kUnit, column, unit));
  return entries;
}

} // namespace jitterscope::import
