#include "views/timeline/timeline_painter.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>

#include "views/base/colour_maps.h"
#include "views/base/painting.h"
#include "views/timeline/lane_raster.h"

namespace jitterscope::views::timeline {

namespace {

QColor barColour(const TimelineBar& bar, const ViewStyle& style) {
  const QColor colour = bar.nameId == kNoName ? style.quiet : categoryColour(bar.nameId, style.theme);
  return bar.dimmed ? dimmedColour(colour, style) : colour;
}

// Where one track's content goes: x0 and width stand for the data's window.
struct LanePlace {
  double x0 = 0;
  double width = 0;
  double y = 0;
  double levelHeight = 0;
  double scale = 1; // device pixels per logical pixel of the target, for the resolution of rasters
};

QRectF barRect(const TimelineBar& bar, Interval window, const LanePlace& place) {
  const double perNs = place.width / static_cast<double>(window.length().count);
  const double from = static_cast<double>((bar.begin - window.begin).count) * perNs;
  const double to = static_cast<double>((bar.end - window.begin).count) * perNs;
  const double pixel = 1 / place.scale;
  const double left = place.x0 + std::floor(std::max(from, -8.0) / pixel) * pixel;
  const double right = place.x0 + std::floor(std::min(to, place.width + 8) / pixel) * pixel;
  const double gap = right - left > 3 * pixel ? pixel : 0;
  return {left, place.y + bar.level * place.levelHeight + 1, std::max(right - left - gap, pixel),
          place.levelHeight - 2};
}

void paintTrack(QPainter& painter, const TimelineModel& model, const TimelineTrack& track,
                const TrackContent& content, const LanePlace& place, const ViewStyle& style) {
  const TimelineData& data = model.data();
  const auto columns = static_cast<std::size_t>(std::max(data.columns, 0));
  const int pixels = std::max(1, static_cast<int>(std::lround((place.levelHeight - 2) * place.scale)));
  if (!content.counter.empty()) {
    const QColor colour = categoryColour(track.id, style.theme);
    painter.drawImage(
        QRectF(place.x0, place.y + 1, place.width, place.levelHeight - 2),
        rasteriseCounter(content.counter, pixels, content.counterMinimum, content.counterMaximum, colour));
  }
  for (std::size_t level = 0; columns > 0 && (level + 1) * columns <= content.cells.size(); ++level) {
    const std::span<const TimelineCell> cells(content.cells.data() + level * columns, columns);
    const QRectF target(place.x0, place.y + static_cast<double>(level) * place.levelHeight + 1, place.width,
                        place.levelHeight - 2);
    const int least = static_cast<int>(std::lround(3 * place.scale));
    painter.drawImage(target, rasteriseCells(cells, pixels, least, style));
  }
  for (const TimelineBar& bar : content.bars) {
    if (overlap({bar.begin, {std::max(bar.end.count, bar.begin.count + 1)}}, data.window).count <= 0)
      continue;
    painter.fillRect(barRect(bar, data.window, place), barColour(bar, style));
  }
}

void paintTracks(QPainter& painter, const TimelineModel& model, const ViewStyle& style, QPointF origin,
                 double width, double scale) {
  if (model.data().window.empty()) return;
  for (const TrackRow& row : model.rows()) {
    const TimelineTrack& track = model.tracks()[static_cast<std::size_t>(row.track)];
    const TrackContent* content = model.content(track.id);
    if (content == nullptr) continue;
    paintTrack(painter, model, track, *content,
               {origin.x(), width, origin.y() + row.y + 2, row.levelHeight, scale}, style);
  }
}

void paintRowGrounds(QPainter& painter, const TimelineModel& model, const ViewStyle& style) {
  painter.fillRect(model.lanesRect(), style.background);
  int index = 0;
  for (const TrackRow& row : model.rows()) {
    const QRectF rect = model.rowRect(row);
    const TrackKind kind = model.tracks()[static_cast<std::size_t>(row.track)].kind;
    const bool section = kind == TrackKind::Host || kind == TrackKind::Process || kind == TrackKind::Device;
    if (section) {
      painter.fillRect(rect, style.surface);
    } else if (index++ % 2 == 1) {
      painter.fillRect(rect, style.lane);
    }
    drawHairline(painter, {rect.left(), rect.bottom() - 1}, {rect.right(), rect.bottom() - 1}, style.grid);
  }
}

void paintBarTexts(QPainter& painter, const TimelineModel& model, const TrackRow& row,
                   const TrackContent& content, const ViewStyle& style) {
  const QRectF lane = model.rowRect(row);
  painter.setFont(style.font(FontRole::Small));
  for (const TimelineBar& bar : content.bars) {
    const double left = std::max(model.xAt(bar.begin), lane.left());
    const double right = std::min(model.xAt(bar.end), lane.right());
    if (right - left < 44) continue;
    const QColor ground = barColour(bar, style);
    painter.setPen(qGray(ground.rgb()) > 140 ? QColor(0x14171C) : QColor(0xFFFFFF));
    const QRectF text(left + 4, lane.top() + 2 + bar.level * row.levelHeight, right - left - 8,
                      row.levelHeight);
    drawElided(painter, text, model.name(bar.nameId));
  }
}

void paintSelection(QPainter& painter, const TimelineModel& model, const ViewStyle& style) {
  if (!model.selectedInterval) return;
  const int track = model.trackIndex(model.selectedTrack);
  for (const TrackRow& row : model.rows()) {
    if (row.track != track) continue;
    const TimelineTrack& t = model.tracks()[static_cast<std::size_t>(track)];
    int level = 0;
    if (const TrackContent* content = model.content(t.id); content != nullptr && model.selectedRow) {
      for (const TimelineBar& bar : content->bars) {
        if (bar.row == *model.selectedRow) level = bar.level;
      }
    }
    const QRectF lane = model.rowRect(row);
    const double left = std::max(model.xAt(model.selectedInterval->begin), lane.left() - 4);
    const double right = std::min(model.xAt(model.selectedInterval->end), lane.right() + 4);
    if (right < lane.left() || left > lane.right()) return;
    const QRectF frame(left - 1, lane.top() + 2 + level * row.levelHeight, std::max(right - left, 2.0) + 2,
                       row.levelHeight);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(style.background, 4));
    painter.drawRect(frame);
    painter.setPen(QPen(style.accent, 2));
    painter.drawRect(frame);
  }
}

void paintArrows(QPainter& painter, const TimelineModel& model, const ViewStyle& style) {
  const auto middle = [&](std::uint32_t id) -> double {
    const int track = model.trackIndex(id);
    for (const TrackRow& row : model.rows()) {
      if (row.track == track) return model.rowRect(row).top() + 2 + row.levelHeight / 2;
    }
    return -1e9;
  };
  painter.setRenderHint(QPainter::Antialiasing, true);
  for (const TimelineArrow& arrow : model.arrows) {
    const QPointF from(model.xAt(arrow.from), middle(arrow.fromTrack));
    const QPointF to(model.xAt(arrow.to), middle(arrow.toTrack));
    if (std::min(from.y(), to.y()) < -1e8 || std::max(std::abs(from.x()), std::abs(to.x())) > 1e6) continue;
    QPainterPath path(from);
    const double bend = std::max(12.0, std::abs(to.x() - from.x()) * 0.4);
    path.cubicTo(from + QPointF(bend, 0), to - QPointF(bend, 0), to);
    painter.setPen(QPen(style.accent, 1.4));
    painter.setBrush(Qt::NoBrush);
    painter.drawPath(path);
    painter.setPen(Qt::NoPen);
    painter.setBrush(style.accent);
    painter.drawPolygon(QPolygonF({to, to + QPointF(-7, -3.5), to + QPointF(-7, 3.5)}));
  }
  painter.setRenderHint(QPainter::Antialiasing, false);
}

} // namespace

