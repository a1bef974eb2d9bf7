#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "core/causal/base/random.h"
#include "core/causal/base/row_source.h"
#include "core/causal/statistics/normal_scores.h"
#include "tests/support/launch_table.h"

namespace jitterscope::causal::test {

/// The planted cause of a table of launches.
enum class Cause { none, configuration, copy, migration, rare_migration, clock, stream, warm_up };

struct Planting {
  Cause cause = Cause::none;
  int launches = 2'000;
  std::uint64_t seed = 1;
  std::uint64_t structure = 0; ///< seed of the configurations; 0: derived from `seed`
  int kernels = 3;
  int grids = 4;                ///< configurations of the first kernel; other kernels have one
  double noise = 0.05;          ///< standard deviation of ln duration without a cause
  double tick = 1;              ///< durations are multiples of this [ns]
  bool harmless_copies = false; ///< copies coincide with long launches more often, without lengthening them
};

/// Launches with log-normal durations and the context of a trace. Every table has all context columns;
/// only the planted cause acts on durations. Queue delay, gap, concurrency, burst position and transfers
/// follow a common slowly changing load, so that they are associated without any effect on the durations.
inline LaunchTable planted_launches(const Planting& p) {
  Random random(p.seed, 77);
  const auto normal = [&] { return normal_quantile(std::min(1 - 1e-12, std::max(1e-12, random.uniform()))); };
  LaunchTable rows;
  const int configurations = p.kernels - 1 + p.grids;
  const double step = p.grids > 1 ? 3.0 / (p.grids - 1) : 0.0;
  std::vector<double> typical, grid_of;
  Random structure(p.structure, 78);
  for (int c = 0; c < configurations; ++c) {
    const int kernel = c < p.grids ? 0 : c - p.grids + 1;
    const double size = c * step; // 0 … 3 over the configurations of the first kernel
    const double grid = kernel == 0 ? std::round(64.0 * std::pow(4.0, size)) : 256.0;
    rows.kernel_of_group.push_back(static_cast<std::uint32_t>(kernel));
    grid_of.push_back(grid);
    typical.push_back(kernel == 0
                          ? 5e3 * std::pow(2.5, size)
                          : 4e3 * std::exp(1.2 * (p.structure ? structure : random).uniform() * kernel));
  }
  for (int k = 0; k < p.kernels; ++k) rows.kernel_names.push_back("kernel_" + std::to_string(k));

  const auto n = static_cast<std::size_t>(p.launches);
  std::vector<double> stream(n), grid(n), gap(n), delay(n), concurrency(n), burst(n), copy_ns(n),
      copy_bytes(n), migration_ns(n), migration_bytes(n), migration_count(n), clock(n), first(n);
  std::vector<bool> seen(static_cast<std::size_t>(configurations), false);
  const bool dropping = p.cause == Cause::clock;
  const double event_rate = p.cause == Cause::migration ? 0.2 : 0.01;
  double load = 0, position = 0;
  for (std::size_t i = 0; i < n; ++i) {
    load = 0.95 * load + 0.3 * normal();
    const auto c = random.below(static_cast<std::size_t>(configurations));
    const bool low_clock = dropping && (i / 150) % 4 == 2;
    bool copying = random.uniform() < 1 / (1 + std::exp(1.2 - load));
    const bool migrating =
        (p.cause == Cause::migration || p.cause == Cause::rare_migration) && random.uniform() < event_rate;
    stream[i] = static_cast<double>(random.below(4));
    grid[i] = grid_of[c];
    delay[i] = std::exp(8 + 0.8 * load + 0.5 * normal());
    gap[i] = std::exp(7 - 0.5 * load + 0.6 * normal());
    concurrency[i] = std::max(0.0, 1 + 0.7 * load + 0.5 * normal());
    position = gap[i] > 3000 ? 0 : position + 1;
    burst[i] = position;
    clock[i] = (low_clock ? 1'200 : 1'700) * (1 + 0.01 * normal());
    first[i] = seen[c] ? 0 : 1;
    seen[c] = true;

    double sigma = p.noise;
    if (p.cause == Cause::configuration && c < static_cast<std::size_t>(p.grids))
      sigma *= 1.0 + 1.5 * static_cast<double>(c) * step;
    double d = typical[c] * std::exp(sigma * normal());
    if (p.cause == Cause::copy && copying) d *= 1.4 + 0.2 * random.uniform();
    if (low_clock) d *= 1.3;
    if (p.cause == Cause::stream && stream[i] == 2 && random.uniform() < 0.5) d *= 3;
    if (p.cause == Cause::warm_up && first[i] > 0) d *= 40 + 40 * random.uniform();
    if (migrating) {
      migration_ns[i] = std::exp(10.5 + 1.2 * normal());
      d += migration_ns[i];
      migration_count[i] = 1 + static_cast<double>(random.below(4));
      migration_bytes[i] = 65'536 * migration_count[i];
    }
    if (p.harmless_copies) copying = random.uniform() < 1 - std::exp(-d / 15'000);
    if (copying) copy_ns[i] = d * random.uniform(), copy_bytes[i] = copy_ns[i] * 12;
    rows.duration_ns.push_back(std::max(1.0, std::round(d / p.tick)) * p.tick);
    rows.group.push_back(static_cast<std::uint32_t>(c));
  }
  const auto add = [&](const char* name, const char* unit, int tier, const std::vector<double>& column) {
    FeatureInfo info;
    info.name = name, info.unit = unit, info.tier = tier;
    rows.add(std::move(info), column);
  };
  FeatureInfo streams;
  streams.name = "stream", streams.tier = 0, streams.role = FeatureRole::category,
  streams.labels = {"7", "13", "14", "15"};
  rows.add(std::move(streams), stream);
  add("grid_x", "", 1, grid);
  add("gap_ns", "ns", 2, gap);
  add("queue_delay_ns", "ns", 2, delay);
  add("concurrency", "", 2, concurrency);
  add("burst_position", "", 2, burst);
  add("overlap_host_to_device_ns", "ns", 2, copy_ns);
  add("overlap_transfer_bytes", "B", 2, copy_bytes);
  add("migration_ns", "ns", 2, migration_ns);
  add("migration_bytes", "B", 2, migration_bytes);
  add("migration_count", "", 2, migration_count);
  add("mean_sm_clock", "MHz", 2, clock);
  add("first_launch", "", 2, first);
  return rows;
}

} // namespace jitterscope::causal::test
