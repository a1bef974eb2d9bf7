#include "views/timeline/timeline_widget.h"

#include <QHelpEvent>
#include <QPaintEvent>
#include <QPainter>
#include <QResizeEvent>
#include <QScrollBar>
#include <algorithm>
#include <cmath>

#include "views/base/table_style.h"
#include "views/timeline/timeline_painter.h"

namespace jitterscope::views {

namespace {
constexpr int kRequestMilliseconds = 30;
constexpr int kSettleMilliseconds = 350;
} // namespace

TimelineWidget::TimelineWidget(QWidget* parent)
    : RasterView(parent), scrollBar_(new QScrollBar(Qt::Vertical, this)) {
  setAccessibleName(tr("Timeline"));
  setMessage(tr("Open a trace to begin"));
  scrollBar_->hide();
  scrollBar_->setFocusPolicy(Qt::NoFocus);
  connect(scrollBar_, &QScrollBar::valueChanged, this, [this](int value) {
    model_.setScroll(value);
    update();
  });
  requestTimer_.setSingleShot(true);
  requestTimer_.setInterval(kRequestMilliseconds);
  connect(&requestTimer_, &QTimer::timeout, this,
          [this] { emit windowChanged(model_.viewport.window(), pixelColumns()); });
  settleTimer_.setSingleShot(true);
  settleTimer_.setInterval(kSettleMilliseconds);
  connect(&settleTimer_, &QTimer::timeout, this, [this] { emit windowSettled(model_.viewport.window()); });
}

int TimelineWidget::pixelColumns() const {
  return std::max(1, static_cast<int>(std::lround(model_.viewport.width() * devicePixelRatioF())));
}

void TimelineWidget::setTracks(std::vector<TimelineTrack> tracks, Interval span, AxisUnit axis) {
  model_.axis = axis;
  model_.setTracks(std::move(tracks));
  model_.viewport.setSpan(span, axis == AxisUnit::Time ? Viewport::kShortest : Viewport::kFewestLaunches);
  model_.brush.reset();
  model_.selectedBin.reset();
  model_.selectedRow.reset();
  model_.selectedInterval.reset();
  model_.setOverview({span, {}, {}});
  setMessage(model_.empty() ? tr("Open a trace to begin") : tr("Waiting for the engine…"));
  updateScrollBar();
  contentChanged();
  windowMoved(false);
}

void TimelineWidget::setNames(NameLookup names) {
  model_.names = std::move(names);
  update();
}

void TimelineWidget::setData(TimelineData content) {
  model_.setData(std::move(content));
  setMessage(QString());
  contentChanged();
}

void TimelineWidget::setOverview(TimelineOverview overview) {
  model_.setOverview(std::move(overview));
  update();
}

void TimelineWidget::setArrows(std::vector<TimelineArrow> arrows) {
  model_.arrows = std::move(arrows);
  update();
}

void TimelineWidget::setFlags(std::vector<TimelineFlag> flags) {
  model_.flags = std::move(flags);
  update();
}

void TimelineWidget::setWindow(Interval window) {
  const Interval before = model_.viewport.window();
  model_.viewport.setWindow(window);
  if (model_.viewport.window() != before) windowMoved(false);
}

void TimelineWidget::setBrush(std::optional<Interval> brush) {
  model_.brush = brush;
  update();
}

void TimelineWidget::setSelectedBin(std::optional<Interval> bin) {
  model_.selectedBin = bin;
  update();
}

void TimelineWidget::setSelection(std::uint32_t trackId, std::uint64_t row, Interval interval) {
  model_.selectedTrack = trackId;
  model_.selectedRow = row;
  model_.selectedInterval = interval;
  update();
}

void TimelineWidget::clearSelection() {
  model_.selectedRow.reset();
  model_.selectedInterval.reset();
  model_.selectedTrack = kNoName;
  update();
}

void TimelineWidget::setTrackCollapsed(std::uint32_t trackId, bool collapsed) {
  model_.setCollapsed(trackId, collapsed);
  updateScrollBar();
  contentChanged();
}

void TimelineWidget::setHoverDetails(std::uint32_t trackId, std::uint64_t row, const QString& text) {
  if (trackId != hoverTrack_ || row != hoverRow_) return;
  showHoverCard(last_, text);
}

void TimelineWidget::windowMoved(bool byUser) {
  hideHoverCard();
  update();
  if (model_.empty()) return;
  if (!requestTimer_.isActive()) requestTimer_.start();
  if (byUser) {
    settleTimer_.start();
  } else {
    settleTimer_.stop();
  }
}

void TimelineWidget::contentChanged() {
  lanesStale_ = true;
  update();
}

void TimelineWidget::styleChanged() {
  lanesStale_ = true;
  scrollBar_->setStyleSheet(scrollBarSheet(viewStyle()));
}

void TimelineWidget::updateScrollBar() {
  const QRectF lanes = model_.lanesRect();
  const int most = static_cast<int>(std::ceil(std::max(0.0, model_.contentHeight() - lanes.height())));
  scrollBar_->setGeometry(width() - 10, static_cast<int>(lanes.top()), 10, static_cast<int>(lanes.height()));
  scrollBar_->setRange(0, most);
  scrollBar_->setPageStep(static_cast<int>(lanes.height()));
  scrollBar_->setSingleStep(24);
  scrollBar_->setValue(static_cast<int>(model_.scroll()));
  scrollBar_->setVisible(most > 0 && !model_.empty());
}

void TimelineWidget::resizeEvent(QResizeEvent* event) {
  RasterView::resizeEvent(event);
  model_.geometry.headerWidth = std::clamp(width() * 0.2, 90.0, 240.0);
  model_.setSize(size());
  updateScrollBar();
  contentChanged();
  windowMoved(false);
}

void TimelineWidget::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  painter.fillRect(rect(), viewStyle().background);
  if (model_.empty()) {
    paintOverlays(painter, false);
    return;
  }
  const double ratio = devicePixelRatioF();
  if (lanesStale_) {
    lanes_ = timeline::renderLanes(model_, viewStyle(), ratio);
    lanesStale_ = false;
  }
  timeline::paintGround(painter, model_, viewStyle());
  paintLanes(painter);
  timeline::paintAnnotations(painter, model_, viewStyle());
  timeline::paintFrame(painter, model_, viewStyle());
  paintOverlays(painter, true);
}

// The picture belongs to the data's window; until newer data comes it is stretched to where it belongs now.
void TimelineWidget::paintLanes(QPainter& painter) {
  const Interval window = model_.viewport.window();
  const Interval have = model_.data().window;
  const Nanoseconds common = overlap(window, have);
  if (common.count <= 0 || lanes_.isNull()) return;
  const double ratio = devicePixelRatioF();
  const Nanoseconds begin = std::max(window.begin, have.begin);
  const double perNs = lanes_.width() / static_cast<double>(have.length().count);
  const QRectF lanes = model_.lanesRect();
  const QRectF source(static_cast<double>((begin - have.begin).count) * perNs, model_.scroll() * ratio,
                      static_cast<double>(common.count) * perNs, lanes.height() * ratio);
  const double left = model_.xAt(begin);
  const double right = model_.xAt(begin + common);
  painter.save();
  painter.setClipRect(lanes);
  painter.drawImage(QRectF(left, lanes.top(), right - left, lanes.height()), lanes_, source);
  painter.restore();
}

} // namespace jitterscope::views
