#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/store/format/layout.h"

namespace jitterscope::store {

/// Rows [first, last) of a column whose bytes do not match their checksums.
struct DamagedRows {
  std::string table, column;
  std::size_t first = 0, last = 0;
};

/// Bytes [begin, end) of a store's file.
struct ByteRange {
  std::uint64_t begin = 0, end = 0;
};

/// Returns the rows that have bytes in the range; empty if the range is in no column.
std::vector<DamagedRows> rows_in(const Layout& layout, ByteRange range);

/// "launches.duration rows 512 to 1023, …", rows counted from 0; "structure of the file" if empty.
std::string describe(const std::vector<DamagedRows>& rows);

} // namespace jitterscope::store
