#include "app/metrics/metrics_controller.h"

#include <QComboBox>
#include <QCoreApplication>
#include <QEvent>
#include <QFileDialog>
#include <QInputDialog>
#include <QMenu>
#include <QToolButton>
#include <algorithm>
#include <functional>

#include "app/engine/group_filter.h"
#include "app/metrics/cfg_dialog.h"
#include "app/metrics/metric_answer.h"
#include "app/metrics/metric_editor.h"
#include "app/metrics/metric_library.h"
#include "app/metrics/metric_state.h"
#include "core/efficiency/metrics/sweep.h"
#include "core/efficiency/metrics/syntax.h"
#include "core/engine/messages/metric_options.h"
#include "core/engine/messages/selection.h"
#include "views/base/format.h"
#include "views/metrics/metric_histogram.h"
#include "views/metrics/metrics_model.h"
#include "views/metrics/metrics_widget.h"

namespace jitterscope::app {
namespace {

using nlohmann::json;

constexpr int kRangePause = 20; // ms after the last change of the range
constexpr std::size_t kMaxMoments = 20'000;

QString words_of(const Error& error) {
  QString words = error.place.empty() ? QString() : QString::fromStdString(error.place) + ": ";
  words += QString::fromStdString(error.message);
  return error.hint.empty() ? words : words + ". " + QString::fromStdString(error.hint);
}

} // namespace

MetricsController::MetricsController(SelectionHub& hub, SessionController& session,
                                     views::MetricsWidget* view, views::MetricHistogramView* histogram,
                                     QObject* parent)
    : QObject(parent), hub_(hub), session_(session), view_(view), histogram_view_(histogram),
      histogram_(histogram->plot()) {
  timer_.setSingleShot(true);
  timer_.setInterval(kRangePause);
  connect(&timer_, &QTimer::timeout, this, &MetricsController::ask);
  connect(&session_, &SessionController::opened, this, [this] { session_opened(); });
  connect(&session_, &SessionController::repeated, &timer_, qOverload<>(&QTimer::start));
  connect(&hub_, &SelectionHub::changed, this, &MetricsController::hub_changed);
  connect(view_, &views::MetricsWidget::levelChosen, this, &MetricsController::set_level);
  auto* canvas = view_->canvas();
  using views::MetricsCanvas;
  const auto change = [this](const QString& merge, auto&& edit) {
    SelectionState state = hub_.state();
    edit(state);
    hub_.apply(state, merge);
  };
  connect(canvas, &MetricsCanvas::windowChosen, this, [change](Interval window) {
    change("metrics window", [&](SelectionState& s) { s.window = window; });
  });
  connect(canvas, &MetricsCanvas::brushed, this,
          [change](Interval range) { change({}, [&](SelectionState& s) { s.brush = range; }); });
  connect(canvas, &MetricsCanvas::brushCleared, this,
          [change] { change({}, [](SelectionState& s) { s.brush.reset(); }); });
  connect(canvas, &MetricsCanvas::columnsChanged, &timer_, qOverload<>(&QTimer::start));
  connect(canvas, &MetricsCanvas::editRequested, this, &MetricsController::edit);
  connect(canvas, &MetricsCanvas::removeRequested, this, &MetricsController::remove);
  connect(canvas, &MetricsCanvas::objectChosen, this, [this](int panel, int object) {
    const auto& tracks = view_->panels()[static_cast<std::size_t>(panel)].values.tracks;
    if (object < static_cast<int>(tracks.size()) && tracks[static_cast<std::size_t>(object)])
      emit track_requested(*tracks[static_cast<std::size_t>(object)]);
  });
  connect(canvas, &MetricsCanvas::menuRequested, this, [this](int panel, QPoint at) {
    QMenu menu;
    fill_menu(&menu, panel);
    menu.exec(at);
  });
  connect(histogram_, &views::MetricHistogramWidget::cellChosen, this, &MetricsController::choose_cell);
  for (const auto& each : cell_statistics()) {
    if (each.statistic == CellStatistic::Integral) continue; // only on the command line
    histogram_view_->statisticBox()->addItem(QCoreApplication::translate("Jitterscope", each.title),
                                             each.name);
  }
  for (auto* box : {histogram_view_->statisticBox(), histogram_view_->dataBox()})
    connect(box, &QComboBox::activated, this, [this] {
      ask_histogram();
      emit changed();
    });
  connect(histogram_view_, &views::MetricHistogramView::binsChosen, this, [this] {
    ask_histogram();
    emit changed();
  });
  fill_histogram_choices();
  view_->addButton()->setMenu(new QMenu(view_->addButton()));
  connect(view_->addButton()->menu(), &QMenu::aboutToShow, this, &MetricsController::fill_add_menu);
  view_->installEventFilter(this);
  histogram_->installEventFilter(this);
}

void MetricsController::set_style(const views::ViewStyle& style) {
  style_ = style;
  view_->setViewStyle(style);
  histogram_view_->setViewStyle(style);
}

std::vector<views::MetricPanel> MetricsController::panels() const {
  return view_->panels();
}

void MetricsController::set_panels(std::vector<views::MetricPanel> panels, std::vector<quint64> ids) {
  ids_ = std::move(ids);
  view_->setPanels(std::move(panels));
  view_->setMessage(ids_.empty() ? tr("Add a metric with the button above.") : "");
  emit changed();
}

int MetricsController::place_of_panel(quint64 id) const {
  const auto found = std::ranges::find(ids_, id);
  return found == ids_.end() ? -1 : static_cast<int>(found - ids_.begin());
}

/// Default metrics of a session: of devices if it has launches and its rows are not bursts, else of threads.
std::vector<std::string> MetricsController::default_metrics() const {
  const bool launches = session_.info().value("rows", std::string()) != "bursts";
  const bool devices = launches && !session_.tracks().launch_span.empty();
  std::vector<std::string> texts;
  for (auto& metric : app::default_metrics(devices)) texts.push_back(std::move(metric.text));
  return texts;
}

/// Whether the trace has devices, or records of them. Rows of host threads, such as bursts, do not count.
bool MetricsController::has_gpu() const {
  const auto& info = session_.info();
  const auto any = [&](const char* records) {
    return info.value(records, json::object()).value("count", std::int64_t{0}) > 0;
  };
  const auto rows = info.value("rows", std::string("launches"));
  return ((rows == "launches" || rows == "mixed") && any("launches")) || any("transfers") ||
         !info.value("devices", json::array()).empty();
}

void MetricsController::session_opened() {
  stale_ = true;
  removed_.reset();
  histogram_view_->setData({});
  of_histogram_ = {};
  histogram_chosen_ = false;
  if (session_.launch_order()) {
    set_panels({}, {});
    return view_->setMessage(tr("Tables without times have no metrics over time."));
  }
  view_->canvas()->setSpan(session_.tracks().span);
  auto kept = panels();
  if (kept.empty())
    for (auto& text : default_metrics()) {
      auto& panel = kept.emplace_back();
      panel.title = title_in(text);
      panel.text = std::move(text);
    }
  for (auto& panel : kept)
    panel.values = {}, panel.problem.clear(), panel.missing.clear(), panel.levels.clear();
  std::vector<quint64> ids;
  for (std::size_t i = 0; i < kept.size(); ++i) ids.push_back(next_id_++);
  set_panels(std::move(kept), std::move(ids));
  timer_.start();
}

void MetricsController::hub_changed(const SelectionState& now, const SelectionState& before) {
  view_->canvas()->setWindow(now.window.value_or(session_.tracks().span));
  view_->canvas()->setBrush(now.brush);
  if (now.reason != before.reason) {
    view_->canvas()->setMoments(now.reason ? now.reason->times : std::vector<Interval>());
    if (!now.reason || now.reason->cause != chosen_) histogram_->clearChosen();
  }
  if (now.brush == before.brush && now.window == before.window) return;
  stale_ = true;
  timer_.start();
}

bool MetricsController::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Show && (stale_ || watched == histogram_)) timer_.start();
  return QObject::eventFilter(watched, event);
}

