#pragma once

#include <string>

#include "core/efficiency/columns/kept_columns.h"
#include "core/efficiency/metrics/bound.h"

namespace jitterscope::efficiency {

/// The mean of a metric over each launch, weighted by time; of launches of no length its value at their
/// start. The value is that of the launch's stream, or of what the stream belongs to at the level of the
/// definition, if that is coarser. Of a metric per thread it is that of the thread that the row ran on
/// (bursts), else of the launch's process, joined as `across` says. Missing where the duration is.
/// Collective; bit-equal for any number of ranks and threads. Errors: Cancelled.
Expected<KeptColumn> metric_column(const analysis::Session& session, const metrics::Bound& bound,
                                   std::string name, Communicator& communicator, const Job& job);

} // namespace jitterscope::efficiency
