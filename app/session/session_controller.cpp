#include "app/session/session_controller.h"

#include <QFile>
#include <QFileInfo>
#include <algorithm>
#include <cmath>
#include <utility>

#include "app/engine/row_texts.h"
#include "app/engine/typed_answers.h"
#include "app/session/chosen_group.h"
#include "app/session/questions.h"
#include "app/session/table_columns.h"
#include "core/base/output_file.h"
#include "core/causal/groups/column_roles.h"
#include "core/engine/messages/launch_answers.h"
#include "core/engine/messages/launch_options.h"
#include "core/engine/messages/session_answers.h"
#include "core/engine/messages/session_options.h"
#include "views/base/format.h"

namespace jitterscope::app {

using nlohmann::json;

SessionController::SessionController(SelectionHub& hub, QObject* parent)
    : QObject(parent), hub_(hub),
      parallel_questions_(
          [this](const engine::ParallelOptions& options, PacedParallel::Ended ended) {
            return ask(
                options, tr("Parallel coordinates"),
                [this](const engine::Answer& answer) { show_parallel(answer); }, {}, std::move(ended));
          },
          [this](quint64 number) { questions_.cancel(number); }) {
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
    causal_request_ = contrast_request_ = 0;
    emit engine_lost(message);
  });
  connect(&importer_, &EngineLink::lost, this, [this](const QString& message) {
    stop_import();
    pending_ = false;
    emit failed({ErrorKind::Engine, message.toStdString(), {}, {}, "Open the file again to import it."},
                tr("Import"));
  });
  // Progress without an end would be shown for ever: only what idle() ends is shown.
  connect(&engine_, &EngineLink::progress, this,
          [this](quint64 number, qint64 done, qint64 total, const QString& what) {
            if (questions_.runs(number)) emit working(what, done, total);
          });
  connect(&importer_, &EngineLink::progress, this,
          [this](quint64, qint64 done, qint64 total, const QString& what) {
            if (importer_.busy()) emit working(what, done, total);
          });
  connect(&engine_, &EngineLink::partial, this, [this](quint64 number, const engine::Answer& so_far) {
    if (number != bins_request_) return;
    auto data = decode_bins(so_far, tracks_.launch_span);
    if (!data) return;
    data->top = tr("top so far, %1 % analysed").arg(std::floor(so_far.document.value("share", 0.0) * 100));
    emit bins(*data);
  });
  // After a change, parallel coordinates follow immediately. Tables follow after 40 ms, bins after 120 ms and
  // the expensive causal fit after 250 ms without another change.
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

void SessionController::open(const QStringList& files, const QStringList& mapping) {
  planner_.start([this, files, mapping, number = ++plans_] {
    const auto used = mapping.isEmpty() ? remembered_mapping(files) : mapping;
    auto plan = plan_open(files, used);
    QMetaObject::invokeMethod(this, [this, files, used, number, plan = std::move(plan)] {
      if (number != plans_) return;
      mapping_ = used;
      if (plan)
        open_planned(files, *plan);
      else
        emit failed(plan.error(), tr("Open"));
    });
  });
}

void SessionController::open_planned(const QStringList& files, const OpenPlan& plan) {
  stop_import(); // a new request replaces a running import
  // The open session stays usable until the new files are ready.
  ++generation_;
  restarted_ = false;
  pending_ = true;
  pending_files_ = files;
  pending_stores_.clear();
  for (const auto& store : plan.stores) pending_stores_.push_back(QFile::encodeName(store).toStdString());
  emit opening(files);
  if (engine_.state() == EngineLink::State::Stopped) start_engine();
  if (plan.to_import.isEmpty()) {
    open_stores();
    return;
  }
  std::vector<std::string> inputs;
  for (const auto& file : plan.to_import) inputs.push_back(QFile::encodeName(file).toStdString());
  import_target_ = plan.import_target;
  importer_.start({});
  questions_.begin_other();
  emit working(tr("importing"), 0, 0);
  importer_.request(engine::ImportOptions{.files = std::move(inputs),
                                          .output = QFile::encodeName(import_target_).toStdString(),
                                          .mapping = mapping_entries(mapping_)},
                    [this, generation = generation_](const Expected<engine::Answer>& answer) {
                      imported(answer, generation);
                    });
}

void SessionController::imported(const Expected<engine::Answer>& answer, int generation) {
  questions_.end_other();
  if (generation != generation_) return;
  QTimer::singleShot(0, this, [this] {
    if (!importer_.busy()) importer_.stop();
  });
  if (answer) return open_stores();
  pending_ = false;
  // The loss of the importer is reported by its own signal.
  const bool lost = importer_.state() == EngineLink::State::Stopped;
  if (answer.error().kind == ErrorKind::Cancelled)
    emit failed({ErrorKind::Cancelled, "cancelled", {}, {}, {}}, tr("Import"));
  else if (!lost)
    emit failed(answer.error(), tr("Import"));
}

