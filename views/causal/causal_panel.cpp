#include "views/causal/causal_panel.h"

#include <QPainter>
#include <QResizeEvent>
#include <cmath>

#include "views/causal/causal_painter.h"

namespace jitterscope::views {

namespace {
constexpr double kMargin = 14;
}

CausalPanel::CausalPanel(QWidget* parent) : RasterView(parent) {
  setFocusPolicy(Qt::NoFocus);
  setAccessibleName(tr("Causes in words"));
  setMinimumWidth(220);
}

void CausalPanel::setGraph(const CausalGraph* graph) {
  graph_ = graph;
  QString words;
  if (graph_ != nullptr) words = graph_->sentences.join(QLatin1Char('\n'));
  setAccessibleDescription(words);
  measure();
  update();
}

void CausalPanel::measure() {
  if (graph_ == nullptr || graph_->empty()) {
    setMinimumHeight(0);
    return;
  }
  const double height = causal::panelHeight(width() - 2 * kMargin, *graph_, viewStyle());
  setMinimumHeight(static_cast<int>(std::ceil(height + 2 * kMargin)));
}

void CausalPanel::styleChanged() {
  measure();
}

void CausalPanel::resizeEvent(QResizeEvent* event) {
  RasterView::resizeEvent(event);
  if (event->size().width() != event->oldSize().width()) measure();
}

void CausalPanel::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  painter.fillRect(rect(), viewStyle().background);
  if (graph_ == nullptr || graph_->empty()) return;
  causal::paintPanel(painter, QRectF(rect()).adjusted(kMargin, kMargin, -kMargin, 0), *graph_, viewStyle());
}

} // namespace jitterscope::views
