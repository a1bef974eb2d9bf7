#include "core/causal/attribution/term_fit.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "core/base/parallel.h"
#include "core/causal/base/bootstrap.h"
#include "core/causal/base/random.h"

namespace jitterscope::causal {
namespace {

constexpr int kRounds = 2, kRoundsAgain = 1; ///< rounds start from the previous state, so that few suffice
/// The mean of n launches is weighted n² / (n² + kShrink), so that the mean of one or two is shrunk towards
/// 0.
constexpr double kShrink = 0.3;
/// Maximum weight of the levels of adjacent classes in the mean of a class's launches. With more, the
/// equations of the levels would be nearly singular, and levels would oscillate; with this, means are
/// amplified at most 3 times.
constexpr double kMaxOfAdjacent = 1.0 / 3;
constexpr double kLargestResponse = 4;
constexpr double kMinResponse = 0.05; ///< levels are fitted without rows that respond less
/// Limits are quantiles of at most this number of a group's values, drawn at random: 21 of them are beyond
/// each limit.
constexpr std::size_t kForLimits = 4096;
constexpr std::uint64_t kSeedOfRows = 20261127;

/// Limits of the values of the first kForLimits rows that have a value. `value_of`: an optional number.
template <class ValueOf>
Limits limits_of_rows(const std::vector<std::uint32_t>& rows, const ValueOf& value_of) {
  std::vector<double> values;
  values.reserve(std::min(rows.size(), kForLimits));
  for (std::size_t k = 0; k < rows.size() && values.size() < kForLimits; ++k)
    if (const std::optional<double> value = value_of(rows[k])) values.push_back(*value);
  return limits_of(std::move(values));
}

/// Weights of the interpolation for the launches of a class: of its own level and of the levels of adjacent
/// classes.
struct Neighbours {
  double left = 0, own = 0, right = 0;
};

/// Levels whose interpolation has these means over the classes' launches (a tridiagonal system, solved by
/// elimination).
std::vector<double> levels_of(std::vector<Neighbours> of, std::vector<double> mean) {
  const std::size_t classes = mean.size();
  for (Neighbours& n : of) {
    const double all = n.left + n.own + n.right, adjacent = n.left + n.right;
    const double scale = adjacent > 0 ? std::min(1 / all, kMaxOfAdjacent / adjacent) : 0.0;
    n.left *= scale, n.right *= scale, n.own = 1 - n.left - n.right;
  }
  for (std::size_t c = 1; c < classes; ++c) {
    const double factor = of[c].left / of[c - 1].own;
    of[c].own -= factor * of[c - 1].right, mean[c] -= factor * mean[c - 1];
  }
  for (std::size_t c = classes; c-- > 0;)
    mean[c] = (mean[c] - (c + 1 < classes ? of[c].right * mean[c + 1] : 0.0)) / of[c].own;
  return mean;
}

} // namespace

TermFit::TermFit(const FitRows& rows, std::vector<ValueClasses> classes, ClassOfRows class_of,
                 Communicator& communicator, Halt& halt)
    : rows_(rows), communicator_(communicator), halt_(halt), classes_(std::move(classes)),
      class_(std::make_shared<const ClassOfRows>(std::move(class_of))) {
  used_.resize(rows.rows());
  for (std::size_t i = 0; i < rows.rows(); ++i)
    used_[i] = rows.typical_ns[rows.peers[i]] > 0 && rows.duration_ns[i] > 0;
  state_.base = rows.typical_ns;
  noise_.assign(rows.rows(), 1.0);
  state_.effects.resize(rows.rows());
  rows_of_peers_ = std::make_shared<const RowsByGroup>(
      random_rows(rows.typical_ns.size(), [&](std::size_t i) { return rows.peers[i]; }));
}

template <class GroupOf>
TermFit::RowsByGroup TermFit::random_rows(std::size_t count, const GroupOf& group_of) const {
  RowsByGroup rows(count);
  for (std::size_t i = 0; i < rows_.rows(); ++i)
    if (const std::size_t group = group_of(i); used_[i] && group < count)
      rows[group].push_back(static_cast<std::uint32_t>(i));
  Random random(kSeedOfRows);
  for (auto& of_group : rows) random.shuffle(of_group);
  return rows;
}

TermFit::Place TermFit::place_of(const FitTerm& term, double value) {
  const auto at = term.place_of(value);
  return {static_cast<float>(at.part), static_cast<std::uint8_t>(at.left),
          static_cast<std::uint8_t>(at.right)};
}

std::vector<double> TermFit::levels_at_reference(std::size_t t, const State& state) const {
  std::vector<double> levels;
  for (const Place& place : reference_place_[t]) levels.push_back(place.level(state.level[t]));
  return levels;
}

// Changes do not depend on the level that counts as 0, which would drift in the rounds of a fit.
double TermFit::origin_of_levels(std::size_t t, const State& state) const {
  if (terms_[t].classes.zero_apart()) return state.level[t][0];
  double sum = 0, n = 0;
  for (const double level : levels_at_reference(t, state))
    if (!std::isnan(level)) sum += level, n += 1;
  return n > 0 ? sum / n : 0.0;
}

void TermFit::update_changes(std::size_t t, State& state) const {
  const auto reference = levels_at_reference(t, state);
  auto& change = state.change[t];
  change.resize(rows_.rows());
  for (std::size_t row = 0; row < change.size(); ++row) {
    const double now = state.response[t][rows_.kernel[row]] * change_of(t, row, state, reference);
    apply(state.scale[t], std::exchange(change[row], now), now, state.effects[row]);
  }
}

std::vector<double> TermFit::logarithms(std::size_t without) const {
  return logarithms(state_, without);
}

std::vector<double> TermFit::logarithms(const State& state, std::size_t without) const {
  std::vector<double> y(rows_.rows());
  for (std::size_t i = 0; i < y.size(); ++i)
    if (used_[i])
      y[i] = std::clamp(std::log(rows_.duration_ns[i] / prediction(i, state, without).duration), -6.0, 6.0);
  return y;
}

// By class: the mean of the residuals of the other terms, as a fraction of the duration that the term
// multiplies (factor) or in ns (added), weighted by inverse variance; residuals are in proportion to
// durations.
void TermFit::fit_level(std::size_t t, State& state, const std::vector<double>& block_weight) const {
  if (stop()) return;
  const std::size_t classes = terms_[t].level.size();
  const auto& class_of_row = (*class_)[feature_of_term_[t]];
  const bool all = block_weight.empty(); // if so, also sets the limits, which resamples use
  const auto reference = levels_at_reference(t, state);
  struct OfRow {
    double level, weight;
  };
  const auto of_row = [&](std::size_t i, double response) -> OfRow {
    const auto others = prediction(i, state, t);
    const double compared_with = reference[rows_.peers[i]],
                 unit = unit_of(t, i, state, others) * response /
                        reference_factor(state.scale[t], response, compared_with),
                 precision = unit / others.duration;
    return {(rows_.duration_ns[i] - others.duration) / unit + compared_with,
            precision * precision / noise_[i]};
  };
  auto& limits = state.level_limits[t];
  limits.resize(classes);
  for (std::size_t c = 0; c < classes && all; ++c)
    limits[c] = limits_of_rows((*rows_of_class_[t])[c], [&](std::size_t i) -> std::optional<double> {
      const double response = state.response[t][rows_.kernel[i]];
      if (response < kMinResponse) return {};
      return of_row(i, response).level;
    });
  std::vector<ClippedMean> sums(classes);
  std::vector<Neighbours> mean(
      classes); ///< by class: weights of the levels from which its launches are interpolated
  for (std::size_t i = 0; i < rows_.rows(); ++i) {
    const auto c = class_of_row[i];
    const double w = all ? 1.0 : block_weight[rows_.block[i]];
    const double response = state.response[t][rows_.kernel[i]];
    if (!used_[i] || c >= classes || w == 0 || response < kMinResponse) continue;
    const auto [level, precision] = of_row(i, response);
    const double weight = w * precision;
    sums[c].add(level, weight, limits[c]);
    const Place& at = place_[t][i];
    Neighbours& of = mean[c];
    of.own += weight * (at.left == c ? 1 - at.part : at.part);
    if (at.left < c) of.left += weight * (1 - at.part);
    if (at.right > c) of.right += weight * at.part;
  }
  std::vector<double> mean_rest(classes);
  for (std::size_t c = 0; c < classes; ++c) {
    const double n = sums[c].n;
    mean_rest[c] = n > 0 ? sums[c].value() * n * n / (n * n + kShrink) : 0.0;
  }
  state.level[t] = levels_of(mean, std::move(mean_rest));
  const double origin = origin_of_levels(t, state), factor = reference_factor(state.scale[t], 1, origin);
  for (double& level : state.level[t]) level = (level - origin) / factor;
  update_changes(t, state);
}

// By peers: the mean of (duration − prediction) / (part of the prediction that is in proportion to the base),
// weighted by inverse variance as in fit_level, so that rows with exceptionally large predictions do not pull
// the base to 0.
void TermFit::fit_base(State& state, const std::vector<double>& block_weight) const {
  if (stop()) return;
  const bool all = block_weight.empty();
  struct OfRow {
    double change, weight;
  };
  const auto of_row = [&](std::size_t i) -> OfRow {
    const Effects& effects = state.effects[i];
    const double in_proportion =
                     state.base[rows_.peers[i]] * std::max(effects.factor + effects.relative, kMinFactor),
                 predicted = prediction(i, state).duration, precision = in_proportion / predicted;
    return {(rows_.duration_ns[i] - predicted) / in_proportion, precision * precision / noise_[i]};
  };
  auto& limits = state.base_limits;
  limits.resize(state.base.size());
  for (std::size_t g = 0; g < limits.size() && all; ++g)
    limits[g] =
        limits_of_rows((*rows_of_peers_)[g], [&](std::size_t i) { return std::optional(of_row(i).change); });
  std::vector<ClippedMean> sums(state.base.size());
  for (std::size_t i = 0; i < rows_.rows(); ++i) {
    const double w = all ? 1.0 : block_weight[rows_.block[i]];
    if (!used_[i] || w == 0) continue;
    const auto [change, weight] = of_row(i);
    sums[rows_.peers[i]].add(change, w * weight, limits[rows_.peers[i]]);
  }
  for (std::size_t g = 0; g < state.base.size(); ++g)
    if (sums[g].n > 0) state.base[g] *= std::max(1 + sums[g].value(), kMinFactor);
}

void TermFit::fit(State& state, int rounds, const std::vector<double>& block_weight) const {
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t t = 0; t < terms_.size(); ++t) fit_level(t, state, block_weight);
    fit_base(state, block_weight);
  }
}