void SessionController::stop_import() {
  importer_.stop([target = std::exchange(import_target_, {})] {
    if (!target.isEmpty()) remove_stale_partials(QFile::encodeName(target).toStdString());
  });
}

void SessionController::start_engine() {
  EngineSetup setup;
  setup.ranks = ranks_;
  engine_.start(setup);
}

void SessionController::restart_engine() {
  start_engine();
  if (importer_.busy()) return; // the import opens its result when it ends
  if (!pending_) {
    const auto exists = [](const std::string& store) {
      return QFile::exists(QFile::decodeName(store.c_str()));
    };
    if (!std::ranges::all_of(stores_, exists)) return open(files_, mapping_); // imports them again
    restarted_ = true;
    pending_files_ = files_;
    pending_stores_ = stores_;
  }
  if (!pending_stores_.empty()) open_stores();
}

void SessionController::shut_down() {
  ++plans_;
  stop_import();
  engine_.stop();
}

void SessionController::cancel_running() {
  if (importer_.busy()) stop_import();
  parallel_questions_.stop();
  emit cancel_other();
  const QStringList ended = questions_.cancel_all();
  // The causal question may wait for bins, whose ranking is cancelled.
  const bool waits = open_ && bins_.bins.empty() && !ended.isEmpty();
  if (std::exchange(causal_request_, 0) || waits) emit causal_cancelled();
  if (!ended.isEmpty()) emit cancelled(ended);
}

void SessionController::begin_other(const QString& doing) {
  questions_.begin_other();
  emit working(doing, 0, 0);
}

void SessionController::cancel_request(quint64 number) {
  if (number == parallel_questions_.number()) parallel_questions_.stop();
  questions_.cancel(number);
  if (number != causal_request_) return;
  causal_request_ = 0;
  emit causal_cancelled();
}

void SessionController::open_stores() {
  emit working(tr("opening"), 0, 0);
  questions_.ask(
      engine::OpenOptions{.stores = pending_stores_, .short_names = short_names_}, tr("Open"),
      [this](const engine::Answer& answer) {
        questions_.forget();
        reasons_known_ = false;
        const bool same = std::exchange(restarted_, false);
        files_ = pending_files_;
        stores_ = pending_stores_;
        pending_ = false;
        info_ = answer.document;
        inputs_ = inputs_of_session(info_);
        set_rows_of_texts(info_);
        if (!same)
          chosen_columns_ = json::object();
        else if (!chosen_columns_.empty())
          ask_columns(chosen_columns_);
        load_session(same);
      },
      {},
      [this, generation = generation_] {
        if (generation != generation_ || engine_.state() == EngineLink::State::Stopped) return;
        pending_ = restarted_ = false; // if it failed, the session before it is still open
      });
}

void SessionController::set_columns(json chosen) {
  if (open_ && chosen != chosen_columns_) ask_columns(std::move(chosen));
}

void SessionController::add_metric_column(const QString& name, const std::string& text) {
  auto chosen = chosen_columns_;
  chosen["metrics"].push_back({{"name", name.toStdString()}, {"text", text}});
  set_columns(std::move(chosen));
}

void SessionController::ask_columns(json chosen) {
  const auto question = columns_question(chosen);
  if (!question)
    return emit failed(question.error(), tr("Columns"), operation_text<engine::ChooseColumnsOptions>());
  questions_.request(
      *question, tr("Columns"), [this, chosen = std::move(chosen)](Expected<engine::Answer> answer) {
        if (!answer) {
          if (answer.error().kind != ErrorKind::Cancelled)
            emit failed(answer.error(), tr("Columns"), operation_text<engine::ChooseColumnsOptions>());
          return;
        }
        chosen_columns_ = chosen;
        info_["columns"] = answer->document.at("columns");
        questions_.forget(); // a column may have other values under the same name
        reasons_known_ = false;
        choose_known_columns();
        emit columns_changed();
        refresh_all();
      });
}

