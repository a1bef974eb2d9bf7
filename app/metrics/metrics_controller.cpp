#include "app/metrics/metrics_controller.h"

#include <QEvent>
#include <QFileDialog>
#include <QInputDialog>
#include <QMenu>
#include <QToolButton>
#include <algorithm>

#include "app/metrics/cfg_dialog.h"
#include "app/metrics/metric_answer.h"
#include "app/metrics/metric_editor.h"
#include "app/metrics/metric_library.h"
#include "app/metrics/metric_state.h"
#include "core/efficiency/metrics/syntax.h"
#include "core/engine/messages/metric_options.h"
#include "core/engine/messages/selection.h"
#include "views/base/format.h"
#include "views/metrics/metrics_model.h"
#include "views/metrics/metrics_widget.h"

namespace jitterscope::app {
namespace {

using nlohmann::json;

constexpr int kRangePause = 20; // ms after the last change of the range

/// Until the next answer: values of another metric or level are no longer shown.
void forget_values(views::MetricPanel& content) {
  content.values = {};
  content.unit.clear(), content.problem.clear(), content.missing.clear();
  content.scale.reset();
}

} // namespace

MetricsController::MetricsController(SelectionHub& hub, SessionController& session,
                                     views::MetricsWidget* view, QObject* parent)
    : QObject(parent), hub_(hub), session_(session), view_(view) {
  timer_.setSingleShot(true);
  timer_.setInterval(kRangePause);
  connect(&timer_, &QTimer::timeout, this, [this] {
    if (view_->isVisible()) ask_if_stale();
  });
  connect(&session_, &SessionController::opened, this, [this] { session_opened(); });
  connect(&session_, &SessionController::repeated, this, &MetricsController::outdate);
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
  connect(canvas, &MetricsCanvas::columnsChanged, this, &MetricsController::outdate);
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
  view_->addButton()->setMenu(new QMenu(view_->addButton()));
  connect(view_->addButton()->menu(), &QMenu::aboutToShow, this, &MetricsController::fill_add_menu);
  view_->installEventFilter(this);
}

void MetricsController::set_style(const views::ViewStyle& style) {
  style_ = style;
  view_->setViewStyle(style);
  if (editor_) editor_->set_style(style);
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
  removed_.reset();
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
  outdate();
}

void MetricsController::hub_changed(const SelectionState& now, const SelectionState& before) {
  view_->canvas()->setWindow(now.window.value_or(session_.tracks().span));
  view_->canvas()->setBrush(now.brush);
  if (now.reason != before.reason)
    view_->canvas()->setMoments(now.reason ? now.reason->times : std::vector<Interval>());
  if (now.brush == before.brush && now.window == before.window) return;
  outdate();
}

bool MetricsController::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Show && stale_) timer_.start();
  return QObject::eventFilter(watched, event);
}

void MetricsController::outdate() {
  stale_ = true;
  timer_.start();
}

void MetricsController::ask_if_stale() {
  if (!stale_ || !session_.has_session() || session_.launch_order()) return;
  stale_ = false;
  for (int panel = 0; panel < static_cast<int>(ids_.size()); ++panel) ask_panel(panel);
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
                     emit values_changed();
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
  outdate();
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
  outdate();
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
  forget_values(content);
  content.level = level;
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
                  forget_values(content);
                  content.text = text;
                  content.title = title_in(text);
                  content.level.clear();
                  content.levels.clear();
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
  menu->addAction(tr("&Histogram"), this, [this, panel] {
    emit histogram_requested(view_->panels()[static_cast<std::size_t>(panel)]);
  });
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
  outdate();
}

} // namespace jitterscope::app
