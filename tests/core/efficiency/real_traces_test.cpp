#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "core/efficiency/cut/reduce.h"
#include "core/efficiency/efficiency_json.h"
#include "core/efficiency/paraver/paraver_export.h"
#include "core/import/import.h"
#include "core/store/format/analysis_rows.h"
#include "tests/support/open_session.h"
#include "tests/support/real_data.h"

using namespace jitterscope;
using namespace jitterscope::efficiency;

namespace {

struct Run {
  std::unique_ptr<test::OpenSession> open;
  Activity activity;
  Result result;
  nlohmann::json sums;
};

Run run_of(const std::string& path, std::optional<std::int64_t> ideal = {},
           Collectives collectives = Collectives::Communication) {
  auto data = import::import_files({path}, {}, {});
  if (!data) throw std::runtime_error(describe(data.error()));
  auto open = std::make_unique<test::OpenSession>(std::vector{std::move(*data)});
  auto activity = Activity::make(*open->session, *open->communicator, {});
  if (!activity) throw std::runtime_error(describe(activity.error()));
  Options options;
  options.ideal = ideal;
  options.collectives = collectives;
  auto result = efficiencies(*activity, *open->session, options, *open->communicator, {});
  if (!result) throw std::runtime_error(describe(result.error()));
  const auto counters = useful_counters(*activity, *open->session, *result, *open->communicator, {});
  const auto kernels = kernel_times(*activity, *open->session, *result, *open->communicator, {});
  auto sums = sums_json(*activity, *open->session, *result, *counters, *kernels);
  return {std::move(open), std::move(*activity), std::move(*result), std::move(sums)};
}

/// Rows of a table of BasicAnalysis: name → values of 1, 2 and 4 processes.
std::map<std::string, std::vector<double>> published(const std::string& path) {
  std::map<std::string, std::vector<double>> rows;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    std::stringstream cells(line);
    std::string name, cell;
    std::getline(cells, name, ';');
    while (std::getline(cells, cell, ';')) rows[name].push_back(std::stod(cell));
  }
  return rows;
}

} // namespace

TEST(RealTraces, EpochOn1And2And4RanksHasThePublishedEfficiencies) {
  REQUIRE_REAL_DATA(table, "paraver/epoch-mpi/modelfactors_1_2_4.csv");
  auto expected = published(table);
  nlohmann::json reference;
  const int ranks[] = {1, 2, 4};
  for (std::size_t i = 0; i < 3; ++i) {
    REQUIRE_REAL_DATA(path, "paraver/epoch-mpi/epoch_" + std::to_string(ranks[i]) + "proc.prv.gz");
    const auto ideal = std::llround(1e3 * expected["#Runtime (ideal)"].at(i));
    const auto run = run_of(path, ideal);
    if (i == 0) reference = run.sums;
    const auto scaled = scaling_json(run.result, run.sums, reference);
    ASSERT_TRUE(scaled) << describe(scaled.error());
    const auto& s = scaled->at("hosts");
    const auto equals = [&](const char* row, double value, double unit = 100) {
      EXPECT_NEAR(unit * value, expected[row].at(i), unit * 5e-5) << row << ", " << ranks[i] << " ranks";
    };
    equals("Parallel efficiency", run.result.factors[Factor::MpiParallel].value());
    equals("Load balance", run.result.factors[Factor::MpiLoadBalance].value());
    equals("Communication efficiency", run.result.factors[Factor::MpiCommunication].value());
    equals("Computation scalability", s.at("computation"));
    equals("Global efficiency", s.at("global"));
    equals("IPC scalability", s.at("ipc"));
    equals("Instruction scalability", s.at("instructions"));
    equals("Frequency scalability", s.at("frequency"));
    equals("Speedup", s.at("speedup"), 1);
    equals("Average IPC", s.at("ipc_here"), 1);
    equals("Average frequency (GHz)", s.at("frequency_here_ghz"), 1);
    EXPECT_NEAR(run.sums.at("elapsed_ns").get<double>() / 1e3, expected["#Runtime (us)"].at(i), 0.01);
    EXPECT_NEAR(run.sums.at("hosts").at("useful_ns").get<double>() / 1e3,
                expected["#Useful duration (total)"].at(i), 0.01);
    EXPECT_EQ(run.sums.at("hosts").at("instructions").get<double>(),
              expected["#Useful instructions (total)"].at(i));
    EXPECT_EQ(run.sums.at("hosts").at("cycles").get<double>(), expected["#Useful cycles (total)"].at(i));
    EXPECT_EQ(s.at("scaling"), "strong");
  }
}