void MetricsController::ask() {
  if (!session_.has_session() || session_.launch_order()) return;
  // The default of the histogram depends on the values.
  if (view_->isVisible() || (histogram_->isVisible() && !histogram_chosen_)) {
    stale_ = false;
    for (int panel = 0; panel < static_cast<int>(ids_.size()); ++panel) ask_panel(panel);
  }
  if (histogram_->isVisible()) ask_histogram();
}

// One column per available pixel; the engine uses fewer if there are very many objects.
void MetricsController::ask_panel(int panel) {
  const auto& of = view_->panels()[static_cast<std::size_t>(panel)];
  const auto range = view_->canvas()->model().viewport.window();
  const auto columns = std::min<std::int64_t>(view_->canvas()->pixelColumns(), range.length().count);
  if (columns < 1) return;
  const auto id = ids_[static_cast<std::size_t>(panel)];
  engine::MetricOptions options{
      .text = of.text, .level = of.level.toStdString(), .columns = columns, .fit = true};
  set_range(options, range);
  session_.request({options, "metric " + std::to_string(id)}, of.title.isEmpty() ? tr("Metric") : of.title,
                   [this, id](Expected<engine::Answer> answer) {
                     const int place = place_of_panel(id);
                     if (place < 0 || (!answer && answer.error().kind == ErrorKind::Cancelled)) return;
                     auto content = view_->panels()[static_cast<std::size_t>(place)];
                     auto read =
                         answer ? read_metric(*answer, content) : Expected<void>(forward(answer.error()));
                     if (!read) {
                       content.problem = words_of(read.error());
                       content.values = {};
                       content.missing.clear();
                     }
                     view_->setPanel(place, std::move(content));
                     if (histogram_->isVisible() && choose_default_histogram()) ask_histogram();
                   });
}

