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

/// The numbers that a picture was drawn from, as comma-separated text (RFC 4180, lines end with CR LF), units
/// in the titles. Empty views give the titles alone.

/// One line per bin: its edges, all rows, the selected ones, those of every group; with ns of them where bars
/// show time.
QString csv_of(const views::DistributionData& data);
/// One line per cell that holds a row: begin and end in time and value, rows.
QString csv_of(const views::HeatMapData& data);
/// One line per edge, then one per contribution; "kind" tells them apart.
QString csv_of(const views::CausalGraph& graph);
/// The same of graphs side by side, each line after the title of its group.
QString csv_of(const std::vector<views::CausalGroup>& groups);
/// One line per factor: its value and what it costs, then one per device and host thread: its times; "kind"
/// tells them apart.
QString csv_of(const views::EfficiencyData& data);
/// One line per bin of the effect: rows with and without the cause.
/// A line per metric, object and column of the visible range.
QString csv_of(const std::vector<views::MetricPanel>& panels);
/// A line per object and bin of values.
QString csv_of(const views::MetricHistogram& data);
QString csv_of(const views::EvidenceData& data);

/// One line per kernel of an area: its statistics there, then those of the whole run, where these are known.
QString csv_of(const views::AreaData& area);

/// What is expected when a feature is set: one line for all rows' mean, one for its standard deviation, one
/// for the chosen row.
QString csv_of(const views::WhatIfShown& shown);
/// One line per statement: from, to, and what is said of them.
QString csv_of(const causal::Knowledge& known);
/// One line per flag and range, in order of time, with places and lengths on the axis.
QString csv_of(const std::vector<views::TimelineFlag>& flags, const std::vector<views::NamedRange>& ranges,
               views::AxisUnit axis);

} // namespace jitterscope::app
