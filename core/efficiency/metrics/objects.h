#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/analysis/session/session.h"
#include "core/efficiency/metrics/syntax.h"
#include "core/store/tracks/track_index.h"

namespace jitterscope::efficiency::metrics {

/// Something that a metric has values for.
struct Object {
  std::size_t trace = 0;
  std::uint32_t resource =
      kNone; ///< row of the store's resources; kNone: the application, and where the store has none
  std::int32_t rank = -1; ///< rank of the process; -1 unknown
  std::string name;       ///< "rank 0 · GPU 0", "rank 0 and 2 more · GPU 1"; unique within its level
};

/// The objects of a session by level. Streams run kernels; devices run kernels or memory operations or have
/// counters; threads have calls, states, ranges, messages or counters; objects of other levels contain one of
/// these. A device that several processes use is one object and belongs to the first of them.
class Objects {
public:
  Objects(const analysis::Session& session, const std::vector<store::TrackIndex>& index);

  std::span<const Object> at(Level level) const { return objects_[static_cast<std::size_t>(level)]; }
  /// Index of the object of level `to` that contains object `number` of level `from`; `to` must cover
  /// `from`.
  std::uint32_t above(Level from, std::uint32_t number, Level to) const {
    return from == to ? number : above_[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)][number];
  }
  /// Indices of the objects of a finer level `to` inside one of level `from`, ascending.
  std::span<const std::uint32_t> below(Level from, std::uint32_t number, Level to) const;
  /// Index of the object of a resource of a trace; kNone if the resource is not of this level.
  std::uint32_t of_resource(Level level, std::size_t trace, std::uint32_t resource) const {
    return of_resource_[static_cast<std::size_t>(level)][trace][resource];
  }

private:
  class Builder;
  template <class T>
  using ByLevel = std::array<T, kLevels>;
  ByLevel<std::vector<Object>> objects_;
  ByLevel<std::vector<std::vector<std::uint32_t>>> of_resource_; ///< object: [level][trace][resource]
  ByLevel<ByLevel<std::vector<std::uint32_t>>> above_;           ///< object: [from][to][number]
  struct Lists {
    std::vector<std::uint32_t> first, numbers;
  };
  ByLevel<ByLevel<Lists>> below_; ///< lists of objects: [from][to]
};

} // namespace jitterscope::efficiency::metrics
