#pragma once

#include <span>
#include <vector>

#include "core/base/error.h"
#include "core/base/network_measurement.h"
#include "core/model/network/network_model.h"

namespace jitterscope::model {

/// Time of a message while k pairs send.
struct PairPoint {
  double bytes = 0; ///< size of the message [B], > 0
  double pairs = 1; ///< k: pairs that send
  double time = 0;  ///< time of the message, µs
};

struct KFit {
  MessageRegime regime;
  double r_squared = 0; ///< 1 − Σ (T − T̂)² / Σ (T − mean T)², without weights
  int iterations = 0;
};

/// Short messages: α + k β n by least squares with weights 1/n; α and β not negative.
/// Errors: BadInput for fewer than 2 points or a size that is not positive.
Expected<KFit> fit_k_short(std::span<const PairPoint> points);

/// Eager or rendezvous messages: (α, R_Cb, R_Ci) by Levenberg and Marquardt with weights 1/n, started at (min
/// T, 1/β, 0.3/β). If all points have one k, R_Ci is 0 and meaningless. Errors: BadInput for fewer than 3
/// points, for a size that is not positive, or if times do not grow with the size; Internal if the iteration
/// does not converge to finite rates.
Expected<KFit> fit_k_rate(std::span<const PairPoint> points);

/// The model of one class from latency curves of one or several numbers of pairs: protocols by
/// find_segments() on the curve with the fewest pairs. With several curves each protocol gets the K-model,
/// with its short form up to 128 B; with one curve the postal model, and scaling_unknown. If there is only a
/// bandwidth curve, one regime with α = 0 and its maximum rate, and scaling_unknown. Bandwidth curves also
/// give the rates of non-blocking messages. Errors: BadInput if nothing can be fitted.
Expected<MessageModel> fit_messages(std::span<const NetworkMeasurement> curves);

} // namespace jitterscope::model
