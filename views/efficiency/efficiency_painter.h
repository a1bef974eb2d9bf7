#pragma once

#include <optional>

#include "views/efficiency/efficiency_model.h"

class QPainter;

namespace jitterscope::views::efficiency {

/// Paints the tree of factors with the time each costs, then devices and host threads; `clip` is the part
/// of `rect` to repaint. `current`: index of the highlighted line of the layout.
void paint(QPainter& painter, const QRectF& rect, const EfficiencyData& data, const ViewStyle& style,
           std::optional<std::size_t> current = {}, std::optional<QRectF> clip = {});

/// Paints a picture: its title, then the same.
void paintPicture(QPainter& painter, const QRectF& rect, const EfficiencyData& data, const ViewStyle& style);
/// Height [logical pixels] at which a picture of this width shows all of it.
double pictureHeight(const EfficiencyData& data, double width, const ViewStyle& style);

} // namespace jitterscope::views::efficiency
