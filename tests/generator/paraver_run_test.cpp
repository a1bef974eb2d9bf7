#include "tests/generator/paraver_run.h"

#include <gtest/gtest.h>

#include "core/import/import.h"
#include "tests/support/temporary_folder.h"

namespace jitterscope::generator {
namespace {

TEST(ParaverRun, HasTheStatesAndCallsOfAllThreads) {
  const test::TemporaryFolder folder;
  ParaverOptions options;
  options.processes = 6;
  options.threads = 3;
  options.steps = 9;
  const auto path = folder.file("run.prv");
  const auto records = write_paraver(options, path);
  ASSERT_TRUE(records) << describe(records.error());
  EXPECT_EQ(*records, 6 * 9 * (2 * 3 + 2));
  const auto data = import::import_files({path}, Job{});
  ASSERT_TRUE(data) << describe(data.error());
  EXPECT_EQ(data->find("ranges")->rows(), 6u * 3 * 9 * 2);
  EXPECT_EQ(data->find("messages")->rows(), 6u * 9);
}

TEST(ParaverRun, HasTheRegionAndTheCounter) {
  const test::TemporaryFolder folder;
  ParaverOptions options;
  options.processes = options.threads = 2;
  options.steps = 3;
  options.region = "launch step";
  options.counter = "Launch size";
  const auto path = folder.file("run.prv");
  ASSERT_TRUE(write_paraver(options, path));
  const auto data = import::import_files({path}, Job{});
  ASSERT_TRUE(data) << describe(data.error());
  ASSERT_EQ(data->find("counters")->rows(), 4u) << "of each thread";
  const auto counter = data->find("counters")->get<std::uint32_t>("name")[0];
  EXPECT_EQ(data->strings[StringId{counter}], "Launch size");
  int regions = 0;
  for (const auto name : data->find("ranges")->get<std::uint32_t>("name"))
    regions += data->strings[StringId{name}] == "launch step";
  EXPECT_EQ(regions, 2 * 2 * 3);
}

TEST(ParaverRun, RefusesARunWithoutThreads) {
  ParaverOptions options;
  options.threads = 0;
  const auto records = write_paraver(options, "unused.prv");
  ASSERT_FALSE(records);
  EXPECT_EQ(records.error().kind, ErrorKind::BadUse);
}

} // namespace
} // namespace jitterscope::generator
