#include "core/causal/table/lagged_rows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <unordered_map>

#include <Eigen/Cholesky>
#include <fmt/format.h>

#include "core/base/ids.h"
#include "core/causal/base/lists.h"
#include "core/causal/base/note_specs.h"
#include "core/causal/base/tiers.h"
#include "core/causal/base/wording.h"
#include "core/causal/statistics/normal_scores.h"
#include "core/causal/table/sample_columns.h"

namespace jitterscope::causal {
namespace {

constexpr std::int64_t kStretches = 32, kMaxRowsOfStretch = 2'048, kMinRowsOfStretch = 24;
constexpr std::int64_t kLagsOfStretch = 4; ///< the longest lag is the length of a stretch divided by this
constexpr std::array<std::int64_t, 15> kLags = {1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 24, 32, 48, 64};
constexpr double kCloser = 1.02; ///< minimum ratio of the covariance at a lag to that at lag 0
constexpr double kSure = 3.5; ///< minimum in standard errors; the statistic of 32 stretches is at most √32
constexpr double kMinCovariance = 0.05; ///< minimum covariance at the lag, as a correlation
constexpr double kMostlyZero = 0.5;

int tier_of(const FeatureInfo& info, const Knowledge& known) {
  for (const auto& [name, tier] : known.tiers)
    if (name == info.name) return tier;
  return info.tier >= 0 ? info.tier : default_tier(info.name);
}

/// Lags 0 … kSpan of an event are fitted together.
constexpr std::int64_t kSpan = 8;
/// Minimum effect at a lag, relative to the largest, for the event to act on the launch at that lag.
constexpr double kMinOfLargest = 0.25;
/// Minimum mean difference between the covariances at negative and at positive lags of a temperature,
/// relative to the largest covariance.
constexpr double kMinAfter = 0.15;

bool is_temperature(std::string_view name) {
  const auto words = words_of(name);
  return std::ranges::any_of(words, [](const std::string& w) { return w == "temperature" || w == "temp"; });
}

/// A column that may have a lag.
struct Candidate {
  std::size_t feature = 0;
  bool sampled = false;                ///< a sampled column: its values may also be recorded late
  std::vector<std::int64_t> lags = {}; ///< lags that are tried, 0 first
  bool may_follow = false;             ///< a temperature: it may also follow the target
  /// Events: lags 0 … together - 1, the first of `lags`, are fitted together; 0 for sampled columns.
  std::size_t together = 0;
};

bool is_named(const Options& options, const std::string& name) {
  return options.target == name || contains(options.features, name) || contains(options.left_out, name) ||
         contains(options.knowledge.ignored, name) || options.knowledge.has_edge(name) ||
         contains(options.interventions, name, &std::pair<std::string, double>::first);
}

std::vector<Candidate> candidates_of(const RowSource& source, const Options& options, std::int64_t longest,
                                     bool only_sampled) {
  std::vector<Candidate> candidates;
  for (std::size_t f = 0; f < source.features().size(); ++f) {
    const FeatureInfo& info = source.features()[f];
    const int tier = tier_of(info, options.knowledge);
    const bool later = tier == static_cast<int>(Tier::duration) ||
                       tier == static_cast<int>(Tier::variability) ||
                       tier == static_cast<int>(Tier::configuration);
    if (info.role == FeatureRole::category || later || !info.leaves.empty() ||
        follows_from_earlier_work(info.name))
      continue;
    Candidate candidate{f, is_device_state(info.name), {0}};
    const bool named = is_named(options, info.name);
    if (!candidate.sampled && (named || only_sampled)) continue;
    candidate.may_follow =
        candidate.sampled && !named && !options.knowledge.has_tier(info.name) && is_temperature(info.name);
    for (const auto lag : kLags) {
      if (lag > longest) break;
      candidate.lags.push_back(lag);
      if (candidate.sampled) candidate.lags.push_back(-lag);
    }
    if (!candidate.sampled) candidate.together = static_cast<std::size_t>(std::min(longest, kSpan)) + 1;
    candidates.push_back(std::move(candidate));
  }
  return candidates;
}

/// Subtracts the mean of their configuration from values; 0 where missing. `groups`: number of
/// configurations.
void centre(std::vector<double>& values, const std::vector<std::uint32_t>& group, std::uint32_t groups) {
  centre_by(Eigen::Map<Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size())), group,
            groups, false);
  for (std::size_t i = 0; i < values.size(); ++i)
    if (std::isnan(values[i]) || group[i] == kNone) values[i] = 0;
}

