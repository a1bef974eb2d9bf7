#include "core/causal/bends.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/core/causal/answers.h"
#include "tests/core/causal/planted.h"
#include "tests/core/causal/thread_communicator.h"

namespace jitterscope::causal {
namespace {

using test::normal;
using test::run;

CausalResult quick(const RowSource& rows, int bootstrap = 20) {
  Options options;
  options.bootstrap = bootstrap;
  return run(rows, options);
}

/// Launches that take longer at the first and the last of 20 places, by the square of the distance.
MemoryRows slow_at_both_ends(std::uint64_t seed) {
  MemoryRows rows = test::planted_launches({.launches = 4'000, .seed = seed, .noise = 0.02});
  Random random(seed, 9);
  std::vector<double> place(4'000);
  for (std::size_t i = 0; i < place.size(); ++i) {
    place[i] = static_cast<double>(random.below(20));
    rows.duration_ns[i] = std::round(rows.duration_ns[i] * (1 + 0.004 * (place[i] - 9.5) * (place[i] - 9.5)));
  }
  rows.add({"place", "", 2, {}, {}, {}, {}}, place);
  return rows;
}

TEST(Bends, WhatNoStraightLineShowsIsTold) {
  for (const std::uint64_t seed : {7, 8, 9}) {
    const CausalResult r = quick(slow_at_both_ends(seed));
    ASSERT_EQ(r.bends.size(), 1u);
    EXPECT_EQ(r.bends.front().feature, "place");
    EXPECT_GT(r.bends.front().percent, 30);
    EXPECT_TRUE(
        r.sentences[0].starts_with("Nothing recorded here explains the variability along a straight line"))
        << r.sentences[0];
    EXPECT_TRUE(r.sentences[1].starts_with("The variability differs with place (")) << r.sentences[1];
  }
}

TEST(Bends, OfAColumnIsMeasuredBesideItsCauses) {
  // y = w + x² − 1 + noise: variances 1, 2, 1; in ranks the square is a bit less.
  Random random(3);
  std::vector<double> x, w, y;
  for (int i = 0; i < 3'000; ++i) {
    x.push_back(normal(random)), w.push_back(normal(random));
    y.push_back(w.back() + x.back() * x.back() - 1 + normal(random));
  }
  MemoryRows rows;
  rows.add({"x", "", 1, {}, {}, {}, {}}, x), rows.add({"w", "", 2, {}, {}, {}, {}}, w);
  rows.add({"y", "", 5, {}, {}, {}, {}}, y);
  rows.target = "y";
  const CausalResult r = quick(rows);
  ASSERT_EQ(r.bends.size(), 1u);
  EXPECT_EQ(r.bends.front().feature, "x");
  EXPECT_NEAR(r.bends.front().percent, 38, 8);
  EXPECT_NE(r.sentences.back().find("y differs with x"), std::string::npos) << r.sentences.back();
  // What comes after the target is not what it differs with, nor is what was forbidden.
  rows.columns[0].tier = 5, rows.columns[2].tier = 3;
  EXPECT_TRUE(quick(rows).bends.empty());
  rows.columns[0].tier = 1, rows.columns[2].tier = 5;
  Options forbidden;
  forbidden.bootstrap = 20;
  forbidden.knowledge.forbidden = {{"x", "y"}};
  EXPECT_TRUE(run(rows, forbidden).bends.empty());
}

/// A held line bends what it shares with another column: y knows nothing of x, its parent p does.
TEST(Bends, AreNotMadeByTheLinesThatAreHeld) {
  Random random(11);
  std::vector<double> x, p, y;
  for (int i = 0; i < 3'000; ++i) {
    const double q = normal(random);
    x.push_back(normal(random));
    p.push_back(q + x.back() * x.back() - 1), y.push_back(q + 0.3 * normal(random));
  }
  MemoryRows rows;
  rows.add({"x", "", 1, {}, {}, {}, {}}, x), rows.add({"p", "", 2, {}, {}, {}, {}}, p);
  rows.add({"y", "", 5, {}, {}, {}, {}}, y);
  rows.target = "y";
  const CausalResult r = quick(rows);
  ASSERT_EQ(r.contributions.size(), 1u);
  EXPECT_EQ(r.contributions.front().feature, "p");
  EXPECT_TRUE(r.bends.empty());
}

TEST(Bends, ChanceAndStraightCausesAreNotCalledBent) {
  int bent = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const auto cause = seed % 4 == 0   ? test::Cause::clock
                       : seed % 4 == 1 ? test::Cause::stream
                       : seed % 4 == 2 ? test::Cause::rare_migration
                                       : test::Cause::none;
    bent +=
        !quick(test::planted_launches({.cause = cause, .launches = seed % 3 ? 400 : 2'000, .seed = seed}), 5)
             .bends.empty();
  }
  EXPECT_EQ(bent, 0);
}

TEST(Bends, AreTheSameForAnyNumberOfRanksAndInAnyText) {
  const MemoryRows rows = slow_at_both_ends(7);
  const CausalResult one = quick(rows);
  for (const int ranks : {2, 4, 7})
    test::ThreadRanks(ranks).run([&](Communicator& communicator) {
      Options options;
      options.bootstrap = 20;
      const auto result = analyse(rows, options, communicator);
      ASSERT_TRUE(result);
      EXPECT_EQ(to_json(*result).dump(), to_json(one).dump()) << ranks;
      communicator.finish(true);
    });
  const auto back = result_from_json(to_json(one));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->bends.front().percent, one.bends.front().percent);
}

TEST(StudentFour, QuantilesAreThoseOfTables) {
  EXPECT_NEAR(student_four(0.975), 2.776445105, 1e-8);
  EXPECT_NEAR(student_four(0.95), 2.131846786, 1e-8);
  EXPECT_NEAR(student_four(0.9995), 8.610301581, 1e-7);
  EXPECT_NEAR(student_four(0.025), -2.776445105, 1e-8);
  EXPECT_EQ(student_four(0.5), 0);
}

} // namespace
} // namespace jitterscope::causal
