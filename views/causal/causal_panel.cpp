#include "views/causal/causal_panel.h"

#include <QDesktopServices>
#include <QPainter>
#include <QResizeEvent>
#include <QToolButton>
#include <QUrl>
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
  confidence_ = new QToolButton(this);
  confidence_->setText(tr("How sure?"));
  confidence_->setCheckable(true);
  confidence_->setAutoRaise(true);
  confidence_->setArrowType(Qt::RightArrow);
  confidence_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  confidence_->setToolTip(tr("Intervals, shares of the variance and what is not explained"));
  confidence_->hide();
  method_ = new QToolButton(this);
  method_->setText("?");
  method_->setAutoRaise(true);
  method_->setToolTip(tr("How was this computed?"));
  method_->setAccessibleName(tr("How was this computed?"));
  method_->hide();
  connect(method_, &QToolButton::clicked, this,
          [] { QDesktopServices::openUrl(QUrl("help:causal#reading-the-answer")); });
  connect(confidence_, &QToolButton::toggled, this, [this](bool whole) {
    confidence_->setArrowType(whole ? Qt::DownArrow : Qt::RightArrow);
    emit confidenceRequested(whole);
  });
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
    confidence_->hide();
    method_->hide();
    return;
  }
  const double inner = width() - 2 * kMargin;
  confidence_->setFont(viewStyle().font(FontRole::Small));
  confidence_->adjustSize();
  method_->setFont(confidence_->font());
  method_->adjustSize();
  const int top = static_cast<int>(kMargin + causal::sharesTop(inner, *graph_, viewStyle())) + 7;
  method_->move(width() - static_cast<int>(kMargin) - method_->width(), top);
  confidence_->move(method_->x() - confidence_->width(), top);
  confidence_->setVisible(causal::showsConfidence(*graph_));
  method_->setVisible(causal::showsConfidence(*graph_));
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
