// Meanings of events in Chrome's format: PyTorch's profiler, rocprof v1, rocmProfileData, others.

#include <cmath>
#include <map>

#include <fmt/core.h>

#include "tests/core/import/formats/chrome_support.h"

namespace jitterscope::import {
namespace {

using store::ResourceKind;
using store::TransferKind;

TEST_F(Chrome, DecimalMicrosecondsAreExactNanoseconds) {
  const auto data = import_events(
      R"({"ph":"X","cat":"kernel","name":"a","pid":0,"tid":7,"ts":1712195495519689.047,"dur":0.001,"args":{"device":0}},
         {"ph":"X","cat":"kernel","name":"a","pid":0,"tid":7,"ts":1712195495519689.048,"dur":68.0,"args":{"device":0}},
         {"ph":"X","cat":"kernel","name":"a","pid":0,"tid":7,"ts":"1712195495519690","dur":"3","args":{"device":0}},
         {"ph":"X","cat":"kernel","name":"a","pid":0,"tid":7,"ts":1.7121954955196905e15,"dur":1e-3,"args":{"device":0}})");
  EXPECT_EQ(launch_starts(data), (Integers{0, 1, 953, 1453}));
  EXPECT_EQ(launch_durations(data), (Integers{1, 68000, 3000, 1}));
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
  EXPECT_EQ(string_at(data, "kernels", "short_name", 0), "axpy");
  EXPECT_EQ(of_kind(data, ResourceKind::Process).front()->number, 5);
}

// Calls of every runtime that PyTorch's profiler records.
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
            (Codes{static_cast<std::uint8_t>(HostToDevice), static_cast<std::uint8_t>(DeviceToDevice),
                   static_cast<std::uint8_t>(Memset)}));
  EXPECT_EQ(reported(data, "missing-bytes"), 1);
}

TEST_F(Chrome, CallsOfAmdStateConfigurationsAndBytes) {
  const auto data = import_events(
      R"j({"ph":"X","cat":"cuda_runtime","name":"hipLaunchKernel","pid":5,"tid":6,"ts":10,"dur":1,"args":{"kernel":"k",
           "cid":107,"correlation":8,"grid":[12,3,1],"block":[64,2,1],"shared memory":512}},
          {"ph":"X","cat":"cuda_runtime","name":"hipExtModuleLaunchKernel","pid":5,"tid":6,"ts":11,"dur":1,"args":{
           "correlation":9,"grid":[512,2,1],"block":[256,1,1],"shared memory":0}},
          {"ph":"X","cat":"cuda_runtime","name":"hipMemcpyWithStream","pid":5,"tid":6,"ts":12,"dur":1,"args":{
           "correlation":10,"src":"0x1","dst":"0x2","bytes":"4096","kind":"1"}},
          {"ph":"X","cat":"kernel","name":"k","pid":2,"tid":0,"ts":20,"dur":1,"args":{"device":2,"stream":0,"correlation":8,
           "kind":"Dispatch Kernel","grid":[12,3,1],"block":[64,2,1]}},
          {"ph":"X","cat":"kernel","name":"k","pid":2,"tid":0,"ts":22,"dur":1,"args":{"device":2,"stream":0,"correlation":9}},
          {"ph":"X","cat":"gpu_memcpy","name":"Memcpy HtoD","pid":2,"tid":0,"ts":24,"dur":1,"args":{"device":2,"stream":0,
           "correlation":10,"kind":"CopyHostToDevice"}},
          {"ph":"X","cat":"gpu_memcpy","name":"Memcpy HtoD","pid":2,"tid":0,"ts":26,"dur":1,"args":{"device":2,"stream":0,
           "correlation":11}})j");
  const auto of_launch = [&](const char* name, std::size_t row) {
    const auto c = column<std::uint32_t>(data, "launches", "configuration")[row];
    return column<std::uint32_t>(data, "configurations", name)[c];
  };
  EXPECT_EQ(of_launch("grid_x", 0), 12u);
  EXPECT_EQ(of_launch("grid_y", 0), 3u);
  EXPECT_EQ(of_launch("block_y", 0), 2u);
  EXPECT_EQ(of_launch("dynamic_shared_memory", 0), 512u);
  EXPECT_EQ(of_launch("grid_x", 1), 2u); // written in work-items
  EXPECT_EQ(of_launch("block_x", 1), 256u);
  EXPECT_EQ(column<std::int64_t>(data, "transfers", "bytes"), (Integers{4096, store::kUnknownBytes}));
  expect_reported(data, {{"configuration-of-call", 2}, {"missing-bytes", 1}});
}

