#include "core/causal/table/survey_frame.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "core/base/ordered_double.h"
#include "core/base/similar_names.h"
#include "core/causal/base/lists.h"
#include "core/causal/base/tiers.h"
#include "core/causal/base/wording.h"
#include "core/causal/statistics/earlier.h"

namespace jitterscope::causal {
namespace {

constexpr double kMaxMissingShare = 0.2; ///< a column with a larger share of missing values is dropped
constexpr double kRareLevel = 0.005;     ///< category levels below this share are merged into one
constexpr std::int64_t kRareRows = 10;   ///< levels with fewer rows than this are merged as well
constexpr double kMaxSquared = 1e140; ///< products of two columns, and their inverses, must fit into a double
/// A numeric factor that is 0 more often than this has an event column as well.
constexpr double kMostlyZeroShare = 0.5;

bool can_be_squared(double magnitude) {
  return magnitude < kMaxSquared && magnitude > 1 / kMaxSquared;
}

// Nsight Compute's own overhead, such as memory that it saved and restored to replay kernels.
bool is_of_the_profiler(std::string_view name) {
  return name.starts_with("profiler__");
}

using Summary = SourceSurvey::Summary;

class ColumnMaker {
public:
  ColumnMaker(Frame& frame, const RowSource& source, const Options& options, const SourceSurvey& survey)
      : frame_(frame), source_(source), options_(options), survey_(survey) {
    for (const auto& [name, tier] : options.knowledge.tiers) tiers_[name] = tier;
  }

  Expected<void> run() {
    if (auto done = check_names(); !done) return done;
    const auto& features = source_.features();
    for (std::size_t f = 0; f < features.size(); ++f) {
      const FeatureInfo& info = features[f];
      const int tier = tier_of(info);
      const auto [why, reason] = reason_to_leave(info, survey_[f], tier);
      if (!reason.empty() && is_target(info))
        return failure(ErrorKind::BadInput,
                       fmt::format("the target \"{}\" cannot be explained: {}", info.name, reason), {},
                       survey_[f].minimum == survey_[f].maximum ? kTargetPlace : "",
                       "Name another target with --target.");
      if (!reason.empty())
        frame_.report(info.name, info.unit, tier, FeatureStatus::dropped, reason).why = why;
      else if (info.role == FeatureRole::category)
        add_levels(f, info, tier);
      else
        add_amount(f, info, tier);
    }
    sort_columns();
    note_guesses();
    return {};
  }

private:
  bool is_target(const FeatureInfo& info) const {
    return frame_.target_kind == TargetKind::column && info.name == frame_.target;
  }

  int tier_of(const FeatureInfo& info) const {
    if (const auto known = tiers_.find(info.name); known != tiers_.end()) return known->second;
    const bool open = !is_target(info) && (info.tier == static_cast<int>(Tier::unknown) || is_unknown(info));
    if (info.tier >= 0 && !open) return info.tier;
    if (is_target(info) &&
        info.of_plain_table) { // "time" means when something happened, unless it is the target
      const int named = default_tier(info.name);
      if (named == static_cast<int>(Tier::environment)) return static_cast<int>(Tier::duration);
      return is_in_time_unit(info.name) ? std::max(named, static_cast<int>(Tier::counters)) : named;
    }
    if (is_setting(info)) return static_cast<int>(Tier::configuration);
    if (!open) return default_tier(info.name, info.of_plain_table ? info.unit : "");
    // With a column of the same tier, the data decide the direction or leave it undirected.
    return frame_.target_kind == TargetKind::column ? tier_of_target() : static_cast<int>(Tier::unknown);
  }

  /// Columns of a plain table whose names are uninformative.
  bool is_unknown(const FeatureInfo& info) const { return has_unknown_name(info) && !is_setting(info); }
  bool has_unknown_name(const FeatureInfo& info) const {
    const auto named = tier_by_name(info.name, info.unit);
    const bool text_of_duration =
        info.role == FeatureRole::category && named && *named >= static_cast<int>(Tier::duration);
    return info.of_plain_table && info.tier < 0 && !is_target(info) && !tiers_.contains(info.name) &&
           (!named || text_of_duration);
  }
  /// Texts that are not measured: what was run, and how. Numbers may be codes of an outcome. No text is a
  /// duration ("container_runtime").
  bool is_setting(const FeatureInfo& info) const {
    const auto is_text = [](const std::string& label) {
      return std::ranges::any_of(label, [](unsigned char c) { return std::isalpha(c) != 0; });
    };
    return info.role == FeatureRole::category && has_unknown_name(info) && !says_outcome(info.name) &&
           std::ranges::any_of(info.labels, is_text);
  }

  int tier_of_target() const {
    for (const auto& info : source_.features())
      if (is_target(info)) return tier_of(info);
    return static_cast<int>(Tier::unknown);
  }

