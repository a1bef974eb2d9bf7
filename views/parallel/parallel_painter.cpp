#include "views/parallel/parallel_painter.h"

#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <vector>

#include "views/base/colour_maps.h"
#include "views/base/painting.h"
#include "views/parallel/band_raster.h"

namespace jitterscope::views::parallel {

namespace {

constexpr int kTableSize = 1024;

using Raster = std::vector<std::int32_t>; // column-major, see rasteriseBands

// Both ends of every bin, from the top of the plot.
std::vector<std::pair<double, double>> binSpans(const ParallelModel& model, int position, int bins, double scale) {
  std::vector<std::pair<double, double>> spans;
  const double top = model.plotRect().top();
  for (int bin = 0; bin < bins; ++bin) {
    const auto [begin, end] = model.binSpan(position, bin);
    spans.emplace_back((begin - top) * scale, (end - top) * scale);
  }
  return spans;
}

// The bands of one gap, from the counts of that pair.
std::vector<Band> bandsOf(const ParallelModel& model, int left, const std::vector<std::uint32_t>& counts, double scale) {
  std::vector<Band> bands;
  const PairHistogram* pair = model.pair(left);
  if (pair == nullptr) return bands;
  const auto rightBins = static_cast<std::size_t>(pair->rightBins);
  if (counts.size() != static_cast<std::size_t>(pair->leftBins) * rightBins) return bands;
  const bool turned = pair->left != model.order()[left];
  const auto own = binSpans(model, turned ? left + 1 : left, pair->leftBins, scale);
  const auto other = binSpans(model, turned ? left : left + 1, pair->rightBins, scale);
  for (std::size_t l = 0; l < own.size(); ++l) {
    for (std::size_t r = 0; r < other.size(); ++r) {
      const std::uint32_t weight = counts[l * rightBins + r];
      if (weight == 0) continue;
      Band band{own[l].first, own[l].second, other[r].first, other[r].second, weight};
      if (turned) band = {other[r].first, other[r].second, own[l].first, own[l].second, weight};
      bands.push_back(band);
    }
  }
  return bands;
}

// The table's upper end is the density that all but 0.2 % of the lit pixels stay below, so that a few hot
// pixels do not make the rest pale. One value for all gaps: a colour means the same number of rows
// everywhere.
std::int32_t ceilingOf(const std::vector<Raster>& rasters) {
  Raster lit;
  for (const Raster& raster : rasters) {
    std::copy_if(raster.begin(), raster.end(), std::back_inserter(lit), [](std::int32_t p) { return p > 0; });
  }
  if (lit.empty()) return 1;
  const auto at = lit.begin() + static_cast<std::ptrdiff_t>(static_cast<double>(lit.size() - 1) * 0.998);
  std::nth_element(lit.begin(), at, lit.end());
  return std::max(1, *at);
}

// Log scale: one row is visible, ten thousand are not white-out.
class DensityScale {
public:
  explicit DensityScale(std::int32_t ceiling) : ceiling_(ceiling) {
    lookup_.resize(static_cast<std::size_t>(std::min(ceiling, 1 << 15)) + 1);
    for (std::size_t i = 0; i < lookup_.size(); ++i) lookup_[i] = compute(static_cast<double>(i));
  }
  std::size_t operator()(std::int32_t rows) const {
    if (rows >= ceiling_) return kTableSize - 1;
    const auto i = static_cast<std::size_t>(rows);
    return i < lookup_.size() ? lookup_[i] : compute(rows);
  }

private:
  std::uint16_t compute(double rows) const {
    const double t = std::pow(std::min(1.0, std::log1p(rows) / std::log1p(ceiling_)), 1.7);
    return static_cast<std::uint16_t>(std::max(1.0, t * (kTableSize - 1)));
  }

