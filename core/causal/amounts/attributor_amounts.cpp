#include "core/causal/amounts/attributor.h"
#include "core/causal/amounts/changes.h"
#include "core/causal/amounts/exposure.h"
#include "core/causal/base/tiers.h"
#include "core/causal/statistics/earlier.h"

#include <algorithm>
#include <cmath>

namespace jitterscope::causal {
namespace {

constexpr std::int64_t kFitRows = 65'536;  ///< maximum rows for the fit of a numeric factor
constexpr std::int64_t kRefitRows = 8'192; ///< maximum rows for each refit to a resample
/// Share below which a numeric factor is never named and needs no interval of its fit.
constexpr double kMinToRefit = 0.01;
constexpr double kFailedShare = -1; ///< a refit that leaves more than twice the variability has failed
constexpr double kWider = 4.0 / 3;  ///< minimum ratio for launches to count as more variable
constexpr double kMinSpread = 0.25; ///< removing a factor multiplies no deviation by more than 1 / kMinSpread

} // namespace

/// Sample of the remaining rows, evenly spaced over the table, the same on every rank: at most `maximum` rows
/// if the remaining rows are evenly distributed.
Expected<AmountRows> Attributor::amount_rows(const std::vector<double>& x, std::int64_t maximum) {
  std::int64_t rows = 0;
  for (const auto n : groups_.rows) rows += n;
  const std::int64_t stride = std::max<std::int64_t>(1, (rows + maximum - 1) / maximum);
  AmountRows mine, all;
  for (std::int64_t b = local_.first_block; b < local_.last_block; ++b)
    for (std::int64_t row = frame_.plan.first(b); row < frame_.plan.first(b + 1); ++row) {
      const auto i = static_cast<std::size_t>(row - local_.first_row);
      if (!local_.used[i] || row % stride != 0) continue;
      mine.x.push_back(x[i]), mine.duration.push_back(local_.duration[i]);
      mine.group.push_back(local_.group[i]), mine.block.push_back(static_cast<std::uint32_t>(b));
      mine.stratum.push_back(stratum_of(i));
    }
  auto values = communicator_.all_gather<double>(mine.x);
  if (!values) return forward(values.error());
  auto durations = communicator_.all_gather<double>(mine.duration);
  if (!durations) return forward(durations.error());
  auto groups = communicator_.all_gather<std::uint32_t>(mine.group);
  if (!groups) return forward(groups.error());
  auto strata = communicator_.all_gather<std::uint32_t>(mine.stratum);
  if (!strata) return forward(strata.error());
  auto blocks = communicator_.all_gather<std::uint32_t>(mine.block);
  if (!blocks) return forward(blocks.error());
  return AmountRows{std::move(*values), std::move(*durations), std::move(*groups), std::move(*strata),
                    std::move(*blocks)};
}

Expected<bool> Attributor::counts_length(std::size_t s, const Suspect& suspect) {
  const Column& column = frame_.columns[static_cast<std::size_t>(suspect.column)];
  const bool during =
      column.tier == static_cast<int>(Tier::context) || column.tier == static_cast<int>(Tier::counters);
  if (!column.of_plain_table || !during || is_device_state(column.name) ||
      suspect.constant_in_configuration || column.minimum < 0)
    return false;
  std::int64_t whole = 1;
  for (std::size_t i = 0; i < x_[s].size(); ++i)
    whole = std::min<std::int64_t>(whole, !local_.used[i] || x_[s][i] == std::floor(x_[s][i]));
  if (auto done = communicator_.minimum({&whole, 1}); !done) return forward(done.error());
  if (whole == 0) return false;
  auto rows = amount_rows(x_[s], kRefitRows);
  if (!rows) return forward(rows.error());
  return as_expected_by_time(*rows, groups_.count);
}

Expected<bool> Attributor::reflects_earlier_launch(std::size_t s) {
  // By row: relative deviation of the previous row. Ranks send the deviation of their last row, with the
  // row's number.
  const std::size_t n = x_[s].size();
  const auto deviation_of = [&](std::size_t i) {
    return local_.used[i] ? local_.duration[i] / groups_.median[local_.group[i]] - 1 : kMissing;
  };
  std::vector<double> last;
  if (n > 0) last = {static_cast<double>(local_.first_row) + static_cast<double>(n - 1), deviation_of(n - 1)};
  const auto all = communicator_.all_gather<double>(last);
  if (!all) return forward(all.error());
  std::vector<double> earlier(n, kMissing);
  for (std::size_t i = 1; i < n; ++i) earlier[i] = deviation_of(i - 1);
  for (std::size_t k = 0; n > 0 && k + 1 < all->size(); k += 2)
    if ((*all)[k] == static_cast<double>(local_.first_row) - 1) earlier[0] = (*all)[k + 1];
  auto rows = amount_rows(x_[s], kFitRows);
  if (!rows) return forward(rows.error());
  const auto previous = amount_rows(earlier, kFitRows);
  if (!previous) return forward(previous.error());
  return only_reflects_previous(*rows, previous->x, groups_.median);
}

Expected<bool> Attributor::changes_with_durations(std::size_t s, const Suspect& suspect) {
  auto rows = amount_rows(x_[s], kRefitRows);
  if (!rows) return forward(rows.error());
  if (!changes_together(*rows, groups_.median, x_.size())) return false;
  const bool exact =
      begins_at_the_end_of_earlier_work(frame_.columns[static_cast<std::size_t>(suspect.column)].name);
  return !exact || moves_with_durations(*rows, groups_.median);
}

/// Refits a numeric factor to every resample. The corrections add the uncertainty of the fit to that of the
/// rows.
Expected<void> Attributor::refit(JudgedAmount& judged) {
  if (!judged.effect) return {};
  AmountEffect effect = std::move(*judged.effect);
  judged.effect.reset();
  const double share = judged.fit.before > 0 ? 1 - judged.fit.left / judged.fit.before : 0.0;
  if (resamples_.empty() || share < kMinToRefit) return {};
  if (judged.rows > static_cast<double>(kRefitRows)) {
    auto few = amount_rows(x_[judged.suspect], kRefitRows);
    if (!few) return forward(few.error());
    effect = AmountEffect(std::move(*few), groups_.median, groups_.kernel);
    if (auto done = effect.fit(judged.shifts, judged.spreads, resamples_, communicator_, job_, &judged.fit);
        !done)
      return done;
  }
  const double part = std::sqrt(static_cast<double>(effect.rows()) / std::max(judged.rows, 1.0));
  const auto cells =
      2 + 2 * settings_
                  .size(); // share; by setting: remaining variability, change of duration; standard deviation
  const auto replicate = [&](int r) {
    const auto& weights = resamples_[static_cast<std::size_t>(r)];
    const auto again = effect.refitted(weights), fitted = effect.as_fitted(weights);
    if (!(again.share() > kFailedShare)) return std::vector<double>(cells, kMissing);
    std::vector values{part * (again.share() - fitted.share())};
    for (std::size_t i = 0; i < settings_.size(); ++i) {
      // A refit to fewer rows may have other settings: settings at nearly the same quantiles are used.
      const std::size_t at = i * (again.left.size() - 1) / std::max<std::size_t>(settings_.size() - 1, 1);
      values.push_back(again.before > 0 ? part * (again.left[at] - fitted.left[at]) / again.before : 0.0);
      values.push_back(part * (again.duration_change[at] - fitted.duration_change[at]));
    }
    values.push_back(again.std_at_reference);
    return values;
  };
  auto all = run_replicates(static_cast<int>(resamples_.size()), cells, replicate, communicator_, job_);
  if (!all) return forward(all.error());
  auto& corrections = judged.corrections;
  corrections = std::move(*all);
  // A refit overfits its resample as the fit overfits its rows, so the differences are biased. Their mean
  // over the resamples is subtracted; only their scatter is kept.
  for (std::size_t c = 0; c + 1 < cells; ++c) {
    double sum = 0, fits = 0;
    for (const auto& r : corrections)
      if (std::isfinite(r[c])) sum += r[c], fits += 1;
    for (auto& r : corrections) r[c] -= fits > 0 ? sum / fits : 0.0;
  }
  return {};
}

/// `shares`: shares of the resamples, by the fit of all rows. Where the share is too small for refits, only
/// they vary.
void Attributor::finish_settings(double full_share, const std::vector<double>& shares) {
  for (std::size_t i = 0; i < settings_.size(); ++i) {
    Setting& setting = settings_[i];
    const double of_reference = setting.left;
    setting.left = (1 - full_share) * of_reference;
    std::vector<double> left, longer, std;
    for (std::size_t r = 0; r < shares.size(); ++r) {
      const double left_of_share = (1 - shares[r]) * of_reference;
      const auto* correction = corrections_.empty() ? nullptr : &corrections_[r];
      left.push_back(left_of_share + (correction ? (*correction)[1 + 2 * i] : 0.0));
      std.push_back(correction         ? correction->back() * of_reference
                    : setting.left > 0 ? setting.std * left_of_share / setting.left
                                       : setting.std);
      longer.push_back(setting.duration_change_ns + (correction ? (*correction)[2 + 2 * i] : 0.0));
    }
    if (left.empty()) continue;
    setting.std_interval = percentile_interval(std::move(std));
    setting.left_interval = percentile_interval(std::move(left));
    setting.duration_interval = percentile_interval(std::move(longer));
  }
}

/// Computes moved_: durations without the level of a numeric factor.
void Attributor::move_by_level(const std::vector<double>& x, const AmountFit& fit) {
  moved_.assign(x.size(), kMissing);
  for (std::size_t i = 0; i < x.size(); ++i)
    if (local_.used[i])
      moved_[i] =
          fit.without_level(local_.duration[i], x[i], local_.group[i], groups_.median[local_.group[i]]);
}

/// Removes the spread of a numeric factor from a row that was moved by its level, and sets the remaining
/// variability. Returns the time that the level added, ns.
double Attributor::steady(std::size_t i, double x, const AmountFit& fit, const std::vector<double>& typical) {
  const double away = local_.duration[i] - moved_[i], normal = typical[local_.group[i]];
  const double away_still = std::fabs(moved_[i] - normal),
               steadied = fit.steadied(away_still, x, local_.group[i]);
  without_[i] = fit.correction * steadied;
  const double nearer = away_still > 0 ? steadied / away_still : 1.0;
  moved_[i] = std::max(normal + (moved_[i] - normal) * std::min(nearer, 1 / kMinSpread),
                       AmountFit::kMinDuration * normal);
  return away;
}

Expected<Attribution> Attributor::of_amount(std::size_t s, const Suspect& suspect) {
  std::vector<std::size_t> held = held_;
  std::sort(held.begin(), held.end());
  const auto known = judged_amounts_.find(s);
  if (known != judged_amounts_.end() && known->second.held == held) {
    amount_ = &known->second;
    move_by_level(x_[s], amount_->fit);
    for (std::size_t i = 0; i < moved_.size(); ++i)
      if (local_.used[i]) steady(i, x_[s][i], amount_->fit, amount_->typical);
  } else {
    auto judged = judge_amount(s, suspect);
    if (!judged) return forward(judged.error());
    judged->held = std::move(held);
    amount_ = &judged_amounts_.insert_or_assign(s, std::move(*judged)).first->second;
  }
  settings_ = amount_->settings;
  return amount_->attribution;
}

Expected<Attributor::JudgedAmount> Attributor::judge_amount(std::size_t s, const Suspect& suspect) {
  const std::vector<double>& x = x_[s];
  auto sample = amount_rows(x, kFitRows);
  if (!sample) return forward(sample.error());
  AmountEffect effect(std::move(*sample), groups_.median, groups_.kernel);
  if (auto done = effect.fit(suspect.shifts, suspect.spreads, resamples_, communicator_, job_); !done)
    return forward(done.error());
  JudgedAmount judged;
  const AmountFit& fit = judged.fit = effect.fitted();

  move_by_level(x, fit);
  auto typical = group_medians(moved_, local_.group, groups_.count, communicator_, job_);
  if (!typical) return forward(typical.error());
  judged.typical = std::move(*typical);
  enum { kRows, kAffected, kExtra, kCells };
  auto extra = sum_by(kCells, groups_.longest + 1.0, [&](std::size_t i, ExactSums& sums) {
    const double away = steady(i, x[i], fit, judged.typical);
    sums.add(kRows, 1.0);
    if (fit.acts_by_spread() ? fit.spread(x[i]) <= kWider
                             : away <= fit.relative_left * groups_.median[local_.group[i]])
      return;
    sums.add(kAffected, 1.0), sums.add(kExtra, away);
  });
  if (!extra) return forward(extra.error());
  Attribution& result = judged.attribution;
  result.spreads = fit.acts_by_spread();
  if (result.spreads || fit.shape != LevelShape::none) result.reference = effect.reference_amount();
  result.direction = result.spreads                     ? fit.spread_direction
                     : fit.shape == LevelShape::rising  ? 1
                     : fit.shape == LevelShape::falling ? -1
                                                        : 0;
  result.affected = result.compared = std::llround((*extra)[kAffected]);
  result.mean_extra_ns = result.affected > 0 ? (*extra)[kExtra] / (*extra)[kAffected] : 0.0;
  const auto outcome = effect.as_fitted(std::vector<int>(static_cast<std::size_t>(frame_.plan.blocks), 1));
  for (std::size_t i = 0; i < outcome.left.size(); ++i)
    judged.settings.push_back(
        {effect.value_of_setting(i),
         outcome.left_at_reference > 0 ? outcome.left[i] / outcome.left_at_reference : 1.0,
         {},
         outcome.std_at_reference *
             (outcome.left_at_reference > 0 ? outcome.left[i] / outcome.left_at_reference : 1.0),
         {},
         outcome.duration_change[i],
         {}});
  judged.suspect = s, judged.shifts = suspect.shifts, judged.spreads = suspect.spreads;
  judged.effect = std::move(effect), judged.rows = (*extra)[kRows];
  return judged;
}

} // namespace jitterscope::causal
