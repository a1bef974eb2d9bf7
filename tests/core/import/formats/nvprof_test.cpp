// Databases of nvprof, made here: there is no real sample file.

#include <filesystem>

#include "tests/core/import/formats/table/table_support.h"

namespace jitterscope::import {
namespace {

const std::string kTables = R"(
  CREATE TABLE Version (_id_ INTEGER PRIMARY KEY, version INT); INSERT INTO Version VALUES (1, 18);
  CREATE TABLE StringTable (_id_ INTEGER PRIMARY KEY, value TEXT);
  INSERT INTO StringTable VALUES (1,'_Z6vecAddPdS_S_i'),(2,'Tesla V100'),(3,'phase'),(4,'plain_name'),(5,'');
  CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (_id_ INTEGER PRIMARY KEY, cacheConfig BLOB, start INT, end INT, completed INT,
    deviceId INT, contextId INT, streamId INT, gridX INT, gridY INT, gridZ INT, blockX INT, blockY INT, blockZ INT,
    staticSharedMemory INT, dynamicSharedMemory INT, registersPerThread INT, correlationId INT, gridId INT, name INT,
    queued INT, submitted INT, graphNodeId INT);
  CREATE TABLE CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL (_id_ INTEGER PRIMARY KEY, cacheConfig BLOB, start INT, end INT,
    completed INT, deviceId INT, contextId INT, streamId INT, gridX INT, gridY INT, gridZ INT, blockX INT, blockY INT,
    blockZ INT, staticSharedMemory INT, dynamicSharedMemory INT, registersPerThread INT, correlationId INT, gridId INT,
    name INT, queued INT, submitted INT, graphNodeId INT);
  CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (_id_ INTEGER PRIMARY KEY, copyKind INT, srcKind INT, dstKind INT, flags INT,
    bytes INT, start INT, end INT, deviceId INT, contextId INT, streamId INT, correlationId INT, runtimeCorrelationId INT);
  CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (_id_ INTEGER PRIMARY KEY, value INT, bytes INT, start INT, end INT, deviceId INT,
    contextId INT, streamId INT, correlationId INT);
  CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (_id_ INTEGER PRIMARY KEY, cbid INT, start INT, end INT, processId INT,
    threadId INT, correlationId INT, returnValue INT);
  CREATE TABLE CUPTI_ACTIVITY_KIND_DRIVER (_id_ INTEGER PRIMARY KEY, cbid INT, start INT, end INT, processId INT,
    threadId INT, correlationId INT, returnValue INT);
  CREATE TABLE CUPTI_ACTIVITY_KIND_MARKER (_id_ INTEGER PRIMARY KEY, flags INT, timestamp INT, id INT, objectKind INT,
    objectId BLOB, name INT, domain INT);
  CREATE TABLE CUPTI_ACTIVITY_KIND_DEVICE (_id_ INTEGER PRIMARY KEY, id INT, name INT, numMultiprocessors INT,
    computeCapabilityMajor INT, computeCapabilityMinor INT, uuid BLOB);
  INSERT INTO CUPTI_ACTIVITY_KIND_DEVICE VALUES (1,0,2,80,7,0,x'00');
)";

std::string kernel(const std::string& table, const std::string& start, const std::string& end,
                   int correlation, const std::string& name = "1", const std::string& device = "0") {
  return "INSERT INTO " + table +
         "(cacheConfig,start,end,deviceId,contextId,streamId,gridX,gridY,gridZ,blockX,blockY,blockZ," +
         "staticSharedMemory,dynamicSharedMemory,registersPerThread,correlationId,name) VALUES (x'0102'," +
         start + "," + end + "," + device + ",1,7,100,1,1,256,1,1,16,0,24," + std::to_string(correlation) +
         "," + name + ");";
}

class NvprofDatabase : public testing::Test {
protected:
  Expected<store::TraceData> import_sql(const std::string& sql) {
    run_sql(path(), kTables + sql);
    return import_files({path()}, Job{});
  }
  std::string path() const { return folder_.path("a.nvvp"); }
  TemporaryFolder folder_;
};

const std::string kRest = R"(
  INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1,211,1700000000000000000,1700000000000000800,77,1234,5,0),
    (2,31,1700000000000002000,1700000000000009000,77,1234,6,0),(3,9999,1700000000000009500,1700000000000009600,77,1235,9,0);
  INSERT INTO CUPTI_ACTIVITY_KIND_DRIVER VALUES (1,307,1700000000000000100,1700000000000000700,77,1234,15,0);
  INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (1,1,1,3,0,8000,1700000000000003000,1700000000000004000,0,1,7,16,6);
  INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (1,0,64,1700000000000005000,1700000000000005100,0,1,8,0);
  INSERT INTO CUPTI_ACTIVITY_KIND_MARKER VALUES (1,2,1700000000000000050,1,0,x'00',3,0),
    (2,4,1700000000000006050,1,0,x'00',0,0),(3,1,1700000000000007000,2,0,x'00',3,0);
)";

