#include "core/import/assemble/resource_order.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

namespace jitterscope::import {
namespace {

using store::Resource;
using store::ResourceKind;

// Processes with a known rank first; devices and streams before threads.
auto reading_order(const Resource& r) {
  const int rank = r.rank < 0 ? std::numeric_limits<int>::max() : r.rank;
  return std::make_tuple(r.kind == ResourceKind::Thread, rank, r.number);
}

std::vector<std::uint32_t> depth_first(const std::vector<Resource>& resources) {
  std::vector<std::vector<std::uint32_t>> children(resources.size());
  std::vector<std::uint32_t> pending, order;
  for (std::uint32_t row = 0; row < resources.size(); ++row)
    (resources[row].parent == kNone ? pending : children[resources[row].parent]).push_back(row);
  std::reverse(pending.begin(), pending.end()); // hosts keep the order of the files
  while (!pending.empty()) {
    const auto row = pending.back();
    pending.pop_back();
    order.push_back(row);
    auto& below = children[row];
    std::stable_sort(below.begin(), below.end(), [&](std::uint32_t a, std::uint32_t b) {
      return reading_order(resources[a]) < reading_order(resources[b]);
    });
    pending.insert(pending.end(), below.rbegin(), below.rend());
  }
  return order;
}

} // namespace

std::vector<std::uint32_t> order_resources(std::vector<Resource>& resources) {
  const auto order = depth_first(resources);
  std::vector<std::uint32_t> new_row(resources.size(), kNone);
  std::vector<std::uint32_t> representative(resources.size(), kNone); // by old physical
  for (std::uint32_t row = 0; row < order.size(); ++row) {
    new_row[order[row]] = row;
    const auto physical = resources[order[row]].physical;
    if (physical != kNone && representative[physical] == kNone) representative[physical] = row;
  }
  std::vector<Resource> ordered;
  ordered.reserve(resources.size());
  for (const auto old : order) {
    ordered.push_back(std::move(resources[old]));
    auto& resource = ordered.back();
    if (resource.parent != kNone) resource.parent = new_row[resource.parent];
    if (resource.physical != kNone) resource.physical = representative[resource.physical];
  }
  resources = std::move(ordered);
  return new_row;
}

} // namespace jitterscope::import
