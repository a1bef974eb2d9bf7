#pragma once

#include <cstddef>
#include <future>
#include <vector>

#include "core/store/columns/narrow.h"

namespace jitterscope::store {

/// The values of a column as they are to lie, piece by piece: while one is being written, another thread
/// makes the next (the calling one where the system gives no other).
class EncodedPieces {
public:
  /// `values` live longer than this.
  EncodedPieces(const ColumnValues& values, ElementType stored) : values_(values), stored_(stored) {}

  /// Rows from `first` until before `last`, which follow those of the last call: as many as then, fewer at
  /// the end. Valid until the next call.
  const std::byte* take(std::size_t first, std::size_t last);

private:
  std::vector<std::byte> encoded(std::size_t first, std::size_t last) const;

  const ColumnValues& values_;
  const ElementType stored_;
  std::vector<std::byte> given_;
  std::future<std::vector<std::byte>> next_; ///< its destructor waits for the thread
};

} // namespace jitterscope::store
