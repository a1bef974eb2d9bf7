// Real traces in Chrome's format, from all generations of PyTorch's profiler.

#include <map>

#include "tests/core/import/formats/chrome_support.h"

namespace jitterscope::import {
namespace {

using store::ResourceKind;
using store::TransferKind;

struct Sums {
  std::size_t kernels;
  std::int64_t kernel_ns;
  std::int64_t copies, copied_bytes, sets;
};

Sums sums_of(const store::TraceData& data) {
  Sums sums{};
  sums.kernels = launch_starts(data).size();
  sums.kernel_ns = sum(launch_durations(data));
  const auto& kind = column<std::uint8_t>(data, "transfers", "kind");
  const auto& bytes = column<std::int64_t>(data, "transfers", "bytes");
  for (std::size_t row = 0; row < kind.size(); ++row) {
    const bool set = static_cast<TransferKind>(kind[row]) == TransferKind::Memset;
    ++(set ? sums.sets : sums.copies);
    sums.copied_bytes += set ? 0 : bytes[row];
  }
  return sums;
}

struct Oracle {
  const char* file;
  std::size_t kernels;
  std::int64_t kernel_ns;
  std::int64_t linked, copies, sets, zero_length;
  std::int64_t utc_ns; ///< absolute time of the earliest row
  std::int32_t rank;
};
class RealChrome : public testing::TestWithParam<Oracle> {};

// Counts and sums of the events by category, links by correlation with the events of the runtime and driver,
// and earliest times agree with those computed by Python's json module with decimal numbers.
TEST_P(RealChrome, GivesTheNumbersOfItsEvents) {
  const auto& oracle = GetParam();
  REQUIRE_REAL_DATA(path, oracle.file);
  const auto data = import_good({path});
  const auto sums = sums_of(data);
  EXPECT_EQ(sums.kernels, oracle.kernels);
  EXPECT_EQ(sums.kernel_ns, oracle.kernel_ns);
  EXPECT_EQ(linked(data), oracle.linked);
  EXPECT_EQ(sums.copies, oracle.copies);
  EXPECT_EQ(sums.sets, oracle.sets);
  EXPECT_EQ(reported(data, "zero-duration"), oracle.zero_length);
  EXPECT_EQ(data.manifest.origin_utc_ns, oracle.utc_ns);
  const auto processes = of_kind(data, ResourceKind::Process);
  ASSERT_EQ(processes.size(), 1u);
  EXPECT_EQ(processes.front()->rank, oracle.rank);
  for (const auto* dropped :
       {"missing-time", "negative-duration", "broken-events", "bad-text", "unknown-copy-kind"})
    EXPECT_EQ(reported(data, dropped), 0) << dropped;
}

INSTANTIATE_TEST_SUITE_P(
    All, RealChrome,
    testing::Values(
        Oracle{"kineto/2021/resnet50_num_workers_0.pt.trace.json.gz", 9564, 640354000, 8856, 12, 439, 292,
               1610366662254282000, -1},
        Oracle{"kineto/h100-mi300/h100__Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz", 1465, 45432698, 1029, 1,
               241, 0, 1752839461731456483, -1},
        Oracle{"kineto/h100-mi300/h100__gaunernst_bert-small-uncased__1016001.json.gz", 60, 307197, 60, 1, 0,
               0, 1752830083332500684, -1},
        Oracle{"kineto/h100-mi300/mi300__Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz", 1516, 43062042, 1053, 1, 0,
               0, 1753652182127022523, -1},
        Oracle{"kineto/h100-mi300/mi300__gaunernst_bert-small-uncased__1016001.json.gz", 60, 388344, 60, 1, 0,
               0, 1753615174329420671, -1},
        Oracle{"kineto/hta/alexnet.json.gz", 79, 10692000, 79, 16, 3, 0, 1695835542481129000, 0},
        Oracle{"kineto/hta/cpu_only_rank-34.json.gz", 0, 0, 0, 0, 0, 0, 1721065959525586016, 34},
        Oracle{"kineto/hta/sampled_rank-0.json.gz", 1154, 606519000, 1154, 40, 10, 0, 1682725897226747000, 0},
        Oracle{"kineto/hta/sampled_rank-1.json.gz", 1104, 651026000, 1104, 40, 10, 0, 1682725897227300000, 1},
        Oracle{"kineto/hta/trace_diff_control_rank3.json.gz", 8568, 446813000, 8568, 228, 654, 0,
               1661203462584767000, 3},
        Oracle{"rocm/rocprofv1-hip-trace/HIP_trace/results.json", 1, 5280, 1, 6, 0, 0, -1, -1},
        Oracle{"rocm/rpd/matmul_result.json", 29, 26386000, 29, 55, 1, 0, -1, -1}));

TEST(RealKineto, EightRanksInAnArchiveAreOneSession) {
  REQUIRE_REAL_DATA(path, "kineto/dlrm-8rank/dlrm_kineto.tar.gz");
  const auto data = import_good({path});
  std::map<std::int32_t, std::pair<std::int64_t, std::int64_t>> by_rank; // kernels, µs
  const auto& stream = column<std::uint32_t>(data, "launches", "stream");
  const auto& duration = launch_durations(data);
  for (std::size_t row = 0; row < stream.size(); ++row) {
    const auto device = data.resources[stream[row]].parent;
    auto& rank = by_rank[data.resources[data.resources[device].parent].rank];
    ++rank.first;
    rank.second += duration[row] / 1000;
  }
  const std::map<std::int32_t, std::pair<std::int64_t, std::int64_t>> expected = {
      {0, {245, 6832}}, {1, {310, 12582}}, {2, {246, 4560}}, {3, {315, 11014}},
      {4, {251, 7713}}, {5, {245, 7292}},  {6, {246, 4609}}, {7, {246, 2805}}};
  EXPECT_EQ(by_rank, expected);
  expect_reported(data, {{"same-capture", 0}, {"captures-apart", 0}});
  EXPECT_EQ(data.manifest.devices.size(), 8u);
  EXPECT_EQ(data.manifest.devices[0].name, "Tesla V100-SXM2-32GB");
}

TEST(RealKineto, FilesWithoutKernelsAreReported) {
  REQUIRE_REAL_DATA(path, "kineto/hta/cpu_only_rank-34.json.gz");
  const auto data = import_good({path});
  expect_reported(data, {{"no-kernels", 1}, {"world-size", 1}});
  EXPECT_GT(data.find("ranges")->rows(), 15u);
}

TEST(RealKineto, PythonFunctionsAreLeftOutOnDemand) {
  REQUIRE_REAL_DATA(path, "kineto/h100-mi300/h100__Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz");
  ImportOptions options;
  options.drop_python_functions = true;
  const auto data = import_files({path}, Job{}, options);
  ASSERT_TRUE(data.has_value());
  EXPECT_EQ(reported(*data, "python-functions-left-out"), 4262);
  EXPECT_EQ(data->find("ranges")->rows(), 10903u - 4262u);
}

} // namespace
} // namespace jitterscope::import
