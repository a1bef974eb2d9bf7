#include "core/model/run/overlap.h"

#include <gtest/gtest.h>

#include <cmath>

namespace jitterscope::model {
namespace {

/// Two kernels, a copy that overlaps the first, and a message after a pause, in [0, 100).
std::vector<Activity> example(double kernel = 1, double copy = 1, double message = 1) {
  return {{0, 30, Work::kernel, kernel},
          {20, 50, Work::copy, copy},
          {60, 70, Work::message, message},
          {65, 90, Work::kernel, kernel}};
}

TEST(RunParts, AreTheMeasuredTimeWhereNothingChanges) {
  const auto p = *run_parts(example(), 0, 100);
  EXPECT_EQ(p.kernels, 20 + 20);
  EXPECT_EQ(p.copies, 20);
  EXPECT_EQ(p.messages, 5);
  EXPECT_EQ(p.overlapped, 10 + 5);
  EXPECT_EQ(p.other, 10 + 10);
  EXPECT_EQ(p.total(), 100);
}

TEST(RunParts, OverlappedPiecesLastAsLongAsTheSlowestOfThem) {
  const auto halved = *run_parts(example(0.5), 0, 100); // copies and messages as before
  EXPECT_EQ(halved.kernels, 20);
  EXPECT_EQ(halved.overlapped, 15);
  const auto doubled = *run_parts(example(1, 2, 3), 0, 100);
  EXPECT_EQ(doubled.copies, 40);
  EXPECT_EQ(doubled.overlapped, 10 * 2 + 5 * 3);
  EXPECT_EQ(doubled.messages, 15);
  EXPECT_EQ(doubled.other, 20);
}

TEST(RunParts, SeveralOfOneKindAreNotAnOverlap) {
  const std::vector<Activity> two{{0, 10, Work::kernel, 1}, {5, 20, Work::kernel, 3}};
  const auto p = *run_parts(two, 0, 20);
  EXPECT_EQ(p.overlapped, 0);
  EXPECT_EQ(p.kernels, 5 + 15 * 3);
}

TEST(RunParts, ComputationOfTheHostIsAPartOfItsOwn) {
  const std::vector<Activity> half{{0, 40, Work::computation, 0.5}, {30, 60, Work::message, 1}};
  const auto p = *run_parts(half, 0, 60);
  EXPECT_EQ(p.computation, 30 * 0.5);
  EXPECT_EQ(p.overlapped, 10);
  EXPECT_EQ(p.messages, 20);
}

TEST(RunParts, OfManyActivitiesCanBeCancelled) {
  // Pairs of pieces that overlap by 1 ns, latest first.
  constexpr std::int64_t kPairs = 100'000;
  std::vector<Activity> many;
  for (std::int64_t i = kPairs; i-- > 0;) {
    many.push_back({i * 10 + 3, i * 10 + 8, Work::copy, 2});
    many.push_back({i * 10, i * 10 + 4, Work::kernel, 1});
  }
  const auto p = *run_parts(many, 0, kPairs * 10);
  EXPECT_EQ(p.kernels, kPairs * 3.0);
  EXPECT_EQ(p.overlapped, kPairs * 2.0);
  EXPECT_EQ(p.copies, kPairs * 8.0);
  EXPECT_EQ(p.other, kPairs * 2.0);
  int checks = 0;
  Job job;
  job.cancelled = [&] { return ++checks == 20; };
  const auto stopped = run_parts(many, 0, kPairs * 10, job);
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().kind, ErrorKind::Cancelled);
}

TEST(RunParts, ActivityOutsideTheRangeIsCut) {
  const auto p = *run_parts(
      std::vector<Activity>{{-50, 10, Work::copy, 1}, {95, 300, Work::copy, 1}, {40, 40, Work::kernel, 9}}, 0,
      100);
  EXPECT_EQ(p.copies, 15);
  EXPECT_EQ(p.other, 85);
  EXPECT_EQ(p.kernels, 0);
}

TEST(CopyFit, FindsLatencyAndBandwidth) {
  std::vector<double> bytes, times;
  for (double n = 1'000; n < 1e8; n *= 3) bytes.push_back(n), times.push_back(5'000 + n / 12.5);
  const auto fit = fit_copies(bytes, times);
  EXPECT_NEAR(fit.latency_ns, 5'000, 1e-3);
  EXPECT_NEAR(fit.bytes_per_ns, 12.5, 1e-6);
  EXPECT_NEAR(fit.time(1e6), 5'000 + 80'000, 1e-2);
}

TEST(CopyFit, IsNeverNegativeAndKnowsCornerCases) {
  const auto one_size = fit_copies(std::vector<double>{4096, 4096}, std::vector<double>{2'000, 2'000});
  EXPECT_EQ(one_size.latency_ns, 0);
  EXPECT_NEAR(one_size.time(4096), 2'000, 1e-9);
  const auto falling = fit_copies(std::vector<double>{1'000, 100'000}, std::vector<double>{3'000, 1'000});
  EXPECT_EQ(falling.bytes_per_ns, 0);
  EXPECT_GT(falling.latency_ns, 0);
  EXPECT_EQ(fit_copies({}, {}).time(1e9), 0);
  const auto without_size = fit_copies(std::vector<double>{0, 0}, std::vector<double>{1'000, 1'000});
  EXPECT_NEAR(without_size.time(0), 1'000, 1e-9);
}

} // namespace
} // namespace jitterscope::model
