#include "core/import/records/constants.h"

#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/small_trace.h"

namespace jitterscope::import {
namespace {

using Names = std::vector<std::string>;

TEST(Constants, AreColumnsOfOneValueWithAnyMissingValues) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  auto data = test::empty_trace();
  test::add_kernel(data, "kernel", 1);
  test::add_launches(data, {{10, 5, 0}, {20, 5, 0}, {30, 5, 0}, {40, 5, 0}});
  auto& launches = *data.find("launches");
  launches.add<double>("same", "", "", {2, 2, 2, 2});
  launches.add<double>("last_differs", "", "", {2, 2, 2, 3});
  launches.add<double>("first_differs", "", "", {3, 2, 2, 2});
  launches.add<double>("missing_between", "", "", {kNan, 2, kNan, 2});
  launches.add<double>("missing_and_two", "", "", {kNan, 2, kNan, 3});
  launches.add<double>("never_there", "", "", {kNan, kNan, kNan, kNan});
  launches.add<double>("both_zeros", "", "", {0.0, -0.0, 0.0, 0.0});
  launches.add<float>("single", "", "", {7, std::numeric_limits<float>::quiet_NaN(), 7, 7});
  launches.add<std::int64_t>("whole", "", "", {-1, -1, -1, -1});
  launches.add<std::int64_t>("two_whole", "", "", {-1, -1, 4, -1});
  launches.add<std::uint32_t>("words", std::string(store::kTextUnit), "", {kNone, 5, kNone, 5});
  launches.add<std::uint32_t>("numbers", "", "", {kNone, 5, kNone, 5}); // not texts: kNone is a value
  launches.add<std::uint8_t>("byte", "", "", {1, 1, 1, 1});
  mark_constants(data);
  EXPECT_EQ(data.manifest.constant_columns, (Names{"same", "missing_between", "never_there", "both_zeros",
                                                   "single", "whole", "words", "byte"}));
}

TEST(Constants, OfNothingAreAll) {
  auto data = test::empty_trace();
  data.find("launches")->add<double>("empty", "", "", {});
  mark_constants(data);
  EXPECT_EQ(data.manifest.constant_columns, Names{"empty"});
}

} // namespace
} // namespace jitterscope::import
