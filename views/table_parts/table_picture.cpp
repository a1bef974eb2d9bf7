#include "views/table_parts/table_picture.h"

#include <QAbstractItemModel>
#include <QFontMetricsF>
#include <QHeaderView>
#include <QPainter>
#include <QStringList>
#include <QTableView>
#include <algorithm>
#include <cmath>
#include <utility>

#include "views/base/format.h"
#include "views/base/painting.h"
#include "views/base/text.h"
#include "views/base/text_cache.h"
#include "views/base/view_style.h"
#include "views/table_parts/distinct_names.h"

namespace jitterscope::views {

namespace {

constexpr double kMargin = 10, kGap = 14; // margin around the table, gap between columns
constexpr double kSwatch = 15;            // colour swatch before a name, including the gap after it
constexpr double kMinTextWidth = 70, kMinTitleWidth = 100;
constexpr double kMinShare = 0.38,
                 kMinShareAfterNumber = 0.3; ///< minimum share of the width for the first text column;
                                             ///< kMinShareAfterNumber applies if a number precedes it

QModelIndex cell(const TablePicture& picture, int row, std::size_t column) {
  return picture.model->index(row, picture.columns[column]);
}

bool isNumber(const TablePicture& picture, std::size_t column) {
  if (picture.model->rowCount() <= picture.first) return false;
  const auto alignment = cell(picture, picture.first, column).data(Qt::TextAlignmentRole);
  return alignment.isValid() && (alignment.toInt() & Qt::AlignRight) != 0;
}

QString titleOf(const TablePicture& picture, std::size_t column) {
  return picture.model->headerData(picture.columns[column], Qt::Horizontal).toString();
}

QColor swatchOf(const QModelIndex& index) {
  const QVariant decoration = index.data(Qt::DecorationRole);
  return decoration.typeId() == QMetaType::QColor ? decoration.value<QColor>() : QColor();
}

double preferredWidth(const TablePicture& picture, std::size_t column, int rows, const ViewStyle& style,
                      double maxTitleWidth = 1e9) {
  double widest = std::min(textWidth(style.font(FontRole::Small), titleOf(picture, column)), maxTitleWidth);
  for (int r = picture.first; r < picture.first + rows; ++r) {
    const QModelIndex index = cell(picture, r, column);
    widest = std::max(widest, textWidth(style.font(), index.data().toString()) +
                                  (swatchOf(index).isValid() ? kSwatch : 0));
  }
  return std::ceil(widest) + 2;
}

double lineHeight(const ViewStyle& style) {
  return std::ceil(metricsOf(style.font()).height());
}

/// Height of the text in a column of this width, limited to the maximum number of lines.
double textHeight(const TablePicture& picture, const QString& text, double width, const ViewStyle& style) {
  const double line = lineHeight(style);
  if (picture.maxLines == 1 || textWidth(style.font(), text) <= width) return line;
  const QRectF needed =
      metricsOf(style.font()).boundingRect(QRectF(0, 0, width, 1e4), Qt::AlignLeft | Qt::TextWordWrap, text);
  return std::min(std::ceil(needed.height()), line * picture.maxLines);
}

/// Texts of a column in the rows; shortened names never become equal.
QStringList textsOf(const TablePicture& picture, std::size_t column, int rows, double width,
                    const ViewStyle& style) {
  QStringList texts, brief;
  bool swatches = false;
  for (int r = picture.first; r < picture.first + rows; ++r) {
    const QModelIndex index = cell(picture, r, column);
    texts << index.data().toString();
    brief << index.data(kBriefRole).toString();
    swatches = swatches || swatchOf(index).isValid();
  }
  if (isNumber(picture, column) || picture.maxLines != 1) return texts;
  const double room = width - (swatches ? kSwatch : 0);
  for (qsizetype i = 0; i < texts.size(); ++i)
    if (!brief[i].isEmpty() && brief.count(brief[i]) == 1 && textWidth(style.font(), texts[i]) > room)
      texts[i] = brief[i];
  return distinctNames(texts, style.font(), room);
}

void paintCell(QPainter& painter, const TablePicture& picture, const QModelIndex& index, const QString& text,
               QRectF rect, bool number, const ViewStyle& style) {
  const double line = lineHeight(style);
  if (const QColor swatch = swatchOf(index); swatch.isValid()) {
    painter.fillRect(QRectF(rect.left(), rect.top() + line / 2 - 5, 10, 10), swatch);
    rect.setLeft(rect.left() + kSwatch);
  }
  painter.setPen(style.text);
  if (number || picture.maxLines == 1 || textWidth(painter.font(), text) <= rect.width())
    drawElided(painter, QRectF(rect.left(), rect.top(), rect.width(), line), text,
               (number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter,
               text.contains(QLatin1Char('<')) ? Qt::ElideMiddle
                                               : Qt::ElideRight); // keeps the distinguishing end
  else
    painter.drawText(rect, Qt::AlignLeft | Qt::TextWordWrap, text);
}

/// States what a small picture omits; empty if it omits nothing.
QString leftOut(int shown, int rows, std::size_t columns, std::size_t all) {
  QStringList parts;
  if (shown < rows)
    parts << Text::tr("%1 of %2 rows")
                 .arg(formatCount(static_cast<std::uint64_t>(shown)),
                      formatCount(static_cast<std::uint64_t>(rows)));
  if (columns < all) parts << Text::tr("%1 of %2 columns").arg(columns).arg(all);
  return parts.isEmpty() ? QString() : Text::tr("%1 shown").arg(parts.join(QStringLiteral(", ")));
}

} // namespace

TablePicture pictureOf(const QTableView& table, const QString& title) {
  TablePicture picture;
  picture.model = table.model();
  picture.title = title;
  picture.first = std::max(table.rowAt(0), 0);
  const QHeaderView& header = *table.horizontalHeader();
  for (int place = 0; place < header.count(); ++place)
    if (const int column = header.logicalIndex(place); !header.isSectionHidden(column))
      picture.columns.push_back(column);
  return picture;
}

std::vector<double> columnWidths(const TablePicture& picture, double width, int rows,
                                 const ViewStyle& style) {
  std::vector<double> preferred, min_widths;
  bool first = true;
  for (std::size_t c = 0; c < picture.columns.size(); ++c) {
    preferred.push_back(preferredWidth(picture, c, rows, style));
    if (isNumber(picture, c)) {
      min_widths.push_back(preferredWidth(picture, c, rows, style, kMinTitleWidth));
      continue;
    }
    const double share = std::exchange(first, false) ? (c == 0 ? kMinShare : kMinShareAfterNumber) : 0;
    min_widths.push_back(std::min(preferred[c], std::max(kMinTextWidth, share * width)));
  }
  double needed = 0;
  for (const double each : min_widths) needed += each;
  const auto gaps = [&] {
    return kGap * static_cast<double>(std::max<std::size_t>(preferred.size(), 1) - 1);
  };
  while (preferred.size() > 1 && needed + gaps() > width) {
    needed -= min_widths.back();
    preferred.pop_back();
    min_widths.pop_back();
  }
  // The remaining width goes to text columns, in proportion to their missing width.
  double lacking = 0;
  for (std::size_t c = 0; c < preferred.size(); ++c) lacking += preferred[c] - min_widths[c];
  const double part = lacking > 0 ? std::clamp((width - gaps() - needed) / lacking, 0.0, 1.0) : 0;
  for (std::size_t c = 0; c < preferred.size(); ++c)
    min_widths[c] = std::min(width, std::floor(min_widths[c] + part * (preferred[c] - min_widths[c])));
  return min_widths;
}

void paintTable(QPainter& painter, const QRectF& rect, const TablePicture& picture, const ViewStyle& style) {
  painter.fillRect(rect, style.background);
  const int rows = picture.model ? picture.model->rowCount() : 0;
  if (rows == 0 || picture.columns.empty())
    return drawMessage(painter, rect, Text::tr("%1: nothing to show").arg(picture.title), style);
  const QRectF inside = rect.adjusted(kMargin, kMargin, -kMargin, -kMargin);
  const double line = lineHeight(style), row = line + 5;
  double y = inside.top();
  painter.setFont(style.font(FontRole::Emphasis));
  painter.setPen(style.text);
  drawElided(painter, QRectF(inside.left(), y, inside.width(), row), picture.title);
  y += row + 2;
  const double body = y + row + 3, bottom = inside.bottom() - row; // the note about omitted content is below
  const int maximum = std::min(rows - picture.first, std::max(static_cast<int>((bottom - body) / row), 1));
  const auto widths = columnWidths(picture, inside.width(), maximum, style);
  std::vector<QStringList> texts;
  for (std::size_t c = 0; c < widths.size(); ++c)
    texts.push_back(textsOf(picture, c, maximum, widths[c], style));
  std::vector<double> left;
  for (double x = inside.left(); const double width : widths) {
    left.push_back(x);
    x += width + kGap;
  }
  painter.setFont(style.font(FontRole::Small));
  painter.setPen(style.mutedText);
  for (std::size_t c = 0; c < widths.size(); ++c)
    drawElided(painter, QRectF(left[c], y, widths[c], row), titleOf(picture, c),
               (isNumber(picture, c) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  drawHairline(painter, {inside.left(), body - 3}, {inside.right(), body - 3}, style.border);
  painter.setFont(style.font());
  y = body;
  int shown = 0;
  for (; shown < maximum; ++shown) {
    const int at = picture.first + shown;
    double height = line;
    for (std::size_t c = 0; c < widths.size(); ++c)
      height =
          std::max(height, textHeight(picture, cell(picture, at, c).data().toString(), widths[c], style));
    const bool last = at + 1 == rows && widths.size() == picture.columns.size();
    if (y + height > (last ? inside.bottom() : bottom) && shown > 0) break;
    if (shown % 2 == 1)
      painter.fillRect(QRectF(inside.left() - 4, y, inside.width() + 8, height + 5), style.lane);
    for (std::size_t c = 0; c < widths.size(); ++c)
      paintCell(painter, picture, cell(picture, at, c), texts[c].value(shown),
                QRectF(left[c], y + 2, widths[c], height), isNumber(picture, c), style);
    y += height + 5;
  }
  const QString rest = leftOut(shown, std::max(rows, picture.total), widths.size(), picture.columns.size());
  painter.setFont(style.font(FontRole::Small));
  painter.setPen(style.mutedText);
  if (!rest.isEmpty())
    drawElided(painter, QRectF(inside.left(), inside.bottom() - row + 3, inside.width(), row), rest);
}

} // namespace jitterscope::views
