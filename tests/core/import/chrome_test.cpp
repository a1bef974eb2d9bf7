// Traces in Chrome's format: PyTorch's profiler of all generations, rocprof v1, rocmProfileData, anything.

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/core.h>

#include "tests/core/import/import_support.h"
#include "tests/core/import/temporary_files.h"
#include "tests/core/import/trace_text.h"

namespace jitterscope::import {
namespace {

using store::ResourceKind;
using store::TransferKind;

struct Sums {
  std::size_t kernels;
  std::int64_t kernel_ns;
  std::int64_t copies, copied_bytes, sets;
};

Sums sums_of(const store::TraceData& data) {
  Sums sums{};
  sums.kernels = column<std::int64_t>(data, "launches", "start").size();
  sums.kernel_ns = sum(column<std::int64_t>(data, "launches", "duration"));
  const auto& kind = column<std::uint8_t>(data, "transfers", "kind");
  const auto& bytes = column<std::int64_t>(data, "transfers", "bytes");
  for (std::size_t row = 0; row < kind.size(); ++row) {
    const bool set = static_cast<TransferKind>(kind[row]) == TransferKind::Memset;
    ++(set ? sums.sets : sums.copies);
    sums.copied_bytes += set ? 0 : bytes[row];
  }
  return sums;
}

std::int64_t linked(const store::TraceData& data) {
  const auto& call = column<std::uint32_t>(data, "launches", "call");
  return std::count_if(call.begin(), call.end(), [](std::uint32_t row) { return row != kNone; });
}

std::vector<const store::Resource*> of_kind(const store::TraceData& data, ResourceKind kind) {
  std::vector<const store::Resource*> found;
  for (const auto& resource : data.resources)
    if (resource.kind == kind) found.push_back(&resource);
  return found;
}

struct Oracle {
  const char* file;
  std::size_t kernels;
  std::int64_t kernel_ns;
  std::int64_t linked, copies, sets, zero_length;
  std::int64_t utc_ns; ///< absolute time of the earliest row
  std::int32_t rank;
};
class RealChrome : public testing::TestWithParam<Oracle> {};

// Counts and sums of the events by category, links by correlation with the events of the runtime and driver,
// and earliest times agree with those that Python's json module gives with decimal numbers.
TEST_P(RealChrome, GivesTheNumbersOfItsEvents) {
  const auto& oracle = GetParam();
  REQUIRE_REAL_DATA(path, oracle.file);
  const auto data = import_good({path});
  const auto sums = sums_of(data);
  EXPECT_EQ(sums.kernels, oracle.kernels);
  EXPECT_EQ(sums.kernel_ns, oracle.kernel_ns);
  EXPECT_EQ(linked(data), oracle.linked);
  EXPECT_EQ(sums.copies, oracle.copies);
  EXPECT_EQ(sums.sets, oracle.sets);
  EXPECT_EQ(reported(data, "zero-duration"), oracle.zero_length);
  EXPECT_EQ(data.manifest.origin_utc_ns, oracle.utc_ns);
  const auto processes = of_kind(data, ResourceKind::Process);
  ASSERT_EQ(processes.size(), 1u);
  EXPECT_EQ(processes.front()->rank, oracle.rank);
  for (const auto* dropped :
       {"missing-time", "negative-duration", "broken-events", "bad-text", "unknown-copy-kind"})
    EXPECT_EQ(reported(data, dropped), 0) << dropped;
}

INSTANTIATE_TEST_SUITE_P(
    All, RealChrome,
    testing::Values(
        Oracle{"kineto/2021/resnet50_num_workers_0.pt.trace.json.gz", 9564, 640354000, 8856, 12, 439, 292,
               1610366662254282000, -1},
        Oracle{"kineto/h100-mi300/h100__Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz", 1465, 45432698, 1029, 1,
               241, 0, 1752839461731456483, -1},
        Oracle{"kineto/h100-mi300/h100__gaunernst_bert-small-uncased__1016001.json.gz", 60, 307197, 60, 1, 0,
               0, 1752830083332500684, -1},
        Oracle{"kineto/h100-mi300/mi300__Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz", 1516, 43062042, 1053, 1, 0,
               0, 1753652182127022523, -1},
        Oracle{"kineto/h100-mi300/mi300__gaunernst_bert-small-uncased__1016001.json.gz", 60, 388344, 60, 1, 0,
               0, 1753615174329420671, -1},
        Oracle{"kineto/hta/alexnet.json.gz", 79, 10692000, 79, 16, 3, 0, 1695835542481129000, 0},
        Oracle{"kineto/hta/cpu_only_rank-34.json.gz", 0, 0, 0, 0, 0, 0, 1721065959525586016, 34},
        Oracle{"kineto/hta/sampled_rank-0.json.gz", 1154, 606519000, 1154, 40, 10, 0, 1682725897226747000, 0},
        Oracle{"kineto/hta/sampled_rank-1.json.gz", 1104, 651026000, 1104, 40, 10, 0, 1682725897227300000, 1},
        Oracle{"kineto/hta/trace_diff_control_rank3.json.gz", 8568, 446813000, 8568, 228, 654, 0,
               1661203462584767000, 3},
        Oracle{"rocm/rocprofv1-hip-trace/HIP_trace/results.json", 1, 5280, 1, 6, 0, 0, -1, -1},
        Oracle{"rocm/rpd/matmul_result.json", 29, 26386000, 29, 55, 1, 0, -1, -1}));

TEST(RealKineto, EightRanksInAnArchiveAreOneSession) {
  REQUIRE_REAL_DATA(path, "kineto/dlrm-8rank/dlrm_kineto.tar.gz");
  const auto data = import_good({path});
  std::map<std::int32_t, std::pair<std::int64_t, std::int64_t>> by_rank; // kernels, µs
  const auto& stream = column<std::uint32_t>(data, "launches", "stream");
  const auto& duration = column<std::int64_t>(data, "launches", "duration");
  for (std::size_t row = 0; row < stream.size(); ++row) {
    const auto device = data.resources[stream[row]].parent;
    auto& rank = by_rank[data.resources[data.resources[device].parent].rank];
    ++rank.first;
    rank.second += duration[row] / 1000;
  }
  const std::map<std::int32_t, std::pair<std::int64_t, std::int64_t>> expected = {
      {0, {245, 6832}}, {1, {310, 12582}}, {2, {246, 4560}}, {3, {315, 11014}},
      {4, {251, 7713}}, {5, {245, 7292}},  {6, {246, 4609}}, {7, {246, 2805}}};
  EXPECT_EQ(by_rank, expected);
  EXPECT_EQ(reported(data, "same-capture"), 0);
  EXPECT_EQ(reported(data, "captures-apart"), 0);
  EXPECT_EQ(data.manifest.devices.size(), 8u);
  EXPECT_EQ(data.manifest.devices[0].name, "Tesla V100-SXM2-32GB");
}

TEST(RealKineto, FilesWithoutKernelsSaySo) {
  REQUIRE_REAL_DATA(path, "kineto/hta/cpu_only_rank-34.json.gz");
  const auto data = import_good({path});
  EXPECT_EQ(reported(data, "no-kernels"), 1);
  EXPECT_EQ(reported(data, "world-size"), 1);
  EXPECT_GT(data.find("ranges")->rows(), 15u);
}

TEST(RealKineto, PythonFunctionsAreLeftOutOnDemand) {
  REQUIRE_REAL_DATA(path, "kineto/h100-mi300/h100__Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz");
  ImportOptions options;
  options.drop_python_functions = true;
  const auto data = import_files({path}, Job{}, options);
  ASSERT_TRUE(data.has_value());
  EXPECT_EQ(reported(*data, "python-functions-left-out"), 4262);
  EXPECT_EQ(data->find("ranges")->rows(), 10903u - 4262u);
}

class Chrome : public testing::Test {
protected:
  store::TraceData import_events(const std::string& events, const std::string& members = {}) {
    return import_text("{" + members + R"("traceEvents":[)" + events + "]}");
  }
  store::TraceData import_text(const std::string& text, const std::string& name = "trace.json") {
    write_bytes(folder_.path(name), text);
    return import_good({folder_.path(name)});
  }
  static std::string name_of(const store::TraceData& data, const char* table, std::size_t row) {
    return data.strings[StringId{column<std::uint32_t>(data, table, "name")[row]}];
  }
  TemporaryFolder folder_;
};

const std::string kKernel = R"j({"ph":"X","cat":"kernel","name":"void axpy<float>(float*)", "pid" : 0,
                  "tid" : 7, "ts" : 100.5, "dur" : 2.25, "args" : {
  "External id" : 3, "queued" : 0, "device" : 0, "context" : 1, "stream" : 7, "correlation" : 11,
      "registers per thread" : 32, "shared memory" : 1024, "blocks per SM" : 0.5, "warps per SM" : 2,
      "grid" : [ 4, 2, 1 ], "block" : [ 128, 1, 1 ], "est. achieved occupancy %" : 50
}
})j";
const std::string kLaunch =
    R"({"ph":"X","cat":"cuda_driver","name":"cuLaunchKernel","pid":5,"tid":6,"ts":90,"dur":1,"args":{"correlation":11}})";

