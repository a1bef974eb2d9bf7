#pragma once

#include <cstdint>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "core/import/import.h"
#include "core/store/format/store.h"
#include "core/store/trace/trace_data.h"
#include "tests/support/real_data.h"

namespace jitterscope::import {

/// Imports files that are known to be valid; an error fails the test with its text.
inline store::TraceData import_good(const std::vector<std::string>& files) {
  auto data = import_files(files, Job{});
  if (!data) ADD_FAILURE() << describe(data.error());
  return data ? std::move(*data) : store::TraceData{};
}

template <class T>
const SpillVector<T>& column(const store::TraceData& data, std::string_view table, std::string_view name) {
  return data.find(table)->get<T>(name);
}

/// Values of columns.
using Integers = std::vector<std::int64_t>;
using Rows = std::vector<std::uint32_t>;
using Codes = std::vector<std::uint8_t>;

inline const SpillVector<std::int64_t>& launch_starts(const store::TraceData& data) {
  return column<std::int64_t>(data, "launches", "start");
}
inline const SpillVector<std::int64_t>& launch_durations(const store::TraceData& data) {
  return column<std::int64_t>(data, "launches", "duration");
}

/// The text in a row of a column of strings.
inline const std::string& string_at(const store::TraceData& data, std::string_view table,
                                    std::string_view name, std::size_t row) {
  return data.strings[StringId{column<std::uint32_t>(data, table, name)[row]}];
}

inline std::int64_t sum(const SpillVector<std::int64_t>& values) {
  return std::accumulate(values.begin(), values.end(), std::int64_t{0});
}

/// Number of rows that the report counts under a code, 0 if it has none.
inline std::int64_t reported(const store::TraceData& data, std::string_view code) {
  for (const auto& entry : data.manifest.report)
    if (entry.code == code) return entry.count;
  return 0;
}

/// Expects the numbers of rows that the report counts under some codes.
inline void expect_reported(const store::TraceData& data,
                            const std::vector<std::pair<std::string_view, std::int64_t>>& counts,
                            int line = __builtin_LINE()) {
  for (const auto& [code, count] : counts)
    EXPECT_EQ(reported(data, code), count) << code << ", line " << line;
}

template <class T>
inline void append_bytes(std::string& out, const SpillVector<T>& values) {
  out += fmt::format("{}:", values.size());
  if (!values.empty()) out.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

/// The complete result of an import, with every bit.
inline std::string written(const Expected<store::TraceData>& data) {
  if (!data) return "error: " + describe(data.error());
  std::string out;
  for (const auto& text : data->strings.all()) out += text + '\n';
  for (const auto& resource : data->resources)
    out += fmt::format("{} {} {} {}\n", static_cast<int>(resource.kind), resource.parent, resource.number,
                       resource.name);
  for (const auto& table : data->tables)
    for (const auto& column : table.columns) {
      out += fmt::format("{}.{} [{}] ", table.name, column.name, column.unit);
      std::visit([&](const auto& values) { append_bytes(out, values); }, column.values);
    }
  for (const auto& entry : data->manifest.report)
    out +=
        fmt::format("{} {} {} {}\n", static_cast<int>(entry.severity), entry.code, entry.count, entry.text);
  return out;
}

inline std::string report_of(const Expected<store::TraceData>& data) {
  std::string out = data ? "" : describe(data.error());
  if (data)
    for (const auto& entry : data->manifest.report)
      out += fmt::format("{}: {} ({})\n", entry.code, entry.text, entry.count);
  return out;
}

/// Expects of any damaged file a trace that can be stored, or an error with a message.
inline void expect_trace_or_error(const std::string& path) {
  const auto data = import_files({path}, Job{});
  if (!data) {
    EXPECT_FALSE(data.error().message.empty());
    EXPECT_NE(data.error().kind, ErrorKind::Internal) << describe(data.error());
    return;
  }
  const auto store = path + ".jts";
  const auto written = store::write_store(*data, store);
  EXPECT_TRUE(written.has_value()) << describe(written.error());
}

} // namespace jitterscope::import
