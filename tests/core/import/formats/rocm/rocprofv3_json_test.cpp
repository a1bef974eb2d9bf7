// rocprofv3's JSON. There is no real sample file: these tests follow its schema and published facts.

#include <algorithm>

#include <fmt/core.h>

#include "tests/core/import/import_support.h"
#include "tests/core/import/temporary_files.h"

namespace jitterscope::import {
namespace {

using store::ResourceKind;
using store::TransferKind;

const std::string kMetadata =
    R"("metadata":{"pid":4711,"init_time":1,"fini_time":9,"command":"secret --password=1",
  "environment":{"TOKEN":"secret"},"node":{"id":1,"hostname":"frontier7","machine_id":"x"},"config":{}})";
const std::string kAgents = R"("agents":[
  {"id":{"handle":1},"type":1,"node_id":0,"logical_node_type_id":0,"name":"EPYC"},
  {"id":{"handle":37946},"type":2,"node_id":1,"logical_node_type_id":0,"name":"gfx942","product_name":"MI300X",
   "cu_count":304,"simd_per_cu":4,"num_xcc":8,"caches":[{"size":32}]}])";
const std::string kStrings = R"("strings":{"callback_records":[],"buffer_records":[
  {"kind":"NONE","operations":["NONE"]},
  {"kind":"HIP_RUNTIME_API","operations":["NONE","hipLaunchKernel","hipMemcpyAsync"]},
  {"kind":"MARKER_CORE_API","operations":["roctxMarkA","roctxRangePushA"]},
  {"kind":"MEMORY_COPY","operations":["NONE","MEMORY_COPY_HOST_TO_DEVICE"]},
  {"kind":"KERNEL_DISPATCH","operations":["NONE","COMPLETE"]}],
  "marker_api":[{"key":9,"value":"epoch \"1\""}],"counters":{"dimension_ids":[]}})";
const std::string kSymbols = R"("kernel_symbols":[{"kernel_id":7,"kernel_name":"_Z4axpyPf.kd",
  "formatted_kernel_name":"axpy(float*) [clone .kd]","demangled_kernel_name":"axpy(float*) [clone .kd]",
  "truncated_kernel_name":"axpy","arch_vgpr_count":24,"accum_vgpr_count":4,"sgpr_count":16}])";
const std::string kCounters =
    R"("counters":[{"id":{"handle":51},"name":"SQ_WAVES"},{"id":{"handle":52},"name":"GRBM_COUNT"}])";

std::string dispatch(int id, int start, int end, const char* data = "") {
  return fmt::format(
      R"({{"size":1,"kind":4,"operation":1,"thread_id":99,"correlation_id":{{"internal":{},"external":0}},
    "start_timestamp":{},"end_timestamp":{},"dispatch_info":{{"agent_id":{{"handle":37946}},"queue_id":{{"handle":2}},
    "kernel_id":7,"dispatch_id":{},"private_segment_size":0,"group_segment_size":512,
    "workgroup_size":{{"x":64,"y":1,"z":1}},"grid_size":{{"x":640,"y":2,"z":1}}}},"stream_id":{{"handle":{}}}{}}})",
      id, start, end, id, id + 40, data);
}

const std::string kBuffers = R"("buffer_records":{"kernel_dispatch":[)" + dispatch(2, 3000, 3500) + "," +
                             dispatch(1, 1000, 1500) + R"(],
  "hip_api":[{"size":1,"kind":1,"operation":1,"correlation_id":{"internal":1,"external":0},"start_timestamp":900,
              "end_timestamp":950,"thread_id":99},
             {"size":1,"kind":1,"operation":77,"correlation_id":{"internal":5},"start_timestamp":900,
              "end_timestamp":950,"thread_id":99}],
  "hsa_api":[],
  "marker_api":[{"kind":2,"operation":1,"correlation_id":{"internal":9},"start_timestamp":800,"end_timestamp":980,
                 "thread_id":99}],
  "memory_copy":[{"kind":3,"operation":1,"correlation_id":{"internal":3},"start_timestamp":600,"end_timestamp":700,
                  "thread_id":99,"dst_agent_id":{"handle":37946},"src_agent_id":{"handle":1},"bytes":4096}],
  "scratch_memory":[{"kind":3,"operation":1,"start_timestamp":990,"end_timestamp":995,"thread_id":99}],
  "pc_sample_host_trap":[{"a":1},{"a":2}]})";
const std::string kCallbacks = R"("callback_records":{"counter_collection":[{"dispatch_data":{"size":1,
  "correlation_id":{"internal":1},"dispatch_info":{"agent_id":{"handle":37946},"queue_id":{"handle":2},"kernel_id":7,
  "dispatch_id":1,"group_segment_size":512,"workgroup_size":{"x":64,"y":1,"z":1},"grid_size":{"x":640,"y":1,"z":1}}},
  "records":[{"counter_id":{"handle":51},"value":3.0},{"counter_id":{"handle":51},"value":4.0},
             {"counter_id":{"handle":52},"value":1e3}],"thread_id":99,"arch_vgpr_count":24,"sgpr_count":16}]})";

