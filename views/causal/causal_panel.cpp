#include "views/causal/causal_panel.h"

#include <QDesktopServices>
#include <QMouseEvent>
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
  setMouseTracking(true);
  confidence_ = new QToolButton(this);
  confidence_->setText(tr("Details"));
  confidence_->setCheckable(true);
  confidence_->setAutoRaise(true);
  confidence_->setArrowType(Qt::RightArrow);
  confidence_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  confidence_->setToolTip(tr("All sentences of the answer, intervals and shares of the variance"));
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
  if (graph_ != nullptr)
    words = (graph_->moment + QStringList{graph_->remark} + graph_->sentences + graph_->advice)
                .join(QLatin1Char('\n'));
  setAccessibleDescription(words);
  measure();
  update();
}

void CausalPanel::setOutdated(Outdated part) {
  outdated_ = part;
  update();
}

void CausalPanel::measure() {
  if (graph_ == nullptr || graph_->empty()) {
    setMinimumHeight(0);
    confidence_->hide();
    method_->hide();
    examples_.clear();
    return;
  }
  const double inner = width() - 2 * kMargin;
  confidence_->setFont(viewStyle().font(FontRole::Small));
  confidence_->adjustSize();
  method_->setFont(confidence_->font());
  method_->adjustSize();
  const auto places = causal::panelPlaces(inner, *graph_, viewStyle(), true);
  examples_.clear();
  for (const auto& [rect, key] : places.examples)
    examples_.emplace_back(rect.translated(kMargin, kMargin), key);
  const int top = static_cast<int>(kMargin + places.listTop) + 7;
  method_->move(width() - static_cast<int>(kMargin) - method_->width(), top);
  confidence_->move(method_->x() - confidence_->width(), top);
  confidence_->setVisible(causal::hasDetails(*graph_));
  method_->setVisible(causal::hasDetails(*graph_));
  setMinimumHeight(static_cast<int>(std::ceil(places.height + 2 * kMargin)));
}

QString CausalPanel::exampleAt(QPointF position) const {
  for (const auto& [rect, key] : examples_)
    if (rect.contains(position)) return key;
  return {};
}

void CausalPanel::mouseMoveEvent(QMouseEvent* event) {
  setCursor(exampleAt(event->position()).isEmpty() ? Qt::ArrowCursor : Qt::PointingHandCursor);
  RasterView::mouseMoveEvent(event);
}

void CausalPanel::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton)
    if (const QString key = exampleAt(event->position()); !key.isEmpty()) return emit exampleRequested(key);
  RasterView::mousePressEvent(event);
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
  const auto places = causal::paintPanel(painter, QRectF(rect()).adjusted(kMargin, kMargin, -kMargin, 0),
                                         *graph_, viewStyle(), true);
  if (outdated_ == Outdated::Nothing) return;
  const bool all = outdated_ == Outdated::All;
  const double from = all ? 0 : kMargin + places.momentTop, to = all ? 0 : kMargin + places.momentBottom;
  painter.fillRect(QRectF(0, 0, width(), from), viewStyle().veil());
  painter.fillRect(QRectF(0, to, width(), height() - to), viewStyle().veil());
}

} // namespace jitterscope::views
