#include "core/causal/answer/notes.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/exact_sums.h"
#include "core/causal/base/note_specs.h"
#include "core/causal/base/wording.h"
#include "core/causal/discovery/discovery.h"

namespace jitterscope::causal {
namespace {

constexpr double kTail = 0.05; ///< fraction of the rows: reported if fewer rows hold half of the variability
constexpr std::size_t kMaxNamed = 3; ///< columns that a note names

std::string whole(double count) {
  return grouped(static_cast<std::int64_t>(std::llround(count)));
}

std::string counted(std::int64_t n, const char* one, const char* many) {
  return fmt::format("{} {}", grouped(n), n == 1 ? one : many);
}

std::string part_in_words(double part) {
  return part < 0.005   ? "less than 1 %"
         : part > 0.995 ? "more than 99 %"
                        : fmt::format("{:.0f} %", 100 * part);
}

constexpr int kSteps = 64;      ///< number of classes per power of two
constexpr int kExponents = 128; ///< 2^-33 ns to 2^95 ns
constexpr int kSmallest = -32;
constexpr std::size_t kConcentrationClasses = kSteps * kExponents;

std::size_t class_of(double value) {
  int exponent = 0;
  const double mantissa = std::frexp(value, &exponent); // in [0.5, 1)
  const int step = static_cast<int>((mantissa - 0.5) * 2 * kSteps);
  const int at = (exponent - kSmallest) * kSteps + step;
  return static_cast<std::size_t>(std::clamp(at, 0, static_cast<int>(kConcentrationClasses) - 1));
}

class Notes {
public:
  Notes(CausalResult& result, const Frame& frame, const Model& model, const NoteFacts& facts)
      : result_(result), frame_(frame), model_(model), facts_(facts) {}

  void rows_and_columns() {
    if (frame_.rows_single > 0)
      add<notes::kRanOnce>(counted(frame_.rows_single, "launch", "launches"),
                           frame_.rows_single == 1 ? "was" : "were",
                           frame_.rows_single == 1 ? "its" : "their");
    if (frame_.rows_incomplete > 0)
      add<notes::kIncomplete>(
          counted(frame_.rows_incomplete, "row", "rows"), frame_.rows_incomplete == 1 ? "was" : "were",
          frame_.part_incomplete > 0
              ? fmt::format(" {} {} of the variability of all rows.",
                            frame_.rows_incomplete == 1 ? "It accounts for" : "They account for",
                            part_in_words(frame_.part_incomplete))
              : "");
    const bool screened = frame_.candidates > static_cast<std::int64_t>(frame_.columns.size());
    if (screened && model_.nodes() == 0)
      add<notes::kNoneOfMany>(facts_.features, frame_.candidates);
    else if (screened)
      add<notes::kNearestOfMany>(facts_.features, frame_.candidates, model_.nodes());
    const int vertices = screened ? static_cast<int>(frame_.candidates) : model_.nodes() + 1;
    if (model_.n_eff() < std::max(100, 10 * vertices))
      add<notes::kFewRows>(grouped(result_.n), whole(model_.n_eff()), counted(vertices, "column", "columns"));
    guesses();
    report_dropped_columns();
    gaps();
  }

  /// Columns without a value on launches that vary more than the others.
  void gaps() {
    constexpr std::size_t maximum = 3;
    for (std::size_t k = 0; k < std::min(maximum, frame_.gaps.size()); ++k) {
      const InformativeGap& gap = frame_.gaps[k];
      add<notes::kInformativeGap>(grouped(gap.rows), words_for(gap.name), gap.times, part_in_words(gap.part));
    }
  }

  void spread_and_dependence() {
    const auto half = static_cast<double>(facts_.half_of_variability), all = static_cast<double>(result_.n);
    if (half > 0 && half <= kTail * all && frame_.target_kind == TargetKind::variability)
      add<notes::kHeavyTail>(grouped(facts_.half_of_variability), grouped(result_.n), 100 * half / all);
    else if (half > 0 && half <= kTail * all)
      add<notes::kFewRowsVary>(words_for(frame_.target), counted(facts_.half_of_variability, "row", "rows"),
                               grouped(result_.n), 100 * half / all);
    if (model_.inflation() > 1.5) add<notes::kAutocorrelated>(grouped(result_.n), whole(model_.n_eff()));
  }

  void far_values() {
    for (const FarValues& far : facts_.far_values)
      add<notes::kOutliers>(far.label, far.farthest < far.mean ? "down" : "up", far.farthest, far.mean,
                            words_for(frame_.target), far.by_ranks, far.in_units);
  }