/// Σ x(i − lag) y(i) inside the stretch.
double cross(const std::vector<double>& x, const std::vector<double>& y, std::int64_t lag) {
  const auto n = static_cast<std::int64_t>(x.size());
  double sum = 0;
  for (std::int64_t i = std::max<std::int64_t>(lag, 0); i < std::min(n, n + lag); ++i)
    sum += x[i - lag] * y[i];
  return sum;
}

/// By row: number of the sequence of configurations that ends with this launch. The sequence has up to 9
/// launches, as many as occur four times on average. Durations are ranked among launches with the same
/// number, because a program that repeats its steps does the same work there.
std::vector<std::uint32_t> places_of(const std::vector<std::uint32_t>& group) {
  constexpr std::array<std::size_t, 6> kBefore = {8, 5, 3, 2, 1, 0};
  constexpr std::size_t kTimes = 4;
  std::vector<std::uint32_t> places(group.size());
  for (const auto before : kBefore) {
    std::unordered_map<std::uint64_t, std::uint32_t> numbers;
    for (std::size_t i = 0; i < group.size(); ++i) {
      std::uint64_t hash = 14'695'981'039'346'656'037ull; // FNV-1a
      for (std::size_t k = 0; k <= before; ++k)
        hash = (hash ^ (k <= i ? group[i - k] : kNone)) * 1'099'511'628'211ull;
      places[i] = numbers.try_emplace(hash, static_cast<std::uint32_t>(numbers.size())).first->second;
    }
    if (kTimes * numbers.size() <= group.size()) break;
  }
  return places;
}

/// Results of one stretch and candidate: Σx², Σy², the number of zeros and of values, the sums by lag, and
/// for events those by negative lag, and Σ x(i − lag) x(i) by lag.
constexpr std::size_t kSquaresX = 0, kSquaresY = 1, kZeros = 2, kValues = 3, kSums = 4;

/// `target`: the column that is explained; none: the durations.
void add_stretch(const RowBlock& block, std::optional<Eigen::Index> target, std::uint32_t groups_in_all,
                 const std::vector<Candidate>& candidates, std::vector<double>& results) {
  const auto n = static_cast<std::size_t>(block.values.rows());
  std::vector<double> y(n, 0.0);
  std::vector<std::size_t> known;
  std::vector<double> durations;
  std::vector<std::uint32_t> groups;
  const std::vector<std::uint32_t> group = groups_in_all > 0 ? block.group : std::vector<std::uint32_t>(n, 0);
  const auto places = places_of(group);
  for (std::size_t i = 0; i < n; ++i) {
    const double duration =
        target ? block.values(static_cast<Eigen::Index>(i), *target) : block.duration_ns[i];
    if (group[i] != kNone && !std::isnan(duration))
      known.push_back(i), durations.push_back(duration), groups.push_back(places[i]);
  }
  const auto ranks = ranks_within(durations, groups);
  for (std::size_t k = 0; k < known.size(); ++k) y[known[k]] = ranks[k];
  double squares_y = 0;
  for (const double v : y) squares_y += v * v;
  for (const Candidate& candidate : candidates) {
    std::vector<double> x(n);
    double zeros = 0, values = 0, squares_x = 0;
    for (std::size_t i = 0; i < n; ++i) {
      x[i] = block.values(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(candidate.feature));
      zeros += x[i] == 0, values += !std::isnan(x[i]);
    }
    // Whether the event happened determines its lag; the amount is used later.
    if (!candidate.sampled)
      for (double& v : x) v = std::isnan(v) ? v : v != 0;
    centre(x, group, std::max(groups_in_all, std::uint32_t{1}));
    for (const double v : x) squares_x += v * v;
    results.insert(results.end(), {squares_x, squares_y, zeros, values});
    for (const auto lag : candidate.lags) results.push_back(cross(x, y, lag));
    const auto together = static_cast<std::int64_t>(candidate.together);
    for (std::int64_t k = 1; k < together; ++k) results.push_back(cross(x, y, -k));
    for (std::int64_t k = 0; k < 2 * together - 1; ++k) results.push_back(cross(x, x, k));
  }
}

