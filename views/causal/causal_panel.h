#pragma once

#include "views/base/raster_view.h"
#include "views/causal/causal_data.h"

class QToolButton;

namespace jitterscope::views {

/// Sentences, contributions and warnings at their full height; placed in a scroll area.
class CausalPanel : public RasterView {
  Q_OBJECT

public:
  explicit CausalPanel(QWidget* parent = nullptr);
  void setGraph(const CausalGraph* graph); ///< borrowed; null: no graph
  QToolButton* confidenceButton() { return confidence_; }

signals:
  void confidenceRequested(bool whole);

protected:
  void styleChanged() override;
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

private:
  void measure();

  const CausalGraph* graph_ = nullptr;
  QToolButton* confidence_;
  QToolButton* method_; ///< opens the help page of these numbers
};

} // namespace jitterscope::views
