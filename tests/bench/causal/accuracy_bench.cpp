// Accuracy and CPU time of the causal engine on tables whose graph is known, and time of the whole analysis
// of a large table. Run without arguments; needs the sample data.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>

#include "core/causal/random.h"
#include "tests/core/causal/accuracy.h"

namespace {

using namespace jitterscope;
using namespace jitterscope::causal;

void accuracy_table() {
  std::printf("%-22s %7s %4s %6s %5s %12s %12s\n", "data set", "n", "p", "F1", "SHD", "search s",
              "analysis s");
  const std::filesystem::path root = std::filesystem::path(JITTERSCOPE_DATA_DIR) / "causal";
  if (!std::filesystem::exists(root)) return;
  std::vector<std::string> folders;
  for (const auto& entry : std::filesystem::directory_iterator(root))
    folders.push_back(entry.path().string());
  std::sort(folders.begin(), folders.end());
  for (const auto& folder : folders) {
    const auto set = test::read_data_set(folder);
    if (!set) continue;
    for (const Eigen::Index rows : {1'000, 10'000}) {
      if (rows > 1'000 && set->rows.rows() <= 1'000) continue;
      const auto a = test::measure(*set, rows);
      const auto name = std::filesystem::path(folder).filename().string();
      if (!a)
        std::printf("%-22s %s\n", name.c_str(), describe(a.error()).c_str());
      else
        std::printf("%-22s %7ld %4d %6.3f %5d %12.4f %12.4f\n", name.c_str(),
                    static_cast<long>(std::min<std::int64_t>(rows, set->rows.rows())), a->columns, a->f1,
                    a->distance, a->discovery_s, a->analysis_s);
    }
  }
}

void large_table() {
  constexpr Eigen::Index rows = 1'000'000, columns = 30;
  MemoryRows table;
  Random random(1);
  table.values.resize(rows, columns);
  for (Eigen::Index c = 0; c < columns; ++c) {
    for (Eigen::Index r = 0; r < rows; ++r)
      table.values(r, c) = random.uniform() + (c > 1 ? 0.3 * table.values(r, c - 2) : 0.0);
    FeatureInfo info;
    info.name = "x" + std::to_string(c), info.tier = c + 1 == columns ? 5 : 2;
    table.columns.push_back(info);
  }
  for (Eigen::Index r = 0; r < rows; ++r) {
    table.group.push_back(static_cast<std::uint32_t>(random.below(500)));
    table.duration_ns.push_back(
        std::round(1e4 * std::exp(0.1 * random.uniform() + 0.1 * table.values(r, 3))));
  }
  const auto communicator = local_communicator();
  for (const char* target : {"kernel_variability", "x29"}) {
    Options options;
    options.target = target;
    const double start = test::cpu_seconds();
    const auto result = analyse(table, options, *communicator);
    std::printf("%ld rows x %ld columns, target %s, 200 replicates: %.2f s%s\n", static_cast<long>(rows),
                static_cast<long>(columns), target, test::cpu_seconds() - start,
                result ? "" : describe(result.error()).c_str());
  }
}

} // namespace

int main() {
  accuracy_table();
  large_table();
}
