#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/causal/amounts/attributable.h"
#include "core/causal/answer/cause_test.h"
#include "core/causal/answer/notes.h"
#include "core/causal/base/lists.h"
#include "core/causal/base/result.h"
#include "core/causal/base/row_source.h"
#include "core/causal/base/wording.h"
#include "core/causal/discovery/discovery.h"
#include "core/causal/effects/joint_effects.h"
#include "core/causal/effects/model.h"
#include "core/causal/effects/nodes.h"
#include "core/causal/groups/grouped_rows.h"
#include "core/causal/statistics/earlier.h"
#include "core/causal/table/frame.h"
#include "core/causal/table/statistics.h"
#include "core/causal/table/stretch_sample.h"

namespace jitterscope::causal {

inline constexpr std::int64_t kMinRowsToDistinguish = 10; ///< minimum rows to distinguish a cause from chance

/// A share in percent, clamped to 0 … 100 even if its interval extends further.
inline double percent_of(double share) {
  return 100.0 * std::clamp(share, 0.0, 1.0);
}

/// Turns frame, statistics and model into the result.
class Assembler {
public:
  Assembler(const RowSource& source, const Options& options, Communicator& communicator, const Job& job)
      : source_(source), options_(options), communicator_(communicator), job_(job), frame_(source) {}
  Expected<CausalResult> run();

private:
  Expected<void> prepare();
  /// Number of rows of kernels that ran more than once; of a table without kernels, all rows.
  std::int64_t rows_with_peers() const;
  /// Drops columns with missing values and without an edge, and repeats the analysis with the rows that these
  /// columns had excluded.
  Expected<void> give_rows_back();
  Eigen::Index raw_target() const {
    return statistics_.derived() ? statistics_.columns() : static_cast<Eigen::Index>(frame_.target_column);
  }
  /// Column of the frame, by node.
  int column_index(int node) const { return choice_.nodes[node].column; }
  const Column& column_of(int node) const {
    return frame_.columns[static_cast<std::size_t>(column_index(node))];
  }
  std::string name_of(int vertex) const {
    return vertex == model_.target() ? frame_.target : column_of(vertex).name;
  }
  Expected<void> describe();
  void describe_reading();
  /// Computes the replicates. Layout of a replicate:
  /// - by edge: whether it was found again, and its standardised coefficient;
  /// - by node: total effect, its range over the Markov equivalence class (minimum, maximum), intrinsic
  ///   share;
  /// - by parent of the target: LMG share;
  /// - by node: share of the target's variance that remains when the node is held fixed.
  Expected<void> bootstrap();
  /// Replaces quantities of columns that are constant within configurations by those of resampled
  /// configurations.
  void resample_configurations(const std::vector<int>& draws, Model::InUnits& units,
                               Model::Again& again) const;
  /// 95 % interval of one quantity of the replicates around its estimate; `node`: node of the quantity.
  Range interval_of(std::size_t quantity, double estimate, int node) const;
  /// Factor by which intervals of shares of the variance are wider than those of coefficients: the variance
  /// of slowly changing columns is less certain than their effect.
  double expansion_of_variances() const;
  void add_edges();
  void add_total_effects();
  void add_std_interval(int v, FeatureReport& report) const;
  void add_range(int v, FeatureReport& report) const;
  Expected<void> contributions();
  /// Target that is not variability: if a parent is curved, the shares are those of levels (level_shares.h).
  /// `expansion`: factor of intervals of variances.
  Expected<void> share_by_levels(double expansion);
  /// Whether a node's column is constant within configurations.
  bool only_between(int node) const;
  /// Squared correlation of a node with the target; for a derived target, the largest over its sides.
  double part_of_target(int node) const;
  void note_configurations();
  /// Notes that rows were selected by an outcome. If this outcome is the target, no feature is called a
  /// cause.
  void apply_selection();
  /// Share of the variance of durations that is between configurations, percent; 0 for other targets.
  double percent_between_configurations() const;
  /// Tests causes and associations of durations and of columns: whether they only count the length, or only
  /// drift as the target. Then they are not called causes. `of_nodes`: one contribution of each node.
  void test_given_open();
  Expected<void> join_values();
  Expected<void> test_rows(const std::vector<int>& nodes, std::vector<Contribution>& of_nodes);
  /// Marks features that may only reflect the length of the previous launch (earlier.h). They are not called
  /// causes.
  void report_earlier_work();
  /// Lists, for each cause, the features that can hardly be distinguished from it: |r| between any of their
  /// measures is above kTwins.
  void report_twins();
  /// Whether a feature is correlated with long launches without making them long.
  bool is_proxy(const std::string& feature) const {
    return frame_.target_kind != TargetKind::column && follows_from_earlier_work(feature);
  }
  /// Whether a contribution has a sign that it cannot have as a cause.
  bool has_impossible_sign(const Contribution& c) const {
    return frame_.target_kind != TargetKind::column && c.sign < 0 && only_lengthens(c.feature);
  }
  bool is_required(const std::string& feature) const {
    const auto& required = options_.knowledge.required;
    return contains(required, std::pair{feature, frame_.target});
  }
  static void add_names(const Column& column, std::vector<std::string>& names) {
    names.push_back(column.name);
    names.insert(names.end(), column.also.begin(), column.also.end());
  }
  /// Adds columns with an undirected edge to the target that are not contributions yet, after the causes.
  Expected<void> add_open_associations();
  /// Sets the share of an open association that a straight line explains, with its interval.
  void set_share_of_line(Contribution& c, double share) const;
  /// Sets the shares of open associations, also along curves, in units instead of ranks. `nodes`: theirs.
  Expected<void> share_of_open(const std::vector<int>& nodes, std::vector<Contribution>& open);
  void fold_causes();
  void share_signs();
  int joint_sign(std::size_t contribution) const;
  bool is_event_parent(std::size_t contribution) const {
    return column_of(model_.parents_of_target()[contribution]).may_happen();
  }
  Expected<void> attributable();
  /// Reports the kernel with at least half of the unexplained variability, if that is clearly more than its
  /// share of the launches.
  void report_rest(const std::vector<Attributions::Left>& left);
  /// Reports variability on launches that wait for processes that are not recorded.
  void report_absent(const std::vector<Attributions::Left>& by_kernel);
  /// States on which kernels a cause acts, and counts only their launches.
  void report_kernels(const Attribution::OnKernels& on, Contribution& c) const;
  /// States the condition under which a cause acts, and counts only the launches that meet it.
  void report_condition(const Attribution::Condition& condition, Contribution& c) const;
  void sort_contributions();
  Expected<void> nonlinear();
  /// Empty unless the target is a column: for targets derived from durations, another note covers few rows
  /// with much variability.
  std::vector<FarValues> far_values() const;
  /// Whether a node may be searched for bends: its column varies within configurations and is not a proxy.
  bool may_bend(int node) const {
    const auto centring = statistics_.centring[static_cast<std::size_t>(column_index(node))];
    return centring != Centring::kernel && !is_proxy(name_of(node));
  }
  Expected<void> bends();
  /// Joins the columns on which the target depends non-linearly to the target, so that they are judged like
  /// the others.
  Expected<void> join_bends();
  struct BendSearch {
    std::vector<int> parents, candidates; ///< columns of the frame
    std::optional<RankedSample> ranked;
    std::vector<ColumnBend> found;
  };
  /// `joined`: also searches the nodes that are joined to the target already.
  Expected<BendSearch> search_bends(bool joined = false);
  /// Adds pairs and spreads to the result. `columns`: by column of the sample, the column of the frame.
  Expected<void> joint_effects(const RankedSample& ranked, const std::vector<int>& columns);

