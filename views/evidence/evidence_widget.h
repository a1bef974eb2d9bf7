#pragma once

#include <QWidget>
#include <memory>

#include "views/evidence/evidence_model.h"
#include "views/vtk/vtk_host.h"

class QCheckBox;
class QPushButton;

namespace jitterscope::views {

class EvidenceChart;

/// Scatter and distributions, drawn by VTK if EGL is available, else by QPainter. Left and Right step through
/// single rows, Enter selects one; H switches between holding the other causes constant and the values as
/// measured.
class EvidenceCanvas : public VtkHost {
  Q_OBJECT

public:
  explicit EvidenceCanvas(QWidget* parent = nullptr);
  ~EvidenceCanvas() override;

  EvidenceModel& model() { return model_; }
  void modelChanged();
  QSize sizeHint() const override { return {760, 320}; }
  QSize minimumSizeHint() const override { return {320, 200}; }

signals:
  void rowClicked(qint64 row);
  void holdRequested(bool held);

protected:
  void prepareScene(const QSize& size) override;
  void paintFallback(QPainter& painter, const QRectF& rect) override;
  void paintOver(QPainter& painter) override;
  bool hasContent() const override { return !model_.empty(); }
  void place(); ///< lays out the model below its text lines
  void resizeEvent(QResizeEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;

private:
  void stepPoint(int by);

  EvidenceModel model_;
  std::unique_ptr<EvidenceChart> chart_;
  int point_ = -1;
};

/// The canvas with the controls for its rows.
class EvidenceWidget : public QWidget {
  Q_OBJECT

public:
  explicit EvidenceWidget(QWidget* parent = nullptr);

  const EvidenceModel& model() const { return canvas_->model(); }
  EvidenceCanvas* canvas() { return canvas_; }
  void setViewStyle(const ViewStyle& style);
  void setMessage(const QString& message);

public slots:
  void setData(jitterscope::views::EvidenceData data);

signals:
  /// A single row was clicked.
  void rowClicked(qint64 row);
  /// Request for all rows with the cause, or all without it.
  void sideRequested(bool with);

private:
  EvidenceCanvas* canvas_ = nullptr;
  QCheckBox* held_ = nullptr;
  QPushButton* with_ = nullptr;
  QPushButton* without_ = nullptr;
};

} // namespace jitterscope::views