// Fits the responses of kernels. They differ only as far as the data differ by more than chance (DerSimonian,
// Laird 1986).
void TermFit::fit_responses(std::size_t t, State& state, const std::vector<double>& block_weight) const {
  const FitTerm& term = terms_[t];
  if (stop() || term.classes.category() || rows_.kernels < 2) return; // all kernels respond equally
  struct Sums {
    double xx = 0, xy = 0, yy = 0, n = 0;
  };
  const auto reference = levels_at_reference(t, state);
  std::vector<Sums> sums(rows_.kernels);
  for (std::size_t i = 0; i < rows_.rows(); ++i) {
    const double w = block_weight.empty() ? 1.0 : block_weight[rows_.block[i]];
    if (!used_[i] || w == 0) continue;
    const double x = change_of(t, i, state, reference);
    const auto others = prediction(i, state, t);
    const double relative = unit_of(t, i, state, others) / others.duration,
                 y = std::clamp((rows_.duration_ns[i] - others.duration) / others.duration, -20.0, 20.0);
    auto& s = sums[rows_.kernel[i]];
    const double weight = w / noise_[i];
    s.xx += weight * x * relative * x * relative, s.xy += weight * x * relative * y, s.yy += weight * y * y;
    s.n += w;
  }
  std::vector<double> slope(rows_.kernels, 1.0), variance(rows_.kernels, 0.0);
  double between = 0, weights = 0, squares = 0, known = 0, mean = 0;
  for (std::size_t k = 0; k < sums.size(); ++k) {
    if (!(sums[k].xx > 0) || sums[k].n < 10) continue;
    slope[k] = sums[k].xy / sums[k].xx;
    variance[k] = std::max(1e-12, (sums[k].yy - slope[k] * sums[k].xy) / sums[k].n / sums[k].xx);
    const double w = 1 / variance[k];
    weights += w, squares += w * w, mean += w * slope[k], known += 1;
  }
  auto& response = state.response[t];
  response.assign(rows_.kernels, 1.0);
  state.freedom[t] = 0;
  if (known < 2) return update_changes(t, state);
  mean /= weights;
  for (std::size_t k = 0; k < sums.size(); ++k)
    if (variance[k] > 0) between += (slope[k] - mean) * (slope[k] - mean) / variance[k];
  between = std::max(0.0, (between - (known - 1)) / (weights - squares / weights));
  for (std::size_t k = 0; k < sums.size(); ++k)
    if (variance[k] > 0) {
      const double own = between / (between + variance[k]);
      response[k] = std::clamp(mean + (slope[k] - mean) * own, 0.0, kLargestResponse);
      state.freedom[t] += own;
    } else {
      response[k] = std::clamp(mean, 0.0, kLargestResponse);
    }
  update_changes(t, state);
}

