#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "core/base/exact_sums.h"
#include "core/base/ids.h"
#include "core/base/ordered_double.h"
#include "core/causal/amounts/attributable.h"
#include "core/causal/answer/notes.h"
#include "core/causal/base/bootstrap.h"
#include "core/causal/base/random.h"
#include "core/causal/base/row_source.h"
#include "core/causal/statistics/cross_products.h"
#include "core/causal/statistics/group_medians.h"
#include "core/causal/statistics/moments.h"
#include "core/causal/statistics/normal_scores.h"
#include "tests/core/causal/answer/answers.h"
#include "tests/support/launch_table.h"

namespace jitterscope::causal {
namespace {

using test::normal;

TEST(NormalScoresTest, QuantilesAreThoseOfTheNormalDistribution) {
  EXPECT_NEAR(normal_quantile(0.5), 0, 1e-15);
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-12);
  EXPECT_NEAR(normal_quantile(1e-10), -6.361340902404056, 1e-9);
}

TEST(NormalScoresTest, TiesShareTheScoreOfTheirMeanRank) {
  const NormalScores scores({3, 1, 3, 2}, 100);
  EXPECT_NEAR(scores(1), normal_quantile(0.5 / 4), 1e-15);
  EXPECT_NEAR(scores(3), normal_quantile(3.0 / 4), 1e-15);
  EXPECT_EQ(scores(99), scores(3));
  EXPECT_NEAR(scores(1.5), 0.5 * (scores(1) + scores(2)), 1e-15);
}

TEST(NormalScoresTest, KnotsStayCloseToExactScores) {
  Random random(1);
  std::vector<double> sample;
  for (int i = 0; i < 50'000; ++i) sample.push_back(std::exp(3 * random.uniform()));
  const NormalScores exact(sample, sample.size()), knots(sample, 4'096);
  for (int i = 0; i < 1'000; ++i)
    EXPECT_NEAR(exact(sample[static_cast<std::size_t>(i)]), knots(sample[static_cast<std::size_t>(i)]), 0.01);
}

TEST(PercentileInterval, LeavesFailedReplicatesOut) {
  std::vector<double> values, with_failed;
  for (int i = 0; i < 199; ++i) {
    values.push_back(i);
    with_failed.push_back(i);
    if (i % 7 == 0) with_failed.push_back(std::nan(""));
  }
  EXPECT_EQ(percentile_interval(with_failed).low, percentile_interval(values).low);
  EXPECT_EQ(percentile_interval(with_failed).high, percentile_interval(values).high);
  EXPECT_EQ(percentile_interval({std::nan("")}).high, 0);
}

/// The first n terms of an autoregressive process; `rho`: correlation of neighbours.
std::vector<double> autoregressive_terms(Random& random, double rho, std::size_t n) {
  std::vector<double> terms;
  double at = normal(random);
  for (std::size_t i = 0; i < n; ++i) {
    terms.push_back(at);
    at = rho * at + std::sqrt(1 - rho * rho) * normal(random);
  }
  return terms;
}

TEST(ResamplesOfSums, TheLongRunVarianceIsThatOfAnAutoregression) {
  for (const double rho : {0.0, 0.5, 0.9}) {
    double sum = 0;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      Random random(seed);
      sum += long_run_inflation(autoregressive_terms(random, rho, 4'000)) / 40;
    }
    const double truth = (1 + rho) / (1 - rho);
    EXPECT_NEAR(sum, truth, 0.15 * truth) << rho;
  }
}

TEST(ResamplesOfSums, IntervalsOfAMeanCoverItHoweverSlowlyItChanges) {
  for (const double rho : {0.0, 0.9, 0.97}) {
    int covered = 0;
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
      Random random(seed);
      auto terms = autoregressive_terms(random, rho, 2'000);
      double mean = 0;
      for (const double t : terms) mean += t / 2'000;
      for (double& t : terms) t -= mean;
      const auto units = units_of_sum(terms);
      const double expansion = expansion_of_units(terms, units);
      const auto drawn = draw_units(terms.size(), units, 100, seed, Job());
      ASSERT_TRUE(drawn);
      std::vector<double> means;
      for (const auto& weights : *drawn) {
        double sum = 0, count = 0;
        for (std::size_t b = 0; b < terms.size(); ++b) sum += weights[b] * terms[b], count += weights[b];
        means.push_back(mean + expansion * sum / count);
      }
      const Range interval = percentile_interval(std::move(means));
      covered += interval.low <= 0 && 0 <= interval.high;
    }
    EXPECT_GT(covered, 0.91 * 300) << rho;
    EXPECT_LT(covered, 0.985 * 300) << rho;
  }
}

TEST(ExactSumsTest, OrderDoesNotMatter) {
  Random random(2);
  std::vector<double> values;
  for (int i = 0; i < 10'000; ++i)
    values.push_back((random.uniform() - 0.5) * std::pow(10.0, 6 * random.uniform()));
  const auto communicator = local_communicator();
  ExactSums one(1, 1e6, 10'000), other(1, 1e6, 10'000);
  double plain = 0;
  for (const double v : values) one.add(0, v), plain += v;
  for (std::size_t i = values.size(); i-- > 0;) other.add(0, values[i]);
  const double sum = one.total(*communicator)->front();
  EXPECT_EQ(sum, other.total(*communicator)->front());
  EXPECT_NEAR(sum, plain, 1e-6);
}

TEST(ExactSumsTest, KeysOrderLikeTheirNumbers) {
  const std::vector<double> sorted{-1e300, -2.5, -1e-300, 0, 1e-300, 3, 1e300};
  for (std::size_t i = 1; i < sorted.size(); ++i)
    EXPECT_LT(ordered_integer(sorted[i - 1]), ordered_integer(sorted[i]));
  for (const double v : sorted) EXPECT_EQ(from_ordered_integer(ordered_integer(v)), v);
  EXPECT_EQ(ordered_integer(-0.0), ordered_integer(0.0));
}

TEST(GroupMedians, EvenOddNegativeAndEmptyGroups) {
  const std::vector<double> values{5, 1, 9, 4, -2, -8, NAN, 7};
  const std::vector<std::uint32_t> groups{0, 0, 0, 1, 1, 3, 3, kNone};
  const auto communicator = local_communicator();
  for (const std::uint32_t count : {4u, 5'000u}) {
    const auto medians = group_medians(values, groups, count, *communicator, Job());
    EXPECT_EQ((*medians)[0], 5);
    EXPECT_EQ((*medians)[1], 1);
    EXPECT_TRUE(std::isnan((*medians)[2]));
    EXPECT_EQ((*medians)[3], -8);
  }
}

TEST(Concentration, LaunchesWithHalfOfTheVariabilityAreThoseOfASortedList) {
  Random random(11);
  const auto communicator = local_communicator();
  const LaunchTable source;
  for (const double power : {1.0, 4.0, 12.0})
    for (const std::size_t n : {std::size_t{1}, std::size_t{2}, std::size_t{999}, std::size_t{20'000}}) {
      Frame frame(source);
      frame.groups.median = {1e4, 3e6};
      frame.plan.rows = static_cast<std::int64_t>(n);
      std::vector<double> all;
      for (std::size_t i = 0; i < n; ++i) {
        frame.local.used.push_back(i % 7 != 3);
        frame.local.group.push_back(static_cast<std::uint32_t>(i % 2));
        const double v = 1e5 * std::pow(random.uniform(), power);
        frame.local.duration.push_back(frame.groups.median[i % 2] + v);
        frame.groups.longest = std::max(frame.groups.longest, frame.local.duration.back());
        if (frame.local.used.back()) all.push_back(frame.local.duration.back() - frame.groups.median[i % 2]);
      }
      std::sort(all.rbegin(), all.rend());
      double sum = 0, half = 0;
      for (const double v : all) sum += v;
      std::size_t expected = 0;
      while (half < 0.5 * sum) half += all[expected++];
      const auto found = launches_with_half_of_the_variability(frame, *communicator);
      ASSERT_TRUE(found);
      EXPECT_NEAR(static_cast<double>(*found), static_cast<double>(expected),
                  1 + 0.02 * static_cast<double>(expected));
    }
  Frame nothing(source);
  EXPECT_EQ(*launches_with_half_of_the_variability(nothing, *communicator), 0);
}

Eigen::MatrixXd random_rows(Eigen::Index n, Eigen::Index p, std::uint64_t seed) {
  Random random(seed);
  Eigen::MatrixXd x(n, p);
  for (Eigen::Index i = 0; i < x.size(); ++i) x.data()[i] = random.uniform() + 1'000;
  return x;
}

TEST(CrossProducts, EqualThePlainProductsForEveryShape) {
  Random random(13);
  for (const Eigen::Index rows : {1, 7, 8, 9, 511, 513, 1'300})
    for (const Eigen::Index columns : {1, 4, 5, 6, 11, 43}) {
      Eigen::MatrixXd x(rows, columns);
      for (Eigen::Index i = 0; i < x.size(); ++i) x.data()[i] = random.uniform() - 0.5;
      PaddedColumns<double> padded(rows, columns);
      PaddedColumns<float> single(rows, columns);
      for (Eigen::Index c = 0; c < columns; ++c)
        for (Eigen::Index r = 0; r < rows; ++r)
          padded.column(c)[r] = x(r, c), single.column(c)[r] = static_cast<float>(x(r, c));
      const Eigen::MatrixXd expected = x.transpose() * x;
      Eigen::MatrixXd cross = Eigen::MatrixXd::Zero(columns, columns);
      add_gram(padded, cross);
      cross.triangularView<Eigen::StrictlyUpper>() = cross.transpose();
      EXPECT_LT((cross - expected).cwiseAbs().maxCoeff(), 1e-12 * static_cast<double>(rows));
      GramSums pieces(columns);
      pieces.add(padded), pieces.add(padded);
      cross.setZero();
      pieces.add_to(cross);
      cross.triangularView<Eigen::StrictlyUpper>() = cross.transpose();
      EXPECT_LT((cross - 2 * expected).cwiseAbs().maxCoeff(), 2e-12 * static_cast<double>(rows));
      const Eigen::Index half = columns / 2;
      Eigen::MatrixXf part = Eigen::MatrixXf::Zero(half, columns - half);
      add_cross_products<float>(single, 0, half, single, half, columns, part);
      if (half > 0) {
        EXPECT_LT((part.cast<double>() - expected.block(0, half, half, columns - half)).cwiseAbs().maxCoeff(),
                  1e-5 * static_cast<double>(rows));
      }
    }
}

TEST(MomentsTest, LongPiecesThatDriftAwayFromTheirBeginningKeepTheirDigits) {
  Random random(5);
  for (const Eigen::Index rows : {256, 257, 4'096, 10'001}) {
    Eigen::MatrixXd x(rows, 7);
    for (Eigen::Index r = 0; r < rows; ++r)
      for (Eigen::Index c = 0; c < 7; ++c)
        x(r, c) = c == 6 ? 0.1 : 1e6 + random.uniform() + (c < 3 ? 0.01 * static_cast<double>(r) : 0.0);
    const Moments m = Moments::of(x);
    std::vector<long double> mean(7, 0);
    for (Eigen::Index c = 0; c < 7; ++c)
      for (Eigen::Index r = 0; r < rows; ++r)
        mean[static_cast<std::size_t>(c)] += x(r, c) / static_cast<long double>(rows);
    for (Eigen::Index i = 0; i < 7; ++i)
      for (Eigen::Index j = 0; j < 7; ++j) {
        long double sum = 0;
        for (Eigen::Index r = 0; r < rows; ++r)
          sum +=
              (x(r, i) - mean[static_cast<std::size_t>(i)]) * (x(r, j) - mean[static_cast<std::size_t>(j)]);
        const double scale = std::sqrt(m.cross(i, i) * m.cross(j, j));
        EXPECT_NEAR(m.cross(i, j), static_cast<double>(sum), 1e-9 * scale + 1e-20);
        EXPECT_EQ(m.cross(i, j), m.cross(j, i));
      }
    EXPECT_GE(m.cross(6, 6), 0);
    EXPECT_LT(m.cross(6, 6), 1e-20);
    for (Eigen::Index c = 0; c < 7; ++c)
      EXPECT_NEAR(m.mean(c), static_cast<double>(mean[static_cast<std::size_t>(c)]), 1e-9);
  }
}

TEST(MomentsTest, MergingPartsEqualsTheWhole) {
  const Eigen::MatrixXd x = random_rows(1'000, 4, 3);
  const Moments whole = Moments::of(x);
  Moments merged(4);
  for (const auto& [first, count] : {std::pair{0, 10}, {10, 500}, {510, 0}, {510, 490}})
    merged.merge(Moments::of(x.middleRows(first, count)));
  EXPECT_EQ(merged.n, whole.n);
  EXPECT_TRUE(merged.mean.isApprox(whole.mean, 1e-14));
  EXPECT_TRUE(merged.cross.isApprox(whole.cross, 1e-9));
}

TEST(MomentsTest, AResampleEqualsTheRepeatedRows) {
  const Eigen::MatrixXd x = random_rows(60, 3, 4);
  std::vector<Moments> blocks;
  for (int b = 0; b < 6; ++b) blocks.push_back(Moments::of(x.middleRows(10 * b, 10)));
  const auto communicator = local_communicator();
  const auto all = BlockMoments::gather(blocks, 3, *communicator, {});
  const std::vector<int> weights{2, 0, 1, 3, 0, 0};
  Eigen::MatrixXd repeated(60, 3);
  Eigen::Index at = 0;
  for (int b = 0; b < 6; ++b)
    for (int w = 0; w < weights[static_cast<std::size_t>(b)]; ++w, at += 10)
      repeated.middleRows(at, 10) = x.middleRows(10 * b, 10);
  const Moments expected = Moments::of(repeated), got = all->resampled(weights);
  EXPECT_EQ(got.n, expected.n);
  EXPECT_TRUE(got.mean.isApprox(expected.mean, 1e-13));
  EXPECT_TRUE(got.cross.isApprox(expected.cross, 1e-9));
}

TEST(MomentsTest, AutocorrelationIsSeenAndIndependenceIsNot) {
  Random random(6);
  std::vector<Moments> independent, slow;
  double level = 0;
  for (int b = 0; b < 2'000; ++b) {
    Eigen::MatrixXd x(5, 1), y(5, 1);
    for (int i = 0; i < 5; ++i) {
      x(i, 0) = normal_quantile(random.uniform() * 0.999998 + 1e-6);
      level = 0.9 * level + normal_quantile(random.uniform() * 0.999998 + 1e-6);
      y(i, 0) = level;
    }
    independent.push_back(Moments::of(x)), slow.push_back(Moments::of(y));
  }
  const auto communicator = local_communicator();
  const Eigen::VectorXd one = Eigen::VectorXd::Ones(1);
  EXPECT_EQ(BlockMoments::gather(independent, 1, *communicator, {})->variance_inflation(one), 1);
  EXPECT_NEAR(BlockMoments::gather(slow, 1, *communicator, {})->variance_inflation(one), 19, 7)
      << "(1 + .9) / (1 − .9)";
}

TEST(BlockPlanTest, BlocksDependOnTheTableOnly) {
  for (const std::int64_t rows : {1, 60, 200, 5'000, 1'000'000, 90'000'000})
    for (const std::int64_t columns : {1, 30, 500}) {
      const auto plan = BlockPlan::for_table(rows, columns);
      EXPECT_EQ(plan.first(0), 0);
      EXPECT_EQ(plan.first(plan.blocks), rows);
      EXPECT_GE(plan.blocks, std::min<std::int64_t>(rows, 50));
    }
}

TEST(SmallSamples, ExpectedDeviationsAreThoseOfNormalLaunches) {
  Random random(8);
  for (const int n : {2, 3, 4, 5, 6, 10, 25}) {
    double sum = 0;
    constexpr int trials = 40'000;
    for (int t = 0; t < trials; ++t) {
      std::vector<double> x;
      for (int i = 0; i < n; ++i) x.push_back(normal_quantile(random.uniform() * 0.999998 + 1e-6));
      std::sort(x.begin(), x.end());
      const double median =
          0.5 * (x[static_cast<std::size_t>((n - 1) / 2)] + x[static_cast<std::size_t>(n / 2)]);
      for (const double v : x) sum += std::fabs(v - median) / n;
    }
    EXPECT_NEAR(small_sample_share(n), sum / trials / std::sqrt(2 / M_PI), 0.02) << n;
  }
}

} // namespace
} // namespace jitterscope::causal