  void note_guesses() {
    const int last =
        frame_.target_kind == TargetKind::column ? tier_of_target() : static_cast<int>(Tier::counters);
    for (std::size_t f = 0; f < source_.features().size(); ++f) {
      const FeatureInfo& info = source_.features()[f];
      const bool guessed = info.tier < 0 && !tiers_.contains(info.name) && !is_unknown(info);
      if (guessed && !is_target(info) && tier_of(info) > last && survey_[f].minimum < survey_[f].maximum)
        frame_.guessed_later.push_back(info.name);
    }
  }

  Expected<void> check_names() const {
    std::set<std::string> names;
    for (const auto& info : source_.features()) {
      if (!names.insert(info.name).second)
        return failure(ErrorKind::BadInput, fmt::format("the column \"{}\" appears twice", info.name));
      if (is_target(info) && info.role == FeatureRole::category)
        return failure(ErrorKind::BadUse, fmt::format("the target \"{}\" is text, not a number", info.name));
    }
    for (const auto& name : options_.features)
      if (!names.contains(name))
        return failure(ErrorKind::BadUse,
                       fmt::format("\"{}\" is not a factor that can be examined here", name), {}, {},
                       did_you_mean(name, {names.begin(), names.end()}));
    return check_knowledge(names);
  }

  /// Rejects contradictory knowledge, and knowledge of unknown columns unless knowledge for other tables is
  /// allowed.
  Expected<void> check_knowledge(const std::set<std::string>& names) const {
    const Knowledge& known = options_.knowledge;
    const auto bad = [&](std::string what, const std::string& unknown = {}) {
      return failure(ErrorKind::BadUse, std::move(what), {}, "background knowledge",
                     did_you_mean(unknown, {names.begin(), names.end()}));
    };
    for (const auto& edge : known.required) {
      if (edge.first == edge.second) return bad(fmt::format("\"{}\" cannot be its own cause", edge.first));
      if (contains(known.forbidden, edge))
        return bad(fmt::format("the edge from \"{}\" to \"{}\" is both required and forbidden", edge.first,
                               edge.second));
    }
    for (const auto& name : known.ignored)
      if (name == frame_.target) return bad(fmt::format("the target \"{}\" cannot be ignored", name));
    if (!options_.knowledge_must_match) return {};
    const auto missing = [&](const std::string& name) {
      return name != frame_.target && !names.contains(name);
    };
    for (const auto& [name, tier] : known.tiers)
      if (missing(name))
        return bad(fmt::format("a tier is given for \"{}\", but no column has this name", name), name);
    for (const auto& name : known.ignored)
      if (missing(name))
        return bad(fmt::format("\"{}\" cannot be ignored, because no column has this name", name), name);
    return {};
  }

  struct Reason {
    FeatureReason why = FeatureReason::other;
    std::string text; ///< reason of the drop; empty: the column stays
  };
  Reason reason_to_leave(const FeatureInfo& info, const Summary& s, int tier) const {
    const bool compared = info.name == kEarlierDeviation; // kept in any case: gaps are checked against it
    if (!options_.features.empty() && !is_target(info) && !compared &&
        !contains(options_.features, info.name))
      return {{}, "not among the chosen columns"};
    if (!is_target(info) && contains(options_.left_out, info.name))
      return {{}, "ignored by background knowledge"};
    if (options_.features.empty() && !is_target(info) && is_of_the_profiler(info.name))
      return {{}, "measures the profiler's own work, which happens outside the kernel"};
    if (!is_target(info) && !info.leaves.empty()) return {{}, info.leaves};
    if (s.missing == s.rows) return {{}, "no row has a value"};
    if (!is_target(info) && static_cast<double>(s.missing) > kMaxMissingShare * static_cast<double>(s.rows))
      return {FeatureReason::missing,
              fmt::format("missing in {} of the rows", share_in_words(100.0 * static_cast<double>(s.missing) /
                                                                      static_cast<double>(s.rows)))};
    if (s.minimum == s.maximum) return {{}, "constant"};
    if (const double largest = std::max(std::fabs(s.minimum), std::fabs(s.maximum)); !can_be_squared(largest))
      return {
          FeatureReason::too_large,
          fmt::format("values of the order of {:.0e} are too {} for the computation: choose another unit, "
                      "or remove values that represent missing data",
                      largest, largest > 1 ? "large" : "small")};
    if (frame_.target_kind != TargetKind::column && tier >= static_cast<int>(Tier::duration) &&
        tier != static_cast<int>(Tier::unknown))
      return {{}, "a duration or variability, which cannot be its own cause"};
    return {};
  }

  void add_amount(std::size_t f, const FeatureInfo& info, int tier) {
    const Summary& s = survey_[f];
    Column c;
    c.name = info.name, c.unit = info.unit, c.tier = tier, c.source = f, c.missing = s.missing;
    c.family = info.family.empty() ? family_of(info.name) : info.family;
    c.event = s.only_zero_or_one, c.of_plain_table = info.of_plain_table, c.factor = info.factor;
    c.minimum = s.minimum, c.maximum = s.maximum;
    c.zero_inflated =
        !c.event && s.minimum >= 0 &&
        static_cast<double>(s.zeros) > kMostlyZeroShare * static_cast<double>(s.rows - s.missing);
    frame_.columns.push_back(c);
    if (!c.zero_inflated || is_target(info)) return;
    c.name = info.name + " > 0";
    c.unit.clear();
    c.kind = Column::Kind::positive;
    c.event = true, c.zero_inflated = false;
    c.minimum = 0, c.maximum = 1;
    frame_.columns.push_back(std::move(c));
  }

