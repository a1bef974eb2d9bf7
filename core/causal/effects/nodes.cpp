#include "core/causal/effects/nodes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/causal/base/lists.h"
#include "core/causal/base/note_specs.h"
#include "core/causal/base/tiers.h"
#include "core/causal/base/wording.h"
#include "core/causal/statistics/earlier.h"
#include "core/causal/statistics/effects.h"
#include "core/causal/statistics/families.h"

namespace jitterscope::causal {
namespace {

constexpr double kDuplicate = 0.9998;
constexpr double kCollinear = 0.95;
constexpr double kDetermined = 1e-6; ///< residual variance of a determined column, standardised
constexpr double kTie = 1e-9;
constexpr double kRounding = 1e-13; ///< relative to the largest value of a column
/// Maximum residual variance, standardised, of a target that is a copy of a column in another unit or a sum
/// of columns.
constexpr double kCopy = 1e-9;
/// A measure of an event (time, bytes) must exceed the event by this correlation to represent it.
constexpr double kEventMargin = 0.03;

class Chooser {
public:
  Chooser(const Frame& frame, const Statistics& statistics)
      : frame_(frame), q_(statistics.columns()), statistics_(statistics),
        discovery_(correlation_of(statistics.discovery.total().cross)),
        raw_(correlation_of(statistics.raw.total().cross)), active_(static_cast<std::size_t>(q_), true),
        represented_by_(static_cast<std::size_t>(q_), -1) {
    choice_.reports.resize(static_cast<std::size_t>(q_));
    for (int c = 0; c < q_; ++c) describe(c);
  }

  NodeChoice run() {
    drop_constants();
    drop_columns_for_comparison();
    drop_sum_of_kinds();
    drop_copies_of_the_target();
    drop_copies_of_the_duration();
    drop_reference_levels();
    merge_declared_families();
    merge_duplicates();
    merge_collinear();
    drop_determined();
    note_sums();
    collect();
    distinguish_labels();
    return std::move(choice_);
  }

private:
  /// Makes labels unique: the time and the count of one event may both be nodes.
  void distinguish_labels() {
    std::map<std::string, std::vector<int>> columns;
    for (const Node& node : choice_.nodes) columns[report(node.column).label].push_back(node.column);
    for (const auto& [label, same] : columns)
      if (same.size() > 1)
        for (const int c : same)
          if (const auto amount = amount_in_words(column(c).name); !amount.empty())
            report(c).label += fmt::format(" ({})", amount);
  }

  const Column& column(int c) const { return frame_.columns[c]; }
  FeatureReport& report(int c) { return choice_.reports[c]; }
  bool active(int c) const { return active_[c]; }
  bool is_target(int c) const {
    return frame_.target_kind == TargetKind::column && c == static_cast<int>(frame_.target_column);
  }
  double r(int a, int b) const { return std::fabs(discovery_(a, b)); }
  bool comparable(int a, int b) const {
    return column(a).tier == column(b).tier && !is_target(a) && !is_target(b) &&
           statistics_.centring[a] == statistics_.centring[b];
  }

  void describe(int c) {
    auto& rep = report(c);
    rep.name = column(c).name, rep.label = words_for(rep.name), rep.unit = column(c).unit,
    rep.tier = column(c).tier;
    rep.reading = name_in(kCentringNames, statistics_.centring[c]);
    rep.mean = statistics_.raw.total().mean(c);
    rep.minimum = column(c).minimum, rep.maximum = column(c).maximum;
  }

  /// Active columns other than the target that meet a condition.
  std::vector<int> columns_where(const auto& condition) const {
    auto columns = numbers_below(q_);
    std::erase_if(columns, [&](int c) { return !active(c) || is_target(c) || !condition(c); });
    return columns;
  }

  /// Of the predictors of a fit, those that have a coefficient.
  static std::vector<int> with_coefficients(const Regression& fit, const std::vector<int>& predictors) {
    std::vector<int> found;
    for (std::size_t i = 0; i < predictors.size(); ++i)
      if (std::fabs(fit.coefficients(static_cast<Eigen::Index>(i))) > 1e-3) found.push_back(predictors[i]);
    return found;
  }

