// Tables and databases of AMD's tools that are damaged, wrong or malicious: a clear error or a report,
// never a crash.

#include <random>

#include "core/store/format/store.h"
#include "tests/core/import/formats/rocm/rocm_support.h"

namespace jitterscope::import {
namespace {

class RocmHostile : public MadeFiles {
protected:
  void expect_any(const std::string& bytes) { expect_trace_or_error(made("damaged", bytes)); }
};

const std::string kWide =
    "Dispatch_ID,Kernel_Name,GPU_ID,Grid_Size,Workgroup_Size,SQ_WAVES,Start_Timestamp,End_Timestamp\n";

TEST_F(RocmHostile, RaggedRowsAreDroppedOrDoubted) {
  const auto data = import_text(
      kWide + "0,k,1,64,64,1,100,200\n1,k,1,64\n2,k,1,64,64,3,300,400,extra,extra\n3,k,1,64,64,4,500,6");
  EXPECT_EQ(starts(data).size(), 2u);
  expect_reported(data, {{"short-row", 1}, {"long-row", 1}});
  EXPECT_EQ(reported(data, "negative-duration"), 1); // the text ends inside an end time
}

TEST_F(RocmHostile, AbsurdNumbersAreReportedAndDropped) {
  const auto data = import_text(
      kWide + "-9223372036854775808,k,-5,-1,0,1e400,100,200\n"
              "99999999999999999999,k,1,9223372036854775807,3,nan,300,400\n"
              "2,k,1,64,64,inf,9223372036854775807,9223372036854775807\n"
              "3,k,1,64,64,0x10,500,400\n4,,1,64,64,1,500,600\n5,k,1,64,64,1,,600\n6,k,1,64,64,-7,600,700\n");
  EXPECT_EQ(starts(data), (Integers{100, 300, 600}));
  expect_reported(data, {{"odd-grid", 2},
                         {"impossible-time", 1},
                         {"negative-duration", 1},
                         {"missing-name", 1},
                         {"missing-time", 1}});
  EXPECT_TRUE(std::isnan(counter(data, "SQ_WAVES")[1]));
  EXPECT_EQ(counter(data, "SQ_WAVES")[2], -7);
}

TEST_F(RocmHostile, TextThatIsNotUtf8IsMadeSo) {
  const auto data = import_text(
      "Dispatch_ID,Kernel_Name,SQ_\xff\xfe,Start_Timestamp,End_Timestamp\n0,\"a\xff\x80(\",1,100,200\n");
  EXPECT_EQ(kernel_name(data, 0).substr(0, 4), "a\xEF\xBF\xBD");
  EXPECT_TRUE(store::write_store(data, folder_.path("x.jts")).has_value());
}

TEST_F(RocmHostile, NamesThatCannotBeDemangledStay) {
  std::string nested = "_Z1f";
  for (int i = 0; i < 5000; ++i) nested += "P";
  const auto data =
      import_text(kWide + "0,_ZZZZ999999999999x.kd,1,64,64,1,100,200\n1,_Z,1,64,64,1,300,400\n2," + nested +
                  ",1,64,64,1,500,600\n3,\"<<<<((((\",1,64,64,1,700,800\n4,.kd,1,64,64,1,900,950\n");
  EXPECT_EQ(starts(data).size(), 5u);
  EXPECT_EQ(kernel_name(data, 0), "_ZZZZ999999999999x");
}

TEST_F(RocmHostile, EveryRowBadIsAnError) {
  EXPECT_TRUE(has(refusal_of(made("a.csv", kWide + "0,k,1,64,64,1,x,y\n")).message, "no usable dispatch"));
  EXPECT_TRUE(has(refusal_of(made("b.csv", kWide)).message, "only their headers"));
}

TEST_F(RocmHostile, AnUnclosedQuoteIsAnErrorWithItsPlace) {
  const auto error = refusal_of(made("a.csv", kWide + "0,\"k,1,64,64,1,100,200\n1,k,1,64,64,1,300,400\n"));
  EXPECT_FALSE(error.place.empty());
}

TEST_F(RocmHostile, TooManyColumnsAreRefused) {
  std::string header = "Dispatch_ID,Kernel_Name";
  for (int i = 0; i < 30'000; ++i) header += ",c" + std::to_string(i);
  EXPECT_TRUE(has(refusal_of(made("a.csv", header + "\n0,k\n")).message, "columns"));
}

TEST_F(RocmHostile, CountersOfNothingAreDropped) {
  made("1_kernel_trace.csv",
       "Kind,Agent_Id,Queue_Id,Kernel_Name,Correlation_Id,Start_Timestamp,End_Timestamp,Grid_Size_X\n"
       "KERNEL_DISPATCH,1,1,k,1,100,200,64\n");
  made("1_counter_collection.csv",
       "Dispatch_Id,Kernel_Name,Grid_Size,Counter_Name,Counter_Value\n1,k,64,A_B,1\n1,k,64,,2\n"
       "2,k,64,A_B,3\n3,other,64,A_B,4\n4,,64,A_B,5\n");
  const auto data = import_good({folder_.path("")});
  EXPECT_EQ(starts(data), Integers{100});
  EXPECT_EQ(counter(data, "A_B"), std::vector<double>{1});
  expect_reported(data, {{"counters-without-launch", 2}, {"not-a-number", 1}});
}

// Real files if present, else generated ones, truncated and with flipped bytes.
TEST_F(RocmHostile, DamagedFilesGiveAnErrorOrATrace) {
  std::vector<std::string> files;
  for (const auto* name : {"rocm/mi350/pmc_perf_0.csv", "rocm/rocprofv3-docs/2025-08/kernel_trace.csv",
                           "rocm/rocprofv3-docs/2025-08/counter_collection.csv",
                           "rocm/rocprofv3-docs/2025-08/memory_copy_trace.csv",
                           "rocm/mixbench-mi100/sysinfo.csv", "rocm/rocpd-schema/mock_rocpd_24rows.db",
                           "rocm/rpd/matmul_result.rpd", "rocm/rocprofv1-hip-trace/HIP_trace/results.db"})
    if (const auto path = real_data(name); !path.empty()) files.push_back(read_bytes(path));
  files.push_back(kWide + "0,k,1,64,64,1,100,200\n1,k,1,64,64,2,300,400\n");
  std::mt19937 random(3);
  for (const auto& whole : files) {
    for (int part = 0; part <= 12; ++part)
      expect_any(whole.substr(0, whole.size() * static_cast<std::size_t>(part) / 13));
    for (int i = 0; i < 25; ++i) {
      auto bytes = whole;
      for (int flips = 1 + static_cast<int>(random() % 30); flips > 0; --flips)
        bytes[random() % bytes.size()] = static_cast<char>(random());
      expect_any(bytes);
    }
  }
}

TEST_F(RocmHostile, RandomValuesInDatabasesGiveAnErrorOrATrace) {
  struct Case {
    const char* file;
    std::vector<std::pair<std::string, std::vector<std::string>>> tables;
  };
  const std::string u = "cc3883073c204c7da65be8c5f67fa23c";
  const std::vector<Case> cases = {
      {"rocm/rocpd-schema/mock_rocpd_24rows.db",
       {{"rocpd_kernel_dispatch" + u,
         {"nid", "pid", "tid", "agent_id", "kernel_id", "queue_id", "start", "end", "workgroup_size_x",
          "grid_size_y"}},
        {"rocpd_memory_copy" + u, {"start", "end", "name_id", "dst_agent_id", "size", "queue_id"}},
        {"rocpd_region" + u, {"start", "end", "tid", "name_id"}},
        {"rocpd_info_agent" + u, {"nid", "name"}},
        {"rocpd_info_node" + u, {"machine_id", "hostname"}}}},
      {"rocm/rpd/matmul_result.rpd",
       {{"rocpd_op", {"gpuId", "queueId", "start", "end", "description_id", "opType_id"}},
        {"rocpd_api", {"pid", "tid", "start", "end", "apiName_id"}},
        {"rocpd_api_ops", {"api_id", "op_id"}},
        {"rocpd_kernelapi", {"gridX", "gridY", "workgroupX", "groupSegmentSize", "kernelName_id"}},
        {"rocpd_copyapi", {"size", "width", "height", "kind"}},
        {"rocpd_monitor", {"deviceId", "monitorType", "start", "value"}}}},
      {"rocm/rocprofv1-hip-trace/HIP_trace/results.db",
       {{"OPS", {"BeginNs", "EndNs", "Name"}},
        {"COPY", {"BeginNs", "EndNs", "pid", "Name"}},
        {"HIP", {"BeginNs", "EndNs", "Index", "Name"}}}}};
  const std::vector<std::string> values = {"NULL",
                                           "'text'",
                                           "x'00ff80'",
                                           "-1",
                                           "0",
                                           "-9223372036854775808",
                                           "9223372036854775807",
                                           "4294967296",
                                           "1.5",
                                           "1e300",
                                           "abs(random() % 1000)"};
  std::mt19937 random(7);
  const auto pick = [&](const auto& from) -> const auto& {
    return from[random() % from.size()];
  };
  for (const auto& one : cases) {
    REQUIRE_REAL_DATA(path, one.file);
    const auto whole = read_bytes(path);
    for (int i = 0; i < 40; ++i) {
      const auto changed = made("changed.db", whole);
      std::string sql = "PRAGMA foreign_keys=OFF;PRAGMA ignore_check_constraints=ON;";
      for (int changes = 1 + static_cast<int>(random() % 5); changes > 0; --changes) {
        const auto& [table, columns] = pick(one.tables);
        sql += "UPDATE OR IGNORE \"" + table + "\" SET \"" + pick(columns) + "\"=" + pick(values) +
               " WHERE rowid % " + std::to_string(1 + random() % 3) + "=0;";
      }
      SCOPED_TRACE(sql);
      run_sql(changed, sql);
      expect_trace_or_error(changed);
    }
  }
}

TEST_F(RocmHostile, ImportStopsSoonAfterItIsCancelledAndProgressGrows) {
  std::string rows = kWide;
  for (int i = 0; i < 60'000; ++i)
    rows += std::to_string(i) + ",k,1,64,64,1," + std::to_string(i * 10) + "," + std::to_string(i * 10 + 5) +
            "\n";
  const auto path = made("pmc_perf.csv", rows);
  int asked = 0;
  Job job;
  job.cancelled = [&] { return ++asked > 20; };
  const auto stopped = import_files({path}, job);
  ASSERT_FALSE(stopped.has_value());
  EXPECT_EQ(stopped.error().kind, ErrorKind::Cancelled);
  EXPECT_LE(asked, 25);
  made("timestamps.csv", rows);
  std::int64_t last = 0, total = 0;
  Job watching;
  watching.progress = [&](std::int64_t done, std::int64_t of, const std::string&) {
    if (of == 0) return;
    EXPECT_GE(done, last);
    EXPECT_LE(done, of);
    last = done;
    total = of;
  };
  ASSERT_TRUE(import_files({folder_.path("")}, watching).has_value());
  EXPECT_GT(last, total * 9 / 10);
}

} // namespace
} // namespace jitterscope::import
