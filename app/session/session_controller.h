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

namespace jitterscope::app {

/// What the bins dock asks for.
struct BinChoices {
  std::string metric = "kernel_variability";
  std::string rank_by = "sum";
  std::int64_t width_ns = 0;  ///< 0: by itself
  std::int64_t top_count = 0; ///< bins kept; 0: by their share
  double top_share = 0.01;
};

enum class CausalRows { Selection, KeptBins, All };
struct CausalChoices {
  CausalRows rows = CausalRows::Selection;
  std::string target = "kernel_variability";
  std::string reading = "automatic"; ///< or pooled, within, between configurations
};

/// What the distribution dock asks for.
struct DistributionChoices {
  std::string column = "duration";
  bool log = true;          ///< values on a log scale
  bool log_heights = false; ///< bars on a log scale
  bool time = false;        ///< bars show the time that launches took, not how many they are
  std::string group_by;     ///< empty: not divided
  bool operator==(const DistributionChoices&) const = default;
};

/// Opens files and keeps the views' data in step with the hub: asks the engine, decodes, hands out. Knows no
/// widget.
class SessionController : public QObject {
  Q_OBJECT

public:
  static constexpr const char* kFilter = "Filter"; ///< what answered() and failed() call check_filter()

  using Use = EngineQuestions::Use;
  using Refuse = EngineQuestions::Refuse;
  using Ended = EngineQuestions::Ended;

  explicit SessionController(SelectionHub& hub, QObject* parent = nullptr);

  void set_ranks(int ranks) { ranks_ = ranks; }
  /// How many axes of parallel coordinates there is room for.
  void set_most_axes(int most) { most_axes_ = most; }
  /// Imports what has to be imported (in an engine of its own), then opens all of it as one session.
  /// `mapping`: of the columns of plain tables; empty: what the user chose for tables of the same header.
  void open(const QStringList& files, const QStringList& mapping = {});
  const QStringList& mapping() const { return mapping_; }
  /// Starts the engine again and opens what was open.
  void restart_engine();
  /// Puts every question about what is selected anew.
  /// Sessions of so many launches get a first causal answer from a sample before the one from all.
  void set_provisional_from(std::int64_t launches) { provisional_from_ = launches; }
  void ask_again() { refresh_all(); }
  /// Ends running imports and the engine; leaves nothing behind.
  void shut_down();
  void cancel_running();
  /// EngineQuestions::request, for views that tell failures themselves.
  quint64 request(const std::string& operation, nlohmann::json options, const QString& doing,
                  EngineLink::Handler handler) {
    return questions_.request(operation, std::move(options), doing, std::move(handler));
  }
  /// Ends one request that request_started told of.
  void cancel_request(quint64 number);