  const std::string& name_of_column(int column) const { return frame_.columns[column].name; }
  std::string label_of_column(int column) const {
    const FeatureReport* feature = result_.find(name_of_column(column));
    return feature ? feature->label : name_of_column(column);
  }
  Expected<void> interventions();
  /// Counterfactuals by abduction, action, prediction.
  Expected<void> counterfactuals();
  /// Removes edges between levels of one category from the answer: they only show that a row has one level.
  void drop_edges_between_levels();
  void write_sentences();

  const RowSource& source_;
  Options options_;
  Communicator& communicator_;
  const Job& job_;
  Frame frame_;
  Statistics statistics_;
  NodeChoice choice_;
  Model model_;
  Model::InUnits units_;
  Shares shares_; ///< of all rows
  std::vector<std::vector<int>> resamples_;
  std::vector<std::vector<double>> replicates_;
  std::vector<Acts> acts_;
  std::vector<double>
      given_rarer_; ///< by contribution, in the order they were found: Attribution::given_rarer
  std::vector<bool> is_separate_;
  bool all_ran_once_ = false; ///< hardly any kernel ran more than once: the automatic reading became pooled
  std::int64_t half_of_variability_ = 0; ///< number of rows that hold half of the variability or variance
  CausalResult result_;
};

/// Answer for grouped rows: first the parts of the variance, then what explains the differences between units
/// and within them (Mundlak 1978), each if it is at least a tenth of the variance. Percentages refer to the
/// whole variance of the target. Variance between units that no column explains is the units' own
/// contribution, whose direction is known by design. If GroupedRows::by_unit() is false, the answer in the
/// requested reading gets only the parts of the variance in addition.
Expected<CausalResult> answer_by_groups(const GroupedRows& rows, const Options& options,
                                        const std::function<Expected<CausalResult>(const Options&)>& ask,
                                        Communicator& communicator, const Job& job);

} // namespace jitterscope::causal
