#pragma once

#include <string>

#include "core/efficiency/columns/kept_columns.h"
#include "core/efficiency/metrics/bound.h"

namespace jitterscope::efficiency {

/// The mean of a metric over each launch, weighted by time; for launches of zero length its value at the
/// start. The value is that of the launch's stream, or of the object that contains the stream at the level of
/// the definition, if that is coarser. For a metric per thread it is that of the thread that ran the row
/// (bursts), else of the launch's process, aggregated by `across`. Missing if the duration is missing.
/// Collective; bit-equal for any number of ranks and threads. Errors: Cancelled.
Expected<KeptColumn> metric_column(const analysis::Session& session, const metrics::Bound& bound,
                                   std::string name, Communicator& communicator, const Job& job);

} // namespace jitterscope::efficiency
