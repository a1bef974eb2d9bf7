#include "views/timeline/timeline_painter.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>
#include <optional>

#include "views/base/colour_maps.h"
#include "views/base/painting.h"
#include "views/base/text_cache.h"
#include "views/timeline/lane_names.h"
#include "views/timeline/lane_raster.h"
#include "views/timeline/timeline_colours.h"
#include "views/timeline/timeline_parts.h"

namespace jitterscope::views::timeline {

namespace {

// Position of one strip of content: x0 and width correspond to the data's window.
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
          std::max(place.levelHeight - 2, pixel)};
}

// Metrics have shades of their own: colours of categories mean kernels.
QColor counterColour(const TimelineTrack& track, const ViewStyle& style) {
  if (track.kind == TrackKind::Active) return style.focus;
  if (!track.metric) return categoryColour(track.id, style.theme);
  constexpr int kShades = 4;
  return mix(style.focus, style.mutedText, 0.25 * static_cast<double>(*track.metric % kShades));
}

BarScale barScale(const TimelineModel& model) {
  return {model.data().window, std::max(1, model.data().columns)};
}

// Calls use(cells, level) for the levels of a strip's folded columns: its cells, or else its narrow bars.
template <class Use>
void eachFolded(const TimelineModel& model, const TrackContent& content, int levels, Use&& use) {
  const auto narrow =
      foldNarrowBars(content.bars, barScale(model), levels, model.colour.by == ColourBy::RelativeToMean);
  const std::span<const TimelineCell> cells = content.bars.empty() ? content.cells : narrow;
  const auto columns = static_cast<std::size_t>(std::max(model.data().columns, 0));
  for (std::size_t level = 0;
       columns > 0 && level < static_cast<std::size_t>(levels) && (level + 1) * columns <= cells.size();
       ++level)
    use(cells.subspan(level * columns, columns), level);
}

void paintBars(QPainter& painter, const TimelineModel& model, const TrackContent& content,
               const LanePlace& place, int levels, const TrackColours& colours, const ViewStyle& style) {
  const Interval window = model.data().window;
  const BarScale scale = barScale(model);
  for (const TimelineBar& bar : content.bars) {
    if (bar.level >= levels || isNarrow(bar, scale) ||
        overlap({bar.begin, {std::max(bar.end.count, bar.begin.count + 1)}}, window).count <= 0)
      continue;
    const QColor colour = colours.of(bar.nameId, bar.value);
    painter.fillRect(barRect(bar, window, place), bar.dimmed ? dimmedColour(colour, style) : colour);
  }
}

int minPixels(int pixels, double scale) {
  return std::clamp(static_cast<int>(std::lround(3 * scale)), 1, std::max(1, pixels / 2));
}

// `levels`: number of levels painted; one if the strip is part of a folded group.
void paintStrip(QPainter& painter, const TimelineModel& model, const TimelineTrack& track,
                const TrackContent& content, int levels, const LanePlace& place, const ViewStyle& style) {
  const int pixels = std::max(1, static_cast<int>(std::lround((place.levelHeight - 2) * place.scale)));
  const double height = pixels / place.scale;
  // Aligned to whole pixels: otherwise a one-pixel line may be lost in the picture.
  const auto top = [&](double y) { return std::round(y * place.scale) / place.scale; };
  if (!content.counter.empty())
    painter.drawImage(QRectF(place.x0, top(place.y + 1), place.width, height),
                      rasteriseCounter(content.counter, pixels, content.counterMinimum,
                                       content.counterMaximum, counterColour(track, style)));
  if (content.cells.empty() && content.bars.empty()) return;
  const TrackColours colours = coloursOf(model, track, model.data().value, style);
  eachFolded(model, content, levels, [&](std::span<const TimelineCell> cells, std::size_t level) {
    const QRectF target(place.x0, top(place.y + static_cast<double>(level) * place.levelHeight + 1),
                        place.width, height);
    painter.drawImage(target, rasteriseCells(cells, pixels, minPixels(pixels, place.scale), colours, style));
  });
  if (!content.bars.empty()) paintBars(painter, model, content, place, levels, colours, style);
}

// Calls use(track, content, levels, top) for each strip of a row; top is in the coordinates of rowRect().
template <class Use>
void eachStrip(const TimelineModel& model, const TrackRow& row, Use&& use) {
  const bool group = row.strips.size() != 1 || model.trackIndex(row.strips.front()) != row.track;
  double top = model.rowRect(row).top() + row.inset;
  for (const auto id : row.strips) {
    const TimelineTrack& track = model.tracks()[static_cast<std::size_t>(model.trackIndex(id))];
    if (const TrackContent* content = model.content(id))
      use(track, *content, group ? 1 : std::max(track.levels, 1), top);
    top += row.levelHeight;
  }
}

