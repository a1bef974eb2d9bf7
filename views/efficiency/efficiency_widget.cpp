#include "views/efficiency/efficiency_widget.h"

#include <QComboBox>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollArea>
#include <QScrollBar>
#include <QVBoxLayout>
#include <algorithm>
#include <tuple>

#include "views/base/flow_layout.h"
#include "views/base/format.h"
#include "views/efficiency/efficiency_painter.h"
#include "views/table_parts/elided_label.h"
#include "views/table_parts/table_style.h"

namespace jitterscope::views {

using efficiency::Line;

EfficiencyCanvas::EfficiencyCanvas(QWidget* parent) : RasterView(parent) {
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setMinimumWidth(260);
  setAccessibleName(tr("Efficiencies"));
}

void EfficiencyCanvas::setData(EfficiencyData data) {
  data_ = std::move(data);
  hideHoverCard(); // it has the numbers of before
  relayout();
}

void EfficiencyCanvas::styleChanged() {
  relayout();
}

void EfficiencyCanvas::resizeEvent(QResizeEvent*) {
  relayout();
}

// The current line is the one under the pointer. One that is reached by keyboard is kept while the number of
// lines is unchanged.
void EfficiencyCanvas::relayout() {
  const auto before = layout_.lines.size();
  layout_ = efficiency::layoutOf(data_, width(), viewStyle());
  if (pointer_)
    setCurrent(layout_.at(mapFromGlobal(*pointer_)));
  else if (layout_.lines.size() != before)
    setCurrent({});
  setMinimumHeight(static_cast<int>(layout_.height));
  update();
}

void EfficiencyCanvas::setCurrent(std::optional<std::size_t> line) {
  if (line == current_) return;
  current_ = line;
  if (!line) hideHoverCard();
  update();
}

void EfficiencyCanvas::choose(std::size_t line, double x) {
  const Line& of = layout_.lines[line];
  if (of.kind == Line::Kind::Time) {
    if (const auto part = efficiency::partAt(data_, layout_.columns, x))
      emit partChosen(static_cast<int>(*part));
    return;
  }
  if (of.kind == Line::Kind::Row) return emit rowChosen(of.index);
  if (of.kind == Line::Kind::Factor && data_.factors[static_cast<std::size_t>(of.index)].when)
    emit factorChosen(of.index);
}

QString EfficiencyCanvas::cardAt(std::size_t line, double x) const {
  const Line& of = layout_.lines[line];
  if (of.kind != Line::Kind::Time) return efficiency::cardOf(data_, of);
  const auto part = efficiency::partAt(data_, layout_.columns, x);
  return part ? efficiency::timeCardOf(data_, of.index, *part)
              : data_.factors[static_cast<std::size_t>(of.index)].title;
}

void EfficiencyCanvas::paintEvent(QPaintEvent* event) {
  QPainter painter(this);
  const bool content = !data_.empty();
  if (content)
    efficiency::paint(painter, rect(), data_, viewStyle(), current_, QRectF(event->rect()));
  else
    painter.fillRect(rect(), viewStyle().background);
  paintOverlays(painter, content);
}

void EfficiencyCanvas::mouseMoveEvent(QMouseEvent* event) {
  pointer_ = event->globalPosition();
  const auto line = layout_.at(event->position());
  setCurrent(line);
  if (!line) return;
  const Line& of = layout_.lines[*line];
  const double x = event->position().x();
  const bool goes = of.kind == Line::Kind::Time ? efficiency::partAt(data_, layout_.columns, x).has_value()
                    : of.kind == Line::Kind::Row
                        ? data_.rows[static_cast<std::size_t>(of.index)].track.has_value()
                        : data_.factors[static_cast<std::size_t>(of.index)].when.has_value();
  setCursor(goes ? Qt::PointingHandCursor : Qt::ArrowCursor);
  showHoverCard(event->position(), cardAt(*line, x));
}

void EfficiencyCanvas::leaveEvent(QEvent* event) {
  pointer_.reset();
  setCurrent({});
  RasterView::leaveEvent(event);
}

void EfficiencyCanvas::mousePressEvent(QMouseEvent* event) {
  const auto line = layout_.at(event->position());
  if (event->button() == Qt::LeftButton && line) choose(*line, event->position().x());
}

void EfficiencyCanvas::step(int by) {
  pointer_.reset();
  const auto count = static_cast<int>(layout_.lines.size());
  int at = current_ ? static_cast<int>(*current_) : by > 0 ? -1 : count;
  for (at += by; at >= 0 && at < count; at += by) {
    const Line& line = layout_.lines[static_cast<std::size_t>(at)];
    if (line.kind != Line::Kind::Factor && line.kind != Line::Kind::Time && line.kind != Line::Kind::Row)
      continue;
    setCurrent(static_cast<std::size_t>(at));
    emit lineReached(line.rect);
    return showCurrentCard();
  }
}

// In the timeline: position of the column selected by keyboard.
QPointF EfficiencyCanvas::currentPlace() const {
  const Line& line = layout_.lines[*current_];
  if (line.kind != Line::Kind::Time) return line.rect.center();
  const auto [left, right] =
      efficiency::placeOf(data_, layout_.columns, data_.parts[std::min(part_, data_.parts.size() - 1)].range);
  return {(left + right) / 2, line.rect.center().y()};
}

void EfficiencyCanvas::showCurrentCard() {
  showHoverCard(currentPlace(), cardAt(*current_, currentPlace().x()));
}

void EfficiencyCanvas::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Down) return step(1);
  if (event->key() == Qt::Key_Up) return step(-1);
  if (current_ && layout_.lines[*current_].kind == Line::Kind::Time) {
    if (event->key() == Qt::Key_Right) part_ = std::min(part_ + 1, data_.parts.size() - 1);
    if (event->key() == Qt::Key_Left && part_ > 0) --part_;
    if (event->key() == Qt::Key_Right || event->key() == Qt::Key_Left) return showCurrentCard();
  }
  if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && current_)
    return choose(*current_, currentPlace().x());
  RasterView::keyPressEvent(event);
}