TEST_F(Chrome, DecimalMicrosecondsAreExactNanoseconds) {
  const auto data = import_events(
      R"({"ph":"X","cat":"kernel","name":"a","pid":0,"tid":7,"ts":1712195495519689.047,"dur":0.001,"args":{"device":0}},
         {"ph":"X","cat":"kernel","name":"a","pid":0,"tid":7,"ts":1712195495519689.048,"dur":68.0,"args":{"device":0}},
         {"ph":"X","cat":"kernel","name":"a","pid":0,"tid":7,"ts":"1712195495519690","dur":"3","args":{"device":0}},
         {"ph":"X","cat":"kernel","name":"a","pid":0,"tid":7,"ts":1.7121954955196905e15,"dur":1e-3,"args":{"device":0}})");
  EXPECT_EQ(column<std::int64_t>(data, "launches", "start"), (std::vector<std::int64_t>{0, 1, 953, 1453}));
  EXPECT_EQ(column<std::int64_t>(data, "launches", "duration"),
            (std::vector<std::int64_t>{1, 68000, 3000, 1}));
  EXPECT_EQ(data.manifest.origin_utc_ns, 1712195495519689047);
}

TEST_F(Chrome, KernelsHaveConfigurationsCallsAndAttributes) {
  const auto data = import_events(kKernel + "," + kLaunch, R"("baseTimeNanoseconds":1000000000000000000,)");
  EXPECT_EQ(data.manifest.origin_utc_ns, 1000000000000090000);
  EXPECT_EQ(column<std::uint32_t>(data, "configurations", "grid_x")[0], 4u);
  EXPECT_EQ(column<std::uint32_t>(data, "configurations", "block_x")[0], 128u);
  EXPECT_EQ(column<std::uint32_t>(data, "configurations", "registers")[0], 32u);
  EXPECT_EQ(column<std::uint32_t>(data, "configurations", "dynamic_shared_memory")[0], 1024u);
  EXPECT_EQ(column<float>(data, "launches", "queue_delay_ns")[0], 9500.0f);
  EXPECT_EQ(column<double>(data, "launches", "blocks_per_sm")[0], 0.5);
  EXPECT_EQ(column<double>(data, "launches", "est_achieved_occupancy")[0], 50.0);
  EXPECT_EQ(data.strings[StringId{column<std::uint32_t>(data, "kernels", "short_name")[0]}], "axpy");
  EXPECT_EQ(of_kind(data, ResourceKind::Process).front()->number, 5);
}

// Calls of every runtime that PyTorch's profiler knows.
TEST_F(Chrome, RuntimesOfAllKindsOfDevicesLaunch) {
  for (const std::string runtime : {"cuda", "hip", "xpu", "privateuse1", "musa", "mtia"}) {
    const auto data = import_events(
        R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":100,"dur":5,"args":{"device":0,"stream":7,"correlation":3}},)"
        R"({"ph":"X","cat":")" +
        runtime + R"(_runtime","name":"launch","pid":55,"tid":55,"ts":90,"dur":2,"args":{"correlation":3}})");
    EXPECT_EQ(linked(data), 1) << runtime;
  }
}

