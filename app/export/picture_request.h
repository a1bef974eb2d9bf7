#pragma once

#include <QSize>
#include <QString>
#include <optional>

#include "app/engine/blocking_engine.h"
#include "app/engine/decode.h"
#include "views/base/export.h"
#include "views/base/view_style.h"
#include "views/parallel/parallel_data.h"

namespace jitterscope::app {

/// What a picture shows.
struct PictureRequest {
  QString view;        ///< timeline, bins, causal, parallel, distribution or heat-map
  QSize size{1400, 0}; ///< logical pixels; height 0: what the view needs
  QString per;         ///< of the causal view: kernel, rank or run, one graph each; empty: one of all
  QStringList runs;    ///< names of the opened files, for `per` run
  std::optional<Interval> range; ///< visible time of the timeline; the others restrict their rows to it
  QString
      colour_by; ///< column that colours parallel coordinates; empty: as `parallel` says, else density alone
  QStringList inverted; ///< columns whose axes stand upside down
  nlohmann::json parallel =
      nlohmann::json::object(); ///< as a session keeps parallel coordinates (ParallelDesk::state)
  views::AxisBrushes brushes;   ///< shown on their axes; the rows are chosen by `options`
  views::BrushLogic brush_logic;
  nlohmann::json options =
      nlohmann::json::object(); ///< where, metric, width_ns, column, axes … passed to the engine
  views::ViewStyle style = views::ViewStyle::paper();
};

/// A view ready to be painted, and how large.
struct Picture {
  views::PaintFunction paint;
  QSize size;            ///< as asked for; a height of 0 was replaced by what the view needs
  QString left_out = {}; ///< what has no room at this size, and the size that has
};

} // namespace jitterscope::app
