#include "views/parallel/parallel_widget.h"

#include <QContextMenuEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QResizeEvent>
#include <algorithm>
#include <cmath>

#include "views/base/format.h"
#include "views/parallel/parallel_frame.h"
#include "views/parallel/parallel_legend.h"
#include "views/parallel/parallel_painter.h"

namespace jitterscope::views {

ParallelWidget::ParallelWidget(QWidget* parent)
    : RasterView(parent), ground_(std::make_unique<parallel::DensityGround>()) {
  setAccessibleName(tr("Parallel coordinates"));
  setMessage(tr("Open a trace to begin"));
  late_.setSingleShot(true);
  late_.setInterval(300);
  connect(&late_, &QTimer::timeout, this, &ParallelWidget::dropLateNear);
}

ParallelWidget::~ParallelWidget() = default;

void ParallelWidget::setData(ParallelData content) {
  const bool same = content.colouredBy == model_.data().colouredBy;
  const int before = model_.legendRows();
  model_.setData(std::move(content));
  const int needed = parallel::legendRoom(model_, viewStyle());
  model_.setLegendRows(same ? std::max(before, needed) : needed); // so that brushing does not shift the axes
  const bool probing = probe_.has_value();
  forgetNear(); // the new data may have other axes and categories
  focusedAxis_ = std::clamp(focusedAxis_, 0, std::max(0, static_cast<int>(model_.order().size()) - 1));
  setMessage(QString());
  stale();
  askForMissingPairs();
  if (probing && !model_.empty()) probe(last_); // the pointer is still over the view
}

void ParallelWidget::forget() {
  model_.forget();
  lines_.clear();
  forgetNear();
  focusedAxis_ = 0;
  stale();
}

void ParallelWidget::setBrushes(const AxisBrushes& brushes) {
  model_.setBrushes(brushes);
  stale();
}

void ParallelWidget::setOrder(const QStringList& keys) {
  model_.setOrder(keys);
  stale();
  askForMissingPairs();
}

void ParallelWidget::setInverted(const QString& key, bool inverted) {
  model_.setInverted(key, inverted);
  stale();
}

void ParallelWidget::setPinned(const QString& key) {
  model_.setPinned(key);
  stale();
  askForMissingPairs();
}

void ParallelWidget::setLogic(BrushLogic logic) {
  model_.setLogic(logic);
  update();
}

void ParallelWidget::invertAxis(const QString& key) {
  if (const int position = model_.position(key); position >= 0) invert(position);
}

void ParallelWidget::clearBrushes(const QString& key) {
  model_.clearBrushes(key);
  stale();
  emit brushesChanged(model_.brushes(), true);
}

void ParallelWidget::contextMenuEvent(QContextMenuEvent* event) {
  if (model_.empty()) return;
  hideHoverCard();
  if (event->reason() == QContextMenuEvent::Keyboard) {
    const QRectF title = model_.titleRect(focusedAxis_);
    emit menuRequested(model_.order().value(focusedAxis_), mapToGlobal(title.bottomLeft().toPoint()));
    return;
  }
  const ParallelHit hit = model_.hitTest(event->pos());
  emit menuRequested(hit.axis >= 0 ? model_.order()[hit.axis] : QString(), event->globalPos());
}

void ParallelWidget::setLines(std::vector<ParallelLine> lines) {
  lines_ = std::move(lines);
  update();
}

void ParallelWidget::stale() {
  model_.setFrame(parallel::frameOf(model_, viewStyle()));
  densityStale_ = true;
  update();
}

void ParallelWidget::styleChanged() {
  model_.setLegendRows(parallel::legendRoom(model_, viewStyle()));
  stale();
}

void ParallelWidget::askForMissingPairs() {
  for (int i = 0; i + 1 < model_.order().size(); ++i) {
    if (model_.pair(i) != nullptr) continue;
    emit needHistogramsFor(model_.order());
    return;
  }
}

void ParallelWidget::resizeEvent(QResizeEvent* event) {
  RasterView::resizeEvent(event);
  model_.setSize(size());
  model_.setLegendRows(parallel::legendRoom(model_, viewStyle()));
  stale();
}

void ParallelWidget::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  painter.fillRect(rect(), viewStyle().background);
  if (model_.empty()) {
    paintOverlays(painter, false);
    return;
  }
  if (densityStale_) {
    density_ = parallel::renderDensity(model_, viewStyle(), devicePixelRatioF(), ground_.get());
    densityStale_ = false;
  }
  painter.drawImage(model_.plotRect(), density_);
  parallel::paintAxesAndLines(painter, model_, viewStyle(), lines_);
  parallel::paintLines(painter, model_, viewStyle(), near_);
  paintCursor(painter);
  if (showsFocus() && focusedAxis_ < model_.order().size()) {
    painter.setPen(QPen(viewStyle().focus, 1));
    painter.setBrush(Qt::NoBrush);
    if (model_.frame().turned)
      painter.drawPolygon(model_.titleShape(focusedAxis_));
    else
      painter.drawRect(model_.titleRect(focusedAxis_).adjusted(0.5, 0.5, -0.5, -0.5));
  }
  if (drag_ == Drag::Axis) {
    const double x = std::floor(model_.axisX(model_.dropPosition(last_.x())));
    painter.fillRect(QRectF(x - 1, model_.plotRect().top() - 8, 3, model_.plotRect().height() + 12),
                     viewStyle().focus);
  }
  paintOverlays(painter, true);
}

