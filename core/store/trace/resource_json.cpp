#include "core/store/trace/resource_json.h"

#include <nlohmann/json.hpp>

namespace jitterscope::store {
namespace {

ResourceKind parent_kind(ResourceKind kind) {
  switch (kind) {
  case ResourceKind::Stream:
    return ResourceKind::Device;
  case ResourceKind::Device:
  case ResourceKind::Thread:
    return ResourceKind::Process;
  default:
    return ResourceKind::Host;
  }
}

} // namespace

using nlohmann::json;

json to_json(const std::vector<Resource>& resources) {
  json out = json::array();
  for (const auto& r : resources) {
    out.push_back({static_cast<int>(r.kind), r.parent, r.physical, r.number, r.rank, r.name});
    if (r.recorded != 0) out.back().push_back(r.recorded);
  }
  return out;
}

Expected<std::vector<Resource>> resources_from_json(const json& j) {
  const auto damaged = [](std::size_t row) {
    return failure(ErrorKind::BadInput, "the store's resource tree is damaged", {},
                   "row " + std::to_string(row));
  };
  std::vector<Resource> resources;
  try {
    for (const auto& item : j) {
      const std::size_t row = resources.size();
      const int kind = item.at(0);
      Resource r{
          static_cast<ResourceKind>(kind), item.at(1), item.at(2), item.at(3), item.at(4), item.at(5), {}};
      if (item.size() > 6) r.recorded = item.at(6);
      const bool root = r.kind == ResourceKind::Host;
      if (kind < 0 || kind > static_cast<int>(ResourceKind::Stream)) return damaged(row);
      if (root ? r.parent != kNone : r.parent >= row) return damaged(row);
      if (!root && resources[r.parent].kind != parent_kind(r.kind)) return damaged(row);
      if ((r.kind == ResourceKind::Device) != (r.physical != kNone) ||
          (r.physical != kNone && r.physical > row))
        return damaged(row);
      resources.push_back(std::move(r));
    }
  } catch (const json::exception&) {
    return damaged(resources.size());
  }
  return resources;
}

} // namespace jitterscope::store
