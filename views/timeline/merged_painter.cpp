#include <QPainter>
#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "views/base/colour_maps.h"
#include "views/base/painting.h"
#include "views/base/text.h"
#include "views/base/text_cache.h"
#include "views/timeline/timeline_colours.h"
#include "views/timeline/timeline_painter.h"
#include "views/timeline/timeline_parts.h"

namespace jitterscope::views::timeline {

namespace {

/// Pixels of one row of tracks. Colours are made once for each key of the track's colours.
class PixelColours {
public:
  PixelColours(const TimelineModel& model, const MergedCells& cells, const ViewStyle& style)
      : model_(model), cells_(cells), style_(style), shaded_(cells.query.merging != Merging::Dominant) {}

  void useTrack(std::uint32_t id) {
    const int track = model_.trackIndex(id);
    if (track < 0) return;
    const TimelineTrack& of = model_.tracks()[static_cast<std::size_t>(track)];
    counter_ = of.kind == TrackKind::Counter || of.kind == TrackKind::Active;
    if (kind_ == of.kind && model_.colour.by != ColourBy::Stream) return;
    kind_ = of.kind;
    colours_ = coloursOf(model_, of, cells_.query.value, style_);
    known_.clear();
  }

  QRgb of(std::size_t cell) {
    const double share = cells_.shares[cell] / 255.0;
    if (counter_) return qPremultiply(mix(style_.background, style_.focus, 0.12 + 0.88 * share).rgba());
    const float value = cell < cells_.values.size() ? cells_.values[cell] : kNoNumber;
    const bool dimmed = cell < cells_.selected.size() && cells_.selected[cell] < 128;
    const std::uint32_t key = colours_->key(cells_.names[cell], value);
    const QColor colour = colourOf(key, dimmed);
    return (shaded_ ? mix(style_.background, colour, 0.12 + 0.88 * share) : colour).rgba();
  }

private:
  QColor colourOf(std::uint32_t key, bool dimmed) {
    const auto [known, added] = known_.try_emplace(std::uint64_t{key} * 2 + dimmed);
    if (added) {
      const QColor colour = colours_->colour(key);
      known->second = dimmed ? dimmedColour(colour, style_) : colour;
    }
    return known->second;
  }

