#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/import/sqlite/database.h"

namespace jitterscope::import::nsys {

/// A GPU as the file describes it.
struct Gpu {
  std::int64_t id = -1;          ///< the profiler's own number, as in sampled metrics; -1 unknown
  std::int64_t cuda_device = -1; ///< the number that CUDA gives it, as in kernels; -1 unknown
  std::string name;
  std::string uuid;                 ///< empty when unknown
  std::int64_t multiprocessors = 0; ///< number of multiprocessors, 0 if unknown
  std::map<std::string, std::string> properties;
};

/// The GPUs of a file. Kernels refer to a device by CUDA's number within their process, metrics by the
/// profiler's.
class Devices {
public:
  /// TARGET_INFO_GPU (2020.3: with deviceId, later with id and cuDevice), TARGET_INFO_CUDA_GPU (2020.3) and
  /// TARGET_INFO_CUDA_DEVICE (3.17.1 on); any of them may be absent.
  Expected<void> read(sqlite::Database& database);

  /// The GPU with this number; null when the file does not describe it.
  const Gpu* of_process(std::int64_t pid, std::int64_t cuda_device) const;
  const Gpu* with_id(std::int64_t id) const;
  std::vector<std::string> uuids() const;

private:
  Expected<void> read_gpus(sqlite::Database& database);
  Expected<void> read_cuda_gpus(sqlite::Database& database);
  Expected<void> read_cuda_devices(sqlite::Database& database);

  std::vector<Gpu> gpus_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::size_t> of_process_; // (pid, cuda device) → gpus_
};

} // namespace jitterscope::import::nsys
