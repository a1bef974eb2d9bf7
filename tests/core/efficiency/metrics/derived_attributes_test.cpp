#include <cmath>

#include "tests/core/efficiency/metrics/metric_session.h"

// Attributes of kernels that are columns derived from others.

using namespace jitterscope;

namespace {

/// Launches of 10 to 14 ns every 20 ns; one in 50 is on the second stream, whose rows are therefore far
/// apart.
store::TraceData two_streams(std::int64_t launches) {
  auto data = test::empty_trace(2);
  test::add_kernel(data, "a", 2);
  std::vector<test::LaunchRow> rows;
  for (std::int64_t i = 0; i < launches; ++i)
    rows.push_back({20 * i, 10 + i * i % 7, static_cast<std::uint32_t>(i % 2), i % 50 == 9 ? 3U : 2U});
  test::add_launches(data, rows);
  std::vector<std::uint8_t> kinds; // 0: none, else the kind + 1
  for (std::int64_t i = 0; i < launches; ++i)
    kinds.push_back(i % 3 ? static_cast<std::uint8_t>(store::TransferKind::HostToDevice) + 1 : 0);
  data.find("launches")->add(std::string(store::kLinkedKind), "", "", kinds);
  return data;
}

const test::MetricSession& session() {
  static const test::MetricSession kSession({two_streams(1'000), two_streams(300)});
  return kSession;
}

} // namespace

TEST(DerivedAttributes, AreTheValuesOfTheColumn) {
  for (const char* name : {"kernel_variability", "relative_variability", "first_launch", "row"}) {
    const auto steps = session().steps(std::string("value(kernels, ") + name + ")", 0, 20'000);
    ASSERT_EQ(steps.size(), 4u) << name;
    std::size_t found = 0;
    for (std::size_t trace = 0; trace < 2; ++trace) {
      const auto& of = session().open.session->traces()[trace];
      const auto values = session().open.columns->read(name, {trace, 0, of.launches()});
      const auto streams = of.store.column<std::uint32_t>("launches", "stream");
      for (std::size_t row = 0; row < values.size(); ++row) {
        const auto& timeline = steps[2 * trace + (streams[row] == 4 ? 1 : 0)];
        const auto start = of.starts()[row];
        const auto after =
            std::ranges::upper_bound(timeline, start, {}, &efficiency::metrics::Steps::value_type::begin);
        ASSERT_NE(after, timeline.begin()) << name << ' ' << row;
        EXPECT_EQ(std::prev(after)->value, values[row]) << name << ' ' << row;
        ++found;
      }
    }
    EXPECT_EQ(found, 1'300u);
  }
}

TEST(DerivedAttributes, TextsAndNumbersInConditions) {
  const auto total = [](const std::string& condition) {
    double sum = 0;
    for (const auto& steps : session().steps("active(kernels[" + condition + "])", 0, 20'000))
      sum += efficiency::metrics::integral(steps, 0, 20'000);
    return sum;
  };
  EXPECT_GT(total("duration > 0"), 0);
  EXPECT_EQ(total("copy_kind == \"none\""), total("row % 3 == 0") + total("trace == 1 and row % 3 == 1") -
                                                total("trace == 1 and row % 3 == 0"));
  EXPECT_EQ(total("copy_kind ~ /host/"), total("duration > 0") - total("copy_kind == \"none\""));
  EXPECT_EQ(total("copy_kind ~ /memset/"), 0);
  EXPECT_EQ(total("stream == 8"), total("row % 50 == 9"));
  EXPECT_EQ(total("trace == 1") + total("trace == 0"), total("duration > 0"));
}

TEST(DerivedAttributes, WhatCannotBeReadIsNamed) {
  const auto error = [](const std::string& text) {
    const auto bound = session().bind(text);
    return bound ? std::string() : bound.error().message;
  };
  EXPECT_EQ(error("value(kernels, copy_kind)"), "\"copy_kind\" has text values, but a number is needed");
  EXPECT_EQ(error("value(kernels, excess)"),
            "metrics cannot use \"excess\": it comes from the fitted model of durations");
  EXPECT_EQ(error("count(kernels[kernel_variability == \"a\"])"), "\"kernel_variability\" is a number");
  EXPECT_EQ(error("value(calls, kernel_variability)"), "calls have no attribute \"kernel_variability\"");
}