TEST_F(Chrome, RanksInOneFileLaunchOnTheirOwnDevices) {
  for (const bool ranks : {true, false}) {
    std::string events;
    for (int rank = 0; rank < 3; ++rank)
      for (int i = 1; i <= 4 - rank; ++i) {
        const auto number =
            ranks ? i
                  : 100 * rank + i; // correlation ids repeat across ranks only if the events state their rank
        const auto said = ranks ? fmt::format(R"(,"rank":{})", rank) : std::string();
        events += fmt::format(
            R"({}{{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":{},"tid":6,"ts":{},"dur":1,"args":{{"correlation":{}{}}}}},
               {{"ph":"X","cat":"kernel","name":"k","pid":{},"tid":7,"ts":{},"dur":1,"args":{{"device":{},"stream":7,"correlation":{}{}}}}})",
            events.empty() ? "" : ",", 50 + rank, 100 * i + rank, number, said, rank, 100 * i + 10 + rank,
            rank, number, said);
      }
    const auto data = import_events(events);
    EXPECT_EQ(linked(data), 9);
    EXPECT_EQ(reported(data, "unmatched-launches"), 0);
    const auto devices = of_kind(data, ResourceKind::Device);
    ASSERT_EQ(devices.size(), 3u);
    for (const auto* device : devices) {
      const auto& process = data.resources[device->parent];
      EXPECT_EQ(process.number, 50 + device->number);
      EXPECT_EQ(process.rank, ranks ? device->number : -1);
    }
  }
}

TEST_F(Chrome, RequestsToTheDmaEngineAreCopies) {
  const auto data = import_events(
      R"j({"ph":"X","cat":"kernel","name":"dma_request","pid":0,"tid":3,"ts":1,"dur":2,"args":{"device":0,"stream":3,
           "direction":"H2D","size":4096}},
          {"ph":"X","cat":"kernel","name":"dma_request","pid":0,"tid":3,"ts":4,"dur":2,"args":{"device":0,"stream":3,
           "direction":"DEVICE_TO_HOST","size":"64"}},
          {"ph":"X","cat":"kernel","name":"fc","pid":0,"tid":3,"ts":7,"dur":2,"args":{"device":0,"stream":3}},
          {"ph":"M","name":"process_name","pid":9,"args":{"name":"MTIA 9"}},
          {"ph":"M","name":"thread_name","pid":9,"tid":801,"args":{"name":"CCP"}},
          {"ph":"X","cat":"mtia_ccp_events","name":"dma_request","pid":9,"tid":801,"ts":9,"dur":2,
           "args":{"direction":"DEVICE_TO_HOST","size":16}})j");
  EXPECT_EQ(data.find("launches")->rows(), 1u);
  EXPECT_EQ(data.find("ranges")->rows(), 0u);
  EXPECT_EQ(column<std::int64_t>(data, "transfers", "bytes"), (Integers{4096, 64, 16}));
  using enum TransferKind;
  EXPECT_EQ(column<std::uint8_t>(data, "transfers", "kind"),
            (Codes{static_cast<std::uint8_t>(HostToDevice), static_cast<std::uint8_t>(DeviceToHost),
                   static_cast<std::uint8_t>(DeviceToHost)}));
}

