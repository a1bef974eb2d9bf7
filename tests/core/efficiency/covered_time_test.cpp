#include <gtest/gtest.h>

#include <random>

#include "core/efficiency/covered_time.h"
#include "tests/core/efficiency/program.h"
#include "tests/support/open_session.h"

using namespace jitterscope;
using namespace jitterscope::efficiency;

namespace {

std::vector<store::Event> events_of(const store::Series& series) {
  std::vector<store::Event> events;
  for (std::size_t i = 0; i < series.events(); ++i) events.push_back(series.at(i));
  return events;
}

} // namespace

TEST(CoveredTime, OfUnionsOfSeveralSeriesEqualsCountingEveryNanosecond) {
  std::mt19937_64 random(9);
  test::Program program;
  program.add_rank(2);
  const auto thread = program.thread(0);
  for (int i = 0; i < 700; ++i) {
    const auto begin = static_cast<std::int64_t>(random() % 9'000);
    const auto end = begin + static_cast<std::int64_t>(random() % (i % 20 == 0 ? 900 : 30));
    if (i % 2)
      program.call(thread, {begin, end, i % 3 ? "a" : "b"});
    else
      program.mpi(thread, {begin, end, "MPI_Wait"});
  }
  const test::OpenSession open({program.trace()});
  const store::TrackIndex index(open.session->traces()[0].store);
  const store::Series *calls = nullptr, *messages = nullptr;
  for (const auto& series : index.series()) {
    if (series.kind == store::SeriesKind::Calls) calls = &series;
    if (series.kind == store::SeriesKind::MpiCalls) messages = &series;
  }
  ASSERT_TRUE(calls && messages);
  // Bits of the masks: bit 0 calls of name "a", bit 1 all calls, bit 2 all events.
  auto bits =
      std::make_shared<std::vector<std::uint8_t>>(open.session->traces()[0].store.strings(), std::uint8_t{6});
  for (std::uint32_t s = 0; s < bits->size(); ++s)
    if (open.session->traces()[0].store.string({s}) == "a") (*bits)[s] = 7;
  std::vector<std::array<bool, 3>> at(10'000);
  const auto mark = [&](const store::Series& series, auto&& unions) {
    for (const auto& event : events_of(series))
      for (auto t = event.begin; t < event.end; ++t)
        for (std::size_t u = 0; u < 3; ++u)
          if (unions(event) >> u & 1) at[static_cast<std::size_t>(t)][u] = true;
  };
  mark(*calls, [&](const store::Event& event) { return (*bits)[event.name]; });
  mark(*messages, [](const store::Event&) { return 4; });
  const Job job;
  for (const std::size_t block :
       {std::size_t{1}, std::size_t{7}, CoveredTime::kSmallBlock, CoveredTime::kBlock}) {
    Stop stop(job);
    const CoveredTime covered({{calls, bits, 0}, {messages, nullptr, 4}}, 3, stop, block);
    for (int trial = 0; trial < 200; ++trial) {
      auto begin = static_cast<std::int64_t>(random() % 10'400) - 200,
           end = static_cast<std::int64_t>(random() % 10'400) - 200;
      if (begin > end) std::swap(begin, end);
      const auto found = covered.within(begin, end);
      for (std::size_t u = 0; u < 3; ++u) {
        std::int64_t expected = 0;
        for (auto t = std::max<std::int64_t>(begin, 0); t < std::min<std::int64_t>(end, 10'000); ++t)
          expected += at[static_cast<std::size_t>(t)][u];
        ASSERT_EQ(found[u], expected)
            << "union " << u << " block " << block << " [" << begin << ", " << end << ")";
      }
    }
  }
}

TEST(CoveredTime, OfNothingIsNothing) {
  const Job job;
  Stop stop(job);
  const CoveredTime none({}, 3, stop);
  EXPECT_EQ(none.within(INT64_MIN / 4, INT64_MAX / 4), CoveredTime::Lengths{});
  EXPECT_GT(none.first(), none.last());
}
