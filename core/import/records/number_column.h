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

/// Where numbers in pieces lie: blocks that are shared by several pieces and go with the last of them. Taking
/// from it is safe from several threads.
class NumberRooms {
public:
  /// Room for so many bytes, fit for any number.
  std::shared_ptr<std::byte[]> take(std::size_t bytes);

private:
  static constexpr std::size_t kMostRoom =
      (std::size_t{4} << 20) - 64; // B: whole pages with what counts its users

  static constexpr std::size_t kLeastLeft = std::size_t{4} << 10; // B: what has less left is full

  struct Room {
    std::shared_ptr<std::byte[]> bytes;
    std::size_t size, used;
  };
  std::mutex lock_;
  std::vector<Room> rooms_; ///< that have some left: about as many as there are threads
  std::size_t total_ = 0;
};

/// Numbers that lie as narrow as keeps each of them to the last bit (codes: column_view.h), those with a few
/// decimal places as whole multiples of the last place.
class NarrowNumbers {
public:
  NarrowNumbers() = default;
  NarrowNumbers(std::span<const double> values, NumberRooms& rooms);

  std::size_t size() const { return size_; }
  void read(double* out) const;

private:
  std::shared_ptr<const std::byte[]> bytes_;
  std::size_t size_ = 0;
  store::ElementType stored_ = store::ElementType::Float64;
  int places_ = 0; ///< of decimal numbers, which lie as signed numbers of the width of stored_
};

/// Numbers by row, NaN missing; those beyond its end are missing as well. While a table is read they are kept
/// in the narrow pieces in which threads made them: memory that is touched for the first time costs more than
/// reading a number. They become one vector when they are asked for.
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

  /// Whether append() can be used: values that are one vector stay so.
  bool takes_pieces(std::size_t row) const { return values_.empty() && row >= end_; }
  void append(std::size_t row, NarrowNumbers numbers) {
    end_ = row + numbers.size();
    pieces_.push_back({row, std::move(numbers)});
  }

private:
  struct Piece {
    std::size_t row; ///< the first
    NarrowNumbers numbers;
  };
  void join() const;

  mutable SpillVector<double> values_;
  mutable std::vector<Piece> pieces_; ///< one behind the other; empty unless values_ is
  mutable std::size_t end_ = 0;       ///< of the pieces
};

} // namespace jitterscope::import
