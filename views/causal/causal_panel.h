#pragma once

#include <utility>
#include <vector>

#include "views/base/raster_view.h"
#include "views/causal/causal_data.h"

class QToolButton;

namespace jitterscope::views {

/// The answer in words at its full height: headline, ranked causes, details on request; placed in a scroll
/// area.
class CausalPanel : public RasterView {
  Q_OBJECT

public:
  explicit CausalPanel(QWidget* parent = nullptr);
  void setGraph(const CausalGraph* graph); ///< borrowed; null: no graph
  /// Part that answers an earlier question and is dimmed.
  enum class Outdated { Nothing, AllButMoment, All };
  void setOutdated(Outdated part);
  Outdated outdated() const { return outdated_; }
  QToolButton* confidenceButton() { return confidence_; }

signals:
  void exampleRequested(const QString& key); ///< column of a cause
  void confidenceRequested(bool whole);

protected:
  void styleChanged() override;
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;

private:
  void measure();
  QString exampleAt(QPointF position) const; ///< key of the cause linked there; empty: no link

  const CausalGraph* graph_ = nullptr;
  Outdated outdated_ = Outdated::Nothing;
  std::vector<std::pair<QRectF, QString>> examples_; ///< links to examples, and columns of their causes
  QToolButton* confidence_;
  QToolButton* method_; ///< opens the help page about the panel's numbers
};

} // namespace jitterscope::views
