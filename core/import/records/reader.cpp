#include "core/import/records/reader.h"

#include <algorithm>

#include "core/base/parallel.h"
#include "core/base/spill_memory.h"

namespace jitterscope::import {

bool Progress::report(std::int64_t part, std::int64_t whole, const std::string& what) const {
  const double share =
      whole > 0 ? std::clamp(static_cast<double>(part) / static_cast<double>(whole), 0.0, 1.0) : 0.0;
  job.progress(done_before + static_cast<std::int64_t>(share * static_cast<double>(file_bytes)), total_bytes,
               what);
  SpillMemory::relieve();
  return !job.cancelled();
}

int reading_threads(const ImportOptions& options) {
  constexpr int kMax = 16; // above this, splitting the text is the bottleneck
  return std::min(options.threads > 0 ? options.threads : worker_threads(), kMax);
}

} // namespace jitterscope::import
