#include "core/causal/amounts/judgement.h"

#include <algorithm>
#include <cmath>

#include "core/causal/base/lists.h"
#include "core/causal/statistics/effects.h"
#include "core/causal/statistics/moments.h"
#include "core/causal/table/sample_columns.h"

namespace jitterscope::causal {
namespace {

constexpr double kCorrelated = 0.3, kSame = 0.9; ///< correlations of factors that are judged together
constexpr std::size_t kMaxTogether = 4;
constexpr std::int64_t kRowsOfLines = 65'536;
constexpr int kRoundsTogether = 3;
constexpr double kFarthest = 5; ///< maximum change of ln d by a line

using Suspects = std::vector<std::size_t>;

/// Factors, ln d regressed on all of them, and their correlations, within configurations.
struct LinesOfAmounts {
  Eigen::MatrixXd correlation;
  Eigen::VectorXd slope, mean; ///< by factor

  static Expected<LinesOfAmounts> of(const RemainingLaunches& launches, const Suspects& factors) {
    const auto columns = static_cast<Eigen::Index>(factors.size());
    LinesOfAmounts lines;
    Eigen::MatrixXd rows;
    for (Eigen::Index c = 0; c < columns; ++c) {
      auto sample = launches.sample(launches.input().x[factors[c]], kRowsOfLines);
      if (!sample) return forward(sample.error());
      if (c == 0) {
        rows.resize(static_cast<Eigen::Index>(sample->x.size()), columns + 1);
        for (std::size_t r = 0; r < sample->x.size(); ++r)
          rows(static_cast<Eigen::Index>(r), columns) = std::log(sample->duration[r]);
        centre_by(rows.col(columns), sample->group, launches.groups().count, false);
      }
      rows.col(c) = Eigen::Map<const Eigen::VectorXd>(sample->x.data(), rows.rows());
      lines.mean.conservativeResize(c + 1);
      lines.mean(c) = rows.col(c).mean();
      centre_by(rows.col(c), sample->group, launches.groups().count, false);
    }
    const Eigen::MatrixXd covariance = Moments::of(rows).covariance();
    auto all = numbers_below<int>(factors.size());
    lines.slope = regress(covariance, static_cast<int>(columns), all).coefficients;
    lines.correlation = correlation_of(covariance);
    return lines;
  }
};

class Together {
public:
  Together(const RemainingLaunches& launches, const std::map<std::size_t, Judgement>& alone, Suspects factors)
      : launches_(launches), alone_(alone), factors_(std::move(factors)) {}

  /// Keeps the factors that are correlated with another one, but not too closely.
  Expected<bool> choose() {
    while (factors_.size() > 1) {
      auto done = assign(lines_, LinesOfAmounts::of(launches_, factors_));
      if (!done) return forward(done.error());
      Suspects kept;
      for (std::size_t a = 0; a < factors_.size(); ++a) {
        bool near = false, same = false;
        for (std::size_t b = 0; b < factors_.size(); ++b) {
          if (a == b) continue;
          const double r =
              std::fabs(lines_.correlation(static_cast<Eigen::Index>(a), static_cast<Eigen::Index>(b)));
          near = near || r >= kCorrelated, same = same || r > kSame;
        }
        if (near && !same) kept.push_back(factors_[a]);
      }
      if (kept.size() == factors_.size()) return true;
      factors_ = std::move(kept);
    }
    return false;
  }

  /// Fits each factor with all others held.
  Expected<void> fit() {
    for (int round = 0; round < kRoundsTogether; ++round)
      for (const std::size_t s : factors_) {
        auto judgement = with_others_held(s, false);
        if (!judgement) return forward(judgement.error());
        direct_.insert_or_assign(s, std::move(*judgement));
      }
    return {};
  }

