// Forms of files in Chrome's format: truncated, several traces in one file, events in any order, variants
// of other tools.

#include <algorithm>

#include <fmt/core.h>

#include "tests/core/import/formats/chrome_support.h"

namespace jitterscope::import {
namespace {

using store::ResourceKind;
using store::TransferKind;

// JSON lines, with and without commas, the output of jq, and files to which a program appends while it runs.
TEST_F(Chrome, EventsNeedNoArrayAroundThem) {
  const std::string odd =
      R"({"ph":"X","cat":"kernel","name":"k}\\\"{","pid":0,"tid":7,"ts":200,"dur":1,"args":{"device":0,"stream":7}})";
  for (const std::string between : {"\n", ",\n", "\r\n", "", " ,\n\n"}) {
    for (const auto* end : {"", "\n", ",\n"}) {
      const auto data = import_text(kLaunch + between + kKernel + between + odd + end);
      EXPECT_EQ(data.find("launches")->rows(), 2u) << between << end;
      EXPECT_EQ(linked(data), 1) << between << end;
      expect_reported(
          data, {{"loose-events", 1}, {"broken-events", 0}, {"text-behind-the-end", 0}, {"cut-off-file", 0}});
    }
    const auto cut = import_text(kLaunch + between + kKernel + between + odd.substr(0, 40));
    EXPECT_EQ(cut.find("launches")->rows(), 1u) << between;
    EXPECT_EQ(reported(cut, "cut-off-file"), 1) << between;
  }
  const auto arrays = import_text("[" + kLaunch + "]\n[" + kKernel + "," + odd + "]\n[]");
  EXPECT_EQ(arrays.find("launches")->rows(), 2u);
  EXPECT_EQ(linked(arrays), 1);
  expect_reported(arrays, {{"several-arrays", 2}, {"text-behind-the-end", 0}});
  std::string lines = kLaunch;
  for (int i = 0; i < 20'000; ++i)
    lines += fmt::format(
        R"({}{{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":{},"dur":1,"args":{{"device":0,"stream":7}}}})",
        i % 3 == 0 ? "\n" : "", 100 + 2 * i);
  EXPECT_EQ(import_text(lines).find("launches")->rows(), 20'000u);
}

std::string trace_of(const char* members, const char* kernel, int time) {
  return fmt::format(
      R"({{{}"traceEvents":[{{"ph":"X","cat":"kernel","name":"{}","pid":0,"tid":7,"ts":{},"dur":2,)"
      R"("args":{{"device":0,"stream":7}}}}]}})",
      members, kernel, time);
}

