// Coverage of intervals: 95 % intervals of total effects, LMG contributions, intrinsic
// contributions and attributable shares against the truth of generated tables, and how often a cause is named
// where there is none. `jitterscope_causal_calibration [TABLES [linear|attributable|amounts|none]]` (default
// 500 of each kind).

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include "core/causal/answer/analyse.h"
#include "core/causal/base/random.h"
#include "core/causal/statistics/effects.h"
#include "core/causal/statistics/moments.h"
#include "core/causal/statistics/normal_scores.h"
#include "core/causal/statistics/shapley.h"
#include "tests/core/causal/amounts/amounts.h"
#include "tests/core/causal/answer/planted.h"
#include "tests/core/causal/table/wide_table.h"
#include "tests/support/launch_table.h"

namespace {

using namespace jitterscope;
using namespace jitterscope::causal;

struct Coverage {
  int inside = 0, below = 0, above = 0; ///< number of intervals with the truth inside, below and above
  void count(double truth, double low, double high) {
    (truth < low ? below : truth > high ? above : inside)++;
  }
  void print(const char* what) const {
    const int all = inside + below + above;
    const double share = all ? 100.0 * inside / all : 0.0;
    std::printf(
        "%-44s %6d intervals  %5.1f %% cover (truth below %.1f %%, above %.1f %%; standard error %.1f)\n",
        what, all, share, all ? 100.0 * below / all : 0.0, all ? 100.0 * above / all : 0.0,
        all ? std::sqrt(share * (100 - share) / all) : 0.0);
  }
};

enum class Noise { gauss, laplace, exponential };

/// A linear model of two to four columns in each of the tiers 1 to 3 and a target in tier 5.
struct Model {
  std::vector<int> tier;
  LinearModel linear;
  Digraph dag{0};
  int target() const { return static_cast<int>(tier.size()) - 1; }
};

double draw(Random& random, Noise noise) {
  const double u = random.uniform() * (1 - 2e-12) + 1e-12;
  switch (noise) {
  case Noise::gauss:
    return normal_quantile(u);
  case Noise::laplace:
    return (u < 0.5 ? std::log(2 * u) : -std::log(2 - 2 * u)) / std::sqrt(2.0);
  case Noise::exponential:
    return -std::log(u) - 1;
  }
  return 0;
}

Model random_model(Random& random) {
  Model m;
  for (const int tier : {1, 2, 3})
    for (std::size_t k = 0; k < 2 + random.below(3); ++k) m.tier.push_back(tier);
  m.tier.push_back(5);
  const auto p = static_cast<Eigen::Index>(m.tier.size());
  m.dag = Digraph(static_cast<int>(p));
  m.linear = {Eigen::MatrixXd::Zero(p, p), Eigen::VectorXd::Ones(p)};
  for (int j = 0; j < p; ++j)
    for (int k = 0; k < j; ++k) {
      const bool joined = random.uniform() < (j == m.target() ? 0.35 : 0.25);
      if (!joined || m.tier[static_cast<std::size_t>(j)] == m.tier[static_cast<std::size_t>(k)]) continue;
      m.dag.parents[static_cast<std::size_t>(j)].push_back(k);
      m.linear.coefficients(j, k) = (random.uniform() < 0.5 ? -1 : 1) * (0.3 + 0.7 * random.uniform());
    }
  return m;
}

LaunchTable rows_of(const Model& m, int n, Noise noise, Random& random) {
  const auto p = static_cast<Eigen::Index>(m.tier.size());
  LaunchTable rows;
  rows.values.resize(n, p);
  for (Eigen::Index r = 0; r < n; ++r)
    for (Eigen::Index j = 0; j < p; ++j) {
      rows.values(r, j) = draw(random, noise);
      for (const int k : m.dag.parents[static_cast<std::size_t>(j)])
        rows.values(r, j) += m.linear.coefficients(j, k) * rows.values(r, k);
    }
  for (Eigen::Index j = 0; j < p; ++j) {
    FeatureInfo info;
    info.name = j + 1 < p ? "x" + std::to_string(j) : "y";
    info.tier = m.tier[static_cast<std::size_t>(j)];
    rows.columns.push_back(std::move(info));
  }
  rows.target = "y";
  return rows;
}

void linear_tables(int tables, int n, Noise noise, const char* name) {
  Coverage effects, shares, intrinsic;
  const auto communicator = local_communicator();
  for (int t = 0; t < tables; ++t) {
    Random random(static_cast<std::uint64_t>(t) + 1,
                  static_cast<std::uint64_t>(n) + static_cast<std::uint64_t>(noise));
    const Model m = random_model(random);
    Options options;
    options.second_opinions = options.nonlinear = false;
    const auto result = analyse(rows_of(m, n, noise, random), options, *communicator);
    if (!result) continue;
    const Eigen::MatrixXd total = total_effects(m.linear);
    const Eigen::MatrixXd covariance = total * total.transpose();
    const auto& parents = m.dag.parents[static_cast<std::size_t>(m.target())];
    const Eigen::VectorXd enters = intrinsic_shares(m.linear, m.target());
    const Shares truth = lmg_shares(covariance, m.target(), parents);
    for (int v = 0; v < m.target(); ++v) {
      const auto* report = result->find("x" + std::to_string(v));
      if (!report || report->status != FeatureStatus::used) continue;
      const double effect = total(m.target(), v);
      const Range ci = report->total_effect_ci;
      // A feature without a path to the target has the effect 0 and no interval.
      if (effect != 0 && ci.low != ci.high) effects.count(effect, ci.low, ci.high);
      if (effect != 0 && report->intrinsic_ci.low != report->intrinsic_ci.high)
        intrinsic.count(100 * enters(v), report->intrinsic_ci.low, report->intrinsic_ci.high);
    }
    for (std::size_t i = 0; i < parents.size(); ++i)
      for (const auto& c : result->contributions)
        if (c.feature == "x" + std::to_string(parents[i]))
          shares.count(100 * truth.share[i], c.ci_low, c.ci_high);
  }
  std::printf("%d linear tables of %d rows, %s noise\n", tables, n, name);
  effects.print("  total effects on the target");
  shares.print("  contributions (LMG) of its causes");
  intrinsic.print("  intrinsic contributions");
}

void attributable_shares(int tables) {
  using test::Cause;
  for (const auto& [cause, name, feature] : {std::tuple{Cause::migration, "migrations", "migration"},
                                             {Cause::stream, "a slow stream", "stream"}}) {
    // The truth: the mean over many tables of the same kind.
    std::vector<Contribution> found;
    const auto communicator = local_communicator();
    for (int t = 0; t < tables; ++t) {
      Options options;
      options.second_opinions = options.nonlinear = false;
      const auto result = analyse(test::planted_launches({.cause = cause,
                                                          .launches = 1'500,
                                                          .seed = 5'000 + static_cast<std::uint64_t>(t),
                                                          .structure = 7}),
                                  options, *communicator);
      if (!result) continue;
      for (const auto& c : result->contributions)
        if (c.attributable_percent && c.feature.starts_with(feature)) {
          found.push_back(c);
          break;
        }
    }
    double mean = 0;
    for (const auto& c : found) mean += *c.attributable_percent / static_cast<double>(found.size());
    Coverage coverage;
    for (const auto& c : found) coverage.count(mean, c.attributable_ci_low, c.attributable_ci_high);
    double variance = 0, half_width = 0;
    for (const auto& c : found) {
      const double off = *c.attributable_percent - mean;
      variance += off * off / static_cast<double>(found.size());
      half_width += (c.attributable_ci_high - c.attributable_ci_low) / 2 / static_cast<double>(found.size());
    }
    std::printf(
        "%d tables of launches with %s: attributable %.1f %% on average, standard deviation %.2f, that "
        "of the intervals %.2f\n",
        tables, name, mean, std::sqrt(variance), half_width / 1.96);
    coverage.print("  attributable shares, against that mean");
  }
}

/// Shares of a numeric factor (the gap before the launch). The truth: test::planted_share().
void amount_shares(int tables) {
  using test::AmountCause;
  constexpr int launches = 2'000;
  const double end = reference_share(launches);
  const auto communicator = local_communicator();
  for (const auto& [cause, name] :
       {std::pair{AmountCause::spread_line, "spread that grows with the gap"},
        std::pair{AmountCause::spread_step, "spread three times as wide beyond a gap"},
        std::pair{AmountCause::shift_rare, "longer beyond a gap that 3 % have"},
        std::pair{AmountCause::shift_line, "longer in proportion to the gap"}}) {
    const double truth = 100 * test::planted_share(cause, end);
    Coverage coverage;
    int missed = 0;
    double mean = 0, squares = 0, half_width = 0;
    for (int t = 0; t < tables; ++t) {
      Options options;
      options.second_opinions = options.nonlinear = false;
      const auto result =
          analyse(test::amount_launches(
                      {.cause = cause, .launches = launches, .seed = 9'000 + static_cast<std::uint64_t>(t)}),
                  options, *communicator);
      const bool found =
          result && !result->contributions.empty() && result->contributions.front().role == Role::cause;
      if (!found) {
        ++missed;
        continue;
      }
      const Contribution& c = result->contributions.front();
      coverage.count(truth, c.attributable_ci_low, c.attributable_ci_high);
      mean += *c.attributable_percent, squares += *c.attributable_percent * *c.attributable_percent;
      half_width += (c.attributable_ci_high - c.attributable_ci_low) / 2;
    }
    const double found = std::max(1, tables - missed);
    mean /= found;
    std::printf("%d tables of launches, %s: attributable %.1f %% on average (truth %.1f), standard deviation "
                "%.2f, that of the intervals %.2f; not named in %d\n",
                tables, name, mean, truth, std::sqrt(std::max(0.0, squares / found - mean * mean)),
                half_width / found / 1.96, missed);
    coverage.print("  attributable shares");
  }
}

void without_cause(int tables) {
  int launches = 0, rows = 0, wide = 0;
  const auto communicator = local_communicator();
  const auto names_one = [&](const RowSource& source, int bootstrap) {
    Options options;
    options.second_opinions = options.nonlinear = false;
    options.bootstrap = bootstrap;
    const auto result = analyse(source, options, *communicator);
    return result && std::any_of(result->contributions.begin(), result->contributions.end(),
                                 [](const auto& c) { return c.role == Role::cause; });
  };
  for (int t = 0; t < tables; ++t) {
    const auto seed = static_cast<std::uint64_t>(t) + 1;
    launches += names_one(test::planted_launches({.launches = t % 3 == 0   ? 300
                                                              : t % 3 == 1 ? 1'000
                                                                           : 2'500,
                                                  .seed = seed,
                                                  .kernels = 1 + t % 4,
                                                  .noise = t % 2 ? 0.05 : 0.2}),
                          200);
    Random random(seed, 3);
    Model m = random_model(random);
    m.dag.parents.back().clear();
    rows += names_one(rows_of(m, t % 2 ? 60 : 400, t % 3 ? Noise::laplace : Noise::gauss, random), 200);
    wide += names_one(test::wide_table({.rows = 30 + 10 * (t % 5), .columns = 300, .seed = seed}).rows, 100);
  }
  std::printf("without any cause, a cause is named in %.1f %% of %d traces, %.1f %% of tables, %.1f %% of "
              "tables with more columns than rows\n",
              100.0 * launches / tables, tables, 100.0 * rows / tables, 100.0 * wide / tables);
}

} // namespace

int main(int count, char** arguments) {
  const int tables = count > 1 ? std::max(1, std::atoi(arguments[1])) : 500;
  const std::string only = count > 2 ? arguments[2] : "";
  if (only == "attributable") return attributable_shares(tables), 0;
  if (only == "amounts") return amount_shares(tables), 0;
  if (only == "none") return without_cause(tables), 0;
  if (only == "linear") return linear_tables(tables, 400, Noise::gauss, "Gaussian"), 0;
  linear_tables(tables, 400, Noise::gauss, "Gaussian");
  linear_tables(tables, 1'000, Noise::laplace, "Laplace");
  linear_tables(tables, 1'000, Noise::exponential, "exponential");
  attributable_shares(tables);
  amount_shares(tables);
  without_cause(tables);
}
