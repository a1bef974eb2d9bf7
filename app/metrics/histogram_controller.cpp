#include "app/metrics/histogram_controller.h"

#include <QComboBox>
#include <QCoreApplication>
#include <QEvent>
#include <algorithm>
#include <functional>

#include "app/engine/group_filter.h"
#include "app/metrics/metric_answer.h"
#include "app/metrics/metric_state.h"
#include "core/efficiency/metrics/sweep.h"
#include "core/engine/messages/metric_options.h"
#include "core/engine/messages/selection.h"
#include "views/metrics/metric_histogram.h"
#include "views/metrics/metrics_model.h"
#include "views/metrics/metrics_widget.h"

namespace jitterscope::app {
namespace {

using nlohmann::json;

constexpr int kCellsPause = 20; // ms after the last change of the range
constexpr std::size_t kMaxMoments = 20'000;

} // namespace

HistogramController::HistogramController(SelectionHub& hub, SessionController& session,
                                         const views::MetricsWidget* metrics,
                                         views::MetricHistogramView* view, QObject* parent)
    : QObject(parent), hub_(hub), session_(session), metrics_(metrics), view_(view), plot_(view->plot()) {
  timer_.setSingleShot(true);
  timer_.setInterval(kCellsPause);
  connect(&timer_, &QTimer::timeout, this, &HistogramController::update_if_visible);
  connect(&session_, &SessionController::opened, this, [this] { session_opened(); });
  connect(&session_, &SessionController::repeated, &timer_, qOverload<>(&QTimer::start));
  connect(&hub_, &SelectionHub::changed, this, &HistogramController::hub_changed);
  connect(plot_, &views::MetricHistogramWidget::cellChosen, this, &HistogramController::choose_cell);
  for (const auto& each : cell_statistics()) {
    if (each.statistic == CellStatistic::Integral) continue; // only on the command line
    view_->statisticBox()->addItem(QCoreApplication::translate("Jitterscope", each.title), each.name);
  }
  const auto ask_again = [this] {
    ask();
    emit changed();
  };
  for (auto* box : {view_->statisticBox(), view_->dataBox()})
    connect(box, &QComboBox::activated, this, ask_again);
  connect(view_, &views::MetricHistogramView::binsChosen, this, ask_again);
  fill_choices();
  plot_->installEventFilter(this);
}

void HistogramController::show(const views::MetricPanel& metric) {
  if (metric.text != metric_.text) forget_limits();
  metric_ = metric;
  chosen_ = true;
  emit requested();
  emit changed();
  timer_.start();
}

// Limits of the bins are values of one metric.
void HistogramController::forget_limits() {
  auto bins = view_->bins();
  bins.low.reset(), bins.high.reset();
  view_->setBins(bins);
}

void HistogramController::session_opened() {
  forget_limits();
  view_->setData({});
  metric_ = {};
  chosen_ = false;
  timer_.start();
}

void HistogramController::hub_changed(const SelectionState& now, const SelectionState& before) {
  if (now.reason != before.reason && (!now.reason || now.reason->cause != of_moments_)) plot_->clearChosen();
  if (now.brush != before.brush || now.window != before.window) timer_.start();
}

bool HistogramController::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Show) timer_.start();
  return QObject::eventFilter(watched, event);
}

void HistogramController::update_if_visible() {
  if (!plot_->isVisible() || !session_.has_session() || session_.launch_order()) return;
  if (!chosen_) emit values_needed();
  ask();
}

void HistogramController::values_changed() {
  if (plot_->isVisible() && choose_default()) ask();
}

// The data metric is one of the metrics view, by default another than the histogram's own.
void HistogramController::fill_choices() {
  auto* box = view_->dataBox();
  const auto shown = cell_statistic(view_->statisticBox()->currentData().toString().toStdString());
  const auto chosen = box->currentData().toByteArray();
  box->clear();
  int current = -1;
  for (const auto& panel : metrics_->panels()) {
    const auto text = QByteArray::fromStdString(panel.text);
    if (text == chosen || (current < 0 && chosen.isEmpty() && panel.text != metric_.text))
      current = box->count();
    box->addItem(views::metrics::titleOf(panel), text);
  }
  box->setCurrentIndex(std::max(current, 0));
  box->setEnabled(shown && shown->of_data && box->count() > 0);
}

bool HistogramController::choose_default() {
  const int panel = chosen_ ? -1 : views::metrics::histogramPanel(metrics_->panels());
  if (panel < 0) return false;
  const auto& of = metrics_->panels()[static_cast<std::size_t>(panel)];
  chosen_ = of.varies(); // not another one in another range
  const bool changes = of.text != metric_.text;
  metric_ = of;
  return changes;
}