void MetricsController::add(const std::string& text) {
  auto all = panels();
  auto& added = all.emplace_back();
  added.text = text;
  added.title = title_in(text);
  auto ids = ids_;
  ids.push_back(next_id_++);
  set_panels(std::move(all), std::move(ids));
  view_->canvas()->showPanel(static_cast<int>(ids_.size()) - 1);
  timer_.start();
}

void MetricsController::remove(int panel) {
  auto all = panels();
  auto ids = ids_;
  removed_ = {panel, all[static_cast<std::size_t>(panel)]};
  all.erase(all.begin() + panel);
  ids.erase(ids.begin() + panel);
  set_panels(std::move(all), std::move(ids));
  emit removed(views::metrics::titleOf(removed_->second));
}

void MetricsController::undo_remove() {
  if (!removed_) return;
  auto all = panels();
  auto ids = ids_;
  const auto place = std::min(removed_->first, static_cast<int>(all.size()));
  all.insert(all.begin() + place, std::move(removed_->second));
  ids.insert(ids.begin() + place, next_id_++);
  removed_.reset();
  set_panels(std::move(all), std::move(ids));
  view_->canvas()->showPanel(place);
  timer_.start();
}

void MetricsController::move(int panel, int by) {
  auto all = panels();
  auto ids = ids_;
  const auto from = static_cast<std::size_t>(panel), to = static_cast<std::size_t>(panel + by);
  if (to >= all.size()) return;
  std::swap(all[from], all[to]);
  std::swap(ids[from], ids[to]);
  set_panels(std::move(all), std::move(ids));
  view_->canvas()->setCurrent(panel + by);
}

void MetricsController::set_level(int panel, const QString& level) {
  auto content = view_->panels()[static_cast<std::size_t>(panel)];
  content.level = level;
  content.scale.reset();
  view_->setPanel(panel, std::move(content));
  emit changed();
  ask_panel(panel);
}

void MetricsController::copy_scale(int panel) {
  copied_ = views::metrics::scaleOf(view_->panels()[static_cast<std::size_t>(panel)]);
}

