#pragma once

#include <QRectF>
#include <QString>
#include <vector>

class QAbstractItemModel;
class QPainter;
class QTableView;

namespace jitterscope::views {

struct ViewStyle;

/// A table for print or export: title, header, as many rows as fit, and a last line about omitted rows.
struct TablePicture {
  const QAbstractItemModel* model = nullptr;
  std::vector<int> columns; ///< columns of the model, from the left
  int first = 0;            ///< row of the model that the first line shows
  QString title;
  int total = -1;   ///< total rows, for models that hold only the visible ones
  int maxLines = 1; ///< maximum lines of text per row; longer text is elided
};

/// Role of a shorter cell text, used where the full one does not fit; empty if there is none.
inline constexpr int kBriefRole = 0x0100 + 100; // beyond the models' own roles from Qt::UserRole

/// Visible content of a view from its first visible row: columns in visual order, without hidden ones.
TablePicture pictureOf(const QTableView& table, const QString& title);

/// Widths of the columns that fit into `width`, including the gaps. Numbers are never truncated: text columns
/// shrink first, then the last columns are dropped, except the first column.
std::vector<double> columnWidths(const TablePicture& picture, double width, int rows, const ViewStyle& style);

/// Paints the table. Right-aligned columns are treated as numeric.
void paintTable(QPainter& painter, const QRectF& rect, const TablePicture& picture, const ViewStyle& style);

} // namespace jitterscope::views