EfficiencyWidget::EfficiencyWidget(QWidget* parent)
    : QWidget(parent), range_(new ElidedLabel(this)), collectives_(new QComboBox(this)),
      granularity_(new QComboBox(this)), reference_(new QComboBox(this)), ranks_(new QLineEdit(this)),
      devices_(new QLineEdit(this)), ideal_(new QLineEdit(this)), scroll_(new QScrollArea(this)),
      canvas_(new EfficiencyCanvas) {
  auto* choices = new FlowBar(8, this);
  auto* bar = choices->row();
  bar->setContentsMargins(10, 4, 6, 4);
  collectives_->addItem(tr("collectives: communication"), false);
  collectives_->addItem(tr("collectives: useful"), true);
  collectives_->setToolTip(tr("Kernels of NCCL, RCCL and NVSHMEM count as communication, as in "
                              "BasicAnalysis, or as useful, as in TALP."));
  collectives_->setAccessibleName(tr("Collectives count as"));
  bar->addWidget(collectives_);
  for (const int parts : {30, 60, 120, 240, 480}) granularity_->addItem(tr("%1 parts").arg(parts), parts);
  granularity_->setCurrentIndex(2);
  granularity_->setToolTip(tr("Number of columns of the timeline of efficiencies."));
  granularity_->setAccessibleName(tr("Columns of the timeline"));
  bar->addWidget(granularity_);
  for (const auto& [field, all, name] :
       {std::tuple{ranks_, tr("all ranks"), tr("Ranks")}, {devices_, tr("all devices"), tr("Devices")}}) {
    field->setPlaceholderText(all);
    field->setAccessibleName(name);
    field->setClearButtonEnabled(true);
    field->setMaximumWidth(QFontMetrics(font()).horizontalAdvance(all) + 60);
    bar->addWidget(field);
    connect(field, &QLineEdit::editingFinished, this, &EfficiencyWidget::rowsLimited);
    connect(field, &QLineEdit::textEdited, this, [this](const QString& text) { // the clear button, too
      if (text.isEmpty()) emit rowsLimited();
    });
  }
  ranks_->setToolTip(tr("Only these ranks of the program, such as 0-3,7."));
  devices_->setToolTip(tr("Only devices with these numbers, such as 0,1. Host threads belong to no device."));
  reference_->setToolTip(
      tr("Run with which the scaling of computation is compared: another trace of this session, or a file."));
  reference_->setAccessibleName(tr("Reference run"));
  reference_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  // In a row of their own: the width of a dock is that of all fields in one row.
  auto* references = new FlowBar(8, this);
  auto* comparison = references->row();
  comparison->setContentsMargins(10, 0, 6, 4);
  comparison->addWidget(reference_);
  ideal_->setPlaceholderText(tr("ideal time"));
  ideal_->setAccessibleName(tr("Elapsed time on an ideal network"));
  ideal_->setToolTip(
      tr("Elapsed time on an ideal network, as Dimemas computes it for this range, such as 1.2s: "
         "separates serialisation from transfer."));
  ideal_->setClearButtonEnabled(true);
  ideal_->setMaximumWidth(QFontMetrics(font()).horizontalAdvance(tr("ideal time")) + 60);
  comparison->addWidget(ideal_);
  connect(ideal_, &QLineEdit::editingFinished, this, &EfficiencyWidget::idealTimeEntered);
  connect(ideal_, &QLineEdit::textEdited, this, [this](const QString& text) {
    if (text.isEmpty()) emit idealTimeEntered();
  });
  connect(reference_, &QComboBox::activated, this, &EfficiencyWidget::referenceChosen);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  range_->setContentsMargins(10, 4, 6, 0);
  column->addWidget(range_);
  column->addWidget(choices);
  column->addWidget(references);
  column->addWidget(scroll_, 1);
  scroll_->setWidget(canvas_);
  scroll_->setWidgetResizable(true);
  scroll_->setFrameShape(QFrame::NoFrame);
  scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setFocusProxy(canvas_);
  connect(collectives_, &QComboBox::activated, this, [this] { emit collectivesChosen(collectivesUseful()); });
  connect(granularity_, &QComboBox::activated, this, [this] { emit granularityChosen(granularity()); });
  connect(canvas_, &EfficiencyCanvas::partChosen, this, &EfficiencyWidget::partChosen);
  connect(canvas_, &EfficiencyCanvas::factorChosen, this, &EfficiencyWidget::factorChosen);
  connect(canvas_, &EfficiencyCanvas::rowChosen, this, &EfficiencyWidget::rowChosen);
  connect(canvas_, &EfficiencyCanvas::lineReached, this, [this](QRectF line) {
    scroll_->ensureVisible(0, static_cast<int>(line.center().y()), 0, static_cast<int>(line.height()));
  });
}

