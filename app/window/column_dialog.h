#pragma once

#include <QDialog>

#include "app/session/table_columns.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QTableWidget;

namespace jitterscope::app {

/// Columns of a plain table: its first rows, and the role of each column. Choices are checked
/// against the file immediately; accepting remembers them for tables with the same header.
class ColumnDialog : public QDialog {
  Q_OBJECT

public:
  explicit ColumnDialog(TableFile table, QWidget* parent = nullptr);

  /// The chosen mapping, as parsed by import::parse_mapping; empty if nothing was changed.
  QStringList mapping() const;
  QComboBox* role_box(int column) const;
  QLineEdit* unit_edit(int column) const;
  QPushButton* open_button() const { return open_; }
  QString summary() const;
  void accept() override;

private:
  void add_column(int column);
  void choose_role(int column, int index);
  void check();
  void show_checked(const Expected<std::optional<import::table::Preview>>& checked);
  void show_recognised_roles(const import::table::Preview& checked);

  TableFile table_;
  QTableWidget* columns_;
  QLabel* summary_;
  QPushButton* open_;
  int checks_ = 0; ///< number of checks started; only the result of the newest is shown
};

} // namespace jitterscope::app