/// Sums over the stretches.
std::vector<double> total_of(const std::vector<const double*>& of_stretches, std::size_t first,
                             std::size_t count) {
  std::vector<double> total(count, 0.0);
  for (const double* of : of_stretches)
    for (std::size_t k = 0; k < count; ++k) total[k] += of[first + k];
  return total;
}

/// Whether the sum of the stretches' terms is above 0 by more than chance allows (Efron 1969).
bool surely_positive(const std::vector<const double*>& of_stretches, const auto& term) {
  double sum = 0, squares = 0;
  for (const double* of : of_stretches) {
    const double t = term(of);
    sum += t, squares += t * t;
  }
  return sum > kSure * std::sqrt(squares);
}

/// Sets the launches on which an event acts: the lags around the strongest whose effects, fitted together,
/// have the same sign and are certain. So an event that lasts for several launches is not counted twice. An
/// event cannot act on launches before it: what is associated with it there is due to a phase of the run, and
/// is subtracted.
void find_span(const Candidate& candidate, const std::vector<const double*>& of_stretches, Lag& lag) {
  const auto n = static_cast<Eigen::Index>(candidate.together), both = 2 * n - 1;
  if (n < 2 || lag.rows >= n) return;
  const std::size_t before = kSums + candidate.lags.size(), of_own = before + candidate.together - 1;
  const std::vector<double> own = total_of(of_stretches, of_own, static_cast<std::size_t>(both));
  Eigen::MatrixXd alike(both, both);
  for (Eigen::Index a = 0; a < both; ++a)
    for (Eigen::Index b = 0; b < both; ++b) alike(a, b) = own[static_cast<std::size_t>(std::abs(a - b))];
  const Eigen::LDLT<Eigen::MatrixXd> factors(alike);
  if (factors.info() != Eigen::Success || !factors.isPositive()) return;
  std::vector<Eigen::VectorXd> effects; // by stretch: at lags 0 … n − 1, minus those before the event
  Eigen::VectorXd effect = Eigen::VectorXd::Zero(n);
  for (const double* of : of_stretches) {
    Eigen::VectorXd sums(both); // lags 1 − n … n − 1
    for (Eigen::Index k = 1; k < n; ++k) sums(n - 1 - k) = of[before + static_cast<std::size_t>(k) - 1];
    for (Eigen::Index k = 0; k < n; ++k) sums(n - 1 + k) = of[kSums + static_cast<std::size_t>(k)];
    const Eigen::VectorXd fitted = factors.solve(sums);
    Eigen::VectorXd& later = effects.emplace_back(n);
    for (Eigen::Index k = 0; k < n; ++k)
      later(k) = fitted(n - 1 + k) - fitted(n - 1 - std::max<Eigen::Index>(k, 1));
    effect += later;
  }
  Eigen::Index first = 0;
  effect.cwiseAbs().maxCoeff(&first);
  const double largest = effect(first);
  const auto acts = [&](Eigen::Index k) {
    double sum = 0, squares = 0;
    for (const auto& e : effects) sum += e(k) / largest, squares += std::pow(e(k) / largest, 2);
    return sum >= kMinOfLargest && sum > kSure * std::sqrt(squares);
  };
  if (!acts(first)) return;
  Eigen::Index last = first;
  while (first > 0 && acts(first - 1)) --first;
  while (last + 1 < n && acts(last + 1)) ++last;
  if (last > first) lag.rows = first, lag.span = last - first + 1;
}