void ParallelWidget::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || model_.empty()) return;
  pressed_ = last_ = event->position();
  hideHoverCard();
  const ParallelHit hit = model_.hitTest(pressed_);
  drag_ = Drag::None;
  dragAxis_ = hit.axis;
  dragBrush_ = -1;
  if (hit.axis >= 0) focusedAxis_ = hit.axis;
  if (hit.area == ParallelArea::Title) {
    drag_ = Drag::Axis;
  } else if (hit.missing) {
    const QString key = model_.order()[hit.axis];
    model_.brushMissing(key, !model_.missingBrushed(key));
    stale();
    emit brushesChanged(model_.brushes(), true);
    return;
  } else if (hit.area == ParallelArea::Axis) {
    dragBrush_ = hit.brush;
    dragValue_ = hit.value;
    if (hit.brush >= 0) {
      dragRange_ = model_.brushes().at(model_.order()[hit.axis])[static_cast<std::size_t>(hit.brush)];
      drag_ = hit.edge < 0 ? Drag::LowEdge : hit.edge > 0 ? Drag::HighEdge : Drag::MoveBrush;
    } else {
      drag_ = Drag::NewBrush;
    }
  }
  update();
}

void ParallelWidget::dragBrush(QPointF position) {
  const QString key = model_.order()[dragAxis_];
  const ParallelAxis& axis = model_.axis(dragAxis_);
  const double value = model_.valueAtY(dragAxis_, position.y());
  ValueRange range = dragRange_;
  if (drag_ == Drag::NewBrush) {
    range = {std::min(dragValue_, value), std::max(dragValue_, value)};
  } else if (drag_ == Drag::LowEdge) {
    range.low = value;
  } else if (drag_ == Drag::HighEdge) {
    range.high = value;
  } else {
    // Moves by the same distance on the screen, so that it keeps its height on a log axis too.
    const double by = ParallelModel::fraction(axis, value) - ParallelModel::fraction(axis, dragValue_);
    const double low = ParallelModel::fraction(axis, dragRange_.low);
    const double high = ParallelModel::fraction(axis, dragRange_.high);
    const double kept = std::clamp(by, -low, std::max(-low, 1 - high));
    range = {ParallelModel::valueAt(axis, low + kept), ParallelModel::valueAt(axis, high + kept)};
  }
  if (range.low > range.high) std::swap(range.low, range.high);
  if (drag_ == Drag::NewBrush && dragBrush_ < 0) {
    dragBrush_ = model_.addBrush(key, range);
  } else {
    model_.replaceBrush(key, dragBrush_, range);
    const auto& ranges = model_.brushes().at(key);
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      if (ranges[i].low <= range.low && range.high <= ranges[i].high) dragBrush_ = static_cast<int>(i);
    }
  }
  stale();
  emit brushesChanged(model_.brushes(), false);
}

void ParallelWidget::mouseMoveEvent(QMouseEvent* event) {
  const QPointF position = event->position();
  last_ = position;
  if (drag_ == Drag::None) {
    hover(position);
  } else if (drag_ == Drag::Axis) {
    update();
  } else if ((position - pressed_).manhattanLength() >= 3) {
    forgetNear();
    dragBrush(position);
  }
}

void ParallelWidget::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  const Drag drag = drag_;
  drag_ = Drag::None;
  const bool moved = (event->position() - pressed_).manhattanLength() >= 3;
  update();
  const bool onLines = drag == Drag::None || (drag == Drag::NewBrush && dragBrush_ < 0);
  if (!moved && onLines && probe_) {
    answered_ ? chooseNear() : void(clickWaits_ = true); // the rows may not be known yet
    return;
  }
  if (drag == Drag::None || !moved) return;
  if (drag != Drag::Axis) {
    emit brushesChanged(model_.brushes(), true);
    return;
  }
  const int to = model_.dropPosition(event->position().x());
  if (to == dragAxis_) return;
  model_.moveAxis(dragAxis_, to);
  focusedAxis_ = to;
  stale();
  emit axesReordered(model_.order());
  askForMissingPairs();
}

