#include "core/causal/effects/nonlinear.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/causal/answer/analyse.h"
#include "core/causal/base/random.h"
#include "core/causal/statistics/normal_scores.h"
#include "core/causal/table/stretch_sample.h"
#include "core/causal/table/survey_frame.h"
#include "tests/core/causal/answer/answers.h"
#include "tests/core/causal/answer/planted.h"
#include "tests/core/causal/thread_communicator.h"
#include "tests/support/launch_table.h"

namespace jitterscope::causal {
namespace {

using test::normal;

/// y = straight · x + bend · (x² − 1) + w + noise, where x and w are independent.
LaunchTable bent_table(int n, double straight, double bend, std::uint64_t seed) {
  Random random(seed, 41);
  std::vector<double> x, w, y;
  for (int i = 0; i < n; ++i) {
    x.push_back(normal(random)), w.push_back(normal(random));
    y.push_back(50 + straight * x.back() + bend * (x.back() * x.back() - 1) + w.back() + normal(random));
    x.back() = 1'000 + 10 * x.back();
  }
  LaunchTable rows;
  rows.add({"x", "", 1, {}, {}, {}, {}}, x), rows.add({"w", "", 2, {}, {}, {}, {}}, w),
      rows.add({"y", "", 5, {}, {}, {}, {}}, y);
  rows.target = "y";
  return rows;
}

CausalResult run_with_few_resamplings(const RowSource& rows, Options options = {}) {
  options.bootstrap = std::min(options.bootstrap, 20);
  return test::run(rows, options);
}

bool warned(const CausalResult& r) {
  return std::any_of(r.warnings.begin(), r.warnings.end(),
                     [](const Warning& w) { return w.code == "non-linear"; });
}

bool reported(const CausalResult& r) {
  return std::any_of(r.sentences.begin(), r.sentences.end(), [](const auto& s) {
    return s.starts_with("Effects are not linear") || s.find("curves and interactions") != std::string::npos;
  });
}

const Curve& curve_of(const CausalResult& r, const std::string& feature) {
  return *std::find_if(r.nonlinear->curves.begin(), r.nonlinear->curves.end(),
                       [&](const Curve& c) { return c.feature == feature; });
}

TEST(Nonlinear, AQuadraticCauseIsFoundAndItsBendIsDrawn) {
  const CausalResult r = run_with_few_resamplings(bent_table(2'000, 1, 1, 1));
  ASSERT_TRUE(r.nonlinear);
  // Variances: 1 of the line, 2 of the bend, 1 of w, 1 of noise.
  EXPECT_NEAR(r.nonlinear->linear_r2, 0.4, 0.06);
  EXPECT_NEAR(r.nonlinear->boosted_r2, 0.8, 0.06);
  EXPECT_NEAR(r.nonlinear->part, r.nonlinear->boosted_r2 - r.nonlinear->linear_r2, 1e-12);
  EXPECT_EQ(r.nonlinear->rows, 2'000);
  EXPECT_TRUE(warned(r));
  EXPECT_TRUE(reported(r));
  ASSERT_EQ(r.nonlinear->curves.size(), 2u);
  const Curve& x = curve_of(r, "x");
  ASSERT_EQ(x.values.size(), 20u);
  for (std::size_t k = 0; k < x.values.size(); ++k) {
    const double z = (x.values[k] - 1'000) / 10;
    if (std::fabs(z) < 1.8) {
      EXPECT_NEAR(x.expected[k], 49 + z + z * z, 0.6) << z;
    }
  }
}

TEST(Nonlinear, AStraightCauseIsNotCalledBent) {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6, 7, 8}) {
    const CausalResult r = run_with_few_resamplings(bent_table(seed % 2 ? 300 : 3'000, 2, 0, seed));
    ASSERT_TRUE(r.nonlinear);
    EXPECT_EQ(r.nonlinear->part, 0) << r.nonlinear->linear_r2 << " " << r.nonlinear->boosted_r2;
    EXPECT_GT(r.nonlinear->boosted_r2, r.nonlinear->linear_r2 - 0.06) << "trees start from the lines";
    EXPECT_FALSE(warned(r) || reported(r));
  }
}

TEST(Nonlinear, NoiseIsNotCalledBent) {
  const auto communicator = local_communicator();
  int bent = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const LaunchTable rows = bent_table(seed % 2 ? 250 : 1'500, 0, 0, seed);
    auto frame = survey_frame(rows, {}, *communicator, {});
    ASSERT_TRUE(frame);
    // x has no effect on y
    const auto check = check_nonlinear(*frame, {0}, {}, *communicator, {});
    ASSERT_TRUE(check && *check);
    bent += (*check)->part > 0;
  }
  EXPECT_EQ(bent, 0);
}

TEST(Nonlinear, EventsAndInteractionsHaveCurvesToo) {
  Random random(5, 5);
  std::vector<double> a, b, y;
  for (int i = 0; i < 2'000; ++i) {
    a.push_back(random.uniform() < 0.3 ? 1 : 0), b.push_back(random.uniform() < 0.5 ? 1 : 0);
    y.push_back(a.back() + b.back() + 4 * a.back() * b.back() + 0.5 * normal(random));
  }
  LaunchTable rows;
  rows.add({"a", "", 1, {}, {}, {}, {}}, a), rows.add({"b", "", 2, {}, {}, {}, {}}, b),
      rows.add({"y", "", 5, {}, {}, {}, {}}, y);
  const CausalResult r = run_with_few_resamplings(rows);
  ASSERT_TRUE(r.nonlinear);
  EXPECT_GT(r.nonlinear->part, 0.1);
  const Curve& curve = curve_of(r, "a");
  EXPECT_NEAR(curve.values.front(), 0, 1e-9);
  EXPECT_NEAR(curve.values.back(), 1, 1e-9);
  ASSERT_EQ(curve.values.size(), 2u);
  EXPECT_NEAR(curve.expected[1] - curve.expected[0], 3, 0.3) << "1 + 4 in half of the rows";
}

TEST(Nonlinear, IsLeftOutWhereItCannotBeJudged) {
  EXPECT_FALSE(run_with_few_resamplings(bent_table(199, 2, 0, 1)).nonlinear) << "too few rows";
  Options options;
  options.features = {"x"};
  EXPECT_FALSE(run_with_few_resamplings(bent_table(1'000, 0, 0, 1), options).nonlinear) << "no parents";
  options = {};
  options.nonlinear = false;
  EXPECT_FALSE(run_with_few_resamplings(bent_table(1'000, 2, 0, 1), options).nonlinear);
}

TEST(Nonlinear, AnyNumberOfRanksGivesTheSameNumbers) {
  for (const auto& [rows, reading] :
       {std::pair{bent_table(1'501, 1, 1, 3), Reading::automatic},
        {test::planted_launches({.cause = test::Cause::clock, .launches = 1'000, .seed = 5}),
         Reading::within}}) {
    const auto& source = rows; // Clang 14 captures no structured binding
    Options options;
    options.bootstrap = 10, options.reading = reading;
    const CausalResult alone = run_with_few_resamplings(source, options);
    ASSERT_TRUE(alone.nonlinear);
    for (const int size : {1, 2, 4, 7})
      test::ThreadRanks(size).run([&](Communicator& communicator) {
        const auto result = analyse(source, options, communicator);
        ASSERT_TRUE(result);
        EXPECT_EQ(to_json(*result)["nonlinear"].dump(), to_json(alone)["nonlinear"].dump()) << size;
        communicator.finish(true);
      });
  }
}

TEST(Nonlinear, StopsWhenCancelled) {
  const LaunchTable rows = bent_table(5'000, 1, 1, 1);
  const auto communicator = local_communicator();
  auto frame = survey_frame(rows, {}, *communicator, {});
  ASSERT_TRUE(frame);
  int asked = 0, maximum = 1'000'000'000;
  Job job;
  job.cancelled = [&] { return asked++ >= maximum; };
  ASSERT_TRUE(check_nonlinear(*frame, {0, 1}, {}, *communicator, job));
  const int all = asked;
  ASSERT_GT(all, 6 * 100) << "before every tree";
  for (const int before : {all, 550, 150, 1}) {
    maximum = all - before, asked = 0;
    const auto check = check_nonlinear(*frame, {0, 1}, {}, *communicator, job);
    ASSERT_FALSE(check) << before;
    EXPECT_EQ(check.error().kind, ErrorKind::Cancelled);
  }
  test::ThreadRanks(3).run([&](Communicator& ranks) {
    Job one;
    int left = 20;
    one.cancelled = [&] { return ranks.rank() == 1 && --left < 0; };
    auto part = survey_frame(rows, {}, ranks, {});
    const auto check = check_nonlinear(*part, {0, 1}, {}, ranks, one);
    ranks.finish(check.has_value());
    ASSERT_FALSE(check);
    EXPECT_EQ(check.error().kind, ErrorKind::Cancelled);
  });
}

TEST(Nonlinear, ReadsABoundedNumberOfRows) {
  const LaunchTable rows = bent_table(400'000, 1, 1, 1);
  const auto communicator = local_communicator();
  auto frame = survey_frame(rows, {}, *communicator, {});
  ASSERT_TRUE(frame);
  const auto start = std::chrono::steady_clock::now();
  const auto check = check_nonlinear(*frame, {0, 1}, {}, *communicator, {});
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  ASSERT_TRUE(check && *check);
  std::printf("%lld rows, 2 columns: %.2f s\n", static_cast<long long>((*check)->rows), took.count());
  EXPECT_EQ((*check)->rows, kSampledRows);
  EXPECT_NEAR((*check)->part, 0.4, 0.03);
}

TEST(Nonlinear, SurvivesEncoding) {
  const CausalResult r = run_with_few_resamplings(bent_table(600, 1, 1, 1));
  const auto back = decode_result(encode(r));
  ASSERT_TRUE(back) << describe(back.error());
  EXPECT_EQ(to_json(*back).dump(), to_json(r).dump());
}

} // namespace
} // namespace jitterscope::causal
