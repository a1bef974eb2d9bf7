#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/job.h"
#include "core/store/format/places.h"

namespace jitterscope::store {

/// Everything of a store file but the column data.
struct Layout {
  std::vector<std::uint64_t> string_offsets;
  std::string string_bytes;
  std::string resources; ///< JSON
  std::string manifest;  ///< JSON
  std::vector<TablePlace> tables;
};

class StoreInput;

/// Reads the file's structure; with `whole` all columns are read too, for file systems that map nothing.
/// Refuses other formats, versions, unfinished files and what does not match its checksums.
Expected<Layout> read_layout(StoreInput& input, bool whole = false, const Job& job = {});

} // namespace jitterscope::store
