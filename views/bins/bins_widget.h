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

/// Ranked bins: headline, strip over time, list. Never moves anything else: it says what the user wants.
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
  /// The list of one cause; empty: all.
  void showCause(const QString& cause);
  /// From the hub; emits nothing.
  void setSelected(std::optional<std::uint32_t> binIndex);

signals:
  void binSelected(std::uint32_t binIndex, jitterscope::Interval interval);
  /// Double click or Enter: zoom there.
  void binActivated(std::uint32_t binIndex, jitterscope::Interval interval);
  /// All bins with this reason are wanted together.
  void causeChosen(const QString& cause, const std::vector<jitterscope::Interval>& bins);
  /// So many of the best bins are to be kept.
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
