#include "views/timeline/lane_raster.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "views/base/colour_maps.h"

namespace jitterscope::views {

namespace {

struct CellColours {
  QRgb full = 0;
  QRgb dimmed = 0;
  QRgb tint = 0;
  QRgb dot = 0;
  QRgb dimmedTint = 0;
};

class ColourCache {
public:
  ColourCache(const TrackColours& colours, const ViewStyle& style) : source_(colours), style_(style) {}

  const CellColours& of(std::uint32_t nameId, float value) {
    const auto key = source_.key(nameId, value);
    if (known_ && key == last_) return *known_;
    last_ = key;
    const auto found = colours_.find(key);
    known_ = found != colours_.end() ? &found->second : &colours_.emplace(key, made(key)).first->second;
    return *known_;
  }

private:
  CellColours made(std::uint32_t key) const {
    const QColor base = source_.colour(key);
    return {base.rgba(), dimmedColour(base, style_).rgba(), mix(style_.background, base, 0.26).rgba(),
            mix(base, style_.background, 0.3).rgba(),
            mix(style_.background, dimmedColour(base, style_), 0.4).rgba()};
  }

  const TrackColours& source_;
  const ViewStyle& style_;
  std::unordered_map<std::uint32_t, CellColours> colours_;
  const CellColours* known_ = nullptr; ///< colours of the last key: neighbours often share it
  std::uint32_t last_ = 0;
};

/// Writes the pixels of a lane without checking whether the image is shared.
class Pixels {
public:
  explicit Pixels(const LaneTarget& target)
      : bits_(reinterpret_cast<QRgb*>(target.image->bits())), stride_(target.image->bytesPerLine() / 4),
        width_(target.image->width()), top_(target.top), first_(std::max({target.top, target.clipTop, 0})),
        end_(std::min({target.top + target.height, target.clipBottom, target.image->height()})) {}

  void column(int x, int from, int to, QRgb colour) {
    from = std::max(from + top_, first_);
    to = std::min(to + top_, end_);
    QRgb* at = bits_ + from * stride_ + x;
    for (int y = from; y < to; ++y, at += stride_) *at = colour;
  }
  void rectangle(int left, int right, int top, int bottom, QRgb colour) {
    left = std::max(left, 0);
    right = std::min(right, width_);
    if (left >= right) return;
    for (int y = std::max(top + top_, first_); y < std::min(bottom + top_, end_); ++y)
      std::fill(bits_ + y * stride_ + left, bits_ + y * stride_ + right, colour);
  }
  bool nothing() const { return first_ >= end_; }

private:
  QRgb* bits_;
  std::ptrdiff_t stride_;
  int width_, top_, first_, end_;
};

QImage transparent(std::size_t columns, int height) {
  QImage image(static_cast<int>(columns), height, QImage::Format_ARGB32_Premultiplied);
  image.fill(Qt::transparent);
  return image;
}

} // namespace

QImage rasteriseCells(std::span<const TimelineCell> cells, int height, int minimum, const ViewStyle& style) {
  const TrackColours byName{[](std::uint32_t nameId, float) { return nameId; },
                            [&style](std::uint32_t key) {
                              return key == kNoName ? style.quiet : categoryColour(key, style.theme);
                            }};
  return rasteriseCells(cells, height, minimum, byName, style);
}

QImage rasteriseCells(std::span<const TimelineCell> cells, int height, int minimum,
                      const TrackColours& source, const ViewStyle& style) {
  QImage image = transparent(cells.size(), height);
  drawCells({&image, 0, height, 0, height}, cells, minimum, source, style);
  return image;
}

void drawCells(const LaneTarget& target, std::span<const TimelineCell> cells, int minimum,
               const TrackColours& source, const ViewStyle& style) {
  Pixels pixels(target);
  if (pixels.nothing()) return;
  const int height = target.height;
  ColourCache colours(source, style);
  for (int x = 0; x < std::min(static_cast<int>(cells.size()), target.image->width()); ++x) {
    const TimelineCell& cell = cells[static_cast<std::size_t>(x)];
    if (cell.count == 0) continue;
    const CellColours& c = colours.of(cell.nameId, cell.value);
    const double busy = std::clamp(static_cast<double>(cell.busy), 0.0, 1.0);
    const int filled =
        std::clamp(static_cast<int>(std::lround(busy * height)), std::min(minimum, height), height);
    const double share = std::clamp(static_cast<double>(cell.selected), 0.0, 1.0);
    // Selected events stay visible among dimmed ones, however small their share.
    const int chosen = share > 0 ? std::max(1, static_cast<int>(std::lround(share * filled))) : 0;
    pixels.column(x, 0, height - filled, share > 0 ? c.tint : c.dimmedTint);
    pixels.column(x, height - filled, height - chosen, c.dimmed);
    pixels.column(x, height - chosen, height, c.full);
    if (cell.count > 1 && (x / std::max(minimum / 2, 1)) % 2 == 0)
      pixels.column(x, 0, std::max(1, minimum / 2), c.dot);
  }
}

namespace {

/// Sums of the narrow bars in one column of one level. Times in columns.
struct ColumnOfBars {
  std::uint32_t count = 0;
  double time = 0, covered = 0, selected = 0;
  double value = 0, weight = 0; ///< Σ value · weight and Σ weight
  std::vector<std::pair<std::uint32_t, double>> names;

