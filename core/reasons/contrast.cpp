#include "core/reasons/contrast.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <unordered_set>

#include "core/base/stratified_sample.h"
#include "core/causal/base/wording.h"

namespace jitterscope::analysis {
namespace {

constexpr double kNormal95 = 1.96;
constexpr double kAffected =
    0.02; ///< minimum change of an affected launch, as a fraction of the base duration
/// Launches of the sample, and of the selection, for which replicates are evaluated: for their spread, a
/// sample suffices.
constexpr std::int64_t kRowsForShifts = 32'768;
/// Minimum replicates fitted without the blocks of the selection; otherwise all replicates are used.
constexpr std::size_t kMinReplicates = 8;

// Half-width of the 95 % interval for the sum of two variances: one estimated with this many degrees of
// freedom and one known. Student's quantile with the degrees of freedom of the sum (Satterthwaite 1946),
// expanded about the normal quantile (Abramowitz, Stegun 26.7.5).
double half_width(double estimated, double degrees, double known) {
  const double sum = estimated + known;
  if (!(sum > 0)) return 0;
  const double inverse = degrees > 0 ? estimated * estimated / (sum * sum * degrees) : 0;
  constexpr double z = kNormal95, z3 = z * z * z;
  const double quantile =
      z + (z3 + z) / 4 * inverse + (5 * z3 * z * z + 16 * z3 + 3 * z) / 96 * inverse * inverse;
  return quantile * std::sqrt(sum);
}
/// Maximum deviation of the difference from the different work, as a fraction of the work.
constexpr double kMaxLeadingShare = 0.5;
constexpr double kMinPerPlace = 3; ///< minimum launches of a call site elsewhere, to estimate its work
constexpr double kMinPart = 0.1;   ///< fraction of the excess: smaller parts are not named as reasons

constexpr std::size_t kRowsBetweenPolls = 4'096;

std::string category_of(const causal::FeatureInfo& feature, double value) {
  const auto code = static_cast<std::size_t>(std::max(0.0, value));
  return code < feature.labels.size() ? feature.labels[code] : std::string("other");
}

} // namespace

const Reason* Contrast::leading() const {
  if (!clear()) return nullptr;
  const auto found = std::ranges::find_if(reasons, [&](const Reason& reason) {
    const bool sure = excess_ns > 0 ? reason.low_ns > 0 : reason.high_ns < 0;
    return sure && reason.excess_ns / excess_ns >= kMinPart;
  });
  return found == reasons.end() ? nullptr : &*found;
}

const Difference* Contrast::first_of(Difference::Kind kind) const {
  const auto found = std::ranges::find(differences, kind, &Difference::kind);
  return found == differences.end() ? nullptr : &*found;
}

bool Contrast::of_work() const {
  return std::fabs(work.ns) > kMinPart * work.expected_ns &&
         std::fabs(work.difference_ns - work.ns) < kMaxLeadingShare * std::fabs(work.ns);
}

Contrasts::Contrasts(const LaunchReasons& reasons, const Job& job,
                     const std::function<bool(std::int64_t)>& against)
    : reasons_(reasons) {
  const auto& fit = reasons.fit();
  const auto& sample = reasons.sample();
  const auto& known = reasons.sampled();
  const std::size_t n = known.launches.size(), terms = fit.terms.size(), groups = sample.typical_ns.size();
  constexpr std::size_t kLaunchesBetweenChecks = 16'384;
  part_.reserve(n * terms), peer_.resize(n);
  by_peers_.assign(groups, Sums{0, 0, 0, std::vector<double>(terms)});
  for (std::size_t i = 0; i < n; ++i) {
    if (i % kLaunchesBetweenChecks == 0) { // allocating all launches at once would delay cancellation
      if (job.cancelled()) return;
      part_.resize(std::min(n, i + kLaunchesBetweenChecks) * terms);
    }
    const auto& launch = known.launches[i];
    if (!(launch.duration_ns > 0)) continue;
    if (fit.has(launch.peers))
      fit.parts(known.of(i), launch.peers, sample.kernel[i], launch.duration_ns,
                {part_.data() + i * terms, terms});
    peer_[i] = !against || against(launch.row);
    if (peer_[i]) add(by_peers_[launch.peers], i, 1);
  }
  peer_values_ = PeerValues(reasons, peer_, job);
  totals_known_ = !against && !reasons.totals().empty();
  from_ = against                       ? Contrast::From::filter
          : reasons.sampled_share() < 1 ? Contrast::From::sample
                                        : Contrast::From::all;
  slope_.resize(groups * terms);
  if (totals_known_) fit_slopes();
  if (terms == 0) return;
  const auto few = stratified_sample(static_cast<std::int64_t>(n), kRowsForShifts);
  std::vector<double> part(terms);
  for (const auto& replicate : fit.replicates) {
    if (job.cancelled()) return;
    auto& shift = shift_.emplace_back(groups * terms);
    std::vector<double> count(groups);
    for (const auto row : few) {
      const auto i = static_cast<std::size_t>(row);
      const auto& launch = known.launches[i];
      if (!peer_[i] || !fit.has(launch.peers)) continue;
      fit.parts(known.of(i), launch.peers, sample.kernel[i], launch.duration_ns, part, &replicate);
      count[launch.peers] += 1;
      for (std::size_t t = 0; t < terms; ++t)
        shift[launch.peers * terms + t] += part[t] - part_[i * terms + t];
    }
    for (std::size_t g = 0; g < groups; ++g)
      for (std::size_t t = 0; t < terms; ++t) shift[g * terms + t] /= std::max(count[g], 1.0);
  }
}

void Contrasts::fit_slopes() {
  const auto& launches = reasons_.sampled().launches;
  const std::size_t terms = reasons_.fit().terms.size();
  std::vector<double> squares(by_peers_.size());
  for (std::size_t i = 0; i < launches.size(); ++i) {
    if (!peer_[i] || !(launches[i].duration_ns > 0)) continue;
    const auto g = launches[i].peers;
    const double deviation = launches[i].duration_ns - by_peers_[g].duration / by_peers_[g].n;
    squares[g] += deviation * deviation;
    for (std::size_t t = 0; t < terms; ++t) slope_[g * terms + t] += deviation * part_[i * terms + t];
  }
  for (std::size_t g = 0; g < squares.size(); ++g)
    for (std::size_t t = 0; t < terms; ++t)
      slope_[g * terms + t] = squares[g] > 0 ? slope_[g * terms + t] / squares[g] : 0.0;
}

std::vector<Contrasts::Means> Contrasts::means_of(const std::vector<Sums>& peers,
                                                  const std::vector<Sums>& selected, double share) const {
  const std::size_t terms = reasons_.fit().terms.size();
  std::vector<Means> means(peers.size());
  for (std::size_t g = 0; g < peers.size(); ++g) {
    if (!(peers[g].n > 0)) continue;
    const double of_sample = peers[g].duration / peers[g].n;
    Means& mean = means[g] = {peers[g].n, of_sample, peers[g].parts};
    if (totals_known_) {
      const auto& total = reasons_.totals()[g];
      const double n = static_cast<double>(total.launches) - selected[g].n / share;
      if (n >= mean.n)
        mean.n = n,
        mean.duration = (static_cast<double>(total.duration_ns) - selected[g].duration / share) / n;
    }
    for (std::size_t t = 0; t < terms; ++t)
      mean.parts[t] = mean.parts[t] / peers[g].n + slope_[g * terms + t] * (mean.duration - of_sample);
  }
  return means;
}

void Contrasts::add(Sums& sums, std::size_t sampled, double sign) const {
  const std::size_t terms = reasons_.fit().terms.size();
  sums.n += sign, sums.duration += sign * reasons_.sampled().launches[sampled].duration_ns;
  sums.work += sign * reasons_.sample().duration_ns[sampled];
  for (std::size_t t = 0; t < terms; ++t) sums.parts[t] += sign * part_[sampled * terms + t];
}

// The runs of the sample are one random run of each of equal strata: variance by successive differences of
// the runs' totals, with the fraction of the launches that is not sampled (Wolter 2007, "Introduction to
// Variance Estimation", 8.2).
std::vector<double> Contrasts::sampling_variances(const std::vector<Sums>& peers,
                                                  std::span<const double> selected,
                                                  std::span<const std::uint8_t> outside) const {
  const std::size_t terms = reasons_.fit().terms.size();
  std::vector<double> variance(terms + 1), of_run(terms + 1), before(terms + 1);
  const double missing = 1 - reasons_.sampled_share();
  if (!(missing > 0)) return variance;
  const auto& launches = reasons_.sampled().launches;
  for (std::size_t i = 0; i < launches.size(); ++i) {
    const auto& launch = launches[i];
    if (outside[i] && selected[launch.peers] > 0) {
      const Sums& p = peers[launch.peers];
      const double weight = selected[launch.peers] / p.n;
      const double longer = launch.duration_ns - p.duration / p.n;
      for (std::size_t t = 0; t < terms; ++t) {
        const double deviation =
            weight * (part_[i * terms + t] - p.parts[t] / p.n - slope_[launch.peers * terms + t] * longer);
        of_run[t] += deviation, of_run[terms] += deviation;
      }
    }
    if (i + 1 < launches.size() && reasons_.run_of(launches[i + 1].row) == reasons_.run_of(launch.row))
      continue;
    for (std::size_t t = 0; t <= terms; ++t) {
      const double change = of_run[t] - before[t];
      variance[t] += missing * change * change / 2;
    }
    before.swap(of_run);
    std::fill(of_run.begin(), of_run.end(), 0.0);
  }
  return variance;
}

DifferentWork Contrasts::different_work(const std::vector<Sums>& peers,
                                        const std::vector<Sums>& selected) const {
  DifferentWork work;
  const auto& fit = reasons_.fit();
  const auto* sites = reasons_.call_sites();
  if (!sites || !sites->any_several()) return work;
  struct Of {
    double n = 0, work = 0, duration = 0, selected = 0, ns = 0, variance = 0;
  };
  std::vector<Of> of_configuration(reasons_.session().configurations().size());
  const auto known = [&](std::size_t p) { return peers[p].n >= kMinPerPlace; };
  for (std::uint32_t p = 0; p < peers.size(); ++p) {
    auto& configuration = of_configuration[reasons_.configuration_of(p)];
    if (known(p))
      configuration.n += peers[p].n, configuration.work += peers[p].work,
          configuration.duration += peers[p].duration;
  }
  for (std::uint32_t p = 0; p < peers.size(); ++p) {
    auto& configuration = of_configuration[reasons_.configuration_of(p)];
    if (!known(p)) continue;
    const double mean = configuration.work / configuration.n;
    work.expected_ns += selected[p].n * mean,
        configuration.ns += selected[p].n * (peers[p].work / peers[p].n - mean),
        configuration.selected += selected[p].n;
    work.difference_ns += selected[p].duration - selected[p].n * configuration.duration / configuration.n;
    if (fit.has(p))
      configuration.variance +=
          fit.noise[p] * fit.base_ns[p] * fit.base_ns[p] * selected[p].n * selected[p].n / peers[p].n;
  }
  std::uint32_t maximum = 0;
  double variance = 0;
  for (std::uint32_t c = 0; c < of_configuration.size(); ++c) {
    work.ns += of_configuration[c].ns, variance += of_configuration[c].variance;
    if (std::fabs(of_configuration[c].ns) > std::fabs(of_configuration[maximum].ns)) maximum = c;
  }
  work.error_ns = std::sqrt(variance);
  const auto& of_largest = of_configuration[maximum];
  if (of_largest.selected > 0)
    work.elsewhere_ns = of_largest.work / of_largest.n,
    work.here_ns = work.elsewhere_ns + of_largest.ns / of_largest.selected;
  work.kernel = sites->all()[maximum].text;
  for (const auto& site : sites->all())
    if (site.configuration == maximum && !std::isnan(site.typical_ns))
      work.typical_ns.push_back(site.typical_ns);
  return work;
}

Contrast Contrasts::of(const FittedLaunches& launches, std::span<const std::size_t> chosen,
                       const std::function<bool(std::int64_t)>& inside, const Job& job) const {
  const auto& fit = reasons_.fit();
  const auto& sample = reasons_.sample();
  const auto& known = reasons_.sampled();
  const std::size_t terms = fit.terms.size();
  std::vector<Sums> peers = by_peers_;
  std::vector<std::size_t> excluded;
  std::vector<std::uint8_t> outside = peer_;
  for (std::size_t i = 0; i < known.launches.size(); ++i) {
    if (i % kRowsBetweenPolls == 0 && job.cancelled()) return {};
    if (!peer_[i] || !inside(known.launches[i].row)) continue;
    add(peers[known.launches[i].peers], i, -1);
    outside[i] = 0, excluded.push_back(i);
  }
  const auto kernel_of = [&](std::uint32_t g) { return reasons_.kernel_of(g); };

  Contrast answer;
  answer.from = from_;
  if (launches.share < 1) answer.selected = std::llround(static_cast<double>(chosen.size()) / launches.share);
  std::vector<double> part, total(terms), rest_variance(terms), with_part(terms), here(terms),
      of_peers(terms);
  std::vector<double> selected(peers.size());
  std::vector<Sums> present(peers.size());
  std::vector<std::uint8_t> blocks(sample.blocks), took(chosen.size());
  part.reserve(chosen.size() * terms);
  for (const auto c : chosen)
    if (const auto& launch = launches.launches[c]; launch.duration_ns > 0)
      present[launch.peers].n += 1, present[launch.peers].duration += launch.duration_ns;
  const auto means = means_of(peers, present, launches.share);
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    if (k % kRowsBetweenPolls == 0) {
      if (job.cancelled()) return {};
      part.resize(std::min(chosen.size(), k + kRowsBetweenPolls) * terms);
    }
    const auto& launch = launches.launches[chosen[k]];
    const Means& elsewhere = means[launch.peers];
    if (!(launch.duration_ns > 0) || !fit.has(launch.peers) ||
        peers[launch.peers].n < static_cast<double>(LaunchReasons::kMinPeers)) {
      ++(launches.launches[chosen[k]].duration_ns > 0 ? answer.left_out : answer.without_duration);
      answer.left_out_ns += std::max(launch.duration_ns, 0.0);
      for (std::size_t t = 0; t < terms; ++t)
        if (const double value = launches.of(chosen[k])[t];
            fit.terms[t].scale == causal::FitTerm::Scale::part && value > 0)
          answer.left_out_waiting_ns += value;
      continue;
    }
    took[k] = 1;
    const std::span<double> own{part.data() + k * terms, terms};
    const double missed =
        fit.parts(launches.of(chosen[k]), launch.peers, kernel_of(launch.peers), launch.duration_ns, own);
    ++answer.launches, selected[launch.peers] += 1, blocks[reasons_.block_of(launch.start_ns)] = 1;
    answer.excess_ns += launch.duration_ns - elsewhere.duration, answer.expected_ns += elsewhere.duration;
    for (std::size_t t = 0; t < terms; ++t) {
      total[t] += own[t] - elsewhere.parts[t];
      if (fit.terms[t].scale != causal::FitTerm::Scale::part)
        rest_variance[t] += missed * missed;
      else if (own[t] > 0 || elsewhere.parts[t] > 0)
        with_part[t] += 1, here[t] += own[t], of_peers[t] += elsewhere.parts[t];
    }
  }
  answer.work = different_work(peers, present);
  if (answer.launches == 0) return answer;
  const auto of_sample = sampling_variances(peers, selected, outside);
  double variance = totals_known_ ? 0.0 : of_sample.back();
  for (std::size_t g = 0; g < peers.size(); ++g) {
    if (selected[g] == 0) continue;
    answer.peers += static_cast<std::int64_t>(peers[g].n);
    const double base = fit.base_ns[g];
    variance += fit.noise[g] * base * base * selected[g] * (1 + selected[g] / means[g].n);
  }
  answer.excess_low_ns = answer.excess_ns - kNormal95 * std::sqrt(variance);
  answer.excess_high_ns = answer.excess_ns + kNormal95 * std::sqrt(variance);

