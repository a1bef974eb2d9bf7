#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/import/formats/paraver/fields.h"

using namespace jitterscope;
using import::paraver::Fields;

namespace {

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max(),
                       kMin = std::numeric_limits<std::int64_t>::min();

/// The numbers of a line with the padding that the reader gives it; nothing if it is not a record.
std::vector<std::int64_t> numbers(const std::string& line, bool* huge = nullptr) {
  const auto padded = line + std::string(import::paraver::kLinePadding, '\n');
  Fields fields;
  if (!fields.read(std::string_view(padded).substr(0, line.size()))) return {};
  if (huge) *huge = fields.huge();
  return {fields.numbers().begin(), fields.numbers().end()};
}

} // namespace

TEST(ParaverFields, NumbersOfAllLengths) {
  std::string line;
  std::vector<std::int64_t> expected;
  for (std::int64_t number = 1; number < 1'000'000'000'000'000'000; number = number * 10 + number % 10 + 1)
    for (const auto each : {number, -number, number - 1}) {
      line += std::to_string(each) + ":";
      expected.push_back(each);
      ASSERT_EQ(numbers(std::to_string(each)), std::vector<std::int64_t>{each});
    }
  EXPECT_EQ(numbers(line), expected);
  EXPECT_EQ(numbers("0:00:007:000000000000000000000012"), (std::vector<std::int64_t>{0, 0, 7, 12}));
}

TEST(ParaverFields, NumbersBeyond64BitsAreLimited) {
  bool huge = false;
  EXPECT_EQ(numbers("1:99999999999999999999:-99999999999999999999:9223372036854775807", &huge),
            (std::vector<std::int64_t>{1, kMax, kMin, kMax}));
  EXPECT_TRUE(huge);
  EXPECT_EQ(numbers("9223372036854775807:-9223372036854775808", &huge),
            (std::vector<std::int64_t>{kMax, kMin}));
  EXPECT_FALSE(huge);
}

TEST(ParaverFields, BlanksAndColonsAtTheEndAreIgnored) {
  EXPECT_EQ(numbers("1:2: \t:"), (std::vector<std::int64_t>{1, 2}));
}

TEST(ParaverFields, OtherTextsAreNoRecords) {
  for (const char* line : {"1:a", "a", "1::2", ":1", "1:2x", "1 :2", "1: 2", "+1", "1:-", "12345678x:1",
                           "1234567890123456x", "--1", "1.5"})
    EXPECT_TRUE(numbers(line).empty()) << line;
}