// Sets the reference of comparisons: for a numeric factor and for an event the median among launches of equal
// work, so that an event did not happen at the reference unless half of these launches have it; for a
// category, the value whose level is the median over all launches.
void TermFit::choose_reference(std::size_t t) {
  find_reference(t);
  reference_place_[t].clear();
  for (const double value : terms_[t].reference) reference_place_[t].push_back(place_of(terms_[t], value));
  update_changes(t, state_);
}

void TermFit::find_reference(std::size_t t) {
  FitTerm& term = terms_[t];
  const std::size_t feature = feature_of_term_[t];
  term.reference.assign(rows_.typical_ns.size(), 0.0);
  if (!term.classes.category()) {
    std::vector<std::vector<double>> values(rows_.typical_ns.size());
    for (std::size_t i = 0; i < rows_.rows(); ++i)
      if (used_[i] && !std::isnan(rows_.values[feature][i]))
        values[rows_.peers[i]].push_back(static_cast<double>(rows_.values[feature][i]));
    for (std::size_t g = 0; g < values.size(); ++g)
      term.reference[g] = !values[g].empty()          ? median(values[g])
                          : term.classes.zero_apart() ? 0.0
                                                      : term.centre[0];
    return;
  }
  std::vector<std::size_t> count(term.level.size()), order(term.level.size());
  std::size_t all = 0, below = 0;
  for (std::size_t i = 0; i < rows_.rows(); ++i)
    if (used_[i] && class_of(feature, i) < count.size()) ++count[class_of(feature, i)], ++all;
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](auto a, auto b) { return state_.level[t][a] < state_.level[t][b]; });
  std::size_t typical = 0;
  for (const auto c : order) {
    below += count[c], typical = c;
    if (2 * below >= all) break;
  }
  term.reference.assign(rows_.typical_ns.size(), static_cast<double>(typical));
}