  void add(const TimelineBar& bar, double length, double addsToUnion, bool relativeToMean) {
    constexpr double kInstant = 1e-9; // weight of a bar without length
    const double weighted = std::max(length, kInstant);
    ++count;
    time += weighted;
    covered += addsToUnion;
    if (!bar.dimmed) selected += weighted;
    if (const double v = static_cast<double>(bar.value); !std::isnan(v)) {
      const double of = relativeToMean ? static_cast<double>((bar.end - bar.begin).count) / (1 + v) : 1;
      value += v * of;
      weight += of;
    }
    const auto found =
        std::find_if(names.begin(), names.end(), [&](const auto& each) { return each.first == bar.nameId; });
    if (found == names.end())
      names.emplace_back(bar.nameId, weighted);
    else
      found->second += weighted;
  }
  TimelineCell cell() const {
    const auto best = std::max_element(names.begin(), names.end(), [](const auto& a, const auto& b) {
      return a.second != b.second ? a.second < b.second : a.first > b.first;
    });
    return {count, static_cast<float>(std::min(covered, 1.0)), best->first,
            static_cast<float>(selected / time), weight > 0 ? static_cast<float>(value / weight) : kNoNumber};
  }
  void clear() {
    count = 0;
    time = covered = selected = value = weight = 0;
    names.clear();
  }
};

/// One level. A narrow bar is in the column of its begin and perhaps in the next one.
class LevelOfBars {
public:
  LevelOfBars(std::span<TimelineCell> cells, bool relativeToMean)
      : cells_(cells), wider_(cells.size()), relativeToMean_(relativeToMean) {}

  void addNarrow(const TimelineBar& bar, double from, double to) {
    const int first = static_cast<int>(std::floor(from));
    const double border = first + 1.0;
    if (first > at_) advance(first);
    put(current_, bar, from, std::min(to, border));
    if (to > border) put(next_, bar, border, to);
  }
  void addWider(double from, double to) {
    const auto add = [&](double column, double time) {
      if (column >= 0 && column < static_cast<double>(wider_.size()))
        wider_[static_cast<std::size_t>(column)] += time;
    };
    add(std::floor(from), std::floor(from) + 1 - from);
    add(std::floor(to), to - std::floor(to));
  }
  void finish() {
    advance(at_ + 2);
    for (std::size_t c = 0; c < cells_.size(); ++c)
      if (cells_[c].count > 0)
        cells_[c].busy = std::min(cells_[c].busy + static_cast<float>(wider_[c]), 1.0F);
  }

private:
  void put(ColumnOfBars& column, const TimelineBar& bar, double from, double to) {
    column.add(bar, to - from, std::max(0.0, to - std::max(from, reached_)), relativeToMean_);
    reached_ = std::max(reached_, to);
  }
  void advance(int column) {
    write(at_, current_);
    if (column == at_ + 1) {
      std::swap(current_, next_);
    } else {
      write(at_ + 1, next_);
      current_.clear();
    }
    next_.clear();
    at_ = column;
  }
  void write(int column, const ColumnOfBars& sums) {
    if (sums.count > 0 && column >= 0 && column < static_cast<int>(cells_.size()))
      cells_[static_cast<std::size_t>(column)] = sums.cell();
  }

