// Records in JSON: tables written by scripts, benchmarks and profilers as lists of objects.

#include "tests/core/import/formats/table/table_support.h"

namespace jitterscope::import {
namespace {

class JsonRecords : public TableTest {};

using RecordTimes = std::vector<std::int64_t>;

TEST_F(JsonRecords, AListOfRecordsIsATable) {
  const auto data = import_good_text(
      R"([{"kernel":"a, \"b\"\n","start_ns":1712195495519689047,"duration_ns":5,"grid":[4,2,1],"args":{"m":8,"deep":{"n":0.5}}},
          {"duration_ns":7,"kernel":"c","start_ns":1712195495519689057,"later":true,"args":{"m":null}}])",
      "runs.json");
  EXPECT_EQ(launch_starts(data), (RecordTimes{0, 10}));
  EXPECT_EQ(launch_durations(data), (RecordTimes{5, 7}));
  EXPECT_EQ(launches_by_kernel(data, "name"), (std::map<std::string, int>{{"a, \"b\"", 1}, {"c", 1}}));
  EXPECT_EQ(configuration_value(data, "grid_y", 0), 2u);
  EXPECT_EQ(numbers(data, "args_m")[0], 8);
  EXPECT_TRUE(std::isnan(numbers(data, "args_m")[1]));
  EXPECT_EQ(numbers(data, "args_deep_n")[0], 0.5);
  EXPECT_EQ(reported(data, "json-records"), 1);
}

TEST_F(JsonRecords, MayBeConcatenated) {
  const auto data = import_good_text(
      "{\"kernel\":\"a\",\"duration_us\":1.5,\"grid\":[4,1,1]}\n{\"kernel\":\"b\",\"duration_us\":2.5}\n");
  EXPECT_EQ(launch_durations(data), (RecordTimes{1'500, 2'500}));
  EXPECT_EQ(reported(data, "json-records"), 1);
}

TEST_F(JsonRecords, OfSeveralListsTheLongestIsRead) {
  const auto data = import_good_text(
      R"({"context":{"caches":[{"level":1}]},"labels":[1,2,3],"one":[{"time_ms":9}],
          "benchmarks":[{"name":"BM/1","real_time":7.5e2,"cpu_time":7e2,"time_unit":"us","iterations":1000},
                        {"name":"BM/2","real_time":5.5,"cpu_time":5.0,"time_unit":"ms","iterations":10}]})",
      "benchmark.json");
  EXPECT_EQ(numbers(data, "real_time"), (std::vector<double>{750'000, 5'500'000}));
  EXPECT_EQ(numbers(data, "iterations"), (std::vector<double>{1000, 10}));
  EXPECT_EQ(launches_of(data), 2u);
}

// nsys stats --format json writes the same tables as in CSV.
TEST_F(JsonRecords, TablesOfProfilersAreThoseOfProfilers) {
  const auto data = import_good_text(
      R"j([{"Start (ns)":1000,"Duration (ns)":500,"CorrId":11,"GrdX":64,"GrdY":2,"GrdZ":1,"BlkX":256,"BlkY":1,"BlkZ":1,"Reg/Trd":32,
           "Bytes (B)":"","Device":"NVIDIA A100 (1)","Ctx":1,"Strm":7,"Name":"f<int>(float *, int)"},
          {"Start (ns)":1600,"Duration (ns)":400,"CorrId":12,"GrdX":"","GrdY":"","GrdZ":"","BlkX":"","BlkY":"","BlkZ":"","Reg/Trd":"",
           "Bytes (B)":2500,"Device":"NVIDIA A100 (1)","Ctx":1,"Strm":7,"Name":"[CUDA memcpy Host-to-Device]"}])j",
      "report1_cuda_gpu_trace.json");
  EXPECT_EQ(data.manifest.sources[0].format, "nsys stats trace");
  EXPECT_EQ(launches_by_kernel(data), (std::map<std::string, int>{{"f", 1}}));
  EXPECT_EQ(column<std::int64_t>(data, "transfers", "bytes"), RecordTimes{2500});
  const auto sums = import_good_text(
      R"j([{"Time (%)":100.0,"Total Time (ns)":5,"Instances":1,"Avg (ns)":5.0,"Name":"k(int)"}])j");
  EXPECT_EQ(reported(sums, "sums-over-launches"), 1);
}

TEST_F(JsonRecords, LostDataAreReported) {
  const auto cut = import_good_text(
      R"([{"kernel":"a","time_ns":5},{"kernel":"b","time_ns":6},{"kernel":"c","time_ns":71)");
  EXPECT_EQ(launch_durations(cut), (RecordTimes{5, 6}));
  EXPECT_EQ(reported(cut, "cut-off-file"), 1);
  const auto others = import_good_text(R"([{"kernel":"a","time_ns":5},3,{"kernel":"b","time_ns":6}])");
  EXPECT_EQ(launches_of(others), 2u);
  EXPECT_EQ(reported(others, "other-elements"), 1);
  const auto behind = import_good_text(
      R"([{"kernel":"a","time_ns":5},{"kernel":"b","time_ns":6}] [{"kernel":"c","time_ns":7}])");
  EXPECT_EQ(launches_of(behind), 2u);
  EXPECT_EQ(reported(behind, "text-behind-the-end"), 1);
}

// The list is longer than the part that is read to choose a reader, a key first appears in the last record,
// and line breaks are those of Windows.
TEST_F(JsonRecords, LongListsAreReadWhole) {
  std::string text = "[\r\n";
  constexpr int kRecords = 20'000;
  for (int i = 0; i < kRecords; ++i)
    text += R"({"kernel":"k)" + std::to_string(i % 3) + R"(","time_ns":)" + std::to_string(i) +
            (i == kRecords - 1 ? ",\"late\":4.5}\r\n]" : "},\r\n");
  const auto data = import_good_text(text, "long.json");
  EXPECT_EQ(launches_of(data), std::size_t{kRecords});
  EXPECT_EQ(launch_durations(data).back(), kRecords - 1);
  EXPECT_EQ(numbers(data, "late").back(), 4.5);
}

TEST_F(JsonRecords, OtherListsStayUnknown) {
  for (const std::string text :
       {R"([{"name":"left-pad","downloads":5},{"name":"x","downloads":6}])", R"({"time":5,"loss":0.3})", "[]",
        "[1,2,3]", "[[1,2],[3,4]]", R"([{"time_ns":"a"},{"time_ns":"b"}])",
        R"([{"time_ns":5,"children":[{"time_ns":3}]},{"time_ns":5,"children":[]}])",
        R"({"a":[{"time_ns":5,"children":[{"x":1}]}]})", "{}", "[{}]", R"([{"":5}])"}) {
    TemporaryFolder folder;
    write_bytes(folder.path("x.json"), text);
    EXPECT_FALSE(import_files({folder.path("x.json")}, Job{}).has_value()) << text;
  }
}

TEST_F(JsonRecords, Damage) {
  expect_damage_is_survived(
      R"({"context":{"a":[1]},"rows":[{"kernel":"a\u00e9","start_ns":5,"duration_ns":5,"g":{"x":1}},{"kernel":"b","start_ns":9,"duration_ns":7}]})",
      5);
  expect_damage_is_survived(
      "{\"kernel\":\"a\",\"time_us\":1.5}\n{\"kernel\":\"b\",\"time_us\":2.5,\"l\":[1,\"x\"]}\n", 5);
}

} // namespace
} // namespace jitterscope::import