  const TimelineModel& model_;
  const MergedCells& cells_;
  const ViewStyle& style_;
  bool shaded_, counter_ = false;
  std::optional<TrackKind> kind_;
  std::optional<TrackColours> colours_;
  std::unordered_map<std::uint64_t, QColor> known_;
};

std::size_t rowsOf(const MergedQuery& query) {
  std::size_t rows = 0;
  for (const MergedBlock& block : query.blocks) rows += block.rows.size();
  return rows;
}

} // namespace

QImage renderMerged(const TimelineModel& model, const MergedCells& cells, const ViewStyle& style) {
  const MergedQuery& query = cells.query;
  const auto columns = static_cast<std::size_t>(std::max(query.columns, 0)), rows = rowsOf(query);
  if (rows == 0 || columns == 0 || cells.shares.size() < rows * columns ||
      cells.names.size() < rows * columns)
    return {};
  QImage image(static_cast<int>(columns), static_cast<int>(rows), QImage::Format_ARGB32_Premultiplied);
  image.fill(Qt::transparent);
  PixelColours colours(model, cells, style);
  int y = 0;
  for (const MergedBlock& block : query.blocks)
    for (const auto& tracks : block.rows) {
      auto* line = reinterpret_cast<QRgb*>(image.scanLine(y));
      const auto first = static_cast<std::size_t>(y++) * columns;
      if (tracks.empty()) continue;
      colours.useTrack(tracks.front());
      QRgb last = 0; // neighbouring pixels are mostly equal
      std::size_t alike = first;
      for (std::size_t c = 0; c < columns; ++c) {
        const auto cell = first + c;
        if (cells.shares[cell] == 0) continue;
        const bool same = c > 0 && cells.shares[cell] == cells.shares[alike] &&
                          cells.names[cell] == cells.names[alike] && cells.values.empty() &&
                          cells.selected.empty() && last != 0;
        if (!same) last = colours.of(cell);
        alike = cell;
        line[c] = last;
      }
    }
  return image;
}

void paintMerged(QPainter& painter, const TimelineModel& model, const MergedCells& cells, const QImage& image,
                 const ViewStyle& style) {
  static_cast<void>(style);
  const MergedQuery& query = cells.query;
  if (image.isNull() || query.generation != model.layout().generation() || query.window.empty()) return;
  const Interval window = model.viewport.window();
  const Nanoseconds common = overlap(window, query.window);
  if (common.count <= 0) return;
  const Nanoseconds begin = std::max(window.begin, query.window.begin);
  const double perNs = image.width() / static_cast<double>(query.window.length().count);
  const double from = static_cast<double>((begin - query.window.begin).count) * perNs;
  const double left = model.xAt(begin), right = model.xAt(begin + common);
  const QRectF scrolled = model.scrolledRect(), lanes = model.lanesRect();
  double y = 0;
  for (const MergedBlock& block : query.blocks) {
    const QRectF area = block.pinned ? QRectF(lanes.topLeft(), scrolled.topRight()) : scrolled;
    const double scale = block.pinned ? 1 : model.layout().scale();
    painter.save();
    painter.setClipRect(area, Qt::IntersectClip);
    const auto rows = static_cast<double>(block.rows.size());
    const double top = area.top() + block.top * scale - (block.pinned ? 0 : model.scroll()),
                 high = (block.bottom - block.top) * scale;
    // Draws only the visible part: a picture stretched far beyond the view would be slow.
    const double first = std::clamp((area.top() - top) / high, 0.0, 1.0),
                 last = std::clamp((area.bottom() - top) / high, 0.0, 1.0);
    if (last > first)
      painter.drawImage(
          QRectF(left, top + first * high, right - left, (last - first) * high), image,
          QRectF(from, y + first * rows, static_cast<double>(common.count) * perNs, (last - first) * rows));
    y += rows;
    painter.restore();
  }
}

void paintMap(QPainter& painter, const TimelineModel& model, const QImage& image, const ViewStyle& style) {
  const QRectF map = model.mapRect();
  if (map.width() <= 0) return;
  painter.save();
  painter.setClipRect(map, Qt::IntersectClip);
  painter.fillRect(map, style.background);
  if (!image.isNull() && model.map().query.generation == model.layout().generation())
    painter.drawImage(map, image, QRectF(QPointF(0, 0), QSizeF(image.size())));
  const QRectF frame = model.mapFrame();
  QColor veil = style.background;
  veil.setAlpha(style.isDark() ? 130 : 150);
  painter.fillRect(QRectF(map.left(), map.top(), map.width(), frame.top() - map.top()), veil);
  painter.fillRect(QRectF(map.left(), frame.bottom(), map.width(), map.bottom() - frame.bottom()), veil);
  painter.setPen(QPen(style.focus, 1.5));
  painter.drawRect(frame.adjusted(1.5, 0.75, -1, -0.75));
  drawHairline(painter, map.topLeft(), map.bottomLeft(), style.border);
  painter.restore();
}

// Names of the tracks where rows are too low for one name each.
void paintMergedHeaders(QPainter& painter, const TimelineModel& model, const ViewStyle& style) {
  constexpr double kLine = 16, kApart = 26;
  const QRectF area = model.scrolledRect();
  const auto rows = model.visibleRows();
  double next = area.top();
  for (const TrackRow* row : rows) {
    if (row->pinned) continue;
    const QRectF lane = model.rowRect(*row);
    const double y = std::max(lane.top(), area.top());
    if (y < next || y + kLine > area.bottom()) continue;
    const TimelineTrack* track = &model.tracks()[static_cast<std::size_t>(row->track)];
    const TimelineTrack* parent =
        track->parent < 0 ? nullptr : &model.tracks()[static_cast<std::size_t>(track->parent)];
    const bool section = track->kind == TrackKind::Host || track->kind == TrackKind::Process ||
                         track->kind == TrackKind::Device;
    drawHairline(painter, {model.geometry.headerWidth - 6, lane.top()},
                 {model.geometry.headerWidth, lane.top()}, style.mutedText);
    painter.setFont(style.font(FontRole::Small));
    painter.setPen(section ? style.text : style.mutedText);
    const QString label =
        section || parent == nullptr ? track->label : parent->label + QStringLiteral(" · ") + track->label;
    drawName(painter, QRectF(10, y, model.geometry.headerWidth - 20, kLine), label);
    next = y + kApart;
  }
}

QString mergedMeaning(const TimelineModel& model) {
  if (!model.merges()) return {};
  std::size_t maximum = 1;
  for (const MergedBlock& block : model.merged().query.blocks)
    for (const auto& row : block.rows) maximum = std::max(maximum, row.size());
  const auto tracks = [maximum](const QString& meaning) {
    return maximum > 1 ? Text::tr("a row of pixels represents up to %1 tracks: %2").arg(maximum).arg(meaning)
                       : Text::tr("tracks: %1").arg(meaning);
  };
  switch (model.heights().merging) {
  case Merging::Dominant:
    return tracks(Text::tr("dominant name"));
  case Merging::Mean:
    return tracks(Text::tr("shade is the mean covered share"));
  case Merging::Maximum:
    return tracks(Text::tr("maximum of the tracks"));
  }
  return {};
}

} // namespace jitterscope::views::timeline
