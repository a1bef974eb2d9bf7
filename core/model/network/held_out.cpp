#include "core/model/network/held_out.h"

#include <set>

namespace jitterscope::model {

HeldOut hold_out_sizes(std::span<const NetworkMeasurement> curves) {
  std::set<double> sizes;
  for (const auto& curve : curves)
    if (curve.quantity == NetworkQuantity::latency && curve.point_to_point)
      for (const auto& p : curve.points) sizes.insert(p.bytes);
  HeldOut out;
  if (sizes.size() < 3) return out;
  sizes.erase(sizes.begin());
  sizes.erase(std::prev(sizes.end()));
  for (const double left_out : sizes) {
    std::vector<NetworkMeasurement> rest;
    for (const auto& curve : curves) {
      if (curve.quantity != NetworkQuantity::latency || !curve.point_to_point) continue;
      rest.push_back(curve);
      std::erase_if(rest.back().points, [&](const NetworkPoint& p) { return p.bytes == left_out; });
    }
    const auto model = fit_messages(rest);
    if (!model) continue;
    for (const auto& curve : curves)
      if (curve.quantity == NetworkQuantity::latency && curve.point_to_point)
        for (const auto& p : curve.points)
          if (p.bytes == left_out && p.value > 0) {
            out.bytes.push_back(p.bytes);
            out.measured.push_back(p.value);
            out.predicted.push_back(model->time(p.bytes, curve.pairs));
          }
  }
  return out;
}

} // namespace jitterscope::model