// Files to which a program appends every recording, or concatenated files of several ranks.
TEST_F(Chrome, ConcatenatedTracesAreAllRead) {
  const auto starts = [](const store::TraceData& data) { return launch_starts(data); };
  for (const auto* between : {"", "\n", " \r\n\n"}) {
    const auto same_clock = import_text(trace_of("", "b", 150) + between + trace_of("", "a", 100) + "\n");
    EXPECT_EQ(starts(same_clock), (Integers{0, 50'000}));
    EXPECT_EQ(reported(same_clock, "several-traces"), 1);
    EXPECT_EQ(of_kind(same_clock, ResourceKind::Host).size(), 1u);
  }
  const auto own_bases = import_text(trace_of(R"("baseTimeNanoseconds":1700000000000001000,)", "a", 100) +
                                     trace_of(R"("baseTimeNanoseconds":1700000000000000000,)", "b", 100));
  EXPECT_EQ(starts(own_bases), (Integers{0, 1'000}));
  EXPECT_EQ(own_bases.manifest.origin_utc_ns, 1'700'000'000'000'100'000);
  const auto ranks = import_text(trace_of(R"("distributedInfo":{"rank":0},)", "a", 100) +
                                 trace_of(R"("distributedInfo":{"rank":3},)", "b", 103));
  std::vector<std::int32_t> of_processes;
  for (const auto* process : of_kind(ranks, ResourceKind::Process)) of_processes.push_back(process->rank);
  EXPECT_EQ(of_processes, (std::vector<std::int32_t>{0, 3}));
  const auto unlike =
      import_text(trace_of(R"("baseTimeNanoseconds":1700000000000000000,)", "a", 7) + trace_of("", "b", 5));
  EXPECT_EQ(starts(unlike), (Integers{0, 0}));
  EXPECT_EQ(reported(unlike, "alignment-unknown"), 1);
  const auto other = import_text(trace_of("", "a", 5) + R"({"summary":[1,2]})" + trace_of("", "b", 9));
  EXPECT_EQ(starts(other).size(), 2u);
  EXPECT_EQ(reported(other, "empty-traces"), 1);
  const auto cut = import_text(trace_of("", "a", 5) + trace_of("", "b", 9).substr(0, 60));
  EXPECT_EQ(starts(cut).size(), 1u);
  EXPECT_EQ(reported(cut, "cut-off-file"), 1);
}

// Tracers that write begin and end events.
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
  EXPECT_EQ(launch_durations(data), (Integers{3'500, 3'000, 1'000, 1'000}));
  EXPECT_EQ(data.find("transfers")->rows(), 1u);
  EXPECT_EQ(data.find("calls")->rows(), 1u);
  EXPECT_EQ(data.find("ranges")->rows(), 1u);
  EXPECT_EQ(linked(data), 1);
  EXPECT_EQ(column<double>(data, "launches", "blocks_per_sm").front(), 0.5);
  EXPECT_EQ(data.find("configurations") ? column<std::uint32_t>(data, "configurations", "grid_y").front() : 0,
            3u);
  const auto& registers = column<std::uint32_t>(data, "configurations", "registers");
  EXPECT_EQ(std::count(registers.begin(), registers.end(), 40u), 1);
  EXPECT_EQ(reported(data, "missing-time"), 1);
}

// Only the name of its lane indicates that an event ran on a device, and this name follows the event.
TEST_F(Chrome, NamesMayComeAtTheEnd) {
  const std::string events = R"j({"ph":"X","name":"fusion","pid":1,"tid":14,"ts":10,"dur":2},)j"
                             R"j({"ph":"X","name":"step","pid":1,"tid":15,"ts":10,"dur":9},)j"
                             R"j({"ph":"X","name":"cuLaunchKernel","pid":7,"tid":9,"ts":8,"dur":1})j";
  const std::string names =
      R"j({"ph":"M","pid":1,"name":"process_name","args":{"name":"/device:GPU:0"}},)j"
      R"j({"ph":"M","pid":1,"tid":14,"name":"thread_name","args":{"name":"Stream #14(Compute)"}},)j"
      R"j({"ph":"M","pid":1,"tid":15,"name":"thread_name","args":{"name":"Steps"}})j";
  const auto first = import_events(names + "," + events);
  for (const auto& late :
       {events + "," + names, names.substr(0, names.find(",{")) + "," + events + "," + names}) {
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

// Profilers write 0 for unknown times.
TEST_F(Chrome, ZeroAmongTimesSince1970IsUnknown) {
  for (const bool based : {false, true}) {
    std::string events;
    for (int i = 0; i < 10; ++i)
      events += fmt::format(
          R"({{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":{},"dur":1,"args":{{"device":0,"stream":7}}}},)",
          (based ? 0 : 1'700'000'000'000'000) + 100 + 2 * i);
    const auto stray = fmt::format(
        R"({{"ph":"i","name":"x","pid":5,"tid":5,"ts":{0}}},{{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":{0},"dur":1,"args":{{"device":0,"stream":7}}}})",
        based ? -1'700'000'000'000'000 : 0);
    const auto data =
        import_events(events + stray, based ? R"("baseTimeNanoseconds":1700000000000000000,)" : "");
    EXPECT_EQ(data.find("launches")->rows(), 10u) << based;
    EXPECT_EQ(reported(data, "impossible-time"), 2) << based;
    EXPECT_EQ(data.manifest.origin_utc_ns, 1'700'000'000'000'100'000) << based;
  }
}

TEST_F(Chrome, CategoriesOfOtherTools) {
  const auto event = [](const char* category, const char* name, int time) {
    return fmt::format(R"j({{"ph":"X","cat":"{}","name":"{}","pid":0,"tid":7,"ts":{},"dur":2}})j", category,
                       name, time);
  };
  const auto data = import_events(
      event("cuda,kernel", "k", 1) + "," + event("gpu_op", "gemm[SIMD16 {128; 1; 1} {16; 2; 8}]", 5) + "," +
      event("gpu_op", "zeCommandListAppendMemoryCopy(M2D)[64 bytes]", 9) + "," +
      event("gpu_op", "zeCommandListAppendMemoryFill[64 bytes]", 12) + "," +
      event("gpu_memcpy", "Memcpy D2M", 15) + "," + event("gpu,other", "of a browser", 20) +
      R"(,{"ph":"X","cat":"cuda","name":"gemm","pid":1,"tid":7,"ts":30,"dur":1,"args":{"device":0,"stream":15}})"
      R"(,{"ph":"X","cat":"cuda","name":"Memcpy HtoD","pid":1,"tid":7,"ts":32,"dur":1,"args":{"device":0,"stream":15}})"
      R"(,{"ph":"X","cat":"cuda_wait_sync","name":"wait","pid":1,"tid":7,"ts":34,"dur":1,"args":{"device":0,"stream":15}})");
  EXPECT_EQ(data.find("launches")->rows(), 3u);
  EXPECT_EQ(data.find("ranges")->rows(), 2u);
  const auto& kind = column<std::uint8_t>(data, "transfers", "kind");
  EXPECT_EQ(kind, (Codes{static_cast<std::uint8_t>(TransferKind::HostToDevice),
                         static_cast<std::uint8_t>(TransferKind::Memset),
                         static_cast<std::uint8_t>(TransferKind::DeviceToHost),
                         static_cast<std::uint8_t>(TransferKind::HostToDevice)}));
}

// nsys2json, nvprof2json, and PyTorch's profiler before Kineto.
TEST_F(Chrome, PlacesMayBeWrittenAsTexts) {
  const auto event = [](const char* name, const char* category, const char* pid, const char* tid, int time) {
    return fmt::format(R"({{"name":"{}","ph":"X","cat":"{}","ts":{},"dur":2,"pid":{},"tid":{},"args":{{}}}})",
                       name, category, time, pid, tid);
  };
  const auto nsys =
      import_text("[" + event("gemm", "cuda", "\"Device 1\"", "\"Stream 7\"", 10) + "," +
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
  const auto nvprof =
      import_text("[" + event("sgemm", "cuda", "\"[2:1] Stream 13\"", "\"Compute\"", 10) + "," +
                  event("Memcpy HtoD [sync]", "cuda", "\"[2:1] Stream 13\"", "\"MemCpy (HtoD)\"", 20) + "]");
  EXPECT_EQ(nvprof.find("launches")->rows(), 1u);
  EXPECT_EQ(column<std::uint8_t>(nvprof, "transfers", "kind"),
            Codes{static_cast<std::uint8_t>(TransferKind::HostToDevice)});
  EXPECT_EQ(nvprof.resources[column<std::uint32_t>(nvprof, "launches", "stream")[0]].number, 13);
  const auto old = import_text("[" + event("sgemm", "", "\"CUDA functions\"", "3", 10) + "," +
                               event("aten::mm", "", "\"CPU functions\"", "1", 5) + "]");
  EXPECT_EQ(old.find("launches")->rows(), 1u);
  EXPECT_EQ(old.find("ranges")->rows(), 1u);
  for (const auto* other :
       {"\"[2:1 Stream 13\"", "\"[x:1] Stream 13\"", "\"Device x\"", "\"[:] Stream \"", "\"] Stream 5:[\""})
    EXPECT_EQ(import_text("[" + event("k", "cuda", other, "\"Stream 7\"", 10) + "]").find("launches")->rows(),
              0u)
        << other;
}

TEST_F(Chrome, DevicesInPlaceOfProcesses) {
  const auto data = import_events(
      R"({"name":"mm","cat":"kernel","ph":"X","pid":"device_1","tid":"Core0 CTA0","ts":0,"dur":3.5},
         {"name":"mm","cat":"kernel","ph":"X","pid":"device_1","tid":"Core1 CTA0","ts":1,"dur":3.5})");
  EXPECT_EQ(data.find("launches")->rows(), 2u);
  expect_reported(data, {{"missing-device", 0}, {"overlapping-launches", 0}});
}

TEST_F(Chrome, AnyBeginningOpensOrStatesWhyNot) {
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
  EXPECT_EQ(sum(launch_durations(data)), 20'000'000);
}

TEST_F(Chrome, EventsAfterBigMembersAreFound) {
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