TEST_F(Chrome, CollectivesAndRocmKernelsWithFewArguments) {
  const auto data = import_events(
      R"j({"ph":"X","cat":"kernel","name":"ncclDevKernel_AllReduce","pid":2,"tid":9,"ts":1,"dur":1,"args":{"device":2,"stream":9,
          "correlation":4,"kind":"Dispatch Kernel","Collective name":"allreduce","In msg nelems":100,"Out msg nelems":100,
          "dtype":"BFloat16","Group size":8,"Process Group Name":"0","Process Group Ranks":"[0, 1]","secret":"x=y"}},
         {"ph":"X","cat":"kernel","name":"bare","pid":3,"tid":"stream 4","ts":5,"dur":1},
         {"ph":"X","cat":"gpu_memcpy","name":"Memcpy HtoD (Pageable -> Device)","pid":2,"tid":9,"ts":8,"dur":1,
          "args":{
  "device" : 2, "stream" : 9, "bytes" : 64}},
         {"ph":"X","cat":"gpu_memcpy","name":"Memcpy DtoA (Device -> Array)","pid":2,"tid":9,"ts":9,"dur":1,
          "args":{"device":2,"stream":9,"bytes":64}},
         {"ph":"X","cat":"gpu_memset","name":"Memset (Device)","pid":2,"tid":9,"ts":10,"dur":1,"args":{"device":2}})j");
  const auto& collective = column<std::uint32_t>(data, "launches", "collective_name");
  EXPECT_EQ(data.strings[StringId{collective[0]}], "allreduce");
  EXPECT_EQ(collective[1], kNone);
  EXPECT_EQ(column<double>(data, "launches", "group_size")[0], 8.0);
  for (const auto& text : data.strings.all()) EXPECT_EQ(text.find("x=y"), std::string::npos);
  const auto devices = of_kind(data, ResourceKind::Device);
  ASSERT_EQ(devices.size(), 2u);
  EXPECT_EQ(devices[1]->number, 3);
  EXPECT_EQ(of_kind(data, ResourceKind::Stream).back()->number, 4);
  using enum TransferKind;
  EXPECT_EQ(column<std::uint8_t>(data, "transfers", "kind"),
            (std::vector<std::uint8_t>{static_cast<std::uint8_t>(HostToDevice),
                                       static_cast<std::uint8_t>(DeviceToDevice),
                                       static_cast<std::uint8_t>(Memset)}));
  EXPECT_EQ(reported(data, "missing-bytes"), 1);
}

TEST_F(Chrome, GraphReplaysShareOneCallAndDuplicatesTakeTheLatest) {
  std::string events =
      R"({"ph":"X","cat":"cuda_runtime","name":"cudaGraphLaunch","pid":5,"tid":6,"ts":10,"dur":1,"args":{"correlation":8}},
         {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":5,"tid":6,"ts":50,"dur":1,"args":{"correlation":8}})";
  for (const int start : {20, 30, 60})
    events += fmt::format(
        R"(,{{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":{},"dur":1,"args":{{"device":0,"stream":7,"correlation":8}}}})",
        start);
  const auto data = import_events(events);
  EXPECT_EQ(column<std::uint32_t>(data, "launches", "call"), (std::vector<std::uint32_t>{0, 0, 1}));
  const auto& flags = column<std::uint8_t>(data, "launches", "flags");
  EXPECT_EQ(flags[0] & store::kLaunchGraph, store::kLaunchGraph);
  EXPECT_EQ(flags[2] & store::kLaunchGraph, 0);
}

TEST_F(Chrome, CountersOfTheProfilerBelongToLaunches) {
  const std::string counters =
      R"({"ph":"X","cat":"cuda_profiler_range","name":"k","pid":0,"tid":0,"ts":19,"dur":5,"args":{"smsp__inst_executed.sum":42}})";
  const auto alone = import_events(counters);
  EXPECT_EQ(column<double>(alone, "launches", "smsp_inst_executed_sum"), (std::vector<double>{42}));
  EXPECT_EQ(reported(alone, "launches-from-counters"), 1);
  const auto beside = import_events(
      counters +
      R"(,{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":20,"dur":1,"args":{"device":0}})");
  EXPECT_EQ(column<double>(beside, "launches", "smsp_inst_executed_sum"), (std::vector<double>{42}));
  EXPECT_EQ(beside.find("launches")->rows(), 1u);
}

TEST_F(Chrome, TensorFlowAndJaxWriteDetailsAsText) {
  const auto data = import_events(
      R"j({"ph":"M","pid":3,"name":"process_name","args":{"name":"/device:GPU:1"}},
          {"ph":"M","pid":3,"tid":14,"name":"thread_name","args":{"name":"Stream #14(Compute,MemcpyH2D)"}},
          {"ph":"M","pid":3,"tid":2,"name":"thread_name","args":{"name":"XLA Modules"}},
          {"ph":"X","pid":3,"tid":2,"ts":1,"dur":9,"name":"jit_step"},
          {"ph":"X","pid":3,"tid":14,"ts":2.5,"dur":3,"name":"fusion_2","args":{"correlation_id":"7",
           "kernel_details":"regs:40 static_shared:8 dynamic_shared:64 grid:12,3,1 block:256,1,1 occ_pct:100"}},
          {"ph":"X","pid":3,"tid":14,"ts":6,"dur":1,"name":"MemcpyH2D","args":{"memcpy_details":
           "kind_src:pinned kind_dst:device size:4096 dest:0 async:1"}},
          {"ph":"X","pid":701,"tid":5,"ts":2,"dur":0.25,"name":"cuLaunchKernel","args":{"correlation_id":7}})j");
  ASSERT_EQ(data.find("launches")->rows(), 1u);
  EXPECT_EQ(column<std::uint32_t>(data, "configurations", "grid_y")[0], 3u);
  EXPECT_EQ(column<std::uint32_t>(data, "configurations", "block_x")[0], 256u);
  EXPECT_EQ(column<std::uint32_t>(data, "configurations", "registers")[0], 40u);
  EXPECT_EQ(linked(data), 1);
  EXPECT_EQ(column<std::int64_t>(data, "transfers", "bytes"), (std::vector<std::int64_t>{4096}));
  EXPECT_EQ(of_kind(data, ResourceKind::Device).front()->number, 1);
  EXPECT_EQ(name_of(data, "ranges", 0), "jit_step");
  EXPECT_EQ(of_kind(data, ResourceKind::Device).front()->name, "GPU:1");
  ASSERT_EQ(of_kind(data, ResourceKind::Stream).size(), 1u);
  EXPECT_EQ(of_kind(data, ResourceKind::Stream).front()->name, "Stream #14(Compute,MemcpyH2D)");
}

