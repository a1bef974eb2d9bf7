#pragma once

#include <QObject>
#include <QStringList>
#include <QThreadPool>
#include <QTimer>

#include "app/engine/decode.h"
#include "app/engine/engine_questions.h"
#include "app/engine/store_cache.h"
#include "app/session/paced_parallel.h"
#include "app/session/selection_words.h"
#include "core/engine/messages/causal_options.h"
#include "core/engine/messages/launch_answers.h"
#include "core/engine/messages/statistics_answers.h"
#include "core/engine/messages/statistics_options.h"

namespace jitterscope::app {

/// Settings of the bins dock.
struct BinChoices {
  std::string metric = "kernel_variability";
  std::string rank_by = "sum";
  std::int64_t width_ns = 0;  ///< 0: automatic
  std::int64_t top_count = 0; ///< number of bins kept; 0: use top_share
  double top_share = 0.01;
};

enum class CausalRows { Selection, KeptBins, All };
struct CausalChoices {
  CausalRows rows = CausalRows::Selection;
  std::string target = "kernel_variability";
  std::string reading = "automatic"; ///< automatic, pooled, within or between
  std::string against;               ///< filter of the launches that a selection is compared with; empty: all
};

/// Settings of the distribution dock.
struct DistributionChoices {
  std::string column = "duration";
  bool log = true;          ///< values on a log scale
  bool log_heights = false; ///< bars on a log scale
  bool time = false;        ///< bars show the total time of launches instead of their number
  std::string group_by;     ///< grouping column; empty: not grouped
  bool operator==(const DistributionChoices&) const = default;
};

/// Opens files and keeps the views' data in sync with the hub: requests, decodes, distributes. Independent of
/// widgets.
class SessionController : public QObject {
  Q_OBJECT

public:
  using Use = EngineQuestions::Use;
  using Refuse = EngineQuestions::Refuse;
  using Ended = EngineQuestions::Ended;

  explicit SessionController(SelectionHub& hub, QObject* parent = nullptr);

  void set_ranks(int ranks) { ranks_ = ranks; }
  /// Maximum number of axes that fit in parallel coordinates.
  void set_max_axes(int maximum) { max_axes_ = maximum; }
  /// Imports files if needed (in a separate engine), then opens all of them as one session.
  /// `mapping`: for columns of plain tables; empty: as the user chose for tables with the same header.
  void open(const QStringList& files, const QStringList& mapping = {});
  const QStringList& mapping() const { return mapping_; }
  /// Whether kernels with the same short name are one kernel, from the next open() on.
  void set_short_names(bool on) { short_names_ = on; }
  bool short_names() const { return short_names_; }
  /// Restarts the engine and reopens the session.
  void restart_engine();
  /// Minimum number of launches for a provisional causal answer from a sample, before the full one.
  void set_provisional_from(std::int64_t launches) { provisional_from_ = launches; }
  /// Requests everything that is shown again.
  void ask_again();
  /// Ends running imports and the engine; leaves no temporary data.
  void shut_down();
  void cancel_running();
  /// EngineQuestions::request, for views that report failures themselves.
  quint64 request(const engine::Request& request, const QString& doing, EngineLink::Handler handler) {
    return questions_.request(request, doing, std::move(handler));
  }
  /// Cancels one request announced by request_started.
  void cancel_request(quint64 number);

  /// Counts work outside this session's engine as running until end_other(); cancel_other() asks to end it.
  void begin_other(const QString& doing);
  void end_other() { questions_.end_other(); }

