#include <QPainter>
#include <algorithm>
#include <cmath>

#include "views/base/format.h"
#include "views/base/painting.h"
#include "views/base/text.h"
#include "views/base/text_cache.h"
#include "views/table_parts/brief_names.h"
#include "views/table_parts/distinct_names.h"
#include "views/timeline/timeline_colours.h"
#include "views/timeline/timeline_painter.h"
#include "views/timeline/timeline_parts.h"

namespace jitterscope::views::timeline {

namespace {

constexpr double kLine = 17, kAside = 10, kPaperGap = 14, kPaperSwatch = 10, kMaxName = 220;
constexpr std::size_t kMaxPaperEntries = 12;
constexpr int kMaxLines = 3; ///< maximum number of legend lines for colours

// In a small picture, tracks take precedence over the legend.
int maxLines(const TimelineModel& model) {
  constexpr double kShare = 0.16;
  return std::clamp(static_cast<int>(kShare * model.size().height() / kLine), 1, kMaxLines);
}

struct Placed {
  LegendEntry entry;
  double x = 0;
  int line = 0;
};

double widthOf(const QString& text, const ViewStyle& style) {
  return std::ceil(textWidth(style.font(FontRole::Small), text)) + 2;
}

bool scaled(const TimelineModel& model) {
  return model.colour.by == ColourBy::RelativeToMean || model.colour.by == ColourBy::Column;
}

// Names with the largest total time first, in up to three lines; names that do not fit are omitted.
std::vector<Placed> entriesOf(const TimelineModel& model, double width, const ViewStyle& style) {
  std::vector<Placed> placed;
  auto entries = legendEntries(model, style, kMaxPaperEntries);
  QStringList names;
  for (const auto& entry : entries) names << entry.text;
  const double maximum = std::min(kMaxName, width - 2 * kAside - kPaperSwatch - 5);
  const auto shorten = model.colour.by == ColourBy::Kernel ? briefNames : distinctNames;
  names = shorten(names, style.font(FontRole::Small), maximum);
  double x = kAside + widthOf(colourTitle(model), style) + kPaperGap;
  int line = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    entries[i].text = names[static_cast<int>(i)];
    const double wide = kPaperSwatch + 5 + std::min(widthOf(entries[i].text, style), maximum);
    if (x + wide > width - kAside) x = kAside, ++line;
    if (line == maxLines(model)) break;
    placed.push_back({entries[i], x, line});
    x += wide + kPaperGap;
  }
  return placed;
}

// Notes about folded columns and omitted content, in one or two lines.
QStringList remarks(const TimelineModel& model, double width, const ViewStyle& style) {
  QStringList parts = {foldMeaning(model)};
  if (model.data().messageCount > 0 && model.data().messages.empty())
    parts << Text::tr("%1 messages: too many to draw as lines")
                 .arg(formatCount(static_cast<std::uint64_t>(model.data().messageCount)));
  if (const QString left = tracksLeftOut(model); !left.isEmpty()) parts << left;
  const QString joined = parts.join(QStringLiteral(" · "));
  if (widthOf(joined, style) <= width - 2 * kAside - 18) return {joined};
  return parts;
}

double legendLines(const TimelineModel& model, double width, const ViewStyle& style) {
  const auto entries = entriesOf(model, width, style);
  const int unknown = model.data().columns == 0 && !scaled(model) ? kMaxLines : 1; // names may arrive later
  return (entries.empty() ? unknown : entries.back().line + 1) +
         static_cast<double>(remarks(model, width, style).size());
}

// Width of a track's name as painted by paintHeaderRow().
double headerFor(const TimelineModel& model, const TrackRow& row, const ViewStyle& style) {
  const TimelineTrack& track = model.tracks()[static_cast<std::size_t>(row.track)];
  const bool section =
      track.kind == TrackKind::Host || track.kind == TrackKind::Process || track.kind == TrackKind::Device;
  const double indent = 10 + (row.pinned ? 0.0 : 12.0 * track.depth) + 12;
  return indent +
         textWidth(style.font(section ? FontRole::Emphasis : FontRole::Normal), trackLabel(model, row)) + 10;
}

bool whole(const TimelineModel& model, const TrackRow& row) {
  const QRectF rect = model.rowRect(row), area = model.areaOf(row);
  return rect.top() >= area.top() - 0.5 && rect.bottom() <= area.bottom() + 0.5;
}

} // namespace

QString tracksLeftOut(const TimelineModel& model) {
  if (model.merges()) return {};
  const auto shown = std::count_if(model.rows().begin(), model.rows().end(),
                                   [&](const TrackRow& row) { return whole(model, row); });
  const auto all = static_cast<std::ptrdiff_t>(model.rows().size());
  if (shown == all) return {};
  return Text::tr("%1 of %2 tracks shown")
      .arg(formatCount(static_cast<std::uint64_t>(shown)), formatCount(static_cast<std::uint64_t>(all)));
}

