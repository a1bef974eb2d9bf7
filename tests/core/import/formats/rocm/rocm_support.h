#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "core/import/text/text.h"
#include "tests/core/import/import_support.h"
#include "tests/core/import/temporary_files.h"

namespace jitterscope::import {

/// The values of an attribute of launches by its column name in the file; empty if there is none.
inline SpillVector<double> counter(const store::TraceData& data, std::string_view title) {
  const auto* column = data.find("launches")->find(slug(title));
  const auto* values = column ? std::get_if<SpillVector<double>>(&column->values) : nullptr;
  return values ? *values : SpillVector<double>();
}

inline std::string kernel_name(const store::TraceData& data, std::size_t launch,
                               std::string_view which = "name") {
  const auto configuration = column<std::uint32_t>(data, "launches", "configuration")[launch];
  const auto kernel = column<std::uint32_t>(data, "configurations", "kernel")[configuration];
  return data.strings[StringId{column<std::uint32_t>(data, "kernels", which)[kernel]}];
}

/// One value of the configuration of a launch: grid_x, registers …
inline std::uint32_t configured(const store::TraceData& data, std::size_t launch, std::string_view which) {
  return column<std::uint32_t>(data, "configurations",
                               which)[column<std::uint32_t>(data, "launches", "configuration")[launch]];
}

/// Starts of launches in ns, on the file's own clock if there is one file.
inline SpillVector<std::int64_t> starts(const store::TraceData& data) {
  auto starts = launch_starts(data);
  const auto& sources = data.manifest.sources;
  const auto shift = sources.empty() ? 0 : sources.front().shift_ns;
  const bool one_clock = std::all_of(sources.begin(), sources.end(),
                                     [&](const auto& source) { return source.shift_ns == shift; });
  for (auto& start : starts) start -= one_clock ? shift : 0;
  return starts;
}
inline SpillVector<std::int64_t> durations(const store::TraceData& data) {
  return launch_durations(data);
}

/// Files made for one test.
class MadeFiles : public testing::Test {
protected:
  std::string made(const std::string& name, const std::string& content) {
    write_bytes(folder_.path(name), content);
    return folder_.path(name);
  }
  store::TraceData import_text(const std::string& content) {
    return import_good({made("table.csv", content)});
  }
  Error refusal_of(const std::string& path) {
    const auto data = import_files({path}, Job{});
    EXPECT_FALSE(data.has_value()) << path;
    if (data) return {};
    EXPECT_EQ(data.error().kind, ErrorKind::BadInput);
    EXPECT_FALSE(data.error().hint.empty());
    return data.error();
  }
  TemporaryFolder folder_;
};

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

} // namespace jitterscope::import
