#include "tests/generator/tau_run.h"

#include <numeric>

#include <gtest/gtest.h>

#include "core/import/import.h"
#include "tests/support/temporary_folder.h"

namespace jitterscope::generator {
namespace {

TEST(TauRun, HasTheTimeOfAllRanks) {
  const test::TemporaryFolder folder;
  TauOptions options;
  options.ranks = 3;
  options.steps = 10;
  options.compute_us = 0;
  const auto files = write_tau(options, folder.file("run"));
  ASSERT_TRUE(files) << describe(files.error());
  EXPECT_EQ(*files, 3);
  const auto data = import::import_files({folder.file("run")}, Job{});
  ASSERT_TRUE(data) << describe(data.error());
  std::int64_t sum = 0;
  for (const auto duration : data->find("launches")->get<std::int64_t>("duration"))
    if (duration > 0) sum += duration;
  // 21,100 µs of start and end; two messages of 8.5536 µs, 1 µs of waiting and 4 (2 + 8/3/10,000) µs a step.
  EXPECT_NEAR(static_cast<double>(sum), 3 * (21.1e6 + 10 * (2 * 8'553.6 + 1'000 + 4 * (2'000 + 0.8 / 3))),
              50);
}

TEST(TauRun, HasAFolderForEachMetric) {
  const test::TemporaryFolder folder;
  TauOptions options;
  options.metrics = {"TIME", "PAPI_TOT_INS", "PAPI_L2_DCM"};
  options.gpu = true;
  const auto files = write_tau(options, folder.file("run"));
  ASSERT_TRUE(files);
  EXPECT_EQ(*files, 4 * 2 * 3);
}

TEST(TauRun, RefusesARunWithoutRanks) {
  TauOptions options;
  options.ranks = 0;
  const auto files = write_tau(options, "unused");
  ASSERT_FALSE(files);
  EXPECT_EQ(files.error().kind, ErrorKind::BadUse);
}

} // namespace
} // namespace jitterscope::generator