TEST_F(Chrome, DevicesWithoutStreamsRunTheOperationsOfXla) {
  const std::string names =
      R"j({"ph":"M","pid":9,"name":"process_name","args":{"name":"/device:TPU:3 TPU v4"}},
          {"ph":"M","pid":9,"tid":1,"name":"thread_name","args":{"name":"XLA Modules"}},
          {"ph":"M","pid":9,"tid":2,"name":"thread_name","args":{"name":"XLA Ops"}})j";
  const std::string events =
      R"j(,{"ph":"X","pid":9,"tid":1,"ts":1,"dur":9,"name":"jit_step"},
          {"ph":"X","pid":9,"tid":2,"ts":2,"dur":3,"name":"fusion.1"},
          {"ph":"X","pid":9,"tid":2,"ts":5,"dur":2,"name":"fusion.2"})j";
  const auto data = import_events(names + events);
  EXPECT_EQ(data.find("launches")->rows(), 2u);
  EXPECT_EQ(of_kind(data, ResourceKind::Device).front()->name, "TPU:3 TPU v4");
  EXPECT_EQ(of_kind(data, ResourceKind::Device).front()->number, 3);
  EXPECT_EQ(of_kind(data, ResourceKind::Stream).front()->name, "XLA Ops");
  EXPECT_EQ(of_kind(data, ResourceKind::Thread).front()->name, "TPU:3 TPU v4 XLA Modules");
  // Where a device has streams, the operations repeat what ran on these.
  const auto with_stream = import_events(
      names + R"(,{"ph":"M","pid":9,"tid":7,"name":"thread_name","args":{"name":"Stream #7"}})" + events +
      R"(,{"ph":"X","pid":9,"tid":7,"ts":2,"dur":3,"name":"fusion_kernel"})");
  EXPECT_EQ(with_stream.find("launches")->rows(), 1u);
  EXPECT_EQ(with_stream.find("ranges")->rows(), 3u);
}

TEST_F(Chrome, OddNamesOfDevicesDoNoHarm) {
  for (const auto* name : {"/device:", "/device:GPU", "/device:GPU:", "/device:GPU:99999999999999999999",
                           "/device:CPU:0", "/device:GPU:-1", "/device:/device:GPU:0", "GPU"}) {
    SCOPED_TRACE(name);
    const auto data =
        import_events(fmt::format(R"j({{"ph":"M","pid":3,"name":"process_name","args":{{"name":"{}"}}}},
            {{"ph":"M","pid":3,"tid":2,"name":"thread_name","args":{{"name":"XLA Ops"}}}},
            {{"ph":"X","pid":3,"tid":2,"ts":1,"dur":9,"name":"op"}},)j",
                                  name) +
                      kKernel);
    EXPECT_EQ(data.find("launches")->rows(), 1u);
    EXPECT_EQ(data.find("ranges")->rows(), 1u);
  }
}

TEST_F(Chrome, RanksComeFromNamesWhereTheFileHasNone) {
  for (const auto& [name, rank] :
       {std::pair("worker3_step_12.1694.pt.trace.json", 3), std::pair("rank-34.Jul.json", 34),
        std::pair("rank_0.json", 0), std::pair("trace_Rank7.json", 7), std::pair("frank.json", -1)}) {
    const auto data = import_text(R"({"traceEvents":[)" + kKernel + "]}", name);
    EXPECT_EQ(of_kind(data, ResourceKind::Process).front()->rank, rank) << name;
  }
  const auto data = import_events(kKernel, R"("distributedInfo":{"rank":"5","world_size":8},)");
  EXPECT_EQ(of_kind(data, ResourceKind::Process).front()->rank, 5);
}

TEST_F(Chrome, PlainTracesGiveRangesMarksAndSamples) {
  const auto data = import_text(
      R"([{"name":"thread_name","ph":"M","pid":"main","tid":"t","args":{"name":"worker"}},
          {"name":"outer","ph":"B","pid":"main","tid":"t","ts":1},{"name":"inner","ph":"X","pid":"main","tid":"t","ts":2,"dur":3},
          {"name":"outer","ph":"E","pid":"main","tid":"t","ts":9},{"name":"now","ph":"i","pid":"main","tid":"t","ts":4,"s":"t"},
          {"name":"load","cat":"io","ph":"b","id":"0x1","pid":"main","tid":"t","ts":3},
          {"name":"load","cat":"io","ph":"e","id":"0x1","pid":"main","tid":"t","ts":7},
          {"name":"memory","ph":"C","pid":"main","ts":5,"args":{"used":1.5,"free":2}},
          {"name":"left open","ph":"B","pid":"main","tid":"t","ts":8},
          {"name":"no end","ph":"X","pid":"main","tid":"t","ts":8.5},
          {"ph":"E","pid":"main","tid":"other","ts":9})");
  EXPECT_EQ(data.find("ranges")->rows(), 6u);
  EXPECT_EQ(name_of(data, "ranges", 0), "outer");
  EXPECT_EQ(column<std::int64_t>(data, "ranges", "duration")[0], 8000);
  EXPECT_EQ(column<std::uint8_t>(data, "ranges", "kind"),
            (std::vector<std::uint8_t>{kPushPopRange, kPushPopRange, kStartEndRange, kMark, kPushPopRange,
                                       kPushPopRange}));
  EXPECT_EQ(data.find("samples")->rows(), 2u);
  EXPECT_EQ(reported(data, "cut-off-file"), 1);
  EXPECT_EQ(reported(data, "open-range"), 2);
  EXPECT_EQ(reported(data, "end-without-begin"), 1);
  EXPECT_EQ(reported(data, "no-kernels"), 1);
}