QImage renderLanes(const TimelineModel& model, const ViewStyle& style, double scale) {
  const int height = std::max(1, static_cast<int>(std::ceil(model.contentHeight() * scale)));
  QImage image(std::max(1, model.data().columns), height, QImage::Format_ARGB32_Premultiplied);
  image.fill(Qt::transparent);
  QPainter painter(&image);
  painter.scale(1, scale);
  // Columns are device pixels across, logical pixels times scale down: bars snap to columns.
  painter.scale(scale, 1);
  paintTracks(painter, model, style, {0, 0}, model.data().columns / scale, scale);
  return image;
}

void paintAnnotations(QPainter& painter, const TimelineModel& model, const ViewStyle& style) {
  painter.save();
  painter.setClipRect(model.lanesRect(), Qt::IntersectClip);
  for (const TrackRow& row : model.rows()) {
    const TrackContent* content = model.content(model.tracks()[static_cast<std::size_t>(row.track)].id);
    if (content != nullptr && row.levelHeight >= 13) paintBarTexts(painter, model, row, *content, style);
  }
  paintArrows(painter, model, style);
  paintSelection(painter, model, style);
  painter.restore();
}

void paintGround(QPainter& painter, const TimelineModel& model, const ViewStyle& style) {
  painter.save();
  painter.setClipRect(model.lanesRect(), Qt::IntersectClip);
  paintRowGrounds(painter, model, style);
  painter.restore();
}

void paint(QPainter& painter, const QRectF& rect, const TimelineModel& source, const ViewStyle& style) {
  TimelineModel model = source;
  model.geometry.headerWidth = std::clamp(rect.width() * 0.2, 90.0, 240.0);
  model.setSize(rect.size());
  model.setScroll(0);
  painter.save();
  painter.translate(rect.topLeft());
  painter.setClipRect(QRectF(QPointF(0, 0), rect.size()), Qt::IntersectClip);
  painter.fillRect(QRectF(QPointF(0, 0), rect.size()), style.background);
  paintGround(painter, model, style);
  const QRectF lanes = model.lanesRect();
  painter.save();
  painter.setClipRect(lanes, Qt::IntersectClip);
  if (!model.data().window.empty()) {
    const double x0 = model.xAt(model.data().window.begin);
    const double x1 = model.xAt(model.data().window.end);
    paintTracks(painter, model, style, {x0, lanes.top()}, x1 - x0, 2);
  }
  painter.restore();
  paintAnnotations(painter, model, style);
  paintFrame(painter, model, style);
  painter.restore();
}

} // namespace jitterscope::views::timeline
