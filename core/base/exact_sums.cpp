#include "core/base/exact_sums.h"

#include <algorithm>
#include <cmath>

namespace jitterscope {

ExactSums::ExactSums(std::size_t cells, double bound, std::int64_t rows) : cells_(cells, 0) {
  int exponent = 0;
  std::frexp(bound * static_cast<double>(std::max<std::int64_t>(rows, 1)), &exponent);
  scale_ = std::isfinite(bound) && bound > 0 ? std::ldexp(1.0, std::min(61 - exponent, 1000)) : 1.0;
}

void ExactSums::add(std::size_t cell, double value) {
  const double scaled = value * scale_;
  // faster than llround, a library call
  cells_[cell] += static_cast<std::int64_t>(scaled + std::copysign(0.5, scaled));
}

Expected<std::vector<double>> ExactSums::total(Communicator& communicator) {
  if (auto done = communicator.sum(cells_); !done) return forward(done.error());
  std::vector<double> sums(cells_.size());
  std::transform(cells_.begin(), cells_.end(), sums.begin(),
                 [&](std::int64_t v) { return static_cast<double>(v) / scale_; });
  return sums;
}

} // namespace jitterscope