// Begin and end events may have the same times: the order of the events decides which range is inside.
TEST_F(Chrome, RangesThatBeginAndEndTogetherAreNestedAsTheirEvents) {
  const auto event = [](char phase, const char* name, int time, int thread = 1) {
    return fmt::format(R"({{"ph":"{}","name":"{}","cat":"user_annotation","pid":5,"tid":{},"ts":{}}},)",
                       phase, name, thread, time);
  };
  const auto data = import_events(
      event('B', "outer", 10) + event('B', "middle", 10) + event('B', "other", 10, 2) +
      event('B', "inner", 10) + event('E', "inner", 20) + event('E', "other", 20, 2) +
      event('E', "middle", 20) + event('E', "outer", 20) + event('B', "later", 30) + event('E', "later", 40) +
      R"({"ph":"X","name":"whole","cat":"user_annotation","pid":5,"tid":3,"ts":10,"dur":5},)"
      R"({"ph":"X","name":"part","cat":"user_annotation","pid":5,"tid":3,"ts":10,"dur":5})");
  std::map<std::string, int> depths;
  for (std::size_t row = 0; row < data.find("ranges")->rows(); ++row)
    depths[name_of(data, "ranges", row)] = column<std::uint8_t>(data, "ranges", "depth")[row];
  EXPECT_EQ(
      depths,
      (std::map<std::string, int>{
          {"outer", 0}, {"middle", 1}, {"inner", 2}, {"other", 0}, {"later", 0}, {"whole", 0}, {"part", 1}}));
}

// As unitrace writes them: flows of both directions share their numbers.
TEST_F(Chrome, DevicesCallsAndBarriersOfIntelsTools) {
  const auto kernel = [](int device, int number, int time) {
    return fmt::format(
        R"j({{"ph":"X","name":"zeCommandListAppendLaunchKernel","cat":"cpu_op","pid":7,"tid":7,"ts":{1},"dur":2,"id":{0}}},
            {{"ph":"s","name":"dep","cat":"Flow_H2D_{0}_0","pid":7,"tid":7,"ts":{1},"id":{0}}},
            {{"ph":"X","name":"gemm[SIMD32 {{4; 1; 1}} {{64; 1; 1}}]","cat":"gpu_op","pid":{3},"tid":90,"ts":{2},"dur":5,"args":{{"id":"{0}"}}}},
            {{"ph":"t","name":"dep","cat":"Flow_H2D_{0}_0","pid":{3},"tid":90,"ts":{2},"id":{0}}},
            {{"ph":"s","name":"dep","cat":"Flow_D2H_{0}_0","pid":{3},"tid":90,"ts":{2},"id":{0}}},)j",
        number, time, time + 10, 400 - device);
  };
  const auto process = [](int pid, const char* name) {
    return fmt::format(R"({{"ph":"M","name":"process_name","pid":{},"args":{{"name":"{}"}}}},)", pid, name);
  };
  const auto data = import_events(
      process(7, "RANK 3 HOST<n1>") + process(400, "RANK 3 DEVICE<n1>[Max 1550] 0:3a:0:0 #0") +
      process(399, "RANK 3 DEVICE<n1>[Max 1550] 0:9a:0:0 #1") + kernel(0, 1, 100) + kernel(1, 2, 200) +
      R"({"ph":"X","name":"clLossOfRank","cat":"user_annotation","pid":7,"tid":7,"ts":90,"dur":200},)"
      R"({"ph":"X","name":"zeCommandListAppendBarrier","cat":"gpu_op","pid":400,"tid":90,"ts":130,"dur":1})");
  EXPECT_EQ(data.find("launches")->rows(), 2u);
  EXPECT_EQ(data.find("calls")->rows(), 2u);
  ASSERT_EQ(data.find("ranges")->rows(), 1u);
  EXPECT_EQ(name_of(data, "ranges", 0), "clLossOfRank");
  EXPECT_EQ(column<std::uint32_t>(data, "launches", "call"), (Rows{0, 1}));
  EXPECT_EQ(reported(data, "unknown-device"), 0);
  EXPECT_EQ(reported(data, "not-imported"), 1);
  const auto devices = of_kind(data, ResourceKind::Device);
  ASSERT_EQ(devices.size(), 2u);
  EXPECT_EQ(devices[1]->number, 1);
  EXPECT_EQ(data.resources[devices[1]->parent].rank, 3);
  ASSERT_EQ(data.manifest.devices.size(), 2u);
  EXPECT_EQ(data.manifest.devices[1].name, "Max 1550");
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
  EXPECT_EQ(column<std::uint32_t>(data, "launches", "call"), (Rows{0, 0, 1}));
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
  const auto with_events = import_events(
      counters +
      R"(,{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":20,"dur":1,"args":{"device":0}})");
  EXPECT_EQ(column<double>(with_events, "launches", "smsp_inst_executed_sum"), (std::vector<double>{42}));
  EXPECT_EQ(with_events.find("launches")->rows(), 1u);
  const auto other = import_events(
      R"({"ph":"X","cat":"cuda_profiler_range","name":"never launched","pid":0,"tid":0,"ts":1,"dur":5,"args":{"n":42}},
         {"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":20,"dur":1,"args":{"device":0}})");
  EXPECT_EQ(reported(other, "counters-without-launch"), 1);
  EXPECT_EQ(other.find("kernels")->rows(), 1u) << "counters of kernels without a launch add no kernel";
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
  EXPECT_EQ(column<std::int64_t>(data, "transfers", "bytes"), (Integers{4096}));
  EXPECT_EQ(of_kind(data, ResourceKind::Device).front()->number, 1);
  EXPECT_EQ(name_of(data, "ranges", 0), "jit_step");
  EXPECT_EQ(of_kind(data, ResourceKind::Device).front()->name, "GPU:1");
  ASSERT_EQ(of_kind(data, ResourceKind::Stream).size(), 1u);
  EXPECT_EQ(of_kind(data, ResourceKind::Stream).front()->name, "Stream #14(Compute,MemcpyH2D)");
}