// If the engine was restarted, the user's state is kept and only the requests are
// repeated.
void SessionController::load_session(bool same) {
  questions_.ask(engine::TracksOptions(), tr("Timeline"), [this, same](const engine::Answer& answer) {
    auto tracks = decode_tracks(answer);
    if (!tracks) {
      emit failed(tracks.error(), tr("Timeline"), operation_text<engine::TracksOptions>());
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
      opening_ = true;
      emit opened(tracks_);
      opening_ = false;
    } else {
      emit reopened();
      emit repeated();
      if (last_timeline_) request_timeline(*last_timeline_);
    }
    ask(engine::OverviewOptions{.columns = 1200}, tr("Timeline"), [this](const engine::Answer& cells) {
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

QStringList SessionController::trace_names() const {
  QStringList names;
  if (!info_.is_object()) return names;
  for (const auto& trace : info_.value("alignment", json::array()))
    names << QString::fromStdString(trace.value("name", std::string()));
  return names;
}

QStringList SessionController::text_columns() const {
  QStringList titles;
  for (const auto& column : info_.value("columns", json::array()))
    if (column.value("recorded", false) && column.at("kind") == "text")
      titles << QString::fromStdString(column.at("name").get<std::string>());
  return titles;
}

// Columns used in the last session may not exist in this one; tables may not even have durations.
void SessionController::choose_columns() {
  choose_known_columns();
  causal_choices_.against.clear(); // may name columns and values of the last session
  bin_choices_.width_ns = 0;
}

void SessionController::choose_known_columns() {
  const auto recorded = recorded_columns();
  const auto first_of = [&](std::initializer_list<std::string> requested) {
    for (const auto& name : requested)
      if (has_column(name)) return name;
    return recorded.empty() ? std::string("start") : causal::guess_first_column(recorded);
  };
  // A choice of the user is kept where it exists; what stood in for a missing column is no choice.
  const auto choose = [&](std::string& now, std::string& stand_in, const std::string& usual) {
    if (now == stand_in || !has_column(now)) now = stand_in = usual;
  };
  choose(distribution_.column, stand_ins_.column, first_of({"duration"}));
  if (!has_column(distribution_.group_by)) distribution_.group_by.clear();
  const auto usual = first_of({"kernel_variability", "duration"});
  choose(bin_choices_.metric, stand_ins_.metric, usual);
  choose(causal_choices_.target, stand_ins_.target, info_.value("default_target", usual));
}

engine::SelectionOptions SessionController::options_of(const SelectionState& state) const {
  return {.where = state.filter(codes_).toStdString(), .intervals = state.intervals()};
}

QString SessionController::selection_condition() const {
  const QString filter = hub_.state().filter(codes_);
  QStringList within;
  for (const auto& interval : hub_.state().intervals())
    within << QString("start >= %1 and start < %2").arg(interval.begin.count).arg(interval.end.count);
  if (within.isEmpty()) return filter;
  const QString intervals = "(" + within.join(") or (") + ")";
  return filter.isEmpty() ? intervals : "(" + filter + ") and (" + intervals + ")";
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

void SessionController::ask_again() {
  emit repeated();
  refresh_all();
}

void SessionController::set_categories(const json& axes) {
  try {
    add_categories(axes, codes_);
  } catch (const json::exception&) { // a damaged session file
    codes_.clear();
  }
}

void SessionController::refresh_all() {
  for (auto* timer : {&rows_timer_, &bins_timer_, &causal_timer_}) timer->stop();
  refresh_bins();
  refresh_rows();
  refresh_causal();
}

QString SessionController::range_of(const SelectionState& state) const {
  return state.selects() ? selection_words(state, selection_names())
                         : QString(launch_order() ? tr("whole table") : tr("whole run"));
}

SelectionNames SessionController::selection_names() const {
  return {codes_, tracks_.axis,
          [this](std::uint32_t kernel) { return tracks_.names.value(static_cast<int>(kernel)); },
          [this](const QString& requested) {
            for (const auto& column : info_.value("columns", json::array()))
              if (column.value("name", std::string()) == requested.toStdString())
                return QString::fromStdString(column.value("unit", std::string()));
            return QString();
          }};
}

void SessionController::request_timeline(const views::TimelineQuery& query) {
  last_timeline_ = query; // asked after a restart of the engine, too
  if (!open_) return;
  ask(timeline_question(query, selection_options()), tr("Timeline"), [this](const engine::Answer& answer) {
    if (auto data = decode_timeline(answer))
      emit timeline(*data);
    else
      emit failed(data.error(), tr("Timeline"), operation_text<engine::TimelineOptions>());
  });
}

void SessionController::request_details(std::uint64_t row, bool for_hover) {
  if (!open_) return;
  ask({engine::LaunchOptions{.row = static_cast<std::int64_t>(row)}, for_hover ? "hover" : "click"},
      tr("Launch"), reading([this, for_hover](const engine::answers::LaunchAnswer& launch) {
        emit details(launch, for_hover);
      }));
}

void SessionController::set_choices(const BinChoices& bins, const CausalChoices& causal,
                                    const DistributionChoices& distribution, bool columns_follow) {
  const auto before = std::exchange(distribution_, distribution);
  bin_choices_ = bins, causal_choices_ = causal;
  if (!columns_follow) choose_known_columns();
  refresh_bins();
  refresh_causal();
  if (distribution_ == before) return;
  emit distribution_chosen();
  refresh_distribution();
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
  emit distribution_chosen();
  refresh_distribution();
}

void SessionController::check_filter(const QString& text) {
  if (!open_) return;
  drop_filter();
  filter_request_ = ask(engine::CheckFilterOptions{.where = text.toStdString()}, tr("Filter"),
                        reading([this](const engine::answers::CheckFilterAnswer& answer) {
                          filter_request_ = 0;
                          emit filter_accepted(QString::fromStdString(answer.where));
                        }));
}

void SessionController::drop_filter() {
  if (filter_request_) questions_.cancel(std::exchange(filter_request_, 0));
}

} // namespace jitterscope::app