  bool has_session() const { return open_; }
  /// Whether a session is shown; also after its engine has ended.
  bool shows_session() const { return !files_.isEmpty(); }
  const QStringList& files() const { return files_; }
  const nlohmann::json& info() const { return info_; }
  /// True when the axis counts launches of tables without times.
  bool launch_order() const { return tracks_.axis == views::AxisUnit::Launches; }
  views::AxisUnit axis() const { return tracks_.axis; }
  /// True if the column exists and is recorded or not constant.
  bool has_column(const std::string& name) const;
  /// Numeric columns recorded by the sources (counters, parameters) that are not constant.
  std::vector<std::string> recorded_columns() const;
  /// Names of the traces of the session, as its engine knows them.
  QStringList trace_names() const;
  /// Titles of the text columns recorded by the sources.
  QStringList text_columns() const;
  /// Sets the metrics and efficiencies that are columns of launches, as columns_question() reads them. An
  /// error is reported by failed(), and the columns stay unchanged.
  void set_columns(nlohmann::json chosen);
  void add_metric_column(const QString& name, const std::string& text);
  const nlohmann::json& chosen_columns() const { return chosen_columns_; }
  /// Choices of a saved session. Those of columns that the session does not have are replaced, after the
  /// answer about chosen columns if set_columns() was called before.
  void set_choices(const BinChoices& bins, const CausalChoices& causal,
                   const DistributionChoices& distribution, bool columns_follow);
  const BinChoices& bin_choices() const { return bin_choices_; }
  Nanoseconds bin_width() const { return bins_.width; } ///< 0 before the first answer
  const CausalChoices& causal_choices() const { return causal_choices_; }
  /// Options of the last causal request that was answered; evidence is requested with the same options.
  const engine::CausalOptions& causal_question() const { return causal_question_; }
  /// Sets the stated knowledge (content of a knowledge file); requests a new answer.
  void set_causal_knowledge(nlohmann::json knowledge);
  /// Sets options of later requests for parallel coordinates: scales, classes and others.
  void set_parallel_options(engine::ParallelOptions options) { parallel_options_ = std::move(options); }
  /// While held, parallel coordinates of launches are not requested, because bins are shown.
  void hold_parallel(bool held) { parallel_held_ = held; }
  /// While held, changes of the selection do not update the causal graph.
  void hold_causal(bool held) { causal_held_ = held; }
  const DistributionChoices& distribution_choices() const { return distribution_; }
  /// Column of the distribution; initially the duration, if it exists.
  QString distribution_column() const { return QString::fromStdString(distribution_.column); }
  const SelectionState& selection() const { return hub_.state(); }
  const TrackList& tracks() const { return tracks_; }
  /// Full name if a kernel table contained it; else the name in the timeline.
  QString kernel_name(std::uint32_t kernel) const {
    const auto found = kernel_names_.find(kernel);
    return found != kernel_names_.end() ? found->second : tracks_.names.value(static_cast<int>(kernel));
  }
  const CategoryCodes& codes() const { return codes_; }
  /// Categories of brushed axes, as by categories_of_brushes(): known before the axes are requested.
  void set_categories(const nlohmann::json& axes);
  EngineLink& engine() { return engine_; }
  EngineLink& importer() { return importer_; }

  /// EngineQuestions::ask; does nothing and returns 0 while no session is open.
  quint64 ask(const engine::Request& request, const QString& doing, Use use, Refuse refuse = {},
              Ended ended = {}, ErrorKind refused = ErrorKind::BadInput) {
    return open_
               ? questions_.ask(request, doing, std::move(use), std::move(refuse), std::move(ended), refused)
               : 0;
  }
  /// The launches of the current selection.
  engine::SelectionOptions selection_options() const { return options_of(hub_.state()); }
  /// The current selection as one filter text: its intervals are conditions on the start.
  QString selection_condition() const;
  /// Options of the bin ranking: the whole run, with the filter.
  engine::BinsOptions bins_question() const;
  /// Selection and all other options for parallel coordinates of these axes.
  engine::ParallelOptions parallel_question(const QStringList& axes) const;
  /// Text of the selection: "whole run", or its conditions in words.
  QString selection_range() const { return range_of(hub_.state()); }
  /// Names for selection_words; valid while this session is open.
  SelectionNames selection_names() const;

public slots:
  void request_timeline(const jitterscope::views::TimelineQuery& query);
  void request_details(std::uint64_t row, bool for_hover);
  void request_parallel(const QStringList& axes);
  void set_bin_choices(const jitterscope::app::BinChoices& choices);
  void set_causal_choices(const jitterscope::app::CausalChoices& choices);
  void set_distribution_choices(const jitterscope::app::DistributionChoices& choices);
  void check_filter(const QString& text);
  /// The filter that is being checked is no longer wanted.
  void drop_filter();

signals:
  void opening(const QStringList& files);
  void opened(const jitterscope::app::TrackList& tracks);
  /// The engine was restarted with the same stores.
  void reopened();
  /// After reopened(), or if the user wants cancelled requests again: views repeat their own requests.
  void repeated();
  /// The columns of metrics and efficiencies have changed.
  void columns_changed();
  void distribution_chosen(); ///< the column or the groups of the distribution were chosen
  /// The selected launches changed, and the user has paused: views of launches should send requests.
  void rows_changed();
  void timeline(const jitterscope::views::TimelineData& data);
  void overview(const jitterscope::views::TimelineOverview& data);
  void bins(const jitterscope::views::BinsData& data);
  /// Reasons of kept bins, by index, best bins first; sent in several batches.
  void bin_reasons(const std::vector<std::pair<std::uint32_t, jitterscope::views::BinReason>>& reasons);
  void bin_table(const jitterscope::engine::Answer& answer); ///< answer of the ranking with every statistic
  void kernels(const jitterscope::views::KernelsData& data);
  void parallel(const jitterscope::views::ParallelData& data);
  void distribution(const jitterscope::views::DistributionData& data);
  /// Causal answer. `remark`: how the rows differ from those requested; empty if they do not.
  void causal(const jitterscope::causal::CausalResult& result, const QString& remark);
  /// Why the selected launches take longer than comparable launches elsewhere, as sentences; refers to the
  /// selection of the next `causal` answer.
  void contrast(const QStringList& sentences, const QStringList& advice);
  void causal_waiting();
  void causal_refined(); ///< after a first `causal` answer from a sample: the final one is requested
  /// States why there is no graph of these rows.
  void causal_impossible(const QString& why);
  void causal_cancelled();                  ///< cancelled by the user
  void cancelled(const QStringList& doing); ///< names of all cancelled requests
  void details(const jitterscope::engine::answers::LaunchAnswer& launch, bool for_hover);
  void filter_accepted(const QString& text);
  /// `doing` is the name shown to the user, `operation` that of the engine, empty for other work.
  void failed(const jitterscope::Error& error, const QString& doing, const QString& operation = {});
  void answered(const QString& operation); ///< emitted before the data are passed to the views
  void engine_lost(const QString& message);
  void engine_ready(int ranks, const QString& remark);
  void request_started(quint64 number, const QString& doing);
  void request_finished(quint64 number);
  void working(const QString& what, qint64 done, qint64 total);
  void cancel_other(); ///< the user cancels everything that runs
  void idle();

private:
  engine::SelectionOptions options_of(const SelectionState& state) const;
  QString range_of(const SelectionState& state) const;
  void start_engine();
  void open_planned(const QStringList& files, const OpenPlan& plan);
  void open_stores();
  void imported(const Expected<engine::Answer>& answer, int generation);
  void stop_import();
  void load_session(bool same);
  void choose_columns();
  /// Replaces choices of columns that do not exist (any more).
  void choose_known_columns();
  void ask_columns(nlohmann::json chosen);
  void selection_changed(const SelectionState& now, const SelectionState& before);
  void refresh_all();
  engine::SelectionOptions kept_bin_options() const;
  void refresh_rows();
  void refresh_distribution();
  engine::DistributionOptions distribution_question(const SelectionState& state) const;
  /// `groups` were counted over bins with these edges; if they are empty, requests groups from the engine.
  void ask_distribution(std::vector<double> edges, std::vector<views::DistributionGroup> groups);
  void refresh_bins();
  void refresh_others();
  void show_parallel(const engine::Answer& answer);
  void show_categories(const std::vector<engine::answers::ParallelAxisAnswer>& axes);
  bool long_run_unselected() const;
  void refresh_causal();
  void ask_contrast(const engine::ContrastOptions& question);
  std::int64_t launch_count() const;
  QString first_answer_from(std::int64_t sampled) const;
  void ask_bin_reasons(std::size_t first, const std::string& where);
  void show_causal(const engine::Answer& answer, const QString& remark);
  void ask_causal(const engine::SelectionOptions& rows, const QString& remark);
  void widen_causal(const QString& why);

