#include <gtest/gtest.h>

#include "core/model/network/collectives.h"

namespace jitterscope::model {
namespace {

MessageModel line(double alpha, double beta) {
  MessageModel model;
  MessageRegime regime;
  regime.alpha = alpha, regime.beta = beta;
  model.regimes.push_back(regime);
  return model;
}

TEST(Collectives, RingsAndTreesOfMessages) {
  const auto model = line(5, 0.001);
  const double p = 8, n = 1e6;
  EXPECT_NEAR(collective_time(Collective::all_reduce, p, n, model), 2 * 7 * 5 + 2.0 * 7 / 8 * n * 0.001,
              1e-9);
  EXPECT_NEAR(collective_time(Collective::all_gather, p, n, model), 7 * 5 + 7.0 / 8 * n * 0.001, 1e-9);
  EXPECT_NEAR(collective_time(Collective::reduce_scatter, p, n, model), 7 * 5 + 7.0 / 8 * n * 0.001, 1e-9);
  EXPECT_NEAR(collective_time(Collective::broadcast, p, n, model), 3 * (5 + n * 0.001), 1e-9);
  EXPECT_NEAR(collective_time(Collective::broadcast, 9, n, model), 4 * (5 + n * 0.001), 1e-9);
  EXPECT_EQ(collective_time(Collective::all_reduce, 1, n, model), 0);
}

TEST(Collectives, ClassOfTwoRanks) {
  EXPECT_EQ(distance_of(0, 1, 8, 4), Distance::intra_socket);
  EXPECT_EQ(distance_of(3, 4, 8, 4), Distance::inter_socket);
  EXPECT_EQ(distance_of(7, 8, 8, 4), Distance::inter_node);
  EXPECT_EQ(distance_of(0, 1, 0, 4), Distance::unknown);
  EXPECT_EQ(distance_of(0, 1, 8, 0), Distance::unknown);
}

TEST(Concurrency, IsAveragedOverEachMessage) {
  const std::vector<Flight> messages{{0, 100}, {50, 150}, {50, 100}, {200, 300}};
  const auto k = concurrency_of(messages);
  EXPECT_EQ(k, (std::vector<double>{1 + 0.5 + 0.5, 1 + 0.5 + 0.5, 3, 1}));
}

TEST(Concurrency, MessagesOfNoLengthHaveThatOfTheirMoment) {
  const std::vector<Flight> messages{{10, 10}, {0, 20}, {500, 500}};
  const auto k = concurrency_of(messages);
  EXPECT_EQ(k[0], 2);
  EXPECT_EQ(k[2], 1);
  EXPECT_TRUE(concurrency_of({}).empty());
}

TEST(Concurrency, AgreesWithCountingEachNanosecond) {
  std::vector<Flight> messages;
  std::uint32_t random = 1;
  for (int i = 0; i < 60; ++i) {
    random = random * 1664525 + 1013904223;
    const std::int64_t start = random >> 25, length = 1 + (random >> 10) % 40;
    messages.push_back({start, start + length});
  }
  const auto k = concurrency_of(messages);
  for (std::size_t i = 0; i < messages.size(); ++i) {
    double sum = 0;
    for (auto t = messages[i].start; t < messages[i].end; ++t)
      for (const auto& other : messages) sum += other.start <= t && t < other.end;
    EXPECT_NEAR(k[i], sum / static_cast<double>(messages[i].end - messages[i].start), 1e-12);
  }
}

} // namespace
} // namespace jitterscope::model
