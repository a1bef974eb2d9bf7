#include <cstdlib>

#include <gtest/gtest.h>

#include "core/engine/ranks/placement.h"

using namespace jitterscope::engine;

class PlacementTest : public ::testing::Test {
protected:
  void SetUp() override { ::unsetenv("OMP_NUM_THREADS"); }
};

TEST_F(PlacementTest, EveryCoreGetsARank) {
  const auto chosen = place(0, {8});
  EXPECT_EQ(chosen.ranks, 8);
  EXPECT_EQ(chosen.threads, 1);
  EXPECT_EQ(chosen.description, "8 ranks of 1 thread (8 cores)");
}

TEST_F(PlacementTest, WorkForThreadsStaysInOneProcess) {
  const auto chosen = place(0, {8}, Divides::in_threads);
  EXPECT_EQ(chosen.description, "1 rank of 8 threads (8 cores)");
  EXPECT_EQ(place(4, {8}, Divides::in_threads).ranks, 4) << "a requested number of ranks is used";
}

TEST_F(PlacementTest, RequestedRanksLeaveTheRestOfTheCoresToThreads) {
  EXPECT_EQ(place(2, {8}).threads, 4);
  EXPECT_EQ(place(3, {8}).threads, 2);
  EXPECT_EQ(place(7, {2}).threads, 1) << "more ranks than cores";
}

TEST_F(PlacementTest, SettingsOfTheUserTakePrecedence) {
  ::setenv("OMP_NUM_THREADS", "3", 1);
  EXPECT_EQ(place(2, {8}).threads, 3);
  ::setenv("OMP_NUM_THREADS", "100000", 1);
  EXPECT_EQ(place(1, {8}).threads, 128) << "the limit of threads";
}

TEST_F(PlacementTest, ThisMachineHasSomething) {
  EXPECT_GE(this_machine().cores, 1);
}
