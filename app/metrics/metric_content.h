#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/session/questions.h"
#include "core/engine/messages/metric_answers.h"
#include "views/timeline/merged_data.h"

namespace jitterscope::engine {
struct MetricOptions;
} // namespace jitterscope::engine

namespace jitterscope::app {

/// A metric as tracks of the timeline, one per object of a level.
struct MetricOfTracks {
  std::string text;
  std::string level; ///< level of the objects; empty: the metric's own level

  /// Request for the values of objects in equal columns of a window. Without a window: the whole run; without
  /// objects: all of them.
  engine::MetricOptions question(std::optional<Interval> window = {}, int columns = 1,
                                 const std::vector<std::uint32_t>& objects = {}) const;
  auto operator<=>(const MetricOfTracks&) const = default;
};

/// A track of a metric.
struct MetricTrack {
  MetricOfTracks metric;
  std::uint32_t object = 0;
  views::TimelineTrack shown;
  double minimum = 0, maximum = 0; ///< range over the whole run
};

inline constexpr std::size_t kMaxMetricObjects = 256; ///< maximum number of tracks per metric

/// The tracks of a metric, from the answer about the whole run; numbered from `first`. `number`: of the
/// metric among those of the timeline.
std::vector<MetricTrack> tracks_of(const MetricOfTracks& metric, const engine::answers::MetricAnswer& answer,
                                   std::uint32_t first, std::uint32_t number);
/// All tracks of the timeline: the tracks of metrics, then the tracks of the trace below them.
std::vector<views::TimelineTrack> with_metrics(const std::vector<views::TimelineTrack>& metrics,
                                               std::vector<views::TimelineTrack> tracks);

/// Content of tracks of one metric, from the answer about their objects; empty if the answer does not have
/// `columns` values for each track.
std::vector<views::TrackContent> contents_of(const std::vector<MetricTrack>& tracks,
                                             const engine::answers::MetricAnswer& answer, int columns);

/// The metric tracks among the rows of a query.
std::vector<std::uint32_t> metrics_in(const views::MergedQuery& query);
/// Fills the rows that begin with a track of a metric, as the engine does for counters: position of the mean,
/// or of the maximum, between the minimum and maximum of the row's tracks.
void add_metrics(views::MergedCells& cells, const std::map<std::uint32_t, views::TrackContent>& contents);

} // namespace jitterscope::app
