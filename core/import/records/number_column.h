#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "core/base/spill_vector.h"
#include "core/store/trace/column_view.h"

namespace jitterscope::import {

/// Memory for pieces of numbers: blocks that are shared by several pieces and freed with the last of them.
/// allocate() is thread-safe.
class NumberBuffers {
public:
  /// Memory of the given size, aligned for any number.
  std::shared_ptr<std::byte[]> allocate(std::size_t bytes);

private:
  static constexpr std::size_t kMaxCapacity =
      (std::size_t{4} << 20) - 64; // size of a block [B]: whole pages, with the reference count

  static constexpr std::size_t kMinBytesLeft = std::size_t{4} << 10; // B: blocks with less left are full

  struct Room {
    std::shared_ptr<std::byte[]> bytes;
    std::size_t size, used;
  };
  std::mutex lock_;
  std::vector<Room> rooms_; ///< blocks with at least kMinBytesLeft unused bytes: about one per thread
  std::size_t total_ = 0;
};

/// Numbers in the narrowest storage that preserves every bit (codes: column_view.h), those with a few
/// decimal places as integer multiples of the last place.
class NarrowNumbers {
public:
  NarrowNumbers() = default;
  NarrowNumbers(std::span<const double> values, NumberBuffers& rooms);

  std::size_t size() const { return size_; }
  void read(double* out) const;

private:
  std::shared_ptr<const std::byte[]> bytes_;
  std::size_t size_ = 0;
  store::ElementType stored_ = store::ElementType::Float64;
  int places_ =
      0; ///< > 0: decimal numbers with so many places, stored as signed integers of the width of stored_
};

/// Numbers by row, NaN if missing; rows beyond the end have no value. While a table is read they are kept
/// in the narrow pieces made by the threads: touching memory for the first time costs more than
/// parsing a number. They are joined into one vector on first access.
class NumberColumn {
public:
  SpillVector<double>& values() {
    if (!pieces_.empty()) join();
    return values_;
  }
  const SpillVector<double>& values() const {
    if (!pieces_.empty()) join();
    return values_;
  }

  /// Whether append() can be used: not if the values are already one vector.
  bool accepts_pieces(std::size_t row) const { return values_.empty() && row >= end_; }
  void append(std::size_t row, NarrowNumbers numbers) {
    end_ = row + numbers.size();
    pieces_.push_back({row, std::move(numbers)});
  }

private:
  struct Piece {
    std::size_t row; ///< index of the first row
    NarrowNumbers numbers;
  };
  void join() const;

  mutable SpillVector<double> values_;
  mutable std::vector<Piece> pieces_; ///< in order of rows; empty once joined into values_
  mutable std::size_t end_ = 0;       ///< row after the last row of the pieces
};

} // namespace jitterscope::import