std::string file_of(const std::vector<std::string>& members) {
  std::string text = R"({"rocprofiler-sdk-tool":[{)";
  for (const auto& member : members) text += (text.back() == '{' ? "" : ",") + member;
  return text + "}]}";
}

class Rocprofv3Json : public testing::Test {
protected:
  store::TraceData import_text(const std::string& text) {
    write_bytes(path(), text);
    return import_good({path()});
  }
  std::string path() const { return folder_.path("1_results.json"); }
  TemporaryFolder folder_;
};

void expect_the_trace(const store::TraceData& data) {
  ASSERT_NE(data.find("launches"), nullptr);
  EXPECT_EQ(launch_starts(data), (Integers{1000, 3000}));
  EXPECT_EQ(launch_durations(data), (Integers{500, 500}));
  EXPECT_EQ(column<std::uint32_t>(data, "configurations", "grid_x")[0], 10u);
  EXPECT_EQ(column<std::uint32_t>(data, "configurations", "grid_y")[0], 2u);
  EXPECT_EQ(column<std::uint32_t>(data, "configurations", "registers")[0], 24u);
  EXPECT_EQ(column<std::uint32_t>(data, "configurations", "static_shared_memory")[0], 512u);
  EXPECT_EQ(string_at(data, "kernels", "short_name", 0), "axpy");
  EXPECT_EQ(column<float>(data, "launches", "queue_delay_ns")[0], 50.0f);
  EXPECT_EQ(column<std::uint32_t>(data, "launches", "range")[0], 0u);
  EXPECT_EQ(string_at(data, "ranges", "name", 0), "epoch \"1\"");
  EXPECT_EQ(column<std::int64_t>(data, "ranges", "duration"), (Integers{180, 5}));
  EXPECT_EQ(reported(data, "other-records"), 2);
  EXPECT_EQ(column<std::int64_t>(data, "transfers", "bytes"), (Integers{4096}));
  EXPECT_EQ(column<std::uint8_t>(data, "transfers", "kind")[0],
            static_cast<std::uint8_t>(TransferKind::HostToDevice));
  EXPECT_EQ(column<double>(data, "launches", "sq_waves")[0], 7.0);
  EXPECT_EQ(column<double>(data, "launches", "grbm_count")[0], 1000.0);
  EXPECT_EQ(column<double>(data, "launches", "hip_stream"), (std::vector<double>{41, 42}));
  EXPECT_EQ(data.resources[0].name, "frontier7");
  EXPECT_EQ(data.resources[1].number, 4711);
  EXPECT_EQ(data.resources[2].name, "MI300X");
  EXPECT_EQ(data.manifest.devices.at(0).multiprocessors, 304);
  expect_reported(data, {{"counter-instances-summed", 1}, {"dangling-name", 1}});
  for (const auto& text : data.strings.all()) EXPECT_EQ(text.find("secret"), std::string::npos);
}

// As extracted by jq '."rocprofiler-sdk-tool"'.
TEST_F(Rocprofv3Json, TheProcessesMayOccurAlone) {
  const auto whole = file_of({kMetadata, kAgents, kStrings, kSymbols, kBuffers});
  const auto begin = whole.find('['), end = whole.rfind(']');
  const auto data = import_text(whole.substr(begin, end + 1 - begin));
  EXPECT_EQ(launch_durations(data), column<std::int64_t>(import_text(whole), "launches", "duration"));
  EXPECT_EQ(data.find("launches")->rows(), 2u);
}

TEST_F(Rocprofv3Json, CopiesBetweenTwoGpusAreDistinguishedFromCopiesOnOne) {
  const auto copy = [](int source, int target, int start) {
    return fmt::format(
        R"({{"kind":0,"operation":0,"correlation_id":{{"internal":3}},"start_timestamp":{},"end_timestamp":{},
      "thread_id":99,"dst_agent_id":{{"handle":{}}},"src_agent_id":{{"handle":{}}},"bytes":64}})",
        start, start + 5, target, source);
  };
  const auto data = import_text(file_of(
      {kMetadata,
       R"("agents":[{"id":{"handle":2},"type":2,"node_id":1,"name":"a"},{"id":{"handle":3},"type":2,"node_id":2,"name":"b"}])",
       R"("strings":{"buffer_records":[{"kind":"MEMORY_COPY","operations":["MEMORY_COPY_DEVICE_TO_DEVICE"]}]})",
       R"("buffer_records":{"memory_copy":[)" + copy(2, 3, 10) + "," + copy(2, 2, 20) + "]}"}));
  EXPECT_EQ(column<std::uint8_t>(data, "transfers", "kind"),
            (Codes{static_cast<std::uint8_t>(TransferKind::PeerToPeer),
                   static_cast<std::uint8_t>(TransferKind::DeviceToDevice)}));
}