// Each stream of a device is a process, and a further process combines all of them.
TEST_F(Chrome, TimelinesOfTensorFlowHoldTheirKernelsOnce) {
  const auto process = [](int pid, const std::string& name) {
    return fmt::format(R"({{"ph":"M","pid":{},"name":"process_name","args":{{"name":"{} Compute"}}}},)", pid,
                       name);
  };
  const auto op = [](int pid, int start, const std::string& name) {
    return fmt::format(
        R"({{"ph":"X","cat":"Op","pid":{},"tid":1,"ts":{},"dur":2,"name":"{}","args":{{"name":"n","op":"{}"}}}})",
        pid, start, name, name);
  };
  const auto scheduled = process(1, "/job:worker/replica:0/task:0/device:GPU:1") +
                         process(3, "/device:GPU:1/stream:all") + process(5, "/device:GPU:1/memcpy");
  const auto all = op(1, 10, "MatMul") + "," + op(3, 20, "MatMul") + "," + op(3, 30, "Relu") + "," +
                   op(5, 5, "MEMCPYHtoD");
  const auto together = import_events(scheduled + all);
  EXPECT_EQ(launch_starts(together), (Integers{15'000, 25'000}));
  EXPECT_EQ(column<std::uint8_t>(together, "transfers", "kind")[0],
            static_cast<std::uint8_t>(TransferKind::HostToDevice));
  EXPECT_EQ(together.find("ranges")->rows(), 1u);
  EXPECT_EQ(of_kind(together, ResourceKind::Device).front()->name, "GPU:1");
  EXPECT_EQ(reported(together, "repeated-streams"), 0);
  const auto apart = import_events(
      scheduled + process(7, "/device:GPU:1/stream:13") + process(9, "/device:GPU:1/stream:14<MemcpyH2D>") +
      all + "," + op(7, 20, "MatMul") + "," + op(7, 30, "Relu") + "," + op(9, 5, "MemcpyH2D"));
  EXPECT_EQ(launch_starts(apart), (Integers{15'000, 25'000}));
  EXPECT_EQ(apart.find("transfers")->rows(), 1u);
  EXPECT_EQ(reported(apart, "repeated-streams"), 3);
  std::vector<std::int64_t> streams;
  for (const auto* stream : of_kind(apart, ResourceKind::Stream)) streams.push_back(stream->number);
  EXPECT_EQ(streams, (Integers{13, 14}));
  const auto old =
      import_events(process(3, "/gpu:2/stream:all") + process(5, "/gpu:2/context#0/stream#7:Kernel") +
                    op(3, 20, "MatMul") + "," + op(5, 20, "MatMul"));
  EXPECT_EQ(old.find("launches")->rows(), 1u);
  EXPECT_EQ(of_kind(old, ResourceKind::Device).front()->number, 2);
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
  // Where a device has streams, the events of operations repeat the events of the streams.
  const auto with_stream = import_events(
      names + R"(,{"ph":"M","pid":9,"tid":7,"name":"thread_name","args":{"name":"Stream #7"}})" + events +
      R"(,{"ph":"X","pid":9,"tid":7,"ts":2,"dur":3,"name":"fusion_kernel"})");
  EXPECT_EQ(with_stream.find("launches")->rows(), 1u);
  EXPECT_EQ(with_stream.find("ranges")->rows(), 3u);
}

