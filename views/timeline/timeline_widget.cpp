#include "views/timeline/timeline_widget.h"

#include <QLineEdit>
#include <QPaintEvent>
#include <QPainter>
#include <QResizeEvent>
#include <QScrollBar>
#include <QSignalBlocker>
#include <QToolButton>
#include <algorithm>
#include <cmath>
#include <utility>

#include "views/table_parts/table_style.h"
#include "views/timeline/timeline_painter.h"

namespace jitterscope::views {

namespace {
constexpr int kRequestMilliseconds = 30;
constexpr int kSettleMilliseconds = 350;
constexpr double kFitBeyond = 20'000; ///< taller timelines are initially fitted into the view
} // namespace

TimelineWidget::TimelineWidget(QWidget* parent)
    : RasterView(parent), scrollBar_(new QScrollBar(Qt::Vertical, this)), filterBox_(new QLineEdit(this)),
      menuButton_(new QToolButton(this)) {
  setAccessibleName(tr("Timeline"));
  setMessage(tr("Open a trace to begin"));
  model_.geometry.filterBox = true;
  scrollBar_->hide();
  scrollBar_->setFocusPolicy(Qt::NoFocus);
  connect(scrollBar_, &QScrollBar::valueChanged, this, [this](int value) {
    model_.setScroll(value);
    contentChanged();
    ensureContent();
  });
  requestTimer_.setSingleShot(true);
  requestTimer_.setInterval(kRequestMilliseconds);
  connect(&requestTimer_, &QTimer::timeout, this, &TimelineWidget::askContent);
  settleTimer_.setSingleShot(true);
  settleTimer_.setInterval(kSettleMilliseconds);
  connect(&settleTimer_, &QTimer::timeout, this, [this] { emit windowSettled(model_.viewport.window()); });
  placeFilterBox();
}

int TimelineWidget::pixelColumns() const {
  return std::max(1, static_cast<int>(std::lround(model_.viewport.width() * devicePixelRatioF())));
}

TimelineState TimelineWidget::state() const {
  return {model_.layout().arrangement(),
          model_.colour,
          model_.flags,
          model_.ranges,
          model_.heights(),
          headerWidth_};
}

void TimelineWidget::setState(const TimelineState& state) {
  model_.flags = state.flags;
  model_.ranges = state.ranges;
  model_.arrange([&](TrackLayout& layout) { layout.setArrangement(state.tracks); });
  const QSignalBlocker quiet(filterBox_);
  filterBox_->setText(state.tracks.filter);
  setColour(state.colour);
  model_.setHeights(state.heights);
  setHeaderWidth(state.headerWidth);
  updateScrollBar();
  contentChanged();
  ensureContent();
}

void TimelineWidget::setTracks(std::vector<TimelineTrack> tracks, Interval span, AxisUnit axis) {
  model_.axis = axis;
  model_.setTracks(std::move(tracks));
  model_.viewport.setSpan(span, axis == AxisUnit::Time ? Viewport::kShortest : Viewport::kMinLaunches);
  model_.brush.reset();
  model_.selectedBin.reset();
  model_.moments.clear();
  model_.selectedRow.reset();
  model_.selectedInterval.reset();
  model_.arrows.clear();
  model_.flags.clear();
  model_.ranges.clear();
  model_.colour = {};
  TrackHeights heights;
  heights.fit = model_.layout().scrolledHeight() / model_.layout().scale() > kFitBeyond;
  model_.setHeights(heights);
  askedMap_ = {};
  model_.setOverview({span, {}, {}});
  setMessage(model_.empty() ? tr("Open a trace to begin") : tr("Waiting for the engine…"));
  {
    const QSignalBlocker quiet(filterBox_);
    filterBox_->clear();
  }
  filterBox_->setVisible(!model_.empty());
  menuButton_->setVisible(!model_.empty());
  setMeasuring(false);
  updateScrollBar();
  contentChanged();
  windowMoved(false);
}

void TimelineWidget::setNames(NameLookup names) {
  model_.names = std::move(names);
  update();
}

bool TimelineWidget::holdsAllTracks(int columns) {
  constexpr std::size_t kMax = 1'500; // more than fits on any page
  constexpr int kMaxColumns = 20'000; // of one request
  auto tracks = model_.requestedTracks(1e6);
  tracks.resize(std::min(tracks.size(), kMax));
  columns = std::clamp(columns, pixelColumns(), std::max(kMaxColumns, pixelColumns()));
  const bool here =
      model_.data().window == model_.viewport.window() && model_.data().columns >= columns &&
      std::all_of(tracks.begin(), tracks.end(), [&](auto id) { return model_.content(id) != nullptr; });
  if (here || model_.empty() || std::exchange(allAsked_, true)) return here || model_.empty();
  emit contentRequested({model_.viewport.window(), columns, std::move(tracks), model_.colour.value()});
  return false;
}

void TimelineWidget::replaceTracks(std::vector<TimelineTrack> tracks) {
  auto content = model_.data();
  const auto arrangement = model_.layout().arrangement();
  model_.setTracks(std::move(tracks));
  model_.arrange([&](TrackLayout& layout) { layout.setArrangement(arrangement); });
  model_.setData(std::move(content));
  updateScrollBar();
  contentChanged();
  ensureContent();
}

void TimelineWidget::setData(TimelineData content) {
  allAsked_ = false;
  model_.setData(std::move(content));
  setMessage(QString());
  contentChanged();
}

void TimelineWidget::setOverview(TimelineOverview overview) {
  model_.setOverview(std::move(overview));
  update();
}

void TimelineWidget::setWhy(std::optional<WhyData> why) {
  const bool moved = why.has_value() != model_.why.has_value();
  model_.setWhy(std::move(why));
  if (moved) {
    updateScrollBar();
    contentChanged();
    ensureContent();
  }
  update();
}

void TimelineWidget::setArrows(std::vector<TimelineArrow> arrows) {
  if (arrows.empty() && model_.arrows.empty()) return;
  model_.arrows = std::move(arrows);
  update();
}

void TimelineWidget::setFlags(std::vector<TimelineFlag> flags) {
  if (flags == model_.flags) return;
  model_.flags = std::move(flags);
  update();
}

void TimelineWidget::setRanges(std::vector<NamedRange> ranges) {
  if (ranges == model_.ranges) return;
  model_.ranges = std::move(ranges);
  update();
}

void TimelineWidget::setColour(const TimelineColour& colour) {
  if (colour == model_.colour) return;
  const bool other = colour.value() != model_.colour.value();
  model_.colour = colour;
  mergedStale_ = mapStale_ = true;
  contentChanged();
  if (other && !model_.empty() && !colour.value().isEmpty() && !requestTimer_.isActive())
    requestTimer_.start();
}

void TimelineWidget::setWindow(Interval window) {
  const Interval before = model_.viewport.window();
  model_.viewport.setWindow(window);
  if (model_.viewport.window() != before) windowMoved(false);
}

void TimelineWidget::setBrush(std::optional<Interval> brush) {
  if (brush == model_.brush) return;
  model_.brush = brush;
  model_.brushTracks.clear();
  update();
}

void TimelineWidget::setBrushTracks(const std::vector<std::uint32_t>& tracks) {
  model_.brushTracks = tracks;
  update();
}

void TimelineWidget::setSelectedBin(std::optional<Interval> bin) {
  if (bin == model_.selectedBin) return;
  model_.selectedBin = bin;
  update();
}

void TimelineWidget::setMoments(std::vector<Interval> moments) {
  if (moments == model_.moments) return;
  model_.moments = std::move(moments);
  update();
}

void TimelineWidget::setSelection(std::uint32_t trackId, std::uint64_t row, Interval interval) {
  model_.selectedTrack = trackId;
  model_.selectedRow = row;
  model_.selectedInterval = interval;
  update();
}

void TimelineWidget::clearSelection() {
  if (!model_.selectedRow && !model_.selectedInterval) return;
  model_.selectedRow.reset();
  model_.selectedInterval.reset();
  model_.selectedTrack = kNoName;
  update();
}

void TimelineWidget::setHoverDetails(std::uint32_t trackId, std::uint64_t row, const QString& text) {
  if (trackId != hoverTrack_ || row != hoverRow_) return;
  showHoverCard(last_, text);
}

void TimelineWidget::reveal(std::uint32_t trackId, Interval interval) {
  const Interval window = model_.viewport.window();
  if (interval.begin < window.begin || interval.end > window.end) {
    if (interval.length() > window.length()) {
      model_.viewport.zoomTo(interval, 0.5);
    } else {
      const std::int64_t begin = interval.begin.count - (window.length() - interval.length()).count / 2;
      model_.viewport.setWindow({{begin}, {begin + window.length().count}});
    }
    windowMoved(true);
  }
  showTrack(trackId);
  update();
}

void TimelineWidget::windowMoved(bool byUser) {
  hideHoverCard();
  hoverTrack_ = kNoName;
  if (pointer_ && drag_ == Drag::None) followPointer(); // other content is below a resting pointer
  update();
  if (model_.empty()) return;
  windowWasMoved_ = true;
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

// Rows scrolled into view may have no content yet.
void TimelineWidget::ensureContent() {
  if (model_.empty() || requestTimer_.isActive()) return;
  const auto requested = model_.requestedTracks(0);
  const bool here = std::ranges::all_of(requested, [&](auto id) { return model_.content(id) != nullptr; });
  const auto map = model_.mapQuery(devicePixelRatioF());
  if (!here || !mergedIsComplete() || (!map.blocks.empty() && map != askedMap_)) requestTimer_.start();
}

void TimelineWidget::styleChanged() {
  lanesStale_ = mergedStale_ = mapStale_ = true;
  const ViewStyle& style = viewStyle();
  scrollBar_->setStyleSheet(scrollBarSheet(style));
  filterBox_->setStyleSheet(
      QStringLiteral("QLineEdit { background: %1; color: %2; border: 1px solid %3; border-radius: 3px; "
                     "padding: 0 4px; font-size: %5px; } QLineEdit:focus { border-color: %4; } "
                     "QLineEdit[bad=\"true\"] { border-color: %6; }")
          .arg(style.background.name(), style.text.name(), style.border.name(), style.focus.name())
          .arg(style.smallPixels)
          .arg(style.negative.name()));
  menuButton_->setStyleSheet(
      QStringLiteral("QToolButton { background: transparent; color: %1; border: none; font-size: 15px; } "
                     "QToolButton:hover { color: %2; }")
          .arg(style.mutedText.name(), style.text.name()));
}

void TimelineWidget::updateScrollBar() {
  const QRectF lanes = model_.scrolledRect();
  const int maximum = static_cast<int>(std::ceil(model_.longestScroll() - 0.01)); // heights are rounded
  const QSignalBlocker quiet(scrollBar_);
  scrollBar_->setGeometry(width() - 10, static_cast<int>(lanes.top()), 10, static_cast<int>(lanes.height()));
  scrollBar_->setRange(0, maximum);
  scrollBar_->setPageStep(static_cast<int>(lanes.height()));
  scrollBar_->setSingleStep(24);
  scrollBar_->setValue(static_cast<int>(model_.scroll()));
  scrollBar_->setVisible(maximum > 0 && !model_.empty() && model_.geometry.mapWidth <= 0);
}

// Keeps the selected launch visible when the height changes.
void TimelineWidget::resizeEvent(QResizeEvent* event) {
  RasterView::resizeEvent(event);
  const int chosen = model_.trackIndex(model_.selectedTrack);
  const TrackRow* row = chosen < 0 ? nullptr : model_.layout().rowOf(chosen);
  const bool inView = row != nullptr && row->track == chosen && model_.visible(*row);
  placeHeader();
  if (!inView) return;
  model_.scrollTo(chosen);
  scrollBar_->setValue(static_cast<int>(model_.scroll()));
}

// Rectangle of the cursor's hairline through the lanes.
QRect TimelineWidget::cursorStrip() const {
  if (!model_.cursor) return {};
  return {static_cast<int>(std::floor(model_.xAt(*model_.cursor))) - 1,
          static_cast<int>(model_.lanesRect().top()) - 1, 3,
          static_cast<int>(model_.lanesRect().height()) + 2};
}

QRect TimelineWidget::axisStrip() const {
  return model_.axisRect().toAlignedRect();
}

// Repaints only the hairline and the axis, not the lanes.
void TimelineWidget::moveCursor(std::optional<Nanoseconds> time, bool emitted) {
  if (time == model_.cursor) return;
  update(QRegion(cursorStrip()) + axisStrip());
  model_.cursor = time;
  update(cursorStrip());
  if (emitted) emit cursorMoved(time);
}

void TimelineWidget::setCursorTime(std::optional<Nanoseconds> time) {
  moveCursor(time, false);
}

void TimelineWidget::paintEvent(QPaintEvent* event) {
  ++paints_.views;
  for (const QRect& part : event->region())
    paints_.pixels += static_cast<qint64>(part.width()) * part.height();
  QPainter painter(this);
  painter.fillRect(event->rect(), viewStyle().background);
  if (model_.empty()) {
    paintOverlays(painter, false);
    return;
  }
  const double ratio = devicePixelRatioF();
  if (lanesStale_ || lanesRatio_ != ratio) { // another ratio: the window was moved to another screen
    lanes_ = timeline::renderLanes(model_, viewStyle(), ratio);
    lanesRatio_ = ratio;
    lanesStale_ = false;
    ++paints_.lanes;
  }
  if (std::exchange(mergedStale_, false))
    merged_ = timeline::renderMerged(model_, model_.merged(), viewStyle());
  if (std::exchange(mapStale_, false)) map_ = timeline::renderMerged(model_, model_.map(), viewStyle());
  timeline::paintGround(painter, model_, viewStyle());
  paintLanes(painter);
  timeline::paintMerged(painter, model_, model_.merged(), merged_, viewStyle());
  timeline::paintAnnotations(painter, model_, viewStyle());
  timeline::paintFrame(painter, model_, viewStyle(), event->rect());
  timeline::paintMap(painter, model_, map_, viewStyle());
  if (drag_ == Drag::Order && dropBefore_ >= -1)
    painter.fillRect(QRectF(0, dropLine_ - 1.5, width(), 3), viewStyle().focus);
  paintOverlays(painter, true);
}

// The picture belongs to the data's window; until newer data arrive, it is stretched to its current position.
void TimelineWidget::paintLanes(QPainter& painter) {
  const Interval window = model_.viewport.window();
  const Interval have = model_.data().window;
  const Nanoseconds common = overlap(window, have);
  if (common.count <= 0 || lanes_.isNull()) return;
  const double ratio = devicePixelRatioF();
  const Nanoseconds begin = std::max(window.begin, have.begin);
  const double perNs = lanes_.width() / static_cast<double>(have.length().count);
  const QRectF lanes = model_.lanesRect();
  const QRectF source(static_cast<double>((begin - have.begin).count) * perNs, 0,
                      static_cast<double>(common.count) * perNs, lanes.height() * ratio);
  const double left = model_.xAt(begin);
  const double right = model_.xAt(begin + common);
  painter.save();
  painter.setClipRect(lanes);
  painter.drawImage(QRectF(left, lanes.top(), right - left, lanes.height()), lanes_, source);
  painter.restore();
}

} // namespace jitterscope::views