  SelectionHub& hub_;
  EngineLink engine_;
  EngineLink importer_;
  EngineQuestions questions_{engine_};
  int ranks_ = 1;
  QStringList files_, pending_files_;
  std::vector<std::string> stores_, pending_stores_;
  QString import_target_;
  QStringList mapping_;
  bool pending_ = false;   ///< files are being imported or opened
  bool restarted_ = false; ///< the session of an ended engine is opened again
  int generation_ = 0;     ///< counts open(): late answers to earlier calls are dropped
  bool open_ = false, short_names_ = false;
  bool opening_ = false; ///< opened() is emitted: requests follow once all choices are restored
  int max_axes_ = 10;
  nlohmann::json info_;
  InputFiles inputs_; ///< no output of the window replaces them
  nlohmann::json chosen_columns_ = nlohmann::json::object();
  TrackList tracks_;
  views::BinsData bins_;
  views::TimelineOverview overview_;
  CategoryCodes codes_;
  std::map<std::uint32_t, QString> kernel_names_; ///< full names, from all kernel tables of this session
  QStringList axes_;
  DistributionChoices distribution_;
  int distribution_round_ = 0; ///< counts refresh_distribution(): only the newest call continues
  BinChoices bin_choices_;
  CausalChoices causal_choices_;
  struct {
    std::string column = DistributionChoices().column, metric = BinChoices().metric,
                target = CausalChoices().target;
  } stand_ins_; ///< columns that were chosen for a trace, not by the user
  std::int64_t provisional_from_ = 200'000;
  quint64 causal_request_ = 0, contrast_request_ = 0, bins_request_ = 0, filter_request_ = 0;
  struct BinReasons {
    quint64 request;
    std::size_t first; ///< position of the first bin of the request in the ranking, from 0
    std::string where;
  };
  std::optional<BinReasons> bin_reasons_; ///< running request
  bool reasons_known_ = false;            ///< true once the engine has the model of all launches' durations
  engine::CausalOptions causal_question_;
  nlohmann::json causal_knowledge_ = nlohmann::json::object();
  bool causal_held_ = false, parallel_held_ = false;
  engine::ParallelOptions parallel_options_;
  PacedParallel parallel_questions_;
  std::optional<views::TimelineQuery> last_timeline_;
  QTimer rows_timer_, bins_timer_, causal_timer_;
  int plans_ = 0;       ///< counts open(): only the newest plan is used
  QThreadPool planner_; ///< examines files, perhaps on a slow disk; last member: its tasks call this object
};

} // namespace jitterscope::app