  // Uses replicates fitted without the selection's own blocks, if there are enough.
  std::vector<std::size_t> replicates;
  for (std::size_t r = 0; r < fit.replicates.size(); ++r) {
    bool drawn = false;
    for (std::size_t b = 0; b < blocks.size() && !drawn; ++b) drawn = blocks[b] && fit.replicates[r].drawn[b];
    if (!drawn) replicates.push_back(r);
  }
  const bool apart = replicates.size() >= kMinReplicates;
  if (!apart) {
    replicates.resize(fit.replicates.size());
    std::iota(replicates.begin(), replicates.end(), std::size_t{0});
  }
  const auto few = stratified_sample(static_cast<std::int64_t>(chosen.size()), kRowsForShifts);
  const double weight = static_cast<double>(chosen.size()) / static_cast<double>(few.size());
  std::vector<double> mean(terms), square(terms), of_replicate(terms), row_part(terms);
  for (const std::size_t r : replicates) {
    if (job.cancelled()) return {};
    of_replicate = total;
    for (const auto place : few) {
      const auto k = static_cast<std::size_t>(place);
      if (!took[k]) continue;
      const auto& launch = launches.launches[chosen[k]];
      fit.parts(launches.of(chosen[k]), launch.peers, kernel_of(launch.peers), launch.duration_ns, row_part,
                &fit.replicates[r]);
      for (std::size_t t = 0; t < terms; ++t)
        of_replicate[t] += weight * (row_part[t] - part[k * terms + t] - shift_[r][launch.peers * terms + t]);
    }
    for (std::size_t t = 0; t < terms; ++t)
      mean[t] += of_replicate[t], square[t] += of_replicate[t] * of_replicate[t];
  }
  answer.rest_ns = answer.excess_ns;
  for (std::size_t t = 0; t < terms; ++t) {
    if (job.cancelled()) return {};
    Reason reason = describe(t, launches, chosen, part, means, took, excluded, selected);
    if (with_part[t] > 0) {
      reason.here = here[t] / with_part[t], reason.elsewhere = of_peers[t] / with_part[t];
      std::tie(reason.here_text, reason.elsewhere_text) =
          causal::values_in_words(reason.here, reason.elsewhere, reason.unit);
    }
    const auto n = static_cast<double>(replicates.size());
    reason.excess_ns = apart ? mean[t] / n : total[t];
    const double spread = n > 1 ? std::max(0.0, (square[t] - mean[t] * mean[t] / n) / (n - 1)) : 0.0;
    const double form = fit.misfit_of_moments[t] * total[t];
    const double half = half_width(spread, n - 1, rest_variance[t] + form * form + of_sample[t]);
    reason.low_ns = reason.excess_ns - half, reason.high_ns = reason.excess_ns + half;
    answer.rest_ns -= reason.excess_ns;
    answer.reasons.push_back(std::move(reason));
  }
  const double direction = answer.excess_ns < 0 ? -1 : 1;
  std::stable_sort(answer.reasons.begin(), answer.reasons.end(), [&](const Reason& a, const Reason& b) {
    return direction * a.excess_ns > direction * b.excess_ns;
  });
  return answer;
}

