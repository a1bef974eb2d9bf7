#pragma once

#include "app/metrics/histogram_cells.h"
#include "core/engine/messages/metric_answers.h"
#include "views/metrics/metric_histogram.h"
#include "views/metrics/metrics_data.h"

namespace jitterscope::app {

/// Place, message and hint of an error about a metric.
QString words_of(const Error& error);

/// "the trace has no kernels": the records of a metric that the trace does not have, from an answer of the
/// operation "metric"; empty if it has all.
QString missing_records(const engine::answers::MetricDescriptionAnswer& of);

/// Fills a panel from an answer of the operation "metric" in columns. Errors: Engine, if the answer is
/// inconsistent.
Expected<void> read_metric(const engine::Answer& answer, views::MetricPanel& panel);

/// The histogram of an answer of the operation "metric_histogram" about `metric`, coloured by a statistic of
/// its cells. `data_title`: title of the metric of which the statistic is, if it is of one.
views::MetricHistogram histogram_of(const engine::answers::MetricHistogramAnswer& answer,
                                    views::MetricPanel metric, const CellStatisticSpec& shown,
                                    const QString& range_text, const QString& data_title = {});

} // namespace jitterscope::app
