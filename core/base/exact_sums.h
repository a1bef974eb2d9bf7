#pragma once

#include <cstdint>
#include <vector>

#include "core/base/communicator.h"
#include "core/base/error.h"

namespace jitterscope {

/// Sums of doubles that are the same for any number of ranks and any order of rows: every value is rounded to
/// a multiple of a power of two, at most 2^-60 · rows · `bound`, and added as an integer.
class ExactSums {
public:
  /// `cells` sums of at most `rows` values, each at most `bound` in magnitude.
  ExactSums(std::size_t cells, double bound, std::int64_t rows);

  void add(std::size_t cell, double value);
  /// The sums over all ranks, on every rank.
  Expected<std::vector<double>> total(Communicator& communicator);

private:
  std::vector<std::int64_t> cells_;
  double scale_ = 1;
};

} // namespace jitterscope
