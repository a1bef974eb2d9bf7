#pragma once

#include <QTimer>
#include <QWidget>
#include <optional>

#include "core/base/time.h"
#include "views/base/view_style.h"
#include "views/table/launches_data.h"

class QLabel;
class QScrollBar;
class QTableView;
class QToolButton;

namespace jitterscope::views {

class LaunchesModel;
class NameColumn;

/// Table of the selected launches, any number of them: only what is seen is asked for.
class LaunchesWidget : public QWidget {
  Q_OBJECT

public:
  explicit LaunchesWidget(QWidget* parent = nullptr);

  LaunchesModel& model() { return *model_; }
  QTableView* table() { return table_; }
  QScrollBar* scrollBar() { return scroll_; }
  QToolButton* columnsButton() { return columns_button_; }
  const LaunchesOrder& order() const { return order_; }
  void setViewStyle(const ViewStyle& style);
  const ViewStyle& viewStyle() const { return style_; }
  void setMessage(const QString& message);
  /// Whether so many rows from the first in sight on are here, as a picture on paper shows them; else they
  /// are asked for.
  bool holdsRows(qint64 count);

public slots:
  /// All columns that there are and the ones to show at first.
  void setAvailable(std::vector<jitterscope::views::LaunchesColumn> all, const QStringList& shown);
  /// Other launches are selected now; `range` in words.
  void selectionChanged(const QString& range);
  /// The answer to rowsWanted; dropped when others are wanted since.
  void addPage(jitterscope::views::LaunchesPage page, quint64 round);
  /// From the hub: the launch that is chosen, `place` in the table when it is known. Emits nothing.
  void setSelected(std::optional<quint64> number, std::optional<qint64> place = {});
  /// Where another view's cursor stands: launches that run then are marked. Nothing is emitted.
  void setCursorTime(std::optional<jitterscope::Nanoseconds> time);
  void copySelection(); ///< what is shown as TSV; the chosen row when there is one
  void setOrder(jitterscope::views::LaunchesOrder order);

signals:
  /// Wants rows [first, first + count) in this order with these columns. `round` goes back with the answer.
  void rowsWanted(qint64 first, qint64 count, const jitterscope::views::LaunchesOrder& order,
                  const QStringList& columns, quint64 round);
  void launchSelected(quint64 number);
  void launchActivated(quint64 number); ///< double click or Enter
  /// The mouse stands on a launch that starts then; nothing when it left.
  void cursorMoved(std::optional<jitterscope::Nanoseconds> time);

protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void showEvent(QShowEvent* event) override;

private:
  void fit(); ///< as many rows as fit
  void scrollTo(qint64 top);
  void moveBy(qint64 rows);
  void moveTo(qint64 row);
  void chooseCurrent();
  void ask();
  void askFor(std::pair<qint64, qint64> rows);
  void forget(); ///< all rows: other ones are wanted
  void orderChosen(int section);
  void showColumnsMenu();
  void showColumns(const QStringList& names);
  void updateHeadline();
  void markSelected();
  void showNumbersWhole();
  void hover(const QPoint& position);

  LaunchesModel* model_;
  QLabel* headline_;
  QToolButton* columns_button_;
  QTableView* table_;
  NameColumn* names_;
  QScrollBar* scroll_;
  ViewStyle style_;
  std::vector<LaunchesColumn> all_;
  LaunchesOrder order_;
  QString range_, message_;
  std::optional<quint64> selected_;
  std::optional<qint64> current_; ///< row that the keys move
  bool waiting_ = false;          ///< for the launch at current_, to choose it
  QTimer ask_;
  std::pair<qint64, qint64> asked_{-1, 0};
  quint64 round_ = 0; ///< of forget(): answers to earlier questions are of no use
};

} // namespace jitterscope::views
