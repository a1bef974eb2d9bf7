#pragma once

#include <cstddef>
#include <span>

#include "core/model/gpu/small_vector.h"

namespace jitterscope::model {

/// One cache or memory level as input of the filter.
struct FilterLevel {
  double latency = 0; ///< L [cycles]
  double delay = 0;   ///< d = q · f · S / B: between two transactions of a multiprocessor [cycles]
};

/// Requests of one memory instruction of a warp after filtering by the caches.
struct Filtered {
  double memory_latency = 0;      ///< Mem_L [cycles]
  double departure_delay = 0;     ///< max of `occupied` [cycles]
  std::size_t slowest = 0;        ///< level with the largest `occupied`
  SmallVector<double> reach;      ///< part of the transactions that arrive at each level
  SmallVector<double> slowest_at; ///< w: probability that the slowest transaction is served at each level
  SmallVector<double> occupied;   ///< s · reach · d [cycles]
};

/// `levels`: near to far, at most kMaxLevels; the last level serves all transactions that reach it.
/// `hit_rates`: of each level except the last, as a fraction of the transactions that reach it.
/// `transactions`: s of an instruction; below 1 it counts as 1 for the latency. `kappa` 0 … 1: 0 if all
/// transactions of an instruction hit or miss alike, 1 if they are independent.
Filtered filter_caches(std::span<const FilterLevel> levels, std::span<const double> hit_rates,
                       double transactions, double kappa);

} // namespace jitterscope::model
