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

/// Table of any number of selected launches: only visible rows are requested.
class LaunchesWidget : public QWidget {
  Q_OBJECT

public:
  explicit LaunchesWidget(QWidget* parent = nullptr);

  LaunchesModel& model() { return *model_; }
  QTableView* table() { return table_; }
  QScrollBar* scrollBar() { return scroll_; }
  const LaunchesOrder& order() const { return order_; }
  void setViewStyle(const ViewStyle& style);
  const ViewStyle& viewStyle() const { return style_; }
  void setMessage(const QString& message);
  /// True if this number of rows from the first visible row is cached, for a picture on paper; otherwise
  /// requests them.
  bool holdsRows(qint64 count);

public slots:
  /// Sets all available columns and the ones shown initially.
  void setAvailable(std::vector<jitterscope::views::LaunchesColumn> all, const QStringList& shown);
  QStringList shownColumns() const;           ///< names
  void showColumns(const QStringList& names); ///< unknown names are ignored
  /// Shows these columns in this order, those that are not available yet as soon as they are.
  void restore(const jitterscope::views::LaunchesChoice& choice);
  /// To be called when the selection of launches has changed; `range`: its time range in words.
  void selectionChanged(const QString& range);
  /// Answer to rowsRequested; dropped if a newer request replaced it.
  void addPage(const jitterscope::views::LaunchesPage& page, quint64 round);
  /// Sets the selected launch from the hub, and `place`, its table row if known. Emits no signal.
  void setSelected(std::optional<quint64> number, std::optional<qint64> place = {});
  /// Sets the cursor time of another view: launches that run then are marked. Emits no signal.
  void setCursorTime(std::optional<jitterscope::Nanoseconds> time);
  void copySelection(); ///< copies the visible rows as TSV, or only the selected row if there is one
  void setOrder(jitterscope::views::LaunchesOrder order);

signals:
  /// Request for rows [first, first + count) in this order with these columns. The answer carries `round`.
  void rowsRequested(qint64 first, qint64 count, const jitterscope::views::LaunchesOrder& order,
                     const QStringList& columns, quint64 round);
  void launchSelected(quint64 number);
  void launchActivated(quint64 number); ///< double click or Enter
  /// Start time of the launch under the mouse; nullopt when the mouse has left.
  void cursorMoved(std::optional<jitterscope::Nanoseconds> time);

protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void showEvent(QShowEvent* event) override;

private:
  void fit(); ///< adjusts the number of visible rows to the height
  void scrollTo(qint64 top);
  void moveBy(qint64 rows);
  void moveTo(qint64 row);
  void chooseCurrent();
  void ask();
  void askFor(std::pair<qint64, qint64> rows);
  void forget(); ///< drops all rows: the selection or order changed
  void orderChosen(int section);
  void showColumnsMenu();
  void updateHeadline();
  void markSelected();
  void showFullNumbers();
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
  std::optional<LaunchesChoice> restored_; ///< with columns that are not available yet
  int wheel_ = 0;                          ///< turn of the wheel that is less than a row
  QString range_, message_;
  std::optional<quint64> selected_;
  std::optional<qint64> current_; ///< row of the keyboard cursor
  bool waiting_ = false;          ///< waiting for the launch at current_ in order to select it
  QTimer ask_;
  std::pair<qint64, qint64> asked_{-1, 0};
  quint64 round_ = 0; ///< incremented by forget(); answers with an older value are dropped
};

} // namespace jitterscope::views
