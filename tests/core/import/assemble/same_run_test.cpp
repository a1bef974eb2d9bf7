// A run that a profiler wrote in several formats is imported once.

#include <filesystem>
#include <functional>

#include <fmt/core.h>

#include "core/import/assemble/same_run.h"
#include "tests/core/import/formats/rocm/rocm_support.h"
#include "tests/core/import/small_trace.h"

namespace jitterscope::import {
namespace {

struct Launch {
  int start, duration, kernel;
};

std::vector<Launch> launches(int count) {
  std::vector<Launch> all;
  for (int i = 0; i < count; ++i) all.push_back({10'000 * i + 37 * (i % 7), 500 + 11 * (i % 5), i % 3});
  return all;
}

std::string rocprofv3_csv(const std::vector<Launch>& all) {
  std::string text =
      "\"Kind\",\"Agent_Id\",\"Queue_Id\",\"Kernel_Name\",\"Start_Timestamp\",\"End_Timestamp\","
      "\"Grid_Size_X\",\"Workgroup_Size_X\"\n";
  for (const auto& l : all)
    text += fmt::format("\"KERNEL_DISPATCH\",1,1,\"kernel_{}(float*)\",{},{},640,64\n", l.kernel,
                        1'000'000 + l.start, 1'000'000 + l.start + l.duration);
  return text;
}

std::string chrome_json(const std::vector<Launch>& all, bool with_calls, int shift_us = 0) {
  std::string text = R"({"traceEvents":[)";
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto ts = 1'000'000 + all[i].start;
    text += fmt::format(
        R"j({}{{"ph":"X","cat":"kernel","name":"kernel_{}(float*)","pid":0,"tid":7,"ts":{}.{:03},"dur":{}.{:03},)j"
        R"("args":{{"device":0,"stream":7,"correlation":{}}}}})",
        i ? "," : "", all[i].kernel, ts / 1000 + shift_us, ts % 1000, all[i].duration / 1000,
        all[i].duration % 1000, i + 1);
    if (with_calls)
      text += fmt::format(
          R"(,{{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":5,"tid":6,"ts":{},"dur":1,"args":{{"correlation":{}}}}})",
          ts / 1000 + shift_us - 3, i + 1);
  }
  return text + "]}";
}

std::string database_sql(const std::vector<Launch>& all) {
  std::string sql = R"(
    CREATE TABLE rocpd_string (id INTEGER PRIMARY KEY, string TEXT);
    CREATE TABLE rocpd_info_kernel_symbol (id INTEGER PRIMARY KEY, kernel_name TEXT, display_name TEXT);
    INSERT INTO rocpd_info_kernel_symbol VALUES (1,'a','kernel_0(float*)'),(2,'b','kernel_1(float*)'),(3,'c','kernel_2(float*)');
    CREATE TABLE rocpd_info_agent (id INTEGER PRIMARY KEY, nid INTEGER, type TEXT, absolute_index INTEGER, name TEXT);
    INSERT INTO rocpd_info_agent VALUES (1,1,'GPU',1,'gfx942');
    CREATE TABLE rocpd_memory_copy (id INTEGER PRIMARY KEY, nid INTEGER, pid INTEGER, tid INTEGER, start BIGINT, end BIGINT,
      name_id INTEGER, dst_agent_id INTEGER, src_agent_id INTEGER, size INTEGER);
    INSERT INTO rocpd_memory_copy VALUES (1,1,5,5,1000100,1000200,1,1,1,4096);
    CREATE TABLE rocpd_kernel_dispatch (id INTEGER PRIMARY KEY, nid INTEGER, pid INTEGER, tid INTEGER, agent_id INTEGER,
      kernel_id INTEGER, queue_id INTEGER, start BIGINT, end BIGINT, workgroup_size_x INTEGER, grid_size_x INTEGER);)";
  for (std::size_t i = 0; i < all.size(); ++i)
    sql +=
        fmt::format("INSERT INTO rocpd_kernel_dispatch VALUES ({},1,5,5,1,{},1,{},{},64,640);", i + 1,
                    all[i].kernel + 1, 1'000'000 + all[i].start, 1'000'000 + all[i].start + all[i].duration);
  return sql;
}

