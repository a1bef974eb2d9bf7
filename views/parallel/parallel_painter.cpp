#include "views/parallel/parallel_painter.h"

#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>

#include "views/base/colour_maps.h"
#include "views/base/painting.h"
#include "views/parallel/band_raster.h"

namespace jitterscope::views::parallel {

namespace {

constexpr int kTableSize = 1024;

struct Gap {
  int left = 0;
  int x = 0;
  int columns = 0;
};

// The bands of one gap; `selected` takes the histogram of the selected rows.
std::vector<Band> bandsOf(const ParallelModel& model, int left, bool selected, double scale) {
  std::vector<Band> bands;
  const PairHistogram* pair = model.pair(left);
  if (pair == nullptr) return bands;
  const auto& counts = selected ? pair->selected : pair->all;
  const auto expected = static_cast<std::size_t>(pair->leftBins) * static_cast<std::size_t>(pair->rightBins);
  if (counts.size() != expected) return bands;
  const bool turned = pair->left != model.order()[left];
  const double top = model.plotRect().top();
  const auto edge = [&](int position, int bin, int bins) {
    return (model.binEdgeY(position, bin, bins) - top) * scale;
  };
  for (int l = 0; l < pair->leftBins; ++l) {
    for (int r = 0; r < pair->rightBins; ++r) {
      const std::uint32_t weight =
          counts[static_cast<std::size_t>(l) * static_cast<std::size_t>(pair->rightBins) +
                 static_cast<std::size_t>(r)];
      if (weight == 0) continue;
      const int a = turned ? r : l;
      const int b = turned ? l : r;
      const int aBins = turned ? pair->rightBins : pair->leftBins;
      const int bBins = turned ? pair->leftBins : pair->rightBins;
      bands.push_back({edge(left, a, aBins), edge(left, a + 1, aBins), edge(left + 1, b, bBins),
                       edge(left + 1, b + 1, bBins), weight});
    }
  }
  return bands;
}

// Log scale: one row is visible, ten thousand are not white-out. The table's upper end is the densest pixel
// of a smooth share of all pixels, so that a single hot pixel does not make the rest pale.
double ceilingOf(const std::vector<std::int32_t>& pixels) {
  std::vector<std::int32_t> lit;
  for (const std::int32_t p : pixels) {
    if (p > 0) lit.push_back(p);
  }
  if (lit.empty()) return 1;
  const auto at = lit.begin() + static_cast<std::ptrdiff_t>(static_cast<double>(lit.size() - 1) * 0.998);
  std::nth_element(lit.begin(), at, lit.end());
  return std::max(1, *at);
}

void blend(QImage& image, int x0, int columns, const std::vector<std::int32_t>& pixels,
           const std::vector<QRgb>& table, double opacity) {
  const int height = image.height();
  const double ceiling = std::log1p(ceilingOf(pixels));
  for (int x = 0; x < columns && x0 + x < image.width(); ++x) {
    const std::int32_t* column =
        pixels.data() + static_cast<std::size_t>(x) * static_cast<std::size_t>(height);
    for (int y = 0; y < height; ++y) {
      if (column[y] <= 0) continue;
      const double t = std::pow(std::min(1.0, std::log1p(column[y]) / ceiling), 1.7);
      const auto index = static_cast<std::size_t>(std::max(1.0, t * (kTableSize - 1)));
      QRgb& target = reinterpret_cast<QRgb*>(image.scanLine(y))[x0 + x];
      const QRgb source = table[index];
      const double alpha = qAlpha(source) / 255.0 * opacity;
      const auto over = [&](int s, int d) { return static_cast<int>(s * opacity + d * (1 - alpha) + 0.5); };
      target = qRgba(over(qRed(source), qRed(target)), over(qGreen(source), qGreen(target)),
                     over(qBlue(source), qBlue(target)), over(qAlpha(source), qAlpha(target)));
    }
  }
}

std::vector<QRgb> dimmedTable(const ViewStyle& style) {
  const QColor low = mix(style.background, style.quiet, 0.30);
  const QColor high = mix(style.background, style.quiet, 0.85);
  std::vector<QRgb> table(kTableSize);
  for (int i = 0; i < kTableSize; ++i)
    table[static_cast<std::size_t>(i)] = mix(low, high, i / (kTableSize - 1.0)).rgba();
  return table;
}

} // namespace

QImage renderDensity(const ParallelModel& model, const ViewStyle& style, double scale) {
  const QRectF plot = model.plotRect();
  const int width = std::max(1, static_cast<int>(std::lround(plot.width() * scale)));
  const int height = std::max(1, static_cast<int>(std::lround(plot.height() * scale)));
  QImage image(width, height, QImage::Format_ARGB32_Premultiplied);
  image.fill(Qt::transparent);
  const bool dimmed = !model.brushes().empty() || model.data().selectedRows < model.data().rows;
  const auto all = dimmed ? dimmedTable(style) : sequentialTable(kTableSize, style);
  const auto chosen = accentTable(kTableSize, style);
  for (int left = 0; left + 1 < model.order().size(); ++left) {
    const int x0 = static_cast<int>(std::lround((model.axisX(left) - plot.left()) * scale));
    const int x1 = static_cast<int>(std::lround((model.axisX(left + 1) - plot.left()) * scale));
    blend(image, x0, x1 - x0, rasteriseBands(bandsOf(model, left, false, scale), x1 - x0, height), all, 1);
    if (!dimmed) continue;
    blend(image, x0, x1 - x0, rasteriseBands(bandsOf(model, left, true, scale), x1 - x0, height), chosen, 1);
  }
  return image;
}

void paintLines(QPainter& painter, const ParallelModel& model, const ViewStyle& style,
                const std::vector<ParallelLine>& lines) {
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing, true);
  painter.setBrush(Qt::NoBrush);
  for (const ParallelLine& line : lines) {
    QPainterPath path;
    bool open = false;
    std::vector<QPointF> points;
    for (int i = 0; i < model.order().size(); ++i) {
      const auto found = line.values.find(model.order()[i]);
      if (found == line.values.end() || !std::isfinite(found->second)) {
        open = false;
        continue;
      }
      const QPointF point(model.axisX(i), model.yAt(i, found->second));
      points.push_back(point);
      if (open) {
        path.lineTo(point);
      } else {
        path.moveTo(point);
      }
      open = true;
    }
    painter.setPen(QPen(style.background, 4));
    painter.drawPath(path);
    painter.setPen(QPen(style.text, 1.8));
    painter.drawPath(path);
    painter.setPen(QPen(style.background, 1.5));
    painter.setBrush(style.text);
    for (const QPointF& point : points) painter.drawEllipse(point, 3.5, 3.5);
    painter.setBrush(Qt::NoBrush);
  }
  painter.restore();
}

void paint(QPainter& painter, const QRectF& rect, const ParallelModel& source, const ViewStyle& style,
           const std::vector<ParallelLine>& lines) {
  painter.save();
  painter.translate(rect.topLeft());
  painter.setClipRect(QRectF(QPointF(0, 0), rect.size()), Qt::IntersectClip);
  painter.fillRect(QRectF(QPointF(0, 0), rect.size()), style.background);
  if (source.empty()) {
    drawMessage(painter, QRectF(QPointF(0, 0), rect.size()), QStringLiteral("No columns to show"), style);
    painter.restore();
    return;
  }
  ParallelModel model = source;
  model.setSize(rect.size());
  painter.drawImage(model.plotRect(), renderDensity(model, style, 2));
  paintAxes(painter, model, style);
  paintLines(painter, model, style, lines);
  painter.restore();
}

} // namespace jitterscope::views::parallel
