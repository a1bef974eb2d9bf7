// model-accuracy: predicted against measured times on real counters (test kernels and PyTorch on H100,
// mixbench on MI100 and MI200) and OSU curves.

#include <cmath>
#include <filesystem>
#include <map>
#include <set>

#include <unistd.h>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "core/engine/operations/model_launches.h"
#include "core/import/import.h"
#include "core/model/correction/kernel_features.h"
#include "core/store/format/store.h"
#include "tests/bench/model/network_accuracy.h"
#include "tests/bench/model/rivals.h"

namespace jitterscope::bench {
namespace {

/// "float" of "void benchmark_func<float, 256, 8u, 0u>(float, float*)".
std::string type_of(const std::string& kernel) {
  const auto open = kernel.find("benchmark_func<");
  if (open == std::string::npos) return "other";
  auto rest = kernel.substr(open + 15);
  const auto end = rest.find(", 256");
  return rest.substr(0, end);
}

Expected<KernelRows> rows_of(const std::vector<std::string>& tables, const std::string& scratch) {
  std::vector<std::string> stores;
  for (const auto& table : tables) {
    const auto data = import::import_files({table}, Job{});
    if (!data) return forward(data.error());
    stores.push_back(fmt::format("{}/{}.jts", scratch, stores.size()));
    if (auto written = store::write_store(*data, stores.back()); !written) return forward(written.error());
  }
  const auto session = analysis::Session::open(stores);
  if (!session) return forward(session.error());
  const analysis::LaunchColumns columns(*session);
  const auto gpus = engine::gpus_of(*session, {}, Job{});
  if (!gpus) return forward(gpus.error());
  KernelRows out;
  out.rows.features = model::kernel_feature_names();
  out.rows.machine = model::kernel_machine_features();
  const auto selection = analysis::Selection::make({}, columns);
  auto done = engine::for_each_model_launch(
      *session, columns, *selection, engine::model_columns(columns), *gpus, Job{},
      [&](engine::ModelLaunch& launch) -> Expected<void> {
        const auto& gpu = (*gpus)[launch.trace];
        const auto p = model::predict_kernel(gpu, launch.inputs.kernel);
        if (!p) return forward(p.error());
        const auto& name = session->kernels()[session->configurations()[launch.configuration].kernel].name;
        out.rows.values.push_back(model::kernel_features(gpu, launch.inputs.kernel, launch.facts, *p));
        out.rows.measured.push_back(launch.measured_ns * 1e-3);
        out.rows.predicted.push_back(p->seconds * 1e6);
        out.rows.groups.push_back(name);
        out.rows.families.push_back(model::family_of(name));
        out.roofline.push_back(1e6 * model::roofline_seconds(gpu, *p));
        out.type.push_back(type_of(name));
        return {};
      });
  if (!done) return forward(done.error());
  return out;
}

void print(const char* name, const std::vector<double>& measured, const std::vector<double>& predicted) {
  const auto e = model::error_summary(measured, predicted);
  fmt::print("    {:36} {:8.2f} {:8.2f} {:8.2f}\n", name, e.median, e.mean, e.p95);
}

void print(const std::string& title, const Predictions& p) {
  fmt::print("  {} ({} launches, {} not corrected)\n", title, p.measured.size(), p.extrapolated);
  print("roofline", p.measured, p.roofline);
  print("linear model of ln T", p.measured, p.linear);
  print("boosted trees of ln T", p.measured, p.trees);
  print("analytical", p.measured, p.analytical);
  print("analytical, corrected", p.measured, p.corrected);
  if (p.anyway != p.corrected) print("  also outside its training data", p.measured, p.anyway);
}

constexpr double kAdequate = 20; // µs: shorter kernels are dominated by the launch overhead

Predictions adequate(const Predictions& all) {
  Predictions out;
  for (std::size_t i = 0; i < all.measured.size(); ++i) {
    if (all.measured[i] < kAdequate) continue;
    out.measured.push_back(all.measured[i]), out.roofline.push_back(all.roofline[i]);
    out.analytical.push_back(all.analytical[i]), out.corrected.push_back(all.corrected[i]);
    out.linear.push_back(all.linear[i]), out.trees.push_back(all.trees[i]);
    out.anyway.push_back(all.anyway[i]);
  }
  return out;
}

void leave_one_type_out(const std::string& title, const KernelRows& kernels,
                        const std::string& how = "one data type left out") {
  Predictions all;
  for (const auto& type : std::set<std::string>(kernels.type.begin(), kernels.type.end())) {
    Split split;
    for (std::size_t r = 0; r < kernels.type.size(); ++r)
      (kernels.type[r] == type ? split.test : split.training).push_back(r);
    append(all, predict(kernels, split));
  }
  print(title + ", " + how, all);
  print(fmt::format("the same, launches of {} us and more", kAdequate), adequate(all));
}

void from_one_to_the_other(const std::string& title, const KernelRows& from, const KernelRows& to) {
  KernelRows both = from;
  Split split;
  for (std::size_t r = 0; r < from.type.size(); ++r) split.training.push_back(r);
  for (std::size_t r = 0; r < to.type.size(); ++r) {
    split.test.push_back(both.type.size());
    both.type.push_back(to.type[r]);
    both.roofline.push_back(to.roofline[r]);
    both.rows.values.push_back(to.rows.values[r]);
    both.rows.measured.push_back(to.rows.measured[r]);
    both.rows.predicted.push_back(to.rows.predicted[r]);
    both.rows.groups.push_back(to.rows.groups[r]);
    both.rows.families.push_back(to.rows.families[r]);
  }
  const auto p = predict(both, split);
  print(title, p);
  print(fmt::format("the same, launches of {} us and more", kAdequate), adequate(p));
}

/// Test kernels and kernels of PyTorch on an H100, measured by tests/generator/gpu. Each fifth of the
/// families is predicted by models that were trained on the other families.
void h100(const std::string& scratch) {
  const std::string folder = JITTERSCOPE_SOURCE_DIR "/tests/generator/gpu/";
  auto own = rows_of({folder + "h100-kernels.csv"}, scratch);
  auto pytorch = rows_of({folder + "h100-pytorch.csv"}, scratch);
  if (!own || !pytorch) {
    fmt::print("{}\n", describe(own ? pytorch.error() : own.error()));
    return;
  }
  constexpr std::size_t kFolds = 5;
  for (auto* kernels : {&*own, &*pytorch}) {
    std::map<std::string, std::size_t> folds;
    for (std::size_t r = 0; r < kernels->type.size(); ++r)
      kernels->type[r] = fmt::format(
          "fold {}", folds.emplace(kernels->rows.families[r], folds.size()).first->second % kFolds);
  }
  leave_one_type_out("H100, test kernels", *own, "a fifth of the families left out");
  leave_one_type_out("H100, PyTorch", *pytorch, "a fifth of the families left out");
  from_one_to_the_other("H100, PyTorch from test kernels", *own, *pytorch);
}

void mixbench(const std::string& data, const std::string& scratch) {
  const auto mi100 = rows_of({data + "/rocm/mixbench-mi100/pmc_perf.csv"}, scratch);
  const auto mi200 = rows_of({data + "/rocm/mixbench-mi200/pmc_perf.csv"}, scratch);
  if (!mi100 || !mi200) {
    fmt::print("{}\n", describe(mi100 ? mi200.error() : mi100.error()));
    return;
  }
  leave_one_type_out("MI100", *mi100);
  leave_one_type_out("MI200", *mi200);
  from_one_to_the_other("MI200 from MI100", *mi100, *mi200);
  from_one_to_the_other("MI100 from MI200", *mi200, *mi100);
}

void run(const std::string& data) {
  const auto scratch =
      std::filesystem::temp_directory_path() / fmt::format("jitterscope-model-accuracy-{}", ::getpid());
  std::filesystem::create_directories(scratch);
  fmt::print("kernels, |predicted / measured − 1| [%]\n    {:36} {:>8} {:>8} {:>8}\n", "", "median", "mean",
             "p95");
  h100(scratch.string());
  if (std::filesystem::exists(data + "/rocm"))
    mixbench(data, scratch.string());
  else
    fmt::print("{} has no folder rocm with the runs of mixbench\n", data);
  std::filesystem::remove_all(scratch);
  if (std::filesystem::exists(data + "/osu")) network_accuracy(data + "/osu");
}

} // namespace
} // namespace jitterscope::bench

int main(int argc, char** argv) {
  const std::string data = argc > 1 ? argv[1] : JITTERSCOPE_DATA_DIR;
  jitterscope::bench::run(data);
  return 0;
}
