#include "views/evidence/evidence_widget.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>
#include <numeric>

#include "views/base/format.h"
#include "views/base/painting.h"
#include "views/evidence/evidence_chart.h"
#include "views/evidence/evidence_painter.h"

namespace jitterscope::views {

EvidenceCanvas::EvidenceCanvas(QWidget* parent) : VtkHost(parent) {
  setAccessibleName(tr("Evidence"));
  setMessage(tr("Click an edge of the causal graph to see the launches behind it"));
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
}

EvidenceCanvas::~EvidenceCanvas() = default;

void EvidenceCanvas::modelChanged() {
  point_ = -1;
  place();
  setAccessibleDescription(model_.empty() ? QString() : model_.headlines().join(QLatin1Char('\n')));
  hideHoverCard();
  sceneChanged();
}

void EvidenceCanvas::resizeEvent(QResizeEvent* event) {
  place();
  VtkHost::resizeEvent(event);
}

void EvidenceCanvas::place() {
  if (!model_.empty())
    model_.setHeaderLines(static_cast<int>(evidence::headerLines(model_, rect(), viewStyle()).size()));
  model_.setRect(rect());
}

void EvidenceCanvas::prepareScene(const QSize& /*size*/) {
  if (!chart_) chart_ = std::make_unique<EvidenceChart>(scene());
  chart_->build(model_, viewStyle(), devicePixelRatioF(), height());
}

void EvidenceCanvas::paintFallback(QPainter& painter, const QRectF& rect) {
  evidence::paint(painter, rect, model_, viewStyle());
  drawNote(painter, this->rect(), tr("drawn without VTK: %1").arg(vtkProblem()), viewStyle());
}

void EvidenceCanvas::paintOver(QPainter& painter) {
  if (vtkAvailable()) evidence::paintFrame(painter, model_, viewStyle());
  if (point_ < 0) return;
  const EvidenceScatter& s = model_.scatter();
  const auto i = static_cast<std::size_t>(point_);
  painter.setRenderHint(QPainter::Antialiasing, true);
  painter.setPen(QPen(viewStyle().accent, 2));
  painter.setBrush(Qt::NoBrush);
  painter.drawEllipse(model_.place(s.pointX[i], s.pointY[i]), 6, 6);
}

// Order of the points: left to right, for equal values by effect.
void EvidenceCanvas::stepPoint(int by) {
  const EvidenceScatter& s = model_.scatter();
  if (s.pointX.empty()) return;
  std::vector<int> order(s.pointX.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int a, int b) {
    const auto i = static_cast<std::size_t>(a), k = static_cast<std::size_t>(b);
    return std::tie(s.pointX[i], s.pointY[i], a) < std::tie(s.pointX[k], s.pointY[k], b);
  });
  const auto found = std::find(order.begin(), order.end(), point_);
  const int last = static_cast<int>(order.size()) - 1;
  const int at = found == order.end() ? (by > 0 ? 0 : last)
                                      : std::clamp(static_cast<int>(found - order.begin()) + by, 0, last);
  point_ = order[static_cast<std::size_t>(at)];
  const auto i = static_cast<std::size_t>(point_);
  showHoverCard(model_.place(s.pointX[i], s.pointY[i]), model_.pointText(point_));
  update();
}

void EvidenceCanvas::keyPressEvent(QKeyEvent* event) {
  if (!hasContent()) return VtkHost::keyPressEvent(event);
  switch (event->key()) {
  case Qt::Key_Left:
    return stepPoint(-1);
  case Qt::Key_Right:
    return stepPoint(1);
  case Qt::Key_H:
    emit holdRequested(!model_.partial());
    return;
  case Qt::Key_Return:
  case Qt::Key_Enter:
    if (point_ >= 0) emit rowClicked(model_.scatter().pointRow[static_cast<std::size_t>(point_)]);
    return;
  default:
    VtkHost::keyPressEvent(event);
  }
}

void EvidenceCanvas::mouseMoveEvent(QMouseEvent* event) {
  if (!hasContent()) return;
  const QPointF at = event->position();
  const int point = model_.pointAt(at);
  setCursor(point >= 0 ? Qt::PointingHandCursor : Qt::ArrowCursor);
  if (point != point_) update();
  point_ = point;
  QString text;
  if (point >= 0)
    text = model_.pointText(point);
  else if (model_.scatterRect().contains(at) && model_.scatter().pointX.empty())
    text = model_.cellText(at);
  else if (model_.histogramRect().contains(at) && model_.binAt(at.x()) >= 0)
    text = model_.binText(model_.binAt(at.x()));
  else if (at.y() < model_.scatterRect().top() - 8) // where text may have been truncated
    text = model_.headlines().join(QLatin1Char('\n'));
  if (text.isEmpty())
    hideHoverCard();
  else
    showHoverCard(at, text);
}

void EvidenceCanvas::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || !hasContent()) return;
  if (const int point = model_.pointAt(event->position()); point >= 0)
    emit rowClicked(model_.scatter().pointRow[static_cast<std::size_t>(point)]);
}

EvidenceWidget::EvidenceWidget(QWidget* parent)
    : QWidget(parent), canvas_(new EvidenceCanvas(this)),
      held_(new QCheckBox(tr("Hold other causes constant"), this)), with_(new QPushButton(this)),
      without_(new QPushButton(this)) {
  auto* row = new QHBoxLayout; // a separate line for the long button texts, so that they fit a small screen
  row->setContentsMargins(8, 2, 8, 2);
  row->setSpacing(8);
  row->addWidget(with_);
  row->addWidget(without_);
  row->addStretch(1);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 4, 0, 0);
  column->setSpacing(0);
  auto* first = new QHBoxLayout;
  first->setContentsMargins(8, 0, 8, 0);
  first->addWidget(held_);
  column->addLayout(first);
  column->addLayout(row);
  column->addWidget(canvas_, 1);
  held_->setChecked(true);
  held_->setToolTip(
      tr("(H) On: both axes without the effects of the other causes. Off: the measured values."));
  connect(held_, &QCheckBox::toggled, this, [this](bool on) {
    canvas_->model().setPartial(on);
    canvas_->modelChanged();
  });
  connect(canvas_, &EvidenceCanvas::holdRequested, held_, &QCheckBox::setChecked);
  connect(canvas_, &EvidenceCanvas::rowClicked, this, &EvidenceWidget::rowClicked);
  connect(with_, &QPushButton::clicked, this, [this] { emit sideRequested(true); });
  connect(without_, &QPushButton::clicked, this, [this] { emit sideRequested(false); });
  setData({});
}

void EvidenceWidget::setViewStyle(const ViewStyle& style) {
  canvas_->setViewStyle(style);
}

void EvidenceWidget::setMessage(const QString& message) {
  canvas_->setMessage(message);
}

void EvidenceWidget::setData(EvidenceData content) {
  canvas_->model().setData(std::move(content));
  canvas_->modelChanged();
  const EvidenceModel& model = canvas_->model();
  for (QPushButton* button : {with_, without_}) {
    const bool with = button == with_;
    button->setVisible(!model.empty() && model.data().canSelect);
    const auto n = with ? model.data().nWith : model.data().n - model.data().nWith;
    button->setText(
        tr("Select the %1 %2 %3").arg(formatCount(n), model.data().rowsName, model.sideName(with)));
    button->setToolTip(tr("Selects these rows in all views; Ctrl+Z undoes the selection"));
    button->setEnabled(n > 0);
  }
  held_->setVisible(!model.empty());
}

} // namespace jitterscope::views
