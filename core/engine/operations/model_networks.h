#pragma once

#include <nlohmann/json.hpp>

#include "core/analysis/session/session.h"
#include "core/base/job.h"

namespace jitterscope::engine {

/// Models of messages fitted to the network measurements of a session, one for each class and kind of memory:
/// [{distance, memory, curves, scaling_unknown, regimes: [{form, last_size_bytes, alpha_us, …}],
/// fit_mean_percent, held_out_sizes, held_out_mean_percent, held_out_median_percent, held_out_p95_percent}].
/// Held out: each size except the first and last of a curve of one number of pairs, predicted by the model
/// fitted to the others.
Expected<nlohmann::json> network_document(const analysis::Session& session, const Job& job);

} // namespace jitterscope::engine
