#pragma once

#include <QWidget>

#include "views/metrics/metrics_canvas.h"

class QComboBox;
class QScrollBar;
class QToolButton;

namespace jitterscope::views {

/// View of metrics: a toolbar to add metrics and choose the current panel's level, above the panels.
class MetricsWidget : public QWidget {
  Q_OBJECT

public:
  explicit MetricsWidget(QWidget* parent = nullptr);

  MetricsCanvas* canvas() { return canvas_; }
  QToolButton* addButton() { return add_; }
  QComboBox* levelBox() { return level_; }
  const std::vector<MetricPanel>& panels() const { return canvas_->model().panels; }
  void setViewStyle(const ViewStyle& style) { canvas_->setViewStyle(style); }
  void setMessage(const QString& message) { canvas_->setMessage(message); }
  void setPanels(std::vector<MetricPanel> panels);
  void setPanel(int panel, MetricPanel content);

signals:
  void levelChosen(int panel, const QString& level);

private:
  void showCurrent();
  void showScroll();

  QToolButton* add_;
  QComboBox* level_;
  QScrollBar* bar_;
  MetricsCanvas* canvas_;
};

} // namespace jitterscope::views
