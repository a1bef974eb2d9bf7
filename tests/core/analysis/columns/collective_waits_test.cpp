#include "core/analysis/columns/collective_waits.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "core/analysis/filter/selection.h"
#include "core/causal/answer/analyse.h"
#include "core/import/import.h"
#include "core/reasons/rows/launch_rows.h"
#include "tests/support/many_launches.h"
#include "tests/support/real_data.h"

using namespace jitterscope;
using namespace jitterscope::analysis;
using test::OpenSession;

namespace {

/// Launches of an all-reduce (configuration 0) and of other work (1) on streams of a first (2) and a second
/// device (3).
store::TraceData nccl_trace(const std::vector<test::LaunchRow>& launches) {
  auto data = test::empty_trace(1);
  const auto device = static_cast<std::uint32_t>(data.resources.size());
  data.resources.push_back({store::ResourceKind::Device, 1, device, 1, -1, "GPU"});
  data.resources.push_back({store::ResourceKind::Stream, device, kNone, 7, -1, ""});
  test::add_kernel(data, "ncclDevKernel_AllReduce_Sum_f32_RING_LL", 1);
  test::add_kernel(data, "work", 1);
  std::vector<test::LaunchRow> rows = launches;
  for (auto& row : rows) row.stream = row.stream == 3 ? device : 2; // add_launches() adds 1
  test::add_launches(data, rows);
  return data;
}

std::vector<double> waits(const OpenSession& open, std::size_t trace) {
  return open.columns->read(kCollectiveWait, {trace, 0, open.session->traces()[trace].launches()});
}

void expect_same(const std::vector<double>& found, const std::vector<double>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_TRUE(found[i] == expected[i] || (std::isnan(found[i]) && std::isnan(expected[i])))
        << i << ": " << found[i];
}

constexpr double kNoCollective = std::numeric_limits<double>::quiet_NaN();

} // namespace

TEST(CollectiveWaits, LastUntilTheLastDeviceStarts) {
  const OpenSession open({nccl_trace({{100, 50, 1, 2},
                                      {200, 300, 0, 2},
                                      {450, 60, 0, 3},
                                      {600, 10, 1, 3},
                                      {700, 55, 0, 3},
                                      {710, 45, 0, 2}})});
  ASSERT_TRUE(open.columns->find(kCollectiveWait));
  expect_same(waits(open, 0), {kNoCollective, 250, 0, kNoCollective, 10, 0});
  expect_same(open.columns->read(kCollectiveWait, {0, 2, 5}), {0, kNoCollective, 10});
  const auto filter = test::selection(open, "collective_wait_ns > 100");
  EXPECT_EQ(filter.select(*open.session, *open.columns, {0, 0, 6}),
            (std::vector<std::uint8_t>{0, 1, 0, 0, 0, 0}));
}

TEST(CollectiveWaits, CancelledAtAnyCheckTheyAreFoundAgain) {
  const OpenSession open({nccl_trace({{200, 300, 0, 2}, {450, 60, 0, 3}, {700, 55, 0, 3}, {710, 45, 0, 2}})});
  int checks = 0;
  Job job;
  job.cancelled = [&] { return ++checks, false; };
  ASSERT_TRUE(CollectiveWaits(*open.session).prepare(job));
  ASSERT_GT(checks, 2);
  for (int at = 0; at < checks; ++at) {
    const CollectiveWaits found(*open.session);
    int checked = 0;
    job.cancelled = [&] { return checked++ >= at; };
    const auto known = found.prepare(job);
    ASSERT_FALSE(known) << at;
    EXPECT_EQ(known.error().kind, ErrorKind::Cancelled);
    std::vector<double> ns(4);
    found.read({0, 0, 4}, ns.data());
    expect_same(ns, {250, 0, 10, 0});
  }
}

TEST(CollectiveWaits, LaunchesThatDoNotOverlapHaveNoWait) {
  // The second device runs the collective twice, the first once; then both once, but at different times.
  const OpenSession unequal({nccl_trace({{200, 300, 0, 2}, {450, 60, 0, 3}, {700, 50, 0, 3}})});
  expect_same(waits(unequal, 0), {0, 0, 0});
  const OpenSession apart({nccl_trace({{200, 30, 0, 2}, {450, 60, 0, 3}})});
  expect_same(waits(apart, 0), {0, 0});
}

// The second file's clock is 1,000,000 ns ahead; its device is 40 ns late twice and early once.
TEST(CollectiveWaits, ClocksOfSeveralFilesMeetAtTheEnds) {
  const OpenSession open({nccl_trace({{200, 100, 0, 2}, {400, 100, 0, 2}, {600, 50, 0, 2}}),
                          nccl_trace({{1'000'240, 60, 0, 2}, {1'000'440, 60, 0, 2}, {1'000'580, 70, 0, 2}})});
  expect_same(waits(open, 0), {40, 40, 0});
  expect_same(waits(open, 1), {0, 0, 20});
}

TEST(CollectiveWaits, AreNotAColumnWhereNoLaunchWaits) {
  auto one_device = test::empty_trace(2);
  test::add_kernel(one_device, "ncclDevKernel_AllReduce", 1);
  test::add_launches(one_device, {{0, 10, 0, 2}});
  const OpenSession alone({one_device});
  EXPECT_FALSE(alone.columns->find(kCollectiveWait));
  const auto rows = LaunchRows::make(*alone.session, *alone.columns, {}, "duration", *alone.communicator, {});
  ASSERT_TRUE(rows);
  EXPECT_TRUE(rows->waits_for_absent(0)) << "the other ranks' files are not open";
  auto no_collective = test::empty_trace(1);
  test::add_kernel(no_collective, "work", 1);
  test::add_launches(no_collective, {{0, 10, 0, 2}});
  EXPECT_FALSE(OpenSession({no_collective, no_collective}).columns->find(kCollectiveWait));
}

struct RealFile {
  const char *path, *name;
  double low, high; ///< bounds of the expected share
};
class RealCollectives : public testing::TestWithParam<RealFile> {};

TEST_P(RealCollectives, VaryAsTheyWait) {
  REQUIRE_REAL_DATA(path, GetParam().path);
  auto data = import::import_files({path}, {});
  ASSERT_TRUE(data) << describe(data.error());
  const OpenSession open({std::move(*data)});
  auto rows =
      LaunchRows::make(*open.session, *open.columns, {}, "kernel_variability", *open.communicator, {});
  ASSERT_TRUE(rows);
  const auto result = causal::analyse(*rows, {}, *open.communicator, {});
  ASSERT_TRUE(result) << describe(result.error());
  // On the two GPUs other kernels vary too: problems have two sizes, which depend on the position in the
  // step.
  const auto wait = std::find_if(result->contributions.begin(), result->contributions.end(),
                                 [](const auto& c) { return c.feature == kCollectiveWait; });
  ASSERT_NE(wait, result->contributions.end());
  EXPECT_EQ(wait->role, causal::Role::cause);
  EXPECT_GT(*wait->attributable_percent, GetParam().low);
  EXPECT_LT(*wait->attributable_percent, GetParam().high);
}

INSTANTIATE_TEST_SUITE_P(Files, RealCollectives,
                         testing::Values(RealFile{"nsys/h100-2gpu/mfu_2gpu_before.sqlite", "TwoGpus", 25, 50},
                                         RealFile{"kineto/dlrm-8rank/dlrm_kineto.tar.gz", "EightRanks", 85,
                                                  98}),
                         [](const auto& tested) { return std::string(tested.param.name); });
