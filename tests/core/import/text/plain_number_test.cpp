// The fast ways to read numbers give the results of the slow ones, for any text.

#include <charconv>
#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/import/formats/chrome/keys.h"
#include "core/import/text/csv/number.h"
#include "core/import/text/json/values.h"
#include "core/import/text/plain_number.h"
#include "core/import/text/text_table.h"

namespace jitterscope::import {
namespace {

using Random = std::mt19937_64;

std::string digits(Random& random, std::size_t maximum) {
  std::string text;
  for (auto left = random() % (maximum + 1); left > 0; --left) text += static_cast<char>('0' + random() % 10);
  return text;
}

// Mostly valid numbers, some with one damaged character.
std::string some_number(Random& random) {
  std::string text = random() % 4 == 0 ? "-" : random() % 16 == 0 ? "+" : "";
  text += digits(random, random() % 3 == 0 ? 21 : 9);
  if (random() % 2 == 0) text += "." + digits(random, random() % 3 == 0 ? 21 : 6);
  if (random() % 8 == 0) text += "e" + std::to_string(static_cast<int>(random() % 30) - 15);
  if (random() % 8 == 0 && !text.empty()) {
    constexpr std::string_view kOdd = " .,-+eE/:;09nxA\xB0\xFF";
    text[random() % text.size()] = kOdd[random() % kOdd.size()];
  }
  return text;
}

std::vector<std::string> texts() {
  std::vector<std::string> all = {"",
                                  "-",
                                  ".",
                                  "-.",
                                  "0",
                                  "-0",
                                  "-0.0",
                                  "00",
                                  "007",
                                  "5.",
                                  ".5",
                                  "-.5",
                                  "1.-2",
                                  "9007199254740992",
                                  "9007199254740993",
                                  "9007199254740992.5",
                                  "999999999999999",
                                  "999999999999999999",
                                  "9999999999999999999",
                                  "18446744073709551615",
                                  "9223372036854775807",
                                  "9223372036854775808",
                                  "-9223372036854775808",
                                  "9223372036854775.807",
                                  "9223372036854775.808",
                                  "1712195495519689.047",
                                  "1712195495519689.0475",
                                  "0.000000000000000001",
                                  "0.1",
                                  "0.3",
                                  "123456.789",
                                  "12345678",
                                  "1234567/",
                                  "1234567:",
                                  "12345678.",
                                  "1 2",
                                  " 12",
                                  "12 "};
  Random random(11);
  for (int i = 0; i < 200'000; ++i) all.push_back(some_number(random));
  return all;
}

// Bitwise equal, so that -0 is not 0.
void expect_same(std::optional<double> quick, std::optional<double> slow, const std::string& text) {
  ASSERT_EQ(quick.has_value(), slow.has_value()) << text;
  if (quick) {
    ASSERT_EQ(std::memcmp(&*quick, &*slow, sizeof(double)), 0) << text << " " << *quick << " " << *slow;
  }
}

TEST(PlainNumbers, OfTablesAreThoseOfTheGeneralParser) {
  for (const auto& text : texts()) {
    expect_same(parse_number(text), parse_any_number(text), text);
    for (const double factor : {1.0, 1e3, 1e6, 1e9, 1e-3, 1e-6, 1024.0, 60e9, 1e9 / 1e3})
      expect_same(parse_number(text, factor), parse_any_number(text, factor), text);
    for (const std::int64_t scale : {1ll, 1'000ll, 1'000'000ll, 1'000'000'000ll, 60'000'000'000ll / 10})
      ASSERT_EQ(parse_decimal(text, scale), parse_any_decimal(text, scale)) << text << " · " << scale;
  }
}

TEST(PlainNumbers, FewDigitsWithAndWithoutPadding) {
  for (const auto& text : texts()) {
    // The bytes after the text must not matter, least of all digits.
    for (const char behind : {'\0', '5', ',', '\xFF'}) {
      const auto padded = text + std::string(kDigitPadding, behind);
      ASSERT_EQ(digits_in_padded({padded.data(), text.size()}), few_digits(text)) << text;
      if (const auto quick = padded_plain_number({padded.data(), text.size()}))
        expect_same(nearest(*quick), parse_any_number(text), text);
    }
  }
  for (const char* text : {"0.5", "-12.3456", "1234567.87654321", "7", "-0", "1234567"}) {
    std::string padded(text);
    const auto size = padded.size();
    padded += std::string(kDigitPadding, '9'); // digits after the text do not belong to it
    const auto quick = padded_plain_number({padded.data(), size}), plain = plain_number(text);
    ASSERT_TRUE(quick && plain) << text;
    EXPECT_EQ(nearest(*quick), nearest(*plain)) << text;
    EXPECT_EQ(quick->negative, plain->negative) << text;
  }
  for (const char* text : {"", "-", ".", ".5", "5.", "1e5", "1.2.3", "1,5", "12345678", "1.123456789", "1.-5",
                           "--1", "0x5", " 1.5", "1.5 ", "\xB1.5", "1\xFF.5", "1.5\x8A"}) {
    std::string padded(text);
    const auto size = padded.size();
    padded += ".5" + std::string(kDigitPadding, '0');
    EXPECT_FALSE(padded_plain_number({padded.data(), size}).has_value()) << text;
  }
  EXPECT_EQ(few_digits("999999999999999"), 999'999'999'999'999);
  EXPECT_FALSE(few_digits("1000000000000000").has_value());
  EXPECT_FALSE(few_digits("").has_value());
}

std::optional<double> real_by_library(std::string_view text) {
  double number = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), number);
  if (result.ec != std::errc() || result.ptr != text.data() + text.size() || !std::isfinite(number))
    return {};
  return number;
}

TEST(PlainNumbers, OfJsonAreThoseOfTheLibrary) {
  for (const auto& text : texts()) {
    if (text.find(' ') != std::string::npos) continue; // blanks are trimmed first
    expect_same(json::real(text), real_by_library(text), text);
    expect_same(json::real("\"" + text + "\""), real_by_library(text), text);
  }
}

TEST(PlainNumbers, TimesAreScaledAsInQuotes) {
  // Quotes take the general path.
  for (const auto& text : texts())
    for (const int places : {0, 3, 6}) {
      ASSERT_EQ(json::scaled(text, places), json::scaled("\"" + text + "\"", places)) << text;
      ASSERT_EQ(json::integer(text), json::integer("\"" + text + "\"")) << text;
    }
  EXPECT_EQ(json::scaled("1712195495519689.047", 3), 1'712'195'495'519'689'047);
  EXPECT_EQ(json::scaled("9223372036854775.807", 3), 9'223'372'036'854'775'807);
  EXPECT_FALSE(json::scaled("9223372036854775.808", 3).has_value());
}

TEST(TextTable, KeepsValuesOfManyTextsApart) {
  TextTable<int> table;
  std::vector<std::string> all;
  for (int i = 0; i < 3000; ++i)
    all.push_back(std::string(static_cast<std::size_t>(i) % 40, 'k') + std::to_string(i) + "(int)");
  for (int i = 0; i < 3000; ++i) {
    EXPECT_EQ(table.find(all[static_cast<std::size_t>(i)]), nullptr);
    table.add(all[static_cast<std::size_t>(i)], i);
  }
  for (int round = 0; round < 2; ++round)
    for (int i = 0; i < 3000; ++i) {
      const auto* found = table.find(all[static_cast<std::size_t>(i)]);
      ASSERT_NE(found, nullptr);
      EXPECT_EQ(*found, i);
    }
  EXPECT_EQ(table.size(), 3000u);
}

TEST(Keys, AreFoundByGuessAndByText) {
  using chrome::Key, chrome::Keys;
  const std::vector<std::string> written = {"device", "dev",    "device id",          "",
                                            "ts",     "tsc",    std::string(47, 'k'), std::string(48, 'k'),
                                            "a\\\"b", "stream", std::string(200, 'x')};
  Keys keys;
  std::vector<std::uint32_t> numbers;
  Random random(5);
  for (int round = 0; round < 500; ++round) {
    const auto which = round < static_cast<int>(written.size()) ? static_cast<std::size_t>(round)
                                                                : random() % written.size();
    const auto line = written[which] + "\": 1}" + std::string(Keys::kLongestGuess, ' ');
    const Keys::Place place{static_cast<std::uint32_t>(random() % 3),
                            static_cast<std::uint32_t>(random() % 2)};
    const auto found = keys.at(line.data(), place);
    ASSERT_EQ(found.text, written[which]);
    if (numbers.size() <= which) numbers.push_back(found.number);
    ASSERT_EQ(found.number, numbers[which]);
  }
  EXPECT_EQ(numbers[0], static_cast<std::uint32_t>(Key::Device));
  EXPECT_EQ(numbers[4], static_cast<std::uint32_t>(Key::Time));
  EXPECT_EQ(numbers[9], static_cast<std::uint32_t>(Key::Stream));
}

} // namespace
} // namespace jitterscope::import