  /// A note on the contributions of a kind, if there are any.
  template <const NoteSpec& spec>
  void on_those(bool Contribution::*kind, const auto&... more) {
    std::vector<std::string> labels;
    for (const Contribution& c : result_.contributions)
      if (c.*kind) labels.push_back(c.label);
    if (!labels.empty()) add<spec>(fmt::join(labels, ", "), more...);
  }

  /// Positions in program order represent the work at that position.
  void places() {
    for (const Contribution& c : result_.contributions)
      if (c.role == Role::cause && (c.feature == "burst_position" || c.feature == "repetition"))
        add<notes::kPlaceInProgram>(c.label);
  }

  void edges() {
    if (model_.has_undirected_ancestor_edges()) add<notes::kUndirected>();
    // A cause that moves durations either way has no sign on |d − mean| to compare with.
    for (std::size_t i = 0; i < result_.contributions.size(); ++i)
      if (facts_.acts[i] == Acts::configuration || facts_.acts[i] == Acts::spread)
        flip(result_.contributions[i]);
    for (const Contribution& c : result_.contributions) disagreement(c);
    for (const Contribution& c : result_.contributions) doubles(c);
    if (const auto& check = result_.nonlinear; check && check->part > 0)
      add<notes::kNonLinear>(
          100 * std::max(0.0, check->linear_r2), words_for(frame_.target), 100 * check->boosted_r2,
          result_.shares_of_levels ? "effects per unit" : "variance shares and effects per unit",
          std::ranges::none_of(result_.contributions,
                               [](const Contribution& c) { return c.attributable_percent.has_value(); })
              ? ""
              : " Attributable shares do not assume linear effects.");
  }

  void summaries() {
    summarise<notes::kManyFamilies>();
    summarise<notes::kManyDetermined>();
    summarise<notes::kManySignFlips>();
    if (!result_.contributions.empty()) add<notes::kLatentPossible>();
  }

private:
  template <const NoteSpec& spec, class... Values>
  void add(Values&&... values) {
    result_.warnings.push_back(note<spec>(std::forward<Values>(values)...));
  }

  void guesses() {
    std::vector<std::string> later = frame_.guessed_later;
    if (later.empty()) return;
    if (const auto more = shorten(later, kMaxNamed)) later.push_back(fmt::format("{} other columns", more));
    add<notes::kGuessedTiers>(listed(std::move(later)), words_for(frame_.target));
  }

  /// Dropped columns that might have carried information.
  void report_dropped_columns() {
    std::vector<std::string> left;
    for (const FeatureReport& f : result_.features)
      if (f.status == FeatureStatus::dropped &&
          (f.why == FeatureReason::missing || f.why == FeatureReason::too_large))
        left.push_back(fmt::format("{} ({})", f.label, f.reason));
    if (left.empty()) return;
    const auto more = shorten(left, kMaxNamed);
    add<notes::kColumnsLeftOut>(fmt::join(left, "; "),
                                more > 0 ? fmt::format("; {} more are in the list of features", more)
                                         : std::string());
  }

  /// A cause whose representative replaces several identical columns.
  void doubles(const Contribution& c) {
    std::vector<std::string> same;
    for (const auto& name : c.members)
      if (const auto* f = result_.find(name);
          f && (f->why == FeatureReason::duplicate || f->why == FeatureReason::collinear))
        same.push_back(f->label);
    if (same.empty() || is_family_reported(c.label)) return;
    const auto more = shorten(same, kMaxNamed);
    add<notes::kRepresents>(c.label, fmt::join(same, ", "),
                            more > 0 ? fmt::format(" and {} more", more) : std::string());
    result_.warnings.back().feature = c.label;
  }

  bool is_family_reported(const std::string& label) const {
    return std::ranges::any_of(result_.warnings, [&](const Warning& w) {
      return w.code == "collinear-family" && w.feature == label;
    });
  }

  void flip(const Contribution& c) {
    constexpr double kShown = 0.5; // smaller shares are neither printed nor listed
    if (c.role == Role::associated && c.attributable_percent.value_or(c.percent) < kShown) return;
    for (const Edge& e : result_.edges)
      if (e.from == c.feature && e.to == result_.target && c.sign * e.coefficient_units < 0)
        add<notes::kPooledSignFlip>(c.label, result_.target_unit);
  }

  /// Edge of a contribution that most other methods do not find, or find reversed.
  void disagreement(const Contribution& c) {
    for (const Edge& e : result_.edges) {
      if (e.from != c.feature || e.to != result_.target) continue;
      std::vector<std::string> against;
      for (const auto& [method, opinion] : e.agreement)
        if (opinion == Opinion::absent || opinion == Opinion::reversed)
          against.push_back(display_name(*method_from(method)));
      if (2 * against.size() > e.agreement.size())
        add<notes::kMethodsDisagree>(fmt::join(against, " and "), against.size() == 1 ? "does" : "do",
                                     c.label, words_for(result_.target));
    }
  }

