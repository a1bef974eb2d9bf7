#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/job.h"
#include "core/store/format/damaged_rows.h"

namespace jitterscope::store {

/// Result of comparing all of a store with its checksums.
struct Verification {
  bool has_checksums = false; ///< false: the store was written by an older version, and nothing was compared
  std::uint64_t bytes = 0;    ///< number of bytes compared
  std::vector<DamagedRows> rows;
  std::vector<ByteRange> other; ///< damaged ranges outside columns: names, texts, structure
  bool intact() const { return rows.empty() && other.empty(); }
};

/// Reads the whole file. Adjacent damaged rows of a column form one entry. Errors: BadInput for files that
/// are not a store or whose structure is unreadable; Io, Cancelled.
Expected<Verification> verify_store(const std::string& path, const Job& job = {});

} // namespace jitterscope::store
