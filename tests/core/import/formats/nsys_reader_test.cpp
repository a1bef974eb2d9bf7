// Single rows and tables of an export.

#include <cmath>

#include "tests/core/import/import_support.h"
#include "tests/core/import/small_trace.h"
#include "tests/core/import/temporary_files.h"
#include "tests/core/import/trace_text.h"

namespace jitterscope::import {
namespace {

using store::ResourceKind;
using store::TraceData;

class SmallTrace : public testing::Test {
protected:
  TraceData import_after(const std::string& sql) {
    make(sql);
    return import_good({path()});
  }
  void make(const std::string& sql) { run_sql(path(), kSmallTrace + sql); }
  std::string path() const { return folder_.path("small.sqlite"); }

  static std::string name_of(const TraceData& data, const char* table, const char* text, std::size_t row) {
    return data.strings[StringId{column<std::uint32_t>(data, table, text)[row]}];
  }
  static const store::Resource& process(const TraceData& data) {
    for (const auto& resource : data.resources)
      if (resource.kind == ResourceKind::Process) return resource;
    return data.resources.front();
  }

  TemporaryFolder folder_;
};

TEST_F(SmallTrace, IsReadWithoutAnythingToReport) {
  const auto data = import_after("");
  EXPECT_EQ(launch_starts(data), (Integers{1000, 3000, 6000}));
  EXPECT_EQ(column<std::uint32_t>(data, "launches", "call"), (Rows{0, 1, 2}));
  EXPECT_EQ(name_of(data, "calls", "name", 0), "cudaLaunchKernel");
  EXPECT_EQ(column<std::uint32_t>(data, "launches", "range"), (Rows{0, 1, 0}));
  EXPECT_EQ(column<std::uint8_t>(data, "ranges", "depth"), (Codes{0, 1}));
  EXPECT_EQ(
      column<std::uint8_t>(data, "launches", "flags"),
      (Codes{store::kLaunchFirst, 0, store::kLaunchFirst | store::kLaunchGraph | store::kLaunchCooperative}));
  EXPECT_EQ(column<float>(data, "launches", "queue_delay_ns"), (std::vector<float>{200, 2100, 5010}));
  EXPECT_EQ(column<float>(data, "launches", "overlap_host_to_device_ns"), (std::vector<float>{0, 500, 0}));
  EXPECT_EQ(column<float>(data, "launches", "overlap_transfer_bytes"), (std::vector<float>{0, 5000, 0}));
  EXPECT_EQ(process(data).name, "solver");
  EXPECT_EQ(process(data).number, 77);
  ASSERT_EQ(data.manifest.report.size(), 1u);
  EXPECT_EQ(data.manifest.report[0].code, "api-version-suffix");
}

// Every launch and the copy start 5 s before their calls.
TEST_F(SmallTrace, KernelsThatStartBeforeTheirCallsAreMoved) {
  const auto data = import_after(
      "UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET start = start + 5000000000, end = end + 5000000000;");
  EXPECT_EQ(column<std::uint32_t>(data, "launches", "call"), (Rows{0, 1, 2}));
  EXPECT_EQ(reported(data, "clock-offset"), 5); // includes the memset, which has no call
  EXPECT_EQ(reported(data, "call-after-launch"), 0);
  const auto& starts = launch_starts(data);
  EXPECT_EQ(starts[1] - starts[0], 2000);
  for (const auto delay : column<float>(data, "launches", "queue_delay_ns"))
    EXPECT_GE(delay, -100); // the delay counts from the end of the call, which takes 100 ns
}

// Two of four operations start before their calls, for example because of wrong correlation numbers; one of
// the two even ends before its call. No clock offset explains this, because the others start after their
// calls.
TEST_F(SmallTrace, SingleLaunchesBeforeTheirCallsAreDoubted) {
  const auto data = import_after(
      "UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET start = 2900, end = 2950 WHERE correlationId = 1;"
      "UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET start = 3100, end = 3150 WHERE correlationId = 2;");
  expect_reported(data, {{"call-after-launch", 1}, {"launch-before-call", 1}});
  EXPECT_EQ(std::count(column<std::uint32_t>(data, "launches", "call").begin(),
                       column<std::uint32_t>(data, "launches", "call").end(), kNone),
            1);
}

TEST_F(SmallTrace, RowsThatAreNotImportedAreCounted) {
  const auto data = import_after(R"(
    CREATE TABLE OSRT_API (start INTEGER, end INTEGER, nameId INTEGER);
    INSERT INTO OSRT_API VALUES (1, 2, 3), (4, 5, 6), (7, 8, 9);
    DELETE FROM OSRT_API WHERE start = 4;
    CREATE TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT (deviceId INTEGER, eventId INTEGER);
    INSERT INTO CUPTI_ACTIVITY_KIND_CUDA_EVENT VALUES (0, 1);
    CREATE TABLE FUTURE_EVENTS (timestamp INTEGER);
    INSERT INTO FUTURE_EVENTS VALUES (1), (2);
    CREATE TABLE SCHED_EVENTS (start INTEGER);
    CREATE TABLE TARGET_INFO_CLOCK (start INTEGER);
    INSERT INTO TARGET_INFO_CLOCK VALUES (1);
    CREATE TABLE CUDA_CALLCHAINS (id INTEGER, symbol INTEGER);
    INSERT INTO CUDA_CALLCHAINS VALUES (1, 1);
    CREATE VIEW summary AS SELECT start FROM CUPTI_ACTIVITY_KIND_KERNEL)");
  EXPECT_EQ(reported(data, "not-imported"), 5) << report_of(data);
  EXPECT_NE(report_of(data).find("2 of FUTURE_EVENTS, 2 of OSRT_API (operating system calls), "
                                 "1 of CUPTI_ACTIVITY_KIND_CUDA_EVENT (CUDA events) (5)"),
            std::string::npos)
      << report_of(data);
}

// Input rows = rows of the trace plus reported rows, for every table of events.
TEST(NsysReal, NoRowIsLostInSilence) {
  REQUIRE_REAL_DATA(path, "nsys/rtx3090-20runs/report11.sqlite");
  const auto data = import_good({path});
  const auto rows = [&](const char* table) { return static_cast<std::int64_t>(data.find(table)->rows()); };
  EXPECT_EQ(rows("launches"), 6'039);
  EXPECT_EQ(rows("transfers"), 106 + 2); // copies and memsets
  EXPECT_EQ(rows("calls"), 11'190);
  EXPECT_EQ(reported(data, "not-imported"), 319 + 4 + 5'110 + 20 + 1'339 + 67 + 42 + 5'838)
      << report_of(data);
}

TEST_F(SmallTrace, ReadsNamesFromTextOrItsNumberAndDomainsByProcess) {
  const auto data = import_after(R"(
    INSERT INTO StringIds VALUES (9,'by number');
    INSERT INTO NVTX_EVENTS VALUES (601,700,60,NULL,9,281476268556365,3), (602,NULL,34,'mark',NULL,281476268556365,4),
      (10,NULL,75,'library',NULL,281476268556365,3), (11,20,99,'x',NULL,281476268556365,0),
      (12,NULL,39,'worker',NULL,281476268556370,0))");
  EXPECT_EQ(name_of(data, "ranges", "name", 1), "by number");
  EXPECT_EQ(name_of(data, "ranges", "domain", 1), "library");
  EXPECT_EQ(name_of(data, "ranges", "domain", 2), "domain 4");
  EXPECT_EQ(column<std::uint8_t>(data, "ranges", "kind"), (Codes{0, 1, 2, 0}));
  EXPECT_EQ(column<std::int64_t>(data, "ranges", "duration")[2], 0);
  EXPECT_EQ(reported(data, "other-nvtx-events"), 1);
}

// Copies of tables made by scripts: pandas writes whole numbers as REAL if one value of the column is
// missing, CSV files give columns of TEXT, and a view may leave rows out.
TEST_F(SmallTrace, CopiesOfItsTablesAreAsGood) {
  const auto good = import_after("");
  for (const auto* type : {"REAL", "TEXT"}) {
    TemporaryFolder folder;
    const auto path = folder.path("copied.sqlite");
    auto sql = kSmallTrace;
    for (std::size_t at = 0; (at = sql.find("INTEGER", at)) != std::string::npos;)
      if (sql.compare(at, 19, "INTEGER PRIMARY KEY") == 0)
        ++at;
      else
        sql.replace(at, 7, type);
    run_sql(path, sql);
    const auto data = import_good({path});
    for (const auto* table : {"launches", "transfers", "calls", "ranges", "configurations"})
      EXPECT_EQ(table_text(data, *data.find(table)), table_text(good, *good.find(table))) << type << table;
    EXPECT_EQ(resources_text(data), resources_text(good)) << type;
  }
}

TEST_F(SmallTrace, NamesMayBeWithTheKernels) {
  const auto good = import_good({(make(""), path())});
  TemporaryFolder folder;
  const auto path = folder.path("joined.sqlite");
  run_sql(path, kSmallTrace + R"(ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL RENAME TO old;
    CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL AS SELECT old.*, value AS kernelName FROM old JOIN StringIds ON id = demangledName;
    ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL RENAME COLUMN demangledName TO nameId;
    ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL RENAME COLUMN kernelName TO demangledName)");
  const auto data = import_good({path});
  EXPECT_EQ(name_of(data, "kernels", "name", 0), name_of(good, "kernels", "name", 0));
  EXPECT_EQ(data.find("launches")->rows(), good.find("launches")->rows());
}

TEST_F(SmallTrace, ViewsReplaceTables) {
  const auto data = import_after(R"(ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL RENAME TO everything;
    CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS SELECT * FROM everything WHERE start < 5000;
    CREATE VIEW NVTX_PUSHPOP_TRACE AS SELECT * FROM absent;)");
  EXPECT_EQ(launch_starts(data), (Integers{1000, 3000}));
}

TEST_F(SmallTrace, ReadsMpiTables) {
  const auto data = import_after(R"(
    INSERT INTO StringIds VALUES (20,'MPI_Send'),(21,'MPI_Allreduce'),(22,'MPI_Wait'),(23,'MPI_Init');
    CREATE TABLE MPI_RANKS (globalTid INTEGER, rank INTEGER);
    INSERT INTO MPI_RANKS VALUES (281476268556365, 3);
    CREATE TABLE MPI_P2P_EVENTS (start INTEGER NOT NULL, end INTEGER, globalTid INTEGER, textId INTEGER, commHandle INTEGER,
      tag INTEGER, remoteRank INTEGER, size INTEGER, requestHandle INTEGER);
    INSERT INTO MPI_P2P_EVENTS VALUES (100,200,281476268556365,20,0,5,1,4096,NULL);
    CREATE TABLE MPI_COLLECTIVES_EVENTS (start INTEGER NOT NULL, end INTEGER, globalTid INTEGER, textId INTEGER, commHandle
      INTEGER, rootRank INTEGER, size INTEGER, recvSize INTEGER, requestHandle INTEGER);
    INSERT INTO MPI_COLLECTIVES_EVENTS VALUES (300,400,281476268556365,21,0,-1,8,8,NULL);
    CREATE TABLE MPI_START_WAIT_EVENTS (start INTEGER NOT NULL, end INTEGER, globalTid INTEGER, textId INTEGER, requestHandle INTEGER);
    INSERT INTO MPI_START_WAIT_EVENTS VALUES (410,NULL,281476268556365,22,NULL);
    CREATE TABLE MPI_OTHER_EVENTS (start INTEGER NOT NULL, end INTEGER, globalTid INTEGER, textId INTEGER);
    INSERT INTO MPI_OTHER_EVENTS VALUES (10,20,281476268556365,23);
    INSERT INTO NVTX_EVENTS VALUES (1,2,75,'MPI',NULL,281476268556365,1), (300,400,59,'MPI_Allreduce',NULL,281476268556365,1))");
  EXPECT_EQ(column<std::uint8_t>(data, "messages", "kind"), (Codes{3, 0, 1, 2}));
  EXPECT_EQ(column<std::uint32_t>(data, "messages", "peer"), (Rows{kNone, 1, kNone, kNone}));
  EXPECT_EQ(column<std::int64_t>(data, "messages", "bytes"), (Integers{-1, 4096, 8, -1}));
  EXPECT_EQ(column<std::uint32_t>(data, "messages", "tag"), (Rows{kNone, 5, kNone, kNone}));
  EXPECT_EQ(column<std::int64_t>(data, "messages", "duration")[3], 7000 - 410); // cut at the last activity
  EXPECT_EQ(reported(data, "open-range"), 1);
  EXPECT_EQ(process(data).rank, 3);
}

constexpr const char* kNoGpu =
    R"(DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL; DELETE FROM CUPTI_ACTIVITY_KIND_MEMCPY;
    DELETE FROM CUPTI_ACTIVITY_KIND_MEMSET;)";

TEST_F(SmallTrace, RangesWithoutKernelsAreRead) {
  const auto ranges = import_after(kNoGpu);
  EXPECT_EQ(ranges.find("launches")->rows(), 0u);
  EXPECT_GT(ranges.find("ranges")->rows(), 0u);
  EXPECT_EQ(reported(ranges, "no-kernels"), 1);
}

TEST_F(SmallTrace, MpiCallsWithoutKernelsAreRead) {
  const auto messages = import_after(std::string(kNoGpu) + R"(DELETE FROM NVTX_EVENTS;
    INSERT INTO StringIds VALUES (20,'MPI_Send');
    CREATE TABLE MPI_P2P_EVENTS (start INTEGER NOT NULL, end INTEGER, globalTid INTEGER, textId INTEGER);
    INSERT INTO MPI_P2P_EVENTS VALUES (100,200,281476268556365,20);)");
  EXPECT_EQ(messages.find("messages")->rows(), 1u);
  EXPECT_EQ(reported(messages, "no-kernels"), 1);
}

TEST_F(SmallTrace, MigrationsBelongToTheDeviceAndToNoStreamOrCall) {
  const auto data = import_after(R"(
    INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (6100,6300,0,0,0,0,281476268556288,4096,11,2),
      (6300,6400,0,0,0,0,281476268556288,4096,12,4))");
  EXPECT_EQ(data.resources[column<std::uint32_t>(data, "transfers", "stream")[2]].kind, ResourceKind::Device);
  EXPECT_EQ(column<std::uint8_t>(data, "transfers", "kind")[2],
            static_cast<std::uint8_t>(store::TransferKind::MigrationHostToDevice));
  EXPECT_EQ(column<float>(data, "launches", "migration_ns"), (std::vector<float>{0, 0, 300}));
  EXPECT_EQ(column<float>(data, "launches", "migration_count"), (std::vector<float>{0, 0, 2}));
  EXPECT_EQ(column<float>(data, "launches", "page_fault_count"), (std::vector<float>{0, 0, 1}));
}

TEST_F(SmallTrace, CallsOfOtherEventClassesAreDroppedAndReported) {
  const auto data = import_after(R"(
    INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (700,800,67,281476268556365,1,2,0), (10,20,1,281476268556365,9,2,600))");
  EXPECT_EQ(column<std::int64_t>(data, "calls", "start").size(), 5u);
  EXPECT_EQ(column<std::uint32_t>(data, "calls", "result")[0], 600u);
  EXPECT_EQ(reported(data, "back-trace-duplicates"), 1);
}

TEST_F(SmallTrace, TheSameNumberInAnotherProcessIsAnotherCall) {
  const auto data = import_after(R"(
    INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (990,999,0,281476285333581,1,2,0))");
  EXPECT_EQ(column<std::int64_t>(data, "calls", "start")[column<std::uint32_t>(data, "launches", "call")[0]],
            700);
  EXPECT_EQ(reported(data, "ambiguous-call"), 0);
}

TEST_F(SmallTrace, DuplicateNumbersInOneProcessTakeTheLatestCallBefore) {
  const auto data = import_after(R"(
    INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (990,999,0,281476268556365,1,2,0),
      (8000,8100,0,281476268556365,1,2,0))");
  EXPECT_EQ(column<std::int64_t>(data, "calls", "start")[column<std::uint32_t>(data, "launches", "call")[0]],
            990);
  EXPECT_EQ(reported(data, "ambiguous-call"), 1);
}

TEST_F(SmallTrace, OverlappingLaunchesOfAStreamAreFlagged) {
  const auto data = import_after("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end=3500 WHERE start=1000");
  EXPECT_EQ(column<std::uint8_t>(data, "launches", "flags")[1] & store::kLaunchOverlaps,
            store::kLaunchOverlaps);
  EXPECT_EQ(reported(data, "overlapping-launches"), 1);
  EXPECT_EQ(column<float>(data, "launches", "gap_ns")[1], 0.0f);
}

TEST_F(SmallTrace, DevicesOfTheEarliestSchemaAreFound) {
  const auto data = import_after(R"(
    CREATE TABLE TARGET_INFO_GPU (vmId INTEGER, deviceId INTEGER, name TEXT, busLocation TEXT, isDiscrete INTEGER);
    INSERT INTO TARGET_INFO_GPU VALUES (1,0,'Tesla V100','0000:01:00.0',1);
    CREATE TABLE TARGET_INFO_CUDA_GPU (deviceId INTEGER, numMultiprocessors INTEGER);
    INSERT INTO TARGET_INFO_CUDA_GPU VALUES (0,80))");
  ASSERT_EQ(data.manifest.devices.size(), 1u);
  EXPECT_EQ(data.manifest.devices[0].name, "Tesla V100");
  EXPECT_EQ(data.manifest.devices[0].multiprocessors, 80);
}

TEST_F(SmallTrace, DevicesOfTwoProcessesThatAreOneGpuAreOneDevice) {
  const auto data = import_after(R"(
    CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT, uuid TEXT, cuDevice INTEGER, smCount INTEGER);
    INSERT INTO TARGET_INFO_GPU VALUES (0,'A','aa-0',1,10), (1,'B','bb-1',0,20);
    CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INTEGER, cudaId INTEGER, pid INTEGER);
    INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (1,0,77), (1,2,78), (0,0,78);
    INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT 1500,1700,2,1,7,1,281476285333504,0,1,1,32,8,1,1,128,1,1,0,0,NULL)");
  ASSERT_EQ(data.manifest.devices.size(), 1u);
  EXPECT_EQ(data.manifest.devices[0].name, "B");
  EXPECT_EQ(column<float>(data, "launches", "concurrency")[1], 1.0f); // within a launch of the other process
  EXPECT_FLOAT_EQ(column<float>(data, "launches", "concurrency")[0], 0.2f);
}

// Instances of one GPU (MIG) run at the same time without sharing its multiprocessors.
TEST_F(SmallTrace, InstancesOfAGpuAreDevicesOfTheirOwn) {
  const auto data = import_after(R"(
    CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT, uuid TEXT, cuDevice INTEGER, smCount INTEGER);
    INSERT INTO TARGET_INFO_GPU VALUES (0,'A','GPU-a',0,108);
    CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INTEGER, cudaId INTEGER, pid INTEGER, uuid TEXT, numMultiprocessors INTEGER);
    INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (0,0,77,'MIG-1',14), (0,2,78,'MIG-2',28);
    INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT 1500,1700,2,1,7,1,281476285333504,0,1,1,32,8,1,1,128,1,1,0,0,NULL)");
  ASSERT_EQ(data.manifest.devices.size(), 2u);
  EXPECT_EQ(data.manifest.devices[0].uuid, "MIG-1");
  EXPECT_EQ(data.manifest.devices[0].multiprocessors, 14);
  EXPECT_EQ(data.manifest.devices[1].uuid, "MIG-2");
  EXPECT_EQ(data.manifest.devices[1].multiprocessors, 28);
  EXPECT_EQ(data.manifest.devices[1].name, "A");
  EXPECT_EQ(column<float>(data, "launches", "concurrency")[0], 0.0f);
}

