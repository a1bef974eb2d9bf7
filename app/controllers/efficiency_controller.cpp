#include "app/controllers/efficiency_controller.h"

#include <QComboBox>
#include <QCoreApplication>
#include <QEvent>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QLineEdit>
#include <QMenu>
#include <algorithm>
#include <map>
#include <optional>

#include "app/controllers/efficiency_text.h"
#include "app/engine/number_list.h"
#include "app/engine/time_text.h"
#include "core/engine/messages/selection.h"
#include "views/efficiency/efficiency_widget.h"

namespace jitterscope::app {
namespace {

using nlohmann::json;

constexpr int kPause = 25;          // ms from the last change of the range to the request
constexpr int kTimelinePause = 150; // ms, for the timeline of efficiencies, which is more expensive
constexpr int kMaxRows = 1'000;     // maximum number of devices and host threads listed

} // namespace

std::pair<std::optional<Interval>, QString>
efficiency_range(const SelectionState& state, const Interval& launch_span, const Interval& span) {
  if (state.brush) return {state.brush, QCoreApplication::translate("Efficiencies", "brushed range")};
  if (state.bin) return {state.bin->interval, QCoreApplication::translate("Efficiencies", "selected bin")};
  const auto covers = [&](const Interval& of) {
    return !of.empty() && state.window->begin <= of.begin && of.end <= state.window->end;
  };
  const bool all = !state.window || covers(launch_span) || covers(span);
  if (all) return {std::nullopt, QCoreApplication::translate("Efficiencies", "all activity")};
  return {state.window, QCoreApplication::translate("Efficiencies", "visible range")};
}

namespace {

views::EfficiencyFactor factor_of(const json& loss, const std::map<std::string, int>& places,
                                  std::size_t devices) {
  views::EfficiencyFactor factor;
  const auto id = QString::fromStdString(loss.at("factor").get<std::string>());
  factor.title = efficiency_text::title(id);
  factor.meaning = efficiency_text::meaning(id);
  factor.where = efficiency_text::where(loss);
  factor.place = efficiency_text::where_in_short(loss);
  if (!loss.at("parent").is_null()) factor.parent = places.at(loss.at("parent").get<std::string>());
  factor.value = loss.at("value").get<double>();
  factor.cost = loss.at("cost_ns").get<double>();
  const auto& place = loss.at("place");
  if (place.is_null()) return factor;
  const int first = place.at("on") == "host" ? static_cast<int>(devices) : 0;
  factor.when =
      Interval{{place.at("begin_ns").get<std::int64_t>()}, {place.at("end_ns").get<std::int64_t>()}};
  factor.row = first + place.at("index").get<int>();
  if (!place.at("other").is_null()) factor.other = first + place.at("other").get<int>();
  return factor;
}

std::optional<std::uint32_t> track_of(const json& row) {
  if (!row.contains("track") || row.at("track").is_null()) return {};
  return row.at("track").get<std::uint32_t>();
}

/// The factors of scaling, relative to a reference run, of hosts and devices.
void add_scaling(const json& document, views::EfficiencyData& data) {
  if (!document.contains("scaling")) return;
  const auto add = [&](const QString& id, const json& value, int parent) {
    views::EfficiencyFactor factor;
    factor.title = efficiency_text::title(id);
    factor.meaning = efficiency_text::meaning(id);
    factor.parent = parent;
    if (value.is_number()) factor.value = value.get<double>();
    factor.scaling = true;
    data.factors.push_back(factor);
    return static_cast<int>(data.factors.size()) - 1;
  };
  for (const auto& [of, factors] : {std::pair{"hosts", "host"}, {"devices", "device"}}) {
    const auto& scaling = document.at("scaling").at(of);
    if (scaling.is_null()) continue;
    const int root = add(QString("%1.global").arg(of), scaling.value("global", json()), -1);
    add("scaling.parallel", document.at(factors).at("parallel"), root);
    const int computation = add("scaling.computation", scaling.value("computation", json()), root);
    for (const char* part : {"instructions", "ipc", "frequency"})
      if (scaling.contains(part) && scaling.at(part).is_number())
        add(QString("scaling.%1").arg(part), scaling.at(part), computation);
  }
}

void add_rows(const json& document, views::EfficiencyData& data) {
  for (const auto& d : document.at("devices"))
    data.rows.push_back({QString::fromStdString(d.at("name").get<std::string>()),
                         true,
                         track_of(d),
                         {d.at("useful_ns"), d.at("communication_ns"), 0, d.at("idle_ns")},
                         d.at("hidden_communication_ns")});
  for (const auto& h : document.at("hosts"))
    data.rows.push_back({QString::fromStdString(h.at("name").get<std::string>()),
                         false,
                         track_of(h),
                         {h.at("useful_ns"), h.at("mpi_ns"), h.at("offload_ns"), h.at("other_ns")},
                         0});
}

} // namespace

views::EfficiencyData efficiency_data_of(const json& document, const QString& range_text,
                                         efficiency_text::Advice advice) {
  views::EfficiencyData data;
  const auto& range = document.at("range_ns");
  data.range = {{range.at("begin").get<std::int64_t>()}, {range.at("end").get<std::int64_t>()}};
  const bool gpu_only =
      !document.at("range_given").get<bool>() && !efficiency_text::covers_recorded(document);
  data.rangeText = gpu_only ? QCoreApplication::translate("Efficiencies", "GPU activity") : range_text;
  data.collectivesUseful = document.at("collectives_as") == "useful";
  std::map<std::string, int> places;
  for (const auto& loss : document.at("losses")) {
    data.factors.push_back(factor_of(loss, places, document.at("devices").size()));
    places[loss.at("factor").get<std::string>()] = static_cast<int>(data.factors.size()) - 1;
  }
  add_scaling(document, data);
  add_rows(document, data);
  data.rowsLeftOut = document.value("rows_left_out", 0);
  data.notes = efficiency_text::notes(document, advice);
  if (data.rowsLeftOut > 0)
    data.notes.prepend(
        QCoreApplication::translate(
            "Efficiencies",
            "The %1 rows with the largest losses are listed; %2 more are included in the numbers above.")
            .arg(data.rows.size())
            .arg(data.rowsLeftOut));
  return data;
}

std::vector<views::EfficiencyPart> efficiency_parts_of(const json& document,
                                                       const std::vector<std::string>& factors) {
  std::vector<views::EfficiencyPart> parts;
  for (const auto& of : document.at("timeline")) {
    views::EfficiencyPart part;
    part.range = {{of.at("begin_ns").get<std::int64_t>()}, {of.at("end_ns").get<std::int64_t>()}};
    for (const auto& factor : factors) {
      const auto dot = factor.find('.');
      const auto& value = of.at(factor.substr(0, dot)).at(factor.substr(dot + 1));
      part.values.push_back(value.is_number() ? value.get<double>() : NAN);
    }
    parts.push_back(std::move(part));
  }
  return parts;
}

EfficiencyController::EfficiencyController(SelectionHub& hub, SessionController& session,
                                           views::EfficiencyWidget* view, QObject* parent)
    : QObject(parent), hub_(hub), session_(session), view_(view) {
  timer_.setSingleShot(true);
  timer_.setInterval(kPause);
  connect(&timer_, &QTimer::timeout, this, &EfficiencyController::ask);
  connect(&session_, &SessionController::opened, this, [this] { session_opened(); });
  connect(&session_, &SessionController::repeated, this, [this] {
    stale_ = true;
    timer_.start();
  });
  connect(&hub_, &SelectionHub::changed, this, &EfficiencyController::hub_changed);
  connect(view_, &views::EfficiencyWidget::collectivesChosen, this, [this](bool useful) {
    useful_ = useful;
    ask_as_chosen();
  });
  timeline_timer_.setSingleShot(true);
  timeline_timer_.setInterval(kTimelinePause);
  connect(&timeline_timer_, &QTimer::timeout, this, &EfficiencyController::ask_timeline);
  connect(view_, &views::EfficiencyWidget::rowsLimited, this, &EfficiencyController::limit_rows);
  connect(view_, &views::EfficiencyWidget::idealTimeEntered, this, &EfficiencyController::read_ideal_time);
  connect(view_, &views::EfficiencyWidget::referenceChosen, this, &EfficiencyController::choose_reference);
  connect(&session_, &SessionController::cancel_other, this, [this] {
    if (reference_.busy()) reference_.set_file({});
  });
  fill_references();
  connect(view_, &views::EfficiencyWidget::granularityChosen, this, [this] {
    emit changed();
    ask_timeline();
  });
  connect(view_, &views::EfficiencyWidget::partChosen, this, &EfficiencyController::go_to_part);
  connect(view_, &views::EfficiencyWidget::factorChosen, this, &EfficiencyController::go_to_factor);
  connect(view_, &views::EfficiencyWidget::rowChosen, this, &EfficiencyController::go_to_row);
  view_->installEventFilter(this);
  view_->canvas()->setContextMenuPolicy(Qt::CustomContextMenu);
  connect(view_->canvas(), &QWidget::customContextMenuRequested, this, [this](QPoint at) {
    QMenu menu;
    fill_menu(&menu);
    menu.exec(view_->canvas()->mapToGlobal(at));
  });
}

void EfficiencyController::fill_menu(QMenu* menu) {
  const bool possible = session_.has_session() && !session_.launch_order() && !view_->data().empty();
  const auto width = session_.bin_width().count;
  menu->addAction(tr("Add as Columns, per &Bin"), this,
                  [this, width] {
                    set_columns(json::object({{"width_ns", width}}));
                  })
      ->setEnabled(possible && width > 0);
  menu->addAction(tr("Add as Columns, per &Step"), this,
                  [this] {
                    set_columns(json::object({{"step", ""}}));
                  })
      ->setEnabled(possible);
  menu->addAction(tr("&Remove Columns"), this, [this] { set_columns(json()); })
      ->setEnabled(session_.chosen_columns().contains("efficiencies"));
}

void EfficiencyController::set_columns(json windows) {
  auto chosen = session_.chosen_columns();
  chosen.erase("efficiencies");
  if (!windows.empty()) {
    const auto rows = chosen_options();
    if (!rows) return; // the view shows the error
    windows["collectives_as"] = rows->collectives_as;
    if (!rows->ranks.empty()) windows["ranks"] = rows->ranks;
    if (!rows->devices.empty()) windows["devices"] = rows->devices;
    chosen["efficiencies"] = std::move(windows);
  }
  session_.set_columns(std::move(chosen));
}

void EfficiencyController::session_opened() {
  view_->ranksField()->clear();
  view_->devicesField()->clear();
  view_->idealField()->clear();
  ranks_.clear();
  devices_.clear();
  ideal_.clear();
  reference_trace_.clear();
  reference_.set_file({});
  fill_references();
  view_->setData({});
  view_->setMessage(tr("Waiting for the engine …"));
  stale_ = true;
  timer_.start();
}

json EfficiencyController::state() const {
  json state = {{"collectives_as", useful_ ? "useful" : "comm"},
                {"ranks", ranks_.toStdString()},
                {"devices", devices_.toStdString()},
                {"ideal", ideal_.toStdString()},
                {"granularity", view_->granularity()}};
  if (!reference_trace_.isEmpty()) state["reference_trace"] = reference_trace_.toStdString();
  if (!reference_.file().isEmpty()) state["reference_file"] = reference_.file().toStdString();
  return state;
}

void EfficiencyController::restore(const json& state) {
  const auto text = [&](const char* key) { return QString::fromStdString(state.value(key, std::string())); };
  useful_ = text("collectives_as") == "useful";
  ranks_ = text("ranks");
  devices_ = text("devices");
  ideal_ = text("ideal");
  reference_trace_ =
      session_.trace_names().contains(text("reference_trace")) ? text("reference_trace") : QString();
  reference_.set_file(text("reference_file"), session_.mapping());
  view_->setCollectivesUseful(useful_);
  view_->ranksField()->setText(ranks_);
  view_->devicesField()->setText(devices_);
  view_->idealField()->setText(ideal_);
  auto* granularity = view_->granularityBox();
  granularity->setCurrentIndex(
      std::max(granularity->findData(state.value("granularity", view_->granularity())), 0));
  fill_references();
  stale_ = true;
  timer_.start();
}

void EfficiencyController::hub_changed(const SelectionState& now, const SelectionState& before) {
  if (now.brush == before.brush && now.bin == before.bin && now.window == before.window) return;
  stale_ = true;
  timer_.start();
}

bool EfficiencyController::eventFilter(QObject* watched, QEvent* event) {
  if (watched == view_ && event->type() == QEvent::Show && stale_) timer_.start();
  return QObject::eventFilter(watched, event);
}

// A field reports each time it loses the focus.
void EfficiencyController::limit_rows() {
  const auto ranks = view_->ranksField()->text().trimmed(), devices = view_->devicesField()->text().trimmed();
  if (ranks == ranks_ && devices == devices_) return;
  ranks_ = ranks;
  devices_ = devices;
  ask_as_chosen();
}

// A field reports each time it loses the focus.
void EfficiencyController::read_ideal_time() {
  const auto typed = view_->idealField()->text().trimmed();
  if (typed == ideal_) return;
  ideal_ = typed;
  ask_as_chosen();
}

// The last entry asks for a file.
void EfficiencyController::fill_references() {
  auto* box = view_->referenceBox();
  box->clear();
  box->addItem(tr("no reference run"));
  const auto traces = session_.trace_names();
  if (traces.size() > 1)
    for (const auto& trace : traces) box->addItem(tr("reference: %1").arg(trace), trace);
  if (!reference_.file().isEmpty())
    box->addItem(tr("reference: %1").arg(QFileInfo(reference_.file()).fileName()));
  const int file = reference_.file().isEmpty() ? 0 : box->count() - 1;
  box->addItem(tr("reference file…"));
  box->setCurrentIndex(reference_trace_.isEmpty() ? file : std::max(box->findData(reference_trace_), 0));
}

void EfficiencyController::choose_reference(int entry) {
  auto* box = view_->referenceBox();
  const auto trace = box->itemData(entry).toString();
  if (entry == box->count() - 1) {
    const auto file = QFileDialog::getOpenFileName(view_, tr("Reference run"), {}, {}, nullptr,
                                                   QFileDialog::DontUseNativeDialog);
    if (file.isEmpty()) return fill_references();
    return set_reference_file(file);
  }
  if (entry > 0 && trace.isEmpty()) return; // the file that is the reference already
  reference_trace_ = trace;
  reference_.set_file({});
  fill_references();
  ask_as_chosen();
}

void EfficiencyController::set_reference_file(const QString& file) {
  reference_trace_.clear();
  reference_.set_file(file, session_.mapping());
  fill_references();
  ask_as_chosen();
}

Expected<engine::EfficiencyOptions> EfficiencyController::chosen_options() const {
  engine::EfficiencyOptions options{.collectives_as = useful_ ? "useful" : "comm"};
  auto added = add_numbers(ranks_.toStdString(), "ranks", options.ranks);
  if (added) added = add_numbers(devices_.toStdString(), "devices", options.devices);
  if (!added) return forward(added.error());
  return options;
}

void EfficiencyController::ask_as_chosen() {
  emit changed();
  ask();
}

void EfficiencyController::ask() {
  if (!view_->isVisible() || !session_.has_session()) return;
  stale_ = false;
  const int asked = ++asked_;
  if (session_.launch_order()) {
    view_->setData({});
    return view_->setMessage(tr("Tables without times have no efficiencies."));
  }
  auto chosen = chosen_options();
  if (!chosen) {
    view_->setData({});
    return view_->setMessage(QString::fromStdString(describe(chosen.error())));
  }
  auto options = std::move(*chosen);
  options.most_rows = kMaxRows;
  const auto [range, text] =
      efficiency_range(hub_.state(), session_.tracks().launch_span, session_.tracks().span);
  if (range && range->empty()) {
    view_->setData({}); // numbers of another range
    return view_->setMessage(
        hub_.state().brush && hub_.state().bin
            ? tr("The brushed range does not overlap the selected bin. Clear one of them.")
            : tr("The range is empty. Select a longer range in the timeline."));
  }
  if (range) set_range(options, *range);
  if (auto added = add_run(options); !added) {
    view_->setData({});
    return view_->setMessage(QString::fromStdString(describe(added.error())));
  }
  if (reference_trace_.isEmpty() && reference_.file().isEmpty())
    return ask_about(options, text, asked, json());
  ask_reference(options, text, asked);
}

// The time on an ideal network, and which traces are the analysed run.
Expected<void> EfficiencyController::add_run(engine::EfficiencyOptions& options) const {
  if (!reference_trace_.isEmpty()) options.traces_except = {reference_trace_.toStdString()};
  if (ideal_.isEmpty()) return {};
  auto ideal = parse_time(ideal_.toStdString(), "ideal time");
  if (!ideal) return forward(ideal.error());
  if (*ideal <= 0)
    return failure(ErrorKind::BadUse, "the time on an ideal network must be longer than 0", {}, "ideal time");
  options.ideal_ns = *ideal;
  return {};
}

// The reference covers all of its activity: the range on the axis of this run has no meaning there.
void EfficiencyController::ask_reference(const engine::EfficiencyOptions& options, const QString& words,
                                         int asked) {
  auto requested = chosen_options();
  if (!requested) return;
  requested->sums = true;
  requested->most_rows = 1;
  const auto use = [this, options, words, asked](const ReferenceSums& reference) {
    if (asked != asked_) return;
    auto compared = options;
    compared.reference = reference.sums.dump();
    ask_about(compared, words, asked, reference.about);
  };
  const auto refused = [this, asked](const Error& error) { refuse(error, asked); };
  if (!reference_trace_.isEmpty()) {
    requested->traces = {reference_trace_.toStdString()};
    session_.ask(
        {*requested, "reference"}, tr("Reference run"),
        [use, name = reference_trace_](const engine::Answer& answer) { use(reference_sums(answer, name)); },
        refused, {}, ErrorKind::BadUse);
    return;
  }
  session_.begin_other(tr("reading the reference run"));
  reference_.ask(*requested, [this, use, refused, asked](const Expected<ReferenceSums>& reference) {
    session_.end_other();
    if (reference) return use(*reference);
    if (reference.error().kind != ErrorKind::Cancelled) return refused(reference.error());
    fill_references(); // cancelled: there is no reference
    if (asked == asked_) ask_as_chosen();
  });
}

void EfficiencyController::refuse(const Error& error, int asked) {
  if (asked != asked_) return;
  view_->setData({});
  auto message = QString::fromStdString(error.message + ". " + error.hint).trimmed();
  message[0] = message[0].toUpper();
  view_->setMessage(message);
}

void EfficiencyController::ask_about(const engine::EfficiencyOptions& options, const QString& words,
                                     int asked, const json& reference) {
  session_.ask(
      options, tr("Efficiencies"),
      [this, asked, words, reference](const engine::Answer& answer) {
        if (asked != asked_) return;
        auto data = efficiency_data_of(answer.document, words);
        data.source = QFileInfo(session_.files().value(0)).fileName();
        if (session_.files().size() > 1) data.source += QString(" + %1").arg(session_.files().size() - 1);
        data.notes = efficiency_text::notes_on_choice(ranks_, devices_) + data.notes;
        if (!reference.is_null())
          data.notes = efficiency_text::notes_on_reference(answer.document, reference) + data.notes;
        factors_.clear();
        for (const auto& loss : answer.document.at("losses"))
          factors_.push_back(loss.at("factor").get<std::string>());
        // The timeline with the same choices stays until the new one is known.
        if (factors_ == parts_factors_ && choices() == parts_choices_) data.parts = view_->data().parts;
        view_->setData(data);
        timeline_timer_.start();
      },
      [this, asked](const Error& error) { refuse(error, asked); }, {}, ErrorKind::BadUse);
}

// What the numbers depend on, except the range.
QStringList EfficiencyController::choices() const {
  return {ranks_, devices_, ideal_, reference_trace_, useful_ ? "useful" : "comm"};
}

// Requests the visible range, so that the timeline also shows what is around a brushed part.
void EfficiencyController::ask_timeline() {
  if (!view_->isVisible() || !session_.has_session() || session_.launch_order() || view_->data().empty())
    return;
  auto chosen = chosen_options();
  if (!chosen) return;
  auto options = std::move(*chosen);
  if (auto added = add_run(options); !added) return;
  options.most_rows = 0;
  options.timeline = view_->granularity();
  options.timeline_fits = true;
  auto state = hub_.state();
  state.brush = {};
  state.bin = {};
  if (const auto [range, text] =
          efficiency_range(state, session_.tracks().launch_span, session_.tracks().span);
      range && !range->empty())
    set_range(options, *range);
  session_.ask({options, "timeline"}, tr("Efficiencies over time"),
               [this, asked = asked_](const engine::Answer& answer) {
                 if (asked != asked_) return;
                 view_->setParts(efficiency_parts_of(answer.document, factors_));
                 parts_factors_ = factors_, parts_choices_ = choices();
               });
}

void EfficiencyController::go_to_part(int part) {
  const auto& parts = view_->data().parts;
  if (part < 0 || part >= static_cast<int>(parts.size())) return;
  SelectionState state = hub_.state();
  state.brush = parts[static_cast<std::size_t>(part)].range;
  hub_.apply(state);
}

// Zooms so that the interval fills a third of the window and scrolls to its row; undo returns.
void EfficiencyController::go_to_factor(int factor) {
  const auto& data = view_->data();
  const auto& chosen = data.factors.at(static_cast<std::size_t>(factor));
  if (!chosen.when) return;
  const auto row = chosen.row;
  const Interval when = *chosen.when;
  SelectionState state = hub_.state();
  const auto margin = Nanoseconds{std::max<std::int64_t>(when.length().count, 100)};
  state.window = Interval{when.begin - margin, when.end + margin};
  state.brush = when;
  hub_.apply(state);
  go_to_row(row);
}

void EfficiencyController::go_to_row(int row) {
  const auto& rows = view_->data().rows;
  if (row >= 0 && row < static_cast<int>(rows.size()) && rows[static_cast<std::size_t>(row)].track)
    emit track_requested(*rows[static_cast<std::size_t>(row)].track);
}

} // namespace jitterscope::app
