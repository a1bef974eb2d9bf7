#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/base/parallel.h"
#include "core/causal/attribution/term_fit.h"
#include "core/causal/base/bootstrap.h"
#include "core/causal/base/random.h"

// Steps after the search: scales of the terms, variances, deviations from the model's form, resamples.

namespace jitterscope::causal {
namespace {

constexpr std::size_t kMinForNoise = 20, kMinForSpread = 10;
/// Largest change by a term of a launch at the reference; of one near it, whose scatter counts where too few
/// are at the reference.
constexpr double kAtReference = 0.02, kNearReference = 0.1;
constexpr int kMaxRounds = 12;
/// Rounds after which forms are compared, and the standard errors of the difference of losses, over blocks,
/// beyond which no resample will prefer the worse form.
constexpr std::pair<int, double> kScreenings[] = {{1, 16}, {3, 8}};
/// Limit of the ratio of a group's typical variance to that of most groups, as weights use it.
constexpr double kMostUnequal = 100;
/// Degrees of freedom of the distribution of Student's t that represents rests with outliers (Lange, Little,
/// Taylor 1989).
constexpr double kFreedomOfRests = 4;
/// Largest change of a response, and of a level relative to the largest one, at convergence.
constexpr double kSettled = 0.005;
constexpr int kSpreadRounds = 3;
constexpr double kMedianToVariance = 2.198; ///< variance / median of squares: χ²₁ has the median 0.455
constexpr double kOutlying = 16;    ///< squares above this multiple of the typical variance are outliers
constexpr std::size_t kMoment = 64; ///< maximum launches, about as many as in a bin of a session
/// Deviation of moments that cannot be seen in noise, but is there: levels of about 20 classes approximate a
/// curve to 0.1 % of the change (1/x over a factor of 2).
constexpr double kOfClasses = 0.001;
/// Standard deviations: a single launch that deviates by more is no deviation of its moment.
constexpr double kFarOut = 16;
/// Fractions of the base duration: a moment whose duration changes by less counts as unchanged; one that
/// changes by more shows what its terms miss.
constexpr double kUnchanged = 0.01, kChanged = 0.05;

/// Variance to add to the variances of values so that 90 % of the values are within their 90 % intervals, as
/// far as more than chance: few values that are exceptionally far out do not count. `values`: each with its
/// variance.
double variance_beyond(const std::vector<std::pair<double, double>>& values) {
  constexpr double kSquareOfNormal90 = 2.7055, kWithin = 0.90;
  if (values.empty()) return 0;
  std::vector<double> needed;
  for (const auto& [value, variance] : values) needed.push_back(value * value / kSquareOfNormal90 - variance);
  const auto n = static_cast<double>(needed.size());
  const double within =
      kWithin - std::sqrt(kWithin * (1 - kWithin) / n); // less the quantile's standard error
  const auto at = needed.begin() + static_cast<std::ptrdiff_t>(std::max(0.0, within) * (n - 1));
  std::nth_element(needed.begin(), at, needed.end());
  return std::max(0.0, *at);
}

double normal_loss(double square) {
  return square / 2;
}

double student_loss(double square) {
  return (kFreedomOfRests + 1) / 2 * std::log1p(square / kFreedomOfRests);
}

} // namespace

LaunchFit TermFit::fit_with_variances() const {
  LaunchFit fit;
  fit.fitted_rows = static_cast<std::size_t>(std::count(used_.begin(), used_.end(), 1));
  fit.terms = terms_;
  for (std::size_t t = 0; t < terms_.size(); ++t)
    fit.terms[t].scale = state_.scale[t], fit.terms[t].level = state_.level[t],
    fit.terms[t].response = state_.response[t];
  fit.base_ns = state_.base;
  fit_variances(fit);
  return fit;
}

void TermFit::fit_variances(LaunchFit& fit) const {
  const std::size_t groups = rows_.typical_ns.size();
  std::vector<std::vector<double>> at_reference(groups), near(groups), elsewhere(groups);
  std::vector<double> all;
  std::vector<double> rest(rows_.rows());
  for (std::size_t i = 0; i < rows_.rows(); ++i) {
    if (!used_[i]) continue;
    rest[i] = rows_.duration_ns[i] - prediction(i, state_).duration;
    double change = 0;
    for (std::size_t t = 0; t < terms_.size(); ++t)
      change = std::max(change,
                        std::fabs(state_.change[t][i]) /
                            (state_.scale[t] == FitTerm::Scale::added ? state_.base[rows_.peers[i]] : 1.0));
    const double relative = rest[i] / state_.base[rows_.peers[i]];
    auto& squares = change < kAtReference ? at_reference : change < kNearReference ? near : elsewhere;
    squares[rows_.peers[i]].push_back(relative * relative);
    if (change < kAtReference) all.push_back(relative * relative);
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
    if (sizes.size() < kMinForNoise) sizes.insert(sizes.end(), near[g].begin(), near[g].end());
    // Launches that are always affected by a cause do not show which part of their scatter is due to it: all
    // scatter counts as noise.
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
  const auto c = class_of(feature_of_term_[t], row);
  const double unit = term.response[rows_.kernel[row]] *
                      (term.scale == FitTerm::Scale::added ? 1.0 : state_.base[rows_.peers[row]]);
  return c < term.spread.size() ? term.spread[c] * unit * unit : 0.0;
}

// Variances of terms are additive: the variances of the other terms are subtracted.
void TermFit::fit_spread(std::size_t t, const std::vector<double>& rest, LaunchFit& fit) const {
  if (stop()) return;
  std::vector<std::vector<double>> beyond(fit.terms[t].level.size());
  for (std::size_t i = 0; i < rows_.rows(); ++i) {
    const auto c = class_of(feature_of_term_[t], i);
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
void TermFit::settle(State& state, int first_round, int last_round) const {
  for (int round = first_round; round < last_round && !stop() && !terms_.empty(); ++round) {
    const auto responses = state.response, levels = state.level;
    fit_with_responses(state, {});
    double moved = 0;
    for (std::size_t t = 0; t < terms_.size(); ++t) {
      for (std::size_t k = 0; k < responses[t].size(); ++k)
        moved = std::max(moved, std::fabs(state.response[t][k] - responses[t][k]));
      double largest = 0, by = 0;
      for (std::size_t c = 0; c < levels[t].size(); ++c)
        largest = std::max(largest, std::fabs(state.level[t][c])),
        by = std::max(by, std::fabs(state.level[t][c] - levels[t][c]));
      moved = std::max(moved, largest > 0 ? by / largest : 0.0);
    }
    if (moved < kSettled) break;
  }
}

// Scales of the terms to compare: the current ones and others, in which changes multiply, add up or are
// stalls. A single factor among relative changes equals a relative change.
std::vector<std::vector<FitTerm::Scale>> TermFit::scales_of_forms() const {
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
  return scales;
}

double TermFit::Form::loss() const {
  return std::accumulate(loss_of_block.begin(), loss_of_block.end(), 0.0);
}

std::vector<double> TermFit::values_of(const Form& form) const {
  auto values = values_of(form.state);
  values.insert(values.end(), form.loss_of_block.begin(), form.loss_of_block.end());
  return values;
}

TermFit::Form TermFit::form_of(std::span<const double> values) const {
  const auto losses = values.last(rows_.blocks);
  return {state_of(values.first(values.size() - losses.size())), {losses.begin(), losses.end()}};
}

void TermFit::drop_hopeless(std::vector<Form>& forms, double hopeless) {
  const auto best = std::min_element(forms.begin(), forms.end(), [](const Form& a, const Form& b) {
                      return a.loss() < b.loss();
                    })->loss_of_block;
  std::erase_if(forms, [&](const Form& form) {
    double worse = 0, squares = 0;
    for (std::size_t b = 0; b < best.size(); ++b) {
      const double by = form.loss_of_block[b] - best[b];
      worse += by, squares += by * by;
    }
    return worse > hopeless * std::sqrt(squares);
  });
}

// The fits with other scales that some resample might prefer; the best comes first.
Expected<std::vector<TermFit::Form>> TermFit::forms() const {
  const auto scales = scales_of_forms();
  std::vector<Form> forms;
  for (const auto& of : scales) {
    State state = state_;
    state.scale = of, state.change.clear(), state.effects.clear();
    forms.push_back({std::move(state), {}});
  }
  const auto fit_forms = [&](int first_round, int last_round, LossOfRest of_rest) -> Expected<void> {
    const auto fitted = run_replicates(
        static_cast<int>(forms.size()), values_of(state_).size() + rows_.blocks,
        [&](int f) {
          State state = with_changes(forms[static_cast<std::size_t>(f)].state);
          for (std::size_t t = 0; t < terms_.size() && first_round == 0; ++t)
            if (state.scale[t] != state_.scale[t]) fit_level(t, state, {}); // in the unit of the new scale
          settle(state, first_round, last_round);
          auto losses = loss_of_blocks(state, of_rest);
          return values_of(Form{std::move(state), std::move(losses)});
        },
        communicator_, halt_.job_of_caller(), threads_of_rank());
    if (!fitted) return forward(fitted.error());
    for (std::size_t f = 0; f < forms.size(); ++f) forms[f] = form_of((*fitted)[f]);
    return {};
  };
  int rounds = 0;
  for (const auto& [until, hopeless] : kScreenings) {
    if (auto done = fit_forms(std::exchange(rounds, until), until, normal_loss); !done)
      return forward(done.error());
    drop_hopeless(forms, hopeless);
  }
  // Outliers dominate squares, so that resamples would choose between converged forms by these few.
  if (auto done = fit_forms(rounds, kMaxRounds, student_loss); !done) return forward(done.error());
  std::stable_sort(forms.begin(), forms.end(),
                   [](const Form& a, const Form& b) { return a.loss() < b.loss(); });
  return forms;
}

std::vector<double> TermFit::loss_of_blocks(const State& state, LossOfRest of_rest) const {
  std::vector<double> sum(rows_.blocks);
  const auto y = logarithms(state, kNoTerm);
  const double price = std::log(price_of_responses(state)) / 2;
  for (std::size_t i = 0; i < y.size(); ++i)
    if (used_[i]) sum[rows_.block[i]] += of_rest(y[i] * y[i] / noise_[i]) + price;
  return sum;
}

// The variance of a row is that of its peers at the reference and that of its terms' classes: the base of
// peers would otherwise depend on few launches that a cause prolongs by very different amounts.
std::vector<double> TermFit::noise_of_rows(const LaunchFit& fit) const {
  auto of_peers = fit.typical_noise;
  const double typical = median(of_peers);
  std::vector<double> of_rows(rows_.rows(), 1.0);
  for (std::size_t i = 0; i < of_rows.size() && !stop(); ++i) {
    if (!used_[i]) continue;
    double of_terms = 0;
    for (std::size_t t = 0; t < terms_.size(); ++t) of_terms += spread_of(t, i, fit.terms[t]);
    const double predicted = prediction(i, state_).duration;
    of_rows[i] =
        std::clamp(fit.typical_noise[rows_.peers[i]], typical / kMostUnequal, typical * kMostUnequal) +
        of_terms / (predicted * predicted);
  }
  return of_rows;
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
  return std::sqrt(std::max(0.0, mean * mean - 1 / weights) +
                   std::max(0.0, (between - (known - 1)) / (weights - squares / weights)));
}

// Rests of moments of consecutive launches, without the share that LaunchFit::parts gives to the terms,
// against the parts of the terms: variance beyond that of independent launches, in moments of which one term
// accounts for most of the change. Where moments without a change vary more than independent launches, their
// excess variance is subtracted.
std::vector<double> TermFit::misfit_of_moments(const LaunchFit& fit, const std::vector<double>& rest) const {
  struct Moment {
    double rest = 0, variance = 0, base = 0, change = 0;
    std::vector<double> part;
  };
  const std::size_t of_moment = std::min(kMoment, rows_.run);
  std::vector<Moment> moments((rows_.rows() + of_moment - 1) / of_moment);
  for (Moment& moment : moments) moment.part.resize(terms_.size());
  std::vector<double> own_rest(rows_.rows()), rests(state_.base.size()), predictions(state_.base.size());
  for (std::size_t i = 0; i < rows_.rows(); ++i) {
    if (stop()) return std::vector<double>(terms_.size()); // the variances may be incomplete
    if (!used_[i]) continue;
    Moment& moment = moments[i / of_moment];
    const double base = state_.base[rows_.peers[i]];
    const double noise = fit.noise[rows_.peers[i]] * base * base;
    double of_terms = 0, scaled = 0;
    for (std::size_t t = 0; t < terms_.size(); ++t) {
      moment.part[t] += state_.change[t][i] * unit_of(t, i, state_, prediction(i, state_, t));
      const double spread = spread_of(t, i, fit.terms[t]);
      of_terms += spread;
      if (state_.scale[t] != FitTerm::Scale::added)
        scaled += scaled_noise(state_.change[t][i], noise, spread);
    }
    const RestOfLaunch of(noise, scaled, of_terms - scaled);
    moment.base += base, moment.variance += of.own * of.own * of.variance;
    if (std::fabs(rest[i]) < kFarOut * std::sqrt(of.variance)) own_rest[i] = of.own * rest[i];
    rests[rows_.peers[i]] += own_rest[i], predictions[rows_.peers[i]] += prediction(i, state_).duration;
  }
  // Levels and bases are Winsorised means. What Winsorising cuts off is in the rests of every moment: the
  // mean by peers, in proportion to predictions.
  for (std::size_t i = 0; i < rows_.rows(); ++i)
    if (const auto g = rows_.peers[i]; used_[i])
      moments[i / of_moment].rest += own_rest[i] - rests[g] / predictions[g] * prediction(i, state_).duration;
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
    std::vector<std::pair<double, double>> of_moments;
    for (const Moment& moment : moments) {
      const double part = moment.part[t];
      if (!(moment.change >= kChanged * moment.base && moment.change > 0) ||
          2 * std::fabs(part) < moment.change)
        continue;
      of_moments.emplace_back(moment.rest / part, together * moment.variance / (part * part));
    }
    const double least = terms_[t].classes.category() ? 0.0 : kOfClasses;
    misfits.push_back(std::max(least, std::sqrt(variance_beyond(of_moments))));
  }
  return misfits;
}

// Fits to resamples of blocks. A resample uses the form that fits it best, so all forms that fit about
// equally well occur.
Expected<std::vector<FitReplicate>> TermFit::resampled(const std::vector<Form>& forms,
                                                       const std::vector<double>& misfits,
                                                       const FitOptions& options) const {
  const auto weights_of = [&](int r) {
    Random random(options.seed, static_cast<std::uint64_t>(r));
    std::vector<double> weight(rows_.blocks, 0.0);
    for (std::uint32_t b = 0; b < rows_.blocks; ++b) weight[random.below(rows_.blocks)] += 1;
    return std::pair(std::move(weight), random);
  };
  const auto values = run_replicates(
      options.replicates, values_of(state_).size(),
      [&](int r) {
        auto drawn = weights_of(r);
        const auto& weight = drawn.first;
        const auto loss_of = [&](const Form& form) {
          return std::inner_product(form.loss_of_block.begin(), form.loss_of_block.end(), weight.begin(),
                                    0.0);
        };
        State state =
            with_changes(std::min_element(forms.begin(), forms.end(), [&](const Form& a, const Form& b) {
                           return loss_of(a) < loss_of(b);
                         })->state);
        fit_with_responses(state, weight);
        for (std::size_t t = 0; t < terms_.size(); ++t)
          for (double& response : state.response[t])
            response *= std::max(0.0, 1 + misfits[t] * drawn.second.normal());
        return values_of(state);
      },
      communicator_, halt_.job_of_caller(), threads_of_rank());
  if (!values) return forward(values.error());
  std::vector<FitReplicate> replicates;
  for (std::size_t r = 0; r < values->size(); ++r) {
    State state = state_of((*values)[r]);
    auto& replicate = replicates.emplace_back(FitReplicate{std::move(state.scale),
                                                           std::move(state.level),
                                                           std::move(state.base),
                                                           std::move(state.response),
                                                           {}});
    for (const double weight : weights_of(static_cast<int>(r)).first) replicate.drawn.push_back(weight > 0);
  }
  return replicates;
}

Expected<LaunchFit> TermFit::finish(const FitOptions& options) {
  noise_ = noise_of_rows(fit_with_variances());
  const auto candidates = forms();
  if (!candidates) return forward(candidates.error());
  state_ = with_changes(candidates->front().state);
  LaunchFit fit = fit_with_variances();
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
  auto replicates = resampled(*candidates, misfits, options);
  if (!replicates) return forward(replicates.error());
  fit.replicates = std::move(*replicates);
  return fit;
}

// Scales, levels, bases, responses and limits, one after the other.
std::vector<double> TermFit::values_of(const State& state) const {
  std::vector<double> values;
  const auto append = [&](const std::vector<double>& of) {
    values.insert(values.end(), of.begin(), of.end());
  };
  const auto append_limits = [&](std::vector<Limits> limits, std::size_t count) {
    limits.resize(count);
    for (const auto& of : limits) values.push_back(of.low), values.push_back(of.high);
  };
  for (const auto scale : state.scale) values.push_back(static_cast<double>(scale));
  for (const auto& level : state.level) append(level);
  append(state.base);
  for (const auto& response : state.response) append(response);
  append(state.freedom);
  for (std::size_t t = 0; t < state.level.size(); ++t)
    append_limits(state.level_limits[t], state.level[t].size());
  append_limits(state.base_limits, state.base.size());
  return values;
}

TermFit::State TermFit::state_of(std::span<const double> values) const {
  const auto next = [&](std::size_t count) {
    const auto first = values.first(count);
    values = values.subspan(count);
    return std::vector<double>(first.begin(), first.end());
  };
  const auto next_limits = [&](std::size_t count) {
    std::vector<Limits> limits(count);
    for (auto& of : limits) of.low = values[0], of.high = values[1], values = values.subspan(2);
    return limits;
  };
  State state;
  for (const double scale : next(state_.scale.size()))
    state.scale.push_back(static_cast<FitTerm::Scale>(static_cast<int>(scale)));
  for (const auto& level : state_.level) state.level.push_back(next(level.size()));
  state.base = next(state_.base.size());
  for (const auto& response : state_.response) state.response.push_back(next(response.size()));
  state.freedom = next(state_.freedom.size());
  for (const auto& level : state_.level) state.level_limits.push_back(next_limits(level.size()));
  state.base_limits = next_limits(state_.base.size());
  return state;
}

TermFit::State TermFit::with_changes(State state) const {
  state.change.assign(terms_.size(), {});
  state.effects.assign(rows_.rows(), {});
  for (std::size_t t = 0; t < terms_.size(); ++t) update_changes(t, state);
  return state;
}

} // namespace jitterscope::causal
