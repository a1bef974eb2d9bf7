// Accuracy and CPU time of the causal engine on tables whose graph is known, and time of the whole analysis
// of a large table. Run without arguments for all, or with one of
// accuracy (needs the sample data), random, covariance, wide, large, texts.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>

#include "core/causal/base/random.h"
#include "core/causal/statistics/cross_products.h"
#include "tests/bench/causal/random_tables.h"
#include "tests/core/causal/answer/accuracy.h"
#include "tests/core/causal/table/wide_table.h"
#include "tests/support/launch_table.h"

namespace {

using namespace jitterscope;
using namespace jitterscope::causal;

/// Figures of another implementation on data of the same kind: means over several sets, CPU seconds on
/// another machine, of the fastest among the most accurate implementations.
struct Peer {
  const char* folder;
  Eigen::Index rows;
  const char* name;
  double f1, distance, cpu_s;
};

constexpr double kNotGiven = -1;
constexpr Peer kPeers[] = {
    {"synth_p20_gauss_s0", 1'000, "BOSS, Tetrad", .984, 4.7, .48},
    {"synth_p20_gauss_s0", 10'000, "BOSS, causal-learn", .988, 3.3, .31},
    {"synth_p50_laplace_s0", 1'000, "BOSS, Tetrad", .992, 3.7, 1.1},
    {"synth_p50_laplace_s0", 10'000, "BOSS, Tetrad", .996, 1.2, 1.6},
    {"synth_p100_gauss_s0", 1'000, "BOSS, Tetrad", .984, 9.7, 2.4},
    {"synth_p100_gauss_s0", 10'000, "BOSS, Tetrad", .989, 7.5, 3.8},
    {"gbn_ecoli70", 10'000, "best peer", .986, kNotGiven, kNotGiven},
    {"gbn_magic-niab", 10'000, "best peer", 1.0, kNotGiven, kNotGiven},
    {"gpu22_faithful_s0", 1'000, "PC-stable, tiers", .839, 15.3, .16},
    {"gpu24_clean_s0", 1'000, "PC-stable, tiers", .839, 15.3, .16},
    {"gpu29_full_s0", 1'000, "PC-stable, tiers", .839, 15.3, .16},
    {"sachs853_log", 853, "everyone", .52, kNotGiven, kNotGiven},
};

const Peer* peer_of(const std::string& folder, Eigen::Index rows) {
  for (const Peer& p : kPeers)
    if (folder == p.folder && rows == p.rows) return &p;
  return nullptr;
}

void print_methods(const causal::test::DataSet& set, Eigen::Index rows) {
  for (const Method method : {Method::boss, Method::pc, Method::ges, Method::lingam}) {
    const auto a = causal::test::measure(set, rows, method);
    if (!a)
      std::printf(" | %22s", "—");
    else
      std::printf(" | %5.3f %4d %10.4f", a->f1, a->distance, a->discovery_s);
    if (!a || method != Method::boss) continue;
    std::printf(" %8.4f", a->analysis_s);
  }
}

void accuracy_table() {
  std::printf("Skeleton F1, distance to the true CPDAG, CPU s of the search (BOSS: and of the whole analysis "
              "without bootstrap); peers: figures of the specification, ratio = peer's CPU s / search\n");
  std::printf("%-22s %6s | %-31s | %-21s | %-21s | %-21s | %s\n", "data set", "n", "BOSS (default)",
              "PC-stable", "GES", "DirectLiNGAM", "peer: F1, distance, CPU s, ratio");
  const std::filesystem::path root = std::filesystem::path(JITTERSCOPE_DATA_DIR) / "causal";
  if (!std::filesystem::exists(root)) return;
  std::vector<std::string> folders;
  for (const auto& entry : std::filesystem::directory_iterator(root))
    folders.push_back(entry.path().string());
  std::sort(folders.begin(), folders.end());
  for (const auto& folder : folders) {
    const auto set = causal::test::read_data_set(folder);
    if (!set) continue;
    for (const Eigen::Index requested : {1'000, 10'000}) {
      if (requested > 1'000 && set->rows.rows() <= 1'000) continue;
      const Eigen::Index rows = std::min<Eigen::Index>(requested, set->rows.rows());
      const auto name = std::filesystem::path(folder).filename().string();
      std::printf("%-22s %6ld", name.c_str(), static_cast<long>(rows));
      print_methods(*set, rows);
      if (const Peer* p = peer_of(name, rows)) {
        std::printf(" | %s: %.3f", p->name, p->f1);
        const auto again = causal::test::measure(*set, rows);
        if (p->cpu_s > 0 && again)
          std::printf(" %.1f %.2f, %.0f x", p->distance, p->cpu_s, p->cpu_s / again->discovery_s);
      }
      std::printf("\n");
    }
  }
}

/// Figures of the most accurate other implementation for random tables of one size, means over seeds and both
/// noises. A faster one is listed only if its F1 is at most 0.002 lower.
struct RandomPeers {
  int columns;
  Eigen::Index rows;
  const char* best;
  double f1, distance, cpu_s;
};
constexpr RandomPeers kRandomPeers[] = {
    {20, 1'000, "BOSS, Tetrad", .984, 4.7, .48},  {50, 1'000, "BOSS, Tetrad", .992, 3.7, 1.1},
    {100, 1'000, "BOSS, Tetrad", .984, 9.7, 2.4}, {20, 10'000, "BOSS, c.-learn", .988, 3.3, .31},
    {50, 10'000, "BOSS, Tetrad", .996, 1.2, 1.6}, {100, 10'000, "BOSS, Tetrad", .989, 7.5, 3.8},
};

void random_tables() {
  constexpr int kSeeds = 10;
  std::printf("Random graphs of expected degree 3, mean of %d seeds x 2 noises: skeleton F1, distance to the "
              "true CPDAG, CPU s of the "
              "search. Peers: figures of the specification on tables of the same recipe, other machine; "
              "ratio = CPU s of the peer / ours\n",
              kSeeds);
  std::printf("%7s %6s | %-22s | %-30s | %s\n", "columns", "n", "BOSS (default)", "most accurate peer",
              "CPU s, ratio");
  for (const auto& peer : kRandomPeers) {
    double f1 = 0, distance = 0, took = 0;
    int tables = 0;
    for (int seed = 0; seed < kSeeds; ++seed)
      for (const bool laplace : {false, true}) {
        const auto set =
            causal::test::random_table({peer.columns, peer.rows, laplace, static_cast<std::uint64_t>(seed)});
        const auto a = causal::test::measure(set, peer.rows);
        if (!a) continue;
        f1 += a->f1, distance += a->distance, took += a->discovery_s, ++tables;
      }
    if (tables == 0) continue;
    std::printf("%7d %6ld | %5.3f %5.1f %9.4f | %-14s %5.3f %5.1f     | %.2f %.0f x\n", peer.columns,
                static_cast<long>(peer.rows), f1 / tables, distance / tables, took / tables, peer.best,
                peer.f1, peer.distance, peer.cpu_s, peer.cpu_s / (took / tables));
  }
}

void large_table() {
  constexpr Eigen::Index rows = 1'000'000, columns = 30;
  LaunchTable table;
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
    const double start = causal::test::cpu_seconds();
    const auto result = analyse(table, options, *communicator);
    std::printf("%ld rows x %ld columns, target %s, 200 replicates: %.2f s%s\n", static_cast<long>(rows),
                static_cast<long>(columns), target, causal::test::cpu_seconds() - start,
                result ? "" : describe(result.error()).c_str());
  }
}

void wide_table() {
  const auto wide = causal::test::wide_table({.rows = 1'642, .columns = 8'005, .causes = 3, .seed = 1});
  const auto communicator = local_communicator();
  const double start = causal::test::cpu_seconds();
  const auto result = analyse(wide.rows, {}, *communicator);
  const double took = causal::test::cpu_seconds() - start;
  std::printf("1,642 rows x 8,006 columns, 200 replicates: %.2f s CPU (target 30 s)%s\n", took,
              result ? "" : describe(result.error()).c_str());
  if (result) std::printf("  %s\n", result->sentences.front().c_str());

  PaddedColumns<float> x(1'642, 8'006);
  for (Eigen::Index c = 0; c < x.columns(); ++c)
    for (Eigen::Index r = 0; r < x.rows(); ++r) x.column(c)[r] = static_cast<float>(wide.rows.values(r, c));
  const double before = causal::test::cpu_seconds();
  float sum = 0;
  for (Eigen::Index j = 0; j < x.columns(); j += 400)
    for (Eigen::Index i = 0; i <= j; i += 400) {
      const Eigen::Index i_last = std::min<Eigen::Index>(i + 400, x.columns());
      const Eigen::Index j_last = std::min<Eigen::Index>(j + 400, x.columns());
      Eigen::MatrixXf r = Eigen::MatrixXf::Zero(i_last - i, j_last - j);
      add_cross_products<float>(x, i, i_last, x, j, j_last, r);
      sum += r(0, 0);
    }
  const double correlation = causal::test::cpu_seconds() - before;
  std::printf(
      "  correlations in float: %.2f s CPU, %.0f GFLOP/s; FMA limit of this core in float %.0f (%g)\n",
      correlation, 1e-9 * 1'642 * 8'006.0 * 8'006.0 / correlation, 2 * measured_fma_rate(),
      static_cast<double>(sum));
}

/// 200 columns of which 20 are texts: the search has a column for every frequent value.
void table_with_texts(std::size_t values) {
  constexpr int rows = 100'000, numbers = 179, texts = 20;
  LaunchTable table;
  Random random(1);
  table.values.resize(rows, numbers + texts + 1);
  for (Eigen::Index c = 0; c < table.values.cols(); ++c) {
    FeatureInfo info;
    info.name = c < numbers           ? "x" + std::to_string(c)
                : c < numbers + texts ? "t" + std::to_string(c)
                                      : "runtime_ms";
    if (c >= numbers && c < numbers + texts) {
      info.role = FeatureRole::category;
      for (std::size_t v = 0; v < values; ++v) info.labels.push_back("v" + std::to_string(v));
    }
    for (Eigen::Index r = 0; r < rows; ++r)
      table.values(r, c) =
          info.role == FeatureRole::category ? static_cast<double>(random.below(values)) : random.uniform();
    table.columns.push_back(std::move(info));
  }
  table.values.col(numbers + texts) += table.values.col(0) + 0.5 * table.values.col(1);
  table.target = "runtime_ms";
  const auto communicator = local_communicator();
  const double start = causal::test::cpu_seconds();
  const auto result = analyse(table, {}, *communicator);
  std::printf("%d rows x 200 columns, 20 of them texts of %zu values: %.1f s%s\n", rows, values,
              causal::test::cpu_seconds() - start, result ? "" : describe(result.error()).c_str());
}

void covariance_rate() {
  constexpr Eigen::Index rows = 4'096, columns = 30;
  constexpr int blocks = 2'442; // 10 million rows; time is proportional to rows
  const Eigen::MatrixXd block = Eigen::MatrixXd::Random(rows, columns);
  const double start = causal::test::cpu_seconds();
  Moments total(columns);
  for (int b = 0; b < blocks; ++b) total.merge(Moments::of(block));
  const double took = causal::test::cpu_seconds() - start;
  const double flops = 2.0 * rows * blocks * columns * (columns + 1) / 2;
  const double eigen_start = causal::test::cpu_seconds();
  Eigen::MatrixXd cross = Eigen::MatrixXd::Zero(columns, columns);
  for (int b = 0; b < blocks / 8; ++b) cross.selfadjointView<Eigen::Lower>().rankUpdate(block.transpose());
  const double eigen = causal::test::cpu_seconds() - eigen_start;
  std::printf(
      "covariance, one pass, 30 columns, centred: %.1f GFLOP/s a core (93 million rows: %.2f s); Eigen "
      "rankUpdate as built here %.1f; FMA limit of this core %.1f (%g)\n",
      flops * 1e-9 / took, took * 93e6 / (static_cast<double>(rows) * blocks), flops / 8e9 / eigen,
      measured_fma_rate(), total.cross(0, 0) + cross(0, 0));
}

} // namespace

int main(int count, char** arguments) {
  const std::string only = count > 1 ? arguments[1] : "";
  if (only.empty() || only == "accuracy") accuracy_table();
  if (only.empty() || only == "random") random_tables();
  if (only.empty() || only == "covariance") covariance_rate();
  if (only.empty() || only == "wide") wide_table();
  if (only.empty() || only == "large") large_table();
  if (only.empty() || only == "texts") table_with_texts(40), table_with_texts(500);
}
