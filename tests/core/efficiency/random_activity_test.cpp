#include <gtest/gtest.h>

#include <map>
#include <random>

#include "core/efficiency/efficiency.h"
#include "tests/core/causal/thread_communicator.h"
#include "tests/core/efficiency/program.h"
#include "tests/support/open_session.h"

// The definitions of resources/help/efficiency.md, computed nanosecond by nanosecond for a random program.

using namespace jitterscope;
using namespace jitterscope::efficiency;

namespace {

constexpr int kRanks = 3, kStreams = 3;
constexpr std::int64_t kLength = 4'000;

/// What runs at each nanosecond of one rank.
struct Moment {
  bool kernel = false, collective = false, copy = false, mpi = false, offload = false, running = false;
};
using History = std::vector<Moment>;

struct Random {
  test::Program program;
  std::vector<History> ranks{kRanks, History(static_cast<std::size_t>(kLength))};
  std::mt19937_64 random;
  bool states;

  Random(unsigned seed, bool with_states) : random(seed), states(with_states) {
    for (int rank = 0; rank < kRanks; ++rank) program.add_rank(kStreams);
    for (int rank = 0; rank < kRanks; ++rank) fill(rank);
  }

  std::int64_t below(std::int64_t limit) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(limit));
  }

  template <class Mark>
  void mark(int rank, std::int64_t begin, std::int64_t end, Mark&& set) {
    for (auto t = begin; t < end; ++t)
      set(ranks[static_cast<std::size_t>(rank)][static_cast<std::size_t>(t)]);
  }

  void fill(int rank) {
    const auto thread = program.thread(rank);
    program.call(thread, {0, 0, "cudaLaunchKernel"});
    const auto events = 20 + below(300);
    for (std::int64_t i = 0; i < events; ++i) {
      const auto begin = below(kLength), end = std::min(kLength, begin + below(i % 7 == 0 ? 400 : 25));
      const auto kind = below(5);
      if (kind == 0) {
        const bool collective = below(4) == 0;
        program.kernel(rank, static_cast<int>(below(kStreams)),
                       {begin, end, collective ? "ncclKernel" : "compute"});
        mark(rank, begin, end, [&](Moment& m) { (collective ? m.collective : m.kernel) = true; });
      } else if (kind == 1) {
        program.copy(rank, {begin, end, ""});
        mark(rank, begin, end, [](Moment& m) { m.copy = true; });
      } else if (kind == 2) {
        program.mpi(thread, {begin, end, "MPI_Wait"});
        mark(rank, begin, end, [](Moment& m) { m.mpi = true; });
      } else {
        program.call(thread, {begin, end, kind == 3 ? "cudaMemcpy" : "poll"});
        if (kind == 3) mark(rank, begin, end, [](Moment& m) { m.offload = true; });
      }
    }
    if (states) add_states(rank, thread);
  }

  void add_states(int rank, std::uint32_t thread) {
    for (std::int64_t at = 0; at < kLength;) {
      const auto end = std::min(kLength, at + 1 + below(90));
      const bool running = below(3) > 0;
      program.state(thread, {at, end, running ? "Running" : "Idle"});
      if (running) mark(rank, at, end, [](Moment& m) { m.running = true; });
      at = end;
    }
  }
};

std::map<std::string, double> naive(const std::vector<History>& ranks, std::int64_t begin, std::int64_t end,
                                    Collectives collectives, bool states) {
  const auto elapsed = static_cast<double>(end - begin);
  double sum_k = 0, max_k = 0, max_kc = 0, sum_u = 0, max_u = 0, sum_out = 0, max_out = 0, sum_o = 0,
         sum_x = 0;
  for (const auto& history : ranks) {
    double k = 0, kc = 0, u = 0, m = 0, o = 0, x = 0;
    for (auto t = std::max<std::int64_t>(begin, 0); t < std::min(end, kLength); ++t) {
      const auto& now = history[static_cast<std::size_t>(t)];
      const bool useful = now.kernel || (collectives == Collectives::Useful && now.collective);
      k += useful;
      kc += useful || now.copy || now.collective;
      if (now.mpi)
        ++m;
      else if (now.offload)
        ++o;
      else if (states && !now.running)
        ++x;
      else
        ++u;
    }
    const auto outside = elapsed - static_cast<double>(std::max<std::int64_t>(
                                       0, std::min(end, kLength) - std::max<std::int64_t>(begin, 0)));
    (states ? x : u) += outside;
    sum_k += k, max_k = std::max(max_k, k), max_kc = std::max(max_kc, kc);
    sum_u += u, max_u = std::max(max_u, u), sum_o += o, sum_x += x;
    sum_out += elapsed - m, max_out = std::max(max_out, elapsed - m);
  }
  const double n = static_cast<double>(ranks.size());
  std::map<std::string, double> values = {{"device.parallel", sum_k / (n * elapsed)},
                                          {"device.load_balance", sum_k / (n * max_k)},
                                          {"device.communication", max_k / max_kc},
                                          {"device.orchestration", max_kc / elapsed},
                                          {"host.parallel", sum_u / (n * elapsed)},
                                          {"host.mpi", sum_out / (n * elapsed)},
                                          {"host.load_balance", sum_out / (n * max_out)},
                                          {"host.communication", max_out / elapsed},
                                          {"host.offload", (sum_u + sum_x) / (sum_u + sum_x + sum_o)}};
  const double all_u = states ? sum_u : sum_out, highest_u = states ? max_u : max_out;
  values["mpi.parallel"] = all_u / (n * elapsed);
  values["mpi.load_balance"] = all_u / (n * highest_u);
  values["mpi.communication"] = highest_u / elapsed;
  if (states) values["host.runtime"] = sum_u / (sum_u + sum_x);
  return values;
}

