// Sampled GPU counters as a table and, in schema 3.0.0, as JSON texts: the same samples, and never twice.

#include <filesystem>

#include "tests/core/import/formats/table/table_support.h"
#include "tests/core/import/small_trace.h"

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

// Newer versions name their clocks "[MHz]" but store Hz.
TEST(NsysMetrics, ClocksAreInHzWhateverTheirNameStates) {
  TemporaryFolder folder;
  const auto make = [&](const std::string& file, std::int64_t clock) {
    const auto path = folder.path(file);
    run_sql(path, kSmallTrace);
    run_sql(path,
            "CREATE TABLE GPU_METRICS(timestamp INTEGER, typeId INTEGER, metricId INTEGER, value INTEGER);"
            "CREATE TABLE TARGET_INFO_GPU_METRICS(typeId INTEGER, metricId INTEGER, metricName TEXT);"
            "INSERT INTO TARGET_INFO_GPU_METRICS VALUES(0,0,'GPC Clock Frequency [MHz]'),"
            "(0,1,'SMs Active [Throughput %]');"
            "INSERT INTO GPU_METRICS VALUES(10,0,0,0),(10,0,1,50),(20,0,1,60),(20,0,0," +
                std::to_string(clock) + ")");
    return import_good({path});
  };
  const auto in = [](const store::TraceData& data, const char* which) {
    return data.strings[StringId{column<std::uint32_t>(data, "counters", which)[0]}];
  };
  const auto hz = make("hz.sqlite", 1'410'000'000);
  EXPECT_EQ(in(hz, "unit"), "Hz");
  EXPECT_EQ(in(hz, "name"), "GPC Clock Frequency");
  EXPECT_EQ(reported(hz, "clock-in-hz"), 1);
  const auto mhz = make("mhz.sqlite", 1'410);
  EXPECT_EQ(in(mhz, "unit"), "MHz");
  EXPECT_EQ(reported(mhz, "clock-in-hz"), 0);
}

} // namespace
} // namespace jitterscope::import
