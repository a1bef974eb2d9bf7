#include "core/reasons/peer_differences.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "core/causal/base/random.h"
#include "core/import/assemble/context.h"
#include "tests/support/many_launches.h"

using namespace jitterscope;
using namespace jitterscope::analysis;
using test::OpenSession;

namespace {

constexpr std::int64_t kLaunches = 8'000, kEvery = 30'000; ///< ns from start to start
constexpr std::int64_t kFirst = 4'000, kLast = 4'400;      ///< launches of the episode

/// Launches of 10 µs, 15 µs in one episode; a counter "load" that is higher in this episode only, and one,
/// "heat", that reaches high values at several times in the whole run; and a counter "size" that is 0.4 %
/// higher in this episode only; and "zone", which is 1 in this episode and 0 elsewhere.
store::TraceData one_episode() {
  auto data = test::empty_trace(2);
  test::add_kernel(data, "work", 1);
  causal::Random random(9, 0);
  std::vector<test::LaunchRow> rows;
  for (std::int64_t i = 0; i < kLaunches; ++i)
    rows.push_back({i * kEvery,
                    static_cast<std::int64_t>((i >= kFirst && i < kLast ? 15'000 : 10'000) *
                                              (1 + 0.02 * random.uniform())),
                    0, 2});
  test::add_launches(data, rows);
  for (const char* name : {"load", "heat", "size", "zone"}) {
    const auto counter = static_cast<std::uint32_t>(data.find("counters")->rows());
    test::column<std::uint32_t>(data, "counters", "name").push_back(data.strings.intern(name).value);
    test::column<std::uint32_t>(data, "counters", "unit")
        .push_back(data.strings.intern(counter == 3 ? "" : "%").value);
    test::column<std::uint32_t>(data, "counters", "device").push_back(2);
    for (std::int64_t time = 0; time < kLaunches * kEvery; time += 10'000) {
      const auto i = time / kEvery;
      const bool high = counter != 1 ? i >= kFirst && i < kLast : i / 400 % 5 == 0;
      test::column<std::int64_t>(data, "samples", "time").push_back(time);
      test::column<std::uint32_t>(data, "samples", "counter").push_back(counter);
      test::column<double>(data, "samples", "value")
          .push_back(counter == 3   ? (high ? 1 : 0)
                     : counter == 2 ? (high ? 485 : 483) + 0.1 * random.normal()
                                    : (high ? 80 : 20) + random.normal());
    }
  }
  store::ImportReport report;
  if (!import::add_context(data, report, {})) throw std::runtime_error("context");
  return data;
}

} // namespace

// The question is about a part of the episode, with and without the rest of it among the peers.
TEST(PeerDifferences, ASingleOccurrenceDiffersOnlyHere) {
  const OpenSession open({one_episode()});
  const auto reasons = LaunchReasons::make(*open.session, *open.columns, nullptr, *open.communicator, {});
  ASSERT_TRUE(reasons.has_value()) << describe(reasons.error());
  auto rows =
      LaunchRows::make(*open.session, *open.columns, {}, "kernel_variability", *open.communicator, {});
  ASSERT_TRUE(rows);
  const auto launches = reasons->read(*rows, true, *open.communicator, {});
  ASSERT_TRUE(launches);
  const Contrasts contrasts(*reasons, {});
  const PeerDifferences differences(*reasons, contrasts.peers(), {});
  const auto of = [&](std::int64_t first, std::int64_t last) {
    std::vector<std::size_t> chosen;
    for (auto i = first; i < last; ++i) chosen.push_back(static_cast<std::size_t>(i));
    const auto inside = [&](std::int64_t row) { return row >= first && row < last; };
    auto found = contrasts.of(reasons->sampled(), chosen, inside, {});
    differences.add_to(found, *launches, chosen, inside);
    return found;
  };
  for (const auto& [first, last] :
       {std::pair{kFirst, kLast}, std::pair{kFirst + 50, kFirst + 100}, std::pair{kLast - 60, kLast}}) {
    const auto found = of(first, last);
    ASSERT_TRUE(found.only_here()) << first;
    EXPECT_EQ(found.only_here()->feature, "mean_load") << first;
    EXPECT_NEAR(found.only_here()->here, 80, 1);
    EXPECT_NEAR(found.only_here()->elsewhere, 20, 3) << "the rest of the episode may be among the peers";
    EXPECT_FALSE(found.leading());
    const auto zone = std::find_if(found.differences.begin(), found.differences.end(),
                                   [](const Difference& d) { return d.feature == "mean_zone"; });
    ASSERT_NE(zone, found.differences.end());
    EXPECT_EQ(zone->here_text, "100 % of launches") << first;
    if (first == kFirst && last == kLast) {
      EXPECT_EQ(zone->elsewhere, 0) << "exactly, without rounding noise";
      EXPECT_EQ(zone->elsewhere_text, "0 %");
    } else {
      EXPECT_NEAR(zone->elsewhere, 5, 1) << "the rest of the episode";
    }
    for (const auto& d : found.differences)
      EXPECT_TRUE(d.feature != "mean_size" || d.kind != Difference::Kind::only_here) << "irrelevant";
    EXPECT_TRUE(note_of(found).starts_with("differs only here: load 80")) << note_of(found);
  }
  EXPECT_FALSE(of(2'050, 2'100).only_here()) << "heat reaches the same values in other moments";
  EXPECT_FALSE(of(1'000, 1'050).only_here());
  EXPECT_FALSE(of(kFirst, kFirst + 8).differences.empty());
  EXPECT_TRUE(of(kFirst, kFirst + 7).differences.empty()) << "other moments have at least 8 launches";
}
