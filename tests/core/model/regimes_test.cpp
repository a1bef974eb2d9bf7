// Protocols found in latency curves of real networks, measured with OSU 7.x.

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "core/model/network/regimes.h"

namespace jitterscope::model {
namespace {

std::vector<NetworkPoint> doubling(const std::vector<double>& times) {
  std::vector<NetworkPoint> points;
  for (std::size_t i = 0; i < times.size(); ++i)
    points.push_back({std::ldexp(1, static_cast<int>(i)), times[i]});
  return points;
}

std::vector<std::pair<double, double>> borders(const std::vector<NetworkPoint>& points,
                                               const Segments& found) {
  std::vector<std::pair<double, double>> out;
  for (const auto& s : found.list) out.emplace_back(points[s.first].bytes, points[s.last].bytes);
  return out;
}

void expect_six_digits(double value, double expected, double relative = 5e-6) {
  EXPECT_NEAR(value, expected, relative * expected);
}

TEST(Regimes, O1DeviceBuffersOverSlingshot) {
  const auto points =
      doubling({19.73, 19.50, 19.59, 19.79, 19.79, 19.80, 19.96, 20.67, 11.79, 11.73,  11.70, 12.49,
                13.13, 17.92, 18.67, 19.50, 20.84, 23.54, 29.19, 40.20, 61.91, 105.13, 191.61});
  const auto found = find_segments(points);
  ASSERT_TRUE(found);
  EXPECT_EQ(borders(points, *found),
            (std::vector<std::pair<double, double>>{{1, 128}, {256, 4096}, {8192, 32768}, {65536, 4194304}}));
  const auto& s = found->list;
  expect_six_digits(s[0].alpha, 19.6071);
  expect_six_digits(s[0].beta, 7.70759e-3);
  expect_six_digits(s[1].alpha, 11.5459);
  expect_six_digits(s[1].beta, 3.89722e-4);
  expect_six_digits(s[2].alpha, 17.4951);
  expect_six_digits(s[2].beta, 6.28029e-5);
  expect_six_digits(s[3].alpha, 18.1781);
  expect_six_digits(s[3].beta, 4.15489e-5);
  EXPECT_NEAR(1 / s[3].beta, 24068, 0.5);
  EXPECT_NEAR(found->mean_absolute_percentage, 0.54, 0.005);
}

TEST(Regimes, O2HostBuffersOverSlingshot) {
  const auto points =
      doubling({3.34, 3.32,  3.34,  3.34,  3.34,  3.34,  3.35,  4.33,  4.32,  4.40,  4.51,  4.65,
                5.14, 10.90, 11.54, 12.33, 13.68, 16.41, 21.81, 32.59, 54.18, 97.36, 183.66});
  const auto found = find_segments(points);
  ASSERT_TRUE(found);
  EXPECT_EQ(borders(points, *found),
            (std::vector<std::pair<double, double>>{{1, 64}, {128, 4096}, {8192, 32768}, {65536, 4194304}}));
  const auto& s = found->list;
  expect_six_digits(s[0].alpha, 3.33404);
  expect_six_digits(s[1].alpha, 4.28566);
  expect_six_digits(s[2].alpha, 10.4948);
  expect_six_digits(s[3].alpha, 10.9973);
  expect_six_digits(s[3].beta, 4.11836e-5);
  EXPECT_NEAR(found->mean_absolute_percentage, 0.27, 0.005);
}

TEST(Regimes, O3TimesThatFallWhereTheProtocolChanges) {
  const auto points =
      doubling({4.06, 4.26, 4.33, 4.22,  4.23,  4.37,  4.45,  4.59,  4.54,  4.88,   4.89,  4.93,
                5.57, 6.20, 9.02, 12.15, 18.42, 31.48, 56.07, 43.67, 74.08, 145.56, 281.57});
  const auto found = find_segments(points);
  ASSERT_TRUE(found);
  EXPECT_EQ(borders(points, *found), (std::vector<std::pair<double, double>>{
                                         {1, 64}, {128, 8192}, {16384, 262144}, {524288, 4194304}}));
  expect_six_digits(found->list[2].alpha, 5.84996);
  expect_six_digits(found->list[2].beta, 1.92904e-4);
  expect_six_digits(found->list[3].alpha, 9.30352);
  expect_six_digits(found->list[3].beta, 6.42352e-5);
  EXPECT_NEAR(found->mean_absolute_percentage, 1.44, 0.005);
}

TEST(Regimes, O5ExactLinesAreFoundExactly) {
  std::vector<NetworkPoint> points;
  for (double n = 1; n <= 4194304; n *= 2)
    points.push_back({n, n <= 256 ? 2 + n / 1000 : n <= 65536 ? 3 + n / 5000 : 10 + n / 12000});
  const auto found = find_segments(points);
  ASSERT_TRUE(found);
  EXPECT_EQ(borders(points, *found),
            (std::vector<std::pair<double, double>>{{1, 256}, {512, 65536}, {131072, 4194304}}));
  const double alpha[] = {2, 3, 10}, rate[] = {1000, 5000, 12000};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(found->list[i].alpha, alpha[i], 1e-9);
    EXPECT_NEAR(1 / found->list[i].beta, rate[i], 1e-6 * rate[i]);
  }
}

TEST(Regimes, LinesNeverFall) {
  const auto found = find_segments(doubling({5, 4.9, 4.8, 4.7, 4.6}));
  ASSERT_TRUE(found);
  for (const auto& s : found->list) {
    EXPECT_GE(s.beta, 0);
    EXPECT_GE(s.alpha, 0);
  }
  const auto through_zero = find_segments(std::vector<NetworkPoint>{{10, 0.5}, {20, 3}, {30, 5}});
  ASSERT_TRUE(through_zero);
  EXPECT_EQ(through_zero->list[0].alpha, 0);
  EXPECT_GT(through_zero->list[0].beta, 0);
}

TEST(Regimes, ASizeOfZeroIsAPointLikeOthers) {
  auto points = doubling({2, 2, 2, 2, 2});
  points.insert(points.begin(), {0, 2});
  const auto found = find_segments(points);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->list.size(), 1u);
  EXPECT_NEAR(found->list[0].alpha, 2, 1e-12);
}

TEST(Regimes, UnusableCurvesAreRefused) {
  EXPECT_FALSE(find_segments({}));
  EXPECT_FALSE(find_segments(doubling({1, 2})));
  EXPECT_FALSE(find_segments(doubling({1, 0, 2})));
  EXPECT_FALSE(find_segments(doubling({1, std::nan(""), 2})));
  EXPECT_FALSE(find_segments(std::vector<NetworkPoint>{{1, 1}, {1, 1}, {2, 1}}));
}

} // namespace
} // namespace jitterscope::model
