#include <gtest/gtest.h>

#include "core/causal/base/random.h"
#include "core/import/assemble/context.h"
#include "core/reasons/rows/typical_windows.h"
#include "tests/support/open_session.h"

using namespace jitterscope;
using namespace jitterscope::analysis;
using test::OpenSession;

namespace {

constexpr std::int64_t kSampledLaunches = 16'000, kStep = 20'000, kPeriod = 100'000; // ns

/// The clock drops for 300 µs at several times, and launches take 40 % longer during these drops (`acts`).
/// The timestamps of its samples are `late` ns after the time that they describe.
std::int64_t found_shift(std::int64_t late, bool acts = true) {
  auto data = test::empty_trace(2);
  test::add_kernel(data, "work", 1);
  causal::Random random(3, 0);
  const auto drops = [](std::int64_t time) { return time / 300'000 * 7'919 % 17 < 3; };
  std::vector<test::LaunchRow> rows;
  for (std::int64_t i = 0; i < kSampledLaunches; ++i) {
    const double longer = acts && drops(i * kStep + 5'000) ? 1.4 : 1.0;
    rows.push_back(
        {i * kStep, static_cast<std::int64_t>(10'000 * longer * (1 + 0.02 * random.uniform())), 0, 2});
  }
  test::add_launches(data, rows);
  test::column<std::uint32_t>(data, "counters", "name")
      .push_back(data.strings.intern("GPC Clock Frequency").value);
  test::column<std::uint32_t>(data, "counters", "unit").push_back(data.strings.intern("Hz").value);
  test::column<std::uint32_t>(data, "counters", "device").push_back(2);
  for (std::int64_t time = kPeriod / 2; time < kSampledLaunches * kStep; time += kPeriod) {
    test::column<std::int64_t>(data, "samples", "time").push_back(time + late);
    test::column<std::uint32_t>(data, "samples", "counter").push_back(0);
    test::column<double>(data, "samples", "value")
        .push_back((drops(time) ? 0.9e9 : 1.4e9) + 1e6 * random.normal());
  }
  store::ImportReport report;
  if (!import::add_context(data, report, {})) throw std::runtime_error("context");
  const OpenSession open({data});
  const auto windows = TypicalWindows::make(*open.session, {});
  return windows ? windows->shift_of_counter("mean_gpc_clock_frequency") : -1;
}

} // namespace

TEST(TypicalCounters, SamplesThatAreStampedLateAreAssignedToEarlierLaunches) {
  EXPECT_EQ(found_shift(0), 0);
  EXPECT_EQ(found_shift(3 * kPeriod / 2), 3 * kPeriod / 2);
  EXPECT_EQ(found_shift(-kPeriod / 2), -kPeriod / 2);
}

TEST(TypicalCounters, WithoutAnEffectNoShiftIsFound) {
  EXPECT_EQ(found_shift(3 * kPeriod / 2, false), 0);
}