std::string text_of(const Result& result) {
  std::string text;
  for (const auto& d : result.devices)
    text += std::to_string(d.time.useful) + "," + std::to_string(d.time.communication) + "," +
            std::to_string(d.time.hidden) + ";";
  for (const auto& h : result.hosts)
    text += std::to_string(h.time.useful) + "," + std::to_string(h.time.mpi) + "," +
            std::to_string(h.time.offload) + ";";
  for (const auto& loss : result.losses) {
    text += std::string(id_of(loss.factor)) + "=" + std::to_string(loss.cost_ns);
    if (loss.place)
      text += "@" + std::to_string(loss.place->row) + ":" + std::to_string(loss.place->when.begin.count) +
              ":" + std::to_string(loss.place->lost_inside);
  }
  return text;
}

Options options_of(std::int64_t begin, std::int64_t end, Collectives collectives) {
  Options options;
  options.range = Interval{{begin}, {end}};
  options.collectives = collectives;
  return options;
}

} // namespace

TEST(RandomActivity, EqualsTheDefinitionsNanosecondByNanosecond) {
  int compared = 0;
  for (unsigned seed = 1; seed <= 24; ++seed) {
    const bool states = seed % 2 == 0;
    Random random(seed, states);
    const test::OpenSession open({random.program.trace()});
    auto activity = Activity::make(*open.session, *open.communicator, {});
    ASSERT_TRUE(activity);
    for (int trial = 0; trial < 25; ++trial) {
      auto begin = random.below(kLength + 200) - 100, end = random.below(kLength + 200) - 100;
      if (begin > end) std::swap(begin, end);
      if (begin == end) ++end;
      const auto collectives = trial % 2 ? Collectives::Useful : Collectives::Communication;
      auto result =
          efficiencies(*activity, *open.session, options_of(begin, end, collectives), *open.communicator, {});
      const auto recorded = common_part({{begin}, {end}}, recorded_time(*activity, *open.session));
      if (recorded.empty()) {
        ASSERT_FALSE(result);
        continue;
      }
      ASSERT_TRUE(result) << describe(result.error());
      begin = recorded.begin.count, end = recorded.end.count;
      for (const auto& [id, value] : naive(random.ranks, begin, end, collectives, states)) {
        for (int f = 0; f < kFactors; ++f) {
          if (id_of(static_cast<Factor>(f)) != id || std::isnan(value)) continue;
          const auto& ratio = result->factors.values[static_cast<std::size_t>(f)];
          ++compared;
          ASSERT_TRUE(ratio.known()) << id;
          ASSERT_NEAR(ratio.value(), value, 1e-12)
              << id << " seed " << seed << " [" << begin << ", " << end << ")";
        }
      }
    }
  }
  EXPECT_GT(compared, 5'000);
}

TEST(RandomActivity, FactorsMultiplyToTheirParentAndCostsAddUpToIts) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    Random random(seed, seed % 2 == 0);
    const test::OpenSession open({random.program.trace()});
    auto activity = Activity::make(*open.session, *open.communicator, {});
    ASSERT_TRUE(activity);
    auto result = efficiencies(*activity, *open.session, options_of(100, 3'900, Collectives::Communication),
                               *open.communicator, {});
    ASSERT_TRUE(result);
    for (const auto parent :
         {Factor::DeviceParallel, Factor::HostParallel, Factor::HostMpi, Factor::MpiParallel}) {
      Ratio product{1, 1};
      double cost = 0, of_parent = 0;
      for (int f = 0; f < kFactors; ++f) {
        const auto factor = static_cast<Factor>(f);
        const auto& value = result->factors[factor];
        if (parent_of(factor) != parent || !value.known()) continue;
        product = Ratio{product.part * value.part, product.whole * value.whole}.reduced();
      }
      for (const auto& loss : result->losses) {
        if (loss.factor == parent) of_parent = loss.cost_ns;
        if (parent_of(loss.factor) == parent) cost += loss.cost_ns;
      }
      EXPECT_EQ(product, result->factors[parent]) << id_of(parent);
      EXPECT_NEAR(cost, of_parent, 1e-6) << id_of(parent);
    }
  }
}

TEST(RandomActivity, IsTheSameForAnyNumberOfRanks) {
  Random random(5, false);
  const test::OpenSession open({random.program.trace()});
  std::string expected;
  for (const int size : {1, 2, 4, 7}) {
    std::vector<std::string> texts(static_cast<std::size_t>(size));
    causal::test::ThreadRanks(size).run([&](Communicator& communicator) {
      auto activity = Activity::make(*open.session, communicator, {});
      auto result = efficiencies(*activity, *open.session, options_of(37, 3'333, Collectives::Communication),
                                 communicator, {});
      texts[static_cast<std::size_t>(communicator.rank())] =
          result ? text_of(*result) : describe(result.error());
      communicator.finish(result.has_value());
    });
    if (size == 1) expected = texts.front();
    for (const auto& text : texts) EXPECT_EQ(text, expected) << size;
  }
  EXPECT_FALSE(expected.empty());
}