double TermFit::loss() const {
  return loss(logarithms());
}

double TermFit::loss(const std::vector<double>& logarithms) {
  double sum = 0;
  for (const double y : logarithms) sum += y * y;
  return sum;
}

void TermFit::fit_all() {
  fit(state_, kRounds, {});
  for (std::size_t t = 0; t < terms_.size(); ++t) {
    if (terms_[t].classes.category())
      choose_reference(t); // the reference of numeric factors depends on their values only
    fit_responses(t, state_, {});
  }
  fit(state_, kRoundsAgain, {});
}

Expected<void> TermFit::add(std::size_t feature) {
  FitTerm term;
  term.feature = rows_.features[feature];
  term.classes = classes_[feature];
  term.level.assign(term.classes.count(), 0.0);
  rows_of_class_.push_back(std::make_shared<const RowsByGroup>(
      random_rows(term.classes.count(), [&](std::size_t i) { return class_of(feature, i); })));
  std::vector<double> sum(term.classes.count()), n(term.classes.count());
  for (std::size_t i = 0; i < rows_.rows(); ++i)
    if (const auto c = class_of(feature, i); used_[i] && c < sum.size())
      sum[c] += static_cast<double>(rows_.values[feature][i]), n[c] += 1;
  for (std::size_t c = 0; c < sum.size(); ++c) term.centre.push_back(n[c] > 0 ? sum[c] / n[c] : 0.0);
  feature_of_term_.push_back(feature);
  const auto levels = term.level;
  auto& places = place_.emplace_back();
  places.reserve(rows_.rows());
  for (const auto value : rows_.values[feature]) places.push_back(place_of(term, static_cast<double>(value)));
  reference_place_.emplace_back();
  terms_.push_back(std::move(term));
  state_.scale.push_back(FitTerm::Scale::factor), state_.level.push_back(levels);
  state_.response.emplace_back(rows_.kernels, 1.0), state_.change.emplace_back();
  state_.freedom.push_back(0);
  state_.level_limits.emplace_back();
  choose_reference(terms_.size() - 1);
  const auto scale = better_scale();
  if (!scale) return forward(scale.error());
  state_.scale.back() = *scale;
  fit_all();
  return {};
}