// Paints all visible rows; `lanes` is the target of model.lanesRect(), x0 and width those of the window.
void paintTracks(QPainter& painter, const TimelineModel& model, const ViewStyle& style,
                 const LanePlace& window, QPointF lanes) {
  if (model.data().window.empty()) return;
  const QPointF moved = lanes - model.lanesRect().topLeft();
  for (const TrackRow* each : model.drawnRows()) {
    const TrackRow& row = *each;
    const QRectF area = model.areaOf(row).translated(moved);
    painter.save();
    painter.setClipRect(QRectF(window.x0 - 10, area.top(), window.width + 20, area.height()),
                        Qt::IntersectClip);
    LanePlace place = window;
    place.levelHeight = row.levelHeight;
    eachStrip(model, row,
              [&](const TimelineTrack& track, const TrackContent& content, int levels, double top) {
                place.y = top + moved.y();
                paintStrip(painter, model, track, content, levels, place, style);
              });
    painter.restore();
  }
}

// Draws the same strip as paintStrip(), directly into the pixels; `target` limits the row's visible part.
void drawStrip(LaneTarget target, const TimelineModel& model, const TimelineTrack& track,
               const TrackContent& content, int levels, double y, double levelHeight, double scale,
               const ViewStyle& style) {
  const int pixels = std::max(1, static_cast<int>(std::lround((levelHeight - 2) * scale)));
  target.height = pixels;
  target.top = qRound((y + 1) * scale);
  if (!content.counter.empty())
    drawCounter(target, content.counter, content.counterMinimum, content.counterMaximum,
                counterColour(track, style));
  if (content.cells.empty() && content.bars.empty()) return;
  const TrackColours colours = coloursOf(model, track, model.data().value, style);
  eachFolded(model, content, levels, [&](std::span<const TimelineCell> cells, std::size_t level) {
    target.top = qRound((y + static_cast<double>(level) * levelHeight + 1) * scale);
    drawCells(target, cells, minPixels(pixels, scale), colours, style);
  });
  if (content.bars.empty()) return;
  target.top = qRound(y * scale);
  target.height = std::max(1, static_cast<int>(std::ceil(levels * levelHeight * scale)));
  drawBars(target, content.bars, {barScale(model), levelHeight * scale, scale}, colours, style);
}

void paintRowGrounds(QPainter& painter, const TimelineModel& model, const ViewStyle& style) {
  painter.fillRect(model.lanesRect(), style.background);
  for (const TrackRow* each : model.drawnRows()) {
    const TrackRow& row = *each;
    painter.setClipRect(model.areaOf(row));
    const QRectF rect = model.rowRect(row);
    const TrackKind kind = model.tracks()[static_cast<std::size_t>(row.track)].kind;
    const bool section = kind == TrackKind::Host || kind == TrackKind::Process || kind == TrackKind::Device;
    if (section) {
      painter.fillRect(rect, style.surface);
    } else if ((each - model.rows().data()) % 2 == 1) {
      painter.fillRect(rect, style.lane);
    }
    drawHairline(painter, {rect.left(), rect.bottom() - 1}, {rect.right(), rect.bottom() - 1}, style.grid);
  }
  painter.setClipRect(model.lanesRect());
  if (const double end = model.scrolledRect().top(); end > model.lanesRect().top())
    painter.fillRect(QRectF(model.lanesRect().left(), end - 2, model.lanesRect().width(), 2), style.border);
}

// Paints names over single events and over folded columns dominated by one name.
void paintNames(QPainter& painter, const TimelineModel& model, const TrackRow& row,
                const TimelineTrack& track, const TrackContent& content, double top, int levels,
                const ViewStyle& style) {
  constexpr double kMinWidth = 44, kMargin = 4;
  const QRectF lane = model.rowRect(row);
  const TimelineData& data = model.data();
  const auto spans =
      nameSpans(content, data.window, data.columns, levels, model.timeAtX(kMinWidth) - model.timeAtX(0));
  const LaneNames names(model, spans);
  const TrackColours colours = coloursOf(model, track, model.data().value, style);
  painter.setFont(style.font(FontRole::Small));
  for (const NameSpan& span : spans) {
    const double left = std::max(model.xAt(span.begin), lane.left()) + kMargin;
    const double right = std::min(model.xAt(span.end), lane.right()) - kMargin;
    if (right - left < kMinWidth - 2 * kMargin) continue;
    const QColor full = colours.of(span.nameId, span.value);
    const QColor bar = span.dimmed ? dimmedColour(full, style) : full;
    painter.setPen(textOn(span.busy > 0.5 ? bar : mix(style.background, bar, 0.26)));
    drawElided(painter, {left, top + span.level * row.levelHeight, right - left, row.levelHeight},
               track.kind == TrackKind::Idle ? formatDuration(span.end - span.begin)
                                             : names.text(span.nameId, painter.font(), right - left));
  }
}

