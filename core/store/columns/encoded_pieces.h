#pragma once

#include <cstddef>
#include <future>
#include <vector>

#include "core/store/columns/narrow.h"

namespace jitterscope::store {

/// Encodes the values of a column for the file, piece by piece: while one piece is being written, another
/// thread encodes the next (the calling thread if the system provides no other).
class EncodedPieces {
public:
  /// `values` must outlive this object.
  EncodedPieces(const ColumnValues& values, ElementType stored) : values_(values), stored_(stored) {}

  /// Returns the encoded rows [first, last). They follow the rows of the previous call, and each call has as
  /// many rows as the first; the last may have fewer. Valid until the next call.
  const std::byte* take(std::size_t first, std::size_t last);

private:
  std::vector<std::byte> encoded(std::size_t first, std::size_t last) const;

  const ColumnValues& values_;
  const ElementType stored_;
  std::vector<std::byte> given_;
  std::future<std::vector<std::byte>>
      next_; ///< the next encoded piece; the destructor of the future waits for the thread
};

} // namespace jitterscope::store
