#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/job.h"
#include "core/store/format/places.h"

namespace jitterscope::store {

/// Everything in a store file except the column data.
struct Layout {
  std::vector<std::uint64_t> string_offsets;
  std::string string_bytes;
  std::string resources; ///< resource tree in JSON
  std::string manifest;  ///< manifest in JSON
  std::vector<TablePlace> tables;
};

class StoreInput;

/// Reads the structure of the file; with `whole`, also all columns, for file systems without mmap. Errors for
/// other formats and versions, unfinished files and checksum mismatches.
Expected<Layout> read_layout(StoreInput& input, bool whole = false, const Job& job = {});

} // namespace jitterscope::store
