#include <algorithm>
#include <functional>
#include <random>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "core/analysis/filter/filter.h"
#include "core/analysis/filter/filter_tokens.h"
#include "core/analysis/filter/row_filter.h"
#include "tests/support/open_session.h"

using namespace jitterscope;
using analysis::Filter;

namespace {

class FilterTest : public ::testing::Test {
protected:
  static store::TraceData trace() {
    auto data = test::empty_trace(2);
    test::add_kernel(data, "void gemm<float>(int)", 2);
    test::add_kernel(data, "copy/kernel", 1);
    test::add_launches(data,
                       {{0, 10'000, 0}, {20'000, 30'000, 1}, {60'000, 7, 2, 3}, {70'000, 25'000, 2, 3}});
    data.find("launches")->add<float>("gap_ns", "ns", "", {NAN, 1.0f, 2.0f, 3.0f});
    data.find("launches")->add<float>("clock", "MHz", "", {1'410.0f, 705.0f, 1'000.0f, NAN});
    data.find("launches")->add<float>("active", "%", "", {80.0f, 0.5f, 30.0f, 100.0f});
    data.find("launches")->add<float>("bandwidth", "GB/s", "", {80.0f, 5.0f, 30.0f, 100.0f});
    return data;
  }
  std::string select(const std::string& text) {
    auto filter = Filter::parse(text, *open.columns);
    if (!filter) return "error: " + filter.error().message + " @ " + filter.error().place;
    std::string bits;
    for (const auto bit : filter->select(*open.columns, {0, 0, 4})) bits += bit ? '1' : '0';
    return bits;
  }
  test::OpenSession open{{trace()}};
};

} // namespace

TEST_F(FilterTest, TheDocumentedExampleWorks) {
  EXPECT_EQ(select("duration > 20us and name ~ /gemm/ and stream in (7, 13)"), "0100");
}