void HistogramController::ask() {
  choose_default();
  fill_choices();
  if (metric_.text.empty()) return;
  const auto& state = hub_.state();
  const auto range = state.brush.value_or(state.window.value_or(session_.tracks().span));
  const auto& bins = view_->bins();
  engine::MetricHistogramOptions options{.text = metric_.text,
                                         .level = metric_.level.toStdString(),
                                         .bins = bins.count,
                                         .low = bins.low,
                                         .high = bins.high,
                                         .logarithmic = bins.logarithmic};
  set_range(options, range);
  const auto shown = *cell_statistic(view_->statisticBox()->currentData().toString().toStdString());
  const auto data_metric = view_->dataBox()->currentData().toByteArray().toStdString();
  if (shown.of_data) options.data = data_metric;
  session_.request({options, "metric histogram"}, tr("Histogram"),
                   [this, shown, brushed = state.brush.has_value()](Expected<engine::Answer> answer) {
                     const auto cells =
                         answer.and_then(engine::table_of<engine::answers::MetricHistogramAnswer>);
                     if (cells) return show_cells(*cells, shown, brushed);
                     if (cells.error().kind == ErrorKind::Cancelled) return;
                     view_->setData({});
                     plot_->setMessage(words_of(cells.error()));
                   });
}

void HistogramController::show_cells(const engine::answers::MetricHistogramAnswer& answer,
                                     const CellStatisticSpec& shown, bool brushed) {
  plot_->setMessage({});
  view_->setData(histogram_of(answer, metric_, shown, brushed ? tr("brushed range") : tr("visible range"),
                              view_->dataBox()->currentText()));
}

// Selects the time intervals during which the object has a value in this cell.
void HistogramController::choose_cell(int object, int bin) {
  const auto& data = plot_->data();
  const auto number = data.numbers[static_cast<std::size_t>(object)];
  engine::MetricOptions options{
      .text = metric_.text, .level = metric_.level.toStdString(), .objects = {number}, .exact = true};
  set_range(options, data.range);
  session_.request({options, "metric cell"}, tr("Moments"),
                   [this, data, object, bin](Expected<engine::Answer> answer) {
                     const auto steps = answer.and_then(engine::table_of<engine::answers::MetricAnswer>);
                     if (steps)
                       select_moments(*steps, data, object, bin);
                     else if (steps.error().kind != ErrorKind::Cancelled)
                       emit problem(words_of(steps.error()));
                   });
}

void HistogramController::select_moments(const engine::answers::MetricAnswer& answer,
                                         const views::MetricHistogram& data, int object, int bin) {
  const auto& begins = answer.step_begin;
  const auto& values = answer.step_value;
  const auto end = answer.of->range_ns.end.count;
  std::vector<Interval> times;
  for (std::size_t i = 0; i < begins.size(); ++i) {
    if (values[i] == 0) continue; // cells do not count time at 0
    if (efficiency::metrics::bin_of(values[i], data.edges, data.logarithmic) != bin) continue;
    const Interval time{{begins[i]}, {i + 1 < begins.size() ? begins[i + 1] : end}};
    if (!times.empty() && times.back().end == time.begin)
      times.back().end = time.end;
    else
      times.push_back(time);
  }
  if (times.empty()) return plot_->clearChosen();
  if (times.size() > kMaxMoments) {
    std::ranges::stable_sort(times, std::greater(), &Interval::length);
    emit problem(tr("The %1 longest of %2 moments are selected.").arg(kMaxMoments).arg(times.size()));
    times.resize(kMaxMoments);
    std::ranges::sort(times, {}, &Interval::begin);
  }
  SelectionState state = hub_.state();
  of_moments_ = QString("%1 %2, %3").arg(data.title, data.valuesOf(bin), data.objects[object]);
  state.reason = ReasonChoice{of_moments_, std::move(times), true};
  const int rank = data.ranks[static_cast<std::size_t>(object)];
  state.where = without_group(state.where, "rank"); // perhaps of another cell
  if (rank >= 0) state.where = with_group(state.where, "rank", group_condition("rank", rank));
  hub_.apply(state);
}

json HistogramController::state() const {
  return to_json(HistogramState{metric_, view_->bins(),
                                view_->statisticBox()->currentData().toString().toStdString(),
                                view_->dataBox()->currentData().toByteArray().toStdString()});
}

void HistogramController::restore(const json& state) {
  const auto histogram = histogram_from(state);
  metric_ = histogram.metric;
  chosen_ = !metric_.text.empty();
  view_->setBins(histogram.bins);
  auto* statistic = view_->statisticBox();
  statistic->setCurrentIndex(std::max(statistic->findData(QString::fromStdString(histogram.statistic)), 0));
  fill_choices();
  auto* data = view_->dataBox();
  if (const int chosen = data->findData(QByteArray::fromStdString(histogram.data)); chosen >= 0)
    data->setCurrentIndex(chosen);
  timer_.start();
}

} // namespace jitterscope::app