  std::int32_t ceiling_;
  std::vector<std::uint16_t> lookup_;
};

void blend(QImage& image, int x0, const Raster& raster, const DensityScale& density,
           const std::vector<QRgb>& table) {
  const int height = image.height();
  const int columns = std::min(static_cast<int>(raster.size()) / height, image.width() - x0);
  auto* bits = reinterpret_cast<QRgb*>(image.bits());
  const auto stride = static_cast<std::size_t>(image.bytesPerLine()) / sizeof(QRgb);
  for (int x = 0; x < columns; ++x) {
    const std::int32_t* column =
        raster.data() + static_cast<std::size_t>(x) * static_cast<std::size_t>(height);
    QRgb* target = bits + x0 + x;
    for (int y = 0; y < height; ++y, target += stride) {
      if (column[y] <= 0) continue;
      const QRgb source = table[density(column[y])];
      const int rest = 255 - qAlpha(source);
      const auto over = [rest](int s, int d) { return s + (d * rest + 127) / 255; };
      *target = qRgba(over(qRed(source), qRed(*target)), over(qGreen(source), qGreen(*target)),
                      over(qBlue(source), qBlue(*target)), over(qAlpha(source), qAlpha(*target)));
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

std::vector<QRgb> classTable(const QColor& colour, const ViewStyle& style) {
  const QColor low = mix(style.background, colour, 0.45);
  const QColor high = style.isDark() ? mix(colour, Qt::white, 0.15) : mix(colour, Qt::black, 0.12);
  std::vector<QRgb> table(kTableSize);
  for (int i = 0; i < kTableSize; ++i) {
    QColor c = mix(low, high, i / (kTableSize - 1.0));
    c.setAlpha(130 + 125 * i / (kTableSize - 1));
    table[static_cast<std::size_t>(i)] = qPremultiply(c.rgba());
  }
  return table;
}

const std::vector<std::uint32_t>& noCounts() {
  static const std::vector<std::uint32_t> kNone;
  return kNone;
}

} // namespace

QColor classColour(int number, const ViewStyle& style) {
  return categoryColour(static_cast<std::uint32_t>(number), style.theme);
}

QImage renderDensity(const ParallelModel& model, const ViewStyle& style, double scale) {
  const QRectF plot = model.plotRect();
  const int width = std::max(1, static_cast<int>(std::lround(plot.width() * scale)));
  const int height = std::max(1, static_cast<int>(std::lround(plot.height() * scale)));
  QImage image(width, height, QImage::Format_ARGB32_Premultiplied);
  image.fill(Qt::transparent);
  const bool dimmed = !model.brushes().empty() || model.data().selectedRows < model.data().rows;
  std::vector<int> starts;
  for (int i = 0; i < model.order().size(); ++i) {
    starts.push_back(static_cast<int>(std::lround((model.axisX(i) - plot.left()) * scale)));
  }
  const auto draw = [&](const auto& countsOf, const std::vector<QRgb>& table) {
    std::vector<Raster> rasters;
    for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
      const PairHistogram* pair = model.pair(static_cast<int>(i));
      const auto bands = bandsOf(model, static_cast<int>(i), pair ? countsOf(*pair) : noCounts(), scale);
      rasters.push_back(rasteriseBands(bands, starts[i + 1] - starts[i], height));
    }
    const DensityScale density(ceilingOf(rasters));
    for (std::size_t i = 0; i < rasters.size(); ++i) blend(image, starts[i], rasters[i], density, table);
  };
  const auto& classes = model.data().classes;
  const auto all = [](const PairHistogram& pair) -> const std::vector<std::uint32_t>& { return pair.all; };
  draw(all, dimmed || !classes.empty() ? dimmedTable(style) : sequentialTable(kTableSize, style));
  if (classes.empty()) {
    if (dimmed) draw([](const PairHistogram& pair) -> const std::vector<std::uint32_t>& { return pair.selected; }, accentTable(kTableSize, style));
    return image;
  }
  // The largest class first: smaller ones stay visible on top of it.
  std::vector<std::size_t> order(classes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return classes[a].rows > classes[b].rows; });
  for (const std::size_t c : order)
    draw([&](const PairHistogram& pair) -> const std::vector<std::uint32_t>& {
      const auto at = static_cast<std::size_t>(&pair - model.data().pairs.data());
      return at < classes[c].pairs.size() ? classes[c].pairs[at] : noCounts();
    }, classTable(classColour(static_cast<int>(c), style), style));
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
      const bool missing = found == line.values.end() || !std::isfinite(found->second);
      if (missing && !model.axis(i).hasMissing) {
        open = false;
        continue;
      }
      const QPointF point(model.axisX(i), model.yAt(i, missing ? std::nan("") : found->second));
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
