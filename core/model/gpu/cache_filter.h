#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace jitterscope::model {

/// One cache or memory level as input of the filter.
struct FilterLevel {
  double latency = 0; ///< L [cycles]
  double delay = 0;   ///< d = q · f · S / B: between two transactions of a multiprocessor [cycles]
};

/// Requests of one memory instruction of a warp after filtering by the caches (models.md 1.4).
struct Filtered {
  double memory_latency = 0;      ///< Mem_L [cycles]
  double departure_delay = 0;     ///< max of `occupied` [cycles]
  std::size_t slowest = 0;        ///< level with the largest `occupied`
  std::vector<double> reach;      ///< fraction of the transactions that arrives at each level
  std::vector<double> slowest_at; ///< w: probability that the slowest transaction is served at each level
  std::vector<double> occupied;   ///< s · reach · d [cycles]
};

/// Levels from near to far; the last level serves everything that arrives. `hit_rates`: by level except the
/// last, of what arrives there, 0 … 1. `transactions`: s of an instruction; for the latency at least 1.
/// `kappa` 0 … 1: 0 if all transactions of an instruction hit or miss together, 1 if independently.
Filtered filter_caches(std::span<const FilterLevel> levels, std::span<const double> hit_rates,
                       double transactions, double kappa);

} // namespace jitterscope::model
