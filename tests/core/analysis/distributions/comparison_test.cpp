#include "core/analysis/distributions/comparison.h"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "tests/support/open_session.h"
#include "tests/support/small_trace.h"

namespace jitterscope::analysis {
namespace {

using test::OpenSession;

using Durations = std::function<double(int launch)>;

/// Launches of `configurations` configurations by turns, every µs.
store::TraceData trace(int launches, int configurations, const Durations& duration) {
  auto data = test::empty_trace();
  test::add_kernel(data, "kernel", configurations);
  std::vector<test::LaunchRow> rows;
  for (int i = 0; i < launches; ++i)
    rows.push_back(
        {i * 1'000'000LL, std::llround(duration(i)), static_cast<std::uint32_t>(i % configurations)});
  test::add_launches(data, rows);
  return data;
}

RunComparison compared(const OpenSession& open, std::vector<std::vector<std::size_t>> runs,
                       double tolerance = 0.01) {
  auto result =
      compare_runs(*open.session, *open.columns, {}, {std::move(runs), tolerance}, *open.communicator, {});
  EXPECT_TRUE(result) << (result ? "" : result.error().message);
  return result ? std::move(*result) : RunComparison();
}

/// Noise of launches whose neighbours are alike: each is `alike` times the one before plus a new part.
class Noise {
public:
  Noise(unsigned seed, double alike) : random_(seed), alike_(alike) {}
  double operator()() { return last_ = alike_ * last_ + std::sqrt(1 - alike_ * alike_) * normal_(random_); }

private:
  std::mt19937 random_;
  std::normal_distribution<double> normal_;
  double alike_, last_ = 0;
};

TEST(Comparison, NamesSlowerFasterAndEqualConfigurations) {
  const double factor[] = {1.2, 0.8, 1.0};
  Noise one(1, 0), other(2, 0);
  const OpenSession open(
      {trace(3'000, 3, [&](int) { return 10'000 * (1 + 0.01 * one()); }),
       trace(3'000, 3, [&](int i) { return 10'000 * factor[i % 3] * (1 + 0.01 * other()); })});
  const auto result = compared(open, {{0}, {1}});
  ASSERT_EQ(result.compared.size(), 3U);
  for (const auto& each : result.compared) {
    const auto c = each.configuration;
    EXPECT_EQ(each.verdict, c == 0 ? Verdict::Slower : c == 1 ? Verdict::Faster : Verdict::Same);
    EXPECT_NEAR(each.ratio, factor[c], 0.003);
    EXPECT_LE(each.low, factor[c]);
    EXPECT_GE(each.high, factor[c]);
    EXPECT_LT(each.high - each.low, 0.006);
    EXPECT_EQ(each.a.n, 1'000);
    EXPECT_NEAR(each.change_ns(), 1'000 * 10'000 * (factor[c] - 1), 100'000);
  }
  EXPECT_FALSE(result.repeated[0]);
}

// 400 intervals at the same ratio: 95 % of them contain it, also if neighbouring launches are alike.
TEST(Comparison, IntervalsContainTheRatioAsOftenAsTheyState) {
  for (const double alike : {0.0, 0.9}) {
    std::vector<Noise> noise;
    for (unsigned k = 0; k < 800; ++k) noise.emplace_back(k, alike);
    const auto duration = [&](unsigned run, int i) {
      return 1e6 * (1 + 0.05 * noise[run * 400 + static_cast<unsigned>(i) % 400]());
    };
    const OpenSession open({trace(400 * 300, 400, [&](int i) { return duration(0, i); }),
                            trace(400 * 300, 400, [&](int i) { return 1.1 * duration(1, i); })});
    int contained = 0, significant = 0;
    for (const auto& each : compared(open, {{0}, {1}}).compared) {
      contained += each.low <= 1.1 && 1.1 <= each.high;
      significant += each.verdict == Verdict::Slower;
    }
    EXPECT_GE(contained, 370) << alike;
    EXPECT_GE(significant, 396) << alike;
    int different = 0;
    const OpenSession equal({trace(400 * 300, 400, [&](int i) { return duration(0, i); }),
                             trace(400 * 300, 400, [&](int i) { return duration(1, i); })});
    for (const auto& each : compared(equal, {{0}, {1}}, 0).compared)
      different += each.verdict == Verdict::Slower || each.verdict == Verdict::Faster;
    EXPECT_LE(different, 2) << alike;
  }
}

// Runs of the same program differ by 3 %: their launches alone do not show that.
TEST(Comparison, RepetitionsShowTheVariationBetweenRuns) {
  Noise noise(3, 0), of_run(4, 0);
  std::vector<store::TraceData> traces;
  for (int run = 0; run < 10; ++run) {
    const double level = 1e5 * std::exp(0.03 * of_run());
    traces.push_back(trace(400, 1, [&](int) { return level * (1 + 0.001 * noise()); }));
  }
  const OpenSession open(std::move(traces));
  const auto alone = compared(open, {{0}, {1}});
  EXPECT_LT(alone.compared.front().p, 1e-6);
  const auto result = compared(open, {{0, 1, 2, 3, 4}, {5, 6, 7, 8, 9}});
  EXPECT_TRUE(result.repeated[0] && result.repeated[1]);
  EXPECT_EQ(result.compared.front().verdict, Verdict::Unclear);
  EXPECT_GT(result.compared.front().p, 0.05);
  EXPECT_EQ(result.compared.front().a.n, 2'000);
}

TEST(Comparison, TooFewLaunchesHaveNoInterval) {
  const OpenSession open({trace(9, 1, [](int) { return 100; }), trace(900, 1, [](int) { return 200; })});
  const auto result = compared(open, {{0}, {1}});
  ASSERT_EQ(result.compared.size(), 1U);
  EXPECT_EQ(result.compared[0].verdict, Verdict::Few);
  EXPECT_EQ(result.compared[0].ratio, 2);
  EXPECT_TRUE(std::isnan(result.compared[0].p));
}

TEST(Comparison, ListsWhatOnlyOneRunHas) {
  const OpenSession open({trace(40, 2, [](int) { return 100; }), trace(60, 3, [](int) { return 100; })});
  const auto result = compared(open, {{0}, {1}});
  ASSERT_EQ(result.appeared.size(), 1U);
  EXPECT_EQ(result.appeared[0].configuration, 2U);
  EXPECT_EQ(result.appeared[0].launches, 20);
  EXPECT_EQ(result.appeared[0].duration_sum_ns, 2'000);
  EXPECT_TRUE(result.gone.empty());
  const auto other = compared(open, {{1}, {0}});
  EXPECT_TRUE(other.appeared.empty());
  EXPECT_EQ(other.gone.size(), 1U);
}

TEST(Comparison, RefusesRunsThatShareTracesOrHaveNone) {
  const OpenSession open({trace(40, 2, [](int) { return 100; })});
  for (const auto& runs :
       std::vector<std::vector<std::vector<std::size_t>>>{{}, {{0}}, {{0}, {}}, {{0}, {0}}, {{0}, {1}}}) {
    const auto result = compare_runs(*open.session, *open.columns, {}, {runs}, *open.communicator, {});
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().kind, ErrorKind::BadUse);
  }
}

} // namespace
} // namespace jitterscope::analysis