TEST_F(Chrome, UnknownSizesOfCopiesAreMissingAndNotZero) {
  const auto data = import_events(
      R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":10,"dur":10,"args":{"device":0,"stream":7}},
         {"ph":"X","cat":"gpu_memcpy","name":"Memcpy HtoD","pid":0,"tid":8,"ts":12,"dur":4,"args":{"device":0,"stream":8}},
         {"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":40,"dur":10,"args":{"device":0,"stream":7}})");
  EXPECT_EQ(column<std::int64_t>(data, "transfers", "bytes"),
            std::vector<std::int64_t>{store::kUnknownBytes});
  EXPECT_EQ(column<float>(data, "launches", "overlap_host_to_device_ns"), (std::vector<float>{4000, 0}));
  const auto& bytes = column<float>(data, "launches", "overlap_transfer_bytes");
  EXPECT_TRUE(std::isnan(bytes[0]));
  EXPECT_EQ(bytes[1], 0.0f);
  EXPECT_EQ(reported(data, "missing-bytes"), 1);
}

// As scripts write traces again: without phase, without device, with the number of a process in place of it.
TEST_F(Chrome, EventsOfFewMembersAreThere) {
  const auto data = import_events(R"({},{"cat":"kernel","name":"a","ts":10,"dur":5},
    {"ph":"X","cat":"kernel","name":"b","pid":1147039,"tid":1147039,"ts":20,"dur":5,"args":{"External id":1}},
    {"ph":"X","cat":"kernel","name":"c","pid":"Spans","tid":3,"ts":30,"dur":5},
    {"ph":"X","cat":"kernel","name":"d","pid":0,"tid":3,"ts":40,"dur":5,"args":{"device":-1}},
    {"cat":"kernel","name":"e","ts":50})");
  EXPECT_EQ(column<std::int64_t>(data, "launches", "start"), (std::vector<std::int64_t>{0, 10000, 20000}));
  for (const auto* resource : of_kind(data, ResourceKind::Device)) EXPECT_EQ(resource->number, 0);
  EXPECT_EQ(reported(data, "unknown-device"), 3);
  EXPECT_EQ(reported(data, "missing-device"), 1);
  EXPECT_EQ(reported(data, "missing-phase"), 1);
  EXPECT_EQ(reported(data, "other-events"), 1);
}

TEST_F(Chrome, WrongValuesAreDroppedAndCounted) {
  const auto data = import_events(
      kKernel +
      R"(,{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":"soon","dur":1,"args":{"device":0}},
          {"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1e300,"dur":1,"args":{"device":0}},
          {"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":5,"dur":-1,"args":{"device":0}},
          {"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":5,"args":{"device":0}},
          {"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":5,"dur":1,"args":{"device":-4}},
          {"ph":"X","cat":"kernel","pid":0,"tid":7,"ts":5,"dur":1,"args":{"device":0}},
          {"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":5,"dur":1,"args":{"device":0,"grid":[-1,99999999999,"x"]}},
          {"ph":"X","cat":"kernel","name":"\ud800\u0041\x","pid":0,"tid":7,"ts":5,"dur":1,"args":{"device":0,"queued":inf}},
          {"ph":"C","name":"c","pid":0,"ts":5,"args":{"v":nan}},{"ph":"?"},{"ph":7},17,null,"text",[],{},{"ts":1,"ts":2})");
  EXPECT_EQ(data.find("launches")->rows(), 3u);
  EXPECT_EQ(reported(data, "missing-time"), 3);
  EXPECT_EQ(reported(data, "negative-duration"), 1);
  EXPECT_EQ(reported(data, "missing-device"), 1);
  EXPECT_EQ(reported(data, "missing-name"), 1);
  EXPECT_EQ(reported(data, "bad-configuration"), 1);
  EXPECT_EQ(reported(data, "missing-value"), 1);
}

TEST_F(Chrome, BrokenElementsDoNotHarmTheirNeighbours) {
  const auto data = import_events(kKernel + R"(,{"ph":"X" "ts"},{"ph":"X","name":"bad )" + "\xff\xfe\x01" +
                                  R"(","pid":1,"tid":1,"ts":7,"dur":1},)" + kLaunch);
  EXPECT_EQ(data.find("launches")->rows(), 1u);
  EXPECT_EQ(linked(data), 1);
  EXPECT_EQ(reported(data, "broken-events"), 1);
  EXPECT_EQ(reported(data, "bad-text"), 1);
}

TEST_F(Chrome, WhatIsLostOfATraceIsTold) {
  auto single = kKernel;
  single.replace(single.find("\"kernel\""), 8, "'kernel'");
  EXPECT_EQ(reported(import_events(kKernel + "," + single), "broken-events"), 1);
  const auto whole = "{\"traceEvents\":[" + kKernel + "," + kLaunch + "]}";
  EXPECT_EQ(reported(import_text(whole + "}"), "text-behind-the-end"), 1);
  EXPECT_EQ(reported(import_text(whole + " \n"), "text-behind-the-end"), 0);
  write_bytes(folder_.path("trace.json"), R"({"traceEvents": [{"ph":"X",,,]})");
  const auto refused = import_files({folder_.path("trace.json")}, Job{});
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().message.find("no JSON"), std::string::npos) << refused.error().message;
}

