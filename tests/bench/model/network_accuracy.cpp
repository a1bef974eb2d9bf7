#include "tests/bench/model/network_accuracy.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/core.h>

#include "core/import/machine_file.h"
#include "core/model/correction/correction.h"
#include "core/model/network/held_out.h"
#include "core/model/network/regimes.h"

namespace jitterscope::bench {
namespace {

void print_row(const char* name, const std::vector<double>& measured, const std::vector<double>& predicted) {
  const auto e = model::error_summary(measured, predicted);
  fmt::print("  {:34} {:7} {:8.2f} {:8.2f} {:8.2f}\n", name, measured.size(), e.median, e.mean, e.p95);
}

/// Predicts every size except the first and last from the others: by one straight line, and by trees on ln n.
void add_rivals(const NetworkMeasurement& curve, std::vector<double>& line, std::vector<double>& trees) {
  for (std::size_t i = 1; i + 1 < curve.points.size(); ++i) {
    auto rest = curve.points;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
    const auto one = model::find_segments(rest, 1);
    line.push_back(one ? one->list[0].alpha + one->list[0].beta * curve.points[i].bytes : std::nan(""));
    model::Matrix x;
    std::vector<float> y;
    for (const auto& p : rest) {
      const double row[] = {std::log(p.bytes + 1)};
      x.append(row);
      y.push_back(static_cast<float>(std::log(p.value)));
    }
    model::BoostingOptions options;
    options.min_rows = 1;
    const auto found = model::boost(x, y, options, [] { return false; });
    const float at[] = {static_cast<float>(std::log(curve.points[i].bytes + 1))};
    trees.push_back(found ? std::exp(model::sum_of(*found, at)) : std::nan(""));
  }
}

} // namespace

void network_accuracy(const std::string& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<double> measured, predicted, line, trees;
  fmt::print(
      "\nOSU latency, held-out sizes (each except the smallest and the largest) [%]\n  {:34} {:>7} {:>8} "
      "{:>8} {:>8}\n",
      "curve", "sizes", "median", "mean", "p95");
  for (const auto& file : files) {
    const auto machine = import::machine_of_file(file.string(), Job{});
    if (!machine) continue;
    for (const auto& curve : machine->networks) {
      if (curve.quantity != NetworkQuantity::latency || !curve.point_to_point) continue;
      const auto held_out = model::hold_out_sizes({&curve, 1});
      print_row(std::filesystem::relative(file, folder).string().c_str(), held_out.measured,
                held_out.predicted);
      measured.insert(measured.end(), held_out.measured.begin(), held_out.measured.end());
      predicted.insert(predicted.end(), held_out.predicted.begin(), held_out.predicted.end());
      add_rivals(curve, line, trees);
    }
  }
  print_row("all: protocols by BIC", measured, predicted);
  print_row("all: one postal line", measured, line);
  print_row("all: boosted trees on ln n", measured, trees);
}

} // namespace jitterscope::bench
