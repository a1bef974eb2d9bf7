#pragma once

#include <QDialog>
#include <QStringList>
#include <functional>
#include <vector>

class QLabel;
class QLineEdit;
class QListWidget;

namespace jitterscope::app {

/// A column that can be an axis.
struct PickerColumn {
  QString name;
  QString unit;
  QString description;
};

/// Dialog to choose axes from any number of columns: typing searches names and descriptions, space ticks;
/// presets by spread and by causal contribution.
class ColumnPicker : public QDialog {
  Q_OBJECT

public:
  static constexpr int kMaxAxes = 30;

  ColumnPicker(const std::vector<PickerColumn>& columns, const QStringList& chosen,
               QWidget* parent = nullptr);

  QStringList chosen() const; ///< keys of the ticked columns, in the order of ticking
  void choose(const QStringList& names);
  QLineEdit* search() { return search_; }
  QListWidget* list() { return list_; }
  int visible_rows() const;

signals:
  void spread_requested();
  void causal_requested();
  void accepted_with(const QStringList& axes);

private:
  void find(const QString& text);
  void count();

  QLineEdit* search_ = nullptr;
  QListWidget* list_ = nullptr;
  QLabel* count_ = nullptr;
  QStringList order_; ///< keys of the ticked columns, in the order of ticking
};

} // namespace jitterscope::app