void paintTexts(QPainter& painter, const TimelineModel& model, const TrackRow& row, const ViewStyle& style) {
  if (row.levelHeight < (row.strips.size() == 1 ? 12 : 13)) return;
  eachStrip(model, row, [&](const TimelineTrack& track, const TrackContent& content, int levels, double top) {
    if (!content.bars.empty() || (!content.cells.empty() && track.kind != TrackKind::Idle))
      paintNames(painter, model, row, track, content, top, levels, style);
  });
}

// Outlines the selected bar in the rows of its track; not at all if the track is in a folded group.
void paintSelection(QPainter& painter, const TimelineModel& model, const ViewStyle& style) {
  if (!model.selectedInterval) return;
  const int track = model.trackIndex(model.selectedTrack);
  for (const TrackRow* each : model.drawnRows()) {
    const TrackRow& row = *each;
    if (row.track != track) continue;
    int level = 0;
    if (const TrackContent* content = model.content(model.selectedTrack);
        content != nullptr && model.selectedRow) {
      for (const TimelineBar& bar : content->bars) {
        if (bar.row == *model.selectedRow) level = bar.level;
      }
    }
    const QRectF lane = model.rowRect(row);
    const double left = std::max(model.xAt(model.selectedInterval->begin), lane.left() - 4);
    const double right = std::min(model.xAt(model.selectedInterval->end), lane.right() + 4);
    if (right < lane.left() || left > lane.right()) continue;
    const QRectF frame(left - 1, lane.top() + row.inset + level * row.levelHeight,
                       std::max(right - left, 2.0) + 2, row.levelHeight);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(style.background, 4));
    painter.drawRect(frame);
    painter.setPen(QPen(style.accent, 2));
    painter.drawRect(frame);
  }
}

// Y of the middle of a track's first level, where arrows and messages end; nullopt if the track is not
// visible.
std::optional<double> middleOf(const TimelineModel& model, std::uint32_t id) {
  const int track = model.trackIndex(id);
  const TrackRow* row = track < 0 ? nullptr : model.layout().rowOf(track);
  if (row == nullptr) return std::nullopt;
  const QRectF lane = model.rowRect(*row);
  return row->track == track ? lane.top() + row->inset + row->levelHeight / 2 : lane.center().y();
}

void paintMessages(QPainter& painter, const TimelineModel& model, const ViewStyle& style) {
  const auto& messages = model.data().messages;
  if (messages.empty()) return;
  painter.setRenderHint(QPainter::Antialiasing, true);
  QColor colour = style.text;
  colour.setAlpha(messages.size() > 200 ? 90 : 150);
  painter.setPen(QPen(colour, 1));
  for (const TimelineMessage& message : messages) {
    const auto from = middleOf(model, message.fromTrack), to = middleOf(model, message.toTrack);
    if (!from || !to) continue;
    const QPointF a(std::clamp(model.xAt(message.sent), -1e6, 1e6), *from);
    const QPointF b(std::clamp(model.xAt(message.received), -1e6, 1e6), *to);
    painter.drawLine(a, b);
    if (messages.size() <= 200) painter.drawEllipse(b, 1.5, 1.5);
  }
  painter.setRenderHint(QPainter::Antialiasing, false);
}

void paintArrows(QPainter& painter, const TimelineModel& model, const ViewStyle& style) {
  painter.setRenderHint(QPainter::Antialiasing, true);
  for (const TimelineArrow& arrow : model.arrows) {
    const auto fromY = middleOf(model, arrow.fromTrack), toY = middleOf(model, arrow.toTrack);
    if (!fromY || !toY) continue;
    const QPointF from(model.xAt(arrow.from), *fromY), to(model.xAt(arrow.to), *toY);
    if (std::max(std::abs(from.x()), std::abs(to.x())) > 1e6) continue;
    const QColor colour = arrow.kind == ArrowKind::Copy ? style.focus : style.accent;
    QPainterPath path(from);
    const double bend = std::max(12.0, std::abs(to.x() - from.x()) * 0.4);
    path.cubicTo(from + QPointF(bend, 0), to - QPointF(bend, 0), to);
    painter.setPen(QPen(colour, 1.4));
    painter.setBrush(Qt::NoBrush);
    painter.drawPath(path);
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    painter.drawPolygon(QPolygonF({to, to + QPointF(-7, -3.5), to + QPointF(-7, 3.5)}));
  }
  painter.setRenderHint(QPainter::Antialiasing, false);
}

} // namespace

