#include "core/engine/collective_cost.h"

#include <algorithm>
#include <bit>

#include "core/engine/message_cost.h"

namespace jitterscope::engine {
namespace {

constexpr std::int64_t kNumber = 8; // bytes of one length or one word of agreement

int levels(int ranks) {
  return std::bit_width(static_cast<unsigned>(ranks - 1));
}

// One message on every level of a binomial tree over the ranks: the low levels stay inside a node.
double tree_us(const Cluster& cluster, std::int64_t bytes) {
  double us = 0;
  for (int distance = 1; distance < cluster.ranks; distance *= 2)
    us += distance < cluster.ranks_per_node
              ? message_us(within_node(), bytes, std::max(cluster.ranks_per_node / (2 * distance), 1))
              : message_us(between_nodes(), bytes, 1);
  return us;
}

// The root takes a message from each of the other ranks, one after the other.
double others_us(const Cluster& cluster, std::int64_t bytes) {
  const int near = std::min(cluster.ranks, cluster.ranks_per_node) - 1;
  const int far = cluster.ranks - 1 - near;
  return near * message_us(within_node(), bytes, 1) + far * message_us(between_nodes(), bytes, 1);
}

Traffic reduction(const Cluster& cluster, std::int64_t bytes) {
  const auto depth = levels(cluster.ranks);
  return {depth, depth * bytes, depth, depth * bytes, 2 * tree_us(cluster, bytes)};
}

Traffic parts_to_root(const Cluster& cluster, const CollectiveCall& call) {
  const std::int64_t others = cluster.ranks - 1;
  const auto part = call.total / cluster.ranks;
  return {1, call.largest, others, part * others, others_us(cluster, part)};
}

Traffic parts_to_all(const Cluster& cluster, const CollectiveCall& call) {
  const std::int64_t others = cluster.ranks - 1;
  const auto part = call.total / cluster.ranks;
  return {others, part * others, others, part * others, cluster.ranks * tree_us(cluster, part)};
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
  Traffic traffic = reduction(cluster, kNumber); // all agree first that all are well
  if (call.kind == CollectiveCall::Kind::Reduce) traffic += reduction(cluster, call.largest);
  if (call.kind == CollectiveCall::Kind::Gather || call.kind == CollectiveCall::Kind::AllGather) {
    traffic += reduction(cluster, kNumber * cluster.ranks); // the lengths of all parts
    traffic += reduction(cluster, kNumber);                 // that the receivers have room
    traffic += call.kind == CollectiveCall::Kind::Gather ? parts_to_root(cluster, call)
                                                         : parts_to_all(cluster, call);
  }
  return traffic;
}

} // namespace jitterscope::engine
