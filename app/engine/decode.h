#pragma once

#include <QStringList>
#include <vector>

#include "app/engine/column_titles.h"
#include "core/causal/base/result.h"
#include "core/engine/messages/messages.h"
#include "views/bins/bins_data.h"
#include "views/causal/causal_data.h"
#include "views/devices/device_map_data.h"
#include "views/distribution/distribution_data.h"
#include "views/parallel/parallel_data.h"
#include "views/table/kernels_data.h"
#include "views/timeline/merged_data.h"
#include "views/timeline/timeline_data.h"
#include "views/timeline/timeline_state.h"
#include "views/timeline/why_strip.h"

namespace jitterscope::engine {
struct DistributionOptions;
namespace answers {
struct KernelsAnswer;
struct ParallelAnswer;
} // namespace answers
} // namespace jitterscope::engine

namespace jitterscope::app {

/// Converts answers of the engine (operations_*.cpp) to the plain values that views show. Answers come from
/// Jitterscope's engine as verified frames. An answer of another type gives an error of the kind Engine, a
/// document without an expected key one of the kind Internal.

struct TrackList {
  std::vector<views::TimelineTrack> tracks;
  QStringList names; ///< names by name number
  Interval span;
  Interval launch_span;
  views::AxisUnit axis = views::AxisUnit::Time;
};

/// Axis unit of the info document: "time" or "launch-order".
views::AxisUnit axis_of(const nlohmann::json& document);
Expected<TrackList> decode_tracks(const engine::Answer& answer);
Expected<views::TimelineData> decode_timeline(const engine::Answer& answer);
/// Reasons of the bins with these indices, in the same order.
Expected<std::vector<std::pair<std::uint32_t, views::BinReason>>>
decode_reasons(const engine::Answer& answer, const std::vector<std::uint32_t>& bins);
Expected<views::WhyData> decode_causes_along(const engine::Answer& answer);

/// Options of the operation "distribution" for the values of a column over the whole run.
engine::DistributionOptions colour_scale_question(const QString& column);
/// Its answer as colours of launches by the column; the scale is logarithmic if low > 0 and high > 100 · low.
/// Errors: BadInput: no launch has a value.
Expected<views::TimelineColour> decode_colour_scale(const engine::Answer& answer, const QString& column);
/// The answer of "merged_timeline" to this query.
Expected<views::MergedCells> decode_merged(const engine::Answer& answer, const views::MergedQuery& query);
Expected<views::TimelineOverview> decode_overview(const engine::Answer& answer);
Expected<views::BinsData> decode_bins(const engine::Answer& answer, Interval span);
views::KernelsData kernels_data(const engine::answers::KernelsAnswer& answer, const QString& range = {});
views::ParallelData parallel_data(engine::answers::ParallelAnswer answer);
Expected<views::ParallelData> decode_parallel(const engine::Answer& answer);
/// A null title: the name of the column.
Expected<views::DistributionData> decode_distribution(const engine::Answer& answer, const QString& title);
Expected<causal::CausalResult> decode_causal(const engine::Answer& answer);
/// Graph of a result for the causal view; node ids are positions in `nodes`.
views::CausalGraph graph_of(const causal::CausalResult& result);
/// Device map; empty if the rows have only a few devices.
views::DeviceMapData device_map_of(const causal::CausalResult& result);

/// Overview marks of the kept bins.
std::vector<views::OverviewMark> marks_of(const views::BinsData& bins);

} // namespace jitterscope::app