TEST_F(NvprofDatabase, EitherKernelTable) {
  for (const auto* table : {"CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL", "CUPTI_ACTIVITY_KIND_KERNEL"}) {
    std::filesystem::remove(path());
    const auto imported = import_sql(kRest + kernel(table, "1700000000000001000", "1700000000000001500", 5) +
                                     kernel(table, "1700000000000001600", "1700000000000001700", 500, "4"));
    ASSERT_TRUE(imported.has_value()) << describe(imported.error());
    const auto& data = *imported;
    EXPECT_EQ(launch_starts(data), (Integers{1000, 1600}));
    EXPECT_EQ(launch_durations(data), (Integers{500, 100}));
    EXPECT_EQ(data.manifest.sources[0].utc_ns, 1'700'000'000'000'000'000);
    EXPECT_EQ(data.manifest.sources[0].format, "nvprof database");
    EXPECT_EQ(data.manifest.sources[0].schema, "18");
    EXPECT_EQ(launches_by_kernel(data, "name"),
              (std::map<std::string, int>{{"vecAdd(double*, double*, double*, int)", 1}, {"plain_name", 1}}));
    EXPECT_EQ(launches_by_kernel(data), (std::map<std::string, int>{{"vecAdd", 1}, {"plain_name", 1}}));
    EXPECT_EQ(configuration_value(data, "registers", 0), 24u);
    const auto& calls = column<std::uint32_t>(data, "calls", "name");
    EXPECT_EQ(data.strings[StringId{calls[column<std::uint32_t>(data, "launches", "call")[0]]}],
              "cudaLaunchKernel");
    EXPECT_EQ(column<std::uint32_t>(data, "launches", "call")[1], kNone);
    EXPECT_EQ(data.strings[StringId{calls[column<std::uint32_t>(data, "transfers", "call")[0]]}],
              "cudaMemcpy");
    EXPECT_EQ(data.strings[StringId{calls[3]}], "CUDA runtime call 9999");
    EXPECT_EQ(column<std::int64_t>(data, "transfers", "bytes"), (Integers{8000, 64}));
    EXPECT_EQ(column<std::int64_t>(data, "ranges", "duration"), (Integers{6000, 0}));
    ASSERT_EQ(data.manifest.devices.size(), 1u);
    EXPECT_EQ(data.manifest.devices[0].name, "Tesla V100");
    EXPECT_EQ(data.manifest.devices[0].multiprocessors, 80);
    EXPECT_EQ(data.resources[1].number, 77);
  }
}