void ParallelWidget::mouseDoubleClickEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || model_.empty()) return;
  drag_ = Drag::None;
  const ParallelHit hit = model_.hitTest(event->position());
  if (hit.area == ParallelArea::Title) {
    invert(hit.axis);
  } else if (hit.area == ParallelArea::Axis && hit.brush >= 0) {
    emit brushEntryRequested(model_.order()[hit.axis], hit.brush);
  } else if (hit.area == ParallelArea::Axis && model_.brushes().count(model_.order()[hit.axis]) > 0) {
    model_.clearBrushes(model_.order()[hit.axis]);
    stale();
    emit brushesChanged(model_.brushes(), true);
  }
}

void ParallelWidget::hover(QPointF position) {
  if (model_.empty()) return;
  const ParallelHit hit = model_.hitTest(position);
  Qt::CursorShape shape = Qt::ArrowCursor;
  if (hit.area == ParallelArea::Title) shape = Qt::OpenHandCursor;
  if (hit.area == ParallelArea::Axis)
    shape = hit.missing                       ? Qt::PointingHandCursor
            : hit.brush >= 0 && hit.edge == 0 ? Qt::SizeAllCursor
                                              : Qt::SizeVerCursor;
  if (cursor().shape() != shape) setCursor(shape);
  hoverBase_ = textAt(hit);
  if (hoverBase_.isEmpty())
    hideHoverCard();
  else
    showHoverCard(position, hoverBase_);
  probe(position);
  if (hit.area == ParallelArea::Axis && !hit.missing && model_.axis(hit.axis).time)
    reportCursor(Nanoseconds{std::llround(hit.value)});
  else if (near_.empty())
    reportCursor(std::nullopt);
}

QString ParallelWidget::textAt(const ParallelHit& hit) {
  if (hit.area == ParallelArea::Title) {
    const ParallelAxis& axis = model_.axis(hit.axis);
    const auto bin = [&](double share) { // the position within the bin is unknown
      const ValueRange range = model_.quantileBin(hit.axis, share);
      return formatRange(range.low, range.high, axis.unit);
    };
    return tr("%1\nColumn\t%8\nRange\t%2\nMedian in\t%3\nQuartiles in\t%4 and %5\nMissing\t%6 of the "
              "rows%7\nAt the axis\tbox: quartiles and median, whiskers: 5 % and 95 % of the rows, bars: "
              "rows of each bin (logarithmic; for names linear)\nDrag to move, double-click to invert, "
              "right-click for scale, colour and more")
        .arg(axis.title, formatRange(axis.minimum, axis.maximum, axis.unit, 4), bin(0.5), bin(0.25),
             bin(0.75), formatPercent(axis.missingShare),
             axis.details.isEmpty() ? QString() : QStringLiteral("\n") + axis.details, axis.key);
  }
  if (hit.area != ParallelArea::Axis) return {};
  const ParallelAxis& axis = model_.axis(hit.axis);
  if (hit.missing)
    return tr("%1\nMissing\t%2 rows (%3)\nClick to select them")
        .arg(axis.title, formatCount(axis.all.back()), formatPercent(axis.missingShare));
  QString text =
      axis.title + QStringLiteral("\n") + tr("Here") + QLatin1Char('\t') + valueText(axis, hit.value);
  if (const auto category = static_cast<std::size_t>(std::max(std::lround(hit.value), 0L));
      !axis.categories.isEmpty() && category < axis.all.size() && model_.data().rows > 0)
    text += QLatin1Char('\n') + tr("Rows") + QLatin1Char('\t') +
            tr("%1 (%2)").arg(formatCount(axis.all[category]),
                              formatPercent(static_cast<double>(axis.all[category]) /
                                            static_cast<double>(model_.data().rows)));
  if (hit.brush >= 0) {
    const ValueRange range = model_.brushes().at(axis.key)[static_cast<std::size_t>(hit.brush)];
    text += QLatin1Char('\n') + tr("Brush") + QLatin1Char('\t') +
            formatRange(range.low, range.high, axis.unit, 4) + QLatin1Char('\n') + tr("Rows in the brush") +
            QLatin1Char('\t') + model_.brushText(hit.axis, hit.brush) + QLatin1Char('\n') +
            tr("Double-click to type its bounds");
  }
  return text;
}

} // namespace jitterscope::views