  /// Summarises many notes of one kind: the list of features contains each of them.
  template <const NoteSpec& spec>
  void summarise() {
    constexpr std::ptrdiff_t maximum = 3;
    auto& all = result_.warnings;
    const auto of_kind = [](const Warning& w) { return w.code == spec.code; };
    const auto count = std::ranges::count_if(all, of_kind);
    if (count <= maximum) return;
    std::erase_if(all, of_kind);
    add<spec>(count);
  }

  CausalResult& result_;
  const Frame& frame_;
  const Model& model_;
  const NoteFacts& facts_;
};

} // namespace

std::optional<Warning> note_on_configurations(const ConfigurationCount& count,
                                              const std::vector<std::string>& labels) {
  if (labels.empty() || !few_configurations(count)) return std::nullopt;
  std::vector<std::string> named = labels;
  if (const auto more = shorten(named, 3))
    named.push_back(fmt::format("{} other {}", more, more == 1 ? "column" : "columns"));
  const std::string kernels =
      count.kernels == 1 ? "one kernel" : fmt::format("{} kernels", grouped(count.kernels));
  return note<notes::kFewConfigurations>(fmt::join(named, ", "), grouped(count.configurations), kernels,
                                         kMinConfigurations);
}

Expected<std::int64_t> launches_with_half_of_the_variability(const Frame& frame, Communicator& communicator) {
  const LocalRows& rows = frame.local;
  std::vector<std::int64_t> counts(kConcentrationClasses, 0);
  ExactSums by_class(kConcentrationClasses, frame.groups.longest, frame.plan.rows);
  for (std::size_t i = 0; i < rows.used.size(); ++i) {
    if (!rows.used[i]) continue;
    const double v = std::fabs(rows.duration[i] - frame.groups.median[rows.group[i]]);
    if (!(v > 0)) continue;
    const std::size_t at = class_of(v);
    ++counts[at], by_class.add(at, v);
  }
  if (auto done = communicator.sum(counts); !done) return forward(done.error());
  auto sums = by_class.total(communicator);
  if (!sums) return forward(sums.error());
  double all = 0;
  for (const double sum : *sums) all += sum;
  double missing = 0.5 * all;
  std::int64_t launches = 0;
  for (std::size_t at = kConcentrationClasses; at-- > 0 && missing > 0;) {
    const double sum = (*sums)[at];
    if (counts[at] == 0) continue;
    const double part = sum > missing ? missing / sum : 1.0;
    launches += std::llround(std::ceil(part * static_cast<double>(counts[at])));
    missing -= sum;
  }
  return launches;
}

Expected<std::int64_t> rows_with_half_of_the_variance(const Frame& frame, Communicator& communicator,
                                                      const Job& job) {
  constexpr std::int64_t kMost = 200'000;
  if (frame.rows_used > kMost) return 0;
  std::vector<double> mine;
  auto walked = frame.walk(job, "target", [&](std::int64_t, const Tile& tile) {
    for (std::size_t k = 0; k < tile.row.size(); ++k)
      mine.push_back(frame.target_value(tile, static_cast<Eigen::Index>(k)));
  });
  if (!walked) return forward(walked.error());
  auto all = communicator.all_gather<double>(mine);
  if (!all) return forward(all.error());
  const double mean = std::accumulate(all->begin(), all->end(), 0.0) / static_cast<double>(all->size());
  for (double& y : *all) y = (y - mean) * (y - mean);
  std::ranges::sort(*all, std::greater{});
  double missing = 0.5 * std::accumulate(all->begin(), all->end(), 0.0);
  std::int64_t rows = 0;
  for (; missing > 0 && rows < std::ssize(*all); ++rows) missing -= (*all)[static_cast<std::size_t>(rows)];
  return rows;
}

void add_notes(CausalResult& result, const Frame& frame, const Model& model, const NoteFacts& facts) {
  Notes notes(result, frame, model, facts);
  notes.rows_and_columns();
  notes.spread_and_dependence();
  notes.far_values();
  notes.on_those<notes::kDrift>(&Contribution::drifts, words_for(frame.target));
  notes.places();
  notes.on_those<notes::kEarlierWork>(&Contribution::of_earlier_work);
  notes.on_those<notes::kExposure>(&Contribution::of_length);
  notes.edges();
  notes.summaries();
}

} // namespace jitterscope::causal
