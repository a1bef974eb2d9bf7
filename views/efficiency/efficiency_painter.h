#pragma once

#include <optional>

#include "views/efficiency/efficiency_model.h"

class QPainter;

namespace jitterscope::views::efficiency {

/// The tree of factors with the time each costs, then devices and host threads, for a rectangle; `clip`: what
/// of it is needed. `current`: number of a line of the layout that is marked.
void paint(QPainter& painter, const QRectF& rect, const EfficiencyData& data, const ViewStyle& style,
           std::optional<std::size_t> current = {}, std::optional<QRectF> clip = {});

} // namespace jitterscope::views::efficiency
