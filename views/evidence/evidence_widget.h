#pragma once

#include <QWidget>
#include <memory>

#include "views/evidence/evidence_model.h"
#include "views/vtk/vtk_host.h"

class QCheckBox;
class QPushButton;

namespace jitterscope::views {

class EvidenceChart;

/// Scatter and distributions, drawn by VTK where EGL is there, else by QPainter. Left and Right go through
/// single rows, Enter selects one; H holds the other causes or shows the values as measured.
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
  void place(); ///< the model in the view, below its words
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

/// The canvas with what can be done with its rows.
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
  /// One of the rows.
  void rowClicked(qint64 row);
  /// All rows with the cause, or all without.
  void sideRequested(bool with);

private:
  EvidenceCanvas* canvas_ = nullptr;
  QCheckBox* held_ = nullptr;
  QPushButton* with_ = nullptr;
  QPushButton* without_ = nullptr;
};

} // namespace jitterscope::views
