// Files in protobuf: the wire format, profiles of JAX and TensorFlow, traces of Perfetto.

#include <zlib.h>

#include "core/import/text/protobuf/wire.h"
#include "tests/core/import/formats/protobuf_text.h"
#include "tests/core/import/formats/table/table_support.h"

namespace jitterscope::import {
namespace {

using protobuf::Fields;
using protobuf::Message;

TEST(Wire, FieldsOfEveryKindAreRead) {
  const auto text =
      Message().number(1, 300).bytes(2, "name").real(3, 0.5).number(1000, ~std::uint64_t{0}).text() +
      std::string("\x2D\0\0\x80\x3F", 5);
  Fields fields(text);
  EXPECT_EQ(fields.next()->value, 300u);
  EXPECT_EQ(fields.next()->bytes, "name");
  EXPECT_EQ(fields.next()->real(), 0.5);
  const auto negative = fields.next();
  EXPECT_EQ(negative->number, 1000u);
  EXPECT_EQ(negative->integer(), -1);
  EXPECT_EQ(fields.next()->real(), 1.0);
  EXPECT_FALSE(fields.next());
  EXPECT_FALSE(fields.damaged());
}

TEST(Wire, WhatIsNoFieldIsDamage) {
  using namespace std::string_literals;
  for (const auto& text : {"\x0A\x05"
                           "ab"s,
                           "\x08"s, "\x08\xFF"s, "\x0B"s, "\x00\x01"s, "\x09\x01"s,
                           "\x08\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01"s}) {
    Fields fields(text);
    EXPECT_FALSE(fields.next()) << text;
    EXPECT_TRUE(fields.damaged());
  }
}

TEST(Wire, MessagesOfAStreamComeOneByOne) {
  const auto text =
      Message().bytes(1, std::string(3'000'000, 'x')).number(2, 7).real(3, 0.5).bytes(1, "end").text();
  for (const auto& [bytes, damaged] :
       {std::pair(text, false), std::pair(text.substr(0, text.size() - 1), true)}) {
    const auto stream = open_memory(bytes);
    protobuf::MessageStream messages(*stream, 4'000'000);
    EXPECT_EQ((**messages.next()).bytes.size(), 3'000'000u);
    EXPECT_EQ((**messages.next()).value, 7u);
    EXPECT_EQ((**messages.next()).real(), 0.5);
    const auto last = *messages.next();
    EXPECT_EQ(last.has_value(), !damaged);
    EXPECT_FALSE(*messages.next());
    EXPECT_EQ(messages.damaged(), damaged);
  }
  const auto stream = open_memory(text);
  protobuf::MessageStream messages(*stream, 1000);
  EXPECT_FALSE(*messages.next());
  EXPECT_TRUE(messages.damaged());
}

Message named(std::uint64_t number, const std::string& name, const std::string& display = {}) {
  Message value;
  value.number(1, number).bytes(2, name);
  if (!display.empty()) value.bytes(4, display);
  return Message().number(1, number).message(2, value);
}

// A GPU with a stream and its steps, and the thread that launched.
std::string xplane() {
  const auto event = [](std::uint64_t name, std::uint64_t offset_ps, std::uint64_t duration_ps) {
    return Message().number(1, name).number(2, offset_ps).number(3, duration_ps);
  };
  const auto correlation = [](std::uint64_t value) { return Message().number(1, 1).number(3, value); };
  const auto at = [](const std::string& name, std::uint64_t id) {
    return Message().number(1, id).bytes(2, name).number(3, 1'700'000'000'000'000'000);
  };
  auto stream = at("Stream #14(Compute,MemcpyH2D)", 14);
  stream.message(
      4, event(1, 2'500'400, 3'000'600)
             .message(4, correlation(7))
             .message(
                 4, Message().number(1, 2).bytes(
                        5, "regs:40 static_shared:8 dynamic_shared:64 grid:12,3,1 block:256,1,1 occ_pct:100"))
             .message(4, Message().number(1, 4).real(2, 0.25)));
  stream.message(4, event(2, 6'000'000, 1'000'000).message(4, Message().number(1, 3).number(7, 5)));
  auto steps = at("Steps", 1);
  steps.message(4, event(3, 0, 9'000'000));
  Message device;
  device.number(1, 1).bytes(2, "/device:GPU:1").message(3, stream).message(3, steps);
  device.message(4, named(1, "%fusion.2 = f32[] fusion(…)", "fusion.2"))
      .message(4, named(2, "MemcpyH2D"))
      .message(4, named(3, "0"));
  device.message(5, named(1, "correlation_id"))
      .message(5, named(2, "kernel_details"))
      .message(5, named(3, "memcpy_details"));
  device.message(5, named(4, "occupancy"))
      .message(5, named(5, "kind_src:pinned kind_dst:device size:4096 dest:0 async:1"));
  auto thread = at("python", 77);
  thread.message(4, event(1, 1'000'000, 250'000).message(4, correlation(7)));
  thread.message(4, Message().number(1, 1).number(5, 3)); // a count without times
  Message host;
  host.number(1, 2)
      .bytes(2, "/host:CPU")
      .message(3, thread)
      .message(4, named(1, "cuLaunchKernel"))
      .message(5, named(1, "correlation_id"));
  return Message().message(1, device).message(1, host).bytes(4, "node7").text();
}

class Protobuf : public TableTest {};

TEST_F(Protobuf, PlanesHoldKernelsCopiesCallsAndSteps) {
  const auto data = import_good_text(xplane(), "node7.xplane.pb");
  EXPECT_EQ(data.manifest.sources[0].format, "XPlane profile");
  EXPECT_EQ(launches_by_kernel(data), (std::map<std::string, int>{{"fusion.2", 1}}));
  EXPECT_EQ(launch_starts(data), (Integers{2500}));
  EXPECT_EQ(launch_durations(data), (Integers{3001}));
  EXPECT_EQ(configuration_value(data, "grid_y", 0), 3u);
  EXPECT_EQ(configuration_value(data, "registers", 0), 40u);
  EXPECT_EQ(numbers(data, "occupancy")[0], 0.25);
  EXPECT_EQ(column<std::int64_t>(data, "transfers", "bytes"), (Integers{4096}));
  EXPECT_EQ(column<std::uint32_t>(data, "launches", "call"), (Rows{0}));
  EXPECT_EQ(column<float>(data, "launches", "queue_delay_ns")[0], 1250.0f);
  EXPECT_EQ(column<std::int64_t>(data, "ranges", "duration"), (Integers{9000}));
  EXPECT_EQ(data.manifest.sources[0].utc_ns, 1'700'000'000'000'000'000);
  EXPECT_EQ(reported(data, "not-imported"), 1);
}

// AMD's runtime copies and fills memory with kernels of its own.
TEST_F(Protobuf, RuntimeKernelsThatCopyAreMemoryOperations) {
  const auto event = [](std::uint64_t name, std::uint64_t offset_ps) {
    return Message().number(1, name).number(2, offset_ps).number(3, 1'000'000);
  };
  auto stream = Message().number(1, 1).bytes(2, "Stream #1").number(3, 1'700'000'000'000'000'000);
  for (const auto& [name, offset] : {std::pair(1, 0), std::pair(2, 2'000'000), std::pair(3, 4'000'000)})
    stream.message(4, event(static_cast<std::uint64_t>(name), static_cast<std::uint64_t>(offset)));
  const auto device = Message()
                          .number(1, 1)
                          .bytes(2, "/device:GPU:0")
                          .message(3, stream)
                          .message(4, named(1, "__amd_rocclr_copyBuffer"))
                          .message(4, named(2, "__amd_rocclr_fillBufferAligned"))
                          .message(4, named(3, "axpy"));
  const auto data = import_good_text(Message().message(1, device).text(), "node7.xplane.pb");
  EXPECT_EQ(launches_by_kernel(data), (std::map<std::string, int>{{"axpy", 1}}));
  EXPECT_EQ(column<std::uint8_t>(data, "transfers", "kind"),
            (Codes{static_cast<std::uint8_t>(store::TransferKind::DeviceToDevice),
                   static_cast<std::uint8_t>(store::TransferKind::Memset)}));
  expect_reported(data, {{"copy-kernels", 2}, {"unknown-copy-kind", 0}});
}

TEST_F(Protobuf, ProfilesCutInTheirFirstPlaneAreTruncated) {
  const auto error = error_of(xplane().substr(0, 200), "node7.xplane.pb");
  EXPECT_NE(error.message.find("truncated"), std::string::npos) << error.message;
}

TEST_F(Protobuf, DamagedPlanesAreSurvived) {
  expect_damage_is_survived(xplane(), 11);
}

constexpr std::uint64_t kProcessTrack = 11, kThreadTrack = 12, kQueueTrack = 13, kCopyTrack = 14;

Message packet(std::uint64_t time) {
  return Message().number(8, time).number(10, 5);
}
Message annotation(const std::string& name, std::uint64_t value) {
  return Message().bytes(10, name).number(3, value);
}
Message track(std::uint64_t uuid, const std::string& name, std::uint64_t parent = kProcessTrack) {
  return Message().number(10, 5).message(60, Message().number(1, uuid).bytes(2, name).number(5, parent));
}
std::string packets(const std::vector<Message>& all) {
  Message trace;
  for (const auto& one : all) trace.message(1, one);
  return trace.text();
}

// Messages of rocprofv3 for a copy and for a kernel launched by a call.
std::vector<Message> dispatches() {
  std::vector<Message> all;
  all.push_back(
      Message().message(6, Message()
                               .message(1, Message().number(1, 6).number(2, 100))
                               .message(1, Message().number(1, 1).number(2, 1'700'000'000'000'000'100))));
  all.push_back(Message().number(10, 5).number(13, 1).message(
      12, Message()
              .message(1, Message().number(1, 1).bytes(2, "kernel_dispatch"))
              .message(2, Message().number(1, 9).bytes(2, "axpy(float*)"))));
  const auto event = [](std::uint64_t type, std::uint64_t uuid) {
    return Message().number(9, type).number(11, uuid);
  };
  all.push_back(packet(1000).message(11, event(1, kThreadTrack)
                                             .bytes(22, "hip_api")
                                             .bytes(23, "hipLaunchKernel")
                                             .message(4, annotation("corr_id", 3))));
  all.push_back(packet(1500).message(11, event(2, kThreadTrack)));
  all.push_back(packet(500).message(11, event(1, kCopyTrack)
                                            .bytes(22, "memory_copy")
                                            .bytes(23, "MEMORY_COPY_HOST_TO_DEVICE")
                                            .message(4, annotation("copy_bytes", 4096))));
  all.push_back(packet(700).message(11, event(2, kCopyTrack)));
  all.push_back(packet(2000).message(11, event(1, kQueueTrack)
                                             .number(3, 1)
                                             .number(10, 9)
                                             .message(4, annotation("corr_id", 3))
                                             .message(4, annotation("grid_size", 640))
                                             .message(4, annotation("workgroup_size", 64))
                                             .message(4, annotation("group_segment_size", 512))
                                             .message(4, annotation("private_segment_size", 16))));
  all.push_back(packet(2500).message(11, event(2, kQueueTrack)));
  all.push_back(packet(900).message(11, event(3, kThreadTrack).bytes(22, "marker_api").bytes(23, "epoch")));
  all.push_back(packet(1200).message(11, event(4, 15).number(30, 42)));
  all.push_back(Message().number(10, 5).bytes(1, "sched"));
  // Descriptors may come last.
  all.push_back(Message().number(10, 5).message(
      60, Message().number(1, kProcessTrack).message(3, Message().number(1, 4711).bytes(6, "app"))));
  all.push_back(Message().number(10, 5).message(
      60, Message()
              .number(1, kThreadTrack)
              .number(5, kProcessTrack)
              .message(4, Message().number(1, 4711).number(2, 99).bytes(5, "main"))));
  all.push_back(track(kQueueTrack, "COMPUTE AGENT [4] QUEUE [1] (GPU)"));
  all.push_back(track(kCopyTrack, "COPY to AGENT [4] THREAD [2] (GPU)"));
  all.push_back(Message().number(10, 5).message(
      60, Message().number(1, 15).bytes(2, "power").number(5, kProcessTrack).message(8, Message())));
  return all;
}

void expect_the_dispatches(const store::TraceData& data) {
  EXPECT_EQ(data.manifest.sources[0].format, "Perfetto trace");
  EXPECT_EQ(launches_by_kernel(data), (std::map<std::string, int>{{"axpy", 1}}));
  EXPECT_EQ(launch_starts(data), (Integers{1500}));
  EXPECT_EQ(launch_durations(data), (Integers{500}));
  EXPECT_EQ(configuration_value(data, "grid_x", 0), 10u);
  EXPECT_EQ(configuration_value(data, "block_x", 0), 64u);
  EXPECT_EQ(configuration_value(data, "dynamic_shared_memory", 0), 512u);
  EXPECT_EQ(numbers(data, "private_segment_size")[0], 16);
  EXPECT_EQ(column<float>(data, "launches", "queue_delay_ns")[0], 500.0f);
  EXPECT_EQ(column<std::int64_t>(data, "transfers", "bytes"), (Integers{4096}));
  EXPECT_EQ(column<std::uint8_t>(data, "transfers", "kind")[0],
            static_cast<std::uint8_t>(store::TransferKind::HostToDevice));
  EXPECT_EQ(column<double>(data, "samples", "value"), (std::vector<double>{42}));
  EXPECT_EQ(data.manifest.sources[0].utc_ns, 1'700'000'000'000'000'500);
  const auto found = [&](store::ResourceKind kind, std::int64_t number) {
    return std::count_if(data.resources.begin(), data.resources.end(),
                         [&](const auto& r) { return r.kind == kind && r.number == number; });
  };
  EXPECT_EQ(found(store::ResourceKind::Process, 4711), 1);
  EXPECT_EQ(found(store::ResourceKind::Thread, 99), 1);
  EXPECT_EQ(found(store::ResourceKind::Device, 4), 1);
  EXPECT_EQ(reported(data, "not-imported"), 1);
}

TEST_F(Protobuf, DispatchesOfRocprofv3AreLaunches) {
  expect_the_dispatches(import_good_text(packets(dispatches()), "results.pftrace"));
}

TEST_F(Protobuf, CompressedPacketsAreUnpacked) {
  const auto all = dispatches();
  const auto inner = packets(std::vector<Message>(all.begin() + 1, all.end()));
  std::string packed(compressBound(inner.size()), '\0');
  auto size = static_cast<uLongf>(packed.size());
  ASSERT_EQ(compress(reinterpret_cast<Bytef*>(packed.data()), &size,
                     reinterpret_cast<const Bytef*>(inner.data()), inner.size()),
            Z_OK);
  packed.resize(size);
  expect_the_dispatches(
      import_good_text(packets({all.front(), Message().bytes(50, packed)}), "results.pftrace"));
}

TEST_F(Protobuf, ClocksOfASequenceCountFromTheirSnapshot) {
  std::vector<Message> all;
  all.push_back(
      Message()
          .number(10, 5)
          .message(6, Message()
                          .message(1, Message().number(1, 6).number(2, 1'000'000))
                          .message(1, Message().number(1, 64).number(2, 0).number(3, 1).number(4, 1000)))
          .message(59, Message().number(58, 64).message(11, Message().number(11, kThreadTrack))));
  for (const auto& [step, type] : {std::pair(2, 1), std::pair(3, 2), std::pair(1, 1), std::pair(4, 2)}) {
    auto event = Message().number(9, static_cast<std::uint64_t>(type));
    if (type == 1) event.bytes(23, "f");
    all.push_back(packet(static_cast<std::uint64_t>(step)).message(11, event));
  }
  const auto data = import_good_text(packets(all), "app.pftrace");
  EXPECT_EQ(column<std::int64_t>(data, "ranges", "start"), (Integers{0, 4000}));
  EXPECT_EQ(column<std::int64_t>(data, "ranges", "duration"), (Integers{3000, 4000}));
}

TEST_F(Protobuf, CountersHaveTheUnitOfTheirTrack) {
  const auto counter = [](std::uint64_t uuid, const std::string& name, const Message& description) {
    return Message().number(10, 5).message(60,
                                           Message().number(1, uuid).bytes(2, name).message(8, description));
  };
  const auto value = [](std::uint64_t time, std::uint64_t uuid, std::uint64_t number) {
    return packet(time).message(11, Message().number(9, 4).number(11, uuid).number(30, number));
  };
  const auto data = import_good_text(
      packets({counter(21, "copy bytes", Message().number(3, 3).number(4, 1024)),
               counter(22, "clock", Message().bytes(6, "MHz")),
               counter(23, "thread time", Message().number(1, 1).number(4, 1000).number(5, 1)),
               counter(24, "queue", Message().number(3, 2)), value(1, 21, 100), value(2, 21, 104),
               value(3, 22, 1500), value(4, 23, 10), value(5, 23, 5),
               Message().number(8, 6).number(10, 6).message( // another sequence
                   11, Message().number(9, 4).number(11, 23).number(30, 2)),
               value(7, 23, static_cast<std::uint64_t>(-3)),
               value(8, 23, 4).number(41, 1), // the state of the sequence is cleared
               value(9, 24, 7)}),
      "app.pftrace");
  std::map<std::string, std::vector<double>> values;
  const auto& of = column<std::uint32_t>(data, "samples", "counter");
  for (std::size_t row = 0; row < of.size(); ++row)
    values[string_at(data, "counters", "name", of[row]) + " " + string_at(data, "counters", "unit", of[row])]
        .push_back(column<double>(data, "samples", "value")[row]);
  EXPECT_EQ(values, (std::map<std::string, std::vector<double>>{
                        {"copy bytes B", {102'400, 106'496}},
                        {"clock Hz", {1.5e9}},
                        {"thread time ns", {10'000, 15'000, 2'000, 12'000, 4'000}},
                        {"queue ", {7}}}));
}

TEST_F(Protobuf, TracesCutBeforeTheirFirstEventAreTruncated) {
  const auto error =
      error_of(packets({track(kQueueTrack, "COMPUTE"), packet(100)}).append("\x0A\x7F"), "cut.pftrace");
  EXPECT_NE(error.message.find("truncated"), std::string::npos) << error.message;
}

TEST_F(Protobuf, DamagedPacketsAreSurvived) {
  expect_damage_is_survived(packets(dispatches()), 17);
}

TEST_F(Protobuf, TracesWithoutTrackEventsStateWhatToRecord) {
  const auto error = error_of(
      packets({Message().number(10, 5).bytes(1, "sched"), Message().number(10, 5).bytes(33, "config")}),
      "system.pftrace");
  EXPECT_NE(error.message.find("no track event"), std::string::npos) << error.message;
  EXPECT_NE(error.hint.find("rocprofv3"), std::string::npos);
}

} // namespace
} // namespace jitterscope::import
