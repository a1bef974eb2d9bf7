#pragma once

#include <QPointF>
#include <QRectF>
#include <optional>
#include <vector>

#include "views/base/ticks.h"
#include "views/base/view_style.h"
#include "views/model/model_data.h"

namespace jitterscope::views::model {

/// Type of chart.
enum class Chart { Scatter, Errors, Roofline, InstructionRoofline, Messages, Run };

/// Relative error up to which a prediction counts as correct: ± 5 %.
inline constexpr double kBand = 0.05;

/// A logarithmic axis; low > 0, high > low.
struct LogAxis {
  double low = 1, high = 10;
  /// Position of a value on the axis: 0 at `low`, 1 at `high`.
  double position(double value) const { return std::log(value / low) / std::log(high / low); }
};

/// A kernel, message or part of a run as it is drawn.
struct Mark {
  int index = -1; ///< index of the kernel, message or run
  QPointF at;     ///< centre of a point, end of a bar
  QPointF from;   ///< start of a what-if arrow or a bar; equal to `at` if there is none
  QRectF line;    ///< bars: rectangle of the whole line; empty for points
};

/// A bandwidth or rate limit of a roofline.
struct Ceiling {
  QString name;
  QPointF begin, end;
};

/// Layout of a chart in a rectangle; testable without a screen.
struct Layout {
  Chart chart = Chart::Scatter;
  QRectF plot;
  LogAxis x, y;    ///< axes of scatter, messages and rooflines
  double span = 0; ///< Errors: the largest |error| shown; Run: the longest time [ns]
  std::vector<Mark> marks;
  std::vector<Ceiling> ceilings;
  int hidden = 0; ///< number of lines that do not fit below the last visible one
  QString reason; ///< reason if nothing is drawn; else empty

  /// Index of the mark at or near a point.
  std::optional<std::size_t> at(QPointF point) const;
  QPointF place(double xValue, double yValue) const;
};

/// `first`: first line shown in Errors. `device`: for rooflines.
Layout layoutOf(const ModelData& data, Chart chart, const QRectF& rect, const ViewStyle& style,
                std::size_t device = 0, int first = 0);

/// Kernels in the order of Errors: largest unexplained time first.
std::vector<int> errorOrder(const ModelData& data);

QString titleOf(Chart chart);
/// "compute", "latency", "L1", "L2", "memory".
QString titleOf(ModelBound bound);
QColor colourOf(ModelBound bound, const ViewStyle& style);
/// Lines of a hover card.
QString cardOf(const ModelData& data, Chart chart, int index);
/// "+12.3 %", "−4.0 %", "–".
QString signedPercent(double share);

} // namespace jitterscope::views::model
