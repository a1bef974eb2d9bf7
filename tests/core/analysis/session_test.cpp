#include <cmath>

#include <gtest/gtest.h>

#include "tests/support/open_session.h"

using namespace jitterscope;
using test::OpenSession;

namespace {

store::TraceData trace_of(const std::vector<test::LaunchRow>& rows, std::int64_t utc = -1) {
  auto data = test::empty_trace(2);
  test::add_kernel(data, "a", 2);
  test::add_kernel(data, "b", 1);
  test::add_launches(data, rows);
  data.manifest.origin_utc_ns = utc;
  return data;
}

} // namespace

TEST(Session, VariabilityIsTheDistanceFromTheMeanOfTheConfiguration) {
  const OpenSession open({trace_of({{0, 10, 0}, {20, 30, 0}, {60, 7, 1}, {70, 100, 2}, {200, 104, 2}})});
  const auto v = open.columns->read("kernel_variability", {0, 0, 5});
  EXPECT_EQ(v[0], 10);
  EXPECT_EQ(v[1], 10);
  EXPECT_TRUE(std::isnan(v[2])) << "a configuration that ran once has no variability";
  EXPECT_EQ(v[3], 2);
  EXPECT_EQ(v[4], 2);
  EXPECT_EQ(open.columns->read("relative_variability", {0, 0, 1})[0], 0.5);
}

TEST(Session, TheSameKernelInTwoTracesIsOneKernelWithOneMean) {
  const OpenSession open({trace_of({{0, 10, 0}}), trace_of({{0, 30, 0}})});
  EXPECT_EQ(open.session->kernels().size(), 2u);
  EXPECT_EQ(open.session->configurations()[0].launches, 2);
  EXPECT_EQ(open.session->configurations()[0].mean_ns(), 20);
}

TEST(Session, TracesMeetAtTheirAbsoluteTimes) {
  const OpenSession open({trace_of({{5, 10, 0}}, 1000), trace_of({{5, 10, 0}}, 1300)});
  EXPECT_EQ(open.session->traces()[0].shift_ns, 0);
  EXPECT_EQ(open.session->traces()[1].shift_ns, 300);
  EXPECT_EQ(open.session->launch_span().begin.count, 5);
  EXPECT_EQ(open.session->launch_span().end.count, 315);
  EXPECT_EQ(open.columns->read("start", {1, 0, 1})[0], 305);
}

TEST(Session, WithoutAbsoluteTimesTheZerosMeetAndTheAlignmentSaysSo) {
  const OpenSession open({trace_of({{5, 10, 0}}, 1000), trace_of({{5, 10, 0}})});
  EXPECT_EQ(open.session->traces()[1].shift_ns, 0);
  EXPECT_NE(open.session->traces()[1].alignment.find("not aligned"), std::string::npos);
}

TEST(Session, SegmentsCutAtTheBordersOfTraces) {
  const OpenSession open({trace_of({{0, 1, 0}, {1, 1, 0}, {2, 1, 0}}), trace_of({{0, 1, 0}, {1, 1, 0}})});
  const auto parts = open.session->segments(2, 4);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].trace, 0u);
  EXPECT_EQ(parts[0].first, 2);
  EXPECT_EQ(parts[1].first, 0);
  EXPECT_EQ(parts[1].last, 1);
}

TEST(Session, MemoryStallIsMissingWithoutLinkedTransfers) {
  auto data = trace_of({{0, 10, 0}, {20, 30, 0}});
  data.find("launches")->add<std::int64_t>("linked_transfer_ns", "ns", "", {0, 42});
  data.find("launches")->add<std::uint32_t>("linked_transfer_count", "", "", {0, 3});
  const OpenSession open({data});
  const auto m = open.columns->read("memory_stall", {0, 0, 2});
  EXPECT_TRUE(std::isnan(m[0]));
  EXPECT_EQ(m[1], 12);
}

TEST(Session, AnEmptyTraceOpens) {
  const OpenSession open({trace_of({})});
  EXPECT_EQ(open.session->launches(), 0);
  EXPECT_TRUE(open.session->launch_span().empty());
}
