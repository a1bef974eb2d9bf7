#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <numeric>

#include "core/base/parallel.h"
#include "views/base/colour_maps.h"
#include "views/base/painting.h"
#include "views/parallel/band_raster.h"
#include "views/parallel/parallel_painter.h"

namespace jitterscope::views::parallel {

namespace {

constexpr int kTableSize = 1024;

using Raster = std::vector<std::int32_t>; // column-major, see rasteriseBands
using CountsOf = std::function<const std::vector<std::uint32_t>&(const PairHistogram&)>;

// Both ends of every bin, from the top of the plot.
std::vector<std::pair<double, double>> binSpans(const ParallelModel& model, int position, int bins,
                                                double scale) {
  std::vector<std::pair<double, double>> spans;
  const double top = model.plotRect().top();
  for (int bin = 0; bin < bins; ++bin) {
    const auto [begin, end] = model.binSpan(position, bin);
    spans.emplace_back((begin - top) * scale, (end - top) * scale);
  }
  return spans;
}

// Few rows do not fill the extent of their category: its bands are at most this high for each row.
void narrowCategories(std::vector<std::pair<double, double>>& spans, const ParallelAxis& axis,
                      const std::vector<std::uint64_t>& rows, double scale) {
  constexpr double kPixelsOfRow = 3;
  for (std::size_t bin = 0; bin < spans.size() && bin < static_cast<std::size_t>(axis.categories.size());
       ++bin) {
    auto& [begin, end] = spans[bin];
    const double middle = (begin + end) / 2, half = (end - begin) / 2,
                 most = kPixelsOfRow / 2 * scale * static_cast<double>(rows[bin]);
    if (std::abs(half) > most)
      begin = middle - std::copysign(most, half), end = middle + std::copysign(most, half);
  }
}

// The bands between two adjacent axes, from the counts of the pair.
std::vector<Band> bandsOf(const ParallelModel& model, int left, const std::vector<std::uint32_t>& counts,
                          double scale) {
  std::vector<Band> bands;
  const PairHistogram* pair = model.pair(left);
  if (pair == nullptr) return bands;
  const auto rightBins = static_cast<std::size_t>(pair->rightBins);
  if (counts.size() != static_cast<std::size_t>(pair->leftBins) * rightBins) return bands;
  const bool turned = pair->left != model.order()[left];
  auto own = binSpans(model, turned ? left + 1 : left, pair->leftBins, scale);
  auto other = binSpans(model, turned ? left : left + 1, pair->rightBins, scale);
  std::vector<std::uint64_t> ofOwn(own.size()), ofOther(other.size());
  for (std::size_t l = 0; l < own.size(); ++l)
    for (std::size_t r = 0; r < other.size(); ++r)
      ofOwn[l] += counts[l * rightBins + r], ofOther[r] += counts[l * rightBins + r];
  narrowCategories(own, model.axis(turned ? left + 1 : left), ofOwn, scale);
  narrowCategories(other, model.axis(turned ? left : left + 1), ofOther, scale);
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

/// Row counts quantised in steps of at most 1/64 of their value, which is precise enough for density lookups
/// and sorting.
class DensitySteps {
public:
  static std::size_t of(std::int32_t rows) {
    const auto n = static_cast<std::uint32_t>(rows);
    if (n < 128) return n;
    const int shift = std::bit_width(n) - 7;
    return static_cast<std::size_t>(shift) * 64 + (n >> shift);
  }
  static std::int32_t minimum(std::size_t step) {
    if (step < 128) return static_cast<std::int32_t>(step);
    const auto shift = step / 64 - 1;
    return static_cast<std::int32_t>((step - shift * 64) << shift);
  }
  static constexpr std::size_t kCount = 26 * 64;
};

using Pixels = std::vector<std::size_t>; // number of pixels by density step

Pixels litPixels(const Raster& raster) {
  Pixels pixels(DensitySteps::kCount, 0);
  for (const std::int32_t rows : raster)
    if (rows > 0) ++pixels[DensitySteps::of(rows)];
  return pixels;
}

// Upper end of the colour table: 99.8 % of the non-empty pixels have lower densities, so that a few dense
// pixels do not make the rest pale. It is the same for all gaps, so that a colour means the same number of
// rows everywhere.
std::int32_t ceilingOf(const std::vector<Pixels>& gaps) {
  Pixels pixels(DensitySteps::kCount, 0);
  for (const Pixels& gap : gaps)
    for (std::size_t step = 0; step < gap.size(); ++step) pixels[step] += gap[step];
  const std::size_t lit = std::accumulate(pixels.begin(), pixels.end(), std::size_t{0});
  if (lit == 0) return 1;
  std::size_t below = 0, step = 0;
  const auto requested = static_cast<std::size_t>(static_cast<double>(lit - 1) * 0.998);
  while ((below += pixels[step]) <= requested) ++step;
  return std::max(1, DensitySteps::minimum(step));
}

// Index in the colour table by density step, rising with the logarithm of the rows: a pixel of one row is
// visible; pixels of `ceiling` or more rows have the last colour.
std::vector<std::uint16_t> densityScale(std::int32_t ceiling) {
  std::vector<std::uint16_t> entries(DensitySteps::kCount);
  for (std::size_t step = 0; step < entries.size(); ++step) {
    const double rows = DensitySteps::minimum(step);
    const double t = std::pow(std::min(1.0, std::log1p(rows) / std::log1p(ceiling)), 1.7);
    entries[step] = static_cast<std::uint16_t>(std::max(1.0, t * (kTableSize - 1)));
  }
  return entries;
}

// Processes a square of the raster at a time, because it is column-major and the image is row-major.
void blend(QImage& image, int x0, const Raster& raster, const std::vector<std::uint16_t>& density,
           const std::vector<QRgb>& table) {
  constexpr int kSide = 32;
  const int height = image.height();
  const int columns = std::min(static_cast<int>(raster.size()) / height, image.width() - x0);
  auto* bits = reinterpret_cast<QRgb*>(image.bits());
  const auto stride = static_cast<std::size_t>(image.bytesPerLine()) / sizeof(QRgb);
  const auto square = [&](int left, int top) {
    for (int x = left; x < std::min(left + kSide, columns); ++x) {
      const std::int32_t* column =
          raster.data() + static_cast<std::size_t>(x) * static_cast<std::size_t>(height);
      for (int y = top; y < std::min(top + kSide, height); ++y) {
        if (column[y] <= 0) continue;
        QRgb& target = bits[static_cast<std::size_t>(y) * stride + static_cast<std::size_t>(x0 + x)];
        const QRgb source = table[density[DensitySteps::of(column[y])]];
        const int rest = 255 - qAlpha(source);
        const auto over = [rest](int s, int d) { return s + (d * rest + 127) / 255; };
        target = qRgba(over(qRed(source), qRed(target)), over(qGreen(source), qGreen(target)),
                       over(qBlue(source), qBlue(target)), over(qAlpha(source), qAlpha(target)));
      }
    }
  };
  for (int left = 0; left < columns; left += kSide)
    for (int top = 0; top < height; top += kSide) square(left, top);
}

std::vector<QRgb> dimmedTable(const ViewStyle& style) {
  const QColor low = mix(style.background, style.quiet, 0.30);
  const QColor high = mix(style.background, style.quiet, 0.85);
  std::vector<QRgb> table(kTableSize);
  for (int i = 0; i < kTableSize; ++i)
    table[static_cast<std::size_t>(i)] = mix(low, high, i / (kTableSize - 1.0)).rgba();
  return table;
}

std::vector<QRgb> classTable(int number, const ViewStyle& style) {
  const auto [low, high] = classTones(number, style);
  std::vector<QRgb> table(kTableSize);
  for (int i = 0; i < kTableSize; ++i) {
    QColor c = mix(low, high, i / (kTableSize - 1.0));
    c.setAlpha(225 + 30 * i / (kTableSize - 1));
    table[static_cast<std::size_t>(i)] = qPremultiply(c.rgba());
  }
  return table;
}

const std::vector<std::uint32_t>& noCounts() {
  static const std::vector<std::uint32_t> kNone;
  return kNone;
}

/// Rasters one density layer over all gaps.
class LayerRaster {
public:
  LayerRaster(const ParallelModel& model, double scale, int width, int height)
      : model_(model), scale_(scale), width_(width), height_(height) {
    for (int i = 0; i < model.order().size(); ++i)
      starts_.push_back(static_cast<int>(std::lround((model.axisX(i) - model.plotRect().left()) * scale)));
  }

  /// The upper end of the table represents `ceiling` rows; 0: as many as this layer needs. Returns that
  /// number.
  std::int32_t draw(QImage& image, const CountsOf& countsOf, const std::vector<QRgb>& table,
                    std::int32_t ceiling = 0) const {
    if (starts_.size() < 2) return ceiling;
    std::vector<Raster> rasters(starts_.size() - 1);
    std::vector<Pixels> lit(rasters.size());
    parallel_for(rasters.size(), worker_threads(), [&](std::size_t i) {
      const PairHistogram* pair = model_.pair(static_cast<int>(i));
      const auto bands = bandsOf(model_, static_cast<int>(i), pair ? countsOf(*pair) : noCounts(), scale_);
      rasters[i] = rasteriseBands(bands, starts_[i + 1] - starts_[i], height_);
      if (ceiling == 0) lit[i] = litPixels(rasters[i]);
    });
    if (ceiling == 0) ceiling = ceilingOf(lit);
    const auto density = densityScale(ceiling);
    for (std::size_t i = 0; i < rasters.size(); ++i) blend(image, starts_[i], rasters[i], density, table);
    return ceiling;
  }

private:
  const ParallelModel& model_;
  double scale_;
  int width_, height_;
  std::vector<int> starts_;
};

} // namespace

bool DensityGround::shows(const ParallelModel& model, bool dimmed, double scale, Theme theme) const {
  if (image.isNull() || dimmed_ != dimmed || scale_ != scale || theme_ != theme ||
      plot_ != model.plotRect() || order_ != model.order() || model.data().pairs.size() != pairs_.size())
    return false;
  for (int i = 0; i < order_.size(); ++i)
    if (inverted_[static_cast<std::size_t>(i)] != model.inverted(order_[i]) ||
        missing_[static_cast<std::size_t>(i)] != model.axis(i).hasMissing)
      return false;
  for (std::size_t p = 0; p < pairs_.size(); ++p)
    if (model.data().pairs[p].left != left_[p] || model.data().pairs[p].all != pairs_[p]) return false;
  return true;
}

void DensityGround::keep(QImage made, const ParallelModel& model, bool dimmed, double scale, Theme theme) {
  image = std::move(made);
  dimmed_ = dimmed, scale_ = scale, theme_ = theme, plot_ = model.plotRect(), order_ = model.order();
  inverted_.clear(), missing_.clear(), pairs_.clear(), left_.clear();
  for (int i = 0; i < order_.size(); ++i) {
    inverted_.push_back(model.inverted(order_[i]));
    missing_.push_back(model.axis(i).hasMissing);
  }
  for (const auto& pair : model.data().pairs) {
    left_.push_back(pair.left);
    pairs_.push_back(pair.all);
  }
}

QImage renderDensity(const ParallelModel& model, const ViewStyle& style, double scale,
                     DensityGround* ground) {
  const QRectF plot = model.plotRect();
  const int width = std::max(1, static_cast<int>(std::lround(plot.width() * scale)));
  const int height = std::max(1, static_cast<int>(std::lround(plot.height() * scale)));
  const auto& classes = model.data().classes;
  const bool selects = model.selects();
  const bool dimmed = selects || !classes.empty();
  const LayerRaster raster(model, scale, width, height);
  QImage image;
  if (ground && ground->shows(model, dimmed, scale, style.theme)) {
    image = ground->image;
  } else {
    image = QImage(width, height, QImage::Format_ARGB32_Premultiplied);
    image.fill(Qt::transparent);
    const auto all = [](const PairHistogram& pair) -> const std::vector<std::uint32_t>& { return pair.all; };
    raster.draw(image, all, dimmed ? dimmedTable(style) : sequentialTable(kTableSize, style));
    if (ground) ground->keep(image, model, dimmed, scale, style.theme);
  }
  if (classes.empty()) {
    const auto selected = [](const PairHistogram& pair) -> const std::vector<std::uint32_t>& {
      return pair.selected;
    };
    if (selects) raster.draw(image, selected, accentTable(kTableSize, style));
    return image;
  }
  // The largest class first: smaller ones stay visible on top, and their tones use the same ceiling of rows
  // as the largest.
  std::vector<std::size_t> order(classes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return classes[a].rows > classes[b].rows; });
  std::int32_t ceiling = 0;
  for (const std::size_t c : order) {
    const auto own = [&](const PairHistogram& pair) -> const std::vector<std::uint32_t>& {
      const auto at = static_cast<std::size_t>(&pair - model.data().pairs.data());
      return at < classes[c].pairs.size() ? classes[c].pairs[at] : noCounts();
    };
    ceiling = raster.draw(image, own, classTable(classes[c].colour, style), ceiling);
  }
  return image;
}

} // namespace jitterscope::views::parallel
