#include "views/distribution/distribution_widget.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QResizeEvent>
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "views/base/format.h"
#include "views/base/painting.h"
#include "views/distribution/distribution_chart.h"
#include "views/distribution/distribution_painter.h"

namespace jitterscope::views {

DistributionWidget::DistributionWidget(QWidget* parent) : VtkHost(parent) {
  setAccessibleName(tr("Distribution"));
  setMessage(tr("Open a trace to begin"));
}

DistributionWidget::~DistributionWidget() = default;

bool DistributionWidget::hasContent() const {
  return !model_.data.empty();
}

void DistributionWidget::setData(DistributionData content) {
  model_.data = std::move(content);
  setMessage(
      model_.data.empty()
          ? tr("No selected launch has a value of this column. Change the range, the filter or the column.")
          : QString());
  layoutPlot();
  sceneChanged();
}

void DistributionWidget::setBrush(std::optional<DistributionBrush> brush) {
  if (dragging_) return;
  brushed_ = brush.has_value();
  if (brush) {
    brushFrom_ = brush->low;
    brushTo_ = brush->high;
  }
  update();
}

void DistributionWidget::layoutPlot() {
  model_.plot = distribution::plotRect(rect(), model_.data, viewStyle());
}

void DistributionWidget::styleChanged() {
  layoutPlot();
  VtkHost::styleChanged();
}

void DistributionWidget::resizeEvent(QResizeEvent* event) {
  layoutPlot();
  VtkHost::resizeEvent(event);
}

void DistributionWidget::prepareScene(const QSize& /*size*/) {
  if (!chart_) chart_ = std::make_unique<DistributionChart>(scene());
  chart_->build(model_, viewStyle(), devicePixelRatioF(), height());
}

void DistributionWidget::paintFallback(QPainter& painter, const QRectF& rect) {
  distribution::paint(painter, rect, model_.data, viewStyle());
}

void DistributionWidget::paintOver(QPainter& painter) {
  if (vtkAvailable()) {
    distribution::paintLegend(painter, rect(), model_, viewStyle());
    distribution::paintGroups(painter, model_, viewStyle());
    distribution::paintModeShares(painter, model_, viewStyle());
    distribution::paintFacts(painter, rect(), model_, viewStyle());
  }
  if (!brushed_ || !hasContent()) return;
  const double from = model_.xAt(std::min(brushFrom_, brushTo_));
  const double to = model_.xAt(std::max(brushFrom_, brushTo_));
  QColor fill = viewStyle().focus;
  fill.setAlpha(46);
  const QRectF band = QRectF(from, model_.plot.top(), std::max(1.0, to - from), model_.plot.height())
                          .intersected(model_.plot.adjusted(-1, 0, 1, 0));
  painter.fillRect(band, fill);
  drawHairline(painter, band.topLeft(), band.bottomLeft(), viewStyle().focus);
  drawHairline(painter, band.topRight(), band.bottomRight(), viewStyle().focus);
}

// Moves the brush, or only its upper edge, by one bin; without a brush, starts at the highest bin.
static std::pair<double, double> steppedBrush(const DistributionData& data,
                                              std::optional<std::pair<double, double>> brush, int step,
                                              bool edge) {
  const int bins = static_cast<int>(data.all.size());
  const auto value = [&](int place) {
    return data.edges[static_cast<std::size_t>(std::clamp(place, 0, bins))];
  };
  if (!brush) {
    const int highest =
        static_cast<int>(std::max_element(data.all.begin(), data.all.end()) - data.all.begin());
    return {value(highest), value(highest + 1)};
  }
  const auto nearest = [&](double preferred) {
    const auto above = std::lower_bound(data.edges.begin(), data.edges.end(), preferred);
    if (above == data.edges.begin()) return 0;
    if (above == data.edges.end()) return bins;
    return static_cast<int>(above - data.edges.begin()) -
           (preferred - *(above - 1) < *above - preferred ? 1 : 0);
  };
  int low = nearest(std::min(brush->first, brush->second)),
      high = std::max(nearest(std::max(brush->first, brush->second)), low + 1);
  if (!edge && low + step >= 0 && high + step <= bins) low += step, high += step;
  if (edge) high = std::clamp(high + step, low + 1, bins);
  return {value(low), value(high)};
}

void DistributionWidget::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_L && event->modifiers() == Qt::NoModifier && hasContent()) {
    emit logScaleRequested(!model_.data.logScale);
  } else if (event->key() == Qt::Key_Y && event->modifiers() == Qt::NoModifier && hasContent()) {
    emit logHeightsRequested(!model_.data.logHeights);
  } else if ((event->key() == Qt::Key_Left || event->key() == Qt::Key_Right) &&
             (event->modifiers() & ~(Qt::ShiftModifier | Qt::KeypadModifier)) == 0 && hasContent()) {
    const auto range =
        steppedBrush(model_.data, brushed_ ? std::optional(std::pair(brushFrom_, brushTo_)) : std::nullopt,
                     event->key() == Qt::Key_Left ? -1 : 1, (event->modifiers() & Qt::ShiftModifier) != 0);
    brushFrom_ = range.first;
    brushTo_ = range.second;
    brushed_ = true;
    update();
    emit rangeBrushed(brushFrom_, brushTo_, true);
  } else if (event->key() == Qt::Key_Escape && brushed_) {
    brushed_ = false;
    update();
    emit brushCleared();
  } else {
    VtkHost::keyPressEvent(event);
  }
}

