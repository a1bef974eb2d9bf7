#include <gtest/gtest.h>

#include <random>

#include "core/efficiency/step_function.h"

using namespace jitterscope;
using namespace jitterscope::efficiency;
using StepList = std::vector<StepFunction::Step>;

namespace {

std::vector<Interval> intervals(std::initializer_list<std::pair<std::int64_t, std::int64_t>> list) {
  std::vector<Interval> out;
  for (const auto& [begin, end] : list) out.push_back({{begin}, {end}});
  return out;
}

StepFunction active(std::initializer_list<std::pair<std::int64_t, std::int64_t>> list) {
  return StepFunction::active(intervals(list));
}

// test::worked_example(), by device.
const std::vector<StepFunction> kComputing = {active({{0, 30}, {20, 40}, {75, 95}}),
                                              active({{0, 50}, {80, 90}}), active({{10, 30}, {85, 100}})};
const std::vector<StepFunction> kCollective = {active({{60, 80}}), active({{60, 80}}), active({{50, 80}})};
const std::vector<StepFunction> kBusy = {active({{0, 30}, {20, 40}, {75, 95}, {40, 50}, {60, 80}}),
                                         active({{0, 50}, {80, 90}, {45, 60}, {60, 80}}),
                                         active({{10, 30}, {85, 100}, {30, 32}, {50, 80}})};

std::vector<StepFunction> each(const std::vector<StepFunction>& functions,
                               StepFunction (*f)(const StepFunction&)) {
  std::vector<StepFunction> out;
  for (const auto& function : functions) out.push_back(f(function));
  return out;
}

} // namespace

TEST(StepFunction, CountsActiveComputeKernelsOverAllStreams) {
  EXPECT_EQ(sum(kComputing).steps(), (StepList{{0, 2},
                                               {10, 3},
                                               {20, 4},
                                               {30, 2},
                                               {40, 1},
                                               {50, 0},
                                               {75, 1},
                                               {80, 2},
                                               {85, 3},
                                               {90, 2},
                                               {95, 1},
                                               {100, 0}}));
}

TEST(StepFunction, CountsDevicesThatCompute) {
  EXPECT_EQ(sum(each(kComputing, sign)).steps(), (StepList{{0, 2},
                                                           {10, 3},
                                                           {30, 2},
                                                           {40, 1},
                                                           {50, 0},
                                                           {75, 1},
                                                           {80, 2},
                                                           {85, 3},
                                                           {90, 2},
                                                           {95, 1},
                                                           {100, 0}}));
}

TEST(StepFunction, FindsWhenAllDevicesAreInACollective) {
  EXPECT_EQ(minimum(each(kCollective, sign)).steps(), (StepList{{60, 1}, {80, 0}}));
}

TEST(StepFunction, CountsIdleDevices) {
  std::vector<StepFunction> idle;
  for (const auto& busy : kBusy) idle.push_back(one_minus_sign(busy, {{0}, {100}}));
  EXPECT_EQ(sum(idle).steps(),
            (StepList{{0, 1}, {10, 0}, {32, 1}, {60, 0}, {80, 1}, {85, 0}, {90, 1}, {95, 2}, {100, 0}}));
}

TEST(StepFunction, EqualsItsValuesAtEachNanosecond) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 50; ++trial) {
    std::vector<std::vector<Interval>> all(3);
    std::vector<StepFunction> functions;
    for (auto& list : all) {
      for (unsigned i = 0; i < random() % 12; ++i) {
        const auto begin = static_cast<std::int64_t>(random() % 90);
        list.push_back({{begin}, {begin + static_cast<std::int64_t>(random() % 20)}});
      }
      functions.push_back(StepFunction::active(list));
    }
    const auto total = sum(functions), low = minimum(functions), high = maximum(functions);
    double area = 0;
    for (std::int64_t t = -2; t < 120; ++t) {
      double values[3];
      for (std::size_t f = 0; f < 3; ++f)
        values[f] = static_cast<double>(
            std::count_if(all[f].begin(), all[f].end(), [&](const Interval& i) { return i.contains({t}); }));
      ASSERT_EQ(total.at(t), values[0] + values[1] + values[2]) << t;
      ASSERT_EQ(low.at(t), std::min({values[0], values[1], values[2]})) << t;
      ASSERT_EQ(high.at(t), std::max({values[0], values[1], values[2]})) << t;
      ASSERT_EQ(product(functions[0], functions[1]).at(t), values[0] * values[1]) << t;
      ASSERT_EQ(within(total, {{30}, {60}}).at(t), t >= 30 && t < 60 ? total.at(t) : 0) << t;
      if (t >= 10 && t < 77) area += total.at(t);
    }
    EXPECT_EQ(total.integral(10, 77), area);
    for (std::size_t i = 1; i < total.steps().size(); ++i)
      EXPECT_NE(total.steps()[i].value, total.steps()[i - 1].value);
  }
}

TEST(StepFunction, OfNothingIsZeroEverywhere) {
  EXPECT_TRUE(StepFunction().steps().empty());
  EXPECT_EQ(StepFunction().at(5), 0);
  EXPECT_EQ(active({{5, 5}, {9, 3}}), StepFunction());
  EXPECT_EQ(sum({}), StepFunction());
}