/// Whether a temperature is associated with the durations before it rather than with those after it. A
/// temperature that only acts is associated with both alike, however slowly it changes.
bool follows_durations(const Candidate& candidate, const std::vector<const double*>& of_stretches,
                       const std::vector<double>& total) {
  const double sign = std::accumulate(total.begin(), total.end(), 0.0) > 0 ? 1 : -1;
  double pairs = 0, largest = 0;
  for (std::size_t k = 0; k < total.size(); ++k)
    pairs += candidate.lags[k] > 0, largest = std::max(largest, std::fabs(total[k]));
  const auto after = [&](const double* of) {
    double sum = 0;
    for (std::size_t k = 1; k < total.size(); ++k)
      sum += sign * (candidate.lags[k] < 0 ? 1 : -1) * of[kSums + k];
    return sum / std::max(pairs, 1.0);
  };
  double sum = 0;
  for (const double* of : of_stretches) sum += after(of);
  return sum >= kMinAfter * largest && surely_positive(of_stretches, after);
}

/// The lag that is clearly better than none, if any. `of_stretches`: results of one candidate by stretch.
std::optional<Lag> lag_of(const Candidate& candidate, const std::vector<const double*>& of_stretches) {
  const auto sums = total_of(of_stretches, 0, kSums);
  const auto total = total_of(of_stretches, kSums, candidate.lags.size());
  if (!(sums[kSquaresX] > 0) || !(sums[kSquaresY] > 0)) return std::nullopt;
  if (!candidate.sampled && (sums[kZeros] < kMostlyZero * sums[kValues] || sums[kZeros] == sums[kValues]))
    return std::nullopt;
  std::size_t best = 0;
  for (std::size_t k = 1; k < total.size(); ++k)
    if (std::fabs(total[k]) > std::fabs(total[best])) best = k;
  const double size = std::fabs(total[best]);
  if (size < kMinCovariance * std::sqrt(sums[kSquaresX] * sums[kSquaresY])) return std::nullopt;
  if (candidate.may_follow && follows_durations(candidate, of_stretches, total))
    return Lag{candidate.feature, 0, 1, true};
  const double sign = total[best] > 0 ? 1 : -1, sign_of_own = total[0] > 0 ? 1 : -1;
  const bool later = best != 0 && size >= kCloser * std::fabs(total[0]) &&
                     surely_positive(of_stretches, [&](const double* of) {
                       return sign * of[kSums + best] - sign_of_own * of[kSums];
                     });
  Lag lag{candidate.feature, later ? candidate.lags[best] : 0};
  find_span(candidate, of_stretches, lag);
  return lag.rows != 0 || lag.span > 1 ? std::optional(lag) : std::nullopt;
}

/// "3", "1–3".
std::string rows_of(const Lag& lag) {
  const auto rows = std::abs(lag.rows);
  return lag.span > 1 ? fmt::format("{}–{}", rows, rows + lag.span - 1) : fmt::format("{}", rows);
}

} // namespace

Expected<std::vector<Lag>> find_lags(const RowSource& source, const Options& options,
                                     Communicator& communicator, const Job& job) {
  std::vector<Lag> lags;
  const auto rows = source.rows();
  const auto of_stretch = std::min(rows / kStretches, kMaxRowsOfStretch);
  const auto& features = source.features();
  const auto name = options.target.empty() ? source.default_target() : options.target;
  const auto named = std::ranges::find(features, name, &FeatureInfo::name);
  const auto target =
      named == features.end() ? std::nullopt : std::optional<Eigen::Index>(named - features.begin());
  const bool known = target || (source.has_durations() && source.groups() > 0);
  if (!known || of_stretch < kMinRowsOfStretch) return lags;
  const auto candidates = candidates_of(source, options, of_stretch / kLagsOfStretch, target.has_value());
  if (candidates.empty()) return lags;
  std::vector<double> mine;
  const Share share = share_of(kStretches, communicator.rank(), communicator.size());
  RowBlock block;
  for (auto s = share.first; s < share.last; ++s) {
    if (job.cancelled()) return Job::cancelled_error();
    if (auto done = source.read(s * rows / kStretches, of_stretch, block); !done)
      return forward(done.error());
    add_stretch(block, target, source.groups(), candidates, mine);
  }
  const auto all = communicator.all_gather<double>(mine);
  if (!all) return forward(all.error());
  const std::size_t of_one = all->size() / static_cast<std::size_t>(kStretches);
  std::size_t at = 0;
  for (const Candidate& candidate : candidates) {
    std::vector<const double*> of_stretches;
    for (std::size_t s = 0; s < static_cast<std::size_t>(kStretches); ++s)
      of_stretches.push_back(all->data() + s * of_one + at);
    if (const auto lag = lag_of(candidate, of_stretches)) lags.push_back(*lag);
    at += kSums + candidate.lags.size() + (candidate.together > 0 ? 3 * candidate.together - 2 : 0);
  }
  return lags;
}

