#pragma once

#include <QSize>
#include <QString>
#include <optional>

#include "app/engine/blocking_engine.h"
#include "app/engine/decode.h"
#include "app/metrics/metric_content.h"
#include "app/metrics/metric_state.h"
#include "app/session/selection_hub.h"
#include "core/engine/messages/causal_options.h"
#include "core/engine/messages/efficiency_options.h"
#include "core/engine/messages/statistics_options.h"
#include "views/base/export.h"
#include "views/base/view_style.h"
#include "views/parallel/parallel_data.h"
#include "views/timeline/timeline_state.h"

namespace jitterscope::app {

/// The timeline as a session left it.
struct SessionTimeline {
  std::optional<views::TimelineState> state; ///< arrangement, colours, marks, heights
  std::optional<Interval> brush, bin;
  std::vector<std::string> brush_tracks; ///< tracks of the brush, by TrackLayout::key; empty: all
  std::optional<LaunchChoice> launch;    ///< outlined
};

/// Content of a picture.
struct PictureRequest {
  QString view;        ///< one of picture_views()
  QSize size{1400, 0}; ///< logical pixels; height 0: as needed by the view
  double scale = 2; ///< timeline: device pixels per logical pixel of the file; of rasters in vector pictures
  std::vector<MetricOfTracks> metric_tracks; ///< timeline: metrics above the tracks of the trace
  std::vector<views::MetricPanel> metrics;   ///< metrics and histogram: what is shown
  views::HistogramBins histogram_bins;
  std::string cell_statistic = "time";     ///< histogram: CellStatisticSpec::name
  std::string data_metric;                 ///< histogram: text of the metric whose values the statistic is of
  std::optional<views::Merging> merging;   ///< timeline, metrics: how tracks or objects share rows of pixels
                                           ///< if they do not fit; metrics: mean by default
  std::optional<SessionTimeline> timeline; ///< timeline of a session, with the causes over time; otherwise
                                           ///< all tracks, coloured by kernel
  QString per;                   ///< causal view: one graph per kernel, rank or run; empty: one graph of all
  QString remark;                ///< causal view: states which rows the answer is about; may be empty
  QStringList runs;              ///< names of the opened files, for `per` run
  std::optional<Interval> range; ///< visible time of the timeline; other views restrict their rows to it
  QString colour_by; ///< column that colours the launches of parallel coordinates or a timeline, for a
                     ///< timeline also a word of views::ColourBy; empty: as in `parallel` or `timeline`, else
                     ///< density or kernels
  QStringList inverted; ///< columns whose axes are inverted
  nlohmann::json parallel =
      nlohmann::json::object(); ///< parallel coordinates as stored in a session (ParallelController::state)
  views::AxisBrushes brushes;   ///< brushes drawn on their axes; `selection` selects the rows
  views::BrushLogic brush_logic;
  engine::SelectionOptions selection;  ///< launches that are shown; of a causal view those of `causal`
  engine::BinsOptions bins;            ///< metric and ranking of bins
  engine::CausalOptions causal;        ///< question of a causal view
  engine::ParallelOptions coordinates; ///< parallel coordinates: axes, scales, orders, target, within
  std::string column;                  ///< distribution and heat map; empty: chosen by the engine
  engine::DistributionOptions distribution{.log = true}; ///< scale, groups, numbers or time
  bool log_heights = false;                              ///< distribution: bars on a log scale
  /// The scale of values is the user's choice. Else that of a distribution is linear if there are values ≤ 0,
  /// and that of a heat map logarithmic if most launches would be in its lowest rows.
  bool scale_chosen = false;
  bool log_heat_map = false;              ///< heat map: values on a log scale
  engine::EfficiencyOptions efficiencies; ///< collectives, ranks, devices and ideal time of efficiencies
  views::ViewStyle style = views::ViewStyle::paper();
};

/// A view ready to be painted, with its size.
struct Picture {
  views::PaintFunction paint;
  QSize size;            ///< requested size; a height of 0 is replaced by the height that the view needs
  QString left_out = {}; ///< content that does not fit at this size, and the size that would fit
};

/// The size with a height of 0 replaced.
inline QSize with_height(QSize size, int height) {
  return {size.width(), size.height() > 0 ? size.height() : height};
}

/// Picture::left_out of a view whose content is `needed` pixels high; empty if all of it is shown.
inline QString shown_at(int needed, QSize size) {
  return size.height() >= needed
             ? QString()
             : QString("the lower part of the view is left out; a height of %1 px shows all of it")
                   .arg(needed);
}

} // namespace jitterscope::app
