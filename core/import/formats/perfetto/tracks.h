#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace jitterscope::import::perfetto {

/// Values of a counter track.
struct CounterValues {
  std::string unit;         ///< unit of a value times `factor`: "ns", "B" …; empty for pure numbers
  double factor = 1;        ///< applies to every value as written
  bool incremental = false; ///< a value is the change since the previous one of its sequence
};

/// A track as given by the descriptors of a trace.
struct Track {
  std::string name;
  std::uint64_t parent = 0;
  std::optional<std::int64_t> pid, tid;
  CounterValues counter;
};

/// The lane of a track's rows: pid and tid in Chrome's format.
struct Lane {
  std::string pid, tid, name;
  std::optional<std::int64_t> device, stream; ///< device and stream of a GPU, by the track's name
};

class Tracks {
public:
  /// Adds a TrackDescriptor.
  void add(std::string_view descriptor);
  /// Adds a ProcessDescriptor: the name of a process by pid.
  void add_process(std::string_view descriptor);
  /// The lane of a track, created on first use. A track without descriptor has a lane of its own.
  const Lane& lane(std::uint64_t uuid);
  const Track* find(std::uint64_t uuid) const;
  const std::unordered_map<std::int64_t, std::string>& process_names() const { return process_names_; }

private:
  Track& track(std::uint64_t uuid) { return tracks_[uuid]; }
  std::unordered_map<std::uint64_t, Track> tracks_;
  std::unordered_map<std::uint64_t, Lane> lanes_;
  std::unordered_map<std::int64_t, std::string> process_names_;
};

} // namespace jitterscope::import::perfetto