  void add_levels(std::size_t f, const FeatureInfo& info, int tier) {
    const Summary& s = survey_[f];
    const auto min_rows =
        std::max(kRareRows, static_cast<std::int64_t>(kRareLevel * static_cast<double>(s.rows)));
    std::size_t rare_levels = 0;
    const auto column = [&](std::string level) {
      Column c;
      c.name = fmt::format("{} {}", info.name, level);
      c.tier = tier, c.source = f, c.missing = s.missing, c.kind = Column::Kind::level, c.event = true;
      c.family = c.name;
      c.levels.assign(s.levels.size(), 0);
      c.maximum = 1;
      return c;
    };
    Column rare = column("(rare)");
    std::vector<Column> frequent;
    for (std::size_t code = 0; code < s.levels.size(); ++code) {
      if (s.levels[code] == 0) continue;
      if (s.levels[code] < min_rows) {
        rare.levels[code] = 1, ++rare_levels;
        continue;
      }
      Column c = column(info.labels[code]);
      c.levels[code] = 1;
      frequent.push_back(std::move(c));
    }
    if (rare_levels > 0) frequent.push_back(std::move(rare));
    if (frequent.size() < 2) {
      frame_.report(info.name, info.unit, tier, FeatureStatus::dropped,
                    "too few rows with each value to compare them");
      return;
    }
    frame_.report(info.name, info.unit, tier, FeatureStatus::merged,
                  rare_levels > 0
                      ? fmt::format("one column per value; {} rare values share one column", rare_levels)
                      : "one column per value");
    for (auto& c : frequent) frame_.columns.push_back(std::move(c));
  }

  void sort_columns() {
    std::ranges::sort(frame_.columns, {}, [](const Column& c) { return std::tie(c.tier, c.name); });
    for (std::size_t c = 0; c < frame_.columns.size(); ++c)
      if (frame_.columns[c].name == frame_.target) frame_.target_column = c;
  }

  Frame& frame_;
  const RowSource& source_;
  const Options& options_;
  const SourceSurvey& survey_;
  std::map<std::string, int> tiers_;
};

} // namespace

SourceSurvey::SourceSurvey(const std::vector<FeatureInfo>& features) : summaries_(features.size()) {
  for (std::size_t f = 0; f < features.size(); ++f) {
    auto& s = summaries_[f];
    s.minimum = std::numeric_limits<double>::infinity();
    s.maximum = -s.minimum;
    if (features[f].role == FeatureRole::category) s.levels.assign(features[f].labels.size(), 0);
  }
}

void SourceSurvey::add(const RowBlock& block) {
  for (std::size_t f = 0; f < summaries_.size(); ++f) {
    auto& s = summaries_[f];
    s.rows += block.values.rows();
    for (const double v : block.values.col(static_cast<Eigen::Index>(f))) {
      if (!std::isfinite(v)) {
        ++s.missing;
        continue;
      }
      s.zeros += v == 0;
      s.only_zero_or_one = s.only_zero_or_one && (v == 0 || v == 1);
      s.minimum = std::min(s.minimum, v);
      s.maximum = std::max(s.maximum, v);
      if (v >= 0 && v < static_cast<double>(s.levels.size())) ++s.levels[v];
    }
  }
}

Expected<void> SourceSurvey::combine(Communicator& communicator) {
  std::vector<std::int64_t> counts, extremes;
  for (const auto& s : summaries_) {
    counts.insert(counts.end(), {s.rows, s.missing, s.zeros});
    counts.insert(counts.end(), s.levels.begin(), s.levels.end());
    extremes.insert(extremes.end(),
                    {ordered_integer(s.minimum), ordered_integer(-s.maximum), s.only_zero_or_one ? 1 : 0});
  }
  if (auto done = communicator.sum(counts); !done) return done;
  if (auto done = communicator.minimum(extremes); !done) return done;
  std::size_t at = 0, extreme = 0;
  for (auto& s : summaries_) {
    s.rows = counts[at++], s.missing = counts[at++], s.zeros = counts[at++];
    for (auto& level : s.levels) level = counts[at++];
    s.minimum = from_ordered_integer(extremes[extreme++]);
    s.maximum = -from_ordered_integer(extremes[extreme++]);
    s.only_zero_or_one = extremes[extreme++] == 1;
  }
  return {};
}

Expected<void> make_columns(Frame& frame, const RowSource& source, const Options& options,
                            const SourceSurvey& survey) {
  return ColumnMaker(frame, source, options, survey).run();
}

} // namespace jitterscope::causal