// The scale with the smallest loss for the last term.
Expected<FitTerm::Scale> TermFit::better_scale() const {
  std::vector<FitTerm::Scale> scales{FitTerm::Scale::factor, FitTerm::Scale::relative, FitTerm::Scale::added};
  const auto before = state_.scale.begin(), last = state_.scale.end() - 1;
  const bool proportional = std::count(before, last, FitTerm::Scale::added) < last - before;
  if (!proportional) std::erase(scales, FitTerm::Scale::relative); // would be the same as a factor
  const auto losses = run_replicates(
      static_cast<int>(scales.size()), 1,
      [&](int s) {
        State state = state_;
        state.scale.back() = scales[static_cast<std::size_t>(s)];
        const std::size_t term = terms_.size() - 1; // the others change little, and forms() fits all again
        const auto fit_term = [&] {
          fit_level(term, state, {});
          fit_base(state, {});
        };
        for (int round = 0; round < kRounds; ++round) fit_term();
        fit_responses(term, state, {});
        fit_term();
        return std::vector{loss(logarithms(state, kNoTerm)) * price_of_responses(state)};
      },
      communicator_, halt_.job_of_caller(), threads_of_rank());
  if (!losses) return forward(losses.error());
  return scales[static_cast<std::size_t>(std::min_element(losses->begin(), losses->end()) - losses->begin())];
}

// Bayesian information criterion: n · ln(loss) + freedom · ln(n).
double TermFit::price_of_responses(const State& state) const {
  const auto rows = static_cast<double>(std::count(used_.begin(), used_.end(), 1));
  const double freedom = std::accumulate(state.freedom.begin(), state.freedom.end(), 0.0);
  return rows > 1 ? std::exp(freedom * std::log(rows) / rows) : 1.0;
}

void TermFit::remove(std::size_t term) {
  const auto at = static_cast<std::ptrdiff_t>(term);
  terms_.erase(terms_.begin() + at), feature_of_term_.erase(feature_of_term_.begin() + at);
  rows_of_class_.erase(rows_of_class_.begin() + at);
  place_.erase(place_.begin() + at), reference_place_.erase(reference_place_.begin() + at);
  state_.scale.erase(state_.scale.begin() + at), state_.level.erase(state_.level.begin() + at);
  state_.response.erase(state_.response.begin() + at);
  state_.freedom.erase(state_.freedom.begin() + at);
  state_.change.erase(state_.change.begin() + at);
  state_.level_limits.erase(state_.level_limits.begin() + at);
  state_ = with_changes(std::move(state_));
  fit_all();
}

// The kernel that responds most gets the response 1, which makes levels and responses identifiable.
void TermFit::fit_with_responses(State& state, const std::vector<double>& block_weight) const {
  for (std::size_t t = 0; t < terms_.size(); ++t) fit_responses(t, state, block_weight);
  for (std::size_t t = 0; t < terms_.size(); ++t) {
    const double maximum = *std::max_element(state.response[t].begin(), state.response[t].end());
    if (!(maximum > 0)) continue;
    for (double& response : state.response[t]) response /= maximum;
    for (double& level : state.level[t]) level *= maximum; // the changes, products of both, stay the same
  }
  fit(state, 1, block_weight);
}

} // namespace jitterscope::causal
