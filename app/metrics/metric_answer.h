#pragma once

#include "core/engine/messages/messages.h"
#include "views/metrics/metrics_data.h"

namespace jitterscope::app {

/// Fills a panel from an answer of the operation "metric" in columns. Errors: Engine, if the answer is
/// inconsistent.
Expected<void> read_metric(const engine::Answer& answer, views::MetricPanel& panel);

} // namespace jitterscope::app
