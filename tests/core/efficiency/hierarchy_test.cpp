#include <gtest/gtest.h>

#include "core/efficiency/hierarchy.h"

using namespace jitterscope::efficiency;

namespace {

/// True if a · b = parent without rounding.
bool multiply(std::initializer_list<Ratio> factors, const Ratio& parent) {
  Ratio product{1, 1};
  for (const auto& factor : factors)
    product = Ratio{product.part * factor.part, product.whole * factor.whole}.reduced();
  return product == parent;
}

} // namespace

TEST(Hierarchy, DevicesOfTheWorkedExampleWithCollectivesAsCommunication) {
  const std::vector<DeviceTime> devices = {{60, 25, 5, 15}, {60, 30, 5, 10}, {35, 32, 0, 33}};
  const auto e = device_efficiencies(devices, 100);
  EXPECT_EQ(e.parallel, (Ratio{31, 60}));
  EXPECT_EQ(e.load_balance, (Ratio{31, 36}));
  EXPECT_EQ(e.communication, (Ratio{2, 3}));
  EXPECT_EQ(e.orchestration, (Ratio{9, 10}));
  EXPECT_TRUE(multiply({e.load_balance, e.communication, e.orchestration}, e.parallel));
}

TEST(Hierarchy, DevicesOfTheWorkedExampleWithCollectivesAsUseful) {
  const std::vector<DeviceTime> devices = {{75, 10, 0, 15}, {80, 10, 5, 10}, {65, 2, 0, 33}};
  const auto e = device_efficiencies(devices, 100);
  EXPECT_EQ(e.parallel, (Ratio{11, 15}));
  EXPECT_EQ(e.load_balance, (Ratio{11, 12}));
  EXPECT_EQ(e.communication, (Ratio{8, 9}));
  EXPECT_EQ(e.orchestration, (Ratio{9, 10}));
}

TEST(Hierarchy, HostsOfTheWorkedExample) {
  const std::vector<HostTime> hosts = {{50, 20, 30, 0}, {40, 10, 50, 0}, {40, 40, 20, 0}};
  const auto e = host_efficiencies(hosts, 100);
  EXPECT_EQ(e.parallel, (Ratio{13, 30}));
  EXPECT_EQ(e.mpi, (Ratio{23, 30}));
  EXPECT_EQ(e.load_balance, (Ratio{23, 27}));
  EXPECT_EQ(e.communication, (Ratio{9, 10}));
  EXPECT_EQ(e.offload, (Ratio{13, 23}));
  EXPECT_EQ(e.runtime, (Ratio{1, 1}));
  EXPECT_TRUE(multiply({e.load_balance, e.communication}, e.mpi));
  EXPECT_TRUE(multiply({e.mpi, e.offload, e.runtime}, e.parallel));
}

TEST(Hierarchy, ARuntimeFactorTakesWhatIsNeitherComputingNorMpiNorOffload) {
  const std::vector<HostTime> hosts = {{40, 10, 20, 30}, {60, 10, 0, 30}};
  const auto e = host_efficiencies(hosts, 100);
  EXPECT_EQ(e.parallel, (Ratio{1, 2}));
  EXPECT_EQ(e.mpi, (Ratio{9, 10}));
  EXPECT_EQ(e.offload, (Ratio{160, 180}));
  EXPECT_EQ(e.runtime, (Ratio{100, 160}));
  EXPECT_TRUE(multiply({e.mpi, e.offload, e.runtime}, e.parallel));
}

// Two processes with two threads each. One thread of each process calls MPI for half of the time.
TEST(Hierarchy, ThreadsThatDoNotCallMpiAreNoImbalanceOfTheirProcess) {
  const std::vector<HostTime> hosts = {{50, 50, 0, 0}, {50, 0, 0, 50}, {50, 50, 0, 0}, {50, 0, 0, 50}};
  const std::vector<std::size_t> processes = {0, 0, 1, 1};
  const auto e = host_efficiencies(hosts, 100, processes);
  EXPECT_EQ(e.mpi, (Ratio{3, 4}));
  EXPECT_EQ(e.load_balance, (Ratio{1, 1}));
  EXPECT_EQ(e.communication, (Ratio{3, 4}));
  EXPECT_TRUE(multiply({e.mpi, e.offload, e.runtime}, e.parallel));
}

