#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/base/network_measurement.h"
#include "core/engine/model/message_list.h"
#include "core/store/format/store.h"

namespace jitterscope::engine {

/// Nodes of the ranks of a session, and distances between ranks.
class RankPlaces {
public:
  explicit RankPlaces(const RankPlacement& placement) : placement_(placement) {}

  /// Adds the ranks of a store. Returns the rank of each resource, −1 if unknown.
  std::vector<std::int32_t> add(const store::Store& store);

  std::uint32_t node_of(std::int32_t rank) const;
  Distance distance(std::int32_t a, std::int32_t b) const;
  /// The largest distance from the first rank to another; within a socket if there is none.
  Distance farthest() const;
  std::int64_t ranks() const { return static_cast<std::int64_t>(hosts_.size()); }
  std::int64_t nodes() const;

private:
  const RankPlacement& placement_;
  std::map<std::string, std::uint32_t> host_numbers_;
  std::map<std::int32_t, std::uint32_t> hosts_; ///< by rank: number of its host
};

} // namespace jitterscope::engine