class SameRun : public MadeFiles {
protected:
  SameRun() { std::filesystem::create_directories(folder_.path("in")); }
  std::string in(const std::string& name, const std::string& content) { return made("in/" + name, content); }
  std::string database_in(const std::string& name, const std::string& sql) {
    run_sql(folder_.path("in/" + name), sql);
    return folder_.path("in/" + name);
  }
  store::TraceData whole() { return import_good({folder_.path("in")}); }
  static std::string messages_of(const store::TraceData& data) {
    for (const auto& entry : data.manifest.report)
      if (entry.code == "same-run") return entry.text;
    return {};
  }
};

TEST_F(SameRun, DatabaseJsonAndCsvOfOneRunAreReadOnce) {
  const auto all = launches(40);
  database_in("12_results.db", database_sql(all));
  in("12_results.json", chrome_json(all, false));
  in("12_kernel_trace.csv", rocprofv3_csv(all));
  const auto data = whole();
  EXPECT_EQ(starts(data).size(), 40u);
  EXPECT_EQ(reported(data, "same-run"), 2);
  ASSERT_EQ(data.manifest.sources.size(), 1u);
  EXPECT_NE(data.manifest.sources[0].path.find("12_results.db"), std::string::npos);
  EXPECT_EQ(column<std::int64_t>(data, "transfers", "start").size(), 1u);
  for (const auto* file : {"12_results.db", "12_results.json", "12_kernel_trace.csv"})
    EXPECT_NE(messages_of(data).find(file), std::string::npos) << messages_of(data);
}

TEST_F(SameRun, FilesNamedOneByOneAreDistinguishedAsWell) {
  const auto all = launches(20);
  const auto data = import_good({in("a.csv", rocprofv3_csv(all)), database_in("b.db", database_sql(all))});
  EXPECT_EQ(starts(data).size(), 20u);
  EXPECT_EQ(reported(data, "same-run"), 1);
}

TEST_F(SameRun, TheRecordThatStatesMoreIsKept) {
  const auto all = launches(20);
  in("r.csv", rocprofv3_csv(all));
  in("r.json", chrome_json(all, true));
  const auto data = whole();
  EXPECT_EQ(starts(data).size(), 20u);
  EXPECT_EQ(column<std::int64_t>(data, "calls", "start").size(), 20u);
  ASSERT_EQ(data.manifest.sources.size(), 1u);
  EXPECT_NE(data.manifest.sources[0].path.find("r.json"), std::string::npos);
}

TEST_F(SameRun, DataOfTheOtherRecordOnlyAreReported) {
  const auto all = launches(20);
  database_in("r.db", database_sql(all) + R"(
    CREATE TABLE rocpd_region (id INTEGER PRIMARY KEY, nid INTEGER, pid INTEGER, tid INTEGER, start BIGINT, end BIGINT, name_id INTEGER);
    INSERT INTO rocpd_string VALUES (1,'phase');
    INSERT INTO rocpd_region VALUES (1,1,5,5,1000000,2000000,1);)");
  in("r.json", chrome_json(all, true));
  const auto data = whole();
  EXPECT_EQ(starts(data).size(), 20u);
  EXPECT_NE(messages_of(data).find("only the file that was left out contains calls"), std::string::npos)
      << messages_of(data);
}

TEST_F(SameRun, ClocksMayBeginElsewhereWhereManyLaunchesAgree) {
  const auto all = launches(20);
  in("one.csv", rocprofv3_csv(all));
  in("two.json", chrome_json(all, false, 77'000'000));
  EXPECT_EQ(starts(whole()).size(), 20u);
}

