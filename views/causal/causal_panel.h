#pragma once

#include "views/base/raster_view.h"
#include "views/causal/causal_data.h"

namespace jitterscope::views {

/// Sentences, contributions and warnings, as tall as they need; to stand in a scroll area.
class CausalPanel : public RasterView {
  Q_OBJECT

public:
  explicit CausalPanel(QWidget* parent = nullptr);
  void setGraph(const CausalGraph* graph); ///< borrowed; null: nothing

protected:
  void styleChanged() override;
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

private:
  void measure();

  const CausalGraph* graph_ = nullptr;
};

} // namespace jitterscope::views