TEST_F(SmallTrace, SamplesReachLaunchesOfTheirGpu) {
  const auto data = import_after(R"(
    CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT, uuid TEXT, cuDevice INTEGER);
    INSERT INTO TARGET_INFO_GPU VALUES (0,'A','aa-0',1), (1,'B','bb-1',0);
    CREATE TABLE TARGET_INFO_GPU_METRICS (typeId INTEGER, sourceId INTEGER, typeName TEXT, metricId INTEGER, metricName TEXT);
    INSERT INTO TARGET_INFO_GPU_METRICS VALUES (281479271677953,0,'',4,'GPC Clock Frequency [MHz]');
    CREATE TABLE GPU_METRICS (timestamp INTEGER, typeId INTEGER, metricId INTEGER, value INTEGER);
    INSERT INTO GPU_METRICS VALUES (-50,281479271677953,4,7), (1500,281479271677953,4,-1405118961),
      (3500,281479271677953,4,1200), (3600,281479271677953,9,1), (NULL,281479271677953,4,1))");
  const auto& clock = column<float>(data, "launches", "mean_gpc_clock_frequency");
  EXPECT_EQ(clock[0], 2889848335.0f);
  EXPECT_EQ(clock[1], 1200.0f);
  EXPECT_TRUE(std::isnan(clock[2]));
  expect_reported(
      data,
      {{"overflowed-clock", 1}, {"sample-before-start", 1}, {"unknown-metric", 1}, {"missing-time", 1}});
  EXPECT_EQ(name_of(data, "counters", "unit", 0), "Hz"); // regardless of the name
}

