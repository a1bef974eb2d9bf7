// What is typical of the peers, and the words for it.

#include "core/reasons/contrast.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "core/causal/base/random.h"
#include "core/import/assemble/context.h"
#include "core/reasons/launch_excess.h"
#include "tests/support/open_session.h"

using namespace jitterscope;
using namespace jitterscope::analysis;
using test::OpenSession;

namespace {

constexpr std::int64_t kOfFirst = 2'000, kBetween = 100, kAll = 6'000;

/// 20 of the first 2,000 launches.
bool migrates(std::int64_t row) {
  return row < kOfFirst && row % kBetween == 7;
}

/// Launches of 10 µs, or 100 µs because of a migration; the first 2,000 have another configuration.
store::TraceData launches_with_migrations(std::int64_t launches,
                                          const std::function<bool(std::int64_t)>& with_migration) {
  auto data = test::empty_trace(2);
  data.manifest.sources.emplace_back().format = "nsys"; // in tables, migrations are of unknown direction
  test::add_kernel(data, "work", 2);
  causal::Random random(3, 0);
  std::vector<test::LaunchRow> rows;
  std::vector<test::TransferRow> migrations;
  std::int64_t time = 1'000'000;
  for (std::int64_t i = 0; i < launches; ++i) {
    const double base = with_migration(i) ? 100'000 : 10'000;
    if (with_migration(i))
      migrations.push_back({time + 1'000, 5'000, 65'536, store::TransferKind::MigrationHostToDevice, 3});
    rows.push_back(
        {time, static_cast<std::int64_t>(base * (1 + 0.02 * random.uniform())), i < kOfFirst ? 0u : 1u, 2});
    time += 1'000'000;
  }
  test::add_launches(data, rows);
  test::add_transfers(data, migrations);
  store::ImportReport report;
  if (!import::add_context(data, report, {})) throw std::runtime_error("context");
  return data;
}

std::string text_of(const Contrast& contrast) {
  std::string text;
  for (const auto& sentence : sentences_of(contrast)) text += sentence + "\n";
  return text;
}

struct Question {
  OpenSession open{{launches_with_migrations(kAll, migrates)}};
  LaunchReasons reasons = make(open);
  static LaunchReasons make(const OpenSession& open) {
    auto made = LaunchReasons::make(*open.session, *open.columns, nullptr, *open.communicator, {});
    if (!made) throw std::runtime_error(describe(made.error()));
    return std::move(*made);
  }
  Contrast of(const std::function<bool(std::int64_t)>& inside,
              const std::function<bool(std::int64_t)>& against = {}) const {
    std::vector<std::size_t> chosen;
    for (std::int64_t row = 0; row < kAll; ++row)
      if (inside(row)) chosen.push_back(static_cast<std::size_t>(row));
    return Contrasts(reasons, {}, against).of(reasons.sampled(), chosen, inside, {});
  }
};

} // namespace

// Neither the other configuration nor the selected launch counts.
TEST(Contrast, ElsewhereIsTheShareOfThePeersWithAnEvent) {
  const Question ask;
  const auto one = ask.of([](std::int64_t row) { return row == 107; });
  const auto* leading = one.leading();
  ASSERT_NE(leading, nullptr);
  ASSERT_EQ(leading->role, causal::FeatureRole::event);
  EXPECT_EQ(one.peers, kOfFirst - 1);
  EXPECT_DOUBLE_EQ(leading->here, 100);
  EXPECT_DOUBLE_EQ(leading->elsewhere, 100.0 * 19 / 1'999);
  EXPECT_TRUE(leading->lengthens());
  EXPECT_EQ(leading->here_text, "100 % of launches");
  EXPECT_EQ(leading->elsewhere_text, "0.95 %");
  // Of two configurations, each counts as often as it is selected.
  const auto both = ask.of([](std::int64_t row) { return row == 107 || row == 207 || row == 3'000; });
  ASSERT_NE(both.leading(), nullptr);
  EXPECT_DOUBLE_EQ(both.leading()->elsewhere, 100.0 * 2 / 3 * 18 / 1'998);
  const auto others =
      ask.of([](std::int64_t row) { return row == 107; }, [](std::int64_t row) { return row < 50; });
  ASSERT_NE(others.leading(), nullptr);
  EXPECT_DOUBLE_EQ(others.leading()->elsewhere, 100.0 / 50) << "only the requested peers";
}

TEST(Contrast, ExcessIsSaidWithoutARoundedZero) {
  EXPECT_EQ(excess_words(0), "as long as");
  EXPECT_EQ(excess_words(0.04), "up to 0.1 % longer than");
  EXPECT_EQ(excess_words(-0.04), "up to 0.1 % less time than");
  EXPECT_EQ(excess_words(-0.4), "0.4 % less time than");
  EXPECT_EQ(excess_words(52.3), "52 % longer than");
  EXPECT_EQ(excess_words(250), "3.5 times as long as");
}

// The period equals the distance of the sampled runs.
TEST(Contrast, FirstModelRepresentsAPeriodicRun) {
  constexpr std::int64_t kPeriod = 16;
  const auto migrating = [](std::int64_t row) { return row % kPeriod < 4; };
  const OpenSession open{{launches_with_migrations(kPeriod * LaunchReasons::kFirstSample / 4, migrating)}};
  const auto first = LaunchReasons::make(*open.session, *open.columns, nullptr, *open.communicator, {}, true);
  ASSERT_TRUE(first);
  const auto& launches = first->sampled().launches;
  ASSERT_EQ(launches.size(), static_cast<std::size_t>(LaunchReasons::kFirstSample));
  const auto with =
      std::ranges::count_if(launches, [&](const auto& launch) { return migrating(launch.row); });
  EXPECT_NEAR(static_cast<double>(with) / static_cast<double>(launches.size()), 4.0 / kPeriod, 0.03);
}

// Migrations are so rare that a sample of the peers has clearly more or fewer of them than all peers.
TEST(Contrast, ASampleOfThePeersIsCorrectedByTheDurationsOfAll) {
  constexpr std::int64_t kSession = 5 * LaunchReasons::kFirstSample, kMoment = 300;
  causal::Random random(5, 0);
  std::vector<bool> migrating;
  for (std::int64_t i = 0; i < kSession; ++i) migrating.push_back(random.uniform() < 0.005);
  const OpenSession open{{launches_with_migrations(
      kSession, [&](std::int64_t row) { return migrating[static_cast<std::size_t>(row)]; })}};
  const auto first = LaunchReasons::make(*open.session, *open.columns, nullptr, *open.communicator, {}, true);
  ASSERT_TRUE(first);
  ASSERT_LT(first->sampled_share(), 0.25);
  const Contrasts contrasts(*first, {});
  const auto durations = open.session->traces()[0].durations();
  std::vector<std::size_t> chosen(kMoment);
  std::iota(chosen.begin(), chosen.end(), std::size_t{0});
  int covered = 0, moments = 0;
  for (std::int64_t begin = kOfFirst; begin + kMoment <= kSession; begin += 10 * kMoment) {
    const auto inside = [&](std::int64_t row) { return row >= begin && row < begin + kMoment; };
    const auto found = contrasts.of(first->read(Segment{0, begin, begin + kMoment}), chosen, inside, {});
    double excess = 0, peers = 0, here = 0, elsewhere = 0, n = 0;
    for (std::int64_t row = kOfFirst; row < kSession; ++row) {
      const auto at = static_cast<std::size_t>(row);
      const auto duration = static_cast<double>(durations[at]);
      const double part = migrating[at] ? duration - 10'100 : 0;
      if (inside(row))
        excess += duration, here += part;
      else
        peers += duration, elsewhere += part, n += 1;
    }
    excess -= kMoment * peers / n;
    EXPECT_NEAR(found.excess_ns, excess, 1e-6 * std::fabs(excess) + 1);
    const double planted = here - kMoment * elsewhere / n;
    ASSERT_EQ(found.reasons.size(), 1U);
    EXPECT_NEAR(found.reasons[0].excess_ns, planted, 0.05 * std::fabs(planted) + 4'000);
    covered += found.reasons[0].low_ns <= planted && planted <= found.reasons[0].high_ns, ++moments;
  }
  EXPECT_GE(covered, moments - 2) << "of " << moments;
}

// Launches that are shorter because an event does not occur on them.
TEST(Contrast, AnAbsentEventIsNamedAsAbsent) {
  const Question ask;
  const auto found =
      ask.of([](std::int64_t row) { return row < kOfFirst && row % 3 == 0 && !migrates(row); });
  ASSERT_TRUE(found.clear());
  EXPECT_LT(found.excess_ns, 0);
  const auto* leading = found.leading();
  ASSERT_NE(leading, nullptr);
  EXPECT_TRUE(leading->absent());
  EXPECT_FALSE(leading->lengthens()) << "advice on it would not change these launches";
  const auto text = text_of(found);
  EXPECT_NE(text.find("comes from the absence of " + leading->label +
                      ": no launch here has it, 1.5 % of the peers have it."),
            std::string::npos)
      << text;
  EXPECT_EQ(short_reason(found), "the absence of migration during launch (1.5 % of the peers have it)");
}

// The launch itself is not one of its peers, and a number has a name.
TEST(LaunchExcess, ComparesALaunchWithTheOthers) {
  const Question ask;
  const auto& launches = ask.reasons.sampled().launches;
  std::int64_t longest = 0;
  for (std::size_t i = 0; i < launches.size(); ++i)
    if (launches[i].duration_ns > launches[static_cast<std::size_t>(longest)].duration_ns)
      longest = static_cast<std::int64_t>(i);
  const auto found = excess_of_launch(ask.reasons, longest);
  ASSERT_TRUE(found.has_value()) << describe(found.error());
  EXPECT_EQ(found->peers, kOfFirst - 1);
  EXPECT_EQ(found->rank, 1) << "longer than all others";
  ASSERT_FALSE(found->parts.empty());
  for (const auto& part : found->parts)
    EXPECT_TRUE(part.value.find_first_not_of("0123456789.") != std::string::npos)
        << part.column << ": " << part.value;
}

namespace {

/// Launches of one configuration on three devices by turns; one device takes 1.2 times as long, one half as
/// long.
store::TraceData launches_on_three_devices() {
  auto data = test::empty_trace(1);
  std::vector<std::uint32_t> streams{2}; // add_launches() adds 1
  for (const std::uint32_t number : {1u, 2u}) {
    const auto device = static_cast<std::uint32_t>(data.resources.size());
    data.resources.push_back({store::ResourceKind::Device, 1, device, number, -1, "GPU"});
    data.resources.push_back({store::ResourceKind::Stream, device, kNone, 7, -1, ""});
    streams.push_back(device);
  }
  test::add_kernel(data, "work", 1);
  causal::Random random(3, 0);
  std::vector<test::LaunchRow> rows;
  for (std::int64_t i = 0; i < kAll; ++i) {
    constexpr double kDuration[] = {100'000, 120'000, 50'000};
    const auto ns = kDuration[i % 3] * (1 + 0.02 * random.uniform());
    rows.push_back({i * 100'000, static_cast<std::int64_t>(ns), 0, streams[static_cast<std::size_t>(i % 3)]});
  }
  test::add_launches(data, rows);
  return data;
}

} // namespace

// The slow and the fast device are compared with the fast one: the excess is due to the slow one.
TEST(Contrast, ThePlaceIsTheOneThatMakesTheDifference) {
  const OpenSession open({launches_on_three_devices()});
  const auto reasons = Question::make(open);
  const auto fast = [](std::int64_t row) { return row % 3 == 2; };
  const auto inside = [](std::int64_t row) { return row % 3 != 0 && row < 1'500; };
  std::vector<std::size_t> chosen;
  for (std::int64_t row = 0; row < kAll; ++row)
    if (inside(row)) chosen.push_back(static_cast<std::size_t>(row));
  const auto found = Contrasts(reasons, {}, fast).of(reasons.sampled(), chosen, inside, {});
  const auto* leading = found.leading();
  ASSERT_NE(leading, nullptr);
  EXPECT_GT(found.excess_ns, 0);
  EXPECT_EQ(leading->here_text.substr(0, 1), "1") << leading->here_text;
  EXPECT_EQ(leading->example % 3, 1);
  EXPECT_EQ(leading->launches, 500);
  const auto launch = excess_of_launch(reasons, leading->example);
  ASSERT_TRUE(launch);
  ASSERT_FALSE(launch->parts.empty());
  EXPECT_EQ(launch->parts.front().value, leading->here_text);
  EXPECT_FALSE(launch->waits);
}

// Launches that are left out, because nothing is known to compare them with, do not count in the values here.
TEST(Contrast, OnlyComparedLaunchesHaveValuesHere) {
  const Question ask;
  const auto few = [](std::int64_t row) { return row >= kOfFirst; }; // of the second configuration: all
  const auto one = ask.of([](std::int64_t row) { return row == 107; });
  const auto with_others = ask.of([&](std::int64_t row) { return row == 107 || few(row); });
  ASSERT_NE(one.leading(), nullptr);
  ASSERT_NE(with_others.leading(), nullptr);
  EXPECT_EQ(with_others.left_out, kAll - kOfFirst);
  EXPECT_EQ(with_others.leading()->here, one.leading()->here);
  EXPECT_EQ(with_others.leading()->here_text, one.leading()->here_text);
}
