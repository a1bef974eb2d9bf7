#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "core/efficiency/efficiency_json.h"
#include "core/efficiency/talp/talp.h"
#include "tests/core/efficiency/program.h"
#include "tests/support/open_session.h"
#include "tests/support/real_data.h"

using namespace jitterscope;
using namespace jitterscope::efficiency;
using nlohmann::json;

namespace {

std::string text_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// test::worked_example() with collectives as useful, as in TALP.
struct Worked {
  test::OpenSession open{{test::worked_example().trace()}};
  Activity activity;
  Result result;
  Worked() {
    auto made = Activity::make(*open.session, *open.communicator, {});
    activity = std::move(*made);
    Options options;
    options.range = Interval{{0}, {100}};
    options.collectives = Collectives::Useful;
    result = *efficiencies(activity, *open.session, options, *open.communicator, {});
  }
  json document(const TalpFacts& facts = {}) { return talp_json(activity, *open.session, result, {}, facts); }
};

constexpr const char* kRegion = R"({"dlbVersion": "3.6.0", "Application": {"Global": {
  "numCpus": 3, "numMpiRanks": 3, "numNodes": 1, "numGpus": 3, "elapsedTime": 100,
  "usefulTime": 130, "mpiTime": 70, "ompLoadImbalanceTime": 0, "ompSchedulingTime": 0, "ompSerializationTime": 0,
  "gpuRuntimeTime": 100, "minMpiNormdProc": 10, "gpuUsefulTime": 220, "gpuCommunicationTime": 22,
  "maxGpuUsefulTime": 80, "maxGpuActiveTime": 90, "mpiLoadBalance": 0.85}}})";

} // namespace

// T = 100. Host threads: useful 50, 40, 40, MPI 20, 10, 40, offload 30, 50, 20. Devices: useful 75, 80, 65.
TEST(Talp, OfTheWorkedExampleHasItsTimesAndFractions) {
  Worked worked;
  TalpFacts facts;
  facts.mpi_calls = mpi_calls_in(worked.activity, worked.result);
  facts.begin_utc_ns = 1'700'000'000'000'000'000;
  const auto document = worked.document(facts);
  const auto& region = document.at("Application").at("Global");
  for (const auto& [key, value] : std::map<std::string, std::int64_t>{{"numCpus", 3},
                                                                      {"numMpiRanks", 3},
                                                                      {"numNodes", 1},
                                                                      {"numGpus", 3},
                                                                      {"numMpiCalls", 3},
                                                                      {"elapsedTime", 100},
                                                                      {"usefulTime", 130},
                                                                      {"mpiTime", 70},
                                                                      {"gpuRuntimeTime", 100},
                                                                      {"gpuUsefulTime", 220},
                                                                      {"gpuCommunicationTime", 22},
                                                                      {"maxGpuUsefulTime", 80},
                                                                      {"maxGpuActiveTime", 90}})
    EXPECT_EQ(region.at(key), value) << key;
  EXPECT_EQ(region.at("minMpiNormdProc"), 10);
  EXPECT_DOUBLE_EQ(region.at("parallelEfficiency"), 13.0 / 30);
  EXPECT_DOUBLE_EQ(region.at("mpiParallelEfficiency"), 23.0 / 30);
  EXPECT_DOUBLE_EQ(region.at("mpiLoadBalance"), 23.0 / 27);
  EXPECT_DOUBLE_EQ(region.at("mpiCommunicationEfficiency"), 9.0 / 10);
  EXPECT_DOUBLE_EQ(region.at("deviceOffloadEfficiency"), 13.0 / 23);
  EXPECT_DOUBLE_EQ(region.at("gpuParallelEfficiency"), 11.0 / 15);
  EXPECT_DOUBLE_EQ(region.at("gpuLoadBalance"), 11.0 / 12);
  EXPECT_DOUBLE_EQ(region.at("gpuCommunicationEfficiency"), 8.0 / 9);
  EXPECT_DOUBLE_EQ(region.at("gpuOrchestrationEfficiency"), 9.0 / 10);
  EXPECT_EQ(document.at("timestamp"), "2023-11-14T22:13:20");
}