  /// Judges each factor; those that it leads to follow it.
  Expected<std::map<std::size_t, Judgement>> judged() {
    std::map<std::size_t, Judgement> all;
    for (const std::size_t s : factors_) {
      const bool leads = std::ranges::any_of(
          factors_, [&](std::size_t other) { return launches_.input().acts_on(s, other); });
      auto judgement = leads ? with_others_held(s, true) : Expected<Judgement>(std::move(direct_.at(s)));
      if (!judgement) return forward(judgement.error());
      all.emplace(s, std::move(*judgement));
    }
    return all;
  }

  /// Removes the factors without a share in addition to the others. Returns whether there were any.
  bool drop_idle() {
    Suspects acting;
    for (const std::size_t s : factors_) {
      const AmountFit& fit = direct_.at(s).amount->fit;
      if (fit.before > 0 && 1 - fit.left / fit.before >= launches_.input().min_share) acting.push_back(s);
    }
    const bool idle = acting.size() < factors_.size();
    factors_ = std::move(acting);
    if (idle) direct_.clear();
    return idle;
  }

private:
  /// `but_consequences`: those that it leads to are not held.
  Expected<Judgement> with_others_held(std::size_t s, bool but_consequences) const {
    if (launches_.input().job.cancelled()) return Job::cancelled_error();
    std::vector<double> durations(launches_.size(), kMissing);
    for (std::size_t i = 0; i < durations.size(); ++i)
      if (launches_.used(i)) durations[i] = launches_.duration(i);
    for (std::size_t k = 0; k < factors_.size(); ++k)
      if (factors_[k] != s && !(but_consequences && launches_.input().acts_on(s, factors_[k])))
        remove_effect(k, durations);
    auto without_others = launches_;
    if (auto done = without_others.replace_durations(std::move(durations)); !done)
      return forward(done.error());
    return judge_amount(launches_, s, alone_.at(s).amount->events, &without_others);
  }

  /// `durations`: by row, ns.
  void remove_effect(std::size_t factor, std::vector<double>& durations) const {
    const auto& x = launches_.input().x[factors_[factor]];
    const auto known = direct_.find(factors_[factor]);
    const auto column = static_cast<Eigen::Index>(factor);
    for (std::size_t i = 0; i < durations.size(); ++i) {
      if (!launches_.used(i)) continue;
      const auto g = launches_.group(i);
      // Far values are off the line: they change durations by a limited factor.
      const double by_line =
          std::clamp(lines_.slope(column) * (x[i] - lines_.mean(column)), -kFarthest, kFarthest);
      durations[i] =
          known == direct_.end()
              ? durations[i] * std::exp(-by_line)
              : known->second.amount->fit.without_level(durations[i], x[i], g, launches_.groups().median[g]);
    }
  }

  const RemainingLaunches& launches_;
  const std::map<std::size_t, Judgement>& alone_;
  Suspects factors_;
  LinesOfAmounts lines_;
  std::map<std::size_t, Judgement> direct_; ///< with all others held
};

} // namespace

Expected<std::vector<std::size_t>> judge_together(const RemainingLaunches& launches,
                                                  std::map<std::size_t, Judgement>& amounts) {
  const AttributionInput& input = launches.input();
  Suspects factors;
  for (const auto& [s, judgement] : amounts)
    if (!input.suspects[s].proxy && !input.suspects[s].summary && !judgement.attribution.changes_apart &&
        !judgement.attribution.reflects_earlier && !judgement.attribution.of_length)
      factors.push_back(s);
  std::ranges::stable_sort(factors, std::greater(), [&](auto s) { return input.suspects[s].weight; });
  factors.resize(std::min(factors.size(), kMaxTogether));
  Together together(launches, amounts, std::move(factors));
  for (;;) {
    const auto several = together.choose();
    if (!several) return forward(several.error());
    if (!*several) return Suspects();
    if (auto done = together.fit(); !done) return forward(done.error());
    if (!together.drop_idle()) break;
  }
  auto judged = together.judged();
  if (!judged) return forward(judged.error());
  Suspects again;
  for (auto& [s, judgement] : *judged) again.push_back(s), amounts.at(s) = std::move(judgement);
  return again;
}

} // namespace jitterscope::causal