TEST_F(FilterTest, DecimalTimesAreWholeNanoseconds) {
  for (const int thousandths : {1, 7, 1'001, 1'003, 4'377, 199'999})
    for (const auto& [unit, ns] : {std::pair{"us", 1}, {"ms", 1'000}, {"s", 1'000'000}}) {
      const auto text = fmt::format("{}.{:03}{}", thousandths / 1'000, thousandths % 1'000, unit);
      const auto tokens = analysis::tokenize_filter("duration = " + text);
      ASSERT_TRUE(tokens) << text;
      EXPECT_EQ((*tokens)[2].number, static_cast<double>(thousandths) * ns) << text;
    }
  for (const auto& [text, value] :
       {std::pair{"2.5e-3s", 2.5e6}, {"1e+3us", 1e6}, {"1.5KiB", 1536.0}, {"2^10KB", 1.024e6}}) {
    const auto tokens = analysis::tokenize_filter(text);
    ASSERT_TRUE(tokens) << text;
    EXPECT_EQ((*tokens)[0].number, value) << text;
  }
}

TEST_F(FilterTest, EmptySelectsEverything) {
  EXPECT_EQ(select("  "), "1111");
}

TEST_F(FilterTest, PrecedenceIsNotAndOr) {
  EXPECT_EQ(select("stream = 8 or duration > 20us and grid_x = 2"), "0111");
  EXPECT_EQ(select("(stream = 8 or duration > 20us) and grid_x = 2"), "0100");
  EXPECT_EQ(select("not stream = 8 and duration >= 10us"), "1100");
}

TEST_F(FilterTest, MissingValuesCompareFalseBothWays) {
  EXPECT_EQ(select("gap_ns > 1"), "0011");
  EXPECT_EQ(select("gap_ns <= 1"), "0100");
  EXPECT_EQ(select("gap_ns != 2"), "0101");
  EXPECT_EQ(select("gap_ns is missing"), "1000");
  EXPECT_EQ(select("gap_ns is not missing"), "0111");
  EXPECT_NE(select("range is missing"), "0000");
  EXPECT_EQ(select("range is missing and (range != \"step\" or range !~ /step/)"), "0000");
}

TEST_F(FilterTest, TextsCompareByEqualityAndRegularExpression) {
  EXPECT_EQ(select("name = \"copy/kernel\""), "0011");
  EXPECT_EQ(select("name != 'copy/kernel'"), "1100");
  EXPECT_EQ(select("name ~ /copy\\/k/"), "0011");
  EXPECT_EQ(select("name !~ /^void/"), "0011");
  EXPECT_EQ(select("name ~ /nothing/"), "0000");
}

TEST(FilterTokens, AnyTextInQuotesIsReadAsItself) {
  for (const std::string text :
       {"", "a", "C:\\dir\\", "\"", "\\", "\\\"", "\"\\", "\\\\", "it's \"so\"", "µs \n"}) {
    const auto tokens = tokenize_filter("name = " + quoted_text(text) + " and stream = 7");
    ASSERT_TRUE(tokens) << text << ": " << describe(tokens.error());
    ASSERT_EQ(tokens->size(), 8u) << text;
    EXPECT_EQ((*tokens)[2].text, text);
  }
  const auto pattern = tokenize_filter("name ~ /a\\\\b\\/c/"); // a regular expression keeps its own escapes
  ASSERT_TRUE(pattern);
  EXPECT_EQ((*pattern)[2].text, "a\\\\b/c");
}

TEST_F(FilterTest, UnitsPowersRangesAndColumns) {
  EXPECT_EQ(select("duration between 7ns and 0.01ms"), "1010");
  EXPECT_EQ(select("duration < 2^4"), "0010");
  EXPECT_EQ(select("duration > start"), "1100");
  EXPECT_EQ(select("duration >= -5"), "1111");
  EXPECT_EQ(select("duration < 1e4ns"), "0010");
}

TEST_F(FilterTest, NumbersAreConvertedToTheUnitOfTheColumn) {
  EXPECT_EQ(select("clock < 1GHz"), "0100");
  EXPECT_EQ(select("clock between 1000000kHz and 1.41GHz"), "1010");
  EXPECT_EQ(select("clock in (705MHz, 1GHz)"), "0110");
  EXPECT_EQ(select("clock < 1000"), "0100");
  EXPECT_EQ(select("active > 50%"), "1001");
  EXPECT_EQ(select("active >= 0.5%"), "1111");
  EXPECT_EQ(select("active > 50"), "1001");
  EXPECT_EQ(select("active = 7% or active = 80%"), "1000");
  EXPECT_EQ(select("active = 30% and active in (7%, 30%)"), "0010");
  EXPECT_EQ(select("stream > 800%"), "0000") << "a column without a unit: a fraction";
  for (const char* other : {"duration > 5%", "clock > 3ms", "active < 1GB", "bandwidth > 1GB",
                            "clock between 1 and 3ms", "clock in (1, 2MB)"})
    EXPECT_NE(select(other).find("the number is in another unit @ character"), std::string::npos) << other;
  EXPECT_EQ(select("bandwidth > 30"), "1001");
}

TEST_F(FilterTest, TheTextStatesTheUnitsOfNumbersWithoutOne) {
  for (const auto& [text, stated] :
       {std::pair{"duration > 20 and stream in (7, 13)", "duration > 20ns and stream in (7, 13)"},
        {"duration between 1us and 2^12", "duration between 1us and 2^12ns"},
        {"duration > 0", "duration > 0"},
        {"", ""}}) {
    const auto filter = Filter::parse(text, *open.columns);
    ASSERT_TRUE(filter) << filter.error().message;
    EXPECT_EQ(filter->text(), stated);
    const auto again = Filter::parse(stated, *open.columns);
    ASSERT_TRUE(again);
    EXPECT_EQ(again->text(), stated);
  }
}

TEST_F(FilterTest, ErrorsNameThePlace) {
  EXPECT_NE(select("duration >").find("number"), std::string::npos);
  EXPECT_NE(select("durration > 3").find("no column \"durration\" @ character 1"), std::string::npos);
  EXPECT_NE(select("duration > 3 parsecs").find("the end, found \"parsecs\" @ character 14"),
            std::string::npos);
  EXPECT_NE(select("duration > 3parsecs").find("unknown unit"), std::string::npos);
  EXPECT_NE(select("name > 3").find("by ~, found a number @ character 8"), std::string::npos)
      << select("name > 3");
  EXPECT_NE(select("name ~ /(/").find("not valid"), std::string::npos);
  EXPECT_NE(select("name ~ /abc").find("closing"), std::string::npos);
  EXPECT_NE(select("duration = \"x\"").find("contains numbers"), std::string::npos);
  EXPECT_NE(select("duration in ()").find("expected a number"), std::string::npos);
  for (const char* numbers :
       {"name = 3", "name > 3", "name in (3)", "name in ('a', 3)", "name between 1 and 3", "name = stream",
        "stream = name", "name and duration > 3"})
    EXPECT_NE(select(numbers).find("column \"name\" contains texts"), std::string::npos) << numbers;
  EXPECT_NE(select(std::string(5000, '(')).find("brackets are nested more than 200 levels deep"),
            std::string::npos);
  EXPECT_NE(select(std::string(10, '\x01')).find("unexpected"), std::string::npos);
}

TEST_F(FilterTest, AColumnOfTimesIsFoundByTheNameOnTheScreenToo) {
  EXPECT_EQ(select("gap > 1"), "0011");
  EXPECT_EQ(select("duration > gap and gap is not missing"), "0111");
  EXPECT_NE(select("gaps > 1").find("there is no column \"gaps\""), std::string::npos);
}

TEST_F(FilterTest, HostilePatternsAndEndlessNamesAnswerInLinearTime) {
  auto data = test::empty_trace();
  test::add_kernel(data, "f<" + std::string(200'000, 'x') + ">", 1);
  test::add_launches(data, {{0, 1, 0}});
  const test::OpenSession wide({data});
  const std::string nested = std::string(20'000, '(') + "a" + std::string(20'000, ')');
  for (const std::string& pattern :
       {std::string("f<.*>"), std::string("^(\\w|\\W)*z$"), std::string("(([a-z_0-9<>:]+)+)+!"), nested}) {
    const auto filter = Filter::parse("name ~ /" + pattern + "/", *wide.columns);
    if (filter) {
      EXPECT_EQ(filter->select(*wide.columns, {0, 0, 1}).size(), 1u);
    }
  }
}

TEST_F(FilterTest, NoRandomTextCrashes) {
  static const std::string kPieces[] = {
      "duration", "name", "stream", "and", "or", "not", "in", "(",       ")",       ",",  "~", "/a/",
      "\"x",      "3us",  "1e99",   "-",   "=",  "!=",  "is", "between", "missing", "\\", "%"};
  std::mt19937 random(5);
  for (int trial = 0; trial < 3000; ++trial) {
    std::string text;
    for (unsigned i = 0; i < 1 + random() % 12; ++i)
      text += kPieces[random() % std::size(kPieces)] + (random() % 3 ? " " : "");
    EXPECT_FALSE(select(text).empty());
  }
}

// RowFilter selects the same rows as Selection, for random conditions on all kinds of columns, times,
// streams.
TEST_F(FilterTest, ARowFilterSelectsTheSameRows) {
  std::mt19937 random(11);
  const std::vector<std::string> leaves = {
      "duration > 500",         "duration <= 30us",       "gap_ns != 2",
      "gap_ns is missing",      "name ~ /gemm/",          "short_name = 'copy/kernel'",
      "grid_x in (2, 3)",       "grid_x < block_x",       "stream = 7",
      "stream != device",       "range is missing",       "not range is missing",
      "duration < start",       "gap_ns between 1 and 2", "trace = 0",
      "kernel_variability > 0", "configuration = 1",      "first_launch",
      "blocks >= registers",    "rank is missing"};
  const auto pick = [&](std::size_t maximum) { return static_cast<std::size_t>(random() % maximum); };
  std::function<std::string(int)> condition = [&](int depth) -> std::string {
    if (depth == 0 || pick(4) == 0) return (pick(4) ? "" : "not ") + leaves[pick(leaves.size())];
    return (pick(5) ? "(" : "not (") + condition(depth - 1) + (pick(2) ? " and " : " or ") +
           condition(depth - 1) + ")";
  };
  analysis::RowFilter::Buffers buffers;
  for (int trial = 0; trial < 2'000; ++trial) {
    analysis::Selection selection;
    const auto text = trial % 10 ? condition(3) : std::string();
    auto filter = Filter::parse(text, *open.columns);
    ASSERT_TRUE(filter) << text;
    selection.filter = std::move(*filter);
    for (std::int64_t time = 0; trial % 3 == 0 && time < 80'000;) {
      const auto begin = time + static_cast<std::int64_t>(random() % 30'000);
      time = begin + 1 + static_cast<std::int64_t>(random() % 20'000);
      selection.intervals.push_back({{begin}, {time++}});
    }
    if (trial % 5 == 0) selection.streams = {{3}};
    const analysis::RowFilter rows(*open.session, *open.columns, selection);
    for (const analysis::Segment segment : {analysis::Segment{0, 0, 4}, {0, 1, 3}, {0, 3, 4}, {0, 2, 2}}) {
      const auto expected = selection.select(*open.session, *open.columns, segment);
      std::vector<std::uint8_t> found(expected.size(), 7);
      const bool any = rows.select(segment, found.data(), buffers);
      EXPECT_EQ(found, any ? expected : std::vector<std::uint8_t>(expected.size(), 0)) << text;
      EXPECT_EQ(any, std::find(expected.begin(), expected.end(), 1) != expected.end()) << text;
      EXPECT_EQ(rows.may_meet(segment), selection.may_meet(*open.session, segment));
    }
  }
}
