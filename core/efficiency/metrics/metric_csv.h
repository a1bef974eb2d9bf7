#pragma once

#include <cstdint>
#include <string>

#include "core/efficiency/metrics/bound.h"
#include "core/efficiency/metrics/question.h"

namespace jitterscope::efficiency::metrics {

struct MetricCsvReport {
  std::int64_t rows = 0, bytes = 0;
};

/// Writes a metric as CSV, sorted by time, one track per object of the question. With `points` 0 every step:
/// time [ns], track, value, which holds until the next row of the track or the end of the range; else for
/// each of `points` equal parts of the range: time [ns], end [ns], track, average, minimum, maximum. Missing
/// values are empty. Steps are written piece by piece, so that memory does not grow with their number.
/// Collective; rank 0 writes. Errors: BadUse (too many points), Io, Cancelled.
Expected<MetricCsvReport> export_metric_csv(const Bound& bound, const Question& question, std::int64_t points,
                                            const std::string& path, Communicator& communicator,
                                            const Job& job);

} // namespace jitterscope::efficiency::metrics
