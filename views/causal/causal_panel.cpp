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
  how_sure_ = new QToolButton(this);
  how_sure_->setText(tr("How sure?"));
  how_sure_->setCheckable(true);
  how_sure_->setAutoRaise(true);
  how_sure_->setArrowType(Qt::RightArrow);
  how_sure_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  how_sure_->setToolTip(tr("Intervals, shares of the variance and what is not explained"));
  how_sure_->hide();
  method_ = new QToolButton(this);
  method_->setText("?");
  method_->setAutoRaise(true);
  method_->setToolTip(tr("How was this computed?"));
  method_->setAccessibleName(tr("How was this computed?"));
  method_->hide();
  connect(method_, &QToolButton::clicked, this,
          [] { QDesktopServices::openUrl(QUrl("help:causal#reading-the-answer")); });
  connect(how_sure_, &QToolButton::toggled, this, [this](bool whole) {
    how_sure_->setArrowType(whole ? Qt::DownArrow : Qt::RightArrow);
    emit howSureWanted(whole);
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
    how_sure_->hide();
    method_->hide();
    return;
  }
  const double inner = width() - 2 * kMargin;
  how_sure_->setFont(viewStyle().font(FontRole::Small));
  how_sure_->adjustSize();
  method_->setFont(how_sure_->font());
  method_->adjustSize();
  const int top = static_cast<int>(kMargin + causal::sharesTop(inner, *graph_, viewStyle())) + 7;
  method_->move(width() - static_cast<int>(kMargin) - method_->width(), top);
  how_sure_->move(method_->x() - how_sure_->width(), top);
  how_sure_->setVisible(causal::tellsHowSure(*graph_));
  method_->setVisible(causal::tellsHowSure(*graph_));
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