// JSON lines, with and without commas, what jq prints, and what a program appends while it runs.
TEST_F(Chrome, EventsNeedNoArrayAroundThem) {
  const std::string odd = R"({"ph":"X","cat":"kernel","name":"k}\\\"{","pid":0,"tid":7,"ts":200,"dur":1,"args":{"device":0,"stream":7}})";
  for (const std::string between : {"\n", ",\n", "\r\n", "", " ,\n\n"}) {
    for (const auto* end : {"", "\n", ",\n"}) {
      const auto data = import_text(kLaunch + between + kKernel + between + odd + end);
      EXPECT_EQ(data.find("launches")->rows(), 2u) << between << end;
      EXPECT_EQ(linked(data), 1) << between << end;
      EXPECT_EQ(reported(data, "loose-events"), 1);
      EXPECT_EQ(reported(data, "broken-events"), 0);
      EXPECT_EQ(reported(data, "text-behind-the-end"), 0);
      EXPECT_EQ(reported(data, "cut-off-file"), 0);
    }
    const auto cut = import_text(kLaunch + between + kKernel + between + odd.substr(0, 40));
    EXPECT_EQ(cut.find("launches")->rows(), 1u) << between;
    EXPECT_EQ(reported(cut, "cut-off-file"), 1) << between;
  }
  const auto arrays = import_text("[" + kLaunch + "]\n[" + kKernel + "," + odd + "]\n[]");
  EXPECT_EQ(arrays.find("launches")->rows(), 2u);
  EXPECT_EQ(linked(arrays), 1);
  EXPECT_EQ(reported(arrays, "several-arrays"), 2);
  EXPECT_EQ(reported(arrays, "text-behind-the-end"), 0);
  std::string lines = kLaunch;
  for (int i = 0; i < 20'000; ++i)
    lines += fmt::format(R"({}{{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":{},"dur":1,"args":{{"device":0,"stream":7}}}})",
                         i % 3 == 0 ? "\n" : "", 100 + 2 * i);
  EXPECT_EQ(import_text(lines).find("launches")->rows(), 20'000u);
}

std::string trace_of(const char* members, const char* kernel, int time) {
  return fmt::format(R"({{{}"traceEvents":[{{"ph":"X","cat":"kernel","name":"{}","pid":0,"tid":7,"ts":{},"dur":2,)"
                     R"("args":{{"device":0,"stream":7}}}}]}})",
                     members, kernel, time);
}

