// The K-model (Choi et al., ICS 2020) compared with its author's published parameters.

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "core/model/network/k_fit.h"

namespace jitterscope::model {
namespace {

/// Rows of times for k = 1, 2 …; sizes double, starting from the first.
std::vector<PairPoint> points(double first_size, const std::vector<std::vector<double>>& rows) {
  std::vector<PairPoint> out;
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (std::size_t k = 0; k < rows[r].size(); ++k)
      out.push_back({std::ldexp(first_size, static_cast<int>(r)), static_cast<double>(k + 1), rows[r][k]});
  return out;
}

void expect_digits(double value, double expected, double relative = 5e-8) {
  EXPECT_NEAR(value, expected, relative * std::abs(expected));
}

/// Σ (T − T̂)² / n.
double weighted_squares(const std::vector<PairPoint>& data, const MessageRegime& regime) {
  double sum = 0;
  for (const auto& p : data) sum += std::pow(p.time - regime.time(p.bytes, p.pairs), 2) / p.bytes;
  return sum;
}

MessageRegime rates(double alpha, double rate, double added) {
  MessageRegime regime;
  regime.form = MessageForm::k_rate;
  regime.alpha = alpha, regime.rate = rate, regime.added_rate = added;
  return regime;
}

/// The published parameters are from an iteration that stopped before the minimum: equal up to `relative`,
/// and never a better fit than that of fit_k_rate().
void expect_published(const std::vector<PairPoint>& data, double alpha, double rate, double added,
                      double relative) {
  const auto fit = fit_k_rate(data);
  ASSERT_TRUE(fit);
  expect_digits(fit->regime.alpha, alpha, relative);
  expect_digits(fit->regime.rate, rate, relative);
  expect_digits(fit->regime.added_rate, added, relative);
  EXPECT_LE(weighted_squares(data, fit->regime),
            weighted_squares(data, rates(alpha, rate, added)) * (1 + 1e-14));
}

const std::vector<std::vector<double>> kSummitShort{
    {.58, .71}, {.59, .70}, {.59, .70}, {.62, .73}, {.63, .76}};
const std::vector<std::vector<double>> kSummitEager{{.73, .83},  {.80, .90},   {.88, .97},
                                                    {.99, 1.09}, {1.31, 1.46}, {1.66, 1.75}};
const std::vector<std::vector<double>> kSummitRendezvous{{4.24, 4.34},   {5.32, 5.55},     {8.00, 8.37},
                                                         {11.74, 12.22}, {18.17, 19.51},   {32.41, 35.04},
                                                         {60.68, 65.58}, {117.28, 126.58}, {240.15, 258.94}};
const std::vector<std::vector<double>> kLassenShort{{1.52, 1.55, 1.58, 1.64},
                                                    {1.52, 1.55, 1.60, 1.63},
                                                    {1.51, 1.56, 1.61, 1.66},
                                                    {1.59, 1.65, 1.75, 1.84},
                                                    {1.69, 1.74, 1.84, 1.92}};
const std::vector<std::vector<double>> kLassenEager{
    {2.14, 2.35, 2.54, 2.37}, {2.31, 2.46, 2.47, 2.49},    {2.58, 2.68, 2.63, 2.67},
    {3.24, 3.37, 3.25, 3.16}, {3.92, 4.13, 4.18, 4.37},    {5.35, 5.71, 5.89, 6.03},
    {7.56, 7.83, 8.91, 9.39}, {9.77, 10.56, 11.76, 13.20}, {12.75, 15.79, 19.73, 23.57}};
const std::vector<std::vector<double>> kLassenRendezvous{
    {18.99, 20.86, 28.87, 31.38}, {28.91, 31.86, 47.64, 52.83}, {47.59, 53.30, 85.65, 96.10}};

TEST(KModel, SummitIntraSocketAsPublished) {
  const auto s = fit_k_short(points(8, kSummitShort));
  ASSERT_TRUE(s);
  expect_digits(s->regime.alpha, 0.629309486);
  expect_digits(s->regime.beta, 0.000621256175, 2e-7);
  expect_published(points(256, kSummitEager), 0.765340788, 9071.09437, 4324.50318, 5e-8);
  EXPECT_NEAR(fit_k_rate(points(256, kSummitEager))->r_squared, 0.93648, 5e-6);
  expect_published(points(16384, kSummitRendezvous), 3.58606982, 17977.1262, 15255.5214, 1e-8);
  EXPECT_NEAR(fit_k_rate(points(16384, kSummitRendezvous))->r_squared, 0.99959, 5e-6);
}

TEST(KModel, LassenInterNodeAsPublished) {
  const auto s = fit_k_short(points(8, kLassenShort));
  ASSERT_TRUE(s);
  expect_digits(s->regime.alpha, 1.54512082);
  expect_digits(s->regime.beta, 0.000883596657);
  expect_published(points(256, kLassenEager), 2.36001414, 4924.61829, 2311.46845, 2e-6);
  expect_published(points(131072, kLassenRendezvous), 10.5599635, 17948.3348, 2223.29686, 2e-5);
}

using Rows = std::vector<std::vector<double>>;

void expect_predictions(const MessageModel& model, const Rows& expected, double relative) {
  for (const auto& row : expected)
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_NEAR(model.time(row[0], 1 << i), row[i + 1], 1.5e-6 + relative * row[i + 1])
          << row[0] << " B, k = " << (1 << i);
}

MessageModel model_of(MessageRegime brief, MessageRegime eager, MessageRegime rendezvous,
                      double eager_limit) {
  MessageModel model;
  model.regimes = {brief, eager, rendezvous};
  model.regimes[0].last_size = 128;
  model.regimes[1].last_size = eager_limit;
  return model;
}

const Rows kLassenTimes{{8, 1.552192, 1.559264, 1.573408},           {128, 1.658272, 1.771424, 1.997728},
                        {129, 2.386205, 2.395665, 2.403521},         {8192, 4.023489, 4.624217, 5.123138},
                        {65536, 15.667843, 20.473668, 24.465034},    {131072, 17.862703, 23.55564, 31.856706},
                        {1048576, 68.981874, 114.525376, 180.933902}};
const Rows kSummitTimes{{8192, 1.668428, 1.988428, 2.251781}, {1048576, 61.914414, 66.691244, 69.385586}};

// The author rounds the short and eager parameters before he predicts.
TEST(KModel, PredictionsOfLassenInterNode) {
  MessageRegime brief;
  brief.form = MessageForm::k_short;
  brief.alpha = 1.54512, brief.beta = 0.000884;
  expect_predictions(
      model_of(brief, rates(2.36001, 4924.6182, 2311.4684), rates(10.5599635, 17948.3348, 2223.29686), 65537),
      kLassenTimes, 0);
  expect_predictions(model_of(fit_k_short(points(8, kLassenShort))->regime,
                              fit_k_rate(points(256, kLassenEager))->regime,
                              fit_k_rate(points(131072, kLassenRendezvous))->regime, 65537),
                     kLassenTimes, 1.1e-4);
}

TEST(KModel, PredictionsOfSummitIntraSocket) {
  expect_predictions(model_of(fit_k_short(points(8, kSummitShort))->regime,
                              fit_k_rate(points(256, kSummitEager))->regime,
                              fit_k_rate(points(16384, kSummitRendezvous))->regime, 12288),
                     kSummitTimes, 0);
}

MessageModel postal(double a1, double b1, double a2, double b2, double a3, double b3, double eager_limit) {
  MessageModel model;
  model.regimes.resize(3);
  model.regimes[0].alpha = a1, model.regimes[0].beta = b1, model.regimes[0].last_size = 128;
  model.regimes[1].alpha = a2, model.regimes[1].beta = b2, model.regimes[1].last_size = eager_limit;
  model.regimes[2].alpha = a3, model.regimes[2].beta = b3;
  return model;
}

TEST(KModel, PostalPredictionsOfLassen) {
  const auto intra = postal(.361, .000116, .521, .0000644, 2.92, .0000349, 12288);
  EXPECT_NEAR(intra.time(8), 0.361928, 5e-7);
  EXPECT_NEAR(intra.time(1048576), 39.515302, 5e-7);
  EXPECT_NEAR(postal(.824, .00105, 1.11, .000216, 2.54, .000124, 12288).time(1024), 1.331184, 5e-7);
  const auto inter = postal(1.21, .00119, 2.86, .000152, 8.81, .0000718, 65537);
  EXPECT_NEAR(inter.time(1024), 3.015648, 5e-7);
  EXPECT_NEAR(inter.time(1048576), 84.097757, 5e-7);
  EXPECT_EQ(inter.time(1024, 7), inter.time(1024)); // postal has no k
}

TEST(KModel, MaxRateOfOnePairIsThePostalModel) {
  MessageRegime regime;
  regime.form = MessageForm::max_rate;
  regime.alpha = 2, regime.rate = 5000, regime.node_rate = 12000;
  EXPECT_NEAR(regime.time(10000, 1), 2 + 10000 / 5000.0, 1e-12);
  EXPECT_NEAR(regime.time(10000, 2), 2 + 10000 / 5000.0, 1e-12); // the node is not saturated
  EXPECT_NEAR(regime.time(10000, 4), 2 + 40000 / 12000.0, 1e-12);
}

TEST(KModel, ExactDataGiveTheirParameters) {
  std::vector<PairPoint> data;
  for (double n = 256; n <= 65536; n *= 2)
    for (const double k : {1.0, 2.5, 7.0}) data.push_back({n, k, 3 + k * n / (8000 + (k - 1) * 1234)});
  const auto fit = fit_k_rate(data);
  ASSERT_TRUE(fit);
  expect_digits(fit->regime.alpha, 3);
  expect_digits(fit->regime.rate, 8000);
  expect_digits(fit->regime.added_rate, 1234);
  EXPECT_NEAR(fit->r_squared, 1, 1e-12);
}

TEST(KModel, UninformativeDataAreRefused) {
  EXPECT_FALSE(fit_k_rate({}));
  EXPECT_FALSE(fit_k_short({}));
  EXPECT_FALSE(fit_k_rate(points(256, {{3, 3}, {3, 3}, {3, 3}}))); // no time increases
  EXPECT_FALSE(fit_k_rate(std::vector<PairPoint>{{0, 1, 1}, {8, 1, 2}, {16, 1, 3}}));
  EXPECT_FALSE(fit_k_rate(std::vector<PairPoint>{{4, 1, -1}, {8, 1, 2}, {16, 1, 3}}));
}

TEST(KModel, CurvesOfOneNumberOfPairsHaveUnknownScaling) {
  NetworkMeasurement curve;
  for (double n = 1; n <= 4 << 20; n *= 2)
    curve.points.push_back({n, n <= 4096 ? 2 + n / 2000 : 9 + n / 10000});
  const auto one = fit_messages(std::vector<NetworkMeasurement>{curve});
  ASSERT_TRUE(one);
  EXPECT_TRUE(one->scaling_unknown);
  EXPECT_NEAR(one->time(1 << 20), 9 + (1 << 20) / 10000.0, 1e-6);
  auto second = curve;
  second.pairs = 4;
  for (auto& p : second.points) p.value = p.bytes <= 4096 ? 2 + 4 * p.bytes / 5000 : 9 + 4 * p.bytes / 16000;
  const auto both = fit_messages(std::vector<NetworkMeasurement>{second, curve});
  ASSERT_TRUE(both);
  EXPECT_FALSE(both->scaling_unknown);
  EXPECT_NEAR(both->time(1 << 20, 4), 9 + 4 * (1 << 20) / 16000.0, 1e-5);
  EXPECT_NEAR(both->time(1 << 20, 1), 9 + (1 << 20) / 10000.0, 1e-5);
}

TEST(KModel, ABandwidthCurveAloneGivesItsPlateau) {
  NetworkMeasurement curve;
  curve.quantity = NetworkQuantity::bandwidth;
  curve.points = {{1, 2}, {1024, 900}, {1 << 20, 23982.18}};
  const auto model = fit_messages(std::vector<NetworkMeasurement>{curve});
  ASSERT_TRUE(model);
  EXPECT_TRUE(model->scaling_unknown);
  EXPECT_EQ(model->regimes.front().rate, 23982.18);
  EXPECT_EQ(model->regimes.front().added_rate, 0);
  EXPECT_FALSE(fit_messages({}));
}

} // namespace
} // namespace jitterscope::model
