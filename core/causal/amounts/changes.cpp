#include "core/causal/amounts/changes.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/causal/base/bootstrap.h"
#include "core/causal/base/lists.h"
#include "core/causal/statistics/normal_scores.h"

namespace jitterscope::causal {
namespace {

constexpr std::size_t kMinRows = 30, kStretchesOfRun = 200, kRowsOfAStretch = 4, kMinChanging = 5,
                      kMaxShifts = 500;

constexpr std::size_t kBefore = 10; ///< rows before and after a change
constexpr std::size_t kMinChanges = 3,
                      kMaxChanges = 40; ///< changes of level; more are judged by stretches and shifts
constexpr std::size_t kMinRowsOfChanges = 500;
constexpr double kMoreThanElsewhere = 1.5;
constexpr std::size_t kMinRowsWithPrevious = 300;
constexpr double kClear = 3; ///< minimum correlation, in standard errors
constexpr std::uint32_t kTenths = 10;
constexpr double kPersistent = 0.5;
constexpr int kTrend = 3;
constexpr double kRare = 0.95;
constexpr double kMinCorrelation = 0.2, kMinSteps = 0.05;
constexpr double kSelfNormalized = 2.58; ///< 1 % of sums with random signs exceed it; so do 7 equal changes

using Values = std::vector<double>;

/// Some rows, and their |duration − typical|.
struct Picked {
  Values amount, duration, away;
  std::vector<std::uint32_t> group;

