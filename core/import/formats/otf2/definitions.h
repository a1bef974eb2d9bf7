#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

#include "core/base/spill_vector.h"
#include "core/import/records/draft.h"

namespace jitterscope::import::otf2 {

/// How a region is classified.
enum class RegionKind : std::uint8_t { Function, Message, Call, Transfer };

struct Region {
  std::string name;
  RegionKind kind = RegionKind::Function;
};

/// A thread or a stream of an accelerator, or neither.
struct Location {
  std::string name;
  std::uint64_t group = 0;
  bool stream = false, metric = false;
  std::uint32_t resource = kNone;
};

struct LocationGroup {
  std::string name;
  std::uint64_t creator = 0; ///< for an accelerator: the process that used it
  bool accelerator = false, has_creator = false;
  std::int32_t rank = -1;
  std::uint32_t resource = kNone; ///< row of the process in Draft::resources
};

struct MetricMember {
  std::string name, unit;
  double factor = 1;
};

struct Group {
  SpillVector<std::uint64_t> members;
  bool locations = false; ///< `members` is the list of locations that ranks of MPI index
};

/// The definitions of an archive, by the numbers that events use.
struct Definitions {
  std::uint64_t resolution = 1, offset = 0,
                realtime = 0; ///< ticks per second; first tick; its time in ns since 1970, 0 unknown
  std::unordered_map<std::uint64_t, std::string> strings;
  std::unordered_map<std::uint64_t, Region> regions;
  std::unordered_map<std::uint64_t, Location> locations;
  SpillVector<std::uint64_t> location_order;
  std::unordered_map<std::uint64_t, LocationGroup> groups_of_locations;
  SpillVector<std::uint64_t> group_order;
  std::unordered_map<std::uint64_t, Group> groups;
  std::unordered_map<std::uint64_t, std::uint64_t> group_of_communicator;
  std::unordered_map<std::uint64_t, MetricMember> metric_members;
  std::unordered_map<std::uint64_t, SpillVector<std::uint64_t>>
      metric_classes; ///< by class: numbers of its metric members
  std::unordered_map<std::uint64_t, std::uint64_t> class_of_instance;

  const std::string& string(std::uint64_t number) const;
  /// Exact ns since the first tick; nothing for values that no clock can have produced.
  std::optional<std::int64_t> nanoseconds(std::uint64_t tick) const;
  /// Derives the ranks of processes from the list of locations that take part in MPI.
  void find_ranks();
  /// Makes hosts, processes, threads, devices and streams.
  void make_resources(Draft& draft);
  /// The global rank (in the whole program) of a rank of a communicator.
  std::uint32_t rank_of(std::uint64_t communicator, std::uint64_t rank) const;
};

} // namespace jitterscope::import::otf2