TEST_F(Chrome, OddNamesOfDevicesDoNoHarm) {
  for (const auto* name : {"/device:", "/device:GPU", "/device:GPU:", "/device:GPU:99999999999999999999",
                           "/device:CPU:0", "/device:GPU:-1", "/device:/device:GPU:0", "GPU x"}) {
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

// A script may name the process of its only GPU without a number. Browsers have a process of this name, too.
TEST_F(Chrome, TheOnlyGpuNeedsNoNumber) {
  const std::string events = R"j({"ph":"M","name":"process_name","pid":1,"args":{"name":"CPU"}},
    {"ph":"X","name":"step","pid":1,"tid":1,"ts":0,"dur":100},{"ph":"X","name":"gemm","pid":2,"tid":7,"ts":10,"dur":20},
    {"ph":"X","name":"Memcpy HtoD","pid":2,"tid":7,"ts":40,"dur":5},{"ph":"X","name":"relu","pid":2,"tid":8,"ts":50,"dur":20})j";
  const auto named = [&](const std::string& name) {
    return import_events(R"({"ph":"M","name":"process_name","pid":2,"args":{"name":")" + name + R"("}},)" +
                         events);
  };
  for (const std::string name : {"GPU", "GPU (CUDA)", "GPU kernels"}) {
    const auto data = named(name);
    EXPECT_EQ(launch_starts(data), (Integers{10'000, 50'000})) << name;
    EXPECT_EQ(column<std::int64_t>(data, "transfers", "duration"), Integers{5'000}) << name;
    EXPECT_EQ(column<std::int64_t>(data, "ranges", "start").size(), 1u) << name;
    EXPECT_EQ(of_kind(data, store::ResourceKind::Stream).size(), 2u) << name;
  }
  for (const std::string name : {"GPU Process", "GPUs of others", "Renderer"})
    EXPECT_EQ(column<std::int64_t>(named(name), "launches", "start").size(), 0u) << name;
}

// PaddlePaddle appends durations to event names and uses other terms than libkineto.
TEST_F(Chrome, PaddlesNamesAreThoseOfKernels) {
  const auto data = import_events(
      R"j({"name":"cudaLaunchKernel[0.011 ms]","pid":42,"tid":"43(C++)","ts":8000000,"dur":11.250,"ph":"X","cat":"CudaRuntime",
           "args":{"correlation id":77}},
          {"name":"void gemm<float>(int)[0.020 ms]","pid":0,"tid":7,"ts":8000020,"dur":20.125,"ph":"X","cat":"Kernel",
           "args":{"device":0,"context":1,"stream":7,"correlation id":77,"grid":[128,1,1],"block":[256,1,1]}},
          {"name":"void gemm<float>(int)[0.031 ms]","pid":0,"tid":7,"ts":8000050,"dur":31.125,"ph":"X","cat":"Kernel",
           "args":{"device":0,"context":1,"stream":7,"correlation id":78,"grid":[128,1,1],"block":[256,1,1]}},
          {"name":"array[3 ms]","pid":0,"tid":7,"ts":8000090,"dur":1,"ph":"X","cat":"Kernel","args":{"device":0,"stream":7}},{})j",
      R"("schemaVersion":"1.0.1","displayTimeUnit":"ms","span_indx":"0",)");
  EXPECT_EQ(name_of(data, "kernels", 0), "void gemm<float>(int)");
  EXPECT_EQ(name_of(data, "kernels", 1), "array[3 ms]");
  EXPECT_EQ(name_of(data, "calls", 0), "cudaLaunchKernel");
  const auto& configuration = column<std::uint32_t>(data, "launches", "configuration");
  EXPECT_EQ(configuration[0], configuration[1]);
  EXPECT_EQ(linked(data), 1);
  EXPECT_EQ(data.manifest.sources[0].tool, "PaddlePaddle");
  EXPECT_EQ(data.manifest.sources[0].format, "Chrome trace");
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
            (Codes{kPushPopRange, kPushPopRange, kStartEndRange, kMark, kPushPopRange, kPushPopRange}));
  EXPECT_EQ(data.find("samples")->rows(), 2u);
  expect_reported(data,
                  {{"cut-off-file", 1}, {"open-range", 2}, {"end-without-begin", 1}, {"no-kernels", 1}});
}