  bool has_session() const { return open_; }
  const QStringList& files() const { return files_; }
  const nlohmann::json& info() const { return info_; }
  /// True when the axis counts launches of tables without time.
  bool launch_order() const { return tracks_.axis == views::AxisUnit::Launches; }
  views::AxisUnit axis() const { return tracks_.axis; }
  /// True when some launch has a value of this column.
  bool has_column(const std::string& name) const;
  /// Numbers that the sources recorded of launches (counters, parameters) and that are not constant.
  std::vector<std::string> recorded_columns() const;
  /// Titles of the text columns that the sources recorded.
  QStringList text_columns() const;
  /// Metrics and efficiencies that are columns of launches, as the operation "choose_columns" takes them. An
  /// error is reported by failed(), and the columns stay as they were.
  void set_columns(nlohmann::json chosen);
  void add_metric_column(const QString& name, const std::string& text);
  const nlohmann::json& chosen_columns() const { return chosen_columns_; }
  const BinChoices& bin_choices() const { return bin_choices_; }
  Nanoseconds bin_width() const { return bins_.width; } ///< 0 before the first answer
  const CausalChoices& causal_choices() const { return causal_choices_; }
  /// What the last answer about causes was asked with: evidence is asked with the same.
  const nlohmann::json& causal_question() const { return causal_question_; }
  /// What the user stated (a knowledge file's content); asks anew.
  void set_causal_knowledge(nlohmann::json knowledge);
  /// Scales, classes … of parallel coordinates, as the engine's operation takes them; for the next question.
  void set_parallel_options(nlohmann::json options) { parallel_options_ = std::move(options); }
  /// While held, parallel coordinates of launches are not asked for: others are shown in their place.
  void hold_parallel(bool held) { parallel_held_ = held; }
  /// While held, changes of the selection leave the causal graph as it is.
  void hold_causal(bool held) { causal_held_ = held; }
  const DistributionChoices& distribution_choices() const { return distribution_; }
  /// The column whose distribution is shown: the duration, where there is one.
  QString distribution_column() const { return QString::fromStdString(distribution_.column); }
  const SelectionState& selection() const { return hub_.state(); }
  const TrackList& tracks() const { return tracks_; }
  /// In full, where a table of kernels has named it; else as it stands in the timeline.
  QString kernel_name(std::uint32_t kernel) const {
    const auto found = kernel_names_.find(kernel);
    return found != kernel_names_.end() ? found->second : tracks_.names.value(static_cast<int>(kernel));
  }
  const CategoryCodes& codes() const { return codes_; }
  EngineLink& engine() { return engine_; }
  EngineLink& importer() { return importer_; }

  /// EngineQuestions::ask; nothing happens, and 0 comes back, while no session is open.
  quint64 ask(const std::string& operation, nlohmann::json options, const QString& doing, Use use,
              Refuse refuse = {}, Ended ended = {}) {
    return open_ ? questions_.ask(operation, std::move(options), doing, std::move(use), std::move(refuse),
                                  std::move(ended))
                 : 0;
  }
  /// "where" and "intervals" of what is selected now, as all operations on launches read them.
  nlohmann::json selection_options() const { return options_of(hub_.state()); }
  /// What bins are ranked by: all of the run, under the filter.
  nlohmann::json bins_question() const;
  /// "where" and "intervals" with all that parallel coordinates of these axes are asked with.
  nlohmann::json parallel_question(const QStringList& axes) const;
  /// What is selected, in words: "whole run", or the filter.
  QString selection_range() const { return range_of(hub_.state()); }
  /// For selection_words; valid while this session is open.
  SelectionNames selection_names() const;

public slots:
  void request_timeline(const jitterscope::views::TimelineQuery& query);
  void request_details(std::uint64_t row, bool for_hover);
  void request_parallel(const QStringList& axes);
  void set_bin_choices(const jitterscope::app::BinChoices& choices);
  void set_causal_choices(const jitterscope::app::CausalChoices& choices);
  void set_distribution_choices(const jitterscope::app::DistributionChoices& choices);
  void check_filter(const QString& text);

signals:
  void opening(const QStringList& files);
  void opened(const jitterscope::app::TrackList& tracks);
  /// The engine is back with the same stores.
  void reopened();
  /// Launches have other columns: those of metrics and efficiencies.
  void columns_changed();
  /// Other launches are selected than before, and the user has paused: views of launches ask anew.
  void rows_changed();
  void timeline(const jitterscope::views::TimelineData& data);
  void overview(const jitterscope::views::TimelineOverview& data);
  void bins(const jitterscope::views::BinsData& data);
  /// Of the kept bins, by index, the best first; more follow.
  void bin_reasons(const std::vector<std::pair<std::uint32_t, jitterscope::views::BinReason>>& reasons);
  void bin_table(const jitterscope::engine::Answer& answer); ///< the same with every statistic
  void kernels(const jitterscope::views::KernelsData& data);
  void parallel(const jitterscope::views::ParallelData& data);
  void distribution(const jitterscope::views::DistributionData& data);
  /// `remark` says when the rows are others than asked for; empty else.
  void causal(const jitterscope::causal::CausalResult& result, const QString& remark);
  /// Why the selected launches take longer than the same launches elsewhere, in sentences; of the selection
  /// that the next answer of `causal` is about.
  void contrast(const QStringList& sentences);
  void causal_waiting();
  /// There is no graph of these rows, in words.
  void causal_impossible(const QString& why);
  void causal_cancelled();                  ///< the user did not want to wait
  void cancelled(const QStringList& doing); ///< the same of all that ran
  void details(const nlohmann::json& launch, bool for_hover);
  void filter_accepted(const QString& text);
  void failed(const jitterscope::Error& error, const QString& doing);
  void answered(const QString& doing); ///< before its data are handed out
  void engine_lost(const QString& message);
  void engine_ready(int ranks, const QString& remark);
  void request_started(quint64 number, const QString& doing);
  void request_finished(quint64 number);
  void working(const QString& what, qint64 done, qint64 total);
  void idle();

private:
  nlohmann::json options_of(const SelectionState& state) const;
  QString range_of(const SelectionState& state) const;
  void start_engine();
  void open_planned(const QStringList& files, const OpenPlan& plan);
  void open_stores();
  void imported(const Expected<engine::Answer>& answer, int generation);
  void stop_import();
  void load_session(bool same);
  void choose_columns();
  void ask_columns(nlohmann::json chosen);
  void selection_changed(const SelectionState& now, const SelectionState& before);
  void refresh_all();
  nlohmann::json kept_bin_options() const;
  void refresh_rows();
  void refresh_distribution();
  nlohmann::json distribution_question(const SelectionState& state) const;
  /// With `groups` that are known already, counted over bins with these edges; none: the engine is asked for
  /// them.
  void ask_distribution(std::vector<double> edges, std::vector<views::DistributionGroup> groups);
  void refresh_bins();
  void refresh_others();
  void show_parallel(const engine::Answer& answer);
  bool long_run_unselected() const;
  void refresh_causal();
  void ask_contrast(nlohmann::json selection);
  void ask_bin_reasons(std::size_t first, const std::string& where);
  void show_causal(const engine::Answer& answer, const QString& remark);
  void ask_causal(nlohmann::json options, const QString& remark);

