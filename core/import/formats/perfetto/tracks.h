#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace jitterscope::import::perfetto {

/// What the descriptors of a trace say of tracks.
struct Track {
  std::string name;
  std::uint64_t parent = 0;
  std::optional<std::int64_t> pid, tid;
  bool counter = false;
};

/// Where the rows of a track stand: what Chrome's traces call pid and tid.
struct Lane {
  std::string pid, tid, name;
  std::optional<std::int64_t> device, stream; ///< of a GPU, by the track's name
};

class Tracks {
public:
  /// Takes a TrackDescriptor.
  void add(std::string_view descriptor);
  /// Names of processes by pid: takes a ProcessDescriptor.
  void add_process(std::string_view descriptor);
  /// The lane of a track, made when it is first asked for. Tracks without descriptor stand for themselves.
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
