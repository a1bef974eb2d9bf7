#include "core/import/assemble/background_task.h"

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>

#include <gtest/gtest.h>

namespace jitterscope {
namespace {

TEST(BackgroundTask, GivesItsResult) {
  const Job job;
  const auto here = std::this_thread::get_id();
  BackgroundTask<std::string> task(job, [&](const Job& own) {
    return std::string(own.cancelled() || std::this_thread::get_id() == here ? "" : "done");
  });
  EXPECT_EQ(task.result(), "done");
  EXPECT_FALSE(task.cancelled());
}

TEST(BackgroundTask, ThrowsWhatTheWorkThrew) {
  const Job job;
  BackgroundTask<int> task(job, [](const Job&) -> int { throw std::runtime_error("broken"); });
  EXPECT_THROW(task.result(), std::runtime_error);
}

// Only the waiting thread checks the job for a cancel, and one check is enough.
TEST(BackgroundTask, ACancelledJobStopsTheWork) {
  const auto here = std::this_thread::get_id();
  int asked = 0;
  Job job;
  job.cancelled = [&] {
    EXPECT_EQ(std::this_thread::get_id(), here);
    return ++asked == 2;
  };
  BackgroundTask<bool> task(job, [](const Job& own) {
    while (!own.cancelled()) std::this_thread::yield();
    return true;
  });
  EXPECT_TRUE(task.result());
  EXPECT_TRUE(task.cancelled());
  EXPECT_EQ(asked, 2);
}

TEST(BackgroundTask, CancelledWorkIsStopped) {
  std::atomic<bool> stopped{false};
  {
    const Job job;
    const BackgroundTask<int> task(job, [&](const Job& own) {
      while (!own.cancelled()) std::this_thread::yield();
      stopped = true;
      return 0;
    });
  }
  EXPECT_TRUE(stopped);
}

} // namespace
} // namespace jitterscope
