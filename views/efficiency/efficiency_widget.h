#pragma once

#include <QWidget>
#include <optional>

#include "views/base/raster_view.h"
#include "views/efficiency/efficiency_data.h"
#include "views/efficiency/efficiency_model.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QScrollArea;

namespace jitterscope::views {

/// The painted part of the view: as high as its content, inside a scroll area.
class EfficiencyCanvas : public RasterView {
  Q_OBJECT

public:
  explicit EfficiencyCanvas(QWidget* parent = nullptr);
  const EfficiencyData& data() const { return data_; }
  void setData(EfficiencyData data);
  std::optional<std::size_t> current() const { return current_; }

signals:
  void factorChosen(int factor);
  void rowChosen(int row);
  void partChosen(int part);
  void lineReached(QRectF line); ///< reached by keyboard: the scroll area should show it

protected:
  void styleChanged() override;
  void resizeEvent(QResizeEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

private:
  void relayout();
  void setCurrent(std::optional<std::size_t> line);
  void choose(std::size_t line, double x);
  QString cardAt(std::size_t line, double x) const;
  void step(int by);
  QPointF currentPlace() const;
  void showCurrentCard();

  EfficiencyData data_;
  efficiency::Layout layout_;
  std::optional<std::size_t> current_; ///< line under the pointer, or reached by keyboard
  std::optional<QPointF> pointer_;     ///< on the screen, while it chooses the current line
  std::size_t part_ = 0;               ///< index of the timeline's column reached by keyboard
};

/// Efficiencies of a range: the tree of factors, each with the time it costs and where most of it
/// arises; devices and host threads; the switch for whether collectives count as useful.
class EfficiencyWidget : public QWidget {
  Q_OBJECT

public:
  explicit EfficiencyWidget(QWidget* parent = nullptr);

  EfficiencyCanvas* canvas() { return canvas_; }
  QComboBox* collectivesBox() { return collectives_; }
  const EfficiencyData& data() const { return canvas_->data(); }
  bool collectivesUseful() const;
  /// Number of columns requested for the timeline.
  int granularity() const;
  QComboBox* granularityBox() { return granularity_; }
  /// Lists of ranks and of device numbers such as "0-3,7", as typed; empty: all.
  QLineEdit* ranksField() { return ranks_; }
  QLineEdit* devicesField() { return devices_; }
  /// Choice of the reference run; its entries belong to the controller.
  QComboBox* referenceBox() { return reference_; }
  /// Elapsed time on an ideal network, as typed.
  QLineEdit* idealField() { return ideal_; }
  void setViewStyle(const ViewStyle& style);

public slots:
  void setData(const jitterscope::views::EfficiencyData& data);
  void setMessage(const QString& message);
  void setCollectivesUseful(bool useful); ///< emits no signal
  /// Sets the timeline of the current data.
  void setParts(std::vector<jitterscope::views::EfficiencyPart> parts);

signals:
  void collectivesChosen(bool useful);
  void factorChosen(int factor); ///< index into data().factors
  void rowChosen(int row);       ///< index into data().rows
  void partChosen(int part);     ///< index into data().parts
  void granularityChosen(int parts);
  void rowsLimited(); ///< the fields of ranks or devices changed
  void referenceChosen(int entry);
  void idealTimeEntered();

private:
  QLabel* range_;
  QComboBox *collectives_, *granularity_, *reference_;
  QLineEdit *ranks_, *devices_, *ideal_;
  QScrollArea* scroll_;
  EfficiencyCanvas* canvas_;
};

} // namespace jitterscope::views
