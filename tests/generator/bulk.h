#pragma once

#include <cstdint>
#include <string>

#include "core/base/error.h"

namespace jitterscope::generator {

/// A long run of a training program, for measurements at full size: no planted causes and no truth, but the
/// shape of real runs. 74 kernels whose use falls by Zipf's law (exponent 1.1), 1,707 configurations,
/// durations log-normal per configuration (σ 0.03 … 0.28), two modes in 30 % of the kernels, one outlier (×
/// 50 … 450) in 100,000 launches, contention of 10 … 90 ms about every eight seconds, steps whose phases
/// launch at 0.2 … 1.13 of the mean rate, times in ticks of 32 ns as CUPTI gives them, 7.4 µs between starts
/// on average.
struct BulkOptions {
  std::int64_t launches = 1'000'000;
  std::uint64_t seed = 1; ///< of the launches; kernels and configurations are the same for every seed
  std::int64_t launches_per_copy = 8; ///< one copy per this number of launches; 0: none
  int streams = 4;                    ///< maximum in rotation; 1 to 10,000, over all devices
  int devices = 1;                    ///< number of stores: streams are divided evenly; 1 to `streams`
};

/// Writes a run directly into a store, without feature columns. The rows are in unnamed files until they are
/// written (core/base/spill_memory.h): any number of launches needs less than 1 GB of memory. The same
/// options give the same rows. Errors: BadUse for options out of range, Io.
Expected<void> write_bulk_store(const BulkOptions& options, const std::string& path);

/// Writes the same run as an export of Nsight Systems (schema 3.25.0), row by row.
Expected<void> write_bulk_database(const BulkOptions& options, const std::string& path);

} // namespace jitterscope::generator