void layOutForPaper(TimelineModel& model, QSizeF size, const ViewStyle& style) {
  constexpr double kMaxHeaderShare = 0.36; // maximum share of the width for the tracks' names
  const double default_header = defaultHeaderWidth(size.width());
  model.geometry.headerWidth = default_header;
  model.geometry.filterBox = false;
  model.cursor.reset(); // cursors of pointer and keyboard
  model.trackCursor.reset();
  const double before = model.scroll();
  const auto place = [&](double legend) {
    model.geometry.legendHeight = legend;
    model.setSize(size);
    model.setScroll(before);
  };
  const double room = std::max(0.0, size.height() - model.geometry.top());
  model.setSize(size);
  // The names of all rows that can be visible: the width of the lanes, and so the number of their columns,
  // must not depend on the legend, whose height depends on the content.
  place(std::min(6 + kLine, room / 2));
  double header = default_header;
  for (const TrackRow* row : model.drawnRows()) header = std::max(header, headerFor(model, *row, style));
  place(std::min(6 + kLine * legendLines(model, size.width(), style), room / 2));
  place(std::min(6 + kLine * legendLines(model, size.width(), style),
                 room / 2)); // the omitted rows are known now
  if (model.longestScroll() > 0 && !model.merges()) {
    // Shows complete rows only, because half a row is not readable.
    for (const TrackRow& row : model.rows())
      if (!row.pinned && row.y <= before + 0.5) model.setScroll(row.y);
    double bottom = 0;
    for (const TrackRow& row : model.rows())
      if (!row.pinned && whole(model, row)) bottom = std::max(bottom, model.rowRect(row).bottom());
    const double scroll = model.scroll(), cut = model.lanesRect().bottom() - bottom;
    if (bottom > 0 && cut > 0) {
      model.geometry.legendHeight += cut;
      model.setSize(size);
      model.setScroll(scroll);
    }
  }
  model.geometry.headerWidth =
      std::ceil(std::min(header, std::max(default_header, kMaxHeaderShare * size.width())));
  model.setSize(size);
}

int paperColumns(const TimelineModel& source, QSizeF size, const ViewStyle& style, double scale) {
  TimelineModel model = source;
  layOutForPaper(model, size, style);
  return std::max(1, static_cast<int>(std::floor(model.viewport.width() * scale + 1e-3)));
}

double totalHeight(const TimelineModel& source, double width, const ViewStyle& style) {
  TimelineModel model = source;
  TrackHeights heights = model.heights();
  if (heights.fit) heights = {false, 1, heights.merging, heights.overview};
  model.setHeights(heights);
  model.setScroll(0);
  model.setSize({width, 1e6});
  model.geometry.legendHeight = 6 + kLine * legendLines(model, width, style);
  return model.fullHeight();
}

double paperHeight(const TimelineModel& model, double width, const ViewStyle& style) {
  return std::min(totalHeight(model, width, style), kMaxPaperHeight);
}

void paintPaperLegend(QPainter& painter, const TimelineModel& model, const ViewStyle& style) {
  const QRectF rect = model.legendRect();
  painter.fillRect(rect, style.background);
  drawHairline(painter, rect.topLeft(), rect.topRight(), style.border);
  painter.setFont(style.font(FontRole::Small));
  double y = rect.top() + 3;
  painter.setPen(style.text);
  const QString title = colourTitle(model);
  drawElided(painter, QRectF(kAside, y, rect.width() - 2 * kAside, kLine), title);
  const double after_title = kAside + widthOf(title, style) + kPaperGap;
  if (scaled(model))
    paintColourScale(painter, QRectF(after_title, y, rect.width() - kAside - after_title, kLine), model,
                     style);
  const auto entries = entriesOf(model, rect.width(), style);
  for (const auto& [entry, x, line] : entries) {
    const double top = y + kLine * line;
    painter.fillRect(
        QRectF(std::round(x), std::round(top + (kLine - kPaperSwatch) / 2), kPaperSwatch, kPaperSwatch),
        entry.colour);
    painter.setPen(style.text);
    const double left = x + kPaperSwatch + 5;
    drawElided(painter, QRectF(left, top, std::min(kMaxName, rect.width() - kAside - left), kLine),
               entry.text);
  }
  y += kLine * (entries.empty() ? 1 : entries.back().line + 1);
  painter.setPen(style.mutedText);
  double left = kAside + 18;
  paintFoldMark(painter, {kAside, y + 2}, style);
  for (const QString& remark : remarks(model, rect.width(), style)) {
    painter.setPen(style.mutedText);
    drawElided(painter, QRectF(left, y, rect.width() - kAside - left, kLine), remark);
    y += kLine;
    left = kAside;
  }
}

} // namespace jitterscope::views::timeline
