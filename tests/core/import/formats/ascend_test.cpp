// Ascend devices: tables and timelines of torch_npu and msprof.

#include <filesystem>

#include "tests/core/import/formats/table/table_support.h"

namespace jitterscope::import {
namespace {

using enum store::TransferKind;

class Ascend : public TableTest {};

const std::string kKernels = "Step Id,Device_id,Model ID,Task ID,Stream ID,Name,Type,OP State,Accelerator "
                             "Core,Start Time(us),Duration(us),Wait Time(us),"
                             "Block Dim,Mix Block Dim,Input Shapes,aicore_time(us),aiv_vec_ratio\n"
                             "50,1,4294967295,11061,2,trans_TransData_0,TransData,dynamic,AI_VECTOR_CORE,"
                             "1736412474730135.222\t,55.161,0,32,0,\"\"\"32,3\"\"\",0.0,0.188\n"
                             "50,1,4294967295,11063,2,Conv2D1,Conv2D,dynamic,AI_CORE,1736412474730415.308\t,"
                             "311.646,112.442,16,0,\"\"\"32,1\"\"\",309.984,0.0\n"
                             "50,1,4294967295,N/A,N/A,hcom_allReduce__483_2,hcom_allReduce_,N/"
                             "A,HCCL,1736412474730800.000\t,2976.666,545.4,0,N/A,N/A,N/A,N/A\n";

std::string hardware(const char* name, const char* type, double ts, double dur, const std::string& more = "",
                     int stream = 2) {
  return fmt::format(
      R"({{"name": "{}", "pid": 3254, "tid": {}, "ts": "{:.3f}", "dur": {}, "args": {{"Model Id": 4294967295, "Task Type": "{}", "Physic Stream Id": {}, "Task Id": 8{}}}, "ph": "X"}},)",
      name, stream, ts, dur, type, stream, more);
}

const std::string kTimeline =
    R"([{"ph": "X", "name": "aten::add", "pid": 77, "tid": 77, "ts": "1736412474714258.990", "dur": 167.56, "cat": "cpu_op", "args": {}},)" +
    hardware("Add_1", "AI_VECTOR_CORE", 1736412474730135.222, 55.161) +
    hardware("Conv2D1", "AI_CORE", 1736412474730415.308, 311.5) +
    hardware("MEMCPY_ASYNC", "PCIE_DMA_SQE", 1736412474731000, 8.5,
             R"j(, "data size(Byte)": 4096, "memcpy direction": "host to device ex")j") +
    hardware("EVENT_WAIT", "EVENT_WAIT_SQE", 1736412474732000, 0.02) +
    hardware("Notify Wait", "Notify Wait", 1736412474732001, 100, "", 4) +
    R"({"name": "Node@launch", "pid": 3255, "tid": 78, "ts": "1736412474730110.860", "dur": 35.0, "args": {"item_id": "Add_1", "connection_id": 990}, "ph": "X"},
          {"name": "HostToDevice990", "ph": "s", "cat": "HostToDevice", "id": "990", "pid": 3255, "tid": 78, "ts": "1736412474730110.860"},
          {"name": "HostToDevice990", "ph": "f", "id": "990", "ts": "1736412474730135.222", "cat": "HostToDevice", "pid": 3254, "tid": 2, "bp": "e"},
          {"ph": "M", "name": "process_name", "pid": 77, "tid": 0, "args": {"name": "Python"}},
          {"name": "process_name", "pid": 3254, "tid": 0, "args": {"name": "Ascend Hardware"}, "ph": "M"},
          {"name": "process_name", "pid": 3255, "tid": 0, "args": {"name": "CANN"}, "ph": "M"},
          {"name": "process_labels", "pid": 3254, "tid": 0, "args": {"labels": "NPU"}, "ph": "M"},
          {"name": "thread_name", "pid": 3254, "tid": 2, "args": {"name": "Stream 2"}, "ph": "M"},
          {"name": "thread_name", "pid": 3254, "tid": 4, "args": {"name": "Stream 4"}, "ph": "M"}])";

TEST_F(Ascend, TasksOfAnUnknownTypeAreJudgedByTheirNames) {
  const auto data = import_good_text(
      "[" + hardware("aclnnMm_MatMulCommon_MatMulV2", "Other", 100, 20) +
          hardware("MEMCPY_ASYNC", "Other", 130, 5) + hardware("EVENT_RECORD", "Other", 140, 1) +
          R"({"name": "process_name", "pid": 3254, "tid": 0, "args": {"name": "Ascend Hardware"}, "ph": "M"}])",
      "trace_view.json");
  EXPECT_EQ(launches_by_kernel(data, "name"),
            (std::map<std::string, int>{{"aclnnMm_MatMulCommon_MatMulV2", 1}}));
  EXPECT_EQ(data.find("transfers")->rows(), 1u);
  EXPECT_EQ(data.find("ranges")->rows(), 1u);
}