void MetricsController::paste_scale(int panel) {
  if (copied_) set_scale(panel, copied_);
}

void MetricsController::set_scale(int panel, std::optional<views::MetricScale> scale) {
  auto content = view_->panels()[static_cast<std::size_t>(panel)];
  content.scale = scale;
  view_->setPanel(panel, std::move(content));
  emit changed();
}

void MetricsController::ask_scale_of(int panel) {
  const auto scale = views::metrics::scaleOf(view_->panels()[static_cast<std::size_t>(panel)]);
  bool chosen = false;
  const auto text =
      QInputDialog::getText(view_, tr("Scale"), tr("Lowest and highest value:"), QLineEdit::Normal,
                            QString("%1 %2").arg(scale.first).arg(scale.second), &chosen);
  if (!chosen) return;
  const auto parts = text.simplified().split(' ');
  bool low_valid = false, high_valid = false;
  const double low = parts.value(0).toDouble(&low_valid), high = parts.value(1).toDouble(&high_valid);
  if (!low_valid || !high_valid || parts.size() != 2 || !(low < high))
    return emit problem(tr("Enter two numbers, the lower number first, for example 0 100."));
  set_scale(panel, views::MetricScale{low, high});
}

void MetricsController::edit(int panel) {
  if (!editor_) editor_ = new MetricEditor(session_, hub_, style_, view_);
  if (panel < 0) {
    return editor_->edit(new_metric(!session_.has_session() || has_gpu()), tr("&Add"),
                         [this](const std::string& text) { add(text); });
  }
  const auto id = ids_[static_cast<std::size_t>(panel)];
  editor_->edit(view_->panels()[static_cast<std::size_t>(panel)].text, tr("&Apply"),
                [this, id](const std::string& text) {
                  const int place = place_of_panel(id);
                  if (place < 0) return add(text);
                  auto content = view_->panels()[static_cast<std::size_t>(place)];
                  content.text = text;
                  content.title = title_in(text);
                  content.level.clear();
                  view_->setPanel(place, std::move(content));
                  emit changed();
                  ask_panel(place);
                });
}

void MetricsController::fill_add_menu() {
  auto* menu = view_->addButton()->menu();
  menu->clear();
  menu->setToolTipsVisible(true);
  const bool all = !session_.has_session() || has_gpu();
  const auto add_metrics = [&](bool of_gpu) {
    for (const auto& metric : shipped_metrics())
      if (all || metric.of_gpu == of_gpu)
        menu->addAction(metric.title, this, [this, text = metric.text] { add(text); })
            ->setToolTip(metric.help);
  };
  add_metrics(false);
  menu->addSeparator();
  menu->addAction(tr("&New Metric…"), this, [this] { edit(-1); });
  menu->addAction(tr("&From File…"), this, &MetricsController::open_file);
  menu->addAction(tr("From &Paraver Configuration…"), this, &MetricsController::open_cfg);
  if (all) return;
  menu->addSeparator();
  menu->addAction(tr("Without GPU records in this trace:"))->setEnabled(false); // titles of sections are cut
  add_metrics(true);
}

void MetricsController::open_file() {
  QFileDialog dialog(view_, tr("Add metrics"));
  dialog.setOption(QFileDialog::DontUseNativeDialog);
  dialog.setFileMode(QFileDialog::ExistingFiles);
  dialog.setNameFilters({tr("Metrics (*.metric)"), tr("All files (*)")});
  if (dialog.exec() != QDialog::Accepted) return;
  for (const auto& path : dialog.selectedFiles()) {
    auto metric = metric_from_file(path);
    if (metric)
      add(metric->text);
    else
      emit problem(QString::fromStdString(describe(metric.error())));
  }
}

void MetricsController::open_cfg() {
  QFileDialog dialog(view_, tr("Add metrics from Paraver"));
  dialog.setOption(QFileDialog::DontUseNativeDialog);
  dialog.setFileMode(QFileDialog::ExistingFile);
  dialog.setNameFilters({tr("Paraver configurations (*.cfg)"), tr("All files (*)")});
  if (dialog.exec() == QDialog::Accepted) add_cfg(dialog.selectedFiles().value(0));
}