TEST_F(Chrome, UnknownSizesOfCopiesAreMissingAndNotZero) {
  const auto data = import_events(
      R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":10,"dur":10,"args":{"device":0,"stream":7}},
         {"ph":"X","cat":"gpu_memcpy","name":"Memcpy HtoD","pid":0,"tid":8,"ts":12,"dur":4,"args":{"device":0,"stream":8}},
         {"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":40,"dur":10,"args":{"device":0,"stream":7}})");
  EXPECT_EQ(column<std::int64_t>(data, "transfers", "bytes"), Integers{store::kUnknownBytes});
  EXPECT_EQ(column<float>(data, "launches", "overlap_host_to_device_ns"), (std::vector<float>{4000, 0}));
  const auto& bytes = column<float>(data, "launches", "overlap_transfer_bytes");
  EXPECT_TRUE(std::isnan(bytes[0]));
  EXPECT_EQ(bytes[1], 0.0f);
  EXPECT_EQ(reported(data, "missing-bytes"), 1);
}

// As rewritten by scripts: without phase, without device, or with a process number instead of the device.
TEST_F(Chrome, EventsOfFewMembersAreThere) {
  const auto data = import_events(R"({},{"cat":"kernel","name":"a","ts":10,"dur":5},
    {"ph":"X","cat":"kernel","name":"b","pid":1147039,"tid":1147039,"ts":20,"dur":5,"args":{"External id":1}},
    {"ph":"X","cat":"kernel","name":"c","pid":"Spans","tid":3,"ts":30,"dur":5},
    {"ph":"X","cat":"kernel","name":"d","pid":0,"tid":3,"ts":40,"dur":5,"args":{"device":-1}},
    {"cat":"kernel","name":"e","ts":50})");
  EXPECT_EQ(launch_starts(data), (Integers{0, 10000, 20000}));
  for (const auto* resource : of_kind(data, ResourceKind::Device)) EXPECT_EQ(resource->number, 0);
  expect_reported(data,
                  {{"unknown-device", 3}, {"missing-device", 1}, {"missing-phase", 1}, {"other-events", 1}});
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
  expect_reported(data, {{"missing-time", 3},
                         {"negative-duration", 1},
                         {"missing-device", 1},
                         {"missing-name", 1},
                         {"bad-configuration", 1},
                         {"missing-value", 1}});
}

TEST_F(Chrome, BrokenElementsDoNotHarmTheirNeighbours) {
  const auto data = import_events(kKernel + R"(,{"ph":"X" "ts"},{"ph":"X","name":"bad )" + "\xff\xfe\x01" +
                                  R"(","pid":1,"tid":1,"ts":7,"dur":1},)" + kLaunch);
  EXPECT_EQ(data.find("launches")->rows(), 1u);
  EXPECT_EQ(linked(data), 1);
  expect_reported(data, {{"broken-events", 1}, {"bad-text", 1}});
}

TEST_F(Chrome, LostPartsOfATraceAreReported) {
  auto single = kKernel;
  single.replace(single.find("\"kernel\""), 8, "'kernel'");
  EXPECT_EQ(reported(import_events(kKernel + "," + single), "broken-events"), 1);
  const auto whole = "{\"traceEvents\":[" + kKernel + "," + kLaunch + "]}";
  EXPECT_EQ(reported(import_text(whole + "}"), "text-behind-the-end"), 1);
  EXPECT_EQ(reported(import_text(whole + " \n"), "text-behind-the-end"), 0);
  write_bytes(folder_.path("trace.json"), R"({"traceEvents": [{"ph":"X",,,]})");
  const auto refused = import_files({folder_.path("trace.json")}, Job{});
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().message.find("not valid JSON"), std::string::npos) << refused.error().message;
}

} // namespace
} // namespace jitterscope::import
