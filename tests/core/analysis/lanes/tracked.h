#pragma once

#include <algorithm>
#include <random>
#include <stdexcept>
#include <utility>

#include "core/analysis/timeline/timeline.h"
#include "tests/core/store/random_trace.h"
#include "tests/support/open_session.h"

namespace jitterscope::test {

/// The tracks of one trace with its track index.
struct Tracked {
  OpenSession open;
  analysis::NameTable names;
  analysis::Tracks tracks;

  explicit Tracked(store::TraceData data)
      : open({indexed(std::move(data))}), names(*open.session), tracks(*open.session) {}

  const analysis::Track& track(analysis::TrackKind kind, std::size_t which = 0) const {
    for (const auto& track : tracks.list())
      if (track.kind == kind && which-- == 0) return track;
    throw std::runtime_error("no such track");
  }
  analysis::TrackContent content(std::uint32_t track, analysis::TimelineRequest request) const {
    request.tracks = {track};
    return analysis::timeline(*open.session, *open.columns, names, tracks, {}, request).tracks.front();
  }

private:
  static store::TraceData indexed(store::TraceData data) {
    if (!store::add_track_index(data, {})) throw std::runtime_error("cancelled");
    return data;
  }
};

inline std::vector<store::Event> events_of(const store::Series& series) {
  std::vector<store::Event> events(series.events());
  series.read(0, events.size(), events.data());
  return events;
}

/// Length of the union of events in start order, cut to [begin, end).
inline std::uint64_t brute_union(const std::vector<store::Event>& events, std::int64_t begin,
                                 std::int64_t end) {
  std::uint64_t sum = 0;
  auto reached = begin;
  for (const auto& event : events) {
    const auto from = std::max(event.begin, reached), to = std::min(event.end, end);
    if (to <= from) continue;
    sum += static_cast<std::uint64_t>(to - from);
    reached = to;
  }
  return sum;
}

/// Launches, copies, calls and ranges of two devices.
inline store::TraceData busy_trace(unsigned seed, int streams = 3) {
  std::mt19937_64 random(seed);
  return random_trace(random, {streams, 6, 30'000, 100, 120, 4'000, 4'000, 2'000, 100});
}

// Four launches on two streams, of which the first two overlap; the second one is a collective. Three copies.
inline store::TraceData small_trace() {
  auto data = empty_trace(2);
  add_kernel(data, "gemm", 1);
  add_kernel(data, "ncclDevKernel_AllReduce", 1);
  add_launches(data, {{100, 100, 0, 2}, {150, 100, 1, 3}, {400, 50, 0, 2}, {600, 100, 0, 2}});
  add_transfers(data, {{190, 220, 10, store::TransferKind::HostToDevice, 2},
                       {500, 20, 10, store::TransferKind::DeviceToHost, 2},
                       {800, 20, 10, store::TransferKind::DeviceToHost, 2}});
  return data;
}

} // namespace jitterscope::test
