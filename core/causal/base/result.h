#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/base/error.h"
#include "core/causal/base/value_names.h"

namespace jitterscope::causal {

/// Lower and upper end of a 95 % percentile interval of the block bootstrap.
struct Range {
  double low = 0;
  double high = 0;
  bool excludes_zero() const { return low > 0 || high < 0; }
};

enum class FeatureStatus { used, dropped, merged };
inline constexpr ValueName<FeatureStatus> kStatusNames[] = {
    {FeatureStatus::used, "used"}, {FeatureStatus::dropped, "dropped"}, {FeatureStatus::merged, "merged"}};

/// Reason why a feature was dropped or merged, where notes depend on it; `reason` states it in words.
enum class FeatureReason { other, missing, too_large, duplicate, collinear };

/// Result for one column of the table: nothing is left out silently.
struct FeatureReport {
  std::string name;
  std::string label; ///< display text: "unified-memory migration during the launch"
  std::string unit;
  int tier = 0;
  FeatureStatus status = FeatureStatus::used;
  FeatureReason why = FeatureReason::other;
  std::string reason;         ///< reason of the status, or how the feature is represented; may be empty
  std::string representative; ///< merged: the used feature that represents this one
  std::string reading;        ///< used: "pooled", "within", "within kernel" or "between"
  double mean = 0;            ///< mean over the rows used, in `unit`
  double minimum = 0;
  double maximum = 0;
  double total_effect = 0; ///< change of the target's mean, in target units, per unit of the feature
  Range total_effect_ci;
  /// Smallest and largest total effect over the graphs that fit the data equally well (IDA); both equal
  /// total_effect where the directions decide. total_effect_ci covers the whole range.
  Range effect_range;
  double intrinsic_percent = 0; ///< share of the target's variance from this feature's own noise
  Range intrinsic_ci;
  double target_std_if_fixed =
      0; ///< standard deviation of the target under do(feature = any value), target units
  Range target_std_if_fixed_ci; ///< 95 % interval of target_std_if_fixed; both ends 0 if unknown
};

/// Comparison of an edge with the result of another method.
enum class Opinion {
  same,       ///< the same edge, in the same direction or undirected in both
  undirected, ///< the edge without direction
  directed,   ///< a direction where the edge shown has none
  reversed,   ///< the edge the other way round
  absent,     ///< no edge between the two
};
inline constexpr ValueName<Opinion> kOpinionNames[] = {{Opinion::same, "same"},
                                                       {Opinion::undirected, "undirected"},
                                                       {Opinion::directed, "directed"},
                                                       {Opinion::reversed, "reversed"},
                                                       {Opinion::absent, "absent"}};

struct Edge {
  std::string from;
  std::string to;
  bool directed = true;
  int sign = 0;           ///< +1, −1; 0 while the interval contains 0
  double coefficient = 0; ///< standardised: standard deviations of `to` per standard deviation of `from`
  double ci_low = 0;      ///< 95 % interval of `coefficient`
  double ci_high = 0;
  double coefficient_units = 0; ///< units of `to` per unit of `from` (raw columns, all rows)
  double stability = 0;         ///< share of bootstrap replicates with this edge in this orientation, 0 … 1
  std::vector<std::pair<std::string, Opinion>> agreement; ///< opinion of each other method ("pc", "ges" …)
};

/// Values that one row would have shown with another value of a feature: its residuals are kept (Pearl 2009,
/// section 7.1).
struct Counterfactual {
  std::int64_t row = 0; ///< index in the table, from 0
  std::string feature;
  double from = 0; ///< value of the feature in the row
  double to = 0;
  double target_before = 0; ///< target of the row, in target units
  double target_after = 0;
  double ci_low = 0; ///< 95 % interval of target_after
  double ci_high = 0;
  bool extrapolates = false;            ///< the value is outside the observed range
  std::optional<double> duration_after; ///< duration of a launch with another value of a numeric factor, ns
  bool impossible = false;              ///< the straight line gave a negative value: target_after is 0
};

enum class Role { cause, associated };
inline constexpr ValueName<Role> kRoleNames[] = {{Role::cause, "cause"}, {Role::associated, "associated"}};

/// Expected variability and durations if a numeric factor (a clock, a gap) or an event had the same value for
/// all launches.
struct Setting {
  double value = 0; ///< value of the factor, in its unit; events: 0, or the mean of launches with it
  double left = 1;  ///< Σ |d − median| at this value, as a fraction of the recorded sum
  Range left_interval;
  double std = 1; ///< standard deviation of |d − median| at this value, as a fraction of the recorded one
  Range std_interval;
  double duration_change_ns = 0; ///< mean of d(value) − d
  Range duration_interval;
};

/// The only value of another feature at which a cause acts.
struct Condition {
  std::string feature;
  std::string text;      ///< "read only = 1", "with host-to-device copies during the launch"
  double value = 0;      ///< value of the feature
  double percent = 0;    ///< share of Σ |d − median| on affected launches with this value
  bool is_event = false; ///< the text begins with "with" or "without"; otherwise it states a value
};

/// An event that acts on some of the kernels that have it, but not on others.
struct OnKernels {
  std::vector<std::string> acts;   ///< kernels, by variability that would vanish, descending
  std::vector<std::string> spares; ///< kernels, by launches with the event, descending
  std::int64_t not_affected = 0;   ///< launches with the event on spared kernels
  double percent = 0; ///< share of Σ |d − median| on launches with the event on kernels in `acts`
};

/// One feature (or family, named by its representative) that is a cause of the target or associated with it.
struct Contribution {
  std::string feature;
  std::string label;                ///< display text
  std::vector<std::string> members; ///< features it represents, except itself
  std::string under; ///< another feature of the same cause, under whose row this feature is shown; else empty
  std::vector<std::string> twins; ///< for a cause: associated features that occur on nearly the same rows
  Role role = Role::associated;
  int sign = 0;         ///< sign of the effect on the target
  double stability = 0; ///< stability of the edge feature → target
  double percent = 0;   ///< share of the target's variance (LMG share of R², times 100)
  /// Target that is a column: share of its variance that the feature explains without the others.
  double alone_percent = 0;
  double ci_low = 0; ///< 95 % interval of `percent`
  double ci_high = 0;
  /// Share of Σ |d − median| that would vanish without the feature.
  std::optional<double> attributable_percent;
  double attributable_ci_low = 0;
  double attributable_ci_high = 0;
  double rest_percent = 0; ///< attributable percent that is left when the causes ranked before it are removed
  std::int64_t affected = 0; ///< launches with the event, or away from the typical value
  /// Affected launches with comparable launches without the cause: the basis of mean_extra_ns.
  std::int64_t compared = 0;
  std::int64_t of_rows = 0; ///< number of launches analysed
  /// Mean of (duration − duration expected without the cause) over the compared launches.
  double mean_extra_ns = 0;
  bool event = false; ///< attributable_percent is the share that would vanish without the event
  /// The data cannot distinguish whether the feature acts on the target or the target on it.
  bool undirected = false;
  /// Several values of a category: the share is that of the category, and the other values are members.
  /// Values with the lowest and the highest mean of the target; else empty.
  std::string lowest_at, highest_at;
  /// Label of a column with an open direction, given which the association disappears or has another sign:
  /// the other column may be what acts. Empty if there is none.
  std::string explained_by;
  bool drifts = false; ///< correlated with the target only because both drift over the rows or rarely change:
                       ///< not a cause (changes.h)
  bool of_length = false; ///< as frequent per ns in long launches as in others: may only reflect their
                          ///< length (changes.h)
  /// Correlated with the target only through the length of the previous launch: not a cause (earlier.h).
  bool of_earlier_work = false;
  /// An event whose effect is limited to a few short parts of the rows, where another event may be the cause.
  bool in_one_stretch = false;
  /// A rarer event that acts independently; the share of this event is computed on launches without the rarer
  /// one; else empty.
  std::string apart_from;
  std::optional<OnKernels> only_on;    ///< if set, `affected` excludes launches of the spared kernels
  std::optional<Condition> only_where; ///< if set, `affected` counts only launches that meet it
  /// Numeric factors: attributable_percent of the variability would vanish if all launches had this value,
  /// which is the median or the middle of the steadier end.
  std::optional<double> reference;
  std::vector<Setting> settings; ///< numeric factors and events, by value; empty for other features
};

/// Expected target if a feature is set to a value: do(feature = value).
struct Intervention {
  std::string feature;
  double value = 0;
  double mean_before = 0; ///< mean of the target, in target units
  double mean_after = 0;
  double ci_low = 0; ///< 95 % interval of mean_after
  double ci_high = 0;
  double std_before = 0;
  double std_after = 0;
  Range std_ci;              ///< 95 % interval of std_after; both 0 if unknown
  bool extrapolates = false; ///< the value is outside the observed range
  /// Effect of a numeric factor or event on the variability: mean change of the launches' duration.
  std::optional<double> duration_change_ns;
  /// Means and deviations refer to |d − median of the configuration|, as for shares.
  bool around_median = false;
  Range duration_interval;
};

/// Mean of the target when one feature has each of these values and the others stay as they are (partial
/// dependence).
struct Curve {
  std::string feature;
  std::string label;            ///< display text
  std::vector<double> values;   ///< values of the feature, ascending, in its unit; at most 20
  std::vector<double> expected; ///< mean of the target, in target units
};

/// Two features that predict the target only together; see joint_effects.h.
struct Pair {
  std::string first, second;
  std::string first_label, second_label; ///< display text
  double percent = 0; ///< share of the variance of the target's ranks, beyond each feature alone
};

/// A feature that affects the scatter of the target independently of the target's level; see joint_effects.h.
struct Spread {
  std::string feature;
  std::string label;  ///< display text
  double percent = 0; ///< share of the variance of the ranks of the absolute residual from the graph's lines
};

/// A feature without an edge to the target that nevertheless predicts it, along a curve; see
/// joint_effects.h.
struct Bend {
  std::string feature;
  std::string label;  ///< display text
  double percent = 0; ///< share of the variance of the target's ranks (normal scores)
};

inline constexpr double kMinNonlinearPart = 0.05; ///< fraction of the variance: less is not reported

/// Whether straight lines from its parents suffice for the target; the method is described in nonlinear.h.
struct Nonlinear {
  std::int64_t rows = 0;     ///< number of rows used
  double linear_r2 = 0;      ///< R² of least squares, cross-validated; at most 1
  double boosted_r2 = 0;     ///< R² of boosted trees on the same features and folds
  double standard_error = 0; ///< standard error of boosted_r2 − linear_r2
  double part = 0;           ///< difference of the two R² if significant, else 0
  std::vector<Curve> curves; ///< one per contribution, in the same order
};

struct Warning {
  std::string code; ///< latent-possible, collinear-family, deterministic, few-rows, autocorrelated …
  std::string text;
  /// Label of the feature that the note is about; set only for notes with the code "collinear-family", which
  /// later notes look up. Else empty.
  std::string feature = {};
};

/// The kernel that holds most of the variability that no cause accounts for.
struct Rest {
  std::string kernel;
  double percent = 0;        ///< share of the variability that the causes leave
  std::int64_t launches = 0; ///< launches of this kernel
};

/// Share of the variance of the target's logarithm at one level of nested groups.
struct VarianceComponent {
  std::string
      group; ///< column that names the groups; "kernel", "configuration"; "rest": between rows of one group
  std::string label;       ///< name of the level in the plural, "GPUs"
  std::int64_t levels = 0; ///< number of groups; for "rest", of rows
  /// Share, and its 95 % interval. NaN: the groups cannot be compared, or are too few for an interval.
  double percent = 0, ci_low = 0, ci_high = 0;
};

/// A device, or another innermost group.
struct DeviceEstimate {
  std::string name;
  /// Names of the enclosing groups, outermost first; empty text: not recorded.
  std::vector<std::string> places;
  std::int64_t n = 0;
  double mean = 0;                      ///< mean of the target, in its unit
  std::optional<double> geometric_mean; ///< empty if values of the target are not positive
  /// Difference from the mean of all devices, shrunk towards 0 by the scatter of the device's rows: of
  /// geometric means, or of arithmetic means if values are not positive. NaN: it cannot be compared.
  double difference_percent = 0;
  double ci_low = 0, ci_high = 0;
};

/// Distribution of the variance of a table of many devices over its levels.
struct GroupEstimates {
  bool logarithm = true; ///< shares and differences are those of ln target, else of the target itself
  std::vector<VarianceComponent> components; ///< outermost first, the rest last; percents sum to 100
  VarianceComponent between;                 ///< sum over all components of places, without runs
  std::vector<DeviceEstimate> devices;       ///< devices with the highest difference first
  std::string unit;                          ///< noun for `devices`: "GPUs"
  std::vector<std::string> place_columns;    ///< names of the columns in DeviceEstimate::places
  std::vector<std::string> sentences;        ///< where the variance is; the slowest device; missing places
  std::vector<Warning> notes;                ///< limits of the comparison; not part of its JSON form
};

struct CausalResult {
  std::string target;       ///< name of the target's node in `edges`
  std::string target_label; ///< display text with its definition
  std::string target_unit;
  std::int64_t rows = 0;                  ///< rows of the table
  std::int64_t n = 0;                     ///< rows used
  double n_eff = 0;                       ///< effective sample size used by every test and score
  std::string method;                     ///< "boss", "pc", "ges", "lingam"
  std::vector<std::string> other_methods; ///< methods run for the agreement on every edge
  std::string reading;                    ///< "pooled", "within", "between", "within kernel"
  std::string reading_text;               ///< one sentence: which rows were compared
  std::string scale;      ///< scale of the discovery: "automatic", "rank-normal", "log1p", "raw"
  int bootstrap = 0;      ///< number of replicates for intervals and stability
  double target_mean = 0; ///< mean of the target, in target_unit
  double variability_mean = 0, variability_std = 0; ///< of |d − median of the configuration|, ns, to which
                                                    ///< attributable shares refer; 0 for other targets
  double target_std = 0;
  double target_sum = 0;
  bool selected_by_target = false;  ///< rows were selected by the target's values: nothing is called a cause
  double unexplained_percent = 100; ///< share of the target's variance
  /// Shares of the variance count curves (level_shares.h); else straight lines.
  bool shares_of_levels = false;
  /// Share without a cause, in the measure of the contributions: attributable percent, else of the variance.
  double without_cause_percent = 100;
  /// Share of the target's variance from its own noise (sums to 100 with the intrinsic percentages of the
  /// features).
  double own_percent = 100;
  std::vector<Counterfactual> counterfactuals;
  std::vector<FeatureReport> features;
  std::vector<Edge> edges;
  /// Causes before associations, then by attributable percent (in steps of 5) where it is defined, then by
  /// percent; the first element is the first cause.
  std::vector<Contribution> contributions;
  std::vector<Intervention> interventions;
  std::optional<Nonlinear> nonlinear; ///< empty without parents of the target or below 200 rows
  std::optional<Rest> rest; ///< variability without a cause, if one of several kernels has most of it
  std::optional<GroupEstimates> groups; ///< estimates for rows of many devices
  std::vector<Bend> bends;              ///< bends, largest first
  std::vector<Pair> pairs;              ///< pairs, largest first
  std::vector<Spread> spreads;          ///< spreads, largest first; only for a target that is a column
  std::vector<Warning> warnings;
  std::vector<std::string> sentences; ///< the answer in words: the headline, then the most important first
  std::size_t advice_sentences = 0;   ///< number of sentences at the end that give advice