TEST(Talp, ThatWasWrittenReadsAsTheSameFactors) {
  Worked worked;
  const auto file = read_talp(worked.document().dump(), "own.json");
  ASSERT_TRUE(file) << describe(file.error());
  const auto region = file->region("");
  ASSERT_TRUE(region);
  const auto compared = compare_with_talp(to_json(worked.result.factors), *file, **region, "own.json");
  int known = 0;
  for (const auto& factor : compared.at("factors")) {
    if (factor.at("difference").is_null()) continue;
    ++known;
    EXPECT_NEAR(factor.at("difference").get<double>(), 0, 1e-12) << factor.dump();
  }
  EXPECT_GE(known, 8);
}

TEST(Talp, OfProcessesWithThreadsHasTheFactorsOfTheAnswer) {
  test::Program program;
  for (int rank = 0; rank < 2; ++rank) {
    program.add_rank(0);
    const auto master = program.thread(rank), worker = program.add_thread(rank);
    for (const auto thread : {master, worker}) program.state(thread, {0, 50 - 10 * rank, "Running"});
    program.state(worker, {50 - 10 * rank, 100, "Idle"});
    program.mpi(master, {50 - 10 * rank, 100, "MPI_Allreduce"});
    program.state(master, {50 - 10 * rank, 100, "Group Communication"});
  }
  test::OpenSession open{{program.trace()}};
  const auto activity = Activity::make(*open.session, *open.communicator, {});
  const auto result = efficiencies(*activity, *open.session, {}, *open.communicator, {});
  ASSERT_TRUE(result) << describe(result.error());
  const auto region = talp_json(*activity, *open.session, *result, {}, {}).at("Application").at("Global");
  for (const auto& [key, factor] : {std::pair{"mpiParallelEfficiency", Factor::HostMpi},
                                    {"mpiLoadBalance", Factor::HostLoadBalance},
                                    {"mpiCommunicationEfficiency", Factor::HostCommunication}})
    EXPECT_DOUBLE_EQ(region.at(key), result->factors[factor].value()) << key;
}

/// Two ranks, in MPI for 20 and 40 of 100 ns, on a host of this name.
store::TraceData ranks_on(const std::string& host) {
  test::Program program;
  for (const auto& [rank, begin] : {std::pair{0, 80}, {1, 60}}) {
    program.add_rank(0);
    program.state(program.thread(rank), {0, begin, "Running"});
    program.mpi(program.thread(rank), {begin, 100, "MPI_Allreduce"});
    program.state(program.thread(rank), {begin, 100, "Group Communication"});
  }
  auto data = program.trace();
  data.resources.front().name = host;
  return data;
}

TEST(Talp, HostsOfTheSameNameAreOneNode) {
  for (const auto& [second, nodes] : {std::pair{"alpha", 1}, {"beta", 2}, {"", 2}}) {
    test::OpenSession open{{ranks_on("alpha"), ranks_on(second)}};
    const auto activity = Activity::make(*open.session, *open.communicator, {});
    const auto result = efficiencies(*activity, *open.session, {}, *open.communicator, {});
    ASSERT_TRUE(result) << describe(result.error());
    const auto region = talp_json(*activity, *open.session, *result, {}, {}).at("Application").at("Global");
    EXPECT_EQ(region.at("numNodes"), nodes) << second;
    EXPECT_EQ(region.at("minMpiNormdProc"), 20);
    EXPECT_EQ(region.at("minMpiNormdNode"), 30);
    EXPECT_DOUBLE_EQ(region.at("mpiLoadBalanceIn"), 70.0 / 80);
    EXPECT_DOUBLE_EQ(region.at("mpiLoadBalanceOut"), 1);
  }
}

