// Files that are damaged, wrong or malicious: they give a clear error or a report, never a crash.

#include <filesystem>
#include <random>

#include "core/store/format/store.h"
#include "tests/core/import/import_support.h"
#include "tests/core/import/small_trace.h"
#include "tests/core/import/temporary_files.h"
#include "tests/generator/generator.h"

namespace jitterscope::import {
namespace {

using store::TraceData;

class Hostile : public testing::Test {
protected:
  Expected<TraceData> import_after(const std::string& sql) {
    run_sql(path(), kSmallTrace + sql);
    return import_files({path()}, Job{});
  }
  TraceData import_good_after(const std::string& sql) {
    run_sql(path(), kSmallTrace + sql);
    return import_good({path()});
  }
  std::string path() const { return folder_.path("small.sqlite"); }

  // The bytes of a generated trace, to be damaged.
  std::string generated() {
    generator::Options options;
    options.launches = 1'500;
    options.causes = generator::all_causes();
    EXPECT_TRUE(generator::generate(options, folder_.path("whole.sqlite"), "").has_value());
    return read_bytes(folder_.path("whole.sqlite"));
  }

  void expect_bytes_survive(const std::string& bytes) {
    const auto damaged = folder_.path("damaged.sqlite");
    write_bytes(damaged, bytes);
    expect_trace_or_error(damaged);
  }

