#pragma once

#include <span>
#include <vector>

#include "core/base/error.h"
#include "core/base/network_measurement.h"
#include "core/model/network/network_model.h"

namespace jitterscope::model {

/// Time of a message while k pairs send.
struct PairPoint {
  double bytes = 0; ///< > 0
  double pairs = 1; ///< k
  double time = 0;  ///< µs
};

struct KFit {
  MessageRegime regime;
  double r_squared = 0; ///< 1 − Σ (T − T̂)² / Σ (T − mean T)², without weights
  int iterations = 0;
};

/// Short messages: α + k β n by least squares with weights 1/n; α and β not negative.
/// Errors: BadInput for fewer than 2 points or a size that is not positive.
Expected<KFit> fit_k_short(std::span<const PairPoint> points);

/// Eager or rendezvous messages (models.md 3.3, algorithm B): (α, R_Cb, R_Ci) by Levenberg and Marquardt with
/// weights 1/n, started at (min T, 1/β, 0.3/β). Where all points have one k, R_Ci is 0 and says nothing.
/// Errors: as fit_k_short, of 3 points; Internal where the iteration does not end in finite rates.
Expected<KFit> fit_k_rate(std::span<const PairPoint> points);

/// The model of one class from latency curves of one or several numbers of pairs: protocols by
/// find_segments() on the curve of fewest pairs; with several curves the K-model in each protocol, its short
/// form up to 128 B; with one curve the postal model, and scaling_unknown. Where there is only a bandwidth
/// curve, one regime of α = 0 and its highest rate, and scaling_unknown. Errors: BadInput where nothing can
/// be fitted.
Expected<MessageModel> fit_messages(std::span<const NetworkMeasurement> curves);

} // namespace jitterscope::model