  /// The correlation of largest magnitude with a side of the target.
  double strength(int c) const {
    double best = 0;
    if (!statistics_.derived()) return discovery_(c, static_cast<int>(frame_.target_column));
    for (Eigen::Index s = q_; s < discovery_.cols(); ++s)
      if (std::fabs(discovery_(c, s)) > std::fabs(best) + kTie) best = discovery_(c, s);
    return best;
  }

  void leave(int c, FeatureStatus status, std::string reason, int representative = -1) {
    active_[c] = false;
    auto& rep = report(c);
    rep.status = status, rep.reason = std::move(reason), rep.reading.clear();
    if (representative < 0) return;
    rep.representative = column(representative).name;
    for (int& target : represented_by_)
      if (target == c) target = representative;
    represented_by_[c] = representative;
  }

  void drop_constants() {
    const Eigen::VectorXd variance = statistics_.discovery.total().cross.diagonal();
    for (int c = 0; c < q_; ++c) {
      // Centred equal values differ only by rounding errors of their magnitude.
      const double rounding = kRounding * statistics_.magnitude[c];
      if (variance(c) > rounding * rounding * statistics_.discovery.total().n || is_target(c)) continue;
      const auto centring = statistics_.centring[c];
      leave(c, FeatureStatus::dropped,
            centring == Centring::group ? "does not vary within any configuration"
            : centring == Centring::kernel
                ? "differs only between kernels: no two configurations of one kernel have different values"
                : "constant in the rows used");
    }
  }

  void drop_columns_for_comparison() {
    for (const int c : columns_where([&](int x) { return column(x).name == kEarlierDeviation; }))
      leave(c, FeatureStatus::dropped,
            "not in the graph: used to check factors that depend on the gap before a launch");
  }

  /// A sum over all kinds of memory operations must not compete with the columns of each kind.
  void drop_sum_of_kinds() {
    const auto is_of_a_kind = [&](int c) {
      const std::string_view name = column(c).name;
      return active(c) && (name.starts_with("migration_") ||
                           (name.starts_with("overlap_") && name.find("_to_") != name.npos));
    };
    if (std::ranges::none_of(numbers_below(q_), is_of_a_kind)) return;
    for (const int c :
         columns_where([&](int x) { return column(x).name.starts_with("linked_overlapped_ns"); }))
      leave(c, FeatureStatus::dropped, "the sum of copies and migrations, which have a column for each kind");
  }

  /// The target in other units predicts it without explaining it.
  void drop_copies_of_the_target() {
    if (frame_.target_kind != TargetKind::column) return;
    const auto target = static_cast<int>(frame_.target_column);
    for (const int c : columns_where([&](int x) { return !precedes(x); })) {
      if (1 - raw_(c, target) * raw_(c, target) > kCopy) continue;
      choice_.warnings.push_back(note<notes::kTargetInOtherUnit>(report(c).label, words_for(frame_.target)));
      leave(c, FeatureStatus::dropped, "the target in a different unit");
    }
  }

  /// Whether the name of a column of a plain table, or background knowledge, places it before the launches:
  /// such as the size of the work, from which durations without noise follow exactly.
  bool precedes(int c) const {
    return column(c).of_plain_table && column(c).tier < static_cast<int>(Tier::counters);
  }

  /// A column that orders launches exactly as their durations do does not explain the durations.
  void drop_copies_of_the_duration() {
    for (int c = 0; c < q_ && !statistics_.like_duration.empty(); ++c) {
      // Computation takes the same number of cycles at any clock, so that durations follow the clock exactly.
      const bool is_clock = column(c).unit == "Hz" || column(c).name.find("clock") != std::string::npos;
      if (!active(c) || is_clock || precedes(c) || !statistics_.like_duration[c]) continue;
      choice_.warnings.push_back(note<notes::kOrdersAsDuration>(report(c).label));
      leave(c, FeatureStatus::dropped, "the duration in a different unit, or computed from it");
    }
  }