TEST(Sums, CountThreadsAndTheirProcesses) {
  test::Program program;
  for (int rank = 0; rank < 2; ++rank) {
    program.add_rank(1);
    program.kernel(rank, 0, {0, 100, "gemm"});
    for (const auto thread : {program.thread(rank), program.add_thread(rank), program.add_thread(rank)})
      program.state(thread, {0, 100, "Running"});
  }
  test::OpenSession open{{program.trace()}};
  const auto activity = Activity::make(*open.session, *open.communicator, {});
  const auto result = efficiencies(*activity, *open.session, {}, *open.communicator, {});
  ASSERT_TRUE(result) << describe(result.error());
  const auto sums = sums_json(*activity, *open.session, *result, {}, {});
  EXPECT_EQ(sums.at("hosts").at("threads"), 6);
  EXPECT_EQ(sums.at("hosts").at("processes"), 2);
  EXPECT_EQ(sums.at("devices").at("devices"), 2);
  EXPECT_EQ(sums.at("devices").at("processes"), 2);
}

TEST(Talp, FactorsComeFromTimesNotFromRoundedNumbers) {
  const auto file = read_talp(kRegion, "talp.json");
  ASSERT_TRUE(file) << describe(file.error());
  const auto factors = talp_factors(**file->region(""));
  EXPECT_DOUBLE_EQ(factors.at("host").at("load_balance"), 23.0 / 27);
  EXPECT_DOUBLE_EQ(factors.at("device").at("load_balance"), 11.0 / 12);
  auto older = json::parse(kRegion);
  older["Application"]["Global"].erase("minMpiNormdProc");
  const auto stated = talp_factors(**read_talp(older.dump(), "talp.json")->region(""));
  EXPECT_DOUBLE_EQ(stated.at("host").at("load_balance"), 0.85)
      << "older versions lack the times that determine it, so the stated value is used";
  EXPECT_TRUE(stated.at("host").at("communication").is_null());
}

TEST(Talp, IsAReferenceForScaling) {
  Worked worked;
  const auto file = read_talp(kRegion, "talp.json");
  const auto kernels =
      kernel_times(worked.activity, *worked.open.session, worked.result, *worked.open.communicator, {});
  const auto sums = sums_json(worked.activity, *worked.open.session, worked.result, {}, *kernels);
  const auto scaled = scaling_json(worked.result, sums, talp_sums(**file->region(""), "useful"));
  ASSERT_TRUE(scaled) << describe(scaled.error());
  EXPECT_DOUBLE_EQ(scaled->at("hosts").at("computation"), 1) << "both files have the same numbers";
  EXPECT_DOUBLE_EQ(scaled->at("devices").at("speedup"), 1);
}

// Computation scaling counts U = T − M − O, so the parallel efficiency must be that of the same U.
TEST(Scaling, GlobalEfficiencyIsTheUsefulTimeOfTheReferencePerTimeOfAllThreads) {
  Worked worked;
  const auto sums = sums_json(worked.activity, *worked.open.session, worked.result, {}, {});
  const auto itself = scaling_json(worked.result, sums, sums);
  ASSERT_TRUE(itself) << describe(itself.error());
  EXPECT_DOUBLE_EQ(itself->at("hosts").at("global"), 13.0 / 30);
  auto reference = sums;
  reference["hosts"]["useful_ns"] = 65;
  EXPECT_DOUBLE_EQ(scaling_json(worked.result, sums, reference)->at("hosts").at("global"), 65.0 / 300);
}

// A range that begins inside a kernel contains a part of it: the devices' useful time has the same part.
TEST(Scaling, KernelsCountWithTheirTimeInsideTheRange) {
  Worked worked;
  Options options;
  options.range = Interval{{5}, {25}};
  const auto result =
      efficiencies(worked.activity, *worked.open.session, options, *worked.open.communicator, {});
  ASSERT_TRUE(result);
  const auto kernels =
      kernel_times(worked.activity, *worked.open.session, *result, *worked.open.communicator, {});
  ASSERT_TRUE(kernels);
  ASSERT_EQ(kernels->size(), 1u);
  EXPECT_EQ(kernels->front().launches, 4);
  EXPECT_EQ(kernels->front().duration_ns, 20 + 5 + 20 + 15)
      << "[0,30), [20,40), [0,50) and [10,30) in [5,25)";
}

