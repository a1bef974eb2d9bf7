#pragma once

#include <QWidget>
#include <optional>

#include "views/base/view_style.h"
#include "views/bins/bins_data.h"

class QLabel;
class QTableView;

namespace jitterscope::views {

class BinsModel;
class BinsStrip;

/// Ranked bins: headline, strip over time, list. Never changes other views; it emits requests.
class BinsWidget : public QWidget {
  Q_OBJECT

public:
  explicit BinsWidget(QWidget* parent = nullptr);

  BinsModel& model() { return *model_; }
  const BinsModel& model() const { return *model_; }
  QTableView* table() { return table_; }
  BinsStrip* strip() { return strip_; }
  std::optional<std::uint32_t> selected() const { return selected_; }
  const ViewStyle& viewStyle() const { return style_; }
  void setViewStyle(const ViewStyle& style);
  void setMessage(const QString& message);

public slots:
  void setBins(jitterscope::views::BinsData data);
  void setReasons(const std::vector<std::pair<std::uint32_t, jitterscope::views::BinReason>>& reasons);
  /// Lists only bins with this cause; empty: all bins.
  void showCause(const QString& cause);
  /// Sets the selection from the hub; emits no signal.
  void setSelected(std::optional<std::uint32_t> binIndex);

signals:
  void binSelected(std::uint32_t binIndex, jitterscope::Interval interval);
  /// Double click or Enter: zooms to the bin.
  void binActivated(std::uint32_t binIndex, jitterscope::Interval interval);
  /// Request to select all bins with this reason.
  void causeChosen(const QString& cause, const std::vector<jitterscope::Interval>& bins);
  /// Request to keep this number of the best bins.
  void keptCountChosen(std::uint32_t count);

protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

private:
  void rowChosen(int row);
  void rowActivated(int row);
  void applyStyle();
  void fitValues();
  void showWhy();
  void showMenu(QPoint position);

  BinsModel* model_ = nullptr;
  QLabel* headline_ = nullptr;
  BinsStrip* strip_ = nullptr;
  QTableView* table_ = nullptr;
  QLabel* why_;
  ViewStyle style_;
  std::optional<std::uint32_t> selected_;
  bool quiet_ = false; ///< while the hub sets the selection
};

} // namespace jitterscope::views