  /// If the target is a sum of columns, shares only show its composition.
  void note_sums() {
    if (frame_.target_kind != TargetKind::column) return;
    const auto others = columns_where([](int) { return true; });
    const auto target = static_cast<int>(frame_.target_column);
    if (others.empty() || static_cast<double>(others.size()) + 2 > statistics_.raw.total().n) return;
    const Regression fit = regress(raw_, target, others);
    if (1 - fit.r_squared > kCopy) return;
    const auto names = mapped(with_coefficients(fit, others), [&](int c) { return column(c).name; });
    choice_.warnings.push_back(note<notes::kTargetIsSum>(words_for(frame_.target), fmt::join(names, ", ")));
  }

  /// Levels of a category sum to 1, so one of them is the reference for the others: the level with the
  /// smallest correlation with the target; on a tie (two levels) the one with the negative correlation.
  void drop_reference_levels() {
    std::map<std::size_t, std::vector<int>> levels;
    for (int c = 0; c < q_; ++c)
      if (active(c) && column(c).kind == Column::Kind::level) levels[column(c).source].push_back(c);
    for (const auto& [source, columns] : levels) {
      if (columns.size() < 2) continue;
      int reference = columns.front();
      for (const int c : columns) {
        const double now = strength(reference), then = strength(c);
        if (std::fabs(then) < std::fabs(now) - kTie ||
            (std::fabs(std::fabs(then) - std::fabs(now)) <= kTie && then < now - kTie))
          reference = c;
      }
      leave(reference, FeatureStatus::dropped, "reference value, with which the other values are compared");
    }
  }

  bool named_before(int a, int b) const { return causal::named_before(column(a).name, column(b).name); }

  void merge_into(int head, const std::vector<int>& members, const std::string& words,
                  FeatureReason why = FeatureReason::other) {
    for (const int c : members) {
      if (c == head) continue;
      leave(c, FeatureStatus::merged, fmt::format("{} {}", words, column(head).name), head);
      report(c).why = why;
    }
  }

  /// An event and its measures (time, bytes, count) are one cause, represented by the event unless a measure
  /// is clearly stronger.
  void merge_declared_families() {
    std::map<std::tuple<int, std::string, Centring>, std::vector<int>> families;
    for (int c = 0; c < q_; ++c)
      if (active(c) && !is_target(c) && column(c).kind != Column::Kind::level)
        families[{column(c).tier, column(c).family, statistics_.centring[c]}].push_back(c);
    for (const auto& [key, members] : families) {
      if (members.size() < 2) continue;
      if (std::ranges::none_of(members, [&](int c) { return column(c).event; })) continue;
      const auto worth = [&](int c) {
        return std::fabs(strength(c)) + (column(c).event ? kEventMargin : 0.0);
      };
      int head = members.front();
      for (const int c : members)
        if (worth(c) > worth(head) + kTie ||
            (std::fabs(worth(c) - worth(head)) <= kTie && named_before(c, head)))
          head = c;
      merge_into(head, members, "another measure of the same cause as");
    }
  }

  void merge_duplicates() {
    for (int a = 0; a < q_; ++a) {
      if (!active(a)) continue;
      std::vector<int> same{a};
      for (int b = a + 1; b < q_; ++b)
        if (active(b) && comparable(a, b) && r(a, b) > kDuplicate) same.push_back(b);
      if (same.size() < 2) continue;
      const int head = *std::ranges::min_element(same, [&](int x, int y) { return named_before(x, y); });
      merge_into(head, same, "a duplicate of", FeatureReason::duplicate);
    }
  }

  /// Average linkage: the two clusters with the largest mean |r| are merged while it exceeds the threshold.
  /// Only if tiers separate the stages: in a table without background knowledge every column represents
  /// itself.
  void merge_collinear() {
    if (frame_.columns.empty() || frame_.columns.front().tier == frame_.columns.back().tier) return;
    const auto items = columns_where([](int) { return true; });
    const auto n = static_cast<Eigen::Index>(items.size());
    Eigen::MatrixXf similarity = Eigen::MatrixXf::Zero(n, n);
    for (Eigen::Index i = 0; i < n; ++i)
      for (Eigen::Index j = 0; j < n; ++j) {
        const int a = items[i], b = items[j];
        if (comparable(a, b)) similarity(i, j) = static_cast<float>(r(a, b));
      }
    for (auto family : average_linkage(std::move(similarity), static_cast<float>(kCollinear))) {
      if (family.size() < 2) continue;
      for (int& member : family) member = items[member];
      merge_cluster(family);
    }
  }