QImage renderLanes(const TimelineModel& model, const ViewStyle& style, double scale) {
  if (const int pixels = static_cast<int>(std::lround(model.viewport.width() * scale));
      model.data().columns > std::max(pixels, 1)) {
    TimelineModel fewer = model;
    fewer.setData(joined(model.data(), pixels));
    return renderLanes(fewer, style, scale);
  }
  const int height = std::max(1, static_cast<int>(std::ceil(model.lanesRect().height() * scale)));
  QImage image(std::max(1, model.data().columns), height, QImage::Format_ARGB32_Premultiplied);
  image.fill(Qt::transparent);
  if (model.data().window.empty()) return image;
  // Horizontal coordinates are columns of device pixels, to which bars snap; vertical ones are logical pixels
  // times `scale`.
  const double lanes = model.lanesRect().top();
  for (const TrackRow* each : model.drawnRows()) {
    const TrackRow& row = *each;
    const QRectF area = model.areaOf(row).translated(0, -lanes);
    const LaneTarget seen{&image, 0, 0, qRound(area.top() * scale), qRound(area.bottom() * scale)};
    eachStrip(model, row,
              [&](const TimelineTrack& track, const TrackContent& content, int levels, double top) {
                drawStrip(seen, model, track, content, levels, top - lanes, row.levelHeight, scale, style);
              });
  }
  return image;
}

void paintAnnotations(QPainter& painter, const TimelineModel& model, const ViewStyle& style) {
  painter.save();
  for (const TrackRow* each : model.drawnRows()) {
    const TrackRow& row = *each;
    painter.save();
    painter.setClipRect(model.areaOf(row), Qt::IntersectClip);
    paintTexts(painter, model, row, style);
    painter.restore();
  }
  painter.setClipRect(model.lanesRect(), Qt::IntersectClip);
  paintMessages(painter, model, style);
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
  layOutForPaper(model, rect.size(), style);
  const double across = paintsPixels(painter) ? painter.deviceTransform().m11() : kVectorScale;
  const auto pixels = [&](Interval window) {
    return static_cast<int>(std::floor((model.xAt(window.end) - model.xAt(window.begin)) * across + 1e-3));
  };
  if (const Interval window = model.data().window;
      !window.empty() && model.data().columns > std::max(pixels(window), 1))
    model.setData(joined(model.data(), pixels(window)));
  if (const Interval window = model.merged().query.window;
      !window.empty() && model.merged().query.columns > std::max(pixels(window), 1))
    model.setMerged(joined(model.merged(), pixels(window)));
  painter.save();
  painter.translate(rect.topLeft());
  painter.setClipRect(QRectF(QPointF(0, 0), rect.size()), Qt::IntersectClip);
  painter.fillRect(QRectF(QPointF(0, 0), rect.size()), style.background);
  paintGround(painter, model, style);
  const QRectF lanes = model.lanesRect();
  painter.save();
  painter.setClipRect(lanes, Qt::IntersectClip);
  if (!model.data().window.empty()) {
    LanePlace place;
    place.x0 = model.xAt(model.data().window.begin);
    place.width = model.xAt(model.data().window.end) - place.x0;
    if (model.data().columns == pixels(model.data().window)) { // one column per pixel, on whole pixels
      place.x0 = std::round(place.x0 * across) / across;
      place.width = model.data().columns / across;
    }
    // One raster row per device pixel for pixel pictures: if two rows were merged into one, lines would be
    // lost.
    place.scale = paintsPixels(painter) ? std::max(1.0, painter.deviceTransform().m22()) : kVectorScale;
    paintTracks(painter, model, style, place, lanes.topLeft());
  }
  paintMerged(painter, model, model.merged(), renderMerged(model, model.merged(), style), style);
  painter.restore();
  paintAnnotations(painter, model, style);
  paintFrame(painter, model, style);
  painter.restore();
}

} // namespace jitterscope::views::timeline