LaggedRows::LaggedRows(const RowSource& source, std::vector<Lag> lags)
    : ChangedRows(source), lags_(std::move(lags)) {
  for (const Lag& lag : lags_) {
    FeatureInfo& info = features_[lag.feature];
    if (lag.follows) info.tier = static_cast<int>(Tier::unknown);
    if (is_device_state(info.name)) continue;
    if (info.tier < 0) info.tier = default_tier(info.name);
    const auto suffix = fmt::format(" ({} before)", rows_of(lag));
    info.family = (info.family.empty() ? family_of(info.name) : info.family) + suffix;
    info.name += suffix;
  }
}

Expected<void> LaggedRows::read(std::int64_t first, std::int64_t count, RowBlock& block) const {
  if (auto done = source_->read(first, count, block); !done) return done;
  std::int64_t earliest = 0, latest = 0; // lags of the first and the last row to read
  for (const Lag& lag : lags_)
    earliest = std::max(earliest, lag.rows + lag.span - 1), latest = std::min(latest, lag.rows);
  if (earliest == 0 && latest == 0) return {};
  const auto from = std::clamp<std::int64_t>(first - earliest, 0, rows() - 1),
             to = std::clamp<std::int64_t>(first + count - latest, from + 1, rows());
  RowBlock other;
  if (auto done = source_->read(from, to - from, other); !done) return done;
  for (const Lag& lag : lags_) {
    if (lag.rows == 0 && lag.span == 1) continue;
    const auto column = static_cast<Eigen::Index>(lag.feature);
    for (std::int64_t r = 0; r < count; ++r) {
      double sum = 0;
      for (auto back = lag.rows; back < lag.rows + lag.span;
           ++back) // beyond the table: its first or last row
        sum += other.values(std::clamp<std::int64_t>(first + r - back, from, to - 1) - from, column);
      block.values(r, column) = sum;
    }
  }
  return {};
}

Knowledge LaggedRows::renamed(Knowledge knowledge) const {
  for (const Lag& lag : lags_)
    for (auto& [name, tier] : knowledge.tiers)
      if (name == source_->features()[lag.feature].name) name = features_[lag.feature].name;
  return knowledge;
}

std::vector<Warning> LaggedRows::remarks() const {
  auto remarks = source_->remarks();
  for (const Lag& lag : lags_) {
    const FeatureInfo& info = source_->features()[lag.feature];
    const auto launches = fmt::format("{} launch{}", rows_of(lag), rows_of(lag) == "1" ? "" : "es");
    const auto words = words_for(info.name);
    remarks.push_back(lag.follows                  ? note<notes::kFollowsDurations>(words)
                      : is_device_state(info.name) ? note<notes::kRecordedAtOtherLaunch>(
                                                         words, launches, lag.rows < 0 ? "late" : "early",
                                                         launches, lag.rows < 0 ? "after" : "before")
                                                   : note<notes::kRespondsLater>(words, launches, launches));
    remarks.back().feature = words;
  }
  return remarks;
}

} // namespace jitterscope::causal