TEST(Talp, ErrorsNameTheFileAndThePlace) {
  const auto error_of = [](const std::string& text) {
    const auto file = read_talp(text, "talp.json");
    return file ? Error{} : file.error();
  };
  EXPECT_EQ(error_of("{ \"dlbVersion\"").kind, ErrorKind::BadInput);
  EXPECT_EQ(error_of("{ \"dlbVersion\"").file, "talp.json");
  EXPECT_EQ(error_of("[]").kind, ErrorKind::BadInput);
  EXPECT_EQ(error_of(R"({"dlbVersion": "3.4", "Application": {"Global": {}}})").place, "dlbVersion");
  EXPECT_EQ(error_of(R"({"dlbVersion": "3.6", "Application": {}})").place, "Application");
  EXPECT_EQ(error_of(R"({"dlbVersion": "abc", "Application": {}})").message,
            "\"abc\" is not a version of DLB");
  auto broken = json::parse(kRegion);
  auto& region = broken["Application"]["Global"];
  region["usefulTime"] = "many";
  EXPECT_EQ(error_of(broken.dump()).message, "usefulTime is not a number");
  region.erase("usefulTime");
  EXPECT_EQ(error_of(broken.dump()).message, "usefulTime is missing");
  region["usefulTime"] = 1e300;
  EXPECT_EQ(error_of(broken.dump()).message, "usefulTime is out of range");
  region["usefulTime"] = -5;
  EXPECT_EQ(error_of(broken.dump()).message, "usefulTime is negative");
  EXPECT_FALSE(read_talp(kRegion, "talp.json")->region("no such"));
  EXPECT_TRUE(looks_like_talp(kRegion));
  EXPECT_TRUE(
      looks_like_talp("{\"Application\": \"" + std::string(10'000, 'x') + "\", \"dlbVersion\": \"3.6\"}"));
  EXPECT_FALSE(looks_like_talp("{}"));
  EXPECT_FALSE(looks_like_talp("\x89HDF"));
}

TEST(Talp, RealFilesOfDlb35And36AreRead) {
  REQUIRE_REAL_DATA(new_file, "talp/jsons/unit-tests/dlb_3_6_0.json");
  const auto file = read_talp(text_of(new_file), new_file);
  ASSERT_TRUE(file) << describe(file.error());
  const auto factors = talp_factors(**file->region(""));
  EXPECT_NEAR(factors.at("host").at("parallel").get<double>(), 0.77, 0.005);
  EXPECT_NEAR(factors.at("host").at("offload").get<double>(), 0.77, 0.005);
  EXPECT_NEAR(factors.at("device").at("parallel").get<double>(), 0.07, 0.005);
  EXPECT_NEAR(factors.at("device").at("communication").get<double>(), 0.54, 0.005);
  EXPECT_NEAR(factors.at("device").at("orchestration").get<double>(), 0.12, 0.005);
  REQUIRE_REAL_DATA(old_file, "talp/example_files/3.5a/scaling_mpi/test_base.json");
  const auto old = read_talp(text_of(old_file), old_file);
  ASSERT_TRUE(old) << describe(old.error());
  EXPECT_EQ((**old->region("")).name, "Application");
  REQUIRE_REAL_DATA(wrong, "talp/jsons/unit-tests/wrong_dlb_version.json");
  EXPECT_FALSE(read_talp(text_of(wrong), wrong));
  REQUIRE_REAL_DATA(bare, "talp/jsons/unit-tests/no_ressources.json");
  EXPECT_TRUE(read_talp(text_of(bare), bare)) << "resources are stated by each region as well";
}
