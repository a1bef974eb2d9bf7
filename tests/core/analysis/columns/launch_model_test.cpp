#include "core/analysis/prediction/launch_model.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/analysis/columns/columns.h"
#include "core/analysis/filter/selection.h"
#include "core/import/import.h"
#include "core/model/gpu/gpu_table.h"
#include "core/reasons/rows/launch_rows.h"
#include "tests/support/counter_table.h"
#include "tests/support/open_session.h"
#include "tests/support/small_trace.h"

using namespace jitterscope;
using namespace jitterscope::analysis;

namespace {

/// A table of counters, imported as a trace of the GPU `gpu`.
store::TraceData imported(const test::TemporaryFolder& folder, int launches, const char* gpu) {
  const auto path = folder.file("pmc_perf.csv");
  test::write_counter_table(path, launches);
  auto data = import::import_files({path}, Job{});
  if (!data) throw std::runtime_error(describe(data.error()));
  auto& devices = data->manifest.devices;
  for (std::uint32_t r = 0; r < data->resources.size() && devices.empty(); ++r)
    if (data->resources[r].kind == store::ResourceKind::Device) devices.push_back({r, gpu, {}, 0, {}});
  for (auto& device : devices) device.name = gpu;
  return std::move(*data);
}

struct ModelSession {
  test::TemporaryFolder folder;
  test::OpenSession open;
  explicit ModelSession(int launches, const char* gpu = "MI100") : open({imported(folder, launches, gpu)}) {
    open.columns->add_terms(LaunchModel::of(*open.session, *open.columns));
  }
  std::vector<double> read(const char* column, std::int64_t first, std::int64_t last) const {
    return open.columns->read(column, {0, first, last});
  }
};

/// The warp model of Hong and Kim (ISCA 2009) behind caches, implemented again from the formulas in
/// resources/help/performance-model.md.
struct Recomputed {
  double mwp = 0, cwp = 0, memory_latency = 0, delay = 0, ns = 0;
  bool bandwidth = false;

