// The fits of the K-model compared with an independent one: for a given ratio s = R_Ci / R_Cb the model is
// linear in α and 1 / R_Cb, so that only s is searched, on a grid and then by golden section, in long double.

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "core/model/network/k_fit.h"

namespace jitterscope::model {
namespace {

using Number = long double;
using Points = std::vector<PairPoint>;

struct Linear {
  Number alpha = 0, slope = 0, squares = 0;
};

/// Least squares of T = α + slope x with weights 1/n and α ≥ 0, by orthogonalisation of the weighted columns.
template <class X>
Linear linear_fit(const Points& points, X x) {
  Number ones = 0, mixed = 0, times = 0;
  for (const auto& p : points) {
    const Number w = 1 / static_cast<Number>(p.bytes);
    ones += w, mixed += w * x(p), times += w * p.time;
  }
  Number own = 0, with_time = 0;
  for (const auto& p : points) {
    const Number w = 1 / static_cast<Number>(p.bytes), rest = x(p) - mixed / ones;
    own += w * rest * rest, with_time += w * rest * p.time;
  }
  Linear out;
  out.slope = own > 0 ? with_time / own : 0;
  out.alpha = times / ones - out.slope * mixed / ones;
  if (out.alpha < 0) {
    Number xx = 0, xt = 0;
    for (const auto& p : points) xx += x(p) * x(p) / p.bytes, xt += x(p) * p.time / p.bytes;
    out.alpha = 0, out.slope = xt / xx;
  }
  for (const auto& p : points) {
    const Number error = p.time - out.alpha - out.slope * x(p);
    out.squares += error * error / p.bytes;
  }
  return out;
}

Linear fit_at(const Points& points, Number ratio) {
  return linear_fit(points, [&](const PairPoint& p) -> Number {
    return p.pairs * static_cast<Number>(p.bytes) / (1 + (p.pairs - 1) * ratio);
  });
}

struct Reference {
  double alpha = 0, rate = 0, added = 0, squares = 0;
};

Reference reference_fit(const Points& points) {
  double most = 1;
  for (const auto& p : points) most = std::max(most, p.pairs);
  const Number lowest = most > 1 ? -1 / (static_cast<Number>(most) - 1) : 0;
  const int steps = most > 1 ? 4'000 : 0;
  const auto squares_at = [&](Number ratio) {
    const auto fit = fit_at(points, ratio);
    return fit.slope > 0 ? fit.squares : std::numeric_limits<Number>::infinity();
  };
  const auto ratio_of = [&](Number step) {
    return lowest + std::exp(step * 0.004L - 8);
  }; // e^-8 to e^8 above `lowest`
  Number best = 0, minimum = std::numeric_limits<Number>::infinity();
  for (int i = 0; i <= steps; ++i)
    if (const auto squares = squares_at(steps > 0 ? ratio_of(i) : 0); squares < minimum)
      minimum = squares, best = i;
  Number low = best - 1, high = best + 1;
  const Number golden = (std::sqrt(5.0L) - 1) / 2;
  for (int i = 0; steps > 0 && i < 120; ++i) {
    const Number left = high - golden * (high - low), right = low + golden * (high - low);
    if (squares_at(ratio_of(left)) < squares_at(ratio_of(right)))
      high = right;
    else
      low = left;
  }
  const Number ratio = steps > 0 ? ratio_of((low + high) / 2) : 0;
  const auto fit = fit_at(points, ratio);
  return {static_cast<double>(fit.alpha), static_cast<double>(1 / fit.slope),
          static_cast<double>(ratio / fit.slope), static_cast<double>(fit.squares)};
}

double squares_of(const Points& points, const MessageRegime& regime) {
  double sum = 0;
  for (const auto& p : points) sum += std::pow(p.time - regime.time(p.bytes, p.pairs), 2) / p.bytes;
  return sum;
}

Points table(double first_size, const std::vector<std::vector<double>>& rows) {
  Points out;
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (std::size_t k = 0; k < rows[r].size(); ++k)
      out.push_back({std::ldexp(first_size, static_cast<int>(r)), static_cast<double>(k + 1), rows[r][k]});
  return out;
}

void expect_same_fit(const Points& points) {
  const auto fit = fit_k_rate(points);
  ASSERT_TRUE(fit) << fit.error().message;
  const auto reference = reference_fit(points);
  const auto& regime = fit->regime;
  EXPECT_LE(squares_of(points, regime), reference.squares * (1 + 1e-9) + 1e-18);
  EXPECT_NEAR(regime.alpha, reference.alpha, 1e-5 * reference.alpha + 1e-5);
  EXPECT_NEAR(regime.rate, reference.rate, 1e-5 * reference.rate);
  EXPECT_NEAR(regime.added_rate, reference.added, 1e-4 * std::abs(reference.added) + 1e-5 * reference.rate);
}

TEST(KReference, PublishedTables) {
  expect_same_fit(
      table(256, {{.73, .83}, {.80, .90}, {.88, .97}, {.99, 1.09}, {1.31, 1.46}, {1.66, 1.75}})); // Summit
  expect_same_fit(table(16384, {{4.24, 4.34},
                                {5.32, 5.55},
                                {8.00, 8.37},
                                {11.74, 12.22},
                                {18.17, 19.51},
                                {32.41, 35.04},
                                {60.68, 65.58},
                                {117.28, 126.58},
                                {240.15, 258.94}}));
  expect_same_fit(table(256, {{2.14, 2.35, 2.54, 2.37}, // Lassen
                              {2.31, 2.46, 2.47, 2.49},
                              {2.58, 2.68, 2.63, 2.67},
                              {3.24, 3.37, 3.25, 3.16},
                              {3.92, 4.13, 4.18, 4.37},
                              {5.35, 5.71, 5.89, 6.03},
                              {7.56, 7.83, 8.91, 9.39},
                              {9.77, 10.56, 11.76, 13.20},
                              {12.75, 15.79, 19.73, 23.57}}));
  expect_same_fit(table(
      131072, {{18.99, 20.86, 28.87, 31.38}, {28.91, 31.86, 47.64, 52.83}, {47.59, 53.30, 85.65, 96.10}}));
}

TEST(KReference, ShortMessagesOfPublishedTables) {
  for (const auto& points : {table(8, {{.58, .71}, {.59, .70}, {.59, .70}, {.62, .73}, {.63, .76}}),
                             table(8, {{1.52, 1.55, 1.58, 1.64},
                                       {1.52, 1.55, 1.60, 1.63},
                                       {1.51, 1.56, 1.61, 1.66},
                                       {1.59, 1.65, 1.75, 1.84},
                                       {1.69, 1.74, 1.84, 1.92}})}) {
    const auto fit = fit_k_short(points);
    ASSERT_TRUE(fit);
    const auto reference = linear_fit(
        points, [](const PairPoint& p) -> Number { return static_cast<Number>(p.pairs) * p.bytes; });
    EXPECT_NEAR(fit->regime.alpha, static_cast<double>(reference.alpha), 1e-12);
    EXPECT_NEAR(fit->regime.beta, static_cast<double>(reference.slope), 1e-15);
  }
}

TEST(KReference, RandomTables) {
  std::mt19937_64 random(29);
  std::uniform_real_distribution<double> unit(0, 1);
  std::normal_distribution<double> normal;
  for (int table = 0; table < 300; ++table) {
    SCOPED_TRACE(table);
    const double alpha = 0.5 + 20 * unit(random), rate = 1'000 + 30'000 * unit(random);
    const double added = rate * (0.05 + 0.9 * unit(random)), noise = 0.08 * unit(random);
    const int sizes = 4 + static_cast<int>(8 * unit(random)), pairs = 2 + static_cast<int>(4 * unit(random));
    // The largest message takes at least three times the start-up time: else the data determine no rate.
    const double largest = rate * alpha * (2 + 20 * unit(random)), first = std::ldexp(largest, 1 - sizes);
    Points points;
    for (int i = 0; i < sizes; ++i)
      for (int k = 1; k <= pairs; ++k) {
        const double n = std::ldexp(first, i);
        points.push_back({n, k + (k > 1 ? 0.5 * unit(random) : 0),
                          (alpha + k * n / (rate + (k - 1) * added)) * std::exp(noise * normal(random))});
      }
    expect_same_fit(points);
  }
}

TEST(KReference, TablesOfOneNumberOfPairs) {
  std::mt19937_64 random(30);
  std::normal_distribution<double> normal;
  for (int table = 0; table < 50; ++table) {
    Points points;
    for (double n = 256; n <= 1 << 20; n *= 2)
      points.push_back({n, 1, (3 + n / 9'000) * std::exp(0.05 * normal(random))});
    const auto fit = fit_k_rate(points);
    ASSERT_TRUE(fit);
    const auto reference = reference_fit(points);
    EXPECT_LE(squares_of(points, fit->regime), reference.squares * (1 + 1e-9));
    EXPECT_NEAR(fit->regime.rate, reference.rate, 1e-6 * reference.rate);
  }
}

} // namespace
} // namespace jitterscope::model
