#pragma once

#include <QObject>

class QAbstractItemDelegate;
class QTableView;

namespace jitterscope::views {

/// Manages the name column of a table: it takes the width that the first numeric columns leave, so that these
/// stay visible in narrow docks, until the user resizes it. A longer name is replaced by its brief form
/// (kBriefRole) if only one row has that form, else by its distinguishing part: different rows never
/// look the same.
class NameColumn : public QObject {
  Q_OBJECT

public:
  /// `margin`: number of numeric columns to keep visible, in visual order.
  NameColumn(QTableView& table, int column, int margin);
  /// To be called when the names are in another column; −1: none.
  void follow(int column);

protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

private:
  void shorten();
  void fit();

  QTableView& table_;
  QAbstractItemDelegate* names_;
  int column_, margin_;
  bool fitting_ = false, chosen_ = false;
};

} // namespace jitterscope::views