Reason Contrasts::describe(std::size_t t, const FittedLaunches& launches, std::span<const std::size_t> chosen,
                           const std::vector<double>& part, const std::vector<Means>& means,
                           std::span<const std::uint8_t> compared, std::span<const std::size_t> excluded,
                           std::span<const double> selected) const {
  const auto& fit = reasons_.fit();
  const auto& term = fit.terms[t];
  const std::size_t terms = fit.terms.size();
  Reason reason;
  reason.feature = term.feature.name, reason.label = causal::words_for(term.feature.name);
  const bool amount = term.scale == causal::FitTerm::Scale::part;
  reason.role = term.classes.category()                ? causal::FeatureRole::category
                : term.classes.zero_apart() && !amount ? causal::FeatureRole::event
                                                       : causal::FeatureRole::numeric;
  const bool event = reason.role == causal::FeatureRole::event;
  reason.unit = event ? "%" : term.feature.unit;
  double total = 0, of_peers = 0, weight = 0, sum = 0, with = 0, n = 0;
  std::vector<double> of_class(term.level.size());
  const auto for_each = [&](const auto& use) {
    for (std::size_t k = 0; k < chosen.size(); ++k)
      if (const double value = launches.of(chosen[k])[t]; compared[k] && !std::isnan(value)) {
        const FittedLaunch& launch = launches.launches[chosen[k]];
        use(launch, value, part[k * terms + t] - means[launch.peers].parts[t]);
      }
  };
  for_each([&](const FittedLaunch& launch, double value, double by) {
    total += by, of_peers += means[launch.peers].parts[t];
    n += 1, with += value != 0;
    if (const auto c = term.classes.of(value); c < of_class.size()) of_class[c] += by;
  });
  if (n == 0) return reason;
  const double direction = total < 0 ? -1 : 1;
  double maximum = 0;
  for_each([&](const FittedLaunch& launch, double value, double by) {
    const double acts = std::max(direction * by, 0.0); // values that act in the other direction would mislead
    weight += acts, sum += acts * value;
    if (event && with > 0 && value == 0) return; // acts on these only by its absence
    reason.launches += direction * by > kAffected * fit.base_ns[launch.peers];
    if (direction * by > maximum) maximum = direction * by, reason.example = launch.row;
  });
  // A mean, if the peers' values make the difference: most of them may have the same value as here.
  reason.elsewhere =
      reason.role == causal::FeatureRole::numeric && std::fabs(of_peers) > std::fabs(total + of_peers)
          ? peer_values_.mean(t, excluded, selected)
          : peer_values_.typical(t, reason.role, excluded, selected);
  const bool known_elsewhere = !std::isnan(reason.elsewhere);
  constexpr const char* kUnknown = "not recorded";
  if (event) {
    reason.here = 100 * with / n, reason.elsewhere *= 100;
    reason.here_text = causal::share_in_words(reason.here) + " of launches",
    reason.elsewhere_text = known_elsewhere ? causal::share_in_words(reason.elsewhere) : kUnknown;
  } else if (reason.role == causal::FeatureRole::category) {
    reason.here = static_cast<double>(
        std::ranges::max_element(of_class, {}, [&](double by) { return direction * by; }) - of_class.begin());
    reason.here_text = category_of(term.feature, reason.here),
    reason.elsewhere_text = known_elsewhere ? category_of(term.feature, reason.elsewhere) : kUnknown;
  } else {
    reason.here = weight > 0 ? sum / weight : 0;
    std::tie(reason.here_text, reason.elsewhere_text) =
        causal::values_in_words(reason.here, known_elsewhere ? reason.elsewhere : reason.here, reason.unit);
    if (!known_elsewhere) reason.elsewhere_text = kUnknown;
  }
  return reason;
}

} // namespace jitterscope::analysis