  Picked(const AmountRows& rows, const Values& typical, const std::vector<std::size_t>& which) {
    for (const auto i : which) {
      amount.push_back(rows.x[i]), duration.push_back(rows.duration[i]), group.push_back(rows.group[i]);
      away.push_back(std::fabs(rows.duration[i] - typical[rows.group[i]]));
    }
  }
};

/// Whether neighbouring values correlate; `x` is centred.
bool is_persistent(const Values& x) {
  double products = 0, squares = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    squares += x[i] * x[i], products += x[i] * x[i + 1 < x.size() ? i + 1 : 0];
  return products > kPersistent * squares;
}

/// Number of sign changes of centred values.
std::size_t sides_changed(const Values& x) {
  std::size_t changes = 0;
  for (std::size_t i = 0; i + 1 < x.size(); ++i) changes += (x[i] > 0) != (x[i + 1] > 0);
  return changes;
}

/// `halfway`: stretches are shifted by half their length. Callers test both divisions: in at least one of
/// them, no stretch begins where the column changes.
bool within_stretches(const Values& x, const Values& y, bool halfway) {
  const std::size_t length = std::max(kRowsOfAStretch, x.size() / kStretchesOfRun);
  Values products;
  for (std::size_t first = halfway ? length / 2 : 0; first < x.size(); first += length) {
    const std::size_t last = std::min(first + length, x.size());
    const auto n = static_cast<double>(last - first);
    double mean_x = 0, mean_y = 0, product = 0;
    for (std::size_t i = first; i < last; ++i) mean_x += x[i] / n, mean_y += y[i] / n;
    for (std::size_t i = first; i < last; ++i) product += (x[i] - mean_x) * (y[i] - mean_y);
    products.push_back(product);
  }
  const double sum = std::accumulate(products.begin(), products.end(), 0.0),
               squares = std::inner_product(products.begin(), products.end(), products.begin(), 0.0);
  return std::fabs(sum) > kSelfNormalized * std::sqrt(squares * long_run_inflation(products));
}

/// Centred values minus their trend over the rows, a polynomial of degree kTrend (least squares).
Values without_trend(Values values) {
  const std::size_t n = values.size();
  std::vector<Values> basis{Values(n, 1.0)}; // orthogonal over the rows
  const auto subtract = [n](Values& from, const Values& direction) {
    const auto product = [&](const Values& a) {
      return std::inner_product(a.begin(), a.end(), direction.begin(), 0.0);
    };
    const double factor = product(from) / product(direction);
    for (std::size_t i = 0; i < n; ++i) from[i] -= factor * direction[i];
  };
  for (int power = 1; power <= kTrend; ++power) {
    Values& next = basis.emplace_back(n);
    for (std::size_t i = 0; i < n; ++i)
      next[i] = std::pow((2.0 * static_cast<double>(i) + 1) / static_cast<double>(n) - 1, power);
    for (int lower = 0; lower < power; ++lower) subtract(next, basis[static_cast<std::size_t>(lower)]);
    subtract(values, next);
  }
  return values;
}

bool beyond_shifted(const Values& x, const Values& y, double chance) {
  const std::size_t n = x.size(), shifts = std::min(n, kMaxShifts);
  const auto product = [&](std::size_t shift) {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += x[i + shift < n ? i + shift : i + shift - n] * y[i];
    return sum;
  };
  double mean = 0, squares = 0;
  for (std::size_t s = 1; s < shifts; ++s) {
    const double p = product(s * n / shifts);
    mean += p, squares += p * p;
  }
  const auto count = static_cast<double>(shifts - 1);
  mean /= count;
  const double std = std::sqrt(std::max(0.0, squares / count - mean * mean));
  if (!(std > 0)) return true;
  return std::erfc(std::fabs(product(0) - mean) / std / std::sqrt(2.0)) < chance;
}

/// Means of the `kBefore` values from each row on, minus the means of the values before it; 0 at both ends.
Values contrasts(const Values& y) {
  Values result(y.size(), 0.0);
  double before = 0, after = 0;
  for (std::size_t i = 0; i < kBefore; ++i) before += y[i], after += y[i + kBefore];
  for (std::size_t p = kBefore; p + kBefore <= y.size(); ++p) {
    result[p] = (after - before) / kBefore;
    if (p + kBefore == y.size()) break;
    before += y[p] - y[p - kBefore], after += y[p + kBefore] - y[p];
  }
  return result;
}

/// Whether y changes at the level changes of x by much more than at any circular shift of these rows:
/// coinciding changes are rarer by chance than coinciding levels.
bool at_its_changes(const Values& x, const Values& y) {
  const std::size_t n = x.size();
  if (n < kMinRowsOfChanges) return false;
  const Values step = contrasts(x), moved = contrasts(y);
  const double spread =
      std::sqrt(std::inner_product(x.begin(), x.end(), x.begin(), 0.0) / static_cast<double>(n));
  std::vector<std::size_t> changes;
  for (std::size_t p = kBefore; p + kBefore < n; ++p) {
    const auto first = step.begin() + static_cast<std::ptrdiff_t>(p - kBefore),
               last = first + 2 * kBefore + 1;
    const double size = std::fabs(step[p]);
    if (size > spread && std::all_of(first, last, [&](double s) { return std::fabs(s) <= size; }) &&
        (changes.empty() || p - changes.back() > kBefore))
      changes.push_back(p);
  }
  if (changes.size() < kMinChanges || changes.size() > kMaxChanges) return false;
  const auto sum_at = [&](std::size_t shift) {
    double sum = 0;
    for (const auto p : changes) sum += (step[p] > 0 ? 1 : -1) * moved[(p + shift) % n];
    return std::fabs(sum);
  };
  double elsewhere = 0;
  for (std::size_t shift = 2 * kBefore; shift + 2 * kBefore < n; ++shift)
    elsewhere = std::max(elsewhere, sum_at(shift));
  return sum_at(0) > kMoreThanElsewhere * elsewhere;
}

/// Whether the slope of differences of neighbours is a third of the slope of the values, or the differences
/// cannot decide.
bool follows_from_row_to_row(const Values& x, const Values& y, const std::vector<std::uint32_t>& group) {
  double xx = 0, xy = 0, yy = 0, steps = 0, together = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += x[i] * x[i], xy += x[i] * y[i], yy += y[i] * y[i];
    if (i == 0 || group[i] != group[i - 1]) continue;
    steps += (x[i] - x[i - 1]) * (x[i] - x[i - 1]), together += (x[i] - x[i - 1]) * (y[i] - y[i - 1]);
  }
  if (!(xx > 0) || !(yy > 0) || std::fabs(xy) < kMinCorrelation * std::sqrt(xx * yy) ||
      steps < 2 * kMinSteps * xx)
    return true;
  return together / steps * xy > 0 && std::fabs(together / steps) >= std::fabs(xy / xx) / 3;
}

constexpr double kSteady = 0.25;
constexpr int kHalvings = 60;

/// Rate of independent events per duration at which this fraction of the launches has at least one.
double rate_for_fraction(double part, const std::vector<double>& durations) {
  const double mean =
      std::accumulate(durations.begin(), durations.end(), 0.0) / static_cast<double>(durations.size());
  double low = 0, high = 1 / mean;
  const auto fraction_at = [&](double rate) {
    double sum = 0;
    for (const double d : durations) sum -= std::expm1(-rate * d);
    return sum / static_cast<double>(durations.size());
  };
  while (fraction_at(high) < part && high < 1e3 / mean) high *= 2;
  for (int i = 0; i < kHalvings; ++i) (fraction_at((low + high) / 2) < part ? low : high) = (low + high) / 2;
  return (low + high) / 2;
}

} // namespace

bool changes_together(const AmountRows& rows, const std::vector<double>& typical, std::size_t candidates) {
  if (rows.x.size() < kMinRows) return true;
  const Values x = ranks_within(rows.x, std::vector<std::uint32_t>(rows.x.size(), 0));
  if (!is_persistent(x)) return true;
  const auto maximum = std::ranges::count(rows.x, *std::ranges::min_element(rows.x));
  if (static_cast<double>(maximum) > kRare * static_cast<double>(rows.x.size())) return true;
  // Two noisy levels are clearer in values, a change with a few outliers is clearer in ranks: both are tried.
  Values level = rows.x;
  const double mean = std::accumulate(level.begin(), level.end(), 0.0) / static_cast<double>(level.size());
  for (double& v : level) v -= mean;
  const Values of_duration = ranks_within(rows.duration, rows.group),
               of_variability =
                   ranks_within(Picked(rows, typical, numbers_below(rows.x.size())).away, rows.group);
  const double chance = 0.05 / 2 / static_cast<double>(std::max<std::size_t>(candidates, 1));
  const auto together = [&](const Values& y) {
    return within_stretches(x, y, false) || within_stretches(x, y, true) ||
           within_stretches(level, y, false) || within_stretches(level, y, true) ||
           (sides_changed(x) >= kMinChanging && beyond_shifted(without_trend(x), without_trend(y), chance)) ||
           at_its_changes(x, y);
  };
  return together(of_duration) || together(of_variability);
}

