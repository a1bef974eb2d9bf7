#include "core/base/duration_names.h"

#include <gtest/gtest.h>

namespace jitterscope {
namespace {

using enum DurationName;

TEST(DurationNames, StepsAndKernelsArePreferredToParts) {
  EXPECT_EQ(duration_name({"step", "time", "ms"}), of_row);
  EXPECT_EQ(duration_name({"time", "per", "iteration"}), of_row);
  EXPECT_EQ(duration_name({"gpu", "time", "duration", "sum", "ns"}), of_row);
  EXPECT_EQ(duration_name({"compute", "time", "ms"}), of_part);
  EXPECT_EQ(duration_name({"fwd", "ms"}), length);
  EXPECT_EQ(duration_name({"elapsed", "raw"}), of_row);
}

TEST(DurationNames, WaitingAndPointsInTimeAreNoDurations) {
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{{"queue", "delay", "us"},
                                                                                     {"start", "ns"},
                                                                                     {"wait", "time", "ms"},
                                                                                     {"timeout", "ms"},
                                                                                     {"launch", "time"},
                                                                                     {"time"},
                                                                                     {"idle", "time", "s"},
                                                                                     {"seed"},
                                                                                     {"ms"},
                                                                                     {}})
    EXPECT_EQ(duration_name(words), none) << testing::PrintToString(words);
}

TEST(DurationNames, PartsAreADurationOnlyIfThereIsOne) {
  EXPECT_EQ(duration_among({none, of_part, none}), 1u);
  EXPECT_EQ(duration_among({of_part, of_part}), 2u);
  EXPECT_EQ(duration_among({of_part, of_row, of_part, of_row}), 1u);
  EXPECT_EQ(duration_among({length, of_part}), 1u);
  EXPECT_EQ(duration_among({none}), 1u);
  EXPECT_EQ(duration_among({}), 0u);
}

} // namespace
} // namespace jitterscope