TEST_F(NvprofDatabase, ErrorsAreCounted) {
  const std::string table = "CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL";
  const auto data = import_sql(
      kRest + kernel(table, "1700000000000001000", "1700000000000001500", 5) + kernel(table, "'x'", "5", 5) +
      kernel(table, "1700000000000001000", "1600000000000001500", 5) + kernel(table, "7", "9", 5) +
      kernel(table, "9223372036854775807", "9223372036854775807", 5) +
      kernel(table, "1700000000000001000", "1700000000000001500", 5, "99") +
      kernel(table, "1700000000000001000", "1700000000000001500", 5, "1", "-4") +
      "UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET bytes=-1, copyKind=99");
  ASSERT_TRUE(data.has_value()) << describe(data.error());
  EXPECT_EQ(launches_of(*data), 1u);
  EXPECT_EQ(reported(*data, "missing-time"), 1);
  EXPECT_EQ(reported(*data, "negative-duration"), 1);
  EXPECT_EQ(reported(*data, "impossible-time"), 2);
  EXPECT_EQ(reported(*data, "missing-name"), 1);
  EXPECT_EQ(reported(*data, "missing-device"), 1);
  EXPECT_EQ(reported(*data, "bad-bytes"), 1);
}

TEST_F(NvprofDatabase, WithoutKernelsAndCopiesIsAnError) {
  const auto data = import_sql("");
  ASSERT_FALSE(data.has_value());
  EXPECT_NE(data.error().message.find("nvprof database"), std::string::npos);
}

const std::string kCounterTables = R"(
  CREATE TABLE CUPTI_ACTIVITY_KIND_METRIC (_id_ INTEGER PRIMARY KEY, id INT, value BLOB, correlationId INT, flags INT);
  CREATE TABLE CUPTI_ACTIVITY_KIND_METRIC_INSTANCE (_id_ INTEGER PRIMARY KEY, id INT, value BLOB, instance INT,
    correlationId INT, flags INT);
  CREATE TABLE CUPTI_ACTIVITY_KIND_EVENT (_id_ INTEGER PRIMARY KEY, id INT, value INT, domain INT, correlationId INT);
  CREATE TABLE CUPTI_ACTIVITY_KIND_EVENT_INSTANCE (_id_ INTEGER PRIMARY KEY, id INT, domain INT, instance INT, value INT,
    correlationId INT);
  CREATE TABLE CUPTI_ACTIVITY_KIND_PC_SAMPLING (_id_ INTEGER PRIMARY KEY, flags INT, sourceLocatorId INT,
    correlationId INT, functionId INT, pcOffset INT, latencySamples INT, samples INT, stallReason INT);
)";

TEST_F(NvprofDatabase, CountersAreColumnsOfLaunches) {
  const std::string table = "CUPTI_ACTIVITY_KIND_KERNEL";
  // 0.75 and 0.25, little-endian doubles; 300 and 2^40 as integers.
  const auto imported =
      import_sql(kRest + kernel(table, "1700000000000001000", "1700000000000001500", 5) +
                 kernel(table, "1700000000000001600", "1700000000000001700", 6) + kCounterTables + R"(
    INSERT INTO CUPTI_ACTIVITY_KIND_METRIC VALUES (1,71,x'000000000000E83F',5,0),(2,71,x'000000000000D03F',6,0),
      (3,72,x'2C01000000000000',5,0),(4,72,x'0000000000010000',6,0),(5,72,x'2C01000000000000',99,0),(6,72,x'00',5,0);
    INSERT INTO CUPTI_ACTIVITY_KIND_METRIC_INSTANCE VALUES (1,73,x'000000000000E83F',0,5,0),(2,73,x'000000000000D03F',1,5,0),
      (3,71,x'000000000000D03F',0,5,0);
    INSERT INTO CUPTI_ACTIVITY_KIND_EVENT VALUES (1,8,41,0,6);
    INSERT INTO CUPTI_ACTIVITY_KIND_EVENT_INSTANCE VALUES (1,9,0,0,3,5),(2,9,0,1,4,5);
    INSERT INTO CUPTI_ACTIVITY_KIND_PC_SAMPLING VALUES (1,0,1,5,1,16,2,10,4),(2,0,1,5,1,32,1,5,4),(3,0,1,6,1,16,0,7,1);
    CREATE TABLE CUPTI_ACTIVITY_KIND_BRANCH (_id_ INTEGER PRIMARY KEY, executed INT);
    INSERT INTO CUPTI_ACTIVITY_KIND_BRANCH VALUES (1,3),(2,4);
  )");
  ASSERT_TRUE(imported.has_value()) << describe(imported.error());
  const auto& data = *imported;
  EXPECT_EQ(numbers(data, "metric_71"), (std::vector<double>{0.75, 0.25}));
  EXPECT_EQ(numbers(data, "metric_72"), (std::vector<double>{300, 1099511627776}));
  EXPECT_EQ(numbers(data, "metric_73")[0], 0.5); // the mean of both instances
  EXPECT_EQ(numbers(data, "event_8")[1], 41);
  EXPECT_EQ(numbers(data, "event_9")[0], 7);
  EXPECT_EQ(numbers(data, "samples_memory_dependency")[0], 15);
  EXPECT_EQ(numbers(data, "samples_none")[1], 7);
  EXPECT_EQ(numbers(data, "samples_waiting"), (std::vector<double>{3, 0}));
  expect_reported(data, {{"counters-without-launch", 1},
                         {"missing-value", 1},
                         {"counters-without-name", 1},
                         {"not-imported", 2}});
}

