#pragma once

#include <random>

#include "tests/support/small_trace.h"

namespace jitterscope::test {

struct TraceShape {
  int streams = 2;
  int kernels = 5;
  int launches = 3'000;
  std::int64_t max_gap = 200;
  std::int64_t max_length = 300; ///< maximum length; above max_gap, so that some launches of a stream overlap
  int calls = 2'000;
  int ranges = 1'500;
  int transfers = 800;
  int samples = 5'000;
};

inline void add_times(store::TraceData& data, const char* table, std::int64_t start, std::int64_t duration) {
  column<std::int64_t>(data, table, "start").push_back(start);
  column<std::int64_t>(data, table, "duration").push_back(duration);
}

/// A trace with rows in every event table: a device with `streams` streams, a second one with one stream, two
/// threads, two counters.
inline store::TraceData random_trace(std::mt19937_64& random, const TraceShape& shape) {
  auto data = empty_trace(shape.streams); // resources: host, process, device, streams
  const auto second = static_cast<std::uint32_t>(data.resources.size());
  data.resources.push_back({store::ResourceKind::Device, 1, second, 1, -1, "GPU"});
  data.resources.push_back({store::ResourceKind::Stream, second, kNone, 7, -1, ""});
  const auto thread = static_cast<std::uint32_t>(data.resources.size());
  data.resources.push_back({store::ResourceKind::Thread, 1, kNone, 100, -1, ""});
  data.resources.push_back({store::ResourceKind::Thread, 1, kNone, 101, -1, ""});
  for (int k = 0; k < shape.kernels; ++k) add_kernel(data, "kernel " + std::to_string(k), 1 + k % 3);
  const auto configurations = data.find("configurations")->rows();
  const auto up_to = [&](std::int64_t maximum) {
    return static_cast<std::int64_t>(random() % (static_cast<std::uint64_t>(maximum) + 1));
  };
  const auto length = [&] { return up_to(shape.max_length) * (random() % 50 == 0 ? 40 : 1); };
  std::vector<LaunchRow> launches;
  std::int64_t at = up_to(5'000);
  for (int i = 0; i < shape.launches; ++i, at += up_to(shape.max_gap)) {
    const auto stream = random() % static_cast<unsigned>(shape.streams + 1);
    launches.push_back(
        {at, length(), static_cast<std::uint32_t>(random() % configurations),
         stream < static_cast<unsigned>(shape.streams) ? static_cast<std::uint32_t>(2 + stream) : second});
  }
  add_launches(data, launches);
  const auto end = at + 1;
  std::vector<std::int64_t> starts;
  const auto spread = [&](int count) {
    starts.clear();
    for (int i = 0; i < count; ++i) starts.push_back(up_to(end));
    std::sort(starts.begin(), starts.end());
  };
  spread(shape.transfers);
  for (const auto start : starts)
    add_transfers(data,
                  {{start, length(), 100, static_cast<store::TransferKind>(random() % store::kTransferKinds),
                    static_cast<std::uint32_t>(2 + random() % static_cast<unsigned>(shape.streams))}});
  spread(shape.calls);
  for (const auto start : starts) {
    add_times(data, "calls", start, length());
    column<std::uint32_t>(data, "calls", "name")
        .push_back(data.strings.intern("call " + std::to_string(random() % 4)).value);
    column<std::uint32_t>(data, "calls", "thread")
        .push_back(thread + static_cast<std::uint32_t>(random() % 2));
    column<std::uint32_t>(data, "calls", "correlation").push_back(0);
    column<std::uint32_t>(data, "calls", "result").push_back(0);
  }
  spread(shape.ranges);
  for (const auto start : starts) {
    add_times(data, "ranges", start, length());
    column<std::uint32_t>(data, "ranges", "name")
        .push_back(data.strings.intern("range " + std::to_string(random() % 6)).value);
    column<std::uint32_t>(data, "ranges", "domain").push_back(0);
    column<std::uint32_t>(data, "ranges", "thread")
        .push_back(thread + static_cast<std::uint32_t>(random() % 2));
    column<std::uint8_t>(data, "ranges", "depth").push_back(static_cast<std::uint8_t>(random() % 3));
    column<std::uint8_t>(data, "ranges", "kind").push_back(static_cast<std::uint8_t>(random() % 4));
  }
  for (const char* name : {"clock", "power"}) {
    column<std::uint32_t>(data, "counters", "name").push_back(data.strings.intern(name).value);
    column<std::uint32_t>(data, "counters", "unit").push_back(0);
    column<std::uint32_t>(data, "counters", "device").push_back(2);
  }
  for (std::uint32_t counter = 0; counter < 2; ++counter) {
    spread(shape.samples / 2);
    for (const auto start : starts) {
      column<std::int64_t>(data, "samples", "time").push_back(start);
      column<std::uint32_t>(data, "samples", "counter").push_back(counter);
      column<double>(data, "samples", "value").push_back(static_cast<double>(random() % 1'000) / 8);
    }
  }
  return data;
}

} // namespace jitterscope::test
