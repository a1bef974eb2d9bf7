#pragma once

#include <QColor>
#include <QRgb>
#include <cstdint>
#include <vector>

#include "views/base/view_style.h"

namespace jitterscope::views {

/// Colour of a kernel (or any named thing), the same in every view and session: depends only on id and theme.
/// Ten hues that colour-blind people can distinguish, then the same hues lighter and darker.
QColor categoryColour(std::uint32_t id, Theme theme);

/// Muted version of a category's colour, for items that a filter excludes.
QColor dimmedColour(const QColor& colour, const ViewStyle& style);

/// Sequential map, t in [0, 1], lightness monotonic: pale to dark blue on light, dark to pale on dark.
QColor sequentialColour(double t, Theme theme);

/// Diverging map, t in [−1, 1]: blue, neutral, vermilion.
QColor divergingColour(double t, Theme theme);

/// `size` premultiplied entries from transparent to the strongest colour of the map, for rasters.
std::vector<QRgb> sequentialTable(int size, const ViewStyle& style);
std::vector<QRgb> accentTable(int size, const ViewStyle& style);

} // namespace jitterscope::views
