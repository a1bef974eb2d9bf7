#include "views/parallel/parallel_frame.h"

#include <QFontMetricsF>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "views/base/format.h"
#include "views/base/painting.h"
#include "views/base/text.h"
#include "views/base/text_cache.h"

namespace jitterscope::views::parallel {

namespace {

constexpr int kSmallestTitle = 8;                ///< pixels: 6 pt
constexpr double kAngles[] = {0.87, 1.05, 1.25}; ///< 50°, 60°, 72° from the horizontal
constexpr double kTitleTop = 2, kReach = 16;     ///< gap above turned titles; width of tick and bars [px]
constexpr double kLowView = 220; ///< pixels: lower views have shorter turned titles, for the plot

double gapOf(const ParallelModel& model) {
  return model.order().size() > 1 ? model.axisX(1) - model.axisX(0) : 1e9;
}

double widestLabel(const ParallelModel& model, int position, const QFont& font) {
  double widest = 0;
  for (const Tick& tick : model.ticks(position)) widest = std::max(widest, textWidth(font, tick.label));
  return widest;
}

QString titleOf(const ParallelModel& model, int position) {
  return (model.inverted(model.order()[position]) ? QStringLiteral("▾ ") : QString()) +
         model.axis(position).title;
}

/// An upright title: its lines, at most three, in a smaller font if more than one.
struct UprightTitle {
  int lines = 1;
  bool whole = true; ///< false: a word is wider than the room, and is elided
};

UprightTitle uprightTitle(const ParallelModel& model, int position, const ViewStyle& style) {
  const double width = model.titleRect(position).width();
  if (textWidth(style.font(FontRole::Emphasis), titleOf(model, position)) <= width) return {};
  const QFont font = titleFont(titleOf(model, position), style, width);
  const QStringList lines = titleLines(titleOf(model, position), font, width);
  const bool whole = std::all_of(lines.begin(), lines.end(),
                                 [&](const QString& line) { return textWidth(font, line) <= width; });
  return {static_cast<int>(lines.size()), whole};
}

/// Maximum length of slanted titles, which leaves enough height to the plot.
double roomOfTurned(const ParallelModel& model, double angle, const QFont& font) {
  const double share = model.size().height() < kLowView ? 0.32 : 0.42; // of the height, for the titles
  return std::max(30.0, (share * model.size().height() - metricsOf(font).height()) / std::sin(angle));
}

/// The margins at the left, along the titles and at the right edge depend on each other through the gap of
/// axes, so this iterates a few rounds.
ParallelFrame turnedFrame(ParallelModel& model, const ViewStyle& style, double angle) {
  const int axes = static_cast<int>(model.order().size());
  const double size = model.size().width(), sine = std::sin(angle), cosine = std::cos(angle);
  ParallelFrame frame;
  frame.turned = true;
  frame.angle = angle;
  frame.titlePixels = style.font(FontRole::Small).pixelSize();
  frame.right = 40;
  constexpr int kRounds = 4;
  for (int round = 0; round < kRounds; ++round) {
    QFont font = style.font(FontRole::Small);
    font.setPixelSize(frame.titlePixels);
    const double maximum = model.axis(0).categories.isEmpty() ? 0.2 : 0.28;
    frame.left = std::clamp(widestLabel(model, 0, font) + 18, 30.0, std::max(34.0, maximum * size));
    model.setFrame(frame);
    const auto height = [&] { return metricsOf(font).height(); };
    const double across = gapOf(model) * sine; // distance between two titles
    font.setPixelSize(style.font(FontRole::Small).pixelSize());
    while (font.pixelSize() > kSmallestTitle && 2 * height() > across)
      font.setPixelSize(font.pixelSize() - 1);
    frame.titlePixels = font.pixelSize();
    frame.oneLine = 2 * height() > across;
    model.setFrame(frame);
    QFont bold = font;
    bold.setBold(true);
    double longest = 0, last = 0;
    for (int i = 0; i < axes; ++i) {
      const double title = textWidth(bold, QStringLiteral("▾ ") + model.axis(i).title),
                   second = textWidth(font, subtitleOf(model, i, style));
      last = frame.oneLine ? title + 6 + second : std::max(title, second);
      longest = std::max(longest, last);
    }
    frame.longest = std::ceil(std::min(longest + 4, roomOfTurned(model, angle, font)));
    frame.top = kTitleTop + frame.longest * sine + 2 * height() * cosine;
    frame.right = std::clamp(std::min(last, frame.longest) * cosine + 2 * height() * sine, 16.0, 0.25 * size);
  }
  return frame;
}

constexpr double kNameLine = 1; ///< minimum distance of names, as a multiple of a line's height

} // namespace

CategoryNames categoryNames(const ParallelModel& model, int position, const ViewStyle& style) {
  constexpr int kSmallest = 10; // minimum font size in pixels: columns of smaller names are unreadable
  CategoryNames names;
  names.font = style.font(FontRole::Small);
  if (model.frame().turned) names.font.setPixelSize(model.frame().titlePixels);
  const auto ticks = model.ticks(position);
  names.named.assign(ticks.size(), true);
  names.count = static_cast<int>(ticks.size());
  const auto lineOf = [&](int pixels) {
    QFont font = names.font;
    font.setPixelSize(pixels);
    return kNameLine * metricsOf(font).height();
  };
  const double height = model.valueRect().height(),
               room = height / static_cast<double>(std::max<std::size_t>(1, ticks.size()));
  const int normal_size = names.font.pixelSize();
  for (int pixels = normal_size; pixels >= std::min(kSmallest, normal_size); --pixels)
    if (lineOf(pixels) <= room + 0.01) {
      names.font.setPixelSize(pixels);
      names.line = lineOf(pixels);
      return names;
    }
  names.line = lineOf(normal_size);
  const auto& rows = model.axis(position).all;
  const auto rowsOf = [&](std::size_t tick) {
    const auto category = static_cast<std::size_t>(std::max(0.0, ticks[tick].value));
    return category < rows.size() ? rows[category] : 0;
  };
  std::vector<std::size_t> order(ticks.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return rowsOf(a) > rowsOf(b); });
  names.named.assign(ticks.size(), false);
  names.count = 0;
  std::vector<double> taken;
  for (const std::size_t tick : order) {
    const double y = ticks[tick].position * height;
    if (std::any_of(taken.begin(), taken.end(),
                    [&](double other) { return std::abs(other - y) < names.line - 0.01; }))
      continue;
    taken.push_back(y);
    names.named[tick] = true;
    ++names.count;
  }
  return names;
}