TEST_F(NvprofDatabase, ClockOfTheDeviceFarFromTheHosts) {
  const std::string table = "CUPTI_ACTIVITY_KIND_KERNEL";
  std::string sql = kRest;
  for (const std::int64_t by : {186'104'000'000'000, -186'104'000'000'000}) {
    std::filesystem::remove(path());
    const auto at = [&](std::int64_t ns) { return std::to_string(1'700'000'000'000'000'000 + by + ns); };
    const auto imported = import_sql(
        R"(INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1,211,1700000000000000000,1700000000000000800,77,1234,5,0),
          (2,211,1700000000000002000,1700000000000002500,77,1234,6,0);)" +
        kernel(table, at(1000), at(1500), 5) + kernel(table, at(2600), at(2700), 6));
    ASSERT_TRUE(imported.has_value()) << describe(imported.error());
    EXPECT_EQ(column<std::int64_t>(*imported, "calls", "start"), (Integers{0, 2000}));
    // The clocks are aligned so that the shortest delay is zero: that of the second launch, 600 ns after the
    // start of its call.
    EXPECT_EQ(launch_starts(*imported), (Integers{400, 2000}));
    EXPECT_EQ(column<std::uint32_t>(*imported, "launches", "call"), (Rows{0, 1}));
    EXPECT_EQ(imported->manifest.sources[0].utc_ns, 1'700'000'000'000'000'000);
    EXPECT_EQ(reported(*imported, "clock-offset"), 2);
  }
}

TEST_F(NvprofDatabase, ManyRows) {
  std::string sql =
      "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i+1 FROM n WHERE i<999) INSERT INTO "
      "CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL(start,end,deviceId,contextId,streamId,correlationId,name) "
      "SELECT 1700000000000000000+i*100,1700000000000000050+i*100,0,1,7+i%3,i+1,1 FROM n;"
      "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i+1 FROM n WHERE i<2999) INSERT INTO "
      "CUPTI_ACTIVITY_KIND_MEMCPY(start,end,deviceId,contextId,streamId,correlationId,bytes,copyKind) "
      "SELECT 1700000000000000000+i*30,1700000000000000010+i*30,0,1,7,i+5000,64,1+i%2 FROM n;";
  const auto data = import_sql(sql);
  ASSERT_TRUE(data.has_value()) << describe(data.error());
  EXPECT_EQ(launches_of(*data), 1000u);
  EXPECT_EQ(column<std::int64_t>(*data, "transfers", "start").size(), 3000u);
  EXPECT_EQ(launch_starts(*data).back(), 99'900);
}

} // namespace
} // namespace jitterscope::import