// Each process numbers its visible GPUs; the node is the same for all processes of a host.
TEST_F(Rocprofv3Json, GpusOfOneHostAreThereOnce) {
  const auto process = [](int pid, const char* host, int node) {
    return fmt::format(R"({{"metadata":{{"pid":{},"node":{{"hostname":"{}"}}}},
      "agents":[{{"id":{{"handle":37946}},"type":2,"node_id":{},"logical_node_type_id":0,"name":"gfx942"}}],)",
                       pid, host, node) +
           kStrings + "," + kSymbols + R"(,"buffer_records":{"kernel_dispatch":[)" + dispatch(1, 10, 90) +
           "]}}";
  };
  const auto data =
      import_text(R"({"rocprofiler-sdk-tool":[)" + process(1, "a", 1) + "," + process(2, "a", 1) + "," +
                  process(3, "a", 2) + "," + process(4, "b", 1) + "]}");
  EXPECT_EQ(data.find("launches")->rows(), 4u);
  EXPECT_EQ(data.manifest.devices.size(), 3u);
  EXPECT_EQ(column<float>(data, "launches", "concurrency"), (std::vector<float>{1, 1, 0, 0}));
}

TEST_F(Rocprofv3Json, AgentsThatAreNotListedAreSeveralDevices) {
  auto other = dispatch(2, 1000, 1500);
  other.replace(other.find("37946"), 5, "37947");
  const auto data =
      import_text(file_of({kMetadata, kSymbols,
                           R"("buffer_records":{"kernel_dispatch":[)" + dispatch(1, 1000, 1500) + "," +
                               other + "," + dispatch(3, 1600, 1700) + "]}"}));
  EXPECT_EQ(data.find("launches")->rows(), 3u);
  EXPECT_EQ(data.manifest.devices.size(), 2u);
  EXPECT_EQ(reported(data, "missing-device"), 3);
}

TEST_F(Rocprofv3Json, TablesBeforeTheRecords) {
  expect_the_trace(
      import_text(file_of({kMetadata, kAgents, kCounters, kStrings, kSymbols, kCallbacks, kBuffers})));
}

TEST_F(Rocprofv3Json, TablesAfterTheRecords) {
  expect_the_trace(
      import_text(file_of({kCallbacks, kBuffers, kSymbols, kStrings, kCounters, kAgents, kMetadata})));
}

TEST_F(Rocprofv3Json, SeveralProcessesOfOneHostShareItsDevices) {
  const auto one = file_of({kMetadata, kAgents, kStrings, kSymbols, kBuffers});
  const auto two = one.substr(0, one.size() - 2) + "," + one.substr(one.find('[') + 1);
  const auto data = import_text(two);
  EXPECT_EQ(data.find("launches")->rows(), 4u);
  EXPECT_EQ(std::count_if(data.resources.begin(), data.resources.end(),
                          [](const store::Resource& r) { return r.kind == ResourceKind::Host; }),
            1);
}

TEST_F(Rocprofv3Json, CountersWithoutATraceAreATable) {
  const auto data = import_text(file_of({kMetadata, kAgents, kCounters, kStrings, kSymbols, kCallbacks}));
  EXPECT_TRUE(data.manifest.launch_order);
  EXPECT_EQ(column<double>(data, "launches", "sq_waves"), (std::vector<double>{7.0}));
  EXPECT_EQ(launch_durations(data), (Integers{store::kMissingDuration}));
}

TEST_F(Rocprofv3Json, AnyBeginningOpensOrStatesWhyNot) {
  const auto whole = file_of({kMetadata, kAgents, kCounters, kStrings, kSymbols, kCallbacks, kBuffers});
  for (std::size_t length = 1; length < whole.size(); length += 7) {
    write_bytes(path(), whole.substr(0, length));
    const auto data = import_files({path()}, Job{});
    if (!data) {
      EXPECT_EQ(data.error().kind, ErrorKind::BadInput) << length << describe(data.error());
    }
  }
}

TEST_F(Rocprofv3Json, WrongTypesDoNoHarm) {
  for (
      const auto& members : std::vector<std::vector<std::string>>{
          {R"("strings":{"buffer_records":[{"kind":"C"},"a":1,"b":9:{"c":0}},"records":[{"e":3}]}]}]})"},
          {R"("metadata":7)", R"("agents":{"a":1})", R"("strings":[1,2])", R"("kernel_symbols":null)",
           kBuffers},
          {R"("agents":[1,"x",null,{"id":7}])", R"("strings":{"buffer_records":{"kind":1}})",
           R"("buffer_records":{"kernel_dispatch":{"a":[]},"memory_copy":[[[]],{}],"hip_api":[{"kind":-1}]})"},
          {R"("buffer_records":{"kernel_dispatch":[{"start_timestamp":"soon","end_timestamp":1e400},
              {"start_timestamp":1,"end_timestamp":2,"dispatch_info":{"agent_id":{"handle":-1}}}]})"}}) {
    write_bytes(path(), file_of(members));
    const auto data = import_files({path()}, Job{});
    EXPECT_TRUE(data.has_value() || data.error().kind == ErrorKind::BadInput);
  }
}

} // namespace
} // namespace jitterscope::import