TEST(Hierarchy, ProcessesWithDifferentNumbersOfThreadsMultiplyExactly) {
  const std::vector<HostTime> hosts = {{70, 30, 0, 0}, {60, 0, 0, 40}, {60, 1, 0, 39}, {90, 10, 0, 0}};
  const std::vector<std::size_t> processes = {0, 0, 0, 1};
  const auto e = host_efficiencies(hosts, 100, processes);
  EXPECT_EQ(e.communication, (Ratio{90, 100})) << "31 / 3 of process 0 exceed 10 of process 1";
  EXPECT_EQ(e.mpi, (Ratio{359, 400}));
  EXPECT_TRUE(multiply({e.load_balance, e.communication}, e.mpi));
}

TEST(Hierarchy, MpiOfTheWorkedExample) {
  const std::vector<std::int64_t> useful = {6, 8, 10, 8};
  const auto e = mpi_efficiencies(useful, 12, 11);
  EXPECT_EQ(e.load_balance, (Ratio{4, 5}));
  EXPECT_EQ(e.communication, (Ratio{5, 6}));
  EXPECT_EQ(e.serialisation, (Ratio{10, 11}));
  EXPECT_EQ(e.transfer, (Ratio{11, 12}));
  EXPECT_EQ(e.parallel, (Ratio{2, 3}));
  EXPECT_TRUE(multiply({e.serialisation, e.transfer}, e.communication));
  const auto without = mpi_efficiencies(useful, 12);
  EXPECT_FALSE(without.serialisation.known());
  EXPECT_FALSE(without.transfer.known());
}

TEST(Hierarchy, ScalingOfTheWorkedExample) {
  const auto s = scaling({12, 4, 32, 66, 78}, {12, 4, 28, 60, 70});
  EXPECT_FALSE(s.weak);
  EXPECT_EQ(s.computation, (Ratio{7, 8}));
  EXPECT_EQ(s.instructions, (Ratio{10, 11}));
  EXPECT_EQ(s.ipc, (Ratio{77, 78}));
  EXPECT_EQ(s.frequency, (Ratio{39, 40}));
  EXPECT_TRUE(multiply({s.instructions, s.ipc, s.frequency}, s.computation));
  EXPECT_TRUE(multiply({{2, 3}, s.computation}, {7, 12})); // global efficiency
}

TEST(Hierarchy, WorkThatGrowsWithTheProcessesIsWeakScaling) {
  const RunSums one{100, 1, 90, 1'000, 900};
  EXPECT_TRUE(is_weak_scaling({105, 4, 364, 4'000, 3'700}, one));
  EXPECT_FALSE(is_weak_scaling({27, 4, 92, 1'020, 930}, one)) << "strong: only the times' ratio exceeds 0.9";
  EXPECT_EQ(scaling({105, 4, 364, 4'000, 3'700}, one).computation, (Ratio{90 * 4, 364}));
  for (const RunSums& larger : {RunSums{105, 4, 364, 4'000, 3'700}, RunSums{27, 4, 92, 1'020, 930}})
    EXPECT_EQ(is_weak_scaling(one, larger), is_weak_scaling(larger, one))
        << "the larger run as the reference";
  EXPECT_FALSE(is_weak_scaling({100, 1, 90, 1'000, 900}, one)) << "the numbers of processes are equal";
}

TEST(Hierarchy, ARunWithoutCountersHasNoFactorsOfInstructions) {
  const auto s = scaling({12, 4, 32, 0, 0}, {12, 4, 28, 60, 70});
  EXPECT_TRUE(s.computation.known());
  EXPECT_FALSE(s.instructions.known());
  EXPECT_FALSE(s.ipc.known());
  EXPECT_FALSE(s.frequency.known());
}

TEST(Hierarchy, DivisionByZeroIsUnknown) {
  const auto idle = device_efficiencies(std::vector<DeviceTime>{{0, 0, 0, 100}}, 100);
  EXPECT_EQ(idle.parallel, (Ratio{0, 1}));
  EXPECT_EQ(idle.orchestration, (Ratio{0, 1}));
  EXPECT_FALSE(idle.load_balance.known());
  EXPECT_FALSE(idle.communication.known());
  const auto none = device_efficiencies({}, 100);
  EXPECT_FALSE(none.parallel.known());
  EXPECT_FALSE(none.orchestration.known());
  EXPECT_FALSE(host_efficiencies({}, 100).communication.known());
  EXPECT_FALSE(mpi_efficiencies({}, 100, 50).transfer.known());
}

TEST(Hierarchy, FactorsOfMillionsOfLongTimesDoNotOverflow) {
  const std::int64_t year = 31'536'000'000'000'000;
  std::vector<DeviceTime> devices(100'000, DeviceTime{year / 2, year / 4, 0, year / 4});
  const auto e = device_efficiencies(devices, year);
  EXPECT_EQ(e.parallel, (Ratio{1, 2}));
  EXPECT_TRUE(multiply({e.load_balance, e.communication, e.orchestration}, e.parallel));
}
