#include "app/session_controller.h"

#include <QFile>
#include <QFileInfo>
#include <algorithm>
#include <cmath>
#include <utility>

#include "app/chosen_group.h"
#include "app/questions.h"
#include "app/store_cache.h"
#include "core/store/partial_file.h"
#include "views/base/format.h"

namespace jitterscope::app {

using nlohmann::json;

SessionController::SessionController(SelectionHub& hub, QObject* parent)
    : QObject(parent), hub_(hub),
      parallel_questions_([this](nlohmann::json options, PacedParallel::Ended ended) {
        return ask("parallel", std::move(options), "Parallel coordinates", [this](const engine::Answer& answer) { show_parallel(answer); }, {},
                   std::move(ended));
      }, [this](quint64 number) { engine_.cancel(number); }) {
  connect(&questions_, &EngineQuestions::started, this, &SessionController::request_started);
  connect(&questions_, &EngineQuestions::finished, this, &SessionController::request_finished);
  connect(&questions_, &EngineQuestions::failed, this, &SessionController::failed);
  connect(&questions_, &EngineQuestions::answered, this, &SessionController::answered);
  connect(&questions_, &EngineQuestions::idle, this, &SessionController::idle);
  connect(&hub_, &SelectionHub::changed, this, &SessionController::selection_changed);
  connect(&engine_, &EngineLink::ready, this,
          [this](int ranks) { emit engine_ready(ranks, engine_.remark()); });
  connect(&engine_, &EngineLink::lost, this, [this](const QString& message) {
    open_ = false;
    causal_request_ = 0;
    emit engine_lost(message);
  });
  connect(&importer_, &EngineLink::lost, this, [this](const QString& message) {
    store::remove_stale_partials(QFile::encodeName(import_target_).toStdString());
    pending_ = false;
    emit failed({ErrorKind::Engine, message.toStdString(), {}, {}, "Open the file again to import it."},
                "Import");
  });
  for (auto* link : {&engine_, &importer_})
    connect(
        link, &EngineLink::progress, this,
        [this](quint64, qint64 done, qint64 total, const QString& what) { emit working(what, done, total); });
  connect(&engine_, &EngineLink::partial, this, [this](quint64 number, const engine::Answer& so_far) {
    if (number != bins_request_) return;
    auto data = decode_bins(so_far, tracks_.launch_span);
    if (!data) return;
    data->top = QString("best of the first %1 %").arg(std::floor(so_far.document.value("share", 0.0) * 100));
    emit bins(*data);
  });
  // A brush that is dragged is followed by parallel coordinates at once, by tables a few times a second, by the bins
  // and the costly causal fit only once it rests.
  rows_timer_.setSingleShot(true);
  rows_timer_.setInterval(40);
  connect(&rows_timer_, &QTimer::timeout, this, &SessionController::refresh_others);
  bins_timer_.setSingleShot(true);
  bins_timer_.setInterval(120);
  connect(&bins_timer_, &QTimer::timeout, this, &SessionController::refresh_bins);
  causal_timer_.setSingleShot(true);
  causal_timer_.setInterval(250);
  connect(&causal_timer_, &QTimer::timeout, this, &SessionController::refresh_causal);
}

void SessionController::open(const QStringList& files, const QString& kernel_column) {
  kernel_column_ = kernel_column;
  auto plan = plan_open(files, kernel_column);
  if (!plan) {
    emit failed(plan.error(), "Open");
    return;
  }
  stop_import(); // the newest wish counts
  // What is open stays usable until the new files are ready.
  ++generation_;
  pending_ = true;
  pending_files_ = files;
  pending_stores_.clear();
  for (const auto& store : plan->stores) pending_stores_.push_back(QFile::encodeName(store).toStdString());
  emit opening(files);
  if (engine_.state() == EngineLink::State::Stopped) start_engine();
  if (plan->to_import.isEmpty()) {
    open_stores();
    return;
  }
  std::vector<std::string> inputs;
  for (const auto& file : plan->to_import) inputs.push_back(QFile::encodeName(file).toStdString());
  import_target_ = plan->import_target;
  importer_.start({});
  questions_.begin_other();
  emit working("importing", 0, 0);
  importer_.request(
      "import",
      {{"files", inputs},
       {"output", QFile::encodeName(import_target_).toStdString()},
       {"kernel_column", kernel_column.toStdString()}},
      [this, generation = generation_](Expected<engine::Answer> answer) { imported(answer, generation); });
}

void SessionController::imported(const Expected<engine::Answer>& answer, int generation) {
  questions_.end_other();
  if (generation != generation_) return;
  QTimer::singleShot(0, this, [this] {
    if (!importer_.busy()) importer_.stop();
  });
  if (answer) return open_stores();
  pending_ = false;
  // Losing the importer is told by its own signal.
  const bool lost = importer_.state() == EngineLink::State::Stopped;
  if (answer.error().kind == ErrorKind::Cancelled)
    emit failed({ErrorKind::Cancelled, "cancelled", {}, {}, {}}, "Import");
  else if (!lost)
    emit failed(answer.error(), "Import");
}

void SessionController::stop_import() {
  importer_.stop();
  if (!import_target_.isEmpty())
    store::remove_stale_partials(QFile::encodeName(import_target_).toStdString());
  import_target_.clear();
}

void SessionController::start_engine() {
  EngineSetup setup;
  setup.ranks = ranks_;
  engine_.start(setup);
}

void SessionController::restart_engine() {
  start_engine();
  if (importer_.busy()) return; // its end opens what it imported
  if (!pending_) {
    pending_files_ = files_;
    pending_stores_ = stores_;
  }
  if (!pending_stores_.empty()) open_stores();
}

void SessionController::shut_down() {
  stop_import();
  engine_.stop();
}

void SessionController::cancel_running() {
  if (importer_.busy()) stop_import();
  questions_.cancel_all();
  if (std::exchange(causal_request_, 0)) emit causal_impossible("cancelled");
}

void SessionController::cancel_request(quint64 number) {
  questions_.cancel(number);
  if (number != causal_request_) return;
  causal_request_ = 0;
  emit causal_impossible("cancelled");
}

void SessionController::open_stores() {
  emit working("opening", 0, 0);
  questions_.ask("open", {{"stores", pending_stores_}}, "Open", [this](const engine::Answer& answer) {
    const bool same = stores_ == pending_stores_;
    files_ = pending_files_;
    stores_ = pending_stores_;
    pending_ = false;
    info_ = answer.document;
    load_session(same);
  });
}

// The same stores again (the engine was restarted): everything the user did stays, only the answers are asked
// anew.
void SessionController::load_session(bool same) {
  questions_.ask("tracks", json::object(), "Timeline", [this, same](const engine::Answer& answer) {
    auto tracks = decode_tracks(answer);
    if (!tracks) {
      emit failed(tracks.error(), "Timeline");
      return;
    }
    open_ = true;
    if (!same) {
      tracks_ = std::move(*tracks);
      codes_.clear();
      kernel_names_.clear();
      axes_.clear();
      parallel_questions_.forget();
      bins_ = {};
      overview_ = {};
      last_timeline_.reset();
      hub_.reset();
      choose_columns();
      emit opened(tracks_);
    } else {
      emit reopened();
      if (last_timeline_) request_timeline(*last_timeline_);
    }
    ask("overview", {{"columns", 1200}}, "Timeline", [this](const engine::Answer& cells) {
      if (auto decoded = decode_overview(cells)) {
        overview_ = std::move(*decoded);
        overview_.bins = marks_of(bins_);
        emit overview(overview_);
      }
    });
    refresh_all();
  });
}

bool SessionController::has_column(const std::string& name) const {
  for (const auto& column : info_.value("columns", json::array()))
    if (column.at("name") == name) return column.value("recorded", false) || !column.value("constant", false);
  return false;
}

std::vector<std::string> SessionController::recorded_columns() const {
  std::vector<std::string> names;
  for (const auto& column : info_.value("columns", json::array()))
    if (column.value("recorded", false) && !column.value("constant", false) && column.at("kind") == "number")
      names.push_back(column.at("name").get<std::string>());
  return names;
}

QStringList SessionController::text_columns() const {
  QStringList titles;
  for (const auto& column : info_.value("columns", json::array()))
    if (column.value("recorded", false) && column.at("kind") == "text")
      titles << QString::fromStdString(column.at("name").get<std::string>());
  return titles;
}

// What was asked of the last session need not exist in this one; tables may even have no duration.
void SessionController::choose_columns() {
  const auto recorded = recorded_columns();
  const auto first_of = [&](std::initializer_list<std::string> wanted) {
    for (const auto& name : wanted)
      if (has_column(name)) return name;
    return recorded.empty() ? std::string("start") : recorded.front();
  };
  distribution_.column = first_of({distribution_.column, "duration"});
  if (!has_column(distribution_.group_by)) distribution_.group_by.clear();
  bin_choices_.metric = first_of({bin_choices_.metric, "kernel_variability", "duration"});
  causal_choices_.target = first_of({causal_choices_.target, "kernel_variability", "duration"});
  bin_choices_.width_ns = 0;
}

json SessionController::options_of(const SelectionState& state) const {
  json options = {{"where", state.filter(codes_).toStdString()}};
  const auto intervals = state.intervals();
  if (!intervals.empty()) {
    options["intervals"] = json::array();
    for (const auto& interval : intervals)
      options["intervals"].push_back({interval.begin.count, interval.end.count});
  }
  return options;
}

void SessionController::selection_changed(const SelectionState& now, const SelectionState& before) {
  if (!open_) return;
  const bool filter_changed = now.filter(codes_) != before.filter(codes_);
  if (!filter_changed && now.intervals() == before.intervals()) return;
  request_parallel(axes_);
  rows_timer_.start();
  if (causal_choices_.rows != CausalRows::All && !causal_held_) causal_timer_.start();
  if (filter_changed) bins_timer_.start();
  if (last_timeline_) request_timeline(*last_timeline_);
}

void SessionController::refresh_all() {
  refresh_bins();
  refresh_rows();
  refresh_causal();
}

QString SessionController::range_of(const SelectionState& state) const {
  return state.selects() ? selection_words(state, selection_names()) : QString(launch_order() ? "whole table" : "whole run");
}

SelectionNames SessionController::selection_names() const {
  return {codes_, tracks_.axis, [this](std::uint32_t kernel) { return tracks_.names.value(static_cast<int>(kernel)); },
          [this](const QString& wanted) {
            for (const auto& column : info_.value("columns", json::array()))
              if (column.value("name", std::string()) == wanted.toStdString()) return QString::fromStdString(column.value("unit", std::string()));
            return QString();
          }};
}

void SessionController::refresh_rows() {
  request_parallel(axes_);
  refresh_others();
}

void SessionController::refresh_others() {
  if (!open_) return;
  emit rows_changed();
  auto any_kernel = hub_.state(); // the chosen kernels are marked among the others
  any_kernel.kernels.clear();
  ask("kernels", options_of(any_kernel), "Kernels", [this, range = range_of(any_kernel), chosen = hub_.state().kernels](const engine::Answer& answer) {
    auto data = decode_kernels(answer, range);
    if (!data) return;
    selected_kernels_.clear();
    for (const auto& row : data->rows) kernel_names_[row.id] = row.name;
    for (const auto& row : data->rows)
      if (chosen.empty() || std::binary_search(chosen.begin(), chosen.end(), row.id)) selected_kernels_.push_back(row.id);
    emit kernels(*data);
  });
  refresh_distribution();
}

void SessionController::refresh_distribution() {
  if (!open_) return;
  const auto round = ++distribution_round_;
  const auto group = chosen_group(hub_.state(), QString::fromStdString(distribution_.group_by), tracks_.names);
  if (!group) return ask_distribution({}, {});
  // One group is chosen: the others stay in the legend, dimmed.
  json wanted = distribution_question(group->others);
  wanted.update({{"group_by", distribution_.group_by}, {"channel", "all groups"}});
  ask("distribution", wanted, "Distribution", [this, round, chosen = group->group](const engine::Answer& answer) {
    auto all = decode_distribution(answer, {});
    if (!all || round != distribution_round_) return;
    for (auto& each : all->groups) each.dimmed = each.filter != chosen;
    ask_distribution(std::move(all->edges), std::move(all->groups));
  });
}

json SessionController::distribution_question(const SelectionState& state) const {
  json wanted = options_of(state);
  wanted.update({{"log", distribution_.log}, {"column", distribution_.column}, {"time", distribution_.time}});
  if (const auto kernel = one_kernel(state, tracks_.names)) wanted["base"] = "kernel = " + std::to_string(*kernel);
  return wanted;
}

void SessionController::ask_distribution(std::vector<double> edges, std::vector<views::DistributionGroup> groups) {
  const auto& state = hub_.state();
  json wanted = distribution_question(state);
  if (groups.empty()) wanted["group_by"] = distribution_.group_by;
  QString title = title_of_column(distribution_.column);
  const auto kernel = one_kernel(state, tracks_.names);
  title += " of " + (kernel ? tracks_.names.value(static_cast<int>(*kernel)) : QString("all launches"));
  ask("distribution", wanted, "Distribution",
      [this, title, asked = distribution_, edges = std::move(edges), groups = std::move(groups)](const engine::Answer& answer) {
        auto data = decode_distribution(answer, title);
        if (!data) return emit failed(data.error(), "Distribution");
        if (!groups.empty()) data->groups = groups;
        if (!groups.empty() && edges != data->edges) // counted over other bins
          for (auto& each : data->groups) each.counts.clear();
        data->logHeights = asked.log_heights;
        data->groupedBy = words(asked.group_by);
        emit distribution(*data);
      });
}

json SessionController::parallel_question(const QStringList& axes) const {
  json options = selection_options();
  if (const auto kept = hub_.state().where.trimmed(); !kept.isEmpty()) options["within"] = kept.toStdString(); // what it leaves out is gone
  options["most_axes"] = most_axes_;
  options["axes"] = json::array();
  for (const auto& axis : axes) options["axes"].push_back(axis.toStdString());
  options.update(parallel_options_);
  return options;
}

void SessionController::request_parallel(const QStringList& axes) {
  if (!open_ || parallel_held_) return;
  axes_ = axes;
  auto options = parallel_question(axes);
  parallel_questions_.ask(std::move(options), info_.value("launches", json::object()).value("count", std::int64_t{0}));
}

void SessionController::show_parallel(const engine::Answer& answer) {
  auto data = decode_parallel(answer);
  if (!data) {
    emit failed(data.error(), "Parallel coordinates");
    return;
  }
  add_categories(answer.document, codes_);
  if (axes_.isEmpty()) // the engine chose them: the next question is about the same
    for (const auto& axis : data->axes) axes_ << axis.key;
  emit parallel(*data);
}

json SessionController::bins_question() const {
  return {{"where", hub_.state().filter(codes_).toStdString()},
          {"metric", bin_choices_.metric},
          {"rank_by", bin_choices_.rank_by},
          {"all", true},
          {"partial", true},
          {"top_count", bin_choices_.top_count},
          {"top_share", bin_choices_.top_share},
          {"width_ns", bin_choices_.width_ns}};
}

void SessionController::refresh_bins() {
  if (!open_) return;
  json options = bins_question();
  bins_request_ = ask("bins", std::move(options), "Bins", [this](const engine::Answer& answer) {
    bins_request_ = 0;
    auto data = decode_bins(answer, tracks_.launch_span);
    if (!data) {
      emit failed(data.error(), "Bins");
      return;
    }
    bins_ = std::move(*data);
    overview_.bins = marks_of(bins_);
    if (!overview_.cells.empty()) emit overview(overview_);
    emit bins(bins_);
    emit bin_table(answer);
    if (causal_choices_.rows == CausalRows::KeptBins || long_run_unselected()) causal_timer_.start();
  });
}

// The launches of the kept bins, under the filter that the bins were ranked with.
json SessionController::kept_bin_options() const {
  json options = {{"where", hub_.state().filter(codes_).toStdString()}, {"intervals", json::array()}};
  for (const auto& mark : marks_of(bins_))
    options["intervals"].push_back({mark.interval.begin.count, mark.interval.end.count});
  return options;
}

// A question about hundreds of millions of launches takes minutes: as long as nothing is selected it is put to those
// that vary most, and the answer says so.
bool SessionController::long_run_unselected() const {
  constexpr std::int64_t kMany = 5'000'000;
  const auto& now = hub_.state();
  return causal_choices_.rows == CausalRows::Selection && now.intervals().empty() && now.filter(codes_).isEmpty() &&
         info_.value("launches", json::object()).value("count", std::int64_t{0}) > kMany;
}

void SessionController::refresh_causal() {
  if (!open_) return;
  const bool long_run = long_run_unselected();
  json options = causal_choices_.rows == CausalRows::Selection ? selection_options() : json::object();
  QString remark;
  if (causal_choices_.rows == CausalRows::KeptBins || long_run) {
    if (bins_.bins.empty()) return; // the answer about bins asks again
    options = kept_bin_options();
  }
  if (long_run)
    remark = QString("This is about the launches of the %1 kept bins, because the run is long. Choose rows: all launches "
                     "for the whole of it.")
                 .arg(options["intervals"].size());
  ask_causal(std::move(options), remark);
}

// A bin often holds too few launches to tell a cause. Then the question is put to all launches of the same
// kernels, and when these are too few as well, to all launches; the remark says so.
void SessionController::ask_causal(json options, const QString& remark) {
  options["target"] = causal_choices_.target;
  options["reading"] = causal_choices_.reading;
  if (!causal_knowledge_.empty()) {
    options["knowledge"] = causal_knowledge_;
    options["knowledge_must_match"] = false; // a selection may lack a column that the run has
  }
  if (causal_request_) engine_.cancel(causal_request_);
  emit causal_waiting();
  const bool all = !options.contains("intervals") && options.value("where", std::string()).empty();
  const bool widen = causal_choices_.rows == CausalRows::Selection && !all && !long_run_unselected();
  const bool to_kernels =
      widen && remark.isEmpty() && !hub_.state().intervals().empty() && !selected_kernels_.empty();
  const auto use = [this, remark, question = options](const engine::Answer& answer) {
    causal_request_ = 0;
    causal_question_ = question;
    if (auto result = decode_causal(answer))
      emit causal(*result, remark);
    else
      emit failed(result.error(), "Causal graph");
  };
  const auto refuse = [this, widen, to_kernels](const Error& error) {
    causal_request_ = 0;
    const QString why = QString::fromStdString(error.message);
    if (!widen) return emit causal_impossible(why);
    if (!to_kernels || selected_kernels_.empty()) // meanwhile it was found that nothing is selected
      return ask_causal(json::object(),
                        QString("The selection alone cannot tell: %1. This is about all launches.").arg(why));
    QStringList numbers;
    for (const auto kernel : selected_kernels_) numbers << QString::number(kernel);
    ask_causal(
        {{"where", ("kernel in (" + numbers.join(", ") + ")").toStdString()}},
        QString("The selection alone cannot tell: %1. This is about all launches of its kernels.").arg(why));
  };
  if (info_.value("launches", json::object()).value("count", std::int64_t{0}) == 0)
    return emit causal_impossible("no kernel was launched in it");
  causal_request_ = ask("causal", std::move(options), "Causal graph", use, refuse);
}

void SessionController::request_timeline(const views::TimelineQuery& query) {
  if (!open_) return;
  last_timeline_ = query;
  json options = selection_options();
  options.update(timeline_question(query));
  ask("timeline", options, "Timeline", [this](const engine::Answer& answer) {
    if (auto data = decode_timeline(answer))
      emit timeline(*data);
    else
      emit failed(data.error(), "Timeline");
  });
}

void SessionController::request_details(std::uint64_t row, bool for_hover) {
  if (!open_) return;
  ask("launch", {{"row", row}, {"channel", for_hover ? "hover" : "click"}}, "Launch",
      [this, for_hover](const engine::Answer& answer) { emit details(answer.document, for_hover); });
}

void SessionController::set_bin_choices(const BinChoices& choices) {
  bin_choices_ = choices;
  refresh_bins();
}

void SessionController::set_causal_choices(const CausalChoices& choices) {
  causal_choices_ = choices;
  refresh_causal();
}

void SessionController::set_causal_knowledge(json knowledge) {
  causal_knowledge_ = std::move(knowledge);
  refresh_causal();
}

void SessionController::set_distribution_choices(const DistributionChoices& choices) {
  if (choices == distribution_) return;
  distribution_ = choices;
  refresh_distribution();
}

void SessionController::check_filter(const QString& text) {
  if (!open_) return;
  ask("check_filter", {{"where", text.toStdString()}}, "Filter",
      [this, text](const engine::Answer&) { emit filter_accepted(text); });
}

} // namespace jitterscope::app