TEST(RealTraces, WithoutAReplaySerialisationAndTransferAreUnknown) {
  REQUIRE_REAL_DATA(path, "paraver/epoch-mpi/epoch_2proc.prv.gz");
  const auto run = run_of(path);
  const auto document = to_json(run.result.factors);
  EXPECT_TRUE(document.at("mpi").at("serialisation").is_null());
  EXPECT_TRUE(document.at("mpi").at("transfer").is_null());
  EXPECT_TRUE(document.at("device").at("parallel").is_null());
  EXPECT_TRUE(document.at("host").at("offload").is_null());
}

TEST(RealTraces, ImageMagickHasTheKnownLoadBalance) {
  for (const auto& [threads, balance, communication] : {std::tuple{1, 1.0, .9953}, {4, .4954, .9861}}) {
    REQUIRE_REAL_DATA(path, "paraver/imagemagick-openmp/omp" + std::to_string(threads) + ".prv.gz");
    const auto run = run_of(path);
    EXPECT_EQ(run.result.hosts.size(), static_cast<std::size_t>(threads));
    EXPECT_NEAR(run.result.factors[Factor::MpiLoadBalance].value(), balance, 5e-5);
    EXPECT_NEAR(run.result.factors[Factor::MpiCommunication].value(), communication, 5e-5);
    EXPECT_FALSE(run.result.factors[Factor::HostMpi].known()) << "no MPI calls are recorded";
  }
}

TEST(RealTraces, TwoDevicesWithCollectivesAreCountedBothWays) {
  REQUIRE_REAL_DATA(path, "nsys/h100-2gpu/mfu_2gpu_before.sqlite");
  const auto comm = run_of(path), useful = run_of(path, {}, Collectives::Useful);
  ASSERT_EQ(comm.result.devices.size(), 2u);
  EXPECT_TRUE(comm.result.collectives_recorded);
  for (std::size_t d = 0; d < 2; ++d) {
    EXPECT_LT(comm.result.devices[d].time.useful, useful.result.devices[d].time.useful);
    EXPECT_EQ(comm.result.devices[d].time.idle, useful.result.devices[d].time.idle)
        << "idle time does not depend on how collectives count";
  }
}

TEST(RealTraces, BurstsOfEpochAddUpToTheUsefulTimeOfEachRank) {
  REQUIRE_REAL_DATA(path, "paraver/epoch-mpi/epoch_4proc.prv.gz");
  const auto run = run_of(path);
  const auto& store = run.open->session->traces().front().store;
  ASSERT_EQ(store::analysis_rows(store), store::AnalysisRows::Bursts);
  const auto threads = store.column<std::uint32_t>("launches", "stream");
  const auto durations = store.column<std::int64_t>("launches", "duration");
  std::map<std::uint32_t, std::int64_t> sums;
  for (std::size_t row = 0; row < durations.size(); ++row) sums[threads[row]] += durations[row];
  ASSERT_EQ(run.result.hosts.size(), 4u);
  for (const auto& host : run.result.hosts)
    EXPECT_EQ(sums[run.activity.hosts()[host.row].thread], host.time.useful) << host.row;
  EXPECT_TRUE(run.result.devices.empty()) << "bursts are not kernels of a device";
}

TEST(RealTraces, ACutOfEpochHasTheEfficienciesOfItsRangeAndGoesThroughParaver) {
  REQUIRE_REAL_DATA(path, "paraver/epoch-mpi/epoch_4proc.prv.gz");
  const auto run = run_of(path);
  const Interval range{{2'000'000'000}, {4'000'000'000}};
  const auto in_range = [&](const test::OpenSession& open) {
    auto activity = Activity::make(*open.session, *open.communicator, {});
    Options options;
    options.range = range;
    return *efficiencies(*activity, *open.session, options, *open.communicator, {});
  };
  const auto expected = in_range(*run.open);
  ReductionOptions requested;
  requested.range = range;
  auto reduction = reduce(*run.open->session, *run.open->columns, requested, {});
  ASSERT_TRUE(reduction) << describe(reduction.error());
  const test::OpenSession cut({std::move(reduction->data)});
  const auto prv = cut.folder.file("cut.prv");
  ASSERT_TRUE(export_paraver(*cut.session, prv, {}));
  auto again = import::import_files({prv}, {}, {});
  ASSERT_TRUE(again) << describe(again.error());
  const test::OpenSession read({std::move(*again)});
  for (const auto* open : {&cut, &read}) {
    const auto found = in_range(*open);
    ASSERT_EQ(found.hosts.size(), expected.hosts.size());
    for (std::size_t h = 0; h < found.hosts.size(); ++h) {
      EXPECT_EQ(found.hosts[h].time.useful, expected.hosts[h].time.useful) << h;
      EXPECT_EQ(found.hosts[h].time.mpi, expected.hosts[h].time.mpi) << h;
    }
    EXPECT_EQ(found.factors[Factor::MpiParallel], expected.factors[Factor::MpiParallel]);
  }
}