// What a program appends with every recording, or cat makes of the files of several ranks.
TEST_F(Chrome, TracesOneBehindTheOtherAreAllRead) {
  const auto starts = [](const store::TraceData& data) { return column<std::int64_t>(data, "launches", "start"); };
  for (const auto* between : {"", "\n", " \r\n\n"}) {
    const auto same_clock = import_text(trace_of("", "b", 150) + between + trace_of("", "a", 100) + "\n");
    EXPECT_EQ(starts(same_clock), (std::vector<std::int64_t>{0, 50'000}));
    EXPECT_EQ(reported(same_clock, "several-traces"), 1);
    EXPECT_EQ(of_kind(same_clock, ResourceKind::Host).size(), 1u);
  }
  const auto own_bases = import_text(trace_of(R"("baseTimeNanoseconds":1700000000000001000,)", "a", 100) +
                                     trace_of(R"("baseTimeNanoseconds":1700000000000000000,)", "b", 100));
  EXPECT_EQ(starts(own_bases), (std::vector<std::int64_t>{0, 1'000}));
  EXPECT_EQ(own_bases.manifest.origin_utc_ns, 1'700'000'000'000'100'000);
  const auto ranks = import_text(trace_of(R"("distributedInfo":{"rank":0},)", "a", 100) +
                                 trace_of(R"("distributedInfo":{"rank":3},)", "b", 103));
  std::vector<std::int32_t> of_processes;
  for (const auto* process : of_kind(ranks, ResourceKind::Process)) of_processes.push_back(process->rank);
  EXPECT_EQ(of_processes, (std::vector<std::int32_t>{0, 3}));
  const auto unlike = import_text(trace_of(R"("baseTimeNanoseconds":1700000000000000000,)", "a", 7) + trace_of("", "b", 5));
  EXPECT_EQ(starts(unlike), (std::vector<std::int64_t>{0, 0}));
  EXPECT_EQ(reported(unlike, "alignment-unknown"), 1);
  const auto other = import_text(trace_of("", "a", 5) + R"({"summary":[1,2]})" + trace_of("", "b", 9));
  EXPECT_EQ(starts(other).size(), 2u);
  EXPECT_EQ(reported(other, "empty-traces"), 1);
  const auto cut = import_text(trace_of("", "a", 5) + trace_of("", "b", 9).substr(0, 60));
  EXPECT_EQ(starts(cut).size(), 1u);
  EXPECT_EQ(reported(cut, "cut-off-file"), 1);
}

// Tracers that write beginnings and ends.
TEST_F(Chrome, KernelsMayBeginAndEnd) {
  const auto data = import_events(
      R"({"ph":"B","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":9,"tid":9,"ts":5,"args":{"correlation":4}},)"
      R"({"ph":"E","pid":9,"tid":9,"ts":6},)"
      R"({"ph":"B","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":10,)"
      R"("args":{"device":1,"stream":7,"correlation":4,"grid":[2,3,1],"blocks per SM":0.5}},)"
      R"({"ph":"B","cat":"kernel","name":"other","pid":0,"tid":7,"ts":11,"args":{"device":1,"stream":7}},)"
      R"({"ph":"E","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":13.5,"args":{"registers per thread":40}},)"
      R"({"ph":"E","cat":"kernel","name":"other","pid":0,"tid":7,"ts":14},)"
      R"({"ph":"B","cat":"gpu_memcpy","name":"Memcpy HtoD","pid":0,"tid":7,"ts":20,"args":{"device":1,"stream":7,"bytes":64}},)"
      R"({"ph":"E","pid":0,"tid":7,"ts":22},)"
      R"({"ph":"B","name":"on a stream","pid":5,"tid":1,"ts":30},)"
      R"({"ph":"E","pid":5,"tid":1,"ts":31},)"
      R"({"ph":"M","name":"process_name","pid":5,"args":{"name":"GPU 0"}},)"
      R"({"ph":"B","name":"of the host","pid":9,"tid":9,"ts":7},{"ph":"E","pid":9,"tid":9,"ts":8},)"
      R"({"ph":"b","cat":"kernel","name":"apart","id":1,"pid":0,"tid":7,"ts":40,"args":{"device":1,"stream":8}},)"
      R"({"ph":"e","cat":"kernel","name":"apart","id":1,"pid":0,"tid":7,"ts":41},)"
      R"({"ph":"B","cat":"kernel","name":"open","pid":0,"tid":7,"ts":50,"args":{"device":1,"stream":7}})");
  EXPECT_EQ(column<std::int64_t>(data, "launches", "duration"), (std::vector<std::int64_t>{3'500, 3'000, 1'000, 1'000}));
  EXPECT_EQ(data.find("transfers")->rows(), 1u);
  EXPECT_EQ(data.find("calls")->rows(), 1u);
  EXPECT_EQ(data.find("ranges")->rows(), 1u);
  EXPECT_EQ(linked(data), 1);
  EXPECT_EQ(column<double>(data, "launches", "blocks_per_sm").front(), 0.5);
  EXPECT_EQ(data.find("configurations") ? column<std::uint32_t>(data, "configurations", "grid_y").front() : 0, 3u);
  const auto& registers = column<std::uint32_t>(data, "configurations", "registers");
  EXPECT_EQ(std::count(registers.begin(), registers.end(), 40u), 1);
  EXPECT_EQ(reported(data, "missing-time"), 1);
}

// Where nothing but the name of its place says that an event ran on a device, and that comes behind it.
TEST_F(Chrome, NamesMayComeAtTheEnd) {
  const std::string events =
      R"j({"ph":"X","name":"fusion","pid":1,"tid":14,"ts":10,"dur":2},)j"
      R"j({"ph":"X","name":"step","pid":1,"tid":15,"ts":10,"dur":9},)j"
      R"j({"ph":"X","name":"cuLaunchKernel","pid":7,"tid":9,"ts":8,"dur":1})j";
  const std::string names = R"j({"ph":"M","pid":1,"name":"process_name","args":{"name":"/device:GPU:0"}},)j"
                            R"j({"ph":"M","pid":1,"tid":14,"name":"thread_name","args":{"name":"Stream #14(Compute)"}},)j"
                            R"j({"ph":"M","pid":1,"tid":15,"name":"thread_name","args":{"name":"Steps"}})j";
  const auto first = import_events(names + "," + events);
  for (const auto& late : {events + "," + names, names.substr(0, names.find(",{")) + "," + events + "," + names}) {
    const auto data = import_events(late);
    EXPECT_EQ(data.find("launches")->rows(), 1u);
    EXPECT_EQ(data.find("ranges")->rows(), 1u);
    EXPECT_EQ(table_text(data, *data.find("launches")), table_text(first, *first.find("launches")));
    EXPECT_EQ(resources_text(data), resources_text(first));
    EXPECT_EQ(data.manifest.report.size(), first.manifest.report.size());
  }
  const auto whole = "{\"traceEvents\":[" + events + "," + names + "]}";
  const auto two = import_text(whole + whole);
  EXPECT_EQ(two.find("launches")->rows(), 2u);
  EXPECT_EQ(reported(two, "unmatched-launches"), 2);
}

// Profilers write 0 where they know no time.
TEST_F(Chrome, ZeroAmongTimesSince1970IsNone) {
  for (const bool based : {false, true}) {
    std::string events;
    for (int i = 0; i < 10; ++i)
      events += fmt::format(R"({{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":{},"dur":1,"args":{{"device":0,"stream":7}}}},)",
                            (based ? 0 : 1'700'000'000'000'000) + 100 + 2 * i);
    const auto stray = fmt::format(R"({{"ph":"i","name":"x","pid":5,"tid":5,"ts":{0}}},{{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":{0},"dur":1,"args":{{"device":0,"stream":7}}}})",
                                   based ? -1'700'000'000'000'000 : 0);
    const auto data = import_events(events + stray, based ? R"("baseTimeNanoseconds":1700000000000000000,)" : "");
    EXPECT_EQ(data.find("launches")->rows(), 10u) << based;
    EXPECT_EQ(reported(data, "impossible-time"), 2) << based;
    EXPECT_EQ(data.manifest.origin_utc_ns, 1'700'000'000'000'100'000) << based;
  }
}

TEST_F(Chrome, CategoriesOfOtherTools) {
  const auto event = [](const char* category, const char* name, int time) {
    return fmt::format(R"j({{"ph":"X","cat":"{}","name":"{}","pid":0,"tid":7,"ts":{},"dur":2}})j", category, name, time);
  };
  const auto data = import_events(
      event("cuda,kernel", "k", 1) + "," + event("gpu_op", "gemm[SIMD16 {128; 1; 1} {16; 2; 8}]", 5) + "," +
      event("gpu_op", "zeCommandListAppendMemoryCopy(M2D)[64 bytes]", 9) + "," +
      event("gpu_op", "zeCommandListAppendMemoryFill[64 bytes]", 12) + "," + event("gpu_memcpy", "Memcpy D2M", 15) + "," +
      event("gpu,other", "of a browser", 20) +
      R"(,{"ph":"X","cat":"cuda","name":"gemm","pid":1,"tid":7,"ts":30,"dur":1,"args":{"device":0,"stream":15}})"
      R"(,{"ph":"X","cat":"cuda","name":"Memcpy HtoD","pid":1,"tid":7,"ts":32,"dur":1,"args":{"device":0,"stream":15}})"
      R"(,{"ph":"X","cat":"cuda_wait_sync","name":"wait","pid":1,"tid":7,"ts":34,"dur":1,"args":{"device":0,"stream":15}})");
  EXPECT_EQ(data.find("launches")->rows(), 3u);
  EXPECT_EQ(data.find("ranges")->rows(), 2u);
  const auto& kind = column<std::uint8_t>(data, "transfers", "kind");
  EXPECT_EQ(kind, (std::vector<std::uint8_t>{static_cast<std::uint8_t>(TransferKind::HostToDevice),
                                             static_cast<std::uint8_t>(TransferKind::Memset),
                                             static_cast<std::uint8_t>(TransferKind::DeviceToHost),
                                             static_cast<std::uint8_t>(TransferKind::HostToDevice)}));
}

// nsys2json, nvprof2json, and PyTorch's profiler before Kineto.
TEST_F(Chrome, PlacesMayBeWrittenAsTexts) {
  const auto event = [](const char* name, const char* category, const char* pid, const char* tid, int time) {
    return fmt::format(R"({{"name":"{}","ph":"X","cat":"{}","ts":{},"dur":2,"pid":{},"tid":{},"args":{{}}}})", name, category, time,
                       pid, tid);
  };
  const auto nsys = import_text("[" + event("gemm", "cuda", "\"Device 1\"", "\"Stream 7\"", 10) + "," +
                                event("[CUDA memcpy HtoD]", "cuda", "\"Device 1\"", "\"Stream 7\"", 20) + "," +
                                event("step", "nvtx-kernel", "\"Device 1\"", "\"NVTX Kernel Thread 5\"", 10) + "," +
                                event("cudaLaunchKernel", "cuda_api", "\"Host 0\"", "\"CUDA API Thread 5\"", 5) + "]");
  EXPECT_EQ(nsys.find("launches")->rows(), 1u);
  EXPECT_EQ(nsys.find("transfers")->rows(), 1u);
  EXPECT_EQ(nsys.find("ranges")->rows(), 1u);
  EXPECT_EQ(nsys.find("calls")->rows(), 1u);
  const auto& stream = nsys.resources[column<std::uint32_t>(nsys, "launches", "stream")[0]];
  EXPECT_EQ(stream.number, 7);
  EXPECT_EQ(nsys.resources[stream.parent].number, 1);
  const auto nvprof = import_text("[" + event("sgemm", "cuda", "\"[2:1] Stream 13\"", "\"Compute\"", 10) + "," +
                                  event("Memcpy HtoD [sync]", "cuda", "\"[2:1] Stream 13\"", "\"MemCpy (HtoD)\"", 20) + "]");
  EXPECT_EQ(nvprof.find("launches")->rows(), 1u);
  EXPECT_EQ(column<std::uint8_t>(nvprof, "transfers", "kind"),
            std::vector<std::uint8_t>{static_cast<std::uint8_t>(TransferKind::HostToDevice)});
  EXPECT_EQ(nvprof.resources[column<std::uint32_t>(nvprof, "launches", "stream")[0]].number, 13);
  const auto old = import_text("[" + event("sgemm", "", "\"CUDA functions\"", "3", 10) + "," +
                               event("aten::mm", "", "\"CPU functions\"", "1", 5) + "]");
  EXPECT_EQ(old.find("launches")->rows(), 1u);
  EXPECT_EQ(old.find("ranges")->rows(), 1u);
  for (const auto* other : {"\"[2:1 Stream 13\"", "\"[x:1] Stream 13\"", "\"Device x\"", "\"[:] Stream \"", "\"] Stream 5:[\""})
    EXPECT_EQ(import_text("[" + event("k", "cuda", other, "\"Stream 7\"", 10) + "]").find("launches")->rows(), 0u) << other;
}

TEST_F(Chrome, DevicesInPlaceOfProcesses) {
  const auto data = import_events(
      R"({"name":"mm","cat":"kernel","ph":"X","pid":"device_1","tid":"Core0 CTA0","ts":0,"dur":3.5},
         {"name":"mm","cat":"kernel","ph":"X","pid":"device_1","tid":"Core1 CTA0","ts":1,"dur":3.5})");
  EXPECT_EQ(data.find("launches")->rows(), 2u);
  EXPECT_EQ(reported(data, "missing-device"), 0);
  EXPECT_EQ(reported(data, "overlapping-launches"), 0);
}

TEST_F(Chrome, AnyBeginningOpensOrSaysWhyNot) {
  const auto whole =
      R"({"schemaVersion":1,"distributedInfo":{"rank":1},"traceEvents":[)" + kKernel + "," + kLaunch + "]}";
  std::size_t opened = 0;
  for (std::size_t length = 1; length < whole.size(); ++length) {
    write_bytes(folder_.path("cut.json"), whole.substr(0, length));
    const auto data = import_files({folder_.path("cut.json")}, Job{});
    opened += data.has_value() ? 1 : 0;
    if (!data) {
      EXPECT_EQ(data.error().kind, ErrorKind::BadInput) << length << describe(data.error());
    }
  }
  EXPECT_GT(opened, kLaunch.size() - 2);
}

TEST_F(Chrome, DeepNestingAndOtherJsonAreRefusedOrPassedOver) {
  const std::string deep(100'000, '[');
  EXPECT_EQ(import_events(kKernel + R"(,{"ph":"X","args":{"a":)" + deep + std::string(100'000, ']') + "}}")
                .find("launches")
                ->rows(),
            1u);
  for (const auto& text : {deep, std::string(R"({"a":1})"), std::string("[1,2,3]"),
                           std::string(R"({"traceEvents":7})"), std::string(R"({"traceEvents":[]})")}) {
    write_bytes(folder_.path("other.json"), text);
    const auto data = import_files({folder_.path("other.json")}, Job{});
    ASSERT_FALSE(data.has_value());
    EXPECT_EQ(data.error().kind, ErrorKind::BadInput);
  }
}

TEST_F(Chrome, EventsAcrossManyChunksAreAllThere) {
  std::string events = kLaunch;
  for (int i = 0; i < 20'000; ++i)
    events += fmt::format(
        R"(,{{"ph":"X","cat":"kernel","name":"k\"[{{{}","pid":0,"tid":7,"ts":{},"dur":1,"args":{{"device":0,"stream":7,
                             "grid":[1,1,1],"block":[32,1,1],"correlation":{}}}}})",
        i % 10, 100 + 2 * i, i + 100);
  const auto data = import_events(events);
  EXPECT_EQ(data.find("launches")->rows(), 20'000u);
  EXPECT_EQ(data.find("kernels")->rows(), 10u);
  EXPECT_EQ(sum(column<std::int64_t>(data, "launches", "duration")), 20'000'000);
}

TEST_F(Chrome, EventsBehindBigMembersAreFound) {
  const auto data = import_text(R"({"schemaVersion":1,"metadata":{"a":")" + std::string(200'000, 'x') +
                                R"("},"traceEvents":[)" + kKernel + "]}");
  EXPECT_EQ(data.find("launches")->rows(), 1u);
}

TEST_F(Chrome, CancelledImportsStop) {
  std::string events = kKernel;
  for (int i = 0; i < 10'000; ++i) events += "," + kKernel;
  write_bytes(folder_.path("t.json"), "[" + events + "]");
  Job job;
  job.cancelled = [] { return true; };
  const auto data = import_files({folder_.path("t.json")}, job);
  ASSERT_FALSE(data.has_value());
  EXPECT_EQ(data.error().kind, ErrorKind::Cancelled);
}

} // namespace
} // namespace jitterscope::import
