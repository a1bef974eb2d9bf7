#pragma once

#include <QString>
#include <vector>

#include "core/causal/base/knowledge.h"
#include "views/area/area_model.h"
#include "views/causal/causal_data.h"
#include "views/causal/causal_multiples.h"
#include "views/distribution/distribution_data.h"
#include "views/efficiency/efficiency_data.h"
#include "views/evidence/evidence_data.h"
#include "views/evidence/whatif_data.h"
#include "views/heatmap/heat_map_data.h"
#include "views/metrics/metric_histogram.h"
#include "views/metrics/metrics_data.h"
#include "views/timeline/timeline_data.h"

namespace jitterscope::app {

/// The numbers of a picture as comma-separated text (RFC 4180, lines end with CR LF), units
/// in the header. Empty views give only the header.

/// One line per bin: its edges, counts of all rows, of the selected rows and of every group; also their total
/// time [ns] if bars show time.
QString csv_of(const views::DistributionData& data);
/// One line per non-empty cell: bounds in time and value, number of rows.
QString csv_of(const views::HeatMapData& data);
/// One line per edge, then one per contribution and measure (variance, and variability where it is known);
/// the column "kind" distinguishes edges and contributions.
QString csv_of(const views::CausalGraph& graph);
/// The same lines for graphs side by side, each prefixed by the title of its group.
QString csv_of(const std::vector<views::CausalGroup>& groups);
/// One line per factor with its value and cost, then one per device and host thread with its times; the
/// column "kind" distinguishes them.
QString csv_of(const views::EfficiencyData& data);
/// One line per metric, object and column of the visible range.
QString csv_of(const std::vector<views::MetricPanel>& panels);
/// One line per object and bin of values.
QString csv_of(const views::MetricHistogram& data);
/// One line per bin of the effect: rows with and without the cause.
QString csv_of(const views::EvidenceData& data);

/// One line per kernel of an area: its statistics in the area, then those of the whole run if known.
QString csv_of(const views::AreaData& area);

/// Expected results when a feature is set: one line for the mean of all rows, one for its standard deviation,
/// one for the selected row.
QString csv_of(const views::WhatIfShown& shown);
/// One line per statement: the columns that it is about, and its kind.
QString csv_of(const causal::Knowledge& known);
/// One line per flag and range, in time order, with positions and lengths on the axis.
QString csv_of(const std::vector<views::TimelineFlag>& flags, const std::vector<views::NamedRange>& ranges,
               views::AxisUnit axis);

} // namespace jitterscope::app
