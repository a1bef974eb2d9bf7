#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/causal/amounts/attributable.h"
#include "core/causal/answer/notes.h"
#include "core/causal/base/result.h"
#include "core/causal/base/row_source.h"
#include "core/causal/base/wording.h"
#include "core/causal/discovery/options.h"
#include "core/causal/effects/bends.h"
#include "core/causal/effects/model.h"
#include "core/causal/effects/nodes.h"
#include "core/causal/statistics/earlier.h"
#include "core/causal/table/frame.h"
#include "core/causal/table/ranked_sample.h"
#include "core/causal/table/statistics.h"

namespace jitterscope::causal {

inline constexpr std::int64_t kFewestRowsToTell = 10; ///< a cause from chance

/// Of a share, which is neither below nothing nor above all, whatever an interval around it reaches.
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
  /// Rows of kernels that ran more than once; all rows of a table without kernels.
  std::int64_t rows_with_peers() const;
  /// Columns with missing values and without an edge leave, so that they cost the others no rows.
  Expected<void> give_rows_back();
  Eigen::Index raw_target() const {
    return statistics_.derived() ? statistics_.columns() : static_cast<Eigen::Index>(frame_.target_column);
  }
  const Column& column_of(int node) const {
    return frame_.columns[static_cast<std::size_t>(choice_.nodes[static_cast<std::size_t>(node)].column)];
  }
  std::string name_of(int vertex) const {
    return vertex == model_.target() ? frame_.target : column_of(vertex).name;
  }
  void describe();
  void describe_reading();
  /// Layout of a replicate: by edge found again and standardised coefficient; by node total effect, its range
  /// over the class (least, most), intrinsic share; by parent of the target its LMG share; by node the share
  /// of the target's variance that stays when it is held.
  Expected<void> bootstrap();
  /// Replaces in a replicate what is said of columns that only configurations differ in: those are resampled.
  void resample_configurations(const std::vector<int>& draws, Model::InUnits& units,
                               Model::Again& again) const;
  /// 95 % interval of one quantity of the replicates around its estimate; `node`: that it speaks of.
  Range interval_of(std::size_t quantity, double estimate, int node) const;
  void add_edges();
  void add_total_effects();
  void add_std_interval(int v, FeatureReport& report) const;
  void add_range(int v, FeatureReport& report) const;
  Expected<void> contributions();
  /// Whether launches of one configuration are alike in a node's column.
  bool only_between(int node) const;
  /// Squared correlation with the target, or with the side of it that shows most.
  double part_of_target(int node) const;
  void note_configurations();
  /// Rows that were chosen by the outcome.
  void tell_selection();
  /// What goes with the target only as both drift over the rows is no cause by that alone.
  void tell_drift();
  /// What depends on the end of the launch before may only tell how long that one took (earlier.h).
  void tell_earlier_work();
  /// Causes and what happens to nearly the same rows, by any of their measures.
  void tell_twins();
  /// Goes with long launches without making them long.
  bool is_proxy(const std::string& feature) const {
    return frame_.target_kind != TargetKind::column && follows_from_earlier_work(feature);
  }
  bool is_required(const std::string& feature) const {
    const auto& required = options_.knowledge.required;
    return std::find(required.begin(), required.end(), std::pair{feature, frame_.target}) != required.end();
  }
  static void add_names(const Column& column, std::vector<std::string>& names) {
    names.push_back(column.name);
    names.insert(names.end(), column.also.begin(), column.also.end());
  }
  /// Columns with an edge to the target of open direction that are no contribution yet: after the causes.
  void add_open_associations();
  void fold_causes();
  void share_signs();
  Expected<void> attributable();
  /// One kernel of several that holds most of what is left, and clearly more than its part of the launches.
  void tell_rest(const std::vector<Attributions::Left>& left);
  /// Variability on launches that wait for what is not recorded.
  void tell_absent(const std::vector<Attributions::Left>& by_kernel);
  /// The launches of kernels that a cause spares are none of its own.
  void tell_kernels(const Attribution::OnKernels& on, Contribution& c) const;
  /// And those without the other feature are not.
  void tell_condition(const Attribution::Condition& condition, Contribution& c) const;
  void sort_contributions();
  Expected<void> nonlinear();
  /// Of a target that is a column: what is derived from durations has its own account of few rows that hold
  /// much.
  std::vector<FarValues> far_values() const;
  /// Columns that only configurations differ in cannot tell equal launches apart.
  bool may_bend(int node) const;
  Expected<void> bends();
  /// Of the variability of launches: bends are causes like lines, as far as launches would vary less without
  /// them.
  Expected<void> join_bends();
  struct BendSearch {
    std::vector<int> parents, candidates; ///< columns
    std::optional<RankedSample> ranked;
    std::vector<ColumnBend> found;
  };
  Expected<BendSearch> search_bends();
  /// `columns`: those of the sample.
  Expected<void> joint_effects(const RankedSample& ranked, const std::vector<int>& columns);

  const std::string& name_of_column(int column) const {
    return frame_.columns[static_cast<std::size_t>(column)].name;
  }
  std::string label_of_column(int column) const {
    const FeatureReport* feature = result_.find(name_of_column(column));
    return feature ? feature->label : name_of_column(column);
  }
  Expected<void> interventions();
  /// Abduction, action, prediction.
  Expected<void> counterfactuals();
  void warn(std::string code, std::string text) {
    result_.warnings.push_back({std::move(code), std::move(text)});
  }
  void telling();

  const RowSource& source_;
  Options options_;
  Communicator& communicator_;
  const Job& job_;
  Frame frame_;
  Statistics statistics_;
  NodeChoice choice_;
  Model model_;
  Model::InUnits units_;
  std::vector<std::vector<int>> resamples_;
  std::vector<std::vector<double>> replicates_;
  std::vector<std::string> acts_;
  std::vector<double>
      beside_rarer_; ///< Attribution::beside_rarer of the contributions, in the order they were found
  std::vector<bool> stands_on_its_own_, changes_apart_;
  bool all_ran_once_ = false;            ///< so that the automatic reading became the pooled one
  std::int64_t half_of_variability_ = 0; ///< launches that hold it
  CausalResult result_;
};

} // namespace jitterscope::causal
