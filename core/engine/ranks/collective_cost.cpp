#include "core/engine/ranks/collective_cost.h"

#include <algorithm>
#include <bit>

#include "core/engine/model/message_cost.h"

namespace jitterscope::engine {
namespace {

constexpr std::int64_t kNumber = 8; // bytes of one length or one word of an agreement

int levels(int ranks) {
  return std::bit_width(static_cast<unsigned>(ranks - 1));
}

// Time of one message between ranks at this distance on a binomial tree; the low levels stay inside a node.
double level_us(const Cluster& cluster, int distance, std::int64_t bytes) {
  return distance < cluster.ranks_per_node
             ? message_us(within_node(), bytes, std::max(cluster.ranks_per_node / (2 * distance), 1))
             : message_us(between_nodes(), bytes, 1);
}

// Time of one message on every level of the tree.
double tree_us(const Cluster& cluster, std::int64_t bytes) {
  double us = 0;
  for (int distance = 1; distance < cluster.ranks; distance *= 2) us += level_us(cluster, distance, bytes);
  return us;
}

Traffic reduction(const Cluster& cluster, std::int64_t bytes) {
  const auto depth = levels(cluster.ranks);
  return {depth, depth * bytes, depth, depth * bytes, 2 * tree_us(cluster, bytes)};
}

// On level d a rank sends the parts of d ranks once; rank 0 receives on every level.
Traffic parts_to_root(const Cluster& cluster, const CollectiveCall& call) {
  const auto part = call.total / cluster.ranks;
  std::int64_t largest = call.largest;
  double us = 0;
  for (int distance = 1; distance < cluster.ranks; distance *= 2) {
    const std::int64_t bytes = std::min(distance, cluster.ranks - distance) * part;
    largest = std::max(largest, bytes);
    us += level_us(cluster, distance, bytes);
  }
  return {1, largest, levels(cluster.ranks), part * (cluster.ranks - 1), us};
}

// All parts go to the root; together they go back down a tree.
Traffic parts_to_all(const Cluster& cluster, const CollectiveCall& call) {
  const auto depth = levels(cluster.ranks);
  Traffic traffic = parts_to_root(cluster, call);
  traffic.messages = depth, traffic.bytes = std::max(traffic.bytes, depth * call.total);
  traffic.us += tree_us(cluster, call.total);
  return traffic;
}

} // namespace

Traffic& Traffic::operator+=(const Traffic& other) {
  messages += other.messages;
  bytes += other.bytes;
  messages_to_root += other.messages_to_root;
  bytes_to_root += other.bytes_to_root;
  us += other.us;
  return *this;
}

Traffic traffic_of(const CollectiveCall& call, const Cluster& cluster) {
  if (cluster.ranks == 1) return {};
  Traffic traffic = reduction(cluster, kNumber); // all ranks agree first that none has failed
  if (call.kind == CollectiveCall::Kind::Reduce) traffic += reduction(cluster, call.largest);
  if (call.kind == CollectiveCall::Kind::Gather || call.kind == CollectiveCall::Kind::AllGather) {
    traffic += reduction(cluster, kNumber * cluster.ranks); // the lengths of all parts
    traffic += reduction(cluster, kNumber);                 // whether the receivers have enough memory
    traffic += call.kind == CollectiveCall::Kind::Gather ? parts_to_root(cluster, call)
                                                         : parts_to_all(cluster, call);
  }
  return traffic;
}

} // namespace jitterscope::engine