TEST_F(SameRun, FewLaunchesNeedTheSameNameOrClock) {
  const auto all = launches(4);
  in("one.csv", rocprofv3_csv(all));
  in("two.json", chrome_json(all, false, 77'000'000));
  EXPECT_EQ(starts(whole()).size(), 8u);
  std::filesystem::rename(folder_.path("in/two.json"), folder_.path("in/one_results.json"));
  std::filesystem::rename(folder_.path("in/one.csv"), folder_.path("in/one_kernel_trace.csv"));
  EXPECT_EQ(starts(whole()).size(), 4u);
}

TEST_F(SameRun, RanksThatDoTheSameAtTheSameTimeAreTwo) {
  const auto all = launches(40);
  for (const auto rank : {0, 1}) {
    auto text = chrome_json(all, true);
    text.insert(1, fmt::format(R"("distributedInfo":{{"rank":{},"world_size":2}},)", rank));
    in(fmt::format("rank{}.json", rank), text);
  }
  const auto data = whole();
  EXPECT_EQ(starts(data).size(), 80u);
  EXPECT_EQ(reported(data, "same-run"), 0);
}

TEST_F(SameRun, RunsThatDifferInOneLaunchAreTwo) {
  const auto all = launches(30);
  database_in("r.db", database_sql(all));
  const std::vector<std::function<void(std::vector<Launch>&)>> changes = {
      [](auto& other) { other[17].start += 5'000; }, [](auto& other) { other[17].duration += 5'000; },
      [](auto& other) { other[17].kernel = (other[17].kernel + 1) % 3; },
      [](auto& other) { other.pop_back(); },
      [](auto& other) {
        other.push_back({400'000, 5, 0});
      }};
  for (const auto& change : changes) {
    auto other = all;
    change(other);
    in("r.csv", rocprofv3_csv(other));
    const auto data = whole();
    EXPECT_EQ(starts(data).size(), all.size() + other.size());
    EXPECT_EQ(reported(data, "same-run"), 0);
  }
}

TEST_F(SameRun, ReportsOfOtherFilesStay) {
  const auto all = launches(20);
  in("r.csv", rocprofv3_csv(all));
  in("r.json", chrome_json(all, true));
  write_bytes(folder_.path("in/README.md"), "# Notes\n\nNothing of a profiler.\n");
  database_in("empty.db",
              "CREATE TABLE rocpd_kernel_dispatch (id INTEGER PRIMARY KEY, start BIGINT, end BIGINT);");
  const auto data = whole();
  expect_reported(data, {{"left-out", 1}, {"file-left-out", 1}});
}

TEST_F(SameRun, OneDatabaseExportedTwiceIsOne) {
  const auto all = launches(20);
  database_in("r.db", database_sql(all));
  database_in("again.db", database_sql(all) + "CREATE TABLE other (x INTEGER);");
  EXPECT_EQ(starts(whole()).size(), 20u);
}

TEST(StemOfRun, LeavesWhatTheUserChose) {
  for (const auto& [name, stem] :
       {std::pair("report_cuda_gpu_trace.csv", "report"), std::pair("report.sqlite", "report"),
        std::pair("12_results.db", "12"), std::pair("12_kernel_trace.csv.gz", "12"),
        std::pair("12_results.json", "12"), std::pair("run.pt.trace.json", "run"),
        std::pair("results.db", "results"), std::pair("trace", "trace"), std::pair(".csv", ""),
        std::pair("a_trace_trace.csv", "a")}) {
    Input input;
    input.path = name;
    EXPECT_EQ(stem_of_run(input), stem) << name;
  }
}

TEST(SameRunReal, SchemasOfOneReportAreOneRun) {
  REQUIRE_REAL_DATA(folder, "nsys/gtls-cupy");
  REQUIRE_REAL_DATA(path, "nsys/gtls-cupy/report1.sqlite");
  EXPECT_EQ(starts(import_good({folder})).size(), starts(import_good({path})).size());
}

} // namespace
} // namespace jitterscope::import
