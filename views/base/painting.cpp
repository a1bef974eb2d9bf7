#include "views/base/painting.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QPainterPath>
#include <QRegularExpression>
#include <QStringList>
#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "views/base/text_cache.h"

namespace jitterscope::views {

QFontMetricsF metricsOf(const QFont& font) {
  return QFontMetricsF(font);
}

QString namesInQuotes(QString text) {
  static const QRegularExpression kQuoted(QStringLiteral("`([^`]*)`"));
  return text.replace(kQuoted, QStringLiteral("“\\1”"));
}

QString forLines(const QString& text) {
  static const QRegularExpression kUnit(
      QStringLiteral("(?<=[0-9]) (?=(?:%|ns|[µμ]s|ms|s|[kMGT]?B|[kMG]?Hz)(?![A-Za-z]))"));
  static const QRegularExpression kBar(QStringLiteral("\\|(?=[a-z])")), kLong(QStringLiteral("[^\\s]{25,}")),
      kPart(QStringLiteral("([_,:;<>()/])(?=[^\\s])"));
  QString set = namesInQuotes(text);
  set.replace(kUnit, QString(QChar(QChar::Nbsp)));
  set.replace(kBar, QStringLiteral("|") + QChar(0x2060)); // word joiner
  for (qsizetype at = 0;;) {
    const auto found = kLong.match(set, at);
    if (!found.hasMatch()) return set;
    const QString parts = found.captured().replace(
        kPart, QStringLiteral("\\1") + QChar(0x200B)); // zero-width space: a line may end there
    set.replace(found.capturedStart(), found.capturedLength(), parts);
    at = found.capturedStart() + parts.size();
  }
}

bool drawElided(QPainter& painter, const QRectF& rect, const QString& text, Qt::Alignment alignment,
                Qt::TextElideMode mode) {
  if (rect.width() < 4 || text.isEmpty()) return !text.isEmpty();
  const QString shown = paintsPixels(painter)
                            ? elidedText(painter.font(), text, mode, rect.width() + 0.5)
                            : QFontMetricsF(painter.fontMetrics()).elidedText(text, mode, rect.width() + 0.5);
  drawLine(painter, rect, alignment, shown);
  return shown != text;
}

QString elidedName(const QFont& font, const QString& name, double width, Qt::TextElideMode mode) {
  if (textWidth(font, name) <= width) return name;
  static const QString kSeparator = QStringLiteral(" · "), kEllipsis(QChar(0x2026));
  static const QRegularExpression kNumber(QStringLiteral("^(?:(.*) )?(\\[?[0-9][0-9.,]*\\]?)$"));
  QStringList parts = name.split(kSeparator), words, numbers;
  const QString lastPart = parts.back();
  std::vector<qsizetype> order; // of the parts that have words to elide, the longest first
  for (const auto& part : std::as_const(parts)) {
    const auto match = kNumber.match(part);
    words << (match.hasMatch() ? match.captured(1) : part);
    numbers << match.captured(2);
    // The last part distinguishes objects of the same parent: "ranges" stays whole, a long description of a
    // device does not.
    constexpr qsizetype kShort = 16;
    const bool last = words.size() == parts.size() && (parts.size() == 1 || words.back().size() <= kShort);
    if (!words.back().isEmpty() && !(last && numbers.back().isEmpty())) order.push_back(words.size() - 1);
  }
  std::ranges::stable_sort(order, std::greater(), [&](qsizetype part) { return words[part].size(); });
  for (const auto part : order) {
    parts[part] = numbers[part];
    const double room = width - textWidth(font, parts.join(kSeparator));
    QString elided = elidedText(font, words[part], Qt::ElideRight, std::max(room, 0.0));
    if (elided.isEmpty()) elided = kEllipsis;
    if (elided == words[part]) // it fits without the space behind it
      elided = elidedText(font, words[part], Qt::ElideRight, textWidth(font, words[part]) - 1);
    parts[part] = elided + numbers[part];
    const QString shown = parts.join(kSeparator);
    if (textWidth(font, shown) <= width) return shown;
  }
  const bool numbered = !numbers.join(QString()).isEmpty();
  if (parts.size() > 1 || numbered) {
    const QString whole = kEllipsis + kSeparator + lastPart;
    if (parts.size() > 1 && textWidth(font, whole) <= width) return whole;
    return elidedText(font, lastPart, parts.size() > 1 && !numbered ? mode : Qt::ElideLeft, width);
  }
  return elidedText(font, name, mode, width);
}

bool drawName(QPainter& painter, const QRectF& rect, const QString& name, Qt::TextElideMode mode) {
  if (rect.width() < 4 || name.isEmpty()) return !name.isEmpty();
  const QString shown = elidedName(painter.font(), name, rect.width() + 0.5, mode);
  drawLine(painter, rect, Qt::AlignLeft | Qt::AlignVCenter, shown);
  return shown != name;
}

void drawMessage(QPainter& painter, const QRectF& rect, const QString& message, const ViewStyle& style) {
  if (message.isEmpty()) return;
  painter.setFont(style.font());
  painter.setPen(style.mutedText);
  // A column of readable width, not a line across a wide screen.
  const double margin = std::max(std::min(24.0, rect.width() / 10), (rect.width() - 460) / 2);
  painter.drawText(rect.adjusted(margin, 4, -margin, -4), Qt::AlignCenter | Qt::TextWordWrap,
                   forLines(message));
}

void drawNote(QPainter& painter, const QRectF& rect, const QString& message, const ViewStyle& style) {
  if (message.isEmpty()) return;
  painter.setFont(style.font(FontRole::Small));
  const double width = std::min(metricsOf(painter.font()).horizontalAdvance(message) + 18, rect.width() - 12);
  const QRectF note(rect.right() - width - 6, rect.top() + 6, width, 20);
  painter.setRenderHint(QPainter::Antialiasing, true);
  painter.setPen(QPen(style.border, 1));
  painter.setBrush(style.cardBackground());
  painter.drawRoundedRect(note.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
  painter.setRenderHint(QPainter::Antialiasing, false);
  painter.setPen(style.mutedText);
  drawElided(painter, note.adjusted(8, 0, -8, 0), message, Qt::AlignCenter);
}

namespace {

struct CardLine {
  QString left;
  QString right;
  bool title = false; ///< part of the first line of the text, even if wrapped
  bool pair = false;  ///< a name and a value, or a continuation of one of them
};

struct CardLayout {
  std::vector<CardLine> lines;
  double leftWidth = 0;
  double width = 0;
  double lineHeight = 0;
};

constexpr double kCardPadding = 9;
constexpr double kCardGap = 14;

QStringList wrapped(const QString& line, const QFont& font, double width) {
  if (textWidth(font, line) <= width) return {line};
  const QFontMetricsF metrics(font);
  QStringList result;
  QString current;
  const auto add = [&](const QString& word, const QString& before) {
    const QString longer = current.isEmpty() ? word : current + before + word;
    if (!current.isEmpty() && metrics.horizontalAdvance(longer) > width) {
      result.push_back(current);
      current = word;
    } else {
      current = longer;
    }
  };
  const QString space(QLatin1Char(' '));
  for (const QString& word : line.split(QLatin1Char(' '))) {
    if (metrics.horizontalAdvance(word) <= width) {
      add(word, space);
      continue;
    }
    bool first = true;
    for (const QString& part : word.split(QChar(0x200B)))
      add(part, std::exchange(first, false) ? space : QString()); // see forLines()
  }
  result.push_back(current);
  return result;
}

/// Places names and values in two columns. Both wrap rather than lose text: a card has no other place for it.
void layoutPairs(CardLayout& card, const QFont& font, double maximumWidth) {
  double left = 0, right = 0;
  for (const CardLine& line : card.lines)
    if (line.pair)
      left = std::max(left, textWidth(font, line.left)), right = std::max(right, textWidth(font, line.right));
  if (right == 0) return;
  const double room = maximumWidth - kCardGap;
  card.leftWidth = std::min(left, std::max(0.5 * room, room - right));
  right = std::min(right, room - card.leftWidth);
  card.width = std::max(card.width, card.leftWidth + kCardGap + right);
  std::vector<CardLine> lines;
  for (const CardLine& line : card.lines) {
    if (!line.pair) {
      lines.push_back(line);
      continue;
    }
    const QStringList names = wrapped(line.left, font, card.leftWidth + 0.5),
                      values = wrapped(line.right, font, right + 0.5);
    for (qsizetype i = 0; i < std::max(names.size(), values.size()); ++i)
      lines.push_back({names.value(i), values.value(i), false, true});
  }
  card.lines = std::move(lines);
}

CardLayout layoutCard(const QString& text, const ViewStyle& style, double maximumWidth) {
  CardLayout card;
  const QFont small = style.font(FontRole::Small), bold = style.font(FontRole::Emphasis);
  card.lineHeight = std::ceil(metricsOf(small).height()) + 3;
  const QStringList lines = forLines(text).split(QLatin1Char('\n'));
  for (int i = 0; i < lines.size(); ++i) {
    const auto tab = lines[i].indexOf(QLatin1Char('\t'));
    if (tab >= 0 && tab + 1 < lines[i].size()) {
      card.lines.push_back({lines[i].left(tab), lines[i].mid(tab + 1), false, true});
      continue;
    }
    const QFont& used = i == 0 ? bold : small;
    for (const QString& part : wrapped(lines[i].left(tab), used, maximumWidth)) {
      card.lines.push_back({part, {}, i == 0, false});
      card.width = std::max(card.width, textWidth(used, part));
    }
  }
  layoutPairs(card, small, maximumWidth);
  card.width = std::min(card.width, maximumWidth) + 2 * kCardPadding;
  return card;
}

} // namespace

namespace {

CardLayout cardIn(const QRectF& bounds, const QString& text, const ViewStyle& style) {
  return layoutCard(text, style, std::min(380.0, bounds.width() - 2 * kCardPadding - 8));
}

QRectF frameOf(const CardLayout& card, const QRectF& bounds, QPointF anchor) {
  const double height = card.lineHeight * static_cast<double>(card.lines.size()) + 2 * kCardPadding - 3;
  double x = anchor.x() + 14;
  double y = anchor.y() + 16;
  if (x + card.width > bounds.right() - 4) x = anchor.x() - 10 - card.width;
  if (y + height > bounds.bottom() - 4) y = anchor.y() - 10 - height;
  x = std::clamp(x, bounds.left() + 4, std::max(bounds.left() + 4, bounds.right() - card.width - 4));
  y = std::clamp(y, bounds.top() + 4, std::max(bounds.top() + 4, bounds.bottom() - height - 4));
  return {std::round(x), std::round(y), std::ceil(card.width), std::ceil(height)};
}

} // namespace

QRectF hoverCardRect(const QRectF& bounds, QPointF anchor, const QString& text, const ViewStyle& style) {
  if (text.isEmpty()) return {};
  return frameOf(cardIn(bounds, text, style), bounds, anchor).adjusted(-3, -2, 3, 5);
}

void drawHoverCard(QPainter& painter, const QRectF& bounds, QPointF anchor, const QString& text,
                   const ViewStyle& style) {
  if (text.isEmpty()) return;
  const CardLayout card = cardIn(bounds, text, style);
  const QRectF frame = frameOf(card, bounds, anchor);
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing, true);
  painter.setPen(Qt::NoPen);
  painter.setBrush(QColor(0, 0, 0, style.isDark() ? 90 : 26));
  painter.drawRoundedRect(frame.translated(0, 2).adjusted(-1, 0, 1, 1), 6, 6);
  painter.setPen(QPen(style.border, 1));
  painter.setBrush(style.cardBackground());
  painter.drawRoundedRect(frame.adjusted(0.5, 0.5, -0.5, -0.5), 5, 5);
  double top = frame.top() + kCardPadding - 1;
  for (std::size_t i = 0; i < card.lines.size(); ++i, top += card.lineHeight) {
    const CardLine& line = card.lines[i];
    const QRectF row(frame.left() + kCardPadding, top, frame.width() - 2 * kCardPadding, card.lineHeight);
    painter.setFont(style.font(line.title ? FontRole::Emphasis : FontRole::Small));
    painter.setPen(line.pair ? style.mutedText : style.text);
    drawElided(painter, line.pair ? QRectF(row.left(), row.top(), card.leftWidth + 1, row.height()) : row,
               line.left);
    if (!line.pair) continue;
    painter.setPen(style.text);
    drawElided(painter, row.adjusted(card.leftWidth + kCardGap, 0, 0, 0), line.right);
  }
  painter.restore();
}

void drawHairline(QPainter& painter, QPointF from, QPointF to, const QColor& colour) {
  const bool antialiased = painter.testRenderHint(QPainter::Antialiasing);
  painter.setRenderHint(QPainter::Antialiasing, false);
  if (from.y() == to.y()) {
    painter.fillRect(QRectF(from.x(), std::floor(from.y()), to.x() - from.x(), 1), colour);
  } else {
    painter.fillRect(QRectF(std::floor(from.x()), from.y(), 1, to.y() - from.y()), colour);
  }
  painter.setRenderHint(QPainter::Antialiasing, antialiased);
}

} // namespace jitterscope::views
