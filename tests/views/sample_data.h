#pragma once

#include "views/bins/bins_data.h"
#include "views/causal/causal_data.h"
#include "views/distribution/distribution_data.h"
#include "views/evidence/evidence_data.h"
#include "views/heatmap/heat_map_data.h"
#include "views/parallel/parallel_data.h"
#include "views/table/kernels_data.h"
#include "views/timeline/timeline_data.h"

/// Synthetic but realistic content for every view, the same at each run.
namespace jitterscope::views::sample {

inline constexpr Interval kSpan{{0}, {155'361'204'519}};

QString nameOf(std::uint32_t id);
std::vector<TimelineTrack> tracks();
TimelineOverview overview();
/// Folded columns above 40 ms, single bars below.
TimelineData timeline(Interval window, int columns);
BinsData bins();
CausalGraph causal();
CausalGraph causalNothing();
ParallelData parallel();
/// parallel() with the histograms of the rows that pass "migrated bytes > 0".
ParallelData parallelSelected();
DistributionData distribution(bool logScale);
/// distribution() divided by stream, over time, with statistics and two modes.
DistributionData distributionGrouped();
HeatMapData heatMap();
/// A cause that is an event; `points`: with individual rows.
EvidenceData evidence(bool points);
KernelsData kernels();

} // namespace jitterscope::views::sample