TEST_F(Ascend, KernelDetailsAreLaunches) {
  const auto data = import_good_text(kKernels, "kernel_details.csv");
  EXPECT_EQ(data.manifest.sources[0].format, "Ascend kernels");
  EXPECT_FALSE(data.manifest.launch_order);
  EXPECT_EQ(
      launches_by_kernel(data, "name"),
      (std::map<std::string, int>{{"trans_TransData_0", 1}, {"Conv2D1", 1}, {"hcom_allReduce__483_2", 1}}));
  EXPECT_EQ(launch_durations(data), (Integers{55'161, 311'646, 2'976'666}));
  EXPECT_EQ(launch_starts(data), (Integers{0, 280'086, 664'778}));
  EXPECT_EQ(configuration_value(data, "grid_x", 0), 32u); // blocks, each on one core
  EXPECT_EQ(configuration_value(data, "block_x", 0), 0u);
  EXPECT_EQ(text_at(data, "accelerator_core", 1), "AI_CORE");
  EXPECT_EQ(unit_of(data, "aicore_time"), "ns");
  EXPECT_EQ(data.manifest.devices.size(), 1u);
}

TEST_F(Ascend, SummariesOfMsprofAreLaunches) {
  const auto data =
      import_good_text("Device_id,Model ID,Task ID,Stream ID,Op Name,OP Type,OP State,Task Type,Task Start "
                       "Time(us),Task Duration(us),Task Wait Time(us),Block Num\n"
                       "0,1,2451,16,ZerosLike,ZerosLike,static,AI_CORE,1695115378713661,496.8508,0,48\n",
                       "op_summary_1.csv");
  EXPECT_EQ(launch_durations(data), (Integers{496'851}));
  EXPECT_EQ(configuration_value(data, "grid_x", 0), 48u);
}

TEST_F(Ascend, OtherTablesOfAFolderAreNamed) {
  const auto folder = folder_.path("rank3_ascend_pt/ASCEND_PROFILER_OUTPUT");
  std::filesystem::create_directories(folder);
  write_bytes(folder + "/kernel_details.csv", kKernels);
  write_bytes(folder + "/memory_record.csv",
              "Component,Timestamp(us),Total Allocated(MB)\nAPP,1736412474607990.240\t,5\n");
  write_bytes(folder + "/op_statistic.csv",
              "OP Type,Core Type,Count,Total Time(us),Min Time(us)\nAdd,AI_VECTOR_CORE,3,1954.719,623.732\n");
  const auto data = import_good({folder});
  EXPECT_EQ(launches_of(data), 3u);
  EXPECT_EQ(reported(data, "not-imported"), 2);
  EXPECT_EQ(
      std::count_if(data.resources.begin(), data.resources.end(), [](const auto& r) { return r.rank == 3; }),
      1);
  write_bytes(folder + "/trace_view.json", kTimeline);
  const auto both = import_good({folder});
  EXPECT_EQ(launches_of(both), 2u);
  EXPECT_EQ(reported(both, "file-left-out"), 1);
  const auto alone = import_good({folder + "/op_statistic.csv"});
  EXPECT_EQ(reported(alone, "no-kernels"), 1);
}

TEST_F(Ascend, StreamsOfATimelineHaveKernelsAndCopies) {
  const auto data = import_good_text(kTimeline, "trace_view.json");
  EXPECT_EQ(launches_by_kernel(data, "name"), (std::map<std::string, int>{{"Add_1", 1}, {"Conv2D1", 1}}));
  EXPECT_EQ(launch_durations(data), (Integers{55'161, 311'500}));
  EXPECT_EQ(text_at(data, "task_type", 1), "AI_CORE");
  EXPECT_EQ(column<std::int64_t>(data, "transfers", "bytes"), (Integers{4096}));
  EXPECT_EQ(column<std::uint8_t>(data, "transfers", "kind"),
            (Codes{static_cast<std::uint8_t>(HostToDevice)}));
  const auto call = column<std::uint32_t>(data, "launches", "call")[0];
  ASSERT_NE(call, kNone);
  EXPECT_EQ(string_at(data, "calls", "name", call), "Node@launch");
  EXPECT_EQ(data.find("ranges")->rows(), 3u); // an operator and two waits
}

const std::string kDatabase = R"(
CREATE TABLE SESSION_TIME_INFO (startTimeNs INTEGER, endTimeNs INTEGER);
INSERT INTO SESSION_TIME_INFO VALUES (1736414119518476000, 1736414119924891000);
CREATE TABLE NPU_INFO (id INTEGER, name TEXT); INSERT INTO NPU_INFO VALUES (5, 'Ascend910B');
CREATE TABLE RANK_DEVICE_MAP (rankId INTEGER, deviceId INTEGER); INSERT INTO RANK_DEVICE_MAP VALUES (3, 5);
CREATE TABLE STRING_IDS (id INTEGER PRIMARY KEY, value TEXT);
INSERT INTO STRING_IDS VALUES (1,'Add_1'),(2,'KERNEL_AIVEC'),(3,'MEMCPY_ASYNC'),(4,'EVENT_WAIT'),(5,'aclrtLaunch'),
  (6,'aten::add'),(7,'hcom_allReduce_');
CREATE TABLE COMPUTE_TASK_INFO (name INTEGER, globalTaskId INTEGER PRIMARY KEY, blockDim INTEGER, taskType INTEGER);
INSERT INTO COMPUTE_TASK_INFO VALUES (1, 0, 32, 2);
CREATE TABLE TASK (startNs INTEGER, endNs INTEGER, deviceId INTEGER, connectionId INTEGER, globalTaskId INTEGER,
  globalPid INTEGER, taskType INTEGER, contextId INTEGER, streamId INTEGER, taskId INTEGER, modelId INTEGER);
INSERT INTO TASK VALUES (1736414119518476100, 1736414119518476400, 5, 965, 0, 77, 2, 0, 2, 1, 0),
  (1736414119518476500, 1736414119518476600, 5, 966, 1, 77, 3, 0, 2, 2, 0),
  (1736414119518476700, 1736414119518476800, 5, 967, 2, 77, 4, 0, 2, 3, 0);
CREATE TABLE MEMCPY_INFO (globalTaskId INTEGER, size INTEGER, memcpyOperation INTEGER); INSERT INTO MEMCPY_INFO VALUES (1, 4096, 1);
CREATE TABLE ENUM_MEMCPY_OPERATION (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO ENUM_MEMCPY_OPERATION VALUES (1, 'host to device');
CREATE TABLE CANN_API (startNs INTEGER, endNs INTEGER, type INTEGER, globalTid INTEGER, connectionId INTEGER, name INTEGER);
INSERT INTO CANN_API VALUES (1736414119518476010, 1736414119518476020, 0, 330712481870, 965, 5);
CREATE TABLE PYTORCH_API (startNs TEXT, endNs TEXT, globalTid INTEGER, name INTEGER);
INSERT INTO PYTORCH_API VALUES ('1736414119518476005', '1736414119518476050', 330712481870, 6);
CREATE TABLE COMMUNICATION_OP (opName INTEGER, startNs INTEGER, endNs INTEGER, connectionId INTEGER);
INSERT INTO COMMUNICATION_OP VALUES (7, 1736414119518477000, 1736414119518478000, 0);
CREATE TABLE AICORE_FREQ (deviceId INTEGER, timestampNs NUMERIC, freq INTEGER);
INSERT INTO AICORE_FREQ VALUES (5, 1736414119518476000, 1800);
CREATE TABLE HBM (deviceId INTEGER, timestampNs INTEGER, bandwidth NUMERIC); INSERT INTO HBM VALUES (5, 1, 2), (5, 2, 3);
)";

TEST_F(Ascend, DatabasesHoldTheSame) {
  run_sql(folder_.path("ascend_pytorch_profiler_3.db"), kDatabase);
  const auto data = import_good({folder_.path("ascend_pytorch_profiler_3.db")});
  EXPECT_EQ(data.manifest.sources[0].format, "Ascend database");
  EXPECT_EQ(data.manifest.origin_utc_ns, 1'736'414'119'518'476'000);
  EXPECT_EQ(launches_by_kernel(data, "name"),
            (std::map<std::string, int>{{"Add_1", 1}, {"hcom_allReduce_", 1}}));
  EXPECT_EQ(launch_starts(data), (Integers{100, 1000}));
  EXPECT_EQ(launch_durations(data), (Integers{300, 1000}));
  EXPECT_EQ(configuration_value(data, "grid_x", 0), 32u);
  EXPECT_EQ(text_at(data, "task_type", 0), "KERNEL_AIVEC");
  EXPECT_EQ(column<std::uint32_t>(data, "launches", "call")[0], 0u);
  EXPECT_EQ(column<std::int64_t>(data, "transfers", "bytes"), (Integers{4096}));
  EXPECT_EQ(column<std::uint8_t>(data, "transfers", "kind"),
            (Codes{static_cast<std::uint8_t>(HostToDevice)}));
  EXPECT_EQ(column<std::int64_t>(data, "ranges", "start"), (Integers{5}));
  EXPECT_EQ(column<double>(data, "samples", "value"), (std::vector<double>{1.8e9}));
  EXPECT_EQ(data.manifest.devices[0].name, "Ascend910B");
  EXPECT_EQ(
      std::count_if(data.resources.begin(), data.resources.end(), [](const auto& r) { return r.rank == 3; }),
      1);
  EXPECT_EQ(reported(data, "other-tasks"), 1);
  EXPECT_EQ(reported(data, "not-imported"), 2); // HBM
}

TEST_F(Ascend, DamageIsSurvived) {
  expect_damage_is_survived(kKernels, 11);
}

} // namespace
} // namespace jitterscope::import
