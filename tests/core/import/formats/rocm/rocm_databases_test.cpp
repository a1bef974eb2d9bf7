// SQLite files of AMD's tools: rocpd, rocmProfileData, rocprof's results, rocprof-compute's analysis.

#include "tests/core/import/formats/rocm/rocm_support.h"

namespace jitterscope::import {
namespace {

using store::TransferKind;

std::vector<std::uint8_t> kinds(std::initializer_list<TransferKind> list) {
  std::vector<std::uint8_t> out;
  for (const auto kind : list) out.push_back(static_cast<std::uint8_t>(kind));
  return out;
}

TEST(Rocpd, TheMockDatabaseIsRead) {
  REQUIRE_REAL_DATA(path, "rocm/rocpd-schema/mock_rocpd_24rows.db");
  const auto data = import_good({path});
  EXPECT_EQ(data.manifest.sources[0].format, "rocpd");
  EXPECT_EQ(data.manifest.sources[0].schema, "3");
  EXPECT_EQ(starts(data), (Integers{1001500000, 1002000000}));
  EXPECT_EQ(durations(data), (Integers{2000000, 1000000}));
  EXPECT_EQ(kernel_name(data, 0), "vector_add_kernel");
  EXPECT_EQ(configured(data, 0, "grid_x"), 4u);
  EXPECT_EQ(configured(data, 1, "grid_y"), 4u);
  EXPECT_EQ(column<std::int64_t>(data, "transfers", "bytes"), (Integers{1048576, 1048576}));
  EXPECT_EQ(column<std::uint8_t>(data, "transfers", "kind"),
            kinds({TransferKind::HostToDevice, TransferKind::DeviceToHost}));
  EXPECT_EQ(column<std::int64_t>(data, "ranges", "start").size(), 22u); // 2 regions, 20 samples without value
  for (const auto& text : data.strings.all()) EXPECT_NE(text, "test_app"); // the command line is not imported
}

struct RpdFile {
  const char* file;
  std::size_t samples;
  std::int64_t bytes;
  std::size_t unsized;      ///< copies without a recorded size
  std::uint32_t first_grid; ///< blocks in the grid of the first launch
};

class Rpd : public testing::TestWithParam<RpdFile> {};

TEST_P(Rpd, MatmulIsRead) {
  REQUIRE_REAL_DATA(path, std::string("rocm/rpd/") + GetParam().file);
  const auto data = import_good({path});
  EXPECT_EQ(data.manifest.sources[0].schema, "2");
  EXPECT_EQ(starts(data).size(), 29u);
  EXPECT_EQ(column<std::int64_t>(data, "calls", "start").size(), 125u);
  EXPECT_EQ(column<std::int64_t>(data, "samples", "time").size(), GetParam().samples);
  auto bytes = column<std::int64_t>(data, "transfers", "bytes");
  EXPECT_EQ(erase_if(bytes, [](auto size) { return size == store::kUnknownBytes; }), GetParam().unsized);
  EXPECT_EQ(sum(bytes), GetParam().bytes);
  const auto& kind = column<std::uint8_t>(data, "transfers", "kind");
  EXPECT_EQ(std::count(kind.begin(), kind.end(), static_cast<std::uint8_t>(TransferKind::DeviceToHost)), 53);
  EXPECT_EQ(std::count(kind.begin(), kind.end(), static_cast<std::uint8_t>(TransferKind::HostToDevice)), 2);
  EXPECT_EQ(std::count(kind.begin(), kind.end(), static_cast<std::uint8_t>(TransferKind::Memset)), 1);
  for (const auto call : column<std::uint32_t>(data, "launches", "call")) EXPECT_NE(call, kNone);
  // hipExtModuleLaunchKernel counts work-items, hipLaunchKernel blocks.
  EXPECT_TRUE(kernel_name(data, 0).starts_with("Cijk_"));
  EXPECT_EQ(configured(data, 0, "block_x"), 256u);
  EXPECT_EQ(configured(data, 0, "grid_x"), GetParam().first_grid);
  EXPECT_EQ(configured(data, 1, "grid_y"), 2u);
}

INSTANTIATE_TEST_SUITE_P(Amd, Rpd,
                         testing::Values(RpdFile{"matmul_result.rpd", 15, 2'032'000'296, 1, 1792 / 256},
                                         RpdFile{"matmul_result_large.rpd", 62, 160'000'296, 2, 3328 / 256}));

TEST(Rpd, TimesAreThoseOfTheFile) {
  REQUIRE_REAL_DATA(path, "rocm/rpd/matmul_result.rpd");
  const auto data = import_good({path});
  EXPECT_EQ(sum(durations(data)), 26'399'795);
  EXPECT_EQ(starts(data).front(), 8306020565922417);
  EXPECT_EQ(data.resources[1].number, 1087077);
}

TEST(RocprofDatabase, IsReadWithItsCalls) {
  REQUIRE_REAL_DATA(path, "rocm/rocprofv1-hip-trace/HIP_trace/results.db");
  const auto data = import_good({path});
  EXPECT_EQ(starts(data), Integers{773902406300661});
  EXPECT_EQ(durations(data), Integers{5280});
  EXPECT_EQ(column<std::int64_t>(data, "calls", "start").size(), 135u);
  EXPECT_EQ(sum(column<std::int64_t>(data, "transfers", "duration")), 671'961 + 14'720);
  const auto call = column<std::uint32_t>(data, "launches", "call")[0];
  ASSERT_NE(call, kNone);
  EXPECT_EQ(string_at(data, "calls", "name", call), "hipLaunchKernel");
}

std::string text_of(const store::TraceData& data, std::string_view code) {
  for (const auto& entry : data.manifest.report)
    if (entry.code == code) return entry.text;
  return {};
}

class Databases : public MadeFiles {
protected:
  std::string database(const std::string& sql) {
    run_sql(folder_.path("made.db"), sql);
    return folder_.path("made.db");
  }
};

TEST(Rocpd, TablesThatAreNotReadAreNamed) {
  REQUIRE_REAL_DATA(path, "rocm/rocpd-schema/mock_rocpd_24rows.db");
  const auto data = import_good({path});
  EXPECT_EQ(reported(data, "not-imported"), 1);
  EXPECT_NE(text_of(data, "not-imported").find("1 of rocpd_info_stream"), std::string::npos);
}

TEST_F(Databases, TablesThatAreNotReadAreNamed) {
  const auto data = import_good({database(R"(
    CREATE TABLE OPS ("Index" INTEGER, BeginNs INTEGER, EndNs INTEGER, "dev-id" INTEGER, "queue-id" INTEGER, pid INTEGER, Name TEXT, __section INTEGER);
    INSERT INTO OPS VALUES (1,10,20,0,0,7,'k',6);
    CREATE TABLE samples (pc INTEGER); INSERT INTO samples VALUES (1),(2);
    CREATE TABLE empty (pc INTEGER);)")});
  EXPECT_EQ(reported(data, "not-imported"), 2);
  EXPECT_EQ(text_of(data, "not-imported"), "rows not imported: 2 of samples");
}

// The tables of one run as written by rocprofv3 of ROCm 7, reduced to the columns that are read.
std::string rocpd_run(const std::string& uuid, const std::string& pid, const std::string& shift) {
  std::string sql = R"(
    CREATE TABLE rocpd_metadata@ (id INTEGER PRIMARY KEY, tag TEXT, value TEXT);
    INSERT INTO rocpd_metadata@ VALUES (1,'schema_version','3');
    CREATE TABLE rocpd_string@ (id INTEGER PRIMARY KEY, guid TEXT, string TEXT);
    INSERT INTO rocpd_string@ VALUES (1,'g','HIP_RUNTIME_API_EXT'),(2,'g','hipLaunchKernel'),(3,'g','MARKER_CORE_RANGE_API'),
      (4,'g','roctxRangePushA'),(5,'g','MEMORY_COPY_HOST_TO_DEVICE'),(6,'g','hipMemcpy');
    CREATE TABLE rocpd_info_node@ (id INTEGER PRIMARY KEY, guid TEXT, hash BIGINT, machine_id TEXT, hostname TEXT);
    INSERT INTO rocpd_info_node@ VALUES (7,'g',1,'node-a','a');
    CREATE TABLE rocpd_info_process@ (id INTEGER PRIMARY KEY, nid INTEGER, pid INTEGER, command TEXT, environment TEXT);
    INSERT INTO rocpd_info_process@ VALUES (3,7,%,'secret','{"TOKEN":"x"}');
    CREATE TABLE rocpd_info_thread@ (id INTEGER PRIMARY KEY, nid INTEGER, pid INTEGER, tid INTEGER, name TEXT);
    INSERT INTO rocpd_info_thread@ VALUES (2,7,3,901,'main');
    CREATE TABLE rocpd_info_agent@ (id INTEGER PRIMARY KEY, nid INTEGER, pid INTEGER, type TEXT, absolute_index INTEGER,
      uuid INTEGER, name TEXT, product_name TEXT, extdata TEXT);
    INSERT INTO rocpd_info_agent@ VALUES (1,7,3,'CPU',0,0,'cpu','EPYC','{}'),
      (2,7,3,'GPU',4,123456789,'gfx942','AMD Instinct MI300X','{"cu_count":304,"path":"/secret"}');
    CREATE TABLE rocpd_info_queue@ (id INTEGER PRIMARY KEY, nid INTEGER, pid INTEGER, name TEXT);
    INSERT INTO rocpd_info_queue@ VALUES (5,7,3,'Queue 5');
    CREATE TABLE rocpd_info_pmc@ (id INTEGER PRIMARY KEY, nid INTEGER, pid INTEGER, agent_id INTEGER, name TEXT, symbol TEXT, units TEXT);
    INSERT INTO rocpd_info_pmc@ VALUES (1,7,3,2,'SQ_WAVES','SQ_WAVES',''),(2,7,3,2,'busy_gpu','busy','%');
    CREATE TABLE rocpd_info_kernel_symbol@ (id INTEGER PRIMARY KEY, nid INTEGER, pid INTEGER, kernel_name TEXT, display_name TEXT,
      group_segment_size INTEGER, private_segment_size INTEGER, sgpr_count INTEGER, arch_vgpr_count INTEGER, accum_vgpr_count INTEGER);
    INSERT INTO rocpd_info_kernel_symbol@ VALUES (11,7,3,'_Z1kPf.kd','k(float*)',256,0,96,40,8),
      (12,7,3,'__amd_rocclr_copyBuffer.kd','__amd_rocclr_copyBuffer.kd',0,0,0,0,0);
    CREATE TABLE rocpd_event@ (id INTEGER PRIMARY KEY, category_id INTEGER, stack_id INTEGER, parent_stack_id INTEGER,
      correlation_id INTEGER, extdata TEXT);
    INSERT INTO rocpd_event@ VALUES (1,1,41,0,0,'{}'),(2,1,41,0,0,'{}'),(3,3,43,0,0,'{"message":"step"}'),(4,1,44,0,0,'{}'),
      (5,1,45,0,0,'{}'),(6,1,0,0,0,'{}');
    CREATE TABLE rocpd_pmc_event@ (id INTEGER PRIMARY KEY, event_id INTEGER, pmc_id INTEGER, value REAL);
    INSERT INTO rocpd_pmc_event@ VALUES (1,2,1,10.5),(2,2,1,20),(3,6,2,99.5),(4,777,1,1),(5,2,888,1);
  )";
  std::string out;
  for (const char c : sql) out += c == '@' ? uuid : c == '%' ? pid : std::string(1, c);
  for (auto at = out.find('$'); at != std::string::npos; at = out.find('$')) out.replace(at, 1, shift);
  return out;
}

std::string rocpd_rows(const std::string& uuid, const std::string& shift) {
  std::string sql = R"(
    CREATE TABLE rocpd_region@ (id INTEGER PRIMARY KEY, nid INTEGER, pid INTEGER, tid INTEGER, start BIGINT, end BIGINT, name_id INTEGER, event_id INTEGER);
    INSERT INTO rocpd_region@ VALUES (1,7,3,2,$+100,$+150,2,1),(2,7,3,2,$+50,$+900,4,3);
    CREATE TABLE rocpd_kernel_dispatch@ (id INTEGER PRIMARY KEY, nid INTEGER, pid INTEGER, tid INTEGER, agent_id INTEGER, kernel_id INTEGER,
      dispatch_id INTEGER, queue_id INTEGER, stream_id INTEGER, start BIGINT, end BIGINT, private_segment_size INTEGER, group_segment_size INTEGER,
      workgroup_size_x INTEGER, workgroup_size_y INTEGER, workgroup_size_z INTEGER, grid_size_x INTEGER, grid_size_y INTEGER, grid_size_z INTEGER, event_id INTEGER);
    INSERT INTO rocpd_kernel_dispatch@ VALUES (1,7,3,2,2,11,1,5,1,$+200,$+300,16,512,64,1,1,640,1,1,2),
      (2,7,3,2,2,11,2,NULL,1,$+400,$+500,0,0,64,1,1,640,1,1,NULL),(3,7,3,2,2,12,3,5,1,$+600,$+650,0,0,64,1,1,64,1,1,4);
    CREATE TABLE rocpd_memory_copy@ (id INTEGER PRIMARY KEY, nid INTEGER, pid INTEGER, tid INTEGER, start BIGINT, end BIGINT, name_id INTEGER,
      dst_agent_id INTEGER, src_agent_id INTEGER, size INTEGER, queue_id INTEGER, stream_id INTEGER, event_id INTEGER);
    INSERT INTO rocpd_memory_copy@ VALUES (1,7,3,2,$+700,$+750,5,2,1,4096,NULL,1,5);
    CREATE TABLE rocpd_track@ (id INTEGER PRIMARY KEY, nid INTEGER, pid INTEGER, tid INTEGER, name_id INTEGER);
    INSERT INTO rocpd_track@ VALUES (1,7,3,2,2);
    CREATE TABLE rocpd_sample@ (id INTEGER PRIMARY KEY, track_id INTEGER, timestamp BIGINT, event_id INTEGER);
    INSERT INTO rocpd_sample@ VALUES (1,1,$+220,6);
    CREATE VIEW rocpd_kernel_dispatch AS SELECT * FROM rocpd_kernel_dispatch@;
  )";
  std::string out;
  for (const char c : sql) out += c == '@' ? uuid : c == '$' ? shift : std::string(1, c);
  return out;
}

TEST_F(Databases, RpdMonitorsMayNameImpossibleDevices) {
  const auto data = import_good({database(R"(
    CREATE TABLE rocpd_metadata (id INTEGER PRIMARY KEY, tag TEXT, value TEXT);
    CREATE TABLE rocpd_string (id INTEGER PRIMARY KEY, string TEXT);
    INSERT INTO rocpd_string VALUES (1,'k'),(2,'KernelExecution');
    CREATE TABLE rocpd_op (id INTEGER PRIMARY KEY, gpuId INTEGER, queueId INTEGER, start BIGINT, end BIGINT,
      description_id INTEGER, opType_id INTEGER);
    INSERT INTO rocpd_op VALUES (1,-4503671240372791261,0,100,200,1,2);
    CREATE TABLE rocpd_monitor (id INTEGER PRIMARY KEY, deviceType TEXT, deviceId INTEGER, monitorType TEXT, start BIGINT, value TEXT);
    INSERT INTO rocpd_monitor VALUES (1,'gpu',-8179102172685614056,'sclk',150,'1700');)")});
  EXPECT_EQ(starts(data).size(), 1u);
  EXPECT_EQ(column<double>(data, "samples", "value"), (std::vector<double>{1700}));
}

TEST_F(Databases, RocpdOfOneRun) {
  const auto data = import_good({database(rocpd_run("_u1", "55", "0") + rocpd_rows("_u1", "1000"))});
  EXPECT_EQ(starts(data), (Integers{1200, 1400})); // including the launch without a queue
  EXPECT_EQ(kernel_name(data, 0), "k(float*)");
  EXPECT_EQ(configured(data, 0, "grid_x"), 10u);
  EXPECT_EQ(configured(data, 0, "registers"), 40u);
  EXPECT_EQ(configured(data, 0, "static_shared_memory"), 512u);
  EXPECT_EQ(column<std::uint32_t>(data, "launches", "call"), (Rows{0, kNone}));
  EXPECT_EQ(counter(data, "SQ_WAVES")[0], 30.5); // two instances
  EXPECT_TRUE(std::isnan(counter(data, "SQ_WAVES")[1]));
  EXPECT_EQ(reported(data, "dangling-counter"), 2);
  EXPECT_EQ(column<std::uint8_t>(data, "transfers", "kind"),
            kinds({TransferKind::DeviceToDevice, TransferKind::HostToDevice}));
  EXPECT_EQ(column<std::int64_t>(data, "transfers", "bytes"), (Integers{store::kUnknownBytes, 4096}));
  ASSERT_EQ(column<std::uint32_t>(data, "ranges", "name").size(), 1u);
  EXPECT_EQ(string_at(data, "ranges", "name", 0), "step");
  EXPECT_EQ(column<double>(data, "samples", "value"), std::vector<double>{99.5});
  ASSERT_EQ(data.manifest.devices.size(), 1u);
  EXPECT_EQ(data.manifest.devices[0].name, "AMD Instinct MI300X");
  EXPECT_EQ(data.manifest.devices[0].multiprocessors, 304);
  for (const auto& text : data.strings.all()) EXPECT_FALSE(has(text, "secret"));
  for (const auto& [name, value] : data.manifest.devices[0].properties) EXPECT_FALSE(has(value, "secret"));
}

TEST_F(Databases, RocpdCopiesBetweenTwoGpus) {
  const auto data = import_good({database(rocpd_run("_u1", "55", "0") + rocpd_rows("_u1", "1000") + R"(
    INSERT INTO rocpd_info_agent_u1 VALUES (4,7,3,'GPU',5,987,'gfx942','AMD Instinct MI300X','{}');
    INSERT INTO rocpd_string_u1 VALUES (9,'g','MEMORY_COPY_DEVICE_TO_DEVICE');
    INSERT INTO rocpd_memory_copy_u1 VALUES (2,7,3,2,3000,3100,9,4,2,64,NULL,1,5), (3,7,3,2,3200,3300,9,2,2,64,NULL,1,5);)")});
  EXPECT_EQ(column<std::uint8_t>(data, "transfers", "kind"),
            kinds({TransferKind::DeviceToDevice, TransferKind::HostToDevice, TransferKind::PeerToPeer,
                   TransferKind::DeviceToDevice}));
}

TEST_F(Databases, RocpdOfSeveralRunsOfOneNode) {
  const auto data = import_good(
      {database(rocpd_run("_u1", "55", "0") + rocpd_rows("_u1", "1000") + rocpd_run("_u2", "66", "0") +
                "DROP VIEW rocpd_kernel_dispatch;" + rocpd_rows("_u2", "5000"))});
  EXPECT_EQ(starts(data), (Integers{1200, 1400, 5200, 5400}));
  EXPECT_EQ(data.manifest.devices.size(), 1u); // two processes, one GPU
  EXPECT_EQ(std::count_if(data.resources.begin(), data.resources.end(),
                          [](const store::Resource& r) { return r.kind == store::ResourceKind::Process; }),
            2);
}

TEST_F(Databases, RocpdWithTimesAndPlacesInTablesOfTheirOwn) {
  const auto data = import_good({database(rocpd_run("", "55", "0") + R"(
    CREATE TABLE rocpd_track (id INTEGER PRIMARY KEY, nid INTEGER, pid INTEGER, tid INTEGER, agent_id INTEGER, queue_id INTEGER, name_id INTEGER);
    INSERT INTO rocpd_track VALUES (1,7,55,901,2,5,NULL);
    CREATE TABLE rocpd_timestamp (id INTEGER PRIMARY KEY, value BIGINT);
    INSERT INTO rocpd_timestamp VALUES (1,1200),(2,1300);
    CREATE TABLE rocpd_kernel_dispatch (id INTEGER PRIMARY KEY, track_id INTEGER, kernel_id INTEGER, start_id INTEGER, end_id INTEGER,
      workgroup_size_x INTEGER, workgroup_size_y INTEGER, workgroup_size_z INTEGER, grid_size_x INTEGER, grid_size_y INTEGER, grid_size_z INTEGER);
    INSERT INTO rocpd_kernel_dispatch VALUES (1,1,11,1,2,64,1,1,64,1,1),(2,1,11,1,99,64,1,1,64,1,1);)")});
  EXPECT_EQ(starts(data), Integers{1200});
  EXPECT_EQ(reported(data, "missing-time"), 1);
  EXPECT_EQ(data.resources[1].number, 55);
}

TEST_F(Databases, RocpdRowsOfTheWrongTypeAreDroppedAndCounted) {
  const auto data = import_good({database(rocpd_run("_u", "55", "0") + rocpd_rows("_u", "1000") + R"(
    INSERT INTO rocpd_kernel_dispatch_u VALUES
      (10,7,3,2,2,11,1,5,1,'soon',1300,0,0,64,1,1,640,1,1,2),(11,7,3,2,2,11,1,5,1,NULL,1300,0,0,64,1,1,640,1,1,2),
      (12,7,3,2,2,11,1,5,1,2000,1300,0,0,64,1,1,640,1,1,2),(13,7,3,2,2,11,1,5,1,9223372036854775807,9223372036854775807,0,0,64,1,1,640,1,1,2),
      (14,'x',x'00ff',-1,'no',9999,1,x'01',1,2000,2100,'a',-5,'a',-1,0,9223372036854775807,NULL,1,'e');
    INSERT INTO rocpd_memory_copy_u VALUES (10,7,3,2,1700,1750,999,888,777,-4,NULL,NULL,'q');)")});
  EXPECT_EQ(starts(data).size(), 3u);
  expect_reported(data, {{"missing-time", 2},
                         {"negative-duration", 1},
                         {"impossible-time", 1},
                         {"dangling-name", 1},
                         {"odd-grid", 1},
                         {"bad-bytes", 1}});
  EXPECT_GE(reported(data, "missing-device"), 1);
}

TEST_F(Databases, AnalysisOfRocprofCompute) {
  const auto data = import_good({database(R"(
    CREATE TABLE compute_metadata (metadata_id INTEGER PRIMARY KEY, compute_version TEXT, schema_version TEXT);
    INSERT INTO compute_metadata VALUES (1,'3.3.0','1.3.0');
    CREATE TABLE compute_workload (workload_id INTEGER PRIMARY KEY, name TEXT, sub_name TEXT, sys_info_extdata TEXT);
    INSERT INTO compute_workload VALUES (1,'vcopy','MI300','{"command":"secret"}');
    CREATE TABLE compute_kernel (kernel_uuid INTEGER PRIMARY KEY, workload_id INTEGER, kernel_name TEXT);
    INSERT INTO compute_kernel VALUES (5,1,'vecCopy(double*) [clone .kd]'),(6,1,'other');
    CREATE TABLE compute_dispatch (dispatch_uuid INTEGER PRIMARY KEY, kernel_uuid INTEGER, dispatch_id INTEGER, gpu_id INTEGER,
      start_timestamp INTEGER, end_timestamp INTEGER);
    INSERT INTO compute_dispatch VALUES (1,5,0,2,100,150),(2,5,1,2,200,260),(3,6,2,2,300,310),(4,77,3,2,400,410),(5,5,3,2,NULL,410);
    CREATE TABLE compute_metric_definition (metric_uuid INTEGER PRIMARY KEY, workload_id INTEGER, name TEXT, metric_id TEXT, description TEXT,
      table_name TEXT, sub_table_name TEXT, unit TEXT);
    INSERT INTO compute_metric_definition VALUES (1,1,'VALU FLOPs','2.1.0','Flops','SoL','SoL','GFLOP/s'),(2,1,'Latency','3.1.1','','','','Cycles'),
      (3,1,'Latency','4.1.1','','','','Cycles');
    CREATE TABLE compute_kernel_metric_value (value_uuid INTEGER PRIMARY KEY, metric_uuid INTEGER, kernel_uuid INTEGER, value_name TEXT, value REAL);
    INSERT INTO compute_kernel_metric_value VALUES (1,1,5,'Avg',12.5),(2,1,5,'Peak',99),(3,1,6,'Avg',NULL),(4,2,5,'Value',7),(5,3,6,'Value',8),(6,99,5,'Avg',1);)")});
  EXPECT_EQ(data.manifest.sources[0].schema, "1.3.0");
  EXPECT_EQ(starts(data), (Integers{100, 200, 300}));
  EXPECT_EQ(kernel_name(data, 0), "vecCopy(double*)");
  const auto flops = counter(data, "VALU FLOPs");
  ASSERT_EQ(flops.size(), 3u);
  EXPECT_EQ(flops[0], 12.5);
  EXPECT_EQ(flops[1], 12.5);
  EXPECT_TRUE(std::isnan(flops[2]));
  EXPECT_EQ(counter(data, "Latency 3.1.1")[0], 7);
  EXPECT_EQ(counter(data, "Latency 4.1.1")[2], 8);
  EXPECT_EQ(data.find("launches")->find("valu_flops")->unit, "GFLOP/s");
  expect_reported(data, {{"dangling-name", 1}, {"dangling-counter", 1}, {"other-statistics", 1}});
  for (const auto& text : data.strings.all()) EXPECT_FALSE(has(text, "secret"));
}

const std::string kRpd = R"(
  CREATE TABLE rocpd_metadata (id INTEGER PRIMARY KEY, tag TEXT, value TEXT);
  INSERT INTO rocpd_metadata VALUES (1,'schema_version','2');
  CREATE TABLE rocpd_string (id INTEGER PRIMARY KEY, string TEXT);
  INSERT INTO rocpd_string VALUES (1,''),(2,'hipLaunchKernel'),(3,'KernelExecution'),(4,'k(int)'),(5,'CopyHostToDevice'),(6,'hipMemcpy'),
    (7,'hipExtModuleLaunchKernel'),(8,'Barrier'),(9,'UserMarker'),(10,'step'),(11,'Task');
  CREATE TABLE rocpd_api (id INTEGER PRIMARY KEY, pid INTEGER, tid INTEGER, start INTEGER, end INTEGER, apiName_id INTEGER, args_id INTEGER);
  INSERT INTO rocpd_api VALUES (4294967297,8,9,100,110,2,1),(4294967298,8,9,200,210,6,1),(4294967299,8,9,300,310,7,1),(4294967300,8,9,90,320,9,10);
  CREATE TABLE rocpd_op (id INTEGER PRIMARY KEY, gpuId INTEGER, queueId INTEGER, sequenceId INTEGER, start INTEGER, end INTEGER, description_id INTEGER, opType_id INTEGER);
  INSERT INTO rocpd_op VALUES (1,0,0,0,120,130,4,3),(2,0,1,0,220,230,1,5),(3,0,1,0,230,240,1,5),(4,0,0,0,320,330,4,3),(5,0,0,0,340,350,1,8),(6,0,0,0,360,350,4,3),(7,0,0,0,'x',350,4,3);
  CREATE TABLE rocpd_api_ops (id INTEGER PRIMARY KEY, api_id INTEGER, op_id INTEGER);
  INSERT INTO rocpd_api_ops VALUES (1,4294967297,1),(2,4294967298,2),(3,4294967298,3),(4,4294967299,4),(5,55,5);
  CREATE TABLE rocpd_kernelapi (api_ptr_id INTEGER PRIMARY KEY, gridX INTEGER, gridY INTEGER, gridZ INTEGER, workgroupX INTEGER, workgroupY INTEGER,
    workgroupZ INTEGER, groupSegmentSize INTEGER, privateSegmentSize INTEGER, codeObject_id INTEGER, kernelName_id INTEGER);
  INSERT INTO rocpd_kernelapi VALUES (4294967297,1792,2,1,256,1,1,64,0,NULL,4),(4294967299,1792,2,1,256,1,1,64,0,NULL,4);
  CREATE TABLE rocpd_copyapi (api_ptr_id INTEGER PRIMARY KEY, size INTEGER, width INTEGER, height INTEGER, kind INTEGER);
  INSERT INTO rocpd_copyapi VALUES (4294967298,NULL,100,3,1);
)";

TEST_F(Databases, RpdWithBothWaysToCountGrids) {
  const auto data = import_good({database(kRpd)});
  EXPECT_EQ(starts(data), (Integers{120, 320}));
  EXPECT_EQ(configured(data, 0, "grid_x"), 1792u);
  EXPECT_EQ(configured(data, 0, "static_shared_memory"), 64u);
  EXPECT_EQ(configured(data, 1, "grid_x"), 7u);
  EXPECT_EQ(configured(data, 1, "grid_y"), 2u);
  EXPECT_EQ(column<std::int64_t>(data, "transfers", "bytes"), (Integers{300, 0}));
  expect_reported(
      data, {{"shared-copy", 1}, {"other-operations", 1}, {"negative-duration", 1}, {"missing-time", 1}});
  EXPECT_EQ(string_at(data, "ranges", "name", 0), "step");
}

TEST_F(Databases, RpdNextToItsLogIsDoubted) {
  const auto path = database(kRpd);
  write_bytes(path + "-wal", "unfinished");
  EXPECT_EQ(reported(import_good({path}), "wal-ignored"), 1);
}

TEST_F(Databases, WithoutAnyActivityAreReported) {
  EXPECT_TRUE(has(refusal_of(database(kRpd + "DELETE FROM rocpd_op;")).message,
                  "neither kernels nor copies were recorded"));
}

TEST_F(Databases, RocprofWithoutSomeTables) {
  const auto data = import_good({database(R"(
    CREATE TABLE KERN ("Index" INTEGER, "KernelName" TEXT, "gpu-id" INTEGER, "queue-id" INTEGER, "pid" INTEGER, "grd" INTEGER, "wgr" INTEGER,
      "lds" INTEGER, "vgpr" INTEGER, "SQ_WAVES" INTEGER, "BeginNs" INTEGER, "EndNs" INTEGER);
    INSERT INTO KERN VALUES (0,'k.kd',1,0,7,512,64,128,24,8,100,150),(1,'k.kd',1,0,7,512,64,128,24,9,200,190);)")});
  EXPECT_EQ(starts(data), Integers{100});
  EXPECT_EQ(configured(data, 0, "grid_x"), 8u);
  EXPECT_EQ(counter(data, "SQ_WAVES"), std::vector<double>{8});
}

} // namespace
} // namespace jitterscope::import
