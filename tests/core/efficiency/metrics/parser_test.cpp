#include <random>

#include "tests/core/efficiency/metrics/metric_session.h"

// Valid definitions, and the positions of errors.

using namespace jitterscope;
using efficiency::metrics::parse;

namespace {

/// "place: message. hint" of an invalid definition.
std::string problem(const std::string& text) {
  const auto parsed = parse(text);
  if (parsed) return "no error";
  EXPECT_EQ(parsed.error().kind, ErrorKind::BadUse) << text;
  return parsed.error().place + ": " + parsed.error().message;
}

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

} // namespace

TEST(MetricParser, ReadsPropertiesLetsAndAnExpression) {
  const auto parsed = parse("# A comment: ¾ of it\n"
                            "title = \"GPU \\\"busy\\\" µ\"; unit = \"%\"; help = \"h\";\n"
                            "level = node; across = mean;\n"
                            "let a = any(active(kernels[name ~ /a\\/b/ and duration > 1.5us]) per device);\n"
                            "100 * a - -2 ^ 0\n");
  EXPECT_FALSE(parsed); // ^ is not an operator
  const auto good =
      parse("title = \"GPU \\\"busy\\\" µ\"; unit = \"%\"; level = node; across = mean;\n"
            "let a = any(active(kernels[name ~ /a\\/b/ and duration > 1.5us]) per device);\n100 * a - -2;");
  ASSERT_TRUE(good) << describe(good.error());
  EXPECT_EQ(good->title, "GPU \"busy\" µ");
  EXPECT_EQ(good->unit, "%");
  EXPECT_EQ(good->level, efficiency::metrics::Level::Node);
  EXPECT_EQ(good->across, efficiency::metrics::Aggregator::Mean);
  EXPECT_EQ(good->metric.level, efficiency::metrics::Level::Device);
  EXPECT_EQ(good->levels().size(), 4u);
}

TEST(MetricParser, ErrorsNameThePlaceAndWhatIsExpected) {
  EXPECT_EQ(problem(""), "line 1, column 1: expected a timeline or a number, found the end");
  EXPECT_EQ(problem("count(kernels"), "line 1, column 14: expected \")\", found the end");
  EXPECT_EQ(problem("count(kernls)"), "line 1, column 7: expected a set of records, found \"kernls\"");
  EXPECT_EQ(problem("let b =\n  cuont(kernels);\nb"), "line 2, column 3: there is no function \"cuont\"");
  EXPECT_EQ(problem("kernels"),
            "line 1, column 1: \"kernels\" is a set of records, but a timeline is expected");
  EXPECT_EQ(problem("1 + µ"), "line 1, column 5: \"µ\" has no meaning here");
  EXPECT_EQ(problem("1 && 2"), "line 1, column 3: \"&&\" has no meaning here");
  EXPECT_EQ(problem("# µµ\n count(kernels) + x"), "line 2, column 19: \"x\" is unknown");
  EXPECT_EQ(problem("sum(count(kernels))"), "line 1, column 19: expected \"per\" and a level, found \")\"");
  EXPECT_EQ(problem("sum(active(copies) per stream)"),
            "line 1, column 20: a timeline per device cannot become a timeline per stream");
  EXPECT_EQ(problem("active(calls) * active(kernels)"),
            "line 1, column 15: a timeline per thread and a timeline per stream cannot be combined");
  EXPECT_EQ(problem("value(calls, mean(counter(\"x\")))"),
            "line 1, column 14: a timeline per device has no value over calls of a thread");
  EXPECT_EQ(problem("level = stream; active(copies)"),
            "line 1, column 9: the metric is defined per device and has no values per stream");
  EXPECT_EQ(problem("average(active(copies), 5)"),
            "line 1, column 25: expected a width with its unit, found \"5\"");
  EXPECT_EQ(problem("average(active(copies), 0.5ns)"),
            "line 1, column 25: the width of a window must be from 1 ns to 1e7 s");
  EXPECT_EQ(problem("active(kernels[name ~ /(/])"),
            "line 1, column 23: the regular expression is not valid: missing ): (");
  EXPECT_EQ(problem("active(kernels[name ~ /a\n/])"), "line 1, column 23: the closing / is missing");
  EXPECT_EQ(problem("1 < 2 < 3"), "line 1, column 7: comparisons cannot be chained");
  EXPECT_EQ(problem("active(kernels where duration > 1ms)"),
            "line 1, column 16: expected \"[\" and a condition, found \"where\"");
  EXPECT_EQ(problem("let a = 1; let a = 2; a"), "line 1, column 16: \"a\" is already defined");
  EXPECT_EQ(problem("let count = 1; 2"), "line 1, column 5: \"count\" is a reserved name");
  EXPECT_EQ(problem("colour = \"red\"; 1"), "line 1, column 1: \"colour\" is not a property of a metric");
  EXPECT_EQ(problem("1 2"), "line 1, column 3: expected an operator or the end, found \"2\"");
  EXPECT_EQ(problem("5 parsecs"), "line 1, column 3: expected an operator or the end, found \"parsecs\"");
  EXPECT_EQ(problem("5parsecs"), "line 1, column 2: this is not a unit of time");
}

