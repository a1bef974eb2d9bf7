#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/error.h"

namespace jitterscope::generator {

/// An MPI program whose ranks form a ring: in each step a rank computes, sends a message to the next rank
/// without blocking, receives one, waits for its own and takes part in an all-reduce.
struct TauOptions {
  int ranks = 4, ranks_per_host = 2;
  std::int64_t steps = 100;
  double message_bytes = 65'536, reduce_bytes = 8;
  double alpha_us = 2, bytes_per_us = 10'000;  ///< a message of n bytes takes alpha + n / rate
  double compute_us = 500;                     ///< computing time of a step; the ranks differ by up to 10 %
  std::vector<std::string> metrics = {"TIME"}; ///< several metrics have a folder MULTI__METRIC each
  bool call_paths = true;                      ///< adds times of functions by caller
  bool receivers = false;                      ///< adds sizes of messages by receiving rank
  bool gpu = false;                            ///< adds a second thread with GPU kernels to each rank
  std::uint64_t seed = 1;
};

/// Writes the folder with a file profile.RANK.0.THREAD for each thread and metric. Metrics whose names do not
/// contain "TIME" count 1,000 for each µs. Returns the number of files. Errors: BadUse, Io.
Expected<std::int64_t> write_tau(const TauOptions& options, const std::string& folder);

} // namespace jitterscope::generator