  SelectionHub& hub_;
  EngineLink engine_;
  EngineLink importer_;
  EngineQuestions questions_{engine_};
  int ranks_ = 1;
  QStringList files_, pending_files_;
  std::vector<std::string> stores_, pending_stores_;
  QString import_target_;
  QStringList mapping_;
  bool pending_ = false; ///< files are being imported or opened
  int generation_ = 0;   ///< of open(): late answers to earlier ones are dropped
  bool open_ = false;
  int most_axes_ = 10;
  nlohmann::json info_;
  nlohmann::json chosen_columns_ = nlohmann::json::object();
  TrackList tracks_;
  views::BinsData bins_;
  views::TimelineOverview overview_;
  CategoryCodes codes_;
  std::vector<std::uint32_t> selected_kernels_;   ///< kernels of the selected launches
  std::map<std::uint32_t, QString> kernel_names_; ///< of all tables of kernels in this session
  QStringList axes_;
  DistributionChoices distribution_;
  int distribution_round_ =
      0; ///< of refresh_distribution: what comes between two questions of one is no longer wanted
  BinChoices bin_choices_;
  CausalChoices causal_choices_;
  std::int64_t provisional_from_ = 200'000;
  quint64 causal_request_ = 0, bins_request_ = 0;
  nlohmann::json causal_question_ = nlohmann::json::object(), causal_knowledge_ = nlohmann::json::object();
  bool causal_held_ = false, parallel_held_ = false;
  nlohmann::json parallel_options_ = nlohmann::json::object();
  PacedParallel parallel_questions_;
  std::optional<views::TimelineQuery> last_timeline_;
  QTimer rows_timer_, bins_timer_, causal_timer_;
  int plans_ = 0;       ///< of open(): only the newest is followed
  QThreadPool planner_; ///< looks at files, which may lie on a slow disk; last: it calls this object
};

} // namespace jitterscope::app