  const FeatureReport* find(const std::string& feature) const;
};

/// do(feature = value) from the effects stored in the result: cheap enough for a slider.
/// - Setting an event to 0 removes its attributable share of the variability, which was measured.
/// - A numeric factor leaves the variability of its settings (all launches at one clock do not vary with the
///   clock), linear between them. One that is in the graph as "it happened" is set as an event.
/// - Any other feature changes the mean linearly (causal effect per unit).
/// Variability and durations are never negative. BadUse if the feature is not a used one.
Expected<Intervention> intervene(const CausalResult& result, const std::string& feature, double value);

/// A launch and the centre of its configuration, ns.
struct LaunchTime {
  double duration = 0, centre = 0;
};

/// What a row with this value of the feature and of the target would have shown with another value. Its
/// residuals stay, so the target changes by the total effect times the change of the feature. If `launch` is
/// known and the feature is a numeric factor, the duration changes by the mean difference between the two
/// settings. The distance from the centre follows from this difference and from the spread at the new
/// setting. `row` is set to 0. BadUse as for intervene().
Expected<Counterfactual> counterfactual(const CausalResult& result, const std::string& feature, double from,
                                        double to, double target_before,
                                        const std::optional<LaunchTime>& launch = std::nullopt);

/// JSON form of a result: keys may be added, never renamed. Numbers that are not finite are null.
nlohmann::json to_json(const CausalResult& result);
/// JSON form of its part: variance_components, devices, variance_between, device_unit, device_places,
/// device_scale ("logarithm" or "value") and device_sentences.
nlohmann::json to_json(const GroupEstimates& estimates);

/// Applies `words` to all labels, sentences and notes of a result, or of a part of it without the notes.
void reword(CausalResult& result, const std::function<std::string(const std::string&)>& words);
void reword(GroupEstimates& estimates, const std::function<std::string(const std::string&)>& words);

/// Binary form of a result: a FlexBuffer with the keys of the JSON form.
std::vector<std::uint8_t> encode(const CausalResult& result);
std::vector<std::uint8_t> encode(const GroupEstimates& estimates);
/// Inverses of encode(). Errors: Engine if the bytes are damaged.
Expected<CausalResult> decode_result(std::span<const std::uint8_t> bytes);
Expected<GroupEstimates> decode_groups(std::span<const std::uint8_t> bytes);

} // namespace jitterscope::causal