  TemporaryFolder folder_;
};

TEST_F(Hostile, RowsOfTheWrongTypeAreDroppedAndCounted) {
  const auto data = import_good_after(R"(
    INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES
      ('soon',2000,0,1,7,1,281476268556288,0,1,1,32,8,1,1,128,1,1,0,0,NULL),
      (NULL,2000,0,1,7,1,281476268556288,0,1,1,32,8,1,1,128,1,1,0,0,NULL),
      (9000,NULL,0,1,7,1,281476268556288,0,1,1,32,8,1,1,128,1,1,0,0,NULL),
      (9000,x'00ff',0,1,7,1,281476268556288,0,1,1,32,8,1,1,128,1,1,0,0,NULL),
      (9000,9100.5,0,1,7,1,281476268556288,0,1,1,32,8,1,1,128,1,1,0,0,NULL),
      (9000,8000,0,1,7,1,281476268556288,0,1,1,32,8,1,1,128,1,1,0,0,NULL),
      (9223372036854775000,9223372036854775807,0,1,7,1,281476268556288,0,1,1,32,8,1,1,128,1,1,0,0,NULL),
      (-9223372036854775808,9223372036854775807,0,1,7,1,281476268556288,0,1,1,32,8,1,1,128,1,1,0,0,NULL),
      (9000,9100,'zero',1,7,1,281476268556288,0,1,1,32,8,1,1,128,1,1,0,0,NULL),
      (9000,9100,-1,1,7,1,281476268556288,0,1,1,32,8,1,1,128,1,1,0,0,NULL),
      (9000,9100,0,1,7,1,281476268556288,NULL,NULL,1,32,8,1,1,128,1,1,0,0,NULL))");
  EXPECT_EQ(launch_starts(data).size(), 3u);
  expect_reported(data, {{"missing-time", 5},
                         {"negative-duration", 1},
                         {"impossible-time", 2},
                         {"missing-device", 2},
                         {"missing-name", 1}});
}

TEST_F(Hostile, ValuesThatDoNotFitAreRepairedOrDoubted) {
  const auto data = import_good_after(R"(
    INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES
      (9000,9100,0,1,7,99999999999,281476268556288,0,1,1,'many',4294967296,-1,1,128,1,1,0,0,NULL),
      (9200,9300,7,1,-9223372036854775808,1,NULL,123456,1,NULL,32,8,1,1,128,1,1,0,0,NULL),
      (9400,9400,0,1,7,0,-1,0,1,1,32,8,1,1,128,1,1,0,0,NULL);
    INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (9000,9001,0,1,8,4,281476268556288,-5,77,NULL),
      (9000,9001,0,1,8,4,281476268556288,9223372036854775807,'x',NULL), (9000,9001,0,1,8,4,281476268556288,1,11,99))");
  EXPECT_EQ(launch_starts(data).size(), 6u);
  expect_reported(data, {{"bad-configuration", 1},
                         {"missing-process", 1},
                         {"dangling-name", 1},
                         {"zero-duration", 1},
                         {"bad-bytes", 2},
                         {"unknown-copy-kind", 2}});
}

TEST_F(Hostile, TextThatIsNotUtf8IsMadeSo) {
  const auto data = import_good_after("UPDATE StringIds SET value=CAST(x'61ff00c328' AS TEXT) WHERE id=0");
  const auto name = string_at(data, "kernels", "name", 0);
  EXPECT_EQ(name, "a\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD(");
  EXPECT_TRUE(store::write_store(data, folder_.path("x.jts")).has_value());
}

TEST_F(Hostile, RangesNestedTooDeepAreCountedToTheLimit) {
  std::string sql = "INSERT INTO NVTX_EVENTS VALUES (0,99999,59,'deep',NULL,281476268556365,0)";
  for (int depth = 1; depth < 400; ++depth)
    sql += ",(" + std::to_string(depth) + ",99999,59,'deep',NULL,281476268556365,0)";
  const auto data = import_good_after(sql);
  const auto& depths = column<std::uint8_t>(data, "ranges", "depth");
  EXPECT_EQ(*std::max_element(depths.begin(), depths.end()), 255);
}

TEST_F(Hostile, AMissingColumnIsReportedByName) {
  auto needed = import_after("ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL DROP COLUMN streamId");
  ASSERT_FALSE(needed.has_value());
  EXPECT_EQ(needed.error().kind, ErrorKind::BadInput);
  EXPECT_EQ(needed.error().place, "CUPTI_ACTIVITY_KIND_KERNEL.streamId");
  EXPECT_EQ(needed.error().file, path());
}

TEST_F(Hostile, OtherMissingColumnsOnlyLeaveGaps) {
  const auto data = import_good_after(R"(
    ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL DROP COLUMN registersPerThread;
    ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL DROP COLUMN globalPid;
    ALTER TABLE CUPTI_ACTIVITY_KIND_RUNTIME DROP COLUMN eventClass;
    ALTER TABLE NVTX_EVENTS DROP COLUMN domainId;
    ALTER TABLE CUPTI_ACTIVITY_KIND_MEMSET DROP COLUMN bytes;
    ALTER TABLE ThreadNames DROP COLUMN priority;
    DROP TABLE PROCESSES)");
  EXPECT_EQ(launch_starts(data).size(), 3u);
  EXPECT_EQ(reported(data, "missing-column"), 2);
}

TEST_F(Hostile, AViewWithoutEndIsEnded) {
  const std::string columns =
      " AS start, x AS end, 0 AS deviceId, 0 AS contextId, 7 AS streamId, x AS correlationId, "
      "281476268556288 AS globalPid, 0 AS demangledName, 1 AS shortName FROM n";
  for (const auto* rows : {"", " WHERE x < 0"}) {
    TemporaryFolder folder;
    const auto path = folder.path("endless.sqlite");
    run_sql(path, kSmallTrace +
                      "DROP TABLE CUPTI_ACTIVITY_KIND_KERNEL; CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS "
                      "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM n) SELECT x" +
                      columns + rows);
    const auto data = import_files({path}, Job{});
    ASSERT_FALSE(data.has_value()) << rows;
    EXPECT_EQ(data.error().kind, ErrorKind::BadInput) << rows;
  }
}

TEST_F(Hostile, EveryRowBadIsAnError) {
  const auto data = import_after(R"(
    UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start=NULL; DELETE FROM CUPTI_ACTIVITY_KIND_MEMCPY;
    DELETE FROM CUPTI_ACTIVITY_KIND_MEMSET)");
  ASSERT_FALSE(data.has_value());
  EXPECT_NE(data.error().message.find("no usable"), std::string::npos);
}

TEST_F(Hostile, AnInvalidWriteAheadLogIsReportedAndNothingIsWrittenThere) {
  run_sql(path(), "PRAGMA journal_mode=WAL;" + kSmallTrace);
  write_bytes(path() + "-wal", "unfinished");
  const auto before = folder_.names();
  const auto bytes = read_bytes(path());
  const auto data = import_good({path()});
  EXPECT_EQ(reported(data, "wal-ignored"), 1);
  EXPECT_EQ(folder_.names(), before);
  EXPECT_TRUE(read_bytes(path()) == bytes);
}

TEST_F(Hostile, OddFileNamesAreRead) {
  const auto odd = folder_.path("a%20b?c#d'.sqlite");
  run_sql(path(), kSmallTrace);
  std::filesystem::copy_file(path(), odd);
  EXPECT_EQ(column<std::int64_t>(import_good({odd}), "launches", "start").size(), 3u);
}

TEST_F(Hostile, TruncatedFilesGiveAnErrorOrATrace) {
  const auto whole = generated();
  ASSERT_GT(whole.size(), 100'000u);
  for (std::size_t i = 0; i <= 60; ++i) {
    SCOPED_TRACE(i);
    expect_bytes_survive(whole.substr(0, whole.size() * i / 61));
  }
  for (const std::size_t bytes : {1, 15, 16, 99, 100, 101, 512, 4095, 4096, 4097}) {
    SCOPED_TRACE(bytes);
    expect_bytes_survive(whole.substr(0, bytes));
  }
}

TEST_F(Hostile, FlippedBitsGiveAnErrorOrATrace) {
  const auto whole = generated();
  std::mt19937 random(5);
  for (int i = 0; i < 200; ++i) {
    SCOPED_TRACE(i);
    auto bytes = whole;
    for (int flips = 1 + static_cast<int>(random() % 40); flips > 0; --flips) {
      // Half of the flips are in page headers, where damage has the most effect.
      const auto anywhere = random() % bytes.size();
      const auto at = flips % 2 ? anywhere : anywhere / 4096 * 4096 + anywhere % 16;
      bytes[at] = static_cast<char>(bytes[at] ^ (1u << random() % 8));
    }
    expect_bytes_survive(bytes);
  }
}

TEST_F(Hostile, RandomValuesInEveryColumnGiveAnErrorOrATrace) {
  generator::Options options;
  options.launches = 200;
  options.causes = generator::all_causes();
  const std::vector<std::pair<std::string, std::vector<std::string>>> tables = {
      {"CUPTI_ACTIVITY_KIND_KERNEL",
       {"start", "end", "deviceId", "contextId", "streamId", "correlationId", "globalPid", "demangledName",
        "shortName", "gridX", "blockZ", "launchType", "graphNodeId"}},
      {"CUPTI_ACTIVITY_KIND_MEMCPY",
       {"start", "end", "deviceId", "streamId", "globalPid", "bytes", "copyKind", "migrationCause",
        "correlationId"}},
      {"CUPTI_ACTIVITY_KIND_RUNTIME",
       {"start", "end", "eventClass", "globalTid", "correlationId", "nameId", "returnValue"}},
      {"NVTX_EVENTS", {"start", "end", "eventType", "text", "textId", "globalTid", "domainId"}},
      {"GPU_METRICS", {"timestamp", "typeId", "metricId", "value"}},
      {"TARGET_INFO_GPU_METRICS", {"typeId", "metricId", "metricName"}},
      {"TARGET_INFO_GPU", {"id", "name", "uuid", "smCount", "cuDevice"}},
      {"TARGET_INFO_CUDA_DEVICE", {"gpuId", "cudaId", "pid"}},
      {"TARGET_INFO_SESSION_START_TIME", {"utcEpochNs"}},
      {"ThreadNames", {"nameId", "priority", "globalTid"}},
      {"StringIds", {"value"}}};
  const std::vector<std::string> values = {"NULL",
                                           "'text'",
                                           "x'00ff80'",
                                           "-1",
                                           "0",
                                           "1",
                                           "-9223372036854775808",
                                           "9223372036854775807",
                                           "4294967295",
                                           "4294967296",
                                           "1.5",
                                           "1e300",
                                           "1152921504606846976",
                                           "abs(random() % 100000)",
                                           "'[[[[[[[['"};
  std::mt19937 random(11);
  const auto pick = [&](const auto& from) -> const auto& {
    return from[random() % from.size()];
  };
  for (int i = 0; i < 80; ++i) {
    ASSERT_TRUE(generator::generate(options, path(), "").has_value());
    std::string sql;
    for (int changes = 1 + static_cast<int>(random() % 6); changes > 0; --changes) {
      const auto& [table, columns] = pick(tables);
      sql += "UPDATE OR IGNORE " + table + " SET " + pick(columns) + "=" + pick(values) + " WHERE rowid % " +
             std::to_string(1 + random() % 4) + "=0;";
    }
    SCOPED_TRACE(sql);
    run_sql(path(), sql);
    expect_bytes_survive(read_bytes(path()));
  }
}

TEST_F(Hostile, JsonSamplesNestedWithoutEndAreDropped) {
  generator::Options options;
  options.launches = 2'000;
  options.schema = generator::Schema::V3_0_0;
  ASSERT_TRUE(generator::generate(options, path(), "").has_value());
  run_sql(
      path(),
      "UPDATE GENERIC_EVENTS SET data=replace(hex(zeroblob(500000)),'00','[') WHERE rowid=1;"
      "UPDATE GENERIC_EVENTS SET data='{\"SM Active\": \"1e9\", \"x\": {}, \"y\": \"99999999999999999999\"}' "
      "WHERE rowid=2");
  const auto data = import_good({path()});
  EXPECT_EQ(reported(data, "missing-metric"), 1);
  EXPECT_GT(column<std::int64_t>(data, "samples", "time").size(), 0u);
}

TEST_F(Hostile, ImportStopsSoonAfterItIsCancelled) {
  generator::Options options;
  options.launches = 200'000;
  ASSERT_TRUE(generator::generate(options, path(), "").has_value());
  int asked = 0;
  Job job;
  job.cancelled = [&] { return ++asked > 40; };
  const auto data = import_files({path()}, job);
  ASSERT_FALSE(data.has_value());
  EXPECT_EQ(data.error().kind, ErrorKind::Cancelled);
  EXPECT_LE(asked, 45);
}

TEST_F(Hostile, ProgressGrowsToItsTotal) {
  generator::Options options;
  options.launches = 50'000;
  ASSERT_TRUE(generator::generate(options, path(), "").has_value());
  std::int64_t last = 0, total = 0, calls = 0;
  Job job;
  job.progress = [&](std::int64_t done, std::int64_t of, const std::string&) {
    if (of == 0) return;
    EXPECT_GE(done, last);
    last = done;
    total = of;
    ++calls;
  };
  ASSERT_TRUE(import_files({path()}, job).has_value());
  EXPECT_GT(calls, 20);
  EXPECT_EQ(last, total);
}

} // namespace
} // namespace jitterscope::import
