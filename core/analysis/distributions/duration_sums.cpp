#include "core/analysis/distributions/duration_sums.h"

#include <cmath>

namespace jitterscope::analysis {
namespace {

// Sums of squares relative to an integer near the mean stay exact; the remainder of the mean is small.
double variance_of(const DurationSums& s) {
  if (s.measured < 2) return std::numeric_limits<double>::quiet_NaN();
  const auto n = static_cast<Int128>(s.measured);
  const auto centre = static_cast<Int128>(s.duration / s.measured);
  const auto around =
      static_cast<Int128>(s.squares) - 2 * centre * static_cast<Int128>(s.duration) + n * centre * centre;
  const auto rest = static_cast<long double>(static_cast<Int128>(s.duration) - n * centre);
  const auto squares = static_cast<long double>(around) - rest * rest / static_cast<long double>(n);
  return static_cast<double>(std::max(squares, 0.0L) / static_cast<long double>(n - 1));
}

} // namespace

void DurationSums::add(const DurationSums& other) {
  launches += other.launches;
  measured += other.measured;
  duration += other.duration;
  low = std::min(low, other.low);
  high = std::max(high, other.high);
  squares += other.squares;
  variability += other.variability;
}

Statistics DurationSums::statistics() const {
  Statistics d = statistics_of(std::span<const double>());
  d.n = measured;
  if (d.n == 0) return d;
  d.sum = static_cast<double>(duration);
  d.min = static_cast<double>(low);
  d.max = static_cast<double>(high);
  d.mean = d.sum / static_cast<double>(d.n);
  d.variance = variance_of(*this);
  d.std = std::sqrt(d.variance);
  d.cv = d.mean != 0 ? d.std / d.mean : std::numeric_limits<double>::quiet_NaN();
  return d;
}

Expected<std::vector<DurationSums>> total_of(std::vector<std::vector<DurationSums>> threads,
                                             Communicator& communicator) {
  auto& all = threads.front();
  for (std::size_t t = 1; t < threads.size(); ++t)
    for (std::size_t g = 0; g < all.size(); ++g) all[g].add(threads[t][g]);
  std::vector<std::int64_t> numbers, ranges;
  for (const auto& s : all) {
    numbers.insert(numbers.end(), {s.launches, s.measured, s.duration});
    for (const auto wide : {s.squares, s.variability}) // in 32-bit pieces, so that sums do not overflow
      for (int shift = 0; shift < 128; shift += 32)
        numbers.push_back(static_cast<std::int64_t>((wide >> shift) & 0xFFFFFFFFu));
    ranges.insert(ranges.end(), {s.low, -s.high});
  }
  if (auto done = communicator.sum(numbers); !done) return forward(done.error());
  if (auto done = communicator.minimum(ranges); !done) return forward(done.error());
  const auto* at = numbers.data();
  for (std::size_t g = 0; g < all.size(); ++g) {
    auto& s = all[g];
    s.launches = *at++, s.measured = *at++, s.duration = *at++;
    for (auto* wide : {&s.squares, &s.variability}) {
      *wide = 0;
      for (int shift = 0; shift < 128; shift += 32) *wide += static_cast<UInt128>(*at++) << shift;
    }
    s.low = ranges[2 * g];
    s.high = -ranges[2 * g + 1];
  }
  return std::move(all);
}

} // namespace jitterscope::analysis