bool EfficiencyWidget::collectivesUseful() const {
  return collectives_->currentData().toBool();
}

int EfficiencyWidget::granularity() const {
  return granularity_->currentData().toInt();
}

void EfficiencyWidget::setParts(std::vector<EfficiencyPart> parts) {
  auto shown = canvas_->data();
  shown.parts = std::move(parts);
  canvas_->setData(std::move(shown));
}

void EfficiencyWidget::setCollectivesUseful(bool useful) {
  collectives_->setCurrentIndex(collectives_->findData(useful));
}

void EfficiencyWidget::setViewStyle(const ViewStyle& style) {
  canvas_->setViewStyle(style);
  scroll_->setStyleSheet(scrollBarSheet(style));
}

void EfficiencyWidget::setData(const EfficiencyData& data) {
  range_->setText(data.empty() ? QString() : efficiency::rangeTextOf(data));
  range_->setToolTip(range_->text());
  if (!data.empty()) { // the choice stays while there is no answer; without devices, it has no effect
    setCollectivesUseful(data.collectivesUseful);
    const bool devices = std::ranges::any_of(data.rows, &EfficiencyRow::device);
    collectives_->setVisible(devices);
    devices_->setVisible(devices || !devices_->text().isEmpty());
  }
  canvas_->setMessage({});
  canvas_->setData(data);
}

void EfficiencyWidget::setMessage(const QString& message) {
  canvas_->setMessage(message);
}

} // namespace jitterscope::views
