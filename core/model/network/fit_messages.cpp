#include <algorithm>
#include <cmath>
#include <limits>

#include "core/model/network/k_fit.h"
#include "core/model/network/regimes.h"

namespace jitterscope::model {
namespace {

constexpr double kShortBytes = 128; // maximum size for the short form, as the K-model's author chose

using Curves = std::vector<const NetworkMeasurement*>;

/// Curves of individual messages, sorted by number of pairs.
Curves curves_of(std::span<const NetworkMeasurement> all, NetworkQuantity quantity) {
  Curves curves;
  for (const auto& m : all)
    if (m.quantity == quantity && m.point_to_point && !m.points.empty()) curves.push_back(&m);
  std::stable_sort(curves.begin(), curves.end(),
                   [](const auto* a, const auto* b) { return a->pairs < b->pairs; });
  return curves;
}

/// Averages repeated sizes: several files of one kind are one curve.
std::vector<NetworkPoint> merged(const Curves& curves, double pairs) {
  std::vector<NetworkPoint> all;
  for (const auto* curve : curves)
    if (curve->pairs == pairs) all.insert(all.end(), curve->points.begin(), curve->points.end());
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.bytes < b.bytes; });
  std::vector<NetworkPoint> out;
  for (std::size_t i = 0; i < all.size();) {
    auto next = i;
    double sum = 0;
    for (; next < all.size() && all[next].bytes == all[i].bytes; ++next) sum += all[next].value;
    out.push_back({all[i].bytes, sum / static_cast<double>(next - i)});
    i = next;
  }
  return out;
}

MessageRegime postal(const Segment& segment) {
  MessageRegime regime;
  regime.alpha = segment.alpha;
  regime.beta = segment.beta;
  return regime;
}

/// The K-model of the sizes of one segment over all numbers of pairs; the postal line if that cannot be
/// fitted.
MessageRegime k_regime(const Curves& curves, const Segment& segment, double above, double up_to) {
  std::vector<PairPoint> points;
  for (const auto* curve : curves)
    for (const auto& p : curve->points)
      if (p.bytes > 0 && p.bytes > above && p.bytes <= up_to)
        points.push_back({p.bytes, curve->pairs, p.value});
  const auto fit = up_to <= kShortBytes ? fit_k_short(points) : fit_k_rate(points);
  return fit ? fit->regime : postal(segment);
}

/// Bandwidth curves by number of pairs; sizes without a positive rate are left out.
std::vector<PipelinedRate> pipelined_rates(const Curves& curves) {
  std::vector<PipelinedRate> out;
  for (const auto* curve : curves) {
    if (!out.empty() && out.back().pairs == curve->pairs) continue;
    PipelinedRate rate{curve->pairs, merged(curves, curve->pairs)};
    std::erase_if(rate.points, [](const NetworkPoint& p) {
      return !(p.bytes > 0) || !(p.value > 0) || !std::isfinite(p.bytes + p.value);
    });
    if (!rate.points.empty() && rate.pairs >= 1) out.push_back(std::move(rate));
  }
  return out;
}

Expected<MessageModel> of_bandwidth(const Curves& curves) {
  MessageModel model;
  MessageRegime regime;
  regime.form = MessageForm::k_rate;
  for (const auto& p : curves.front()->points) regime.rate = std::max(regime.rate, p.value);
  if (!(regime.rate > 0)) return failure(ErrorKind::BadInput, "no message has a positive bandwidth");
  model.regimes.push_back(regime);
  model.pipelined = pipelined_rates(curves);
  model.scaling_unknown = true;
  return model;
}

} // namespace

Expected<MessageModel> fit_messages(std::span<const NetworkMeasurement> measurements) {
  const auto curves = curves_of(measurements, NetworkQuantity::latency);
  const auto bandwidths = curves_of(measurements, NetworkQuantity::bandwidth);
  if (curves.empty()) {
    if (bandwidths.empty())
      return failure(ErrorKind::BadInput, "no latency or bandwidth of individual messages was measured", {},
                     {}, "Run osu_latency, or osu_multi_lat for several pairs.");
    return of_bandwidth(bandwidths);
  }
  const auto base = merged(curves, curves.front()->pairs);
  const auto segments = find_segments(base);
  if (!segments) return forward(segments.error());
  MessageModel model;
  model.distance = curves.front()->distance;
  model.memory = curves.front()->memory;
  model.pipelined = pipelined_rates(bandwidths);
  model.scaling_unknown = curves.front()->pairs == curves.back()->pairs;
  double above = -1;
  for (const auto& segment : segments->list) {
    const bool last = segment.last + 1 == base.size();
    const double up_to = base[segment.last].bytes;
    auto regime = model.scaling_unknown ? postal(segment) : k_regime(curves, segment, above, up_to);
    regime.last_size = last ? std::numeric_limits<double>::infinity() : up_to;
    model.regimes.push_back(regime);
    above = up_to;
  }
  return model;
}

} // namespace jitterscope::model