double minHeight(ParallelModel model, int position, const ViewStyle& style) {
  constexpr double kStep = 4, kHighest = 6'000;
  const QSizeF size = model.size();
  const auto fits = [&](double height) {
    model.setSize({size.width(), height});
    model.setFrame(frameOf(model, style));
    return categoryNames(model, position, style).count == static_cast<int>(model.ticks(position).size());
  };
  double height = size.height();
  while (height < kHighest && !fits(height)) height += kStep;
  return height;
}

QFont titleFont(const QString& title, const ViewStyle& style, double width) {
  QFont font = style.font(FontRole::Small);
  font.setBold(true);
  const auto words = title.split(QLatin1Char(' '));
  font.setBold(std::all_of(words.begin(), words.end(),
                           [&](const QString& word) { return textWidth(font, word) <= width; }));
  return font;
}

QStringList titleLines(const QString& title, const QFont& font, double width) {
  constexpr qsizetype kMax = 3;
  QStringList lines;
  for (const QString& word : title.split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
    const QString longer = lines.isEmpty() ? word : lines.last() + QLatin1Char(' ') + word;
    if (!lines.isEmpty() && (lines.size() == kMax || textWidth(font, longer) <= width))
      lines.last() = longer;
    else
      lines << word;
  }
  return lines;
}

bool labelsFit(const ParallelModel& model, int position, const ViewStyle& style) {
  if (position == 0) return true;
  const double room = gapOf(model) - kReach;
  if (!model.axis(position).categories.isEmpty())
    return room >= 4 * style.smallPixels; // names may be shortened, numbers never
  return widestLabel(model, position, style.font(FontRole::Small)) <= room;
}