int DistributionWidget::groupAt(QPointF position) const {
  const auto entries = distribution::groupEntries(rect(), model_, viewStyle());
  for (std::size_t g = 0; g < entries.size(); ++g)
    if (entries[g].contains(position)) return static_cast<int>(g);
  return -1;
}

void DistributionWidget::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || !hasContent()) return;
  if (const int group = groupAt(event->position()); group >= 0) {
    const auto& chosen = model_.data.groups[static_cast<std::size_t>(group)];
    if (!chosen.filter.isEmpty()) emit groupChosen(chosen.filter);
    return;
  }
  if (!model_.plot.contains(event->position())) return;
  dragging_ = true;
  hideHoverCard();
  brushFrom_ = brushTo_ = model_.valueAt(event->position().x());
}

void DistributionWidget::mouseMoveEvent(QMouseEvent* event) {
  if (!hasContent()) return;
  const QPointF position = event->position();
  if (dragging_) {
    brushTo_ = model_.valueAt(position.x());
    brushed_ = std::abs(model_.xAt(brushTo_) - model_.xAt(brushFrom_)) >= 3;
    update();
    return;
  }
  if (const int group = groupAt(position); group >= 0) {
    const auto& under = model_.data.groups[static_cast<std::size_t>(group)];
    setCursor(under.filter.isEmpty() ? Qt::ArrowCursor : Qt::PointingHandCursor);
    return showHoverCard(position, under.label + tr("\nlaunches\t%1").arg(formatCount(under.n)) +
                                       (under.filter.isEmpty() ? QString() : tr("\nclick\tselects them")));
  }
  unsetCursor();
  const int bin = model_.plot.contains(position) ? model_.binAt(position.x()) : -1;
  if (bin < 0) {
    hideHoverCard();
  } else {
    showHoverCard(position, model_.binText(bin));
  }
}

void DistributionWidget::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || !dragging_) return;
  dragging_ = false;
  if (brushed_ && brushFrom_ != brushTo_) {
    emit rangeBrushed(std::min(brushFrom_, brushTo_), std::max(brushFrom_, brushTo_), false);
  } else {
    brushed_ = false;
    update();
    emit brushCleared();
  }
}

void DistributionWidget::mouseDoubleClickEvent(QMouseEvent* event) {
  dragging_ = false;
  if (hasContent() && event->position().y() > model_.plot.bottom())
    emit logScaleRequested(!model_.data.logScale);
}

} // namespace jitterscope::views