  Recomputed(const GpuSpecification& gpu, const test::CountedLaunch& c) {
    const double f = gpu.clock_hz, multiprocessors = static_cast<double>(gpu.multiprocessors);
    const double m = static_cast<double>(c.memory), compute = static_cast<double>(c.work - c.memory);
    const double s = static_cast<double>(c.accesses) / m;
    const double h1 = 1 - static_cast<double>(c.reads + c.writes) / static_cast<double>(c.accesses);
    const double h2 = static_cast<double>(c.hits) / static_cast<double>(c.hits + c.misses);
    const double reach[] = {1, 1 - h1, (1 - h1) * (1 - h2)};
    const double served[] = {h1, (1 - h1) * h2, (1 - h1) * (1 - h2)};
    for (int l = 0; l < 3; ++l) {
      const auto& level = gpu.levels[static_cast<std::size_t>(l)];
      const double d = level.transaction * f * multiprocessors / level.bandwidth;
      memory_latency += served[l] * (level.latency + (s - 1) * d);
      delay = std::max(delay, s * reach[l] * d);
    }
    const double blocks = static_cast<double>(c.waves) / 4;
    const double resident = std::floor(static_cast<double>(gpu.max_warps) / 4); // 24 registers do not limit
    const double n = resident * 4, rep = blocks / (resident * multiprocessors);
    const double issue = static_cast<double>(gpu.warp_size) / static_cast<double>(gpu.lanes);
    const double memory_cycles = m * memory_latency, compute_cycles = issue * (compute + m);
    mwp = std::max(1.0, std::min(memory_latency / delay, n));
    const double cwp_full = (memory_cycles + compute_cycles) / compute_cycles;
    cwp = std::min(cwp_full, n);
    double exec = 0;
    if (mwp == n && cwp == n)
      exec = memory_cycles + compute_cycles + compute_cycles / m * (mwp - 1);
    else if (cwp >= mwp)
      exec = memory_cycles * n / mwp + compute_cycles / m * (mwp - 1);
    else
      exec = memory_latency + compute_cycles * n;
    exec = std::max(exec, std::max(n * compute_cycles, n * m * delay)) * rep;
    ns = exec / f * 1e9;
  }
};

TEST(LaunchModel, ColumnsAreTheFormulasOfTheModel) {
  const ModelSession s(120);
  const auto gpu = model::find_gpu("MI100");
  ASSERT_TRUE(gpu);
  const auto predicted = s.read("predicted_duration_ns", 0, 120),
             residual = s.read("model_residual_ns", 0, 120);
  const auto mwp = s.read("model_mwp", 0, 120), cwp = s.read("model_cwp", 0, 120);
  const auto latency = s.read("model_memory_latency", 0, 120),
             delay = s.read("model_departure_delay", 0, 120);
  for (int i = 0; i < 120; ++i) {
    const auto c = test::counted_launch(i);
    const Recomputed own(*gpu, c);
    const auto at = static_cast<std::size_t>(i);
    EXPECT_NEAR(predicted[at] / own.ns, 1, 1e-9) << i;
    EXPECT_NEAR(mwp[at], own.mwp, 1e-9);
    EXPECT_NEAR(cwp[at], own.cwp, 1e-9);
    EXPECT_NEAR(latency[at], own.memory_latency, 1e-6);
    EXPECT_NEAR(delay[at], own.delay, 1e-9);
    EXPECT_NEAR(residual[at], static_cast<double>(c.duration) - own.ns, 1e-3);
  }
}

TEST(LaunchModel, ValuesDoNotDependOnWhatIsReadTogether) {
  const ModelSession s(200);
  const auto all = s.read("predicted_duration_ns", 0, 200);
  for (const auto& [first, last] : {std::pair<std::int64_t, std::int64_t>{0, 1}, {37, 100}, {199, 200}}) {
    const auto some = s.read("predicted_duration_ns", first, last);
    EXPECT_TRUE(std::equal(some.begin(), some.end(), all.begin() + first)) << first;
  }
  EXPECT_EQ(s.read("predicted_duration_ns", 0, 200), all);
}

TEST(LaunchModel, FiltersKnowItsColumnsAndTexts) {
  const ModelSession s(120);
  const auto predicted = s.read("predicted_duration_ns", 0, 120), bound = s.read("model_bottleneck", 0, 120);
  const auto* column = s.open.columns->find("model_bottleneck");
  ASSERT_TRUE(column && column->kind == ColumnKind::Text);
  const auto selection =
      Selection::make("predicted_duration > 200us and model_bottleneck = \"compute\"", *s.open.columns);
  ASSERT_TRUE(selection) << selection.error().message;
  const auto mask = selection->select(*s.open.session, *s.open.columns, {0, 0, 120});
  int selected = 0;
  for (std::size_t i = 0; i < 120; ++i) {
    const bool requested =
        predicted[i] > 200'000 && s.open.columns->text("model_bottleneck", bound[i]) == "compute";
    EXPECT_EQ(mask[i] != 0, requested) << i;
    selected += requested;
  }
  EXPECT_GT(selected, 10);
  EXPECT_LT(selected, 120);
}

TEST(LaunchModel, IsAbsentForUnknownGpusAndMissingCounters) {
  EXPECT_FALSE(ModelSession(20, "Voodoo2").open.columns->find("predicted_duration_ns"));
  const test::OpenSession plain({test::empty_trace()});
  EXPECT_FALSE(LaunchModel::of(*plain.session, *plain.columns));
  EXPECT_FALSE(plain.columns->find("predicted_duration_ns"));
}

TEST(LaunchModel, TakesPartAsACauseWhereItIsNamed) {
  ModelSession s(120);
  const auto has = [&](const std::vector<std::string>& named) {
    const auto rows = LaunchRows::make(*s.open.session, *s.open.columns, {}, "duration", *s.open.communicator,
                                       {}, {}, nullptr, named);
    EXPECT_TRUE(rows);
    return rows && std::any_of(rows->features().begin(), rows->features().end(),
                               [](const auto& f) { return f.name == "predicted_duration_ns"; });
  };
  EXPECT_FALSE(has({}));
  EXPECT_TRUE(has({"predicted_duration_ns"}));
}

} // namespace
