#include "core/reasons/peer_differences.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

#include "core/base/stop.h"
#include "core/causal/base/tiers.h"
#include "core/causal/base/wording.h"
#include "core/causal/statistics/earlier.h"
#include "core/reasons/rows/recent_idle.h"
#include "core/reasons/rows/recent_memory.h"

namespace jitterscope::analysis {
namespace {

constexpr std::size_t kGrid = 8;                   ///< launches per grid step and minimum of a moment
constexpr std::size_t kPeersBetweenPolls = 32'768; ///< between two checks for cancellation
constexpr std::size_t kMaxMoments = 400, kMinMoments = 20;
constexpr double kFalseDiscoveries = 0.1; ///< rate among the listed columns (Benjamini, Hochberg 1995)
constexpr double kBeyondAll =
    1.5; ///< minimum ratio to the largest difference of other moments, for only_here
/// Minimum part of the excess that a column's relation to durations must account for.
constexpr double kMinPeerPart = 0.1;
/// Minimum difference from the mean elsewhere, relative to it: smaller ones, although rare, are irrelevant.
constexpr double kMinDifference = 0.05;
/// The same for columns that are associated with durations elsewhere: smaller ones look equal as numbers.
constexpr double kMinVisible = 0.01;
constexpr double kFarBeyond = 3; ///< ratio as in kBeyondAll; larger ratios rank equally
/// Minimum difference of the neighbouring part of an episode, relative to that of the moment.
constexpr double kSameEpisode = 0.5;

/// Mean of the values of `all` that are not in `part`: 0 where the difference of the sums is only rounding
/// (bound: n · ε · Σ|x|; Higham 2002, section 4.2).
double mean_without(double all, double part, double n_all, double n_part) {
  const double rest = all - part;
  const double rounding =
      n_all * std::numeric_limits<double>::epsilon() * std::max(std::fabs(all), std::fabs(part));
  return std::fabs(rest) <= rounding ? 0.0 : rest / (n_all - n_part);
}

/// Whether the session's fit has a term for the same cause.
bool is_term(const causal::LaunchFit& fit, const causal::FeatureInfo& feature) {
  return std::any_of(fit.terms.begin(), fit.terms.end(), [&](const auto& term) {
    return causal::cause_of(term.feature) == causal::cause_of(feature);
  });
}

/// Quantities that slow launches change themselves, for any cause: for example, waiting in the queue that
/// they fill, and the duration in another unit.
bool follows_from_slow_launches(const causal::FeatureInfo& feature) {
  const int tier = feature.tier >= 0 ? feature.tier : causal::default_tier(feature.name);
  return feature.name == causal::kEarlierDeviation || causal::follows_from_earlier_work(feature.name) ||
         feature.name.starts_with("burst_position") || !feature.leaves.empty() ||
         tier == static_cast<int>(causal::Tier::duration);
}

/// Whether a column's values are scores of an event, not a quantity to state: launches with and without the
/// event are compared.
bool is_score(const std::string& feature) {
  return feature == kRecentIdle ||
         std::ranges::find(RecentMemory::kColumns, feature) != RecentMemory::kColumns.end();
}

/// Order in which differences are listed; only the first few are.
int place_in_list(Difference::Kind kind) {
  switch (kind) {
  case Difference::Kind::may_explain:
    return 0;
  case Difference::Kind::only_here:
    return 1;
  case Difference::Kind::differs:
    break;
  }
  return 2;
}

/// Fraction of other moments that differ by at least `size`; beyond the largest, by an exponential tail: the
/// chance that one of n moments is the largest is 1 / (n + 1).
double chance_of(double size, const std::vector<double>& others, double largest) {
  const auto n = 1 + static_cast<double>(others.size());
  if (size > largest) return std::pow(n, -(largest > 0 ? std::min(size / largest, kFarBeyond) : kFarBeyond));
  const auto as_far = std::ranges::count_if(others, [&](double other) { return other >= size; });
  return (1.0 + static_cast<double>(as_far)) / n;
}

} // namespace

double PeerDifferences::Column::compared(double value) const {
  return score && value > 0 ? 1.0 : value;
}

PeerDifferences::PeerDifferences(const LaunchReasons& reasons, const std::vector<std::uint8_t>& compared,
                                 const Job& job)
    : reasons_(reasons), cancelled_(job.cancelled), compared_(compared), order_(compared.size()) {
  const auto& launches = reasons.sampled().launches;
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  Stop stop(job);
  sort_stably(
      order_, [&](auto a, auto b) { return launches[a].start_ns < launches[b].start_ns; }, stop);
  for (const auto i : order_) starts_.push_back(launches[i].start_ns);
  const auto& features = reasons.sample().features;
  for (std::size_t f = 0; f < features.size() && !cancelled_(); ++f)
    if (features[f].role != causal::FeatureRole::category && !follows_from_slow_launches(features[f]) &&
        !is_term(reasons.fit(), features[f]))
      columns_.push_back(column_of(f));
}

PeerDifferences::Column PeerDifferences::column_of(std::size_t feature) const {
  const auto& sample = reasons_.sample();
  const auto& values = sample.values[feature];
  Column column;
  column.feature = feature;
  column.total.assign(sample.typical_ns.size(), 0.0), column.n = column.total;
  column.score = is_score(sample.features[feature].name);
  column.yes_or_no = column.score || sample.features[feature].unit.empty();
  const auto counts = [&](std::size_t i) { return compared_[i] && !std::isnan(values[i]); };
  for (std::size_t i = 0; i < values.size(); ++i)
    if (counts(i)) {
      const double x = column.compared(static_cast<double>(values[i]));
      column.total[sample.peers[i]] += x, column.n[sample.peers[i]] += 1;
      column.yes_or_no = column.yes_or_no && (x == 0 || x == 1);
    }
  auto mean = column.total;
  for (std::size_t g = 0; g < mean.size(); ++g) mean[g] /= std::max(column.n[g], 1.0);
  double sum = 0, zz = 0, zy = 0, yy = 0;
  std::uint32_t n = 0;
  for (std::size_t k = 0; k < order_.size(); ++k) {
    if (k % kPeersBetweenPolls == 0 && cancelled_()) return column;
    if (k % kGrid == 0) column.sum.push_back(sum), column.count.push_back(n);
    const auto i = order_[k];
    if (!counts(i)) continue;
    const double z = column.compared(static_cast<double>(values[i])) - mean[sample.peers[i]],
                 typical = sample.typical_ns[sample.peers[i]];
    sum += z, ++n;
    if (!(typical > 0)) continue;
    const double y = std::clamp(sample.duration_ns[i] / typical - 1, -1.0, 5.0);
    zz += z * z, zy += z * y, yy += y * y;
  }
  column.sum.push_back(sum), column.count.push_back(n);
  if (zz > 0 && yy > 0)
    column.slope = zy / zz,
    column.clear = std::fabs(zy) / std::sqrt(zz * yy) > 2 / std::sqrt(static_cast<double>(sample.blocks));
  return column;
}

PeerDifferences::Moment PeerDifferences::moment_of(const FittedLaunches& launches,
                                                   std::span<const std::size_t> chosen,
                                                   const std::function<bool(std::int64_t)>& inside) const {
  auto [first, last] = std::minmax_element(chosen.begin(), chosen.end(), [&](auto a, auto b) {
    return launches.launches[a].start_ns < launches.launches[b].start_ns;
  });
  const auto begin = static_cast<std::size_t>(
      std::lower_bound(starts_.begin(), starts_.end(), launches.launches[*first].start_ns) - starts_.begin());
  const auto end = static_cast<std::size_t>(
      std::upper_bound(starts_.begin(), starts_.end(), launches.launches[*last].start_ns) - starts_.begin());
  Moment moment;
  std::size_t within = 0;
  for (std::size_t k = begin; k < end; ++k) {
    const auto i = order_[k];
    if (!inside(reasons_.sampled().launches[i].row)) continue;
    ++within;
    if (compared_[i]) moment.rows.push_back(i);
  }
  moment.length = std::max<std::size_t>(1, within / kGrid);
  if (2 * within >= end - begin) moment.span = {begin / kGrid, (end + kGrid - 1) / kGrid};
  return moment;
}

double PeerDifferences::mean_of(const Column& column, Span span) const {
  const double n = column.count[span.last] - column.count[span.first];
  return n > 0 ? (column.sum[span.last] - column.sum[span.first]) / n : 0.0;
}

PeerDifferences::Span PeerDifferences::episode_of(const Column& column, const Moment& moment,
                                                  double mean) const {
  Span episode = moment.span;
  const auto part_of_it = [&](Span span) {
    return mean_of(column, span) * mean >= kSameEpisode * mean * mean;
  };
  while (episode.first >= moment.length && part_of_it({episode.first - moment.length, episode.first}))
    episode.first -= moment.length;
  while (episode.last + moment.length < column.sum.size() &&
         part_of_it({episode.last, episode.last + moment.length}))
    episode.last += moment.length;
  // Moments at the episode's borders are partly inside it.
  return {episode.first - std::min(episode.first, moment.length), episode.last + moment.length};
}

/// |mean| of other moments with the same number of launches.
std::vector<double> PeerDifferences::other_moments(const Column& column, const Moment& moment,
                                                   double mean) const {
  std::vector<double> means;
  const std::size_t places = column.sum.size() - 1;
  if (places < 2 * moment.length) return means;
  const bool follows = moment.span.last > moment.span.first;
  const Span episode = follows ? episode_of(column, moment, mean) : Span{};
  const std::size_t step = std::max<std::size_t>(1, (places - moment.length) / kMaxMoments);
  for (std::size_t first = 0; first + moment.length <= places; first += step) {
    const Span other{first, first + moment.length};
    const bool apart = !follows || other.last <= episode.first || other.first >= episode.last;
    if (apart && column.count[other.last] > column.count[other.first])
      means.push_back(std::fabs(mean_of(column, other)));
  }
  return means;
}

void PeerDifferences::add_to(Contrast& contrast, const FittedLaunches& launches,
                             std::span<const std::size_t> chosen,
                             const std::function<bool(std::int64_t)>& inside) const {
  if (chosen.size() < kGrid) return; // other moments have at least this number of launches
  const auto& sample = reasons_.sample();
  const Moment moment = moment_of(launches, chosen, inside);
  const bool rest_remains = contrast.rest_ns * contrast.excess_ns > 0 &&
                            std::fabs(contrast.rest_ns) >= kMinPeerPart * std::fabs(contrast.excess_ns);
  std::vector<Difference> found;
  std::vector<double> own(sample.typical_ns.size()), own_n(sample.typical_ns.size());
  for (const Column& column : columns_) {
    if (cancelled_()) return;
    const auto& feature = sample.features[column.feature];
    for (const auto i : moment.rows)
      if (const auto x = column.compared(static_cast<double>(sample.values[column.feature][i]));
          !std::isnan(x))
        own[sample.peers[i]] += x, own_n[sample.peers[i]] += 1;
    double sum = 0, n = 0, typical = 0, elsewhere = 0, here = 0;
    bool yes_or_no = column.yes_or_no;
    for (const auto k : chosen) {
      const auto peers = launches.launches[k].peers;
      const double x = column.compared(launches.of(k)[column.feature]),
                   others = column.n[peers] - own_n[peers];
      if (std::isnan(x) || others < static_cast<double>(LaunchReasons::kMinPeers)) continue;
      const double mean = mean_without(column.total[peers], own[peers], column.n[peers], own_n[peers]);
      sum += x - mean, elsewhere += mean, here += x, n += 1;
      yes_or_no = yes_or_no && (x == 0 || x == 1);
      if (const double t = sample.typical_ns[peers]; t > 0) typical += t;
    }
    for (const auto i : moment.rows) own[sample.peers[i]] = own_n[sample.peers[i]] = 0;
    if (n < 1) continue;
    const double mean = sum / n;
    // Longer launches are followed by shorter gaps.
    if ((causal::begins_at_the_end_of_earlier_work(feature.name) || feature.name == kRecentIdle) &&
        mean * contrast.excess_ns < 0)
      continue;
    const auto others = other_moments(column, moment, mean);
    if (others.size() < kMinMoments) continue;
    Difference d;
    d.feature = feature.name, d.label = causal::words_for(feature.name), d.unit = feature.unit;
    d.here = here / n, d.elsewhere = elsewhere / n;
    const double largest = *std::max_element(others.begin(), others.end());
    d.chance = chance_of(std::fabs(mean), others, largest);
    if (mean != 0)
      d.beyond = largest > 0 ? std::fabs(mean) / largest : std::numeric_limits<double>::infinity();
    const double explained = column.slope * mean * typical;
    const bool of_rest = contrast.excess_ns != 0 && explained / contrast.excess_ns >= kMinPeerPart &&
                         contrast.rest_ns * explained > 0;
    const auto differs_by = [&](double part) { return std::fabs(mean) >= part * std::fabs(d.elsewhere); };
    if (yes_or_no) {
      d.here *= 100, d.elsewhere *= 100, d.unit = "%";
      d.here_text = causal::share_in_words(d.here) + " of launches",
      d.elsewhere_text = causal::share_in_words(d.elsewhere);
    } else {
      std::tie(d.here_text, d.elsewhere_text) = causal::values_in_words(d.here, d.elsewhere, d.unit);
    }
    if (d.beyond > kBeyondAll && differs_by(kMinDifference) && rest_remains)
      d.kind = Difference::Kind::only_here;
    else if (column.clear && of_rest && differs_by(kMinVisible))
      d.kind = Difference::Kind::may_explain;
    found.push_back(std::move(d));
  }
  const auto tested = static_cast<double>(found.size());
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.chance < b.chance; });
  std::size_t kept = 0;
  for (std::size_t k = 0; k < found.size(); ++k)
    if (found[k].chance <= kFalseDiscoveries * static_cast<double>(k + 1) / tested) kept = k + 1;
  found.resize(kept);
  const auto order = [](const Difference& d) {
    return std::tuple(place_in_list(d.kind), -std::min(d.beyond, kFarBeyond),
                      causal::naming_priority(d.feature));
  };
  std::stable_sort(found.begin(), found.end(),
                   [&](const auto& a, const auto& b) { return order(a) < order(b); });
  if (found.size() > kMaxListed) found.resize(kMaxListed);
  contrast.differences = std::move(found);
}

} // namespace jitterscope::analysis
