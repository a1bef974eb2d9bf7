// A trace of an H100 on which copies within the device, copies from the host, kernels on another stream and
// pauses of the host were started at random times (tests/generator/gpu/windows.py): the reasons are known.

#include "core/reasons/excess.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "core/import/import.h"
#include "tests/support/many_launches.h"
#include "tests/support/real_data.h"

namespace jitterscope::analysis {
namespace {

struct Stretch {
  double begin = 0, end = 0; ///< ns after the first kernel
  std::string mode;
};

std::vector<Stretch> stretches(double first_kernel) {
  std::ifstream file(JITTERSCOPE_SOURCE_DIR "/tests/generator/gpu/h100-windows-truth.csv");
  std::vector<Stretch> all;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::istringstream cells(line);
    Stretch stretch;
    char comma = 0;
    cells >> stretch.begin >> comma >> stretch.end >> comma >> stretch.mode;
    stretch.begin -= first_kernel, stretch.end -= first_kernel;
    all.push_back(stretch);
  }
  return all;
}

TEST(RealWindows, ReasonsAreTheOnesThatWereCaused) {
  auto data =
      import::import_files({JITTERSCOPE_SOURCE_DIR "/tests/generator/gpu/h100-windows.json.gz"}, Job{});
  ASSERT_TRUE(data) << describe(data.error());
  test::OpenSession open({std::move(*data)});
  const auto typical = TypicalRows::make(*open.session, *open.columns, {});
  auto reasons = LaunchReasons::make(*open.session, *open.columns,
                                     std::make_shared<const TypicalRows>(*typical), *open.communicator, {});
  ASSERT_TRUE(reasons) << describe(reasons.error());
  auto shared = std::make_shared<const LaunchReasons>(std::move(*reasons));
  open.columns->set_excess(std::make_shared<const Excess>(shared));
  const auto column = [&](std::string_view name) {
    return open.columns->read(name, {0, 0, open.session->launches()});
  };
  const auto start = column("start"), excess = column("excess_ns"), copies = column("excess_copies_ns"),
             kernels = column("excess_other_kernels_ns"), other = column("excess_other_ns"),
             stream = column("stream");
  const auto all = stretches(4851920089849904.0); // first kernel after the base time of the trace, ns
  ASSERT_EQ(all.size(), 37u);
  std::map<std::string, double> whole, by_copies, by_kernels, by_others;
  for (std::size_t i = 0; i < start.size(); ++i) {
    if (stream[i] != stream[0]) continue; // leaves out the kernels of the other stream
    const double at = start[i] - start[0];
    const auto stretch = std::find_if(all.rbegin(), all.rend(), [&](const auto& s) { return s.begin <= at; });
    if (stretch == all.rend() || std::fabs(excess[i]) < 10'000) continue; // noise is below 3 us
    whole[stretch->mode] += excess[i], by_copies[stretch->mode] += copies[i];
    by_kernels[stretch->mode] += kernels[i], by_others[stretch->mode] += other[i];
  }
  const auto part = [&](auto& of, const char* mode) { return of[mode] / whole[mode]; };
  EXPECT_NEAR(whole["copy_on_device"], 122 * 35e3, 0.05 * 122 * 35e3);
  EXPECT_NEAR(whole["neighbour"], 66 * 36e3, 0.05 * 66 * 36e3);
  EXPECT_NEAR(part(by_copies, "copy_on_device"), 1, 0.1);
  EXPECT_NEAR(part(by_kernels, "neighbour"), 1, 0.1);
  EXPECT_NEAR(part(by_kernels, "copy_on_device"), 0, 0.05);
  EXPECT_NEAR(part(by_copies, "neighbour"), 0, 0.05);
  // The gaps before these launches are long, too, because the launches wait for the same copy or kernel. The
  // gaps must not get a share of the excess.
  EXPECT_NEAR(part(by_others, "copy_on_device"), 0, 0.1);
  EXPECT_NEAR(part(by_others, "neighbour"), 0, 0.1);
  EXPECT_EQ(whole.count("host_stall") + whole.count("copy_from_host"), 0u); // these lengthen nothing
}

// Nearly all of these launches take less than 10 µs. Those that take more than 300 µs wait for a page that
// the host has just used: it migrates to the host before the launch, and back at the end of the launch.
void expect_migrations(const std::string& file) {
  auto data = import::import_files({file}, Job{});
  ASSERT_TRUE(data) << describe(data.error());
  test::OpenSession open({std::move(*data)});
  auto reasons = LaunchReasons::make(*open.session, *open.columns, nullptr, *open.communicator, {});
  ASSERT_TRUE(reasons) << describe(reasons.error());
  open.columns->set_excess(
      std::make_shared<const Excess>(std::make_shared<const LaunchReasons>(std::move(*reasons))));
  const auto column = [&](std::string_view name) {
    return open.columns->read(name, {0, 0, open.session->launches()});
  };
  const auto duration = column("duration"), excess = column("excess_ns"),
             migrations = column("excess_migrations_ns");
  int found = 0;
  for (std::size_t i = 0; i < duration.size(); ++i) {
    if (duration[i] < 300'000) continue;
    ++found;
    EXPECT_GT(migrations[i] / excess[i], 0.8) << i;
  }
  EXPECT_GE(found, 6);
}

TEST(RealWindows, WaitingForAPageIsAMigration) {
  REQUIRE_REAL_DATA(first, "nsys/rtx3090-20runs/report11.sqlite");
  REQUIRE_REAL_DATA(second, "nsys/rtx3090-20runs/report14.sqlite");
  expect_migrations(first);
  expect_migrations(second);
}

} // namespace
} // namespace jitterscope::analysis