constexpr const char* kGraphTrace = R"(
  CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL,
    graphId INTEGER, graphExecId INTEGER, contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER);
  INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (8000,9500,0,3,4,1,7,20,281476268556288),
    (9600,9900,0,3,4,1,7,21,281476268556288);)";

TEST_F(SmallTrace, GraphsWithoutTheirKernelsAreLaunches) {
  const auto data = import_after(kGraphTrace);
  EXPECT_EQ(launch_starts(data), (Integers{1000, 3000, 6000, 8000, 9600}));
  EXPECT_EQ(launch_durations(data)[3], 1500);
  EXPECT_EQ(name_of(data, "kernels", "name", 1), "CUDA graph 3");
  EXPECT_TRUE(column<std::uint8_t>(data, "launches", "flags")[3] & store::kLaunchGraph);
  EXPECT_EQ(reported(data, "graph-launches"), 2);
}

TEST_F(SmallTrace, GraphsWhoseKernelsAreRecordedAreLeftOut) {
  // The third kernel is a node of graph 3; the same call launched another graph.
  const auto data = import_after(std::string(kGraphTrace) + R"(
    UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET graphNodeId = 12884901889 WHERE start = 6000;
    INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (9910,9920,0,9,9,1,7,3,281476268556288))");
  EXPECT_EQ(launch_starts(data), (Integers{1000, 3000, 6000}));
  EXPECT_EQ(reported(data, "graph-of-kernels"), 3);
}