  void merge_cluster(const std::vector<int>& family) {
    const auto mean_r = [&](int c) {
      double sum = 0;
      for (const int x : family) sum += x == c ? 0.0 : r(c, x);
      return sum;
    };
    int head = family.front();
    for (const int c : family) {
      const double more = mean_r(c) - mean_r(head);
      const double tie =
          0.02 * static_cast<double>(family.size() - 1); // the better name wins on so small a difference
      if (more > tie || (std::fabs(more) <= tie && named_before(c, head))) head = c;
    }
    merge_into(head, family, "in a collinear family (mean |r| > 0.95) represented by",
               FeatureReason::collinear);
    std::vector<std::string> names;
    for (const int c : family)
      if (c != head) names.push_back(report(c).label);
    choice_.warnings.push_back(note<notes::kNearlyIdentical>(report(head).label, fmt::join(names, ", ")));
    choice_.warnings.back().feature = report(head).label;
  }

  void drop_determined() {
    const std::array<const Eigen::MatrixXd*, 3> views{&raw_, &statistics_.log_correlation, &discovery_};
    for (const Eigen::MatrixXd* correlation : views) {
      const std::vector<int> determined = dependent_columns(*correlation);
      for (const int c : determined) {
        const auto by = determining(*correlation, c, determined);
        choice_.warnings.push_back(note<notes::kDetermined>(report(c).label, listed(by, true)));
        leave(c, FeatureStatus::dropped, "determined by " + listed(by, false));
      }
    }
  }

  /// Columns that others determine, one after the other: a sum is dropped rather than its parts.
  std::vector<int> dependent_columns(const Eigen::MatrixXd& correlation) const {
    std::vector<int> dependent;
    for (;;) {
      const int found = first_dependent(correlation, dependent);
      if (found < 0) return dependent;
      dependent.push_back(most_similar(correlation, found, dependent));
    }
  }

  /// Pivoted Cholesky, tier after tier, derived quantities last: the column with the largest residual
  /// variance is next. The first column without residual variance is a combination of the previous ones:
  /// returns it, or −1 if there is none.
  int first_dependent(const Eigen::MatrixXd& correlation, const std::vector<int>& without) const {
    auto left = columns_where([&](int c) { return !contains(without, c); });
    std::ranges::stable_sort(left, {}, [&](int c) { return stage_of(c); });
    Eigen::MatrixXd rest = correlation.topLeftCorner(q_, q_);
    while (!left.empty()) {
      const auto stage = stage_of(left.front());
      auto pick = left.begin();
      for (auto i = left.begin(); i != left.end() && stage_of(*i) == stage; ++i)
        if (rest(*i, *i) > rest(*pick, *pick) + 1e-6 ||
            (std::fabs(rest(*i, *i) - rest(*pick, *pick)) <= 1e-6 && named_before(*i, *pick)))
          pick = i;
      const int c = *pick;
      left.erase(pick);
      if (rest(c, c) < kDetermined) return c;
      const Eigen::VectorXd direction = rest.col(c) / std::sqrt(rest(c, c));
      rest.noalias() -= direction * direction.transpose();
    }
    return -1;
  }

  /// Of the columns of one stage that determine each other, the one that correlates most with the others:
  /// parts of a sum need not correlate, a sum correlates with each of its parts. Of nested categories (ranks
  /// of a node), a value of the inner one, with which the others of the same outer value are then compared:
  /// the value that is least related to the target. So it is with a column that many units (nodes, runs)
  /// determine: it describes what they have in common, and the values of the units the rest.
  int most_similar(const Eigen::MatrixXd& correlation, int found, const std::vector<int>& without) const {
    const auto others = columns_where(
        [&](int x) { return x != found && stage_of(x) <= stage_of(found) && !contains(without, x); });
    std::vector<int> relation = with_coefficients(regress(correlation, found, others), others);
    relation.insert(relation.begin(), found);
    const auto likeness = [&](int c) {
      double sum = 0;
      for (const int x : relation) sum += x == c ? 0.0 : std::fabs(correlation(c, x));
      return sum / static_cast<double>(std::max<std::size_t>(relation.size() - 1, 1));
    };
    auto inner = levels_of_inner_category(relation, stage_of(found));
    if (inner.empty()) inner = levels_of_units(relation);
    if (!inner.empty())
      return *std::ranges::min_element(inner, {}, [&](int c) { return std::fabs(strength(c)); });
    int leaves = found;
    for (const int c : relation)
      if (stage_of(c) == stage_of(found) && likeness(c) > likeness(leaves) + 0.02) leaves = c;
    return leaves;
  }

