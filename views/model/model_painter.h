#pragma once

#include <optional>

#include "views/model/model_chart.h"

class QPainter;

namespace jitterscope::views::model {

/// Highlighted items of a chart: indices of kernels, messages or runs.
struct Marked {
  std::optional<int> current; ///< item under the pointer or reached by keyboard
  std::vector<int> chosen;    ///< items selected in all views; if empty, no item is dimmed
};

/// Paints a chart with its axes and legend.
void paint(QPainter& painter, const QRectF& rect, const ModelData& data, Chart chart, const ViewStyle& style,
           std::size_t device = 0, int first = 0, const Marked& marked = {});

} // namespace jitterscope::views::model
