#pragma once

#include <optional>

#include "views/efficiency/efficiency_model.h"

class QPainter;

namespace jitterscope::views::efficiency {

/// Paints the tree of factors with the time each costs, then devices and host threads; `clip` is the part
/// of `rect` to repaint. `current`: index of the highlighted line of the layout.
void paint(QPainter& painter, const QRectF& rect, const EfficiencyData& data, const ViewStyle& style,
           std::optional<std::size_t> current = {}, std::optional<QRectF> clip = {});

} // namespace jitterscope::views::efficiency