TEST(MetricParser, HostileTextEndsInAnError) {
  EXPECT_EQ(problem(std::string("1 + \xff", 5)), "line 1, column 5: byte ff is not UTF-8 text");
  EXPECT_EQ(problem(std::string("\"a\xc3\"", 4)), "line 1, column 3: byte c3 is not UTF-8 text");
  EXPECT_EQ(problem(std::string("1\0", 2)), "line 1, column 2: byte 00 is not UTF-8 text");
  EXPECT_EQ(problem("\xed\xa0\x80"), "line 1, column 1: byte ed is not UTF-8 text"); // a surrogate
  EXPECT_EQ(problem("1e999"), "line 1, column 1: this number is too large or too small");
  EXPECT_EQ(problem("1e308s"), "line 1, column 1: this time is too long");
  for (const std::string open : {"(", "-", "not ", "abs(", "sum(", "min(1, ", "average("}) {
    const auto error = problem(repeated(open, 2'000));
    const bool deep = error.find("nested more than") != std::string::npos;
    EXPECT_TRUE(deep || error.find("more than 64 operators follow each other") != std::string::npos)
        << open << error;
  }
  EXPECT_NE(problem("value(kernels, " + repeated("deviation(", 2'000)).find("nested more than"),
            std::string::npos);
  EXPECT_NE(problem("count(kernels[" + repeated("not ", 2'000)).find("more than 64 operators"),
            std::string::npos);
  EXPECT_EQ(problem("1" + repeated("+1", 10'000)).substr(0, 7), "line 1,");
  EXPECT_EQ(problem(std::string(100'000, ' ')), ": the definition is longer than 65536 bytes");
}

// A few characters of the language in any order either parse or fail.
TEST(MetricParser, RandomTextIsAnswered) {
  const std::string parts[] = {
      "count", "(",   ")", "kernels", "[",       "]",        "name",      "~",    "/a/",     "1",
      "5ms",   "+",   "-", "*",       "/",       "per",      "device",    ",",    "sum",     "min",
      "let",   "a",   "=", ";",       "value",   "duration", "deviation", "mean", "counter", "\"x\"",
      "and",   "not", "<", "level",   "average", "if",       "\n",        "\xc2", "title",   "mpi"};
  std::mt19937 random(1);
  int parsed = 0;
  for (int i = 0; i < 200'000; ++i) {
    std::string text;
    for (auto n = random() % 12; n > 0; --n)
      text += parts[random() % std::size(parts)] + (random() % 2 ? " " : "");
    const auto read = parse(text);
    if (read)
      ++parsed;
    else
      ASSERT_FALSE(read.error().message.empty());
  }
  EXPECT_GT(parsed, 100);
}

TEST(MetricNames, ErrorsStateWhatTheSessionHas) {
  const test::MetricSession session({test::worked_example().trace()});
  const auto wrong = [&](const std::string& text) {
    const auto bound = session.bind(text);
    return bound ? "no error"
                 : bound.error().place + ": " + bound.error().message + ". " + bound.error().hint;
  };
  EXPECT_EQ(wrong("counter(\"x\")"),
            "line 1, column 1: there are no counters of a device. For a counter of another "
            "level, state the level: counter(\"name\", process).");
  EXPECT_EQ(wrong("active(kernels[durations > 5])"),
            "line 1, column 16: kernels have no attribute \"durations\". Did you mean \"duration\"?");
  EXPECT_EQ(
      wrong("active(kernels[name > 5])"),
      "line 1, column 16: \"name\" has text values, but a number is needed. A text can only be compared: "
      "kernels[name == \"TEXT\"] or kernels[name ~ /PATTERN/]. A numeric attribute is for example duration.");
  EXPECT_EQ(wrong("value(kernels, short_name)")
                .find("line 1, column 16: \"short_name\" has text values, but a number is needed"),
            0u);
  EXPECT_EQ(wrong("value(ranges, domain)")
                .find("line 1, column 15: \"domain\" has text values, but a number is needed"),
            0u);
  EXPECT_EQ(
      wrong("active(kernels[name == gemm])"),
      "line 1, column 24: \"name\" has text values, but gemm is not a text in double quotes. Write name == "
      "\"gemm\", or name ~ /gemm/ for texts that contain it.");
  EXPECT_EQ(
      wrong("active(ranges[domain != NCCL])"),
      "line 1, column 25: \"domain\" has text values, but NCCL is not a text in double quotes. Write domain "
      "!= \"NCCL\", or domain !~ /NCCL/ for texts that contain it.");
  EXPECT_EQ(wrong("active(kernels[duration == grid_x])"), "no error");
  EXPECT_EQ(wrong("active(copies[bytes ~ /5/])"),
            "line 1, column 15: \"bytes\" is a number. Compare it with a number.");
  EXPECT_EQ(wrong("active(kernels[grid_x > 5])"), "no error");
}
