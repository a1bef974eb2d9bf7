// Non-blocking messages: α from latency, the rate from a bandwidth benchmark.

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "core/model/network/k_fit.h"

namespace jitterscope::model {
namespace {

NetworkMeasurement curve(NetworkQuantity quantity, double pairs, double (*value)(double)) {
  NetworkMeasurement out;
  out.quantity = quantity, out.pairs = pairs;
  for (double n = 1; n <= 4 << 20; n *= 2) out.points.push_back({n, value(n)});
  return out;
}

double latency_of_one(double n) {
  return n <= 4096 ? 2 + n / 2000 : 9 + n / 10000;
}
double latency_of_four(double n) {
  return n <= 4096 ? 2 + 4 * n / 5000 : 9 + 4 * n / 16000;
}
double rate_of_one(double n) {
  return 12'000 * n / (n + 3'000); // MB/s
}
double rate_of_four(double n) {
  return 20'000 * n / (n + 1'000);
}

MessageModel model_of(const std::vector<NetworkMeasurement>& curves) {
  const auto model = fit_messages(curves);
  EXPECT_TRUE(model);
  return model ? *model : MessageModel{};
}

TEST(Pipelined, TheGapReplacesTheTimePerByte) {
  const auto model = model_of({curve(NetworkQuantity::latency, 1, latency_of_one),
                               curve(NetworkQuantity::bandwidth, 1, rate_of_one)});
  for (const double n : {1.0, 512.0, 8192.0, 1048576.0}) {
    EXPECT_NEAR(model.pipelined_time(n), (n <= 4096 ? 2 : 9) + (n + 3'000) / 12'000, 1e-5) << n;
    EXPECT_NEAR(model.time(n), latency_of_one(n), 1e-5) << "blocking messages keep their time";
  }
}

TEST(Pipelined, RatesAreInterpolatedBetweenSizes) {
  const auto model = model_of({curve(NetworkQuantity::latency, 1, latency_of_one),
                               curve(NetworkQuantity::bandwidth, 1, rate_of_one)});
  const double between = model.pipelined_time(1500);
  EXPECT_GT(between, model.pipelined_time(1024));
  EXPECT_LT(between, model.pipelined_time(2048));
  EXPECT_NEAR(between, 2 + 4500 / 12'000.0, 0.01);
  const double beyond = 16 << 20; // above the largest measured size, whose rate applies
  EXPECT_NEAR(model.pipelined_time(beyond), 9 + beyond / rate_of_one(4 << 20), 1e-3);
  EXPECT_NEAR(model.pipelined_time(0), 2, 1e-5);
}

TEST(Pipelined, OneNumberOfPairsScalesAsTheLatency) {
  const auto model = model_of({curve(NetworkQuantity::latency, 1, latency_of_one),
                               curve(NetworkQuantity::latency, 4, latency_of_four),
                               curve(NetworkQuantity::bandwidth, 1, rate_of_one)});
  const double n = 1 << 20, slower = (4 * n / 16000) / (n / 10000);
  EXPECT_NEAR(model.pipelined_time(n, 4), 9 + slower * n / rate_of_one(n), 1e-2);
}

TEST(Pipelined, SeveralNumbersOfPairsAreInterpolated) {
  const auto model = model_of({curve(NetworkQuantity::latency, 1, latency_of_one),
                               curve(NetworkQuantity::bandwidth, 4, rate_of_four),
                               curve(NetworkQuantity::bandwidth, 1, rate_of_one)});
  const double n = 1 << 20, one = n / rate_of_one(n), four = 4 * n / rate_of_four(n);
  EXPECT_NEAR(model.pipelined_time(n, 1), 9 + one, 1e-5);
  EXPECT_NEAR(model.pipelined_time(n, 4), 9 + four, 1e-5);
  EXPECT_NEAR(model.pipelined_time(n, 2), 9 + one + (four - one) / 3, 1e-5);
  EXPECT_NEAR(model.pipelined_time(n, 8), 9 + 2 * four, 1e-5) << "eight pairs share the rate of four";
}

TEST(Pipelined, WithoutABandwidthBenchmarkMessagesAreAsBlocking) {
  const auto model = model_of({curve(NetworkQuantity::latency, 1, latency_of_one)});
  EXPECT_TRUE(model.pipelined.empty());
  EXPECT_EQ(model.pipelined_time(8192, 3), model.time(8192, 3));
}

TEST(Pipelined, UnusableRatesAreLeftOut) {
  auto rates = curve(NetworkQuantity::bandwidth, 1, rate_of_one);
  rates.points[3].value = 0, rates.points.front().bytes = 0;
  const auto model = model_of({curve(NetworkQuantity::latency, 1, latency_of_one), rates});
  ASSERT_EQ(model.pipelined.size(), 1u);
  EXPECT_EQ(model.pipelined[0].points.size(), rates.points.size() - 2);
  EXPECT_TRUE(std::isfinite(model.pipelined_time(8)));
}

TEST(Pipelined, ABandwidthAloneHasNoStartUpTime) {
  const auto model = model_of({curve(NetworkQuantity::bandwidth, 1, rate_of_one)});
  EXPECT_NEAR(model.pipelined_time(4096), 7096 / 12'000.0, 1e-6);
}

} // namespace
} // namespace jitterscope::model