bool moves_with_durations(const AmountRows& rows, const std::vector<double>& typical) {
  if (rows.x.size() < kMinRows) return true;
  // Sorted by configuration: gaps also depend on what ran before, so only launches of one configuration are
  // neighbours.
  auto order = numbers_below(rows.x.size());
  std::ranges::stable_sort(order, {}, [&](auto i) { return rows.group[i]; });
  const Picked sorted(rows, typical, order);
  const Values x = ranks_within(sorted.amount, sorted.group);
  const auto follows = [&](const Values& y) {
    return follows_from_row_to_row(x, ranks_within(y, sorted.group), sorted.group);
  };
  return !is_persistent(x) || (follows(sorted.duration) && follows(sorted.away));
}

bool only_reflects_previous(const AmountRows& rows, const std::vector<double>& previous,
                            const std::vector<double>& typical) {
  auto known = numbers_below(rows.x.size());
  std::erase_if(known, [&](std::size_t i) { return std::isnan(previous[i]); });
  if (known.size() < kMinRowsWithPrevious) return false;
  const Picked of(rows, typical, known);
  const Values rank = ranks_within(mapped(known, [&](std::size_t i) { return previous[i]; }), of.group);
  std::vector<std::uint32_t> alike;
  for (std::size_t i = 0; i < of.group.size(); ++i)
    alike.push_back(of.group[i] * kTenths +
                    static_cast<std::uint32_t>(std::clamp((rank[i] + 0.5) * kTenths, 0.0, kTenths - 1.0)));
  const auto correlation = [](const Values& x, const Values& y) {
    double xx = 0, xy = 0, yy = 0;
    for (std::size_t i = 0; i < x.size(); ++i) xx += x[i] * x[i], xy += x[i] * y[i], yy += y[i] * y[i];
    return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : 0.0;
  };
  const auto vanishes = [&](const Values& y) {
    const double own = correlation(ranks_within(of.amount, of.group), ranks_within(y, of.group)),
                 left = correlation(ranks_within(of.amount, alike), ranks_within(y, alike));
    return std::fabs(own) * std::sqrt(static_cast<double>(y.size())) >= kClear && left * own < own * own / 2;
  };
  return vanishes(of.duration) || vanishes(of.away);
}

bool as_expected_by_time(const AmountRows& rows, std::uint32_t groups) {
  std::vector<double> count(groups, 0.0), duration(groups, 0.0), number(groups, 0.0);
  for (std::size_t i = 0; i < rows.x.size(); ++i) {
    const auto g = rows.group[i];
    count[g] += 1, duration[g] += rows.duration[i], number[g] += rows.x[i];
  }
  // Expected at a steady rate: counts in proportion to durations; "at least one" grows less in long launches.
  const bool at_least_one = std::ranges::all_of(rows.x, [](double x) { return x == 0 || x == 1; });
  std::vector<double> rate(groups, 0.0);
  if (at_least_one) {
    std::vector<std::vector<double>> durations(groups);
    for (std::size_t i = 0; i < rows.x.size(); ++i) durations[rows.group[i]].push_back(rows.duration[i]);
    for (std::uint32_t g = 0; g < groups; ++g)
      if (number[g] > 0) rate[g] = rate_for_fraction(number[g] / count[g], durations[g]);
  }
  const auto visit = [&](const auto& row) {
    for (std::size_t i = 0; i < rows.x.size(); ++i) {
      const auto g = rows.group[i];
      if (!(number[g] > 0) || !(duration[g] > 0)) continue;
      const double longer = rows.duration[i] * count[g] / duration[g] - 1;
      const double steady =
          at_least_one ? -std::expm1(-rate[g] * rows.duration[i]) * count[g] / number[g] - 1 : longer;
      row(longer, rows.x[i] * count[g] / number[g] - 1, steady);
    }
  };
  double seen = 0, brought = 0, errors = 0;
  visit([&](double d, double x, double steady) { seen += d * x, brought += d * steady; });
  if (!(brought > 0)) return false;
  const double times = seen / brought;
  visit([&](double d, double x, double steady) {
    errors += d * d * (x - times * steady) * (x - times * steady);
  });
  return std::fabs(times - 1) <= std::max(kSteady, 2 * std::sqrt(errors) / brought);
}

} // namespace jitterscope::causal
