// Sampled GPU counters as a table and, in schema 3.0.0, as JSON texts: the same samples, and never twice.

#include <filesystem>

#include "tests/core/import/table_support.h"

namespace jitterscope::import {
namespace {

TEST(NsysMetrics, JsonTextsAndTheTableGiveTheSameSamples) {
  REQUIRE_REAL_DATA(path, "nsys/gpu-metrics/vector_add_profile_v3.schema372.sqlite");
  TemporaryFolder folder;
  const auto old_form = folder.path("json_only.sqlite");
  std::filesystem::copy_file(path, old_form);
  std::filesystem::permissions(old_form, std::filesystem::perms::owner_all);
  run_sql(old_form, "DROP TABLE GPU_METRICS; DROP TABLE TARGET_INFO_GPU_METRICS");
  const auto from_table = import_good({path}), from_json = import_good({old_form});
  EXPECT_EQ(launches_of(from_table), 1'010u);
  // 57,204 values of 14 metrics; the first sample was taken before the capture began.
  EXPECT_EQ(column<std::int64_t>(from_table, "samples", "time").size(), 57'190u);
  EXPECT_EQ(column<std::uint32_t>(from_table, "counters", "name").size(), 14u);
  for (const auto* name : {"time"})
    EXPECT_TRUE(column<std::int64_t>(from_table, "samples", name) ==
                column<std::int64_t>(from_json, "samples", name));
  EXPECT_TRUE(column<double>(from_table, "samples", "value") ==
              column<double>(from_json, "samples", "value"));
  EXPECT_TRUE(column<std::uint32_t>(from_table, "samples", "counter") ==
              column<std::uint32_t>(from_json, "samples", "counter"));
  EXPECT_EQ(reported(from_table, "sample-before-start"), reported(from_json, "sample-before-start"));
  const auto names = [](const store::TraceData& data) {
    std::vector<std::string> out;
    for (const auto name : column<std::uint32_t>(data, "counters", "name"))
      out.push_back(data.strings[StringId{name}]);
    return out;
  };
  EXPECT_EQ(names(from_table), names(from_json));
}

} // namespace
} // namespace jitterscope::import