TEST_F(SmallTrace, OnlyGraphsAreATrace) {
  const auto data =
      import_after(std::string(kGraphTrace) +
                   "DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL; DELETE FROM CUPTI_ACTIVITY_KIND_MEMCPY;"
                   "DELETE FROM CUPTI_ACTIVITY_KIND_MEMSET;");
  EXPECT_EQ(launch_durations(data), (Integers{1500, 300}));
}

TEST_F(SmallTrace, WithoutKernelsStillShowsItsCopies) {
  const auto data = import_after("DROP TABLE CUPTI_ACTIVITY_KIND_KERNEL");
  EXPECT_EQ(launch_starts(data).size(), 0u);
  EXPECT_EQ(column<std::int64_t>(data, "transfers", "start").size(), 2u);
  EXPECT_EQ(reported(data, "no-kernels"), 1);
}

TEST_F(SmallTrace, ReadsColumnsByNameInAnyOrderAndIgnoresOthers) {
  const auto data = import_after(R"(
    CREATE TABLE t AS SELECT 'extra' AS name, correlationId, end, start, globalTid, nameId, eventClass, returnValue
      FROM CUPTI_ACTIVITY_KIND_RUNTIME;
    DROP TABLE CUPTI_ACTIVITY_KIND_RUNTIME; ALTER TABLE t RENAME TO CUPTI_ACTIVITY_KIND_RUNTIME)");
  EXPECT_EQ(column<std::uint32_t>(data, "launches", "call"), (Rows{0, 1, 2}));
}

} // namespace
} // namespace jitterscope::import