QString subtitleOf(const ParallelModel& model, int position, const ViewStyle& style) {
  static const QStringList kScales = {QString(), Text::tr("log"), Text::tr("quartiles"), Text::tr("ranks"),
                                      Text::tr("symlog")};
  const ParallelAxis& axis = model.axis(position);
  QStringList parts;
  if (axis.unit == QLatin1String("ns"))
    parts << Text::tr("time");
  else if (!axis.unit.isEmpty())
    parts << axis.unit;
  if (!axis.categories.isEmpty() && (!model.frame().turned || labelsFit(model, position, style)))
    if (const auto names = categoryNames(model, position, style);
        names.count < static_cast<int>(names.named.size()))
      parts << Text::tr("%1 of %2 named").arg(names.count).arg(names.named.size());
  if (const QString scale = kScales.value(static_cast<int>(axis.scale)); !scale.isEmpty()) parts << scale;
  QString text = parts.join(QStringLiteral(", "));
  // Upright titles with little room omit the unit first: the ticks or the hover card state it.
  if (!model.frame().turned && parts.size() > 1 &&
      textWidth(style.font(FontRole::Small), text) > model.titleRect(position).width())
    return parts.mid(axis.unit.isEmpty() ? 0 : 1).join(QStringLiteral(", "));
  if (!model.frame().turned) return text;
  const bool fit = labelsFit(model, position, style);
  if (!fit && axis.unit == QLatin1String("ns")) parts.removeFirst(); // the ends show that it is a time
  const auto withEnds = [&](const QString& unit) {
    if (fit) return parts.join(QStringLiteral(", "));
    const QString ends = axis.categories.isEmpty() ? formatRange(axis.minimum, axis.maximum, unit, 2)
                                                   : Text::tr("%1 values").arg(axis.categories.size());
    return (parts + QStringList{ends}).join(QStringLiteral(", "));
  };
  text = withEnds(axis.unit);
  QFont font = style.font(FontRole::Small);
  font.setPixelSize(model.frame().titlePixels);
  if (parts.value(0) != axis.unit || textWidth(font, text) <= roomOfTurned(model, model.frame().angle, font))
    return text;
  parts.removeFirst(); // long names of units are in the hover card
  return withEnds({});
}

ParallelFrame frameOf(ParallelModel model, const ViewStyle& style) {
  const ParallelFrame upright;
  model.setFrame(upright);
  const int axes = static_cast<int>(model.order().size());
  if (axes == 0) return upright;
  // A few titles that are too long are elided: their hover cards have the full names. Numbers never are.
  int lines = 1, cut = 0;
  bool numbers = true;
  for (int i = 0; i < axes; ++i) {
    const auto title = uprightTitle(model, i, style);
    lines = std::max(lines, title.lines);
    cut += title.whole ? 0 : 1;
    numbers = numbers && (axes == 1 || !model.axis(i).categories.isEmpty() || labelsFit(model, i, style));
  }
  if (numbers && cut <= std::max(1, axes / 4)) {
    ParallelFrame frame = upright;
    if (lines > 2) frame.top += kTitleLine;
    return frame;
  }
  // The steepest angle at which both lines fit next to those of the next axis, in the largest font; if
  // even the smallest does not fit, one line contains both.
  ParallelFrame best;
  for (const double angle : kAngles) {
    const ParallelFrame frame = turnedFrame(model, style, angle);
    const bool better = !best.turned || (best.oneLine && !frame.oneLine) ||
                        (best.oneLine == frame.oneLine && frame.titlePixels > best.titlePixels);
    if (better) best = frame;
  }
  return best;
}

double minWidth(ParallelModel model, const ViewStyle& style) {
  constexpr double kStep = 4, kWidest = 6'000;
  const QSizeF size = model.size();
  const auto fits = [&](double width) {
    model.setSize({width, size.height()});
    return !frameOf(model, style).oneLine;
  };
  double width = size.width();
  while (width < kWidest && !fits(width)) width += kStep;
  return width;
}

} // namespace jitterscope::views::parallel
