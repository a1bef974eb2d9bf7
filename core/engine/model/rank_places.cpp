#include "core/engine/model/rank_places.h"

#include <algorithm>
#include <set>

namespace jitterscope::engine {

std::vector<std::int32_t> RankPlaces::add(const store::Store& store) {
  std::vector<std::int32_t> ranks;
  std::vector<std::uint32_t> hosts;
  for (const auto& r : store.resources()) {
    std::int32_t rank = r.rank;
    std::uint32_t host = 0;
    if (r.kind == store::ResourceKind::Host)
      host = host_numbers_.emplace(r.name, static_cast<std::uint32_t>(host_numbers_.size())).first->second;
    else if (r.parent != kNone) {
      host = hosts[r.parent];
      if (r.kind != store::ResourceKind::Process) rank = ranks[r.parent];
    }
    ranks.push_back(rank), hosts.push_back(host);
    if (r.kind == store::ResourceKind::Process && rank >= 0) hosts_[rank] = host;
  }
  return ranks;
}

std::uint32_t RankPlaces::node_of(std::int32_t rank) const {
  if (placement_.ranks_per_node > 0) return static_cast<std::uint32_t>(rank / placement_.ranks_per_node);
  const auto found = hosts_.find(rank);
  return found == hosts_.end() ? 0 : found->second;
}

Distance RankPlaces::distance(std::int32_t a, std::int32_t b) const {
  if (node_of(a) != node_of(b)) return Distance::inter_node;
  const auto socket = placement_.ranks_per_socket;
  if (socket <= 0) return Distance::intra_socket;
  const auto local = [&](std::int32_t rank) {
    return placement_.ranks_per_node > 0 ? rank % placement_.ranks_per_node : std::int64_t{rank};
  };
  return local(a) / socket == local(b) / socket ? Distance::intra_socket : Distance::inter_socket;
}

Distance RankPlaces::farthest() const {
  Distance out = Distance::intra_socket;
  if (hosts_.empty()) return out;
  const auto first = hosts_.begin()->first;
  for (const auto& [rank, host] : hosts_) out = std::max(out, distance(first, rank));
  return out;
}

std::int64_t RankPlaces::nodes() const {
  std::set<std::uint32_t> nodes;
  for (const auto& [rank, host] : hosts_) nodes.insert(node_of(rank));
  return static_cast<std::int64_t>(nodes.size());
}

} // namespace jitterscope::engine
