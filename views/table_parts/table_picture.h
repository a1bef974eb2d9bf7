#pragma once

#include <QRectF>
#include <QString>
#include <vector>

class QAbstractItemModel;
class QPainter;
class QTableView;

namespace jitterscope::views {

struct ViewStyle;

/// A table on paper: what it is of, its titles, as many rows as fit, and in the last line what did not.
struct TablePicture {
  const QAbstractItemModel* model = nullptr;
  std::vector<int> columns; ///< of the model, from the left
  int first = 0;            ///< row of the model in the first line
  QString title;
  int total = -1;    ///< rows that there are, of models that hold only those in sight
  int mostLines = 1; ///< of a text in a row; what is longer is elided
};

/// Role of a shorter text of a cell, for where its own has no room; empty without.
inline constexpr int kBriefRole = 0x0100 + 100; // beyond the models' own roles from Qt::UserRole

/// What a view shows, from the first row in sight: its columns in their order, without the hidden ones.
TablePicture pictureOf(const QTableView& table, const QString& title);

/// Widths of the columns that fit into `width`, with the room between them. Numbers are never cut: texts give
/// way first, then the last columns do. May be fewer than the picture has, never none.
std::vector<double> columnWidths(const TablePicture& picture, double width, int rows, const ViewStyle& style);

/// Values of columns that are aligned right are taken for numbers.
void paintTable(QPainter& painter, const QRectF& rect, const TablePicture& picture, const ViewStyle& style);

} // namespace jitterscope::views