  std::span<TimelineCell> cells_;
  std::vector<double> wider_; ///< by column: time of the wider bars that begin or end in it
  bool relativeToMean_;
  int at_ = -2;
  double reached_ = -1e18; ///< end of the union of the narrow bars
  ColumnOfBars current_, next_;
};

} // namespace

bool isNarrow(const TimelineBar& bar, const BarScale& scale) {
  return static_cast<double>((bar.end - bar.begin).count) * scale.columnsPerNs() < 1;
}

std::vector<TimelineCell> foldNarrowBars(std::span<const TimelineBar> bars, const BarScale& scale, int levels,
                                         bool relativeToMean) {
  std::vector<TimelineCell> cells;
  const auto narrow = [&](const TimelineBar& bar) { return isNarrow(bar, scale); };
  if (scale.window.empty() || scale.columns < 1 || std::none_of(bars.begin(), bars.end(), narrow))
    return cells;
  const auto columns = static_cast<std::size_t>(scale.columns), count = static_cast<std::size_t>(levels);
  cells.resize(count * columns);
  std::vector<LevelOfBars> of;
  for (std::size_t level = 0; level < count; ++level)
    of.emplace_back(std::span(cells).subspan(level * columns, columns), relativeToMean);
  const double perNs = scale.columnsPerNs();
  for (const TimelineBar& bar : bars) {
    const double from = static_cast<double>((bar.begin - scale.window.begin).count) * perNs;
    const double to = static_cast<double>((bar.end - scale.window.begin).count) * perNs;
    if (bar.level < 0 || bar.level >= levels || to < 0 || from >= scale.columns) continue;
    auto& level = of[static_cast<std::size_t>(bar.level)];
    if (narrow(bar))
      level.addNarrow(bar, std::max(from, -1.0), to);
    else
      level.addWider(from, to);
  }
  for (auto& level : of) level.finish();
  return cells;
}

void drawBars(const LaneTarget& target, std::span<const TimelineBar> bars, const BarPlaces& places,
              const TrackColours& source, const ViewStyle& style) {
  Pixels pixels(target);
  if (pixels.nothing()) return;
  ColourCache colours(source, style);
  const double perNs = places.across.columnsPerNs();
  const double maximum = places.across.columns + 8;
  const Interval window = places.across.window;
  for (const TimelineBar& bar : bars) {
    if (bar.end < window.begin || bar.begin > window.end || isNarrow(bar, places.across)) continue;
    const CellColours& c = colours.of(bar.nameId, bar.value);
    const double from = std::max(static_cast<double>((bar.begin - window.begin).count) * perNs, -8.0);
    const double to = std::min(static_cast<double>((bar.end - window.begin).count) * perNs, maximum);
    const int left = static_cast<int>(std::floor(from)), right = static_cast<int>(std::floor(to));
    const int end = std::max(right - left > 3 ? right - 1 : right, left + 1);
    const double top = bar.level * places.levelHeight;
    pixels.rectangle(left, end, static_cast<int>(std::lround(top + places.scale)),
                     std::max(static_cast<int>(std::lround(top + places.levelHeight - places.scale)),
                              static_cast<int>(std::lround(top + places.scale)) + 1),
                     bar.dimmed ? c.dimmed : c.full);
  }
}

QImage rasteriseCounter(std::span<const CounterColumn> columns, int height, double low, double high,
                        const QColor& colour) {
  QImage image = transparent(columns.size(), height);
  drawCounter({&image, 0, height, 0, height}, columns, low, high, colour);
  return image;
}

void drawCounter(const LaneTarget& target, std::span<const CounterColumn> columns, double low, double high,
                 const QColor& colour) {
  const int height = target.height;
  if (!(high > low)) high = low + 1;
  const auto yAt = [&](double value) {
    const double t = std::clamp((value - low) / (high - low), 0.0, 1.0);
    return static_cast<int>(std::lround((1 - t) * (height - 1)));
  };
  Pixels pixels(target);
  QColor area = colour;
  area.setAlpha(38);
  QColor band = colour;
  band.setAlpha(105);
  int previous = -1;
  for (int x = 0; x < std::min(static_cast<int>(columns.size()), target.image->width()); ++x) {
    const CounterColumn& c = columns[static_cast<std::size_t>(x)];
    if (!c.present) {
      previous = -1;
      continue;
    }
    const int y = yAt(c.mean);
    pixels.column(x, y, height, qPremultiply(area.rgba()));
    pixels.column(x, yAt(c.maximum), yAt(c.minimum) + 1, qPremultiply(band.rgba()));
    const int from = previous < 0 ? y : std::min(previous, y);
    const int to = previous < 0 ? y : std::max(previous, y);
    pixels.column(x, from, to + 1, colour.rgba());
    previous = y;
  }
}

} // namespace jitterscope::views
