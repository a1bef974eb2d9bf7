#include "core/base/beside.h"

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>

#include <gtest/gtest.h>

namespace jitterscope {
namespace {

TEST(Beside, GivesItsResult) {
  const Job job;
  const auto here = std::this_thread::get_id();
  Beside<std::string> beside(job, [&](const Job& own) {
    return std::string(own.cancelled() || std::this_thread::get_id() == here ? "" : "done");
  });
  EXPECT_EQ(beside.result(), "done");
  EXPECT_FALSE(beside.cancelled());
}

TEST(Beside, ThrowsWhatTheWorkThrew) {
  const Job job;
  Beside<int> beside(job, [](const Job&) -> int { throw std::runtime_error("broken"); });
  EXPECT_THROW(beside.result(), std::runtime_error);
}

// Only the waiting thread checks the job for a cancel, and one check is enough.
TEST(Beside, ACancelledJobStopsTheWork) {
  const auto here = std::this_thread::get_id();
  int asked = 0;
  Job job;
  job.cancelled = [&] {
    EXPECT_EQ(std::this_thread::get_id(), here);
    return ++asked == 2;
  };
  Beside<bool> beside(job, [](const Job& own) {
    while (!own.cancelled()) std::this_thread::yield();
    return true;
  });
  EXPECT_TRUE(beside.result());
  EXPECT_TRUE(beside.cancelled());
  EXPECT_EQ(asked, 2);
}

TEST(Beside, CancelledWorkIsStopped) {
  std::atomic<bool> stopped{false};
  {
    const Job job;
    const Beside<int> beside(job, [&](const Job& own) {
      while (!own.cancelled()) std::this_thread::yield();
      stopped = true;
      return 0;
    });
  }
  EXPECT_TRUE(stopped);
}

} // namespace
} // namespace jitterscope
