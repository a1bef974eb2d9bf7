#include "views/timeline/lane_raster.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "views/base/colour_maps.h"

namespace jitterscope::views {

namespace {

struct CellColours {
  QRgb full = 0;
  QRgb dimmed = 0;
  QRgb tint = 0;
  QRgb dot = 0;
};

class ColourCache {
public:
  explicit ColourCache(const ViewStyle& style) : style_(style) {}

  const CellColours& of(std::uint32_t nameId) {
    const auto found = colours_.find(nameId);
    if (found != colours_.end()) return found->second;
    const QColor base = nameId == kNoName ? style_.quiet : categoryColour(nameId, style_.theme);
    const CellColours made{base.rgba(), dimmedColour(base, style_).rgba(),
                           mix(style_.background, base, 0.26).rgba(),
                           mix(base, style_.background, 0.3).rgba()};
    return colours_.emplace(nameId, made).first->second;
  }

private:
  const ViewStyle& style_;
  std::unordered_map<std::uint32_t, CellColours> colours_;
};

void fillColumn(QImage& image, int x, int from, int to, QRgb colour) {
  for (int y = std::max(from, 0); y < std::min(to, image.height()); ++y) {
    reinterpret_cast<QRgb*>(image.scanLine(y))[x] = colour;
  }
}

} // namespace

QImage rasteriseCells(std::span<const TimelineCell> cells, int height, int least, const ViewStyle& style) {
  QImage image(static_cast<int>(cells.size()), height, QImage::Format_ARGB32_Premultiplied);
  image.fill(Qt::transparent);
  ColourCache colours(style);
  for (int x = 0; x < image.width(); ++x) {
    const TimelineCell& cell = cells[static_cast<std::size_t>(x)];
    if (cell.count == 0) continue;
    const CellColours& c = colours.of(cell.nameId);
    const double busy = std::clamp(static_cast<double>(cell.busy), 0.0, 1.0);
    const int filled =
        std::clamp(static_cast<int>(std::lround(busy * height)), std::min(least, height), height);
    const double share = std::clamp(static_cast<double>(cell.selected), 0.0, 1.0);
    // Something selected never vanishes among the dimmed, however small its share.
    const int chosen = share > 0 ? std::max(1, static_cast<int>(std::lround(share * filled))) : 0;
    fillColumn(image, x, 0, height - filled,
               share > 0 ? c.tint : mix(style.background, QColor(c.dimmed), 0.4).rgba());
    fillColumn(image, x, height - filled, height - chosen, c.dimmed);
    fillColumn(image, x, height - chosen, height, c.full);
    if (cell.count > 1 && (x / std::max(least / 2, 1)) % 2 == 0)
      fillColumn(image, x, 0, std::max(1, least / 2), c.dot);
  }
  return image;
}

QImage rasteriseCounter(std::span<const CounterColumn> columns, int height, double low, double high,
                        const QColor& colour) {
  QImage image(static_cast<int>(columns.size()), height, QImage::Format_ARGB32_Premultiplied);
  image.fill(Qt::transparent);
  if (!(high > low)) high = low + 1;
  const auto yAt = [&](double value) {
    const double t = std::clamp((value - low) / (high - low), 0.0, 1.0);
    return static_cast<int>(std::lround((1 - t) * (height - 1)));
  };
  QColor area = colour;
  area.setAlpha(38);
  QColor band = colour;
  band.setAlpha(105);
  int previous = -1;
  for (int x = 0; x < image.width(); ++x) {
    const CounterColumn& c = columns[static_cast<std::size_t>(x)];
    if (!c.present) {
      previous = -1;
      continue;
    }
    const int y = yAt(c.mean);
    fillColumn(image, x, y, height, qPremultiply(area.rgba()));
    fillColumn(image, x, yAt(c.maximum), yAt(c.minimum) + 1, qPremultiply(band.rgba()));
    const int from = previous < 0 ? y : std::min(previous, y);
    const int to = previous < 0 ? y : std::max(previous, y);
    fillColumn(image, x, from, to + 1, colour.rgba());
    previous = y;
  }
  return image;
}

} // namespace jitterscope::views