// Adds the windows that Paraver would show, all if it would show none; asks which if they are many.
void MetricsController::add_cfg(const QString& path) {
  const auto metrics = metrics_from_cfg(path);
  if (!metrics) return emit problem(QString::fromStdString(describe(metrics.error())));
  auto windows = metrics->windows;
  const bool any_open = std::ranges::any_of(windows, &efficiency::metrics::CfgMetric::open);
  if (any_open) std::erase_if(windows, [](const auto& of) { return !of.open; });
  constexpr std::ptrdiff_t kMaxUnasked = 4;
  const auto supported = [](const auto& of) { return !of.text.empty(); };
  if (std::ranges::count_if(windows, supported) <= kMaxUnasked) return add_windows(windows);
  auto* dialog = new CfgDialog(windows, view_);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  connect(dialog, &CfgDialog::chosen, this, &MetricsController::add_windows);
  dialog->open();
}

void MetricsController::add_windows(const std::vector<efficiency::metrics::CfgMetric>& windows) {
  QStringList notes;
  for (const auto& of : windows) {
    const auto name = QString::fromStdString(of.name);
    if (of.text.empty())
      notes << tr("\"%1\" is not supported: %2.").arg(name, QString::fromStdString(of.unsupported));
    else
      add(of.text);
    if (!of.note.empty()) notes << tr("\"%1\": %2.").arg(name, QString::fromStdString(of.note));
  }
  constexpr int kMaxNotes = 5;
  if (notes.size() > kMaxNotes) {
    const auto left_out = notes.size() - kMaxNotes;
    notes = notes.first(kMaxNotes) << tr("\"jitterscope metric --from FILE\" lists %1 more.").arg(left_out);
  }
  if (!notes.isEmpty()) emit problem(notes.join(' '));
}

// The rule for objects that share a row, as "Tracks in One Pixel" of the timeline.
void MetricsController::merge_menu(QMenu* menu, int panel) {
  for (const bool maximum : {false, true}) {
    auto* action = menu->addAction(maximum ? tr("&Maximum of the Objects") : tr("M&ean of the Objects"), this,
                                   [this, panel, maximum] {
                                     auto content = view_->panels()[static_cast<std::size_t>(panel)];
                                     content.mergedMaximum = maximum;
                                     view_->setPanel(panel, std::move(content));
                                     emit changed();
                                   });
    action->setCheckable(true);
    action->setChecked(view_->panels()[static_cast<std::size_t>(panel)].mergedMaximum == maximum);
  }
}

