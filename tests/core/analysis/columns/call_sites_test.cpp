#include "core/analysis/columns/call_sites.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include <gtest/gtest.h>

#include "core/causal/answer/analyse.h"
#include "core/causal/base/random.h"
#include "core/reasons/contrast.h"
#include "core/reasons/rows/launch_rows.h"
#include "tests/support/many_launches.h"

using namespace jitterscope;
using namespace jitterscope::analysis;
using test::OpenSession;

namespace {

/// Steps of five launches on one stream: a (0), gemm (2), b (1), gemm (2), b (1); the gemm after a takes
/// `first` ns and the one after b `second` ns, with ±1 % of noise.
store::TraceData steps(int count, const std::function<std::pair<double, double>(int step)>& gemm) {
  auto data = test::empty_trace(1);
  for (const char* kernel : {"a", "b", "gemm"}) test::add_kernel(data, kernel, 1);
  std::vector<test::LaunchRow> rows;
  causal::Random random(3, 0);
  std::int64_t now = 0;
  const auto add = [&](std::uint32_t configuration, double duration) {
    const auto ns = static_cast<std::int64_t>(duration * (1 + 0.02 * (random.uniform() - 0.5)));
    rows.push_back({now, ns, configuration, 2}), now += ns + 1'000;
  };
  for (int step = 0; step < count; ++step) {
    const auto [first, second] = gemm(step);
    add(0, 5'000), add(2, first), add(1, 7'000), add(2, second), add(1, 7'000);
  }
  test::add_launches(data, rows);
  return data;
}

std::vector<double> places(const OpenSession& open) {
  return open.columns->read(kCallSite, {0, 0, open.session->launches()});
}

} // namespace

TEST(CallSites, AreTheSurroundingsOnWhichDurationsDepend) {
  const OpenSession open({steps(200, [](int) { return std::pair{90'000.0, 209'000.0}; })});
  const auto& sites = *open.columns->call_sites();
  ASSERT_EQ(sites.all().size(), 5u);
  EXPECT_FALSE(sites.several(0));
  EXPECT_TRUE(sites.several(2));
  EXPECT_NEAR(sites.all()[3].typical_ns, 90'000, 1'000);
  EXPECT_NEAR(sites.all()[4].typical_ns, 209'000, 2'000);
  EXPECT_EQ(sites.all()[3].text, "gemm: call site 1 of 2 (after a)");
  const auto rows =
      LaunchRows::make(*open.session, *open.columns, {}, "kernel_variability", *open.communicator, {});
  ASSERT_TRUE(rows) << describe(rows.error());
  const char* words = "Call sites differ most for `gemm`: typically 209 µs after `b` and 90 µs after `a`.";
  EXPECT_EQ(rows->call_sites_in_words({200, 400, 400}), words);
  const auto answer = causal::analyse(*rows, {}, *open.communicator, {});
  ASSERT_TRUE(answer) << describe(answer.error());
  ASSERT_GE(answer->sentences.size(), 2u);
  EXPECT_EQ(answer->sentences[1], words);
  EXPECT_EQ(rows->call_sites_in_words({200, 400, 0}), "") << "its launches are not analysed";
  const auto read = places(open);
  for (std::size_t i = 0; i < read.size(); ++i)
    EXPECT_EQ(read[i], (std::vector<double>{0, 3, 1, 4, 1})[i % 5]) << i;
  const auto filter = test::selection(open, "call_site ~ /call site 2/");
  EXPECT_EQ(filter.select(*open.session, *open.columns, {0, 0, 5}),
            (std::vector<std::uint8_t>{0, 0, 0, 1, 0}));
}

// Two devices run the same kernel at the same time, one after `a` and the other, slower one after `b`.
TEST(CallSites, ASlowDeviceIsNone) {
  auto data = test::empty_trace(1);
  const auto device = static_cast<std::uint32_t>(data.resources.size());
  data.resources.push_back({store::ResourceKind::Device, 1, device, 1, -1, "GPU"});
  data.resources.push_back({store::ResourceKind::Stream, device, kNone, 7, -1, ""});
  for (const char* kernel : {"a", "b", "gemm"}) test::add_kernel(data, kernel, 1);
  causal::Random random(3, 0);
  std::vector<test::LaunchRow> rows;
  for (int step = 0; step < 400; ++step)
    for (const std::uint32_t slow : {0u, 1u}) {
      const std::int64_t start = 300'000 * step + slow, noise = random.below(1'000);
      const std::uint32_t stream = slow ? device : 2; // add_launches() adds 1
      rows.push_back({start, 5'000, slow, stream});
      rows.push_back({start + 10'000, (slow ? 108'000 : 90'000) + noise, 2, stream});
    }
  std::ranges::sort(rows, {}, &test::LaunchRow::start);
  test::add_launches(data, rows);
  EXPECT_FALSE(OpenSession({data}).columns->call_sites()->any_several());
}

// A difference of 3.5 % is detected where durations at a call site vary by ±1 %; one of 0.4 % is not.
TEST(CallSites, ASmallDifferenceIsClearWhereDurationsBarelyVary) {
  const OpenSession clear({steps(200, [](int) { return std::pair{100'000.0, 103'500.0}; })});
  EXPECT_TRUE(clear.columns->call_sites()->several(2));
  const OpenSession blurred({steps(200, [](int) { return std::pair{100'000.0, 100'400.0}; })});
  EXPECT_FALSE(blurred.columns->call_sites()->several(2));
}

TEST(CallSites, CancelledAtAnyCheckTheyAreLearnedAgain) {
  const OpenSession open({steps(200, [](int) { return std::pair{90'000.0, 209'000.0}; })});
  const CallSites whole(*open.session, nullptr);
  int checks = 0;
  Job counting;
  counting.cancelled = [&] { return ++checks, false; };
  ASSERT_TRUE(whole.prepare(counting));
  ASSERT_GT(checks, 2);
  for (int at = 0; at < checks; ++at) {
    const CallSites sites(*open.session, nullptr);
    int checked = 0;
    Job job;
    job.cancelled = [&] { return checked++ >= at; };
    const auto known = sites.prepare(job);
    ASSERT_FALSE(known) << at;
    EXPECT_EQ(known.error().kind, ErrorKind::Cancelled);
    EXPECT_EQ(sites.all().size(), whole.all().size());
    EXPECT_EQ(sites.any_several(), whole.any_several());
  }
}

TEST(CallSites, OfARowDoNotDependOnOtherRowsRead) {
  const OpenSession open({steps(2'000, [](int step) {
    return std::pair{90'000.0, step % 3 ? 120'000.0 : 209'000.0};
  })});
  const auto all = places(open);
  for (std::int64_t row = 0; row < open.session->launches(); row += 37)
    EXPECT_EQ(open.columns->read(kCallSite, {0, row, row + 1}).front(), all[static_cast<std::size_t>(row)])
        << row;
}

TEST(CallSites, EqualWorkIsOnePlaceWithAnyNoise) {
  causal::Random random(11, 0);
  const OpenSession open({steps(2'000, [&](int) {
    return std::pair{90'000.0 * (1 + random.uniform()), 90'000.0 * (1 + random.uniform())};
  })});
  EXPECT_FALSE(open.columns->call_sites()->any_several());
}

// In the second half of the run all launches are slow, and gemm follows another kernel. Launches close in
// time do not differ, so there is one call site.
TEST(CallSites, PhasesOfTheRunAreNotPlaces) {
  auto data = test::empty_trace(1);
  for (const char* kernel : {"a", "b", "gemm"}) test::add_kernel(data, kernel, 1);
  std::vector<test::LaunchRow> rows;
  causal::Random random(5, 0);
  for (int i = 0; i < 4'000; ++i) {
    const bool late = i >= 2'000;
    const double base = i % 2 ? 80'000 : 5'000;
    rows.push_back({i * 200'000LL,
                    static_cast<std::int64_t>(base * (late ? 1.5 : 1.0) * (1 + 0.02 * random.uniform())),
                    i % 2  ? 2u
                    : late ? 1u
                           : 0u,
                    2});
  }
  test::add_launches(data, rows);
  const OpenSession open({data});
  EXPECT_FALSE(open.columns->call_sites()->any_several());
}

TEST(CallSites, AreThePathsOfRangesWhereTheyPredict) {
  auto data = test::empty_trace(1);
  test::add_kernel(data, "gemm", 1);
  std::vector<test::LaunchRow> rows;
  causal::Random random(5, 0);
  std::vector<bool> long_ones;
  for (int i = 0; i < 600; ++i) {
    long_ones.push_back(random.uniform() < 0.5); // the order of launches does not predict long ones
    rows.push_back(
        {i * 300'000LL,
         static_cast<std::int64_t>((long_ones.back() ? 200'000 : 100'000) * (1 + 0.02 * random.uniform())), 0,
         2});
  }
  test::add_launches(data, rows);
  auto& of_launch = test::column<std::uint32_t>(data, "launches", "range");
  const auto add_range = [&](std::int64_t start, std::int64_t duration, const std::string& name,
                             std::uint8_t depth) {
    test::column<std::int64_t>(data, "ranges", "start").push_back(start);
    test::column<std::int64_t>(data, "ranges", "duration").push_back(duration);
    test::column<std::uint32_t>(data, "ranges", "name").push_back(data.strings.intern(name).value);
    test::column<std::uint32_t>(data, "ranges", "domain").push_back(data.strings.intern("").value);
    test::column<std::uint32_t>(data, "ranges", "thread").push_back(1);
    test::column<std::uint8_t>(data, "ranges", "depth").push_back(depth);
    test::column<std::uint8_t>(data, "ranges", "kind").push_back(0);
  };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    add_range(rows[i].start - 20, 200'000, "step " + std::to_string(i), 0);
    add_range(rows[i].start - 10, 100, long_ones[i] ? "backward" : "forward", 1);
    of_launch[i] = static_cast<std::uint32_t>(2 * i + 1);
  }
  const OpenSession open({data});
  ASSERT_EQ(open.columns->call_sites()->all().size(), 3u);
  EXPECT_EQ(open.columns->call_sites()->all()[1].text, "gemm: call site 1 of 2 (step #/forward)");
  const auto read = places(open);
  for (std::size_t i = 0; i < read.size(); ++i) EXPECT_EQ(read[i], long_ones[i] ? 2 : 1) << i;
}

// One step in twenty takes a branch in which gemm takes longer. The branch is a call site, although it
// explains little of the variance.
TEST(CallSites, AreRareBranches) {
  auto data = test::empty_trace(1);
  for (const char* kernel : {"a", "branch", "gemm"}) test::add_kernel(data, kernel, 1);
  std::vector<test::LaunchRow> rows;
  causal::Random random(5, 0);
  std::vector<double> expected;
  for (int step = 0; step < 600; ++step) {
    const bool branch = step % 20 == 7;
    const auto noise = [&] { return 1 + 0.02 * random.uniform(); };
    rows.push_back({step * 200'000LL, static_cast<std::int64_t>(5'000 * noise()), branch ? 1u : 0u, 2});
    rows.push_back(
        {step * 200'000LL + 10'000, static_cast<std::int64_t>((branch ? 68'000 : 42'000) * noise()), 2, 2});
    expected.push_back(branch);
  }
  test::add_launches(data, rows);
  const OpenSession open({data});
  ASSERT_EQ(open.columns->call_sites()->all().size(), 5u)
      << "one entry for each of the three configurations, and two call sites of gemm";
  const auto read = places(open);
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(read[2 * i + 1], 3 + expected[i]) << i;
}

namespace {

/// gemm alone, in phases of 250 launches; in every fourth phase it takes 1.5 times as long. Ranges mark these
/// phases as "eval" and the others as "train". If `marked` is false, only one of the "eval" ranges contains
/// such a phase.
store::TraceData phases(bool marked) {
  auto data = test::empty_trace(1);
  test::add_kernel(data, "gemm", 1);
  std::vector<test::LaunchRow> rows;
  causal::Random random(5, 0);
  for (int i = 0; i < 4'000; ++i)
    rows.push_back(
        {i * 100'000LL,
         static_cast<std::int64_t>((i / 250 % 4 == 2 ? 63'000 : 42'000) * (1 + 0.02 * random.uniform())), 0,
         2});
  test::add_launches(data, rows);
  auto& of_launch = test::column<std::uint32_t>(data, "launches", "range");
  for (std::uint32_t phase = 0; phase < 16; ++phase) {
    const bool eval =
        marked ? phase % 4 == 2 : phase % 4 == 1 || phase == 2; // only one "eval" range contains a slow phase
    test::column<std::int64_t>(data, "ranges", "start").push_back(phase * 25'000'000LL);
    test::column<std::int64_t>(data, "ranges", "duration").push_back(24'990'000);
    test::column<std::uint32_t>(data, "ranges", "name")
        .push_back(data.strings.intern(eval ? "eval" : "train").value);
    test::column<std::uint32_t>(data, "ranges", "domain").push_back(data.strings.intern("").value);
    test::column<std::uint32_t>(data, "ranges", "thread").push_back(1);
    test::column<std::uint8_t>(data, "ranges", "depth").push_back(0);
    test::column<std::uint8_t>(data, "ranges", "kind").push_back(0);
    for (std::uint32_t i = 0; i < 250; ++i) of_launch[phase * 250 + i] = phase;
  }
  return data;
}

} // namespace

TEST(CallSites, ArePhasesThatRangesMarkRepeatedly) {
  const OpenSession open({phases(true)});
  ASSERT_EQ(open.columns->call_sites()->all().size(), 3u);
  EXPECT_EQ(open.columns->call_sites()->all()[2].text, "gemm: call site 2 of 2 (eval)");
  const OpenSession others({phases(false)});
  EXPECT_FALSE(others.columns->call_sites()->any_several());
}

// Launches at the call site with more work are reported as different work; other slow launches are compared
// with launches at the same call site.
TEST(CallSites, SeparateTheLaunchesThatAreCompared) {
  const OpenSession open({steps(400, [](int step) {
    return std::pair{step == 300 ? 135'000.0 : 90'000.0, 209'000.0};
  })});
  const auto reasons = LaunchReasons::make(*open.session, *open.columns, nullptr, *open.communicator, {});
  ASSERT_TRUE(reasons.has_value()) << describe(reasons.error());
  const Contrasts contrasts(*reasons, {});
  const auto contrast_of = [&](std::size_t row) {
    const std::vector<std::size_t> chosen = {row};
    return contrasts.of(reasons->sampled(), chosen,
                        [&](std::int64_t other) { return other == static_cast<std::int64_t>(row); }, {});
  };
  const auto longer = contrast_of(5 * 200 + 3); // at the second call site
  EXPECT_TRUE(longer.of_work());
  EXPECT_NEAR(longer.work.ns, (209'000 - 90'000) / 2.0, 2'000);
  EXPECT_NEAR(longer.excess_ns, 0, 3'000);
  EXPECT_EQ(short_reason(longer), "different work: `gemm` at two call sites, typically 90 µs and 209 µs");
  EXPECT_NEAR(longer.work.here_ns, 209'000, 2'000);
  EXPECT_NEAR(longer.work.elsewhere_ns, (209'000 + 90'000) / 2.0, 2'000);
  EXPECT_GT(longer.work.error_ns, 0);
  EXPECT_LT(longer.work.error_ns, 2'000);
  const auto slow = contrast_of(5 * 300 + 1);
  EXPECT_FALSE(slow.of_work());
  EXPECT_NEAR(slow.excess_ns, 45'000, 3'000);
}
