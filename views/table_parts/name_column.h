#pragma once

#include <QObject>

class QAbstractItemDelegate;
class QTableView;

namespace jitterscope::views {

/// The column of names in a table: it takes the room that the first columns of numbers leave, so that these
/// are in sight in a narrow place too, until the user gives it a width. Of names that are longer the brief
/// one is shown (kBriefRole) where only one row has it, else what sets them apart: rows that differ never
/// look the same.
class NameColumn : public QObject {
  Q_OBJECT

public:
  /// `beside`: columns of numbers that are to be seen, as they stand on the screen.
  NameColumn(QTableView& table, int column, int beside);
  /// The names stand in another column now; none: −1.
  void follow(int column);

protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

private:
  void shorten();
  void fit();

  QTableView& table_;
  QAbstractItemDelegate* names_;
  int column_, beside_;
  bool fitting_ = false, chosen_ = false;
};

} // namespace jitterscope::views
