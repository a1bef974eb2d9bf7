// Tables with more columns than rows.

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/causal/answer/analyse.h"
#include "core/causal/statistics/families.h"
#include "core/causal/table/screening.h"
#include "tests/core/causal/answer/answers.h"
#include "tests/core/causal/table/wide_table.h"
#include "tests/core/causal/thread_communicator.h"
#include "tests/support/launch_table.h"

namespace jitterscope::causal {
namespace {

using test::run;

TEST(AverageLinkage, EqualsJoiningTheNearestPairAgainAndAgain) {
  Random random(5);
  for (int trial = 0; trial < 40; ++trial) {
    const int n = 3 + static_cast<int>(random.below(12));
    Eigen::MatrixXf s(n, n);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j <= i; ++j) s(i, j) = s(j, i) = static_cast<float>(random.uniform());
    const float threshold = 0.6F;
    std::vector<std::vector<int>> plain;
    for (int i = 0; i < n; ++i) plain.push_back({i});
    for (;;) {
      double best = threshold;
      std::size_t one = 0, other = 0;
      for (std::size_t a = 0; a < plain.size(); ++a)
        for (std::size_t b = a + 1; b < plain.size(); ++b) {
          double sum = 0;
          for (const int x : plain[a])
            for (const int y : plain[b]) sum += s(x, y);
          const double mean = sum / static_cast<double>(plain[a].size() * plain[b].size());
          if (mean > best) best = mean, one = a, other = b;
        }
      if (one == other) break;
      plain[one].insert(plain[one].end(), plain[other].begin(), plain[other].end());
      plain.erase(plain.begin() + static_cast<std::ptrdiff_t>(other));
    }
    for (auto& group : plain) std::sort(group.begin(), group.end());
    std::sort(plain.begin(), plain.end());
    EXPECT_EQ(average_linkage(s, threshold), plain);
  }
}

TEST(WideTables, CausesAreFoundAmongMoreColumnsThanRows) {
  const auto wide = test::wide_table({.rows = 300, .columns = 900, .causes = 2, .seed = 3});
  const CausalResult r = run(wide.rows);
  std::vector<std::string> causes;
  for (const auto& c : r.contributions) {
    if (c.role != Role::cause) continue;
    causes.push_back(c.feature);
    causes.insert(causes.end(), c.members.begin(), c.members.end());
  }
  for (const auto& cause : wide.causes)
    EXPECT_TRUE(std::find(causes.begin(), causes.end(), cause) != causes.end()) << cause;
  const auto used = std::count_if(r.features.begin(), r.features.end(),
                                  [](const auto& f) { return f.status == FeatureStatus::used; });
  EXPECT_LE(used, 49) << "few enough columns for a readable graph";
  EXPECT_EQ(r.features.size(), 901u) << "the answer lists every column";
  for (const auto& f : r.features)
    EXPECT_TRUE(f.status == FeatureStatus::used || !f.reason.empty()) << f.name;
  EXPECT_TRUE(std::any_of(r.warnings.begin(), r.warnings.end(),
                          [](const Warning& w) { return w.code == "few-rows"; }));
}

TEST(WideTables, NoCauseIsInventedFromChance) {
  int named = 0;
  constexpr int tables = 40;
  Options options;
  options.bootstrap = 60;
  for (std::uint64_t seed = 0; seed < tables; ++seed) {
    const auto wide =
        test::wide_table({.rows = 40 + 20 * static_cast<int>(seed % 3), .columns = 400, .seed = seed});
    const CausalResult r = run(wide.rows, options);
    named += std::any_of(r.contributions.begin(), r.contributions.end(),
                         [](const auto& c) { return c.role == Role::cause; });
  }
  EXPECT_LE(named, tables * 5 / 100);
}

TEST(WideTables, MissingValuesDoNotEmptyTheTable) {
  auto wide = test::wide_table({.rows = 400, .columns = 500, .causes = 1, .seed = 8});
  Random random(2);
  for (Eigen::Index c = 0; c < 500; ++c)
    for (int k = 0; k < 8; ++k) wide.rows.values(static_cast<Eigen::Index>(random.below(400)), c) = kMissing;
  const CausalResult r = run(wide.rows);
  EXPECT_GT(r.n, 150);
  ASSERT_FALSE(r.contributions.empty());
  EXPECT_EQ(r.contributions.front().role, Role::cause);
}

TEST(WideTables, RanksAndOrderOfColumnsDoNotMatter) {
  const auto wide = test::wide_table({.rows = 150, .columns = 320, .causes = 2, .seed = 5});
  Options options;
  options.bootstrap = 20;
  const std::string expected = to_json(run(wide.rows, options)).dump();
  LaunchTable reversed = wide.rows;
  std::reverse(reversed.columns.begin(), reversed.columns.end());
  reversed.values = wide.rows.values.rowwise().reverse().eval();
  EXPECT_EQ(to_json(run(reversed, options)).dump(), expected);
  for (const int size : {2, 4, 7}) {
    std::vector<std::string> texts(static_cast<std::size_t>(size));
    test::ThreadRanks(size).run([&](Communicator& communicator) {
      const auto result = analyse(wide.rows, options, communicator);
      texts[static_cast<std::size_t>(communicator.rank())] =
          result ? to_json(*result).dump() : describe(result.error());
      communicator.finish(result.has_value());
    });
    for (const auto& text : texts) EXPECT_EQ(text, expected) << size << " ranks";
  }
}

} // namespace
} // namespace jitterscope::causal
