#include <QPainter>
#include <QPolygonF>
#include <algorithm>
#include <cmath>
#include <unordered_set>
#include <vector>

#include "views/base/colour_maps.h"
#include "views/base/format.h"
#include "views/base/painting.h"
#include "views/base/text.h"
#include "views/base/text_cache.h"
#include "views/base/ticks.h"
#include "views/timeline/timeline_painter.h"
#include "views/timeline/timeline_parts.h"
#include "views/timeline/why_strip.h"

namespace jitterscope::views::timeline {

namespace {

QColor withAlpha(QColor colour, int alpha) {
  colour.setAlpha(alpha);
  return colour;
}

double overviewX(const TimelineModel& model, Nanoseconds time) {
  const QRectF rect = model.overviewRect();
  const Interval span = model.viewport.span();
  return rect.left() + rect.width() * static_cast<double>((time - span.begin).count) /
                           static_cast<double>(span.length().count);
}

void paintOverviewCells(QPainter& painter, const TimelineModel& model, const ViewStyle& style,
                        const QRectF& plot) {
  const auto& cells = model.overview().cells;
  if (cells.empty()) return;
  const int columns = static_cast<int>(plot.width());
  for (int x = 0; x < columns; ++x) {
    const auto from = cells.size() * static_cast<std::size_t>(x) / static_cast<std::size_t>(columns);
    const auto to = std::max(from + 1, cells.size() * (static_cast<std::size_t>(x) + 1) /
                                           static_cast<std::size_t>(columns));
    double busy = 0;
    bool any = false;
    for (auto i = from; i < std::min(to, cells.size()); ++i) {
      any = any || cells[i].count > 0;
      busy = std::max(busy, static_cast<double>(cells[i].busy));
    }
    if (!any) continue;
    const double height = std::max(1.0, std::round(std::clamp(busy, 0.0, 1.0) * plot.height()));
    painter.fillRect(QRectF(plot.left() + x, plot.bottom() - height, 1, height), style.quiet);
  }
}

void paintOverview(QPainter& painter, const TimelineModel& model, const ViewStyle& style) {
  const QRectF rect = model.overviewRect();
  painter.fillRect(QRectF(0, 0, rect.right(), rect.height()), style.surface);
  const QRectF plot = rect.adjusted(0, 8, 0, -4);
  paintOverviewCells(painter, model, style, plot);
  for (const OverviewMark& mark : model.overview().bins) {
    const double left = overviewX(model, mark.interval.begin);
    const double width = std::max(overviewX(model, mark.interval.end) - left, mark.kept ? 2.0 : 1.0);
    painter.fillRect(QRectF(std::floor(left), 2, std::ceil(width), 4), mark.kept ? style.accent : style.grid);
  }
  if (model.selectedBin) {
    const double left = overviewX(model, model.selectedBin->begin);
    const double width = std::max(2.0, overviewX(model, model.selectedBin->end) - left);
    painter.fillRect(QRectF(std::floor(left), 2, std::ceil(width), rect.height() - 5), style.accent);
  }
  const double left = overviewX(model, model.viewport.window().begin);
  const double right = std::max(left + 3, overviewX(model, model.viewport.window().end));
  const QColor shade = withAlpha(style.surface, 150);
  painter.fillRect(QRectF(rect.left(), 7, left - rect.left(), rect.height() - 8), shade);
  painter.fillRect(QRectF(right, 7, rect.right() - right, rect.height() - 8), shade);
  // Background and frame are drawn separately: Qt's PDF gives a frame the transparency of its fill.
  const QRectF frame(std::floor(left) + 0.5, 7.5, std::floor(right - left) - 1, rect.height() - 11);
  painter.fillRect(frame, withAlpha(style.focus, 26));
  painter.setPen(QPen(style.focus, 1));
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(frame);
  drawHairline(painter, {0, rect.bottom() - 1}, {rect.right(), rect.bottom() - 1}, style.border);
}

// Text such as "78.64 ms of 301.2 ms" or "154 of 154 launches".
QString shareOfLength(const QString& part, const QString& whole) {
  const QString unit = whole.section(QLatin1Char(' '), -1);
  const bool same = unit.startsWith(QStringLiteral("launch")) &&
                    part.section(QLatin1Char(' '), -1).startsWith(QStringLiteral("launch"));
  return (same ? part.section(QLatin1Char(' '), 0, -2) : part) + QStringLiteral(" of ") + whole;
}

void paintCorner(QPainter& painter, const TimelineModel& model, const ViewStyle& style) {
  const double width = model.geometry.headerWidth;
  painter.setFont(style.font(FontRole::Small));
  const auto pair = [&](double top, double height, const QString& name, QString value,
                        const QString& shorter) {
    const QRectF rect(10, top, width - 20, height);
    if (textWidth(painter.font(), value) > rect.width()) value = shorter;
    double used = textWidth(painter.font(), name) + 8;
    if (used + textWidth(painter.font(), value) > rect.width())
      used = 0; // the numbers are more informative than their name
    painter.setPen(style.mutedText);
    if (used > 0) drawElided(painter, rect, name);
    painter.setPen(style.text);
    drawElided(painter, rect.adjusted(used, 0, 0, 0), value, Qt::AlignRight | Qt::AlignVCenter);
  };
  const QString whole = formatLength(model.viewport.span().length(), model.axis);
  if (!model.geometry.filterBox)
    pair(0, model.geometry.overviewHeight,
         model.axis == AxisUnit::Time ? Text::tr("Whole run") : Text::tr("Whole table"), whole, whole);
  const QString visible = formatLength(model.viewport.window().length(), model.axis);
  pair(model.geometry.overviewHeight, model.geometry.axisHeight, Text::tr("Visible"),
       !model.geometry.filterBox ? visible : shareOfLength(visible, whole), visible);
}

struct Tag {
  QRectF rect;
  QString text;
  QColor ground;
  QColor ink;
};

Tag makeTag(const TimelineModel& model, double x, const QString& text, const QColor& ground,
            const QColor& ink, const ViewStyle& style) {
  const QRectF axis = model.axisRect();
  const double width = textWidth(style.font(FontRole::Small), text) + 12;
  const double left = std::clamp(x - width / 2, axis.left(), std::max(axis.left(), axis.right() - width));
  return {QRectF(std::round(left), axis.top() + 3, std::ceil(width), axis.height() - 7), text, ground, ink};
}

// Tags on the axis that replace its labels: flags, the brush's length, the cursor time.
std::vector<Tag> axisTags(const TimelineModel& model, const ViewStyle& style) {
  std::vector<Tag> tags;
  const QRectF lanes = model.lanesRect();
  for (const TimelineFlag& flag : model.flags) {
    const double x = std::floor(model.xAt(flag.time));
    if (x < lanes.left() || x > lanes.right()) continue;
    Tag tag = makeTag(model, x, flag.label, style.warning, style.background, style);
    tag.rect.moveLeft(x);
    tag.rect.setRight(std::min(tag.rect.right(), lanes.right()));
    tags.push_back(tag);
  }
  if (model.brush) {
    const double middle = (std::max(model.xAt(model.brush->begin), lanes.left()) +
                           std::min(model.xAt(model.brush->end), lanes.right())) /
                          2;
    tags.push_back(makeTag(model, middle, formatLength(model.brush->length(), model.axis), style.focus,
                           style.isDark() ? QColor(0x0B1420) : QColor(0xFFFFFF), style));
  }
  if (model.cursor && model.xAt(*model.cursor) >= lanes.left() && model.xAt(*model.cursor) <= lanes.right()) {
    Tag cursor = makeTag(model, model.xAt(*model.cursor),
                         formatPlace(*model.cursor, model.viewport.perPixel(), model.axis), style.text,
                         style.background, style);
    // Next to the brush's length, not over it.
    if (model.brush && cursor.rect.intersects(tags.back().rect)) {
      const QRectF brush = tags.back().rect;
      const bool right = cursor.rect.center().x() >= brush.center().x();
      const double after = brush.right() + 3, before = brush.left() - 3 - cursor.rect.width();
      const bool roomAfter = after + cursor.rect.width() <= lanes.right(),
                 roomBefore = before >= lanes.left();
      if ((right && roomAfter) || (!right && !roomBefore && roomAfter))
        cursor.rect.moveLeft(after);
      else if (roomBefore)
        cursor.rect.moveLeft(before);
    }
    tags.push_back(cursor);
  }
  return tags;
}

void paintTags(QPainter& painter, const std::vector<Tag>& tags, const ViewStyle& style) {
  painter.setFont(style.font(FontRole::Small));
  for (const Tag& tag : tags) {
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setPen(Qt::NoPen);
    painter.setBrush(tag.ground);
    painter.drawRoundedRect(tag.rect, 3, 3);
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setPen(tag.ink);
    drawElided(painter, tag.rect.adjusted(5, 0, -5, 0), tag.text, Qt::AlignCenter);
  }
}

void paintAxis(QPainter& painter, const TimelineModel& model, const std::vector<Tag>& tags,
               const ViewStyle& style) {
  const QRectF axis = model.axisRect();
  painter.fillRect(QRectF(0, axis.top(), axis.right(), axis.height()), style.surface);
  painter.setFont(style.font(FontRole::Small));
  int requested = std::max(1, static_cast<int>(axis.width() / 110));
  auto ticks = axisTicks(model.viewport.window(), requested, model.axis);
  double widest = 0;
  for (const Tick& tick : ticks) widest = std::max(widest, textWidth(painter.font(), tick.label));
  if (widest + 16 > axis.width() / std::max<double>(1, static_cast<double>(ticks.size()))) {
    requested = std::max(1, static_cast<int>(axis.width() / (widest + 24)));
    ticks = axisTicks(model.viewport.window(), requested, model.axis);
  }
  for (const Tick& tick : ticks) {
    const double x = std::floor(axis.left() + tick.position * axis.width());
    drawHairline(painter, {x, axis.bottom() - 6}, {x, axis.bottom()}, style.mutedText);
    drawHairline(painter, {x, axis.bottom()}, {x, model.size().height()}, withAlpha(style.border, 90));
    const double width = textWidth(painter.font(), tick.label) + 2;
    const QRectF text(x + 4, axis.top(), width, axis.height() - 2);
    const bool covered = std::any_of(tags.begin(), tags.end(), [&](const Tag& tag) {
      return tag.rect.adjusted(-4, 0, 4, 0).intersects(text);
    });
    if (text.right() > axis.right() || covered) continue;
    painter.setPen(style.mutedText);
    drawLine(painter, text, Qt::AlignLeft | Qt::AlignVCenter, tick.label);
  }
  drawHairline(painter, {0, axis.bottom() - 1}, {axis.right(), axis.bottom() - 1}, style.border);
}

void paintRange(QPainter& painter, const TimelineModel& model, Interval range, const QColor& colour,
                int alpha) {
  const QRectF lanes = model.lanesRect();
  const double left = std::clamp(model.xAt(range.begin), lanes.left(), lanes.right());
  const double right = std::clamp(model.xAt(range.end), lanes.left(), lanes.right());
  if (right <= lanes.left() || left >= lanes.right()) return;
  const bool everywhere = left <= lanes.left() && right >= lanes.right();
  const QRectF band(left, lanes.top() - 4, std::max(right - left, 1.0), lanes.height() + 4);
  // A range that covers the whole window is shown only on the axis: a full tint would have no information.
  if (!everywhere) painter.fillRect(band, withAlpha(colour, alpha));
  painter.fillRect(QRectF(band.left(), lanes.top() - 4, band.width(), 3), colour);
  if (left > lanes.left()) drawHairline(painter, band.topLeft(), band.bottomLeft(), colour);
  if (right < lanes.right()) drawHairline(painter, band.topRight(), band.bottomRight(), colour);
}

/// Selected moments, joined where they share a pixel: marks on the axis, and a tint over the rows.
void paintMoments(QPainter& painter, const TimelineModel& model, const ViewStyle& style) {
  const QRectF lanes = model.lanesRect();
  const auto window = model.viewport.window();
  std::optional<std::pair<double, double>> band;
  const auto put = [&] {
    if (!band) return;
    const QRectF area(band->first, lanes.top(), std::max(band->second - band->first, 1.0), lanes.height());
    painter.fillRect(area, withAlpha(style.accent, style.isDark() ? 40 : 30));
    painter.fillRect(QRectF(area.left(), lanes.top() - 4, area.width(), 3), style.accent);
  };
  for (const auto& moment : model.moments) {
    if (moment.end <= window.begin || window.end <= moment.begin) continue;
    const double left = std::clamp(model.xAt(moment.begin), lanes.left(), lanes.right()),
                 right = std::clamp(model.xAt(moment.end), lanes.left(), lanes.right());
    if (band && left < band->second + 1) {
      band->second = std::max(band->second, right);
      continue;
    }
    put();
    band = {left, std::max(right, left + 1)};
  }
  put();
}

void paintRanges(QPainter& painter, const TimelineModel& model, const ViewStyle& style) {
  paintMoments(painter, model, style);
  if (model.selectedBin)
    paintRange(painter, model, *model.selectedBin, style.accent, style.isDark() ? 30 : 22);
  if (!model.brush) return;
  if (model.brushTracks.empty()) {
    paintRange(painter, model, *model.brush, style.focus, style.isDark() ? 44 : 32);
    return;
  }
  paintRange(painter, model, *model.brush, style.focus, 10);
  // The rows of the area have a stronger tint; rows that touch are one rectangle, because there may be 10⁵.
  const std::unordered_set<std::uint32_t> brushed(model.brushTracks.begin(), model.brushTracks.end());
  QRectF area;
  const auto put = [&] {
    if (!area.isEmpty()) painter.fillRect(area, withAlpha(style.focus, style.isDark() ? 54 : 40));
  };
  for (const TrackRow* each : model.visibleRows()) {
    const TrackRow& row = *each;
    if (!brushed.contains(model.tracks()[static_cast<std::size_t>(row.track)].id)) continue;
    const QRectF lane = model.rowRect(row).intersected(model.areaOf(row));
    const double left = std::clamp(model.xAt(model.brush->begin), lane.left(), lane.right());
    const double right = std::clamp(model.xAt(model.brush->end), lane.left(), lane.right());
    const QRectF own(left, lane.top(), right - left, lane.height());
    constexpr double kTouching = 0.01; // px
    if (!area.isEmpty() && std::abs(own.top() - area.bottom()) < kTouching && own.left() == area.left() &&
        own.right() == area.right()) {
      area.setBottom(own.bottom());
      continue;
    }
    put();
    area = own;
  }
  put();
}

void paintFlags(QPainter& painter, const TimelineModel& model, const ViewStyle& style) {
  const QRectF lanes = model.lanesRect();
  for (const TimelineFlag& flag : model.flags) {
    const double x = std::floor(model.xAt(flag.time));
    if (x < lanes.left() || x > lanes.right()) continue;
    drawHairline(painter, {x, model.axisRect().top() + 4}, {x, lanes.bottom()}, style.warning);
  }
}

void paintCursor(QPainter& painter, const TimelineModel& model, const ViewStyle& style) {
  if (!model.cursor) return;
  const double x = std::floor(model.xAt(*model.cursor));
  const QRectF lanes = model.lanesRect();
  if (x < lanes.left() || x > lanes.right()) return;
  drawHairline(painter, {x, lanes.top()}, {x, lanes.bottom()}, withAlpha(style.text, 110));
}

QString headerRange(const TimelineModel& model, const TimelineTrack& track) {
  const TrackContent* content = model.content(track.id);
  const bool banded = track.kind == TrackKind::Counter || track.kind == TrackKind::Active;
  if (!banded || content == nullptr || content->counter.empty()) return {};
  return formatRange(content->counterMinimum, content->counterMaximum, track.unit);
}

void paintPin(QPainter& painter, QPointF centre, const ViewStyle& style) {
  painter.setRenderHint(QPainter::Antialiasing, true);
  painter.setPen(QPen(style.focus, 1.5));
  painter.drawLine(centre, centre + QPointF(0, 5));
  painter.setPen(Qt::NoPen);
  painter.setBrush(style.focus);
  painter.drawEllipse(centre + QPointF(0, -1.5), 3.5, 3.5);
  painter.setRenderHint(QPainter::Antialiasing, false);
}

void paintHeaderRow(QPainter& painter, const TimelineModel& model, const TrackRow& row,
                    const ViewStyle& style) {
  const TimelineTrack& track = model.tracks()[static_cast<std::size_t>(row.track)];
  const QRectF rect(0, model.rowRect(row).top(), model.geometry.headerWidth, row.height);
  const bool section =
      track.kind == TrackKind::Host || track.kind == TrackKind::Process || track.kind == TrackKind::Device;
  const double left = 10 + (row.pinned ? 0.0 : 12.0 * track.depth);
  if (row.pinned) painter.fillRect(rect, mix(style.surface, style.focus, 0.08));
  if (model.trackCursor == track.id) {
    painter.fillRect(QRectF(0, rect.top(), rect.width(), rect.height()), withAlpha(style.focus, 34));
    painter.fillRect(QRectF(0, rect.top(), 3, rect.height() - 1), style.focus);
  }
  // The name is next to the first lane, in a full line of text if the row has room for one.
  constexpr double kLine = 16;
  const double line = std::min(rect.height() - 3, std::max(row.levelHeight + 2, kLine));
  const QPointF c(left + 3.5, rect.top() + 1 + line / 2);
  if (row.pinned) {
    paintPin(painter, c, style);
  } else if (model.hasChildren(row.track)) {
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setPen(Qt::NoPen);
    painter.setBrush(style.mutedText);
    painter.drawPolygon(model.collapsed(track.id)
                            ? QPolygonF({c + QPointF(-2, -4.5), c + QPointF(3.5, 0), c + QPointF(-2, 4.5)})
                            : QPolygonF({c + QPointF(-4.5, -2), c + QPointF(4.5, -2), c + QPointF(0, 3.5)}));
    painter.setRenderHint(QPainter::Antialiasing, false);
  }
  painter.setFont(style.font(section ? FontRole::Emphasis : FontRole::Normal));
  painter.setPen(section ? style.text : style.mutedText);
  const QString range = headerRange(model, track);
  QRectF label(left + 12, rect.top() + 1, rect.width() - left - 18, line);
  if (range.isEmpty()) {
    // For threads the end is informative: "python3 [48211] · MPI".
    // Kinds of copies have the same beginning and end: "dev…host", "dev…vice".
    const bool thread = track.kind == TrackKind::MpiCalls || track.kind == TrackKind::Messages ||
                        track.kind == TrackKind::Calls || track.kind == TrackKind::Ranges ||
                        track.kind == TrackKind::Copies;
    drawName(painter, label, trackLabel(model, row), thread ? Qt::ElideMiddle : Qt::ElideRight);
  } else if (constexpr double kTwoLines = 36; row.height >= kTwoLines) {
    label.setHeight(17);
    drawName(painter, label, track.label, Qt::ElideRight);
    painter.setFont(style.font(FontRole::Small));
    drawElided(painter, label.translated(0, 16), range);
  } else { // without room for two lines, both texts are side by side, the name first
    label.setHeight(rect.height() - 3);
    const double room = label.width() - textWidth(painter.font(), track.label) - 8;
    drawName(painter, label, track.label, Qt::ElideRight);
    painter.setFont(style.font(FontRole::Small));
    if (textWidth(painter.font(), range) <= room)
      drawLine(painter, QRectF(label.right() - room, label.top(), room, label.height()),
               Qt::AlignRight | Qt::AlignVCenter, range);
  }
  drawHairline(painter, {0, rect.bottom() - 1}, {rect.right(), rect.bottom() - 1}, style.grid);
}

void paintHeaders(QPainter& painter, const TimelineModel& model, const ViewStyle& style) {
  const QRectF header = model.headerRect();
  painter.save();
  painter.setClipRect(header, Qt::IntersectClip);
  painter.fillRect(header, style.surface);
  constexpr double kReadable = 0.7;
  const bool low = model.layout().scale() < kReadable; // a line of text is higher than most rows
  for (const TrackRow* each : model.drawnRows()) {
    const TrackRow& row = *each;
    if (low && !row.pinned) continue;
    const QRectF area = model.areaOf(row);
    painter.save();
    painter.setClipRect(QRectF(0, area.top(), header.width(), area.height()), Qt::IntersectClip);
    paintHeaderRow(painter, model, row, style);
    painter.restore();
  }
  if (low) paintMergedHeaders(painter, model, style);
  if (const double end = model.scrolledRect().top(); end > header.top())
    painter.fillRect(QRectF(0, end - 2, header.width(), 2), style.border);
  painter.restore();
  drawHairline(painter, {header.right() - 1, 0}, {header.right() - 1, header.bottom()}, style.border);
}

} // namespace

// Pinned tracks are shown without their parents, so the nearest parent is part of the label.
QString trackLabel(const TimelineModel& model, const TrackRow& row) {
  const auto& of = model.tracks()[static_cast<std::size_t>(row.track)];
  if (!row.pinned || of.parent < 0) return of.label;
  return of.label + QStringLiteral(" · ") + model.tracks()[static_cast<std::size_t>(of.parent)].label;
}

void paintFrame(QPainter& painter, const TimelineModel& model, const ViewStyle& style,
                const QRectF& exposed) {
  const QRectF all(QPointF(0, 0), model.size());
  const auto shown = [&](const QRectF& part) { return exposed.isNull() || exposed.intersects(part); };
  painter.save();
  painter.setClipRect(all, Qt::IntersectClip);
  if (shown(model.overviewRect())) paintOverview(painter, model, style);
  const std::vector<Tag> tags = axisTags(model, style);
  paintAxis(painter, model, tags, style);
  if (shown(QRectF(0, model.whyRect().top(), model.size().width(), model.whyRect().height())))
    paintWhy(painter, model, style);
  paintRanges(painter, model, style);
  paintNamedRanges(painter, model, style);
  paintFlags(painter, model, style);
  paintCursor(painter, model, style);
  paintTags(painter, tags, style);
  paintMeasure(painter, model, style);
  if (shown(model.headerRect())) paintHeaders(painter, model, style);
  if (shown(QRectF(0, 0, model.geometry.headerWidth, model.geometry.top())))
    paintCorner(painter, model, style);
  if (!model.geometry.filterBox)
    paintPaperLegend(painter, model, style);
  else if (shown(model.legendRect()))
    paintLegend(painter, model, style);
  painter.restore();
}

} // namespace jitterscope::views::timeline
