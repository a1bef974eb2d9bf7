#include "core/reasons/rows/burst_counters.h"

#include <cmath>
#include <fstream>
#include <functional>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "core/causal/base/random.h"
#include "core/import/import.h"
#include "core/reasons/contrast.h"
#include "core/reasons/rows/launch_rows.h"
#include "tests/support/open_session.h"

using namespace jitterscope;
using namespace jitterscope::analysis;
using test::OpenSession;

namespace {

constexpr int kRanks = 8, kIterations = 250, kKinds = 3;

/// What happens in one burst.
struct Burst {
  double instructions = 1e6;
  double cycles = 0.6;     ///< per instruction, without those of misses
  double misses = 0.5;     ///< per 1,000 instructions; each takes 200 cycles
  double clock = 2.5;      ///< GHz
  double off_core = 0;     ///< ns
  double memory_bound = 0; ///< part of the cycles at 2.5 GHz that takes the same time at any clock
  double count_error = 1;  ///< counted cycles are this multiple of those that passed
  bool counted = true;
  double passed_cycles() const {
    return instructions * (cycles + misses / 1'000 * 200) * (1 - memory_bound * (1 - clock / 2.5));
  }
  double counted_cycles() const { return passed_cycles() * count_error; }
  double duration() const { return passed_cycles() / clock + off_core; }
};

/// Where a burst is in the run.
struct At {
  int rank, iteration, kind;
};

using Change = std::function<void(Burst& burst, const At& at, causal::Random& random)>;

/// A program with three kinds of bursts per iteration, of different length, between MPI calls; every rank has
/// its own clock, so that nothing depends on who waits for whom.
store::TraceData program(const Change& change, std::uint64_t seed, int ranks = kRanks,
                         int iterations = kIterations) {
  causal::Random random(seed);
  const test::TemporaryFolder folder;
  const auto path = folder.file("program.prv");
  std::string records;
  std::int64_t longest = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    std::int64_t time = 1'000;
    const auto place = "0:1:" + std::to_string(rank + 1) + ":1:";
    for (int iteration = 0; iteration < iterations; ++iteration)
      for (int kind = 0; kind < kKinds; ++kind) {
        Burst burst;
        burst.instructions *=
            std::array{1.0, 4.0, 0.3}[static_cast<std::size_t>(kind)] * std::exp(0.004 * random.normal());
        burst.cycles *=
            std::array{1.0, 1.5, 2.2}[static_cast<std::size_t>(kind)] * std::exp(0.004 * random.normal());
        burst.misses *= std::exp(0.1 * random.normal());
        change(burst, {rank, iteration, kind}, random);
        const auto end = time + std::llround(burst.duration());
        records += "1:" + place + std::to_string(time) + ":" + std::to_string(end) + ":1\n";
        if (burst.counted)
          records += "2:" + place + std::to_string(end) +
                     ":42000050:" + std::to_string(std::llround(burst.instructions)) +
                     ":42000059:" + std::to_string(std::llround(burst.counted_cycles())) +
                     ":42000008:" + std::to_string(std::llround(burst.instructions * burst.misses / 1'000)) +
                     "\n";
        const auto call = std::to_string(kind == 0 ? 8 : kind == 1 ? 10 : 7);
        records += "2:" + place + std::to_string(end) + ":50000002:" + call + "\n";
        records += "2:" + place + std::to_string(end + 5'000) + ":50000002:0\n";
        time = end + 5'000;
      }
    longest = std::max(longest, time);
  }
  std::string header = "#Paraver (01/01/2026 at 00:00):" + std::to_string(longest) + "_ns:1(" +
                       std::to_string(ranks) + "):1:" + std::to_string(ranks) + "(";
  for (int rank = 0; rank < ranks; ++rank) header += rank > 0 ? ",1:1" : "1:1";
  std::ofstream(path) << header << ")\n" << records;
  std::ofstream(folder.file("program.pcf"))
      << "STATES\n0 Idle\n1 Running\n\nEVENT_TYPE\n7 42000050 PAPI_TOT_INS (Instr completed)\n7 42000059 "
         "PAPI_TOT_CYC (Total cycles)\n7 42000008 PAPI_L3_TCM (L3 cache misses)\n\nEVENT_TYPE\n9 50000002 "
         "MPI "
         "Collective Comm\nVALUES\n0 Outside MPI\n7 MPI_Bcast\n8 MPI_Barrier\n10 MPI_Allreduce\n";
  auto data = import::import_files({path}, {}, {});
  if (!data) throw std::runtime_error(describe(data.error()));
  return std::move(*data);
}

BurstCounters counters_of(const OpenSession& open) {
  if (auto known = open.columns->prepare_call_sites({}); !known) throw std::runtime_error("call sites");
  auto counters = BurstCounters::make(*open.session, *open.columns, {});
  if (!counters) throw std::runtime_error(describe(counters.error()));
  return std::move(*counters);
}

std::vector<double> read(const OpenSession& open, const BurstCounters& counters, std::string_view column) {
  return counters.read(column, open.session->segments(0, open.session->launches()).front());
}

/// The cause that accounts for most of Σ |duration − typical duration| in the model of single bursts; empty
/// if it is less than a fifth.
std::string largest_cause(const OpenSession& open) {
  const auto reasons = LaunchReasons::make(*open.session, *open.columns, nullptr, *open.communicator, {});
  if (!reasons) throw std::runtime_error(describe(reasons.error()));
  const auto& fit = reasons->fit();
  std::vector<double> sums(fit.terms.size()), parts(fit.terms.size());
  double all = 0;
  const auto& known = reasons->sampled();
  for (std::size_t i = 0; i < known.launches.size(); ++i) {
    const auto& burst = known.launches[i];
    if (!fit.has(burst.peers) || !(reasons->typical_ns(burst.peers) > 0)) continue;
    fit.parts(known.of(i), burst.peers, reasons->kernel_of(burst.peers), burst.duration_ns, parts);
    all += std::abs(burst.duration_ns - reasons->typical_ns(burst.peers));
    for (std::size_t t = 0; t < parts.size(); ++t) sums[t] += std::abs(parts[t]);
  }
  const auto largest = std::ranges::max_element(sums);
  return largest == sums.end() || *largest < 0.2 * all
             ? ""
             : fit.terms[static_cast<std::size_t>(largest - sums.begin())].feature.name;
}

std::string largest_cause(const Change& change) {
  return largest_cause(OpenSession({program(change, 1)}));
}

} // namespace

TEST(BurstCounters, CompareWithTheKindOfBurst) {
  const OpenSession open({program([](Burst&, const At&, causal::Random&) {}, 1)});
  const auto counters = counters_of(open);
  for (const auto column : {"papi_tot_ins", "ipc", "papi_l3_tcm", "frequency_ghz", "off_core_ns"})
    EXPECT_TRUE(counters.provides(column)) << column;
  EXPECT_FALSE(counters.provides("papi_tot_cyc"));
  for (const double value : read(open, counters, "papi_tot_ins")) EXPECT_NEAR(value, 1, 0.03);
  for (const double value : read(open, counters, "frequency_ghz")) EXPECT_NEAR(value, 2.5, 0.01);
  const auto ipc = read(open, counters, "ipc"), misses = read(open, counters, "papi_l3_tcm");
  for (const double value : ipc) EXPECT_NEAR(value, ipc.front(), 0.05 * ipc.front()) << "kinds differ by 2";
  double mean = 0;
  for (const double value : misses) mean += value / static_cast<double>(misses.size());
  EXPECT_NEAR(mean, 0, 0.02) << "per 1,000 instructions above typical";
}

TEST(BurstCounters, MissesTakeCyclesThatIpcDoesNot) {
  const OpenSession open({program(
      [](Burst& burst, const At& at, causal::Random&) {
        if (at.iteration % 10 == 3) burst.misses *= 4;
        if (at.iteration % 10 == 7) burst.cycles *= 1.5;
      },
      2)});
  const auto counters = counters_of(open);
  const auto ipc = read(open, counters, "ipc"), misses = read(open, counters, "papi_l3_tcm");
  const auto raw = open.columns->read("ipc", open.session->segments(0, open.session->launches()).front());
  const auto usual = ipc[0];
  int slow = 0, missing = 0;
  for (std::size_t i = 0; i < ipc.size(); ++i) {
    if (misses[i] > 0.7) {
      ++missing;
      EXPECT_NEAR(ipc[i], usual, 0.1 * usual) << "misses account for the cycles";
    }
    slow += ipc[i] < 0.8 * usual;
  }
  EXPECT_NEAR(missing, kRanks * kIterations * kKinds / 10, 10);
  EXPECT_NEAR(slow, kRanks * kIterations * kKinds / 10, 10);
  EXPECT_GT(*std::ranges::max_element(raw) / *std::ranges::min_element(raw), 2.5) << "not what is recorded";
}

TEST(BurstCounters, TimeOffTheCoreIsNoLowClock) {
  int planted = 0;
  const OpenSession open({program(
      [&](Burst& burst, const At& at, causal::Random& random) {
        if (at.rank == 2 && at.iteration >= 100 && at.iteration < 150) burst.clock = 1.6;
        if (random.uniform() < 0.02) burst.off_core = 150'000, ++planted;
      },
      3)});
  const auto counters = counters_of(open);
  const auto clock = read(open, counters, "frequency_ghz"), off = read(open, counters, "off_core_ns");
  int found = 0, low = 0;
  for (std::size_t i = 0; i < clock.size(); ++i) {
    low += clock[i] < 2;
    if (off[i] == 0) continue;
    found += std::abs(off[i] - 150'000) < 15'000;
  }
  EXPECT_NEAR(found, planted, 0.1 * planted);
  EXPECT_NEAR(low, 50 * kKinds, 10);
}

TEST(BurstCounters, DoNotDependOnTheRowsThatAreReadTogether) {
  // Bursts of the last rank are rare, so that those next to it on the thread are far away in the table.
  const OpenSession open({program(
      [](Burst& burst, const At& at, causal::Random& random) {
        if (at.rank == kRanks - 1) burst.instructions *= 2'000;
        burst.clock *= std::exp(0.05 * random.normal());
      },
      5)});
  const auto counters = counters_of(open);
  for (const auto column : {"frequency_ghz", "off_core_ns", "ipc"}) {
    const auto all = read(open, counters, column);
    for (std::int64_t row = 0; row < open.session->launches(); row += 7)
      ASSERT_EQ(counters.read(column, open.session->segments(row, row + 1).front()).front(),
                all[static_cast<std::size_t>(row)])
          << column << " " << row;
  }
}

TEST(BurstCounters, MemoryTakesFewerCyclesAtALowerClock) {
  // Kinds spend different parts of their time in memory, so that one slope for all fits none of them.
  const OpenSession open({program(
      [](Burst& burst, const At& at, causal::Random&) {
        burst.memory_bound = at.kind == 1 ? 0.6 : 0.05;
        if (at.rank == 5 || at.iteration / 20 % 5 == 1) burst.clock = 2;
      },
      6)});
  const auto counters = counters_of(open);
  const auto ipc = read(open, counters, "ipc");
  const auto off = std::ranges::count_if(ipc, [](double value) { return std::abs(value - 1) > 0.04; });
  EXPECT_LT(off, std::ssize(ipc) / 100) << "only at changes of the clock, where it is not known";
}

TEST(BurstCounters, InexactCountsAreNoted) {
  const auto spread_with = [](double error) {
    const OpenSession open({program(
        [=](Burst& burst, const At& at, causal::Random& random) {
          burst.count_error = std::exp(error * random.normal());
          if (at.iteration / 20 % 5 == 1) burst.clock = 2; // changes of the clock are no errors
        },
        7)});
    return counters_of(open).spread_of_cycles();
  };
  EXPECT_NEAR(spread_with(0.1), 0.1, 0.02);
  EXPECT_LT(spread_with(0), 0.01);
}

TEST(BurstCounters, PlacesAreNoCausesWhereCountersDivideDurations) {
  const auto features_of = [](const Change& change) {
    const OpenSession open({program(change, 9)});
    const auto rows =
        LaunchRows::make(*open.session, *open.columns, {}, "kernel_variability", *open.communicator, {});
    EXPECT_TRUE(rows);
    std::map<std::string, bool> left_out;
    for (const auto& feature : rows->features()) left_out[feature.name] = !feature.leaves.empty();
    return left_out;
  };
  const auto with_counters = features_of([](Burst&, const At&, causal::Random&) {});
  EXPECT_TRUE(with_counters.at("rank") && with_counters.at("burst_position"));
  EXPECT_FALSE(with_counters.at("papi_tot_ins") || with_counters.at("first_launch"));
  const auto without = features_of([](Burst& burst, const At& at, causal::Random&) {
    burst.counted = at.rank < 4; // the other ranks differ by what is not recorded
  });
  EXPECT_FALSE(without.at("rank") || without.at("burst_position"));
}

TEST(BurstCounters, SlowRanksAreNoCallSites) {
  // The bursts before and after one on its thread are far away in the table, farther for faster ranks.
  const OpenSession open({program(
      [](Burst& burst, const At& at, causal::Random&) {
        if (at.rank >= 250) burst.misses *= 4;
      },
      8, 300, 40)});
  const auto counters = counters_of(open);
  EXPECT_FALSE(open.columns->call_sites()->any_several());
  EXPECT_EQ(largest_cause(open), "papi_l3_tcm");
}

TEST(BurstCounters, BurstsWithoutCountsAreTypical) {
  const OpenSession open({program(
      [](Burst& burst, const At& at, causal::Random&) {
        burst.counted = at.rank < 5;
        if (at.iteration % 7 == 0) burst.instructions *= 2;
      },
      4)});
  const auto counters = counters_of(open);
  EXPECT_NEAR(counters.without_counts(), 3.0 / 8, 0.02);
  for (const auto column : {"papi_tot_ins", "ipc", "papi_l3_tcm", "frequency_ghz", "off_core_ns"})
    for (const double value : read(open, counters, column)) EXPECT_TRUE(std::isfinite(value)) << column;
  EXPECT_EQ(largest_cause(open), "papi_tot_ins");
}

TEST(BurstCounters, NameTheCauseOfLongBursts) {
  EXPECT_EQ(largest_cause([](Burst& b, const At&, causal::Random& r) {
              if (r.uniform() < 0.1) b.instructions *= 1.5;
            }),
            "papi_tot_ins");
  EXPECT_EQ(largest_cause([](Burst& b, const At& at, causal::Random&) {
              b.instructions *= 1 + 0.1 * at.rank; // persistent imbalance
            }),
            "papi_tot_ins");
  EXPECT_EQ(largest_cause([](Burst& b, const At& at, causal::Random& r) {
              if (at.iteration / 10 % 5 == 0 && r.uniform() < 0.7)
                b.misses *= 5; // a neighbour uses the memory
            }),
            "papi_l3_tcm");
  EXPECT_EQ(largest_cause([](Burst& b, const At& at, causal::Random&) {
              if (at.rank >= 4) b.cycles *= 1.3; // memory of the other socket; no counter shows it
            }),
            "ipc");
  EXPECT_EQ(largest_cause([](Burst& b, const At& at, causal::Random&) {
              if (at.iteration / 20 % 4 == 1) b.clock = 2;
            }),
            "frequency_ghz");
  EXPECT_EQ(largest_cause([](Burst& b, const At&, causal::Random& r) {
              if (r.uniform() < 0.05) b.off_core = 400'000;
            }),
            "off_core_ns");
  EXPECT_EQ(largest_cause([](Burst& b, const At&, causal::Random& r) {
              b.misses = 0.5;
              b.off_core = b.duration() * 0.05 * std::abs(r.normal()); // in every burst, and recorded nowhere
            }),
            "");
}
