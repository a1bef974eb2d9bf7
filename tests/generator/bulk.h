#pragma once

#include <cstdint>
#include <string>

#include "core/base/error.h"

namespace jitterscope::generator {

/// A long run of a training program with the shape of real runs, for measurements at full size; no planted
/// causes. 74 kernels whose use follows Zipf's law (exponent 1.1), 1,707 configurations, times in ticks of 32
/// ns as CUPTI gives them, on average 7.4 µs between starts. Durations are log-normal per configuration (σ
/// 0.03 … 0.28), with two modes in 30 % of the kernels. One launch in 100,000 is an outlier (× 50 … 450).
/// Contention lasts 10 … 90 ms about every eight seconds. The phases of a step launch at 0.2 … 1.13
/// times the rate of the step, which is 0.7 … 1.3 times the mean rate of the run.
struct BulkOptions {
  std::int64_t launches = 1'000'000;
  std::uint64_t seed = 1; ///< seed of the launches; kernels and configurations are the same for every seed
  std::int64_t launches_per_copy = 8; ///< one copy per this number of launches; 0: none
  int streams = 4;                    ///< 1 to 10,000, over all devices
  int devices = 1; ///< in stores only; the streams are divided evenly among them; 1 to `streams`
};

/// Writes a run directly into a store, without feature columns. The rows are in unnamed files until they are
/// written (core/base/spill_memory.h): any number of launches needs less than 1 GB of memory. The same
/// options give the same rows. Errors: BadUse for options out of range, Io.
Expected<void> write_bulk_store(const BulkOptions& options, const std::string& path);

/// Writes the same run as an export of Nsight Systems (schema 3.25.0), row by row.
Expected<void> write_bulk_database(const BulkOptions& options, const std::string& path);

} // namespace jitterscope::generator