void MetricsController::fill_menu(QMenu* menu, int panel) {
  if (panel < 0) {
    menu->addAction(tr("&New Metric…"), this, [this] { edit(-1); });
    return;
  }
  const auto& of = view_->panels()[static_cast<std::size_t>(panel)];
  menu->addAction(tr("&Edit…"), this, [this, panel] { edit(panel); });
  auto* levels = menu->addMenu(tr("&Level"));
  for (const auto& level : of.levels) {
    auto* action = levels->addAction(level, this, [this, panel, level] { set_level(panel, level); });
    action->setCheckable(true);
    action->setChecked(level == of.level);
  }
  auto* scale = menu->addMenu(tr("&Scale"));
  auto* automatic =
      scale->addAction(tr("&Automatic"), this, [this, panel] { set_scale(panel, std::nullopt); });
  automatic->setCheckable(true);
  automatic->setChecked(!of.scale);
  scale->addAction(tr("&Set…"), this, [this, panel] { ask_scale_of(panel); });
  scale->addAction(tr("&Copy"), this, [this, panel] { copy_scale(panel); });
  scale->addAction(tr("&Paste"), this, [this, panel] { paste_scale(panel); })
      ->setEnabled(copied_.has_value());
  auto* show = menu->addMenu(tr("Sho&w"));
  for (const bool maximum : {false, true}) {
    auto* action = show->addAction(maximum ? tr("&Maximum of a Column") : tr("&Average of a Column"), this,
                                   [this, panel, maximum] {
                                     auto content = view_->panels()[static_cast<std::size_t>(panel)];
                                     content.maximum = maximum;
                                     view_->setPanel(panel, std::move(content));
                                     emit changed();
                                   });
    action->setCheckable(true);
    action->setChecked(of.maximum == maximum);
  }
  merge_menu(menu->addMenu(tr("Objects in &One Row")), panel);
  menu->addSeparator();
  menu->addAction(tr("&Histogram"), this, [this, panel] { show_histogram(panel); });
  menu->addAction(tr("Add to &Timeline"), this,
                  [this, text = of.text, level = of.level] { emit track_added(text, level); });
  menu->addAction(tr("Add as &Column"), this, [this, text = of.text, title = of.title] {
    emit column_requested(title.isEmpty() ? tr("metric") : title, text);
  });
  menu->addSeparator();
  menu->addAction(tr("Move &Up"), this, [this, panel] { move(panel, -1); })->setEnabled(panel > 0);
  menu->addAction(tr("Move &Down"), this, [this, panel] { move(panel, 1); })
      ->setEnabled(panel + 1 < static_cast<int>(ids_.size()));
  menu->addAction(tr("&Remove"), this, [this, panel] { remove(panel); });
}

// The histogram covers the brushed range, else the visible one.
void MetricsController::show_histogram(int panel) {
  of_histogram_ = view_->panels()[static_cast<std::size_t>(panel)];
  histogram_chosen_ = true;
  emit histogram_requested();
  emit changed();
  timer_.start();
}

// The data metric is one of the metrics view, by default another than the histogram's own.
void MetricsController::fill_histogram_choices() {
  auto* box = histogram_view_->dataBox();
  const auto shown = cell_statistic(histogram_view_->statisticBox()->currentData().toString().toStdString());
  const auto chosen = box->currentData().toByteArray();
  box->clear();
  int current = -1;
  for (const auto& panel : view_->panels()) {
    const auto text = QByteArray::fromStdString(panel.text);
    if (text == chosen || (current < 0 && chosen.isEmpty() && panel.text != of_histogram_.text))
      current = box->count();
    box->addItem(views::metrics::titleOf(panel), text);
  }
  box->setCurrentIndex(std::max(current, 0));
  box->setEnabled(shown && shown->of_data && box->count() > 0);
}

bool MetricsController::choose_default_histogram() {
  const int panel = histogram_chosen_ ? -1 : views::metrics::histogramPanel(view_->panels());
  if (panel < 0) return false;
  const auto& of = view_->panels()[static_cast<std::size_t>(panel)];
  histogram_chosen_ = of.varies(); // not another one in another range
  const bool changes = of.text != of_histogram_.text;
  of_histogram_ = of;
  return changes;
}

void MetricsController::ask_histogram() {
  choose_default_histogram();
  fill_histogram_choices();
  if (of_histogram_.text.empty()) return;
  const auto& state = hub_.state();
  const auto range = state.brush.value_or(state.window.value_or(session_.tracks().span));
  const auto& bins = histogram_view_->bins();
  engine::MetricHistogramOptions options{.text = of_histogram_.text,
                                         .level = of_histogram_.level.toStdString(),
                                         .bins = bins.count,
                                         .low = bins.low,
                                         .high = bins.high,
                                         .logarithmic = bins.logarithmic};
  set_range(options, range);
  const auto shown = *cell_statistic(histogram_view_->statisticBox()->currentData().toString().toStdString());
  const auto data_metric = histogram_view_->dataBox()->currentData().toByteArray().toStdString();
  if (shown.of_data) options.data = data_metric;
  session_.request({options, "metric histogram"}, tr("Histogram"),
                   [this, shown, brushed = state.brush.has_value()](Expected<engine::Answer> answer) {
                     if (answer) return show_cells(*answer, shown, brushed);
                     if (answer.error().kind == ErrorKind::Cancelled) return;
                     histogram_view_->setData({});
                     histogram_->setMessage(words_of(answer.error()));
                   });
}

