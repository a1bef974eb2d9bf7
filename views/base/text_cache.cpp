#include "views/base/text_cache.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QHash>
#include <QPaintEngine>
#include <QPainter>
#include <QStaticText>
#include <algorithm>
#include <cmath>
#include <optional>

namespace jitterscope::views {

namespace {

struct Key {
  QFont font;
  QString text;
  bool operator==(const Key&) const = default;
};
size_t qHash(const Key& key, size_t seed) {
  return qHashMulti(seed, key.font.pixelSize(), key.font.weight(), key.text);
}

struct ElidedKey {
  Key of;
  int mode = 0;
  double width = 0;
  bool operator==(const ElidedKey&) const = default;
};
size_t qHash(const ElidedKey& key, size_t seed) {
  return qHashMulti(seed, qHash(key.of, seed), key.mode, key.width);
}

struct Line {
  double width = 0;                  ///< advance of the line
  QSizeF bounds;                     ///< bounding rectangle that drawText() would compute
  std::optional<QStaticText> glyphs; ///< set once the line was drawn
};

struct Cache {
  QHash<Key, Line> lines;
  QHash<ElidedKey, QString> elided;
};

Cache& cache() {
  static thread_local Cache own;
  return own;
}

// Clears the cache, because fonts must not outlive the application.
void forget() {
  cache() = {};
}

template <class Map>
void bound(Map& map) {
  constexpr qsizetype kMax = 6'000;
  if (map.size() >= kMax) map.clear();
}

Line& lineOf(const QFont& font, const QString& text) {
  auto& lines = cache().lines;
  const Key key{font, text};
  if (const auto found = lines.find(key); found != lines.end()) return *found;
  static const bool kForgotten = (qAddPostRoutine(forget), true);
  Q_UNUSED(kForgotten);
  bound(lines);
  const QFontMetricsF metrics(font);
  Line line;
  line.width = metrics.horizontalAdvance(text);
  line.bounds =
      metrics.boundingRect(QRectF(), Qt::AlignLeft | Qt::AlignTop | Qt::TextSingleLine, text).size();
  return *lines.insert(key, line);
}

// False for cases left to drawText(): tabs, line ends, right-to-left text and devices that are not rasters.
bool plain(const QPainter& painter, const QString& text) {
  if (!paintsPixels(painter) || painter.layoutDirection() != Qt::LeftToRight || text.isRightToLeft())
    return false;
  return std::none_of(text.begin(), text.end(),
                      [](QChar c) { return c < QLatin1Char(' ') || c == QChar::LineSeparator; });
}

} // namespace

bool paintsPixels(const QPainter& painter) {
  return painter.paintEngine() != nullptr && painter.paintEngine()->type() == QPaintEngine::Raster;
}

double textWidth(const QFont& font, const QString& text) {
  return text.isEmpty() ? 0 : lineOf(font, text).width;
}

QString elidedText(const QFont& font, const QString& text, Qt::TextElideMode mode, double width) {
  // Compares in units of 1/64 pixel, as the text layout does.
  if (std::lround(textWidth(font, text) * 64) <= std::lround(width * 64)) return text;
  auto& elided = cache().elided;
  const ElidedKey key{{font, text}, static_cast<int>(mode), width};
  if (const auto found = elided.constFind(key); found != elided.constEnd()) return *found;
  bound(elided);
  return *elided.insert(key, QFontMetricsF(font).elidedText(text, mode, width));
}

void drawLine(QPainter& painter, const QRectF& rect, Qt::Alignment alignment, const QString& text) {
  if (text.isEmpty()) return;
  if (!plain(painter, text)) {
    painter.drawText(rect, static_cast<int>(alignment) | Qt::TextSingleLine, text);
    return;
  }
  const QFont font = painter.font();
  Line& line = lineOf(font, text);
  if (!line.glyphs) {
    line.glyphs.emplace(text);
    line.glyphs->setTextFormat(Qt::PlainText);
    line.glyphs->setPerformanceHint(QStaticText::AggressiveCaching);
    line.glyphs->prepare(painter.transform(), font);
  }
  const auto across = [&](double length) {
    return (alignment & Qt::AlignRight)     ? rect.width() - length
           : (alignment & Qt::AlignHCenter) ? (rect.width() - length) / 2
                                            : 0.0;
  };
  const double height = line.bounds.height();
  const double down = (alignment & Qt::AlignBottom)    ? rect.height() - height
                      : (alignment & Qt::AlignVCenter) ? (rect.height() - height) / 2
                                                       : 0.0;
  const QRectF bounds(rect.x() + across(line.bounds.width()), rect.y() + down, line.bounds.width(), height);
  const bool clipped = !rect.contains(bounds);
  if (clipped) {
    painter.save();
    painter.setClipRect(rect, Qt::IntersectClip);
  }
  painter.drawStaticText(QPointF(rect.x() + across(line.width), rect.y() + down), *line.glyphs);
  if (clipped) painter.restore();
}

} // namespace jitterscope::views
