#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <numeric>

#include "core/causal/attribution/term_fit.h"
#include "core/causal/base/bootstrap.h"
#include "core/causal/base/random.h"

// What follows the search: scales of the terms, variances, deviations from the model's form, resamples.

namespace jitterscope::causal {
namespace {

constexpr std::size_t kMinForNoise = 20, kMinForSpread = 10;
constexpr int kMaxRounds = 12;
constexpr double kSettled = 0.005; ///< largest change of a response at convergence
constexpr int kSpreadRounds = 3;
constexpr double kMedianToVariance = 2.198; ///< of squares: χ²₁ has the median 0.455
constexpr double kOutlying = 16;            ///< times the typical variance
constexpr std::size_t kMoment = 64;         ///< launches, about as many as in a bin of a session
/// Of the base duration: a moment that changes by less is as at the reference, one that changes by more shows
/// what its terms miss.
constexpr double kUnchanged = 0.01, kChanged = 0.05;

} // namespace

void TermFit::fit_variances(LaunchFit& fit) const {
  const std::size_t groups = rows_.typical_ns.size();
  std::vector<std::vector<double>> at_reference(groups), elsewhere(groups);
  std::vector<double> all;
  std::vector<double> rest(rows_.rows());
  for (std::size_t i = 0; i < rows_.rows(); ++i) {
    if (!used_[i]) continue;
    rest[i] = rows_.duration_ns[i] - prediction(i, state_).duration;
    bool reference = true;
    for (std::size_t t = 0; t < terms_.size() && reference; ++t) {
      const double c = std::fabs(state_.change[t][i]) /
                       (state_.scale[t] == FitTerm::Scale::added ? state_.base[rows_.peers[i]] : 1.0);
      reference = c < 0.02;
    }
    const double relative = rest[i] / state_.base[rows_.peers[i]];
    (reference ? at_reference : elsewhere)[rows_.peers[i]].push_back(relative * relative);
    if (reference) all.push_back(relative * relative);
  }
  if (stop()) return;
  const double common = std::max(1e-8, clipped_mean(all));
  fit.noise.assign(groups, common);
  std::vector<double> sizes = all;
  const auto typical_of = [](std::vector<double>& squares) {
    return std::max(1e-8, kMedianToVariance * median(squares));
  };
  fit.typical_noise.assign(groups, std::min(common, typical_of(sizes)));
  double outliers = 0;
  for (std::size_t g = 0; g < groups && !stop(); ++g) {
    sizes = at_reference[g];
    // Launches that always meet a cause do not show which part of their scatter is due to it: all of it
    // counts as noise.
    const bool known = sizes.size() >= kMinForNoise;
    if (!known) sizes.insert(sizes.end(), elsewhere[g].begin(), elsewhere[g].end());
    if (sizes.size() >= kMinForNoise) {
      fit.noise[g] = std::max(known ? 1e-8 : common, clipped_mean(sizes));
      fit.typical_noise[g] = std::min(fit.noise[g], typical_of(sizes));
    }
    for (const double square : at_reference[g]) outliers += square > kOutlying * fit.typical_noise[g];
  }
  if (stop()) return;
  if (!all.empty()) fit.outliers = outliers / static_cast<double>(all.size());
  for (auto& term : fit.terms) term.spread.assign(term.level.size(), 0.0);
  for (int round = 0; round < kSpreadRounds; ++round)
    for (std::size_t t = 0; t < terms_.size(); ++t) fit_spread(t, rest, fit);
}

// Variance of a launch that a term's spread accounts for, ns².
double TermFit::spread_of(std::size_t t, std::size_t row, const FitTerm& term) const {
  const auto c = class_[feature_of_term_[t]][row];
  const double unit = term.response[rows_.kernel[row]] *
                      (term.scale == FitTerm::Scale::added ? 1.0 : state_.base[rows_.peers[row]]);
  return c < term.spread.size() ? term.spread[c] * unit * unit : 0.0;
}

// Variances of terms are additive: the variances of the other terms are subtracted.
void TermFit::fit_spread(std::size_t t, const std::vector<double>& rest, LaunchFit& fit) const {
  if (stop()) return;
  std::vector<std::vector<double>> beyond(fit.terms[t].level.size());
  for (std::size_t i = 0; i < rows_.rows(); ++i) {
    const auto c = class_[feature_of_term_[t]][i];
    const double response = fit.terms[t].response[rows_.kernel[i]];
    if (!used_[i] || c >= beyond.size() || response < 0.2) continue;
    const double base = state_.base[rows_.peers[i]],
                 unit = response * (fit.terms[t].scale == FitTerm::Scale::added ? 1.0 : base);
    double others = fit.noise[rows_.peers[i]] * base * base;
    for (std::size_t other = 0; other < terms_.size(); ++other)
      if (other != t) others += spread_of(other, i, fit.terms[other]);
    beyond[c].push_back((rest[i] * rest[i] - others) / (unit * unit));
  }
  std::vector<std::size_t> at_reference(beyond.size());
  for (std::size_t i = 0; i < rows_.rows(); ++i)
    if (const auto c = fit.terms[t].classes.of(fit.terms[t].reference[rows_.peers[i]]);
        used_[i] && c < at_reference.size())
      ++at_reference[c];
  const auto typical = static_cast<std::size_t>(std::max_element(at_reference.begin(), at_reference.end()) -
                                                at_reference.begin());
  for (std::size_t c = 0; c < beyond.size(); ++c) {
    if (c != typical && beyond[c].size() >= kMinForSpread)
      fit.terms[t].spread[c] = std::max(0.0, clipped_mean(beyond[c]));
  }
}

// Iterates levels, bases and responses until they converge, which takes more rounds than the search runs for
// each candidate.
void TermFit::settle(State& state) const {
  for (int round = 0; round < kMaxRounds && !stop() && !terms_.empty(); ++round) {
    const auto before = state.response;
    fit_with_responses(state, {});
    double moved = 0;
    for (std::size_t t = 0; t < terms_.size(); ++t)
      for (std::size_t k = 0; k < before[t].size(); ++k)
        moved = std::max(moved, std::fabs(state.response[t][k] - before[t][k]));
    if (moved < kSettled) break;
  }
}

// The fit with other scales of the terms: changes that multiply or add up, and stalls. A single factor among
// relative changes equals a relative change. The best comes first.
std::vector<TermFit::State> TermFit::forms() const {
  using Scale = FitTerm::Scale;
  std::vector<std::vector<Scale>> scales;
  const auto propose = [&](std::vector<Scale> proposed) {
    const auto factors = std::count(proposed.begin(), proposed.end(), Scale::factor),
               relative = std::count(proposed.begin(), proposed.end(), Scale::relative);
    if (factors == 1 && relative > 0)
      std::replace(proposed.begin(), proposed.end(), Scale::factor, Scale::relative);
    else if (factors == 0 && relative == 1)
      std::replace(proposed.begin(), proposed.end(), Scale::relative, Scale::factor);
    if (std::find(scales.begin(), scales.end(), proposed) == scales.end())
      scales.push_back(std::move(proposed));
  };
  propose(state_.scale);
  for (const auto& [from, to] :
       {std::pair(Scale::factor, Scale::relative), std::pair(Scale::relative, Scale::factor)}) {
    auto proposed = state_.scale;
    std::replace(proposed.begin(), proposed.end(), from, to);
    propose(std::move(proposed));
  }
  for (std::size_t t = 0; t < terms_.size(); ++t)
    for (const auto scale : {Scale::factor, Scale::relative, Scale::added}) {
      auto proposed = state_.scale;
      proposed[t] = scale;
      propose(std::move(proposed));
    }
  std::vector<std::pair<double, State>> found;
  for (const auto& of : scales) {
    State state = state_;
    state.scale = of;
    settle(state);
    const double now = loss(logarithms(state, kNoTerm));
    found.emplace_back(now, std::move(state));
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<State> states;
  for (auto& [now, state] : found) states.push_back(std::move(state));
  return states;
}

std::vector<double> TermFit::loss_of_blocks(const State& state) const {
  std::vector<double> sum(rows_.blocks);
  const auto y = logarithms(state, kNoTerm);
  for (std::size_t i = 0; i < y.size(); ++i) sum[rows_.block[i]] += y[i] * y[i];
  return sum;
}

// Deviation of single peers from the term's prediction for their kernel, as a standard deviation relative to
// the prediction: what a common curve cannot fit. Beyond chance only (DerSimonian, Laird 1986).
double TermFit::misfit(std::size_t t, const std::vector<double>& rest) const {
  struct Sums {
    double xx = 0, xy = 0, yy = 0, n = 0;
  };
  std::vector<Sums> sums(state_.base.size());
  for (std::size_t i = 0; i < rows_.rows() && !stop(); ++i) {
    if (!used_[i]) continue;
    const double x = state_.change[t][i] * unit_of(t, i, state_, prediction(i, state_, t));
    if (x == 0) continue;
    auto& s = sums[rows_.peers[i]];
    s.xx += x * x, s.xy += x * rest[i], s.yy += rest[i] * rest[i], s.n += 1;
  }
  double weights = 0, squares = 0, known = 0, mean = 0, between = 0;
  const auto weight = [](const Sums& s) {
    return s.xx * s.n / std::max(1e-9 * s.xx, s.yy - s.xy * s.xy / s.xx);
  };
  for (const auto& s : sums) {
    if (s.n < static_cast<double>(kMinForNoise)) continue;
    const double w = weight(s);
    weights += w, squares += w * w, mean += w * s.xy / s.xx, known += 1;
  }
  if (known < 2) return 0;
  mean /= weights;
  for (const auto& s : sums)
    if (s.n >= static_cast<double>(kMinForNoise))
      between += weight(s) * (s.xy / s.xx - mean) * (s.xy / s.xx - mean);
  return std::sqrt(mean * mean + std::max(0.0, (between - (known - 1)) / (weights - squares / weights)));
}

// Rests of moments of kMoment launches, without the share that LaunchFit::parts gives to the terms, against
// the parts of the terms: variance beyond that of independent launches, in moments of which one term accounts
// for most of the change. Where moments without a change vary more than independent launches, that is
// subtracted, too.
std::vector<double> TermFit::misfit_of_moments(const LaunchFit& fit, const std::vector<double>& rest) const {
  struct Moment {
    double rest = 0, variance = 0, base = 0, change = 0;
    std::vector<double> part;
  };
  std::vector<Moment> moments;
  std::size_t used = 0;
  for (std::size_t i = 0; i < rows_.rows(); ++i) {
    if (stop()) return std::vector<double>(terms_.size()); // the variances may be incomplete
    if (!used_[i]) continue;
    if (used++ % kMoment == 0) moments.emplace_back().part.resize(terms_.size());
    Moment& moment = moments.back();
    const double base = state_.base[rows_.peers[i]];
    const double noise = fit.noise[rows_.peers[i]] * base * base;
    double of_terms = 0;
    for (std::size_t t = 0; t < terms_.size(); ++t) {
      moment.part[t] += state_.change[t][i] * unit_of(t, i, state_, prediction(i, state_, t));
      of_terms += spread_of(t, i, fit.terms[t]);
    }
    const double left = noise / (noise + of_terms);
    moment.base += base, moment.rest += left * rest[i], moment.variance += left * noise;
  }
  std::vector<double> squares;
  for (Moment& moment : moments) {
    for (const double part : moment.part) moment.change += std::fabs(part);
    if (moment.change < kUnchanged * moment.base && moment.variance > 0)
      squares.push_back(moment.rest * moment.rest / moment.variance);
  }
  const double together =
      squares.size() < kMinForNoise ? 1.0 : std::max(1.0, kMedianToVariance * median(squares));
  std::vector<double> misfits;
  for (std::size_t t = 0; t < terms_.size(); ++t) {
    double beyond = 0, parts = 0;
    for (const Moment& moment : moments) {
      const double part = moment.part[t];
      if (moment.change < kChanged * moment.base || 2 * std::fabs(part) < moment.change) continue;
      beyond += moment.rest * moment.rest - together * moment.variance, parts += part * part;
    }
    misfits.push_back(parts > 0 ? std::sqrt(std::max(0.0, beyond / parts)) : 0.0);
  }
  return misfits;
}

Expected<LaunchFit> TermFit::finish(const FitOptions& options, Communicator& communicator) {
  const auto candidates = forms();
  state_ = candidates.front();
  LaunchFit fit;
  if (getenv("DEBUG_FIT") && communicator.rank() == 0) {
    for (const auto& c : candidates) {
      std::fprintf(stderr, "form loss %.4f:", loss(logarithms(c, kNoTerm)));
      for (auto s : c.scale) std::fprintf(stderr, " %d", int(s));
      std::fprintf(stderr, "\n");
    }
    for (std::size_t t = 0; t < terms_.size(); ++t) {
      std::fprintf(stderr, "%s scale %d\n c:", terms_[t].feature.name.c_str(), int(state_.scale[t]));
      for (double v : terms_[t].centre) std::fprintf(stderr, " %.5g", v);
      std::fprintf(stderr, "\n l:");
      for (double v : state_.level[t]) std::fprintf(stderr, " %.4g", v);
      std::fprintf(stderr, "\n r:");
      for (double v : state_.response[t]) std::fprintf(stderr, " %.3g", v);
      std::fprintf(stderr, "\n");
    }
  }
  fit.fitted_rows = static_cast<std::size_t>(std::count(used_.begin(), used_.end(), 1));
  fit.terms = terms_;
  for (std::size_t t = 0; t < terms_.size(); ++t)
    fit.terms[t].scale = state_.scale[t], fit.terms[t].level = state_.level[t],
    fit.terms[t].response = state_.response[t];
  fit.base_ns = state_.base;
  fit_variances(fit);
  for (const auto feature : rows_.parts) {
    FitTerm term;
    term.feature = rows_.features[feature], term.classes = classes_[feature],
    term.scale = FitTerm::Scale::part;
    term.response.assign(rows_.kernels, 1.0), term.reference.assign(rows_.typical_ns.size(), 0.0);
    fit.terms.push_back(std::move(term));
  }
  if (fit.terms.empty()) return fit;
  std::vector<double> rest(rows_.rows());
  for (std::size_t i = 0; i < rest.size(); ++i)
    if (used_[i]) rest[i] = rows_.duration_ns[i] - prediction(i, state_).duration;
  std::vector<double> misfits;
  for (std::size_t t = 0; t < terms_.size(); ++t) misfits.push_back(misfit(t, rest));
  fit.misfit_of_moments = misfit_of_moments(fit, rest);
  fit.misfit_of_moments.resize(fit.terms.size());
  std::vector<std::vector<double>> losses;
  for (const auto& state : candidates) losses.push_back(loss_of_blocks(state));
  // A resample takes the form that fits it best: forms that fit equally well take turns.
  const auto form_of = [&](const std::vector<double>& weight) {
    std::vector<double> sum;
    for (const auto& loss : losses)
      sum.push_back(std::inner_product(loss.begin(), loss.end(), weight.begin(), 0.0));
    return static_cast<std::size_t>(std::min_element(sum.begin(), sum.end()) - sum.begin());
  };
  const auto values = run_replicates(
      options.replicates, values_of(state_, {}).size() + rows_.blocks,
      [&](int r) {
        Random random(options.seed, static_cast<std::uint64_t>(r));
        std::vector<double> weight(rows_.blocks, 0.0);
        for (std::uint32_t b = 0; b < rows_.blocks; ++b) weight[random.below(rows_.blocks)] += 1;
        State state = candidates[form_of(weight)];
        fit_with_responses(state, weight);
        for (std::size_t t = 0; t < terms_.size(); ++t)
          for (double& response : state.response[t])
            response *= std::max(0.0, 1 + misfits[t] * random.normal());
        return values_of(state, weight);
      },
      communicator, job_);
  if (!values) return forward(values.error());
  for (const auto& of : *values) fit.replicates.push_back(replicate_of(of));
  return fit;
}

/// Scales, levels, bases and responses, and the weights of the blocks, one after the other.
std::vector<double> TermFit::values_of(const State& state, const std::vector<double>& block_weight) const {
  std::vector<double> values;
  const auto append = [&](const std::vector<double>& of) {
    values.insert(values.end(), of.begin(), of.end());
  };
  for (const auto scale : state.scale) values.push_back(static_cast<double>(scale));
  for (const auto& level : state.level) append(level);
  append(state.base);
  for (const auto& response : state.response) append(response);
  append(block_weight);
  return values;
}

FitReplicate TermFit::replicate_of(const std::vector<double>& values) const {
  auto at = values.begin();
  const auto next = [&](std::size_t count) {
    const auto first = at;
    at += static_cast<std::ptrdiff_t>(count);
    return std::vector<double>(first, at);
  };
  FitReplicate replicate;
  for (const double scale : next(state_.scale.size()))
    replicate.scale.push_back(static_cast<FitTerm::Scale>(static_cast<int>(scale)));
  for (const auto& level : state_.level) replicate.level.push_back(next(level.size()));
  replicate.base_ns = next(state_.base.size());
  for (const auto& response : state_.response) replicate.response.push_back(next(response.size()));
  for (const double weight : next(rows_.blocks)) replicate.drawn.push_back(weight > 0);
  return replicate;
}

} // namespace jitterscope::causal