void MetricsController::show_cells(const engine::Answer& answer, const CellStatisticSpec& shown,
                                   bool brushed) {
  histogram_->setMessage({});
  histogram_view_->setData(histogram_of(answer, of_histogram_, shown,
                                        brushed ? tr("brushed range") : tr("visible range"),
                                        histogram_view_->dataBox()->currentText()));
}

// Selects the time intervals during which the object has a value in this cell.
void MetricsController::choose_cell(int object, int bin) {
  const auto& data = histogram_->data();
  const auto number = data.numbers[static_cast<std::size_t>(object)];
  engine::MetricOptions options{.text = of_histogram_.text,
                                .level = of_histogram_.level.toStdString(),
                                .objects = {number},
                                .exact = true};
  set_range(options, data.range);
  session_.request({options, "metric cell"}, tr("Moments"),
                   [this, data, object, bin](Expected<engine::Answer> answer) {
                     if (answer)
                       select_moments(*answer, data, object, bin);
                     else if (answer.error().kind != ErrorKind::Cancelled)
                       emit problem(words_of(answer.error()));
                   });
}

void MetricsController::select_moments(const engine::Answer& answer, const views::MetricHistogram& data,
                                       int object, int bin) {
  const auto& begins = answer.get<std::int64_t>("step/begin");
  const auto& values = answer.get<double>("step/value");
  const auto end = answer.document.at("range_ns").at("end").get<std::int64_t>();
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
  if (times.empty()) return histogram_->clearChosen();
  if (times.size() > kMaxMoments) {
    std::ranges::stable_sort(times, std::greater(), &Interval::length);
    emit problem(tr("The %1 longest of %2 moments are selected.").arg(kMaxMoments).arg(times.size()));
    times.resize(kMaxMoments);
    std::ranges::sort(times, {}, &Interval::begin);
  }
  SelectionState state = hub_.state();
  chosen_ = QString("%1 %2, %3").arg(data.title, data.valuesOf(bin), data.objects[object]);
  state.reason = ReasonChoice{chosen_, std::move(times), true};
  const int rank = data.ranks[static_cast<std::size_t>(object)];
  if (rank >= 0) state.where = with_condition(state.where, "rank", QString("rank = %1").arg(rank));
  hub_.apply(state);
}

json MetricsController::state() const {
  json list = json::array();
  for (const auto& panel : view_->panels()) list.push_back(to_json(panel));
  return list;
}

void MetricsController::restore(const json& state) {
  std::vector<views::MetricPanel> all;
  std::vector<quint64> ids;
  for (const auto& item : state) {
    all.push_back(panel_from(item));
    ids.push_back(next_id_++);
  }
  set_panels(std::move(all), std::move(ids));
  timer_.start();
}

json MetricsController::histogram_state() const {
  return to_json(HistogramState{of_histogram_, histogram_view_->bins(),
                                histogram_view_->statisticBox()->currentData().toString().toStdString(),
                                histogram_view_->dataBox()->currentData().toByteArray().toStdString()});
}

void MetricsController::restore_histogram(const json& state) {
  const auto histogram = histogram_from(state);
  of_histogram_ = histogram.metric;
  histogram_chosen_ = !of_histogram_.text.empty();
  histogram_view_->setBins(histogram.bins);
  auto* statistic = histogram_view_->statisticBox();
  statistic->setCurrentIndex(std::max(statistic->findData(QString::fromStdString(histogram.statistic)), 0));
  fill_histogram_choices();
  auto* data = histogram_view_->dataBox();
  if (const int chosen = data->findData(QByteArray::fromStdString(histogram.data)); chosen >= 0)
    data->setCurrentIndex(chosen);
  timer_.start();
}

} // namespace jitterscope::app