  /// The levels, among these columns, of the category with most levels, if it has many and other columns are
  /// among them, too.
  std::vector<int> levels_of_units(const std::vector<int>& columns) const {
    constexpr std::size_t kManyUnits = 8;
    std::map<std::size_t, std::vector<int>> levels; // by source
    for (const int c : columns)
      if (column(c).kind == Column::Kind::level) levels[column(c).source].push_back(c);
    const auto most =
        std::ranges::max_element(levels, {}, [&](const auto& of) { return number_of_levels(of.first); });
    if (most == levels.end() || number_of_levels(most->first) < kManyUnits ||
        most->second.size() == columns.size())
      return {};
    return most->second;
  }

  std::size_t number_of_levels(std::size_t source) const {
    return static_cast<std::size_t>(std::ranges::count_if(frame_.columns, [&](const Column& c) {
      return c.kind == Column::Kind::level && c.source == source;
    }));
  }

  /// Of columns that are levels of several categories: those of the category with most levels. Empty if they
  /// are of one category.
  std::vector<int> levels_of_inner_category(const std::vector<int>& columns,
                                            const std::pair<int, bool>& stage) const {
    std::map<std::size_t, std::vector<int>> levels; // by source
    for (const int c : columns)
      if (column(c).kind == Column::Kind::level && stage_of(c) == stage)
        levels[column(c).source].push_back(c);
    if (levels.size() < 2) return {};
    return std::ranges::max_element(levels, {}, [&](const auto& of) { return number_of_levels(of.first); })
        ->second;
  }

  std::pair<int, bool> stage_of(int c) const { return {column(c).tier, is_derived_quantity(column(c).name)}; }

  std::vector<int> determining(const Eigen::MatrixXd& correlation, int c,
                               const std::vector<int>& determined) const {
    const auto others = columns_where(
        [&](int x) { return x != c && column(x).tier <= column(c).tier && !contains(determined, x); });
    return with_coefficients(regress(correlation, c, others), others);
  }

  /// Names or display texts of columns.
  std::string listed(const std::vector<int>& columns, bool in_words) const {
    const auto names =
        mapped(columns, [&](int c) { return in_words ? words_for(column(c).name) : column(c).name; });
    if (names.size() > 6) return fmt::format("{} other columns together", names.size());
    return names.empty() ? "other columns" : fmt::format("{}", fmt::join(names, ", "));
  }

  void collect() {
    choice_.node_of.assign(static_cast<std::size_t>(q_), -1);
    for (int c = 0; c < q_; ++c) {
      if (!active(c)) continue;
      choice_.node_of[c] = static_cast<int>(choice_.nodes.size());
      choice_.nodes.push_back({c, {}});
    }
    for (int c = 0; c < q_; ++c) {
      const int head = represented_by_[c];
      if (head < 0 || choice_.node_of[head] < 0) continue;
      choice_.node_of[c] = choice_.node_of[head];
      choice_.nodes[choice_.node_of[head]].members.push_back(c);
    }
  }

  const Frame& frame_;
  int q_;
  const Statistics& statistics_;
  Eigen::MatrixXd discovery_, raw_;
  std::vector<bool> active_;
  std::vector<int> represented_by_;
  NodeChoice choice_;
};

} // namespace

int NodeChoice::find(const Frame& frame, const std::string& name) const {
  for (std::size_t c = 0; c < frame.columns.size(); ++c)
    if (frame.columns[c].name == name) return node_of[c];
  return -1;
}

NodeChoice choose_nodes(const Frame& frame, const Statistics& statistics) {
  return Chooser(frame, statistics).run();
}

} // namespace jitterscope::causal
