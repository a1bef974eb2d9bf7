#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/job.h"
#include "core/store/format/damaged_rows.h"

namespace jitterscope::store {

/// What comparing all of a store with its checksums found.
struct Verification {
  bool has_checksums = false; ///< false: written by an older version, nothing was compared
  std::uint64_t bytes = 0;    ///< compared
  std::vector<DamagedRows> rows;
  std::vector<ByteRange> other; ///< damaged and in no column: names, texts, structure
  bool intact() const { return rows.empty() && other.empty(); }
};

/// Reads the whole file. Neighbouring damaged rows of a column are one entry. Errors: BadInput for what is
/// not a store, also when its structure cannot be read; Io, Cancelled.
Expected<Verification> verify_store(const std::string& path, const Job& job = {});

} // namespace jitterscope::store
