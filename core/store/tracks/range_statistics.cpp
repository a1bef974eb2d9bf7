#include "core/store/tracks/range_statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace jitterscope::store {
namespace {

class Summing {
public:
  explicit Summing(const Series& series) : series_(series) {}

  RangeStatistics over(std::int64_t begin, std::int64_t end) {
    const auto first = series_.position_of(begin), last = std::max(series_.position_of(end), first);
    sums_.count = last - first;
    add_events(first, last);
    sums_.busy = sums_.sum;
    series_.reaching(first, last, end, [&](std::size_t, const Event& event) {
      sums_.busy -= static_cast<std::uint64_t>(event.end - end);
      return true;
    });
    series_.reaching(0, first, begin, [&](std::size_t, const Event& event) {
      sums_.busy += static_cast<std::uint64_t>(std::min(event.end, end) - begin);
      return true;
    });
    if (sums_.count == 0) sums_.minimum = sums_.maximum = 0;
    return sums_;
  }

private:
  // Adds whole blocks by their sums, the events before and after them one by one.
  void add_events(std::size_t first, std::size_t last) {
    sums_.minimum = std::numeric_limits<std::int64_t>::max();
    sums_.maximum = std::numeric_limits<std::int64_t>::min();
    // A block's sum is the difference of two sums before blocks, so the last block is added event by event.
    const auto from = (first + kBlockEvents - 1) / kBlockEvents;
    const auto to = std::min(last / kBlockEvents, series_.blocks.count() - 1);
    if (from >= to) return add_each(first, last);
    add_each(first, from * kBlockEvents);
    add_blocks(from, to);
    add_each(to * kBlockEvents, last);
  }

  void add_blocks(std::size_t from, std::size_t to) {
    sums_.sum += series_.blocks.sum_before(to) - series_.blocks.sum_before(from);
    sums_.squares += series_.blocks.squares_before(to) - series_.blocks.squares_before(from);
    const auto extremes = series_.blocks.extremes(from, to);
    sums_.minimum = std::min(sums_.minimum, extremes.minimum);
    sums_.maximum = std::max(sums_.maximum, extremes.maximum);
  }

  void add_each(std::size_t first, std::size_t last) {
    for (; first < last; ++first) {
      const auto event = series_.at(first);
      const auto length = event.end - event.begin;
      sums_.sum += static_cast<std::uint64_t>(length);
      sums_.squares += static_cast<UInt128>(length) * static_cast<UInt128>(length);
      sums_.minimum = std::min(sums_.minimum, length);
      sums_.maximum = std::max(sums_.maximum, length);
    }
  }

  const Series& series_;
  RangeStatistics sums_;
};

} // namespace

void RangeStatistics::add(const RangeStatistics& other) {
  if (other.count > 0) {
    minimum = count > 0 ? std::min(minimum, other.minimum) : other.minimum;
    maximum = count > 0 ? std::max(maximum, other.maximum) : other.maximum;
  }
  count += other.count;
  sum += other.sum;
  squares += other.squares;
  busy += other.busy;
}

double RangeStatistics::mean_ns() const {
  return count > 0 ? static_cast<double>(static_cast<long double>(sum) / static_cast<long double>(count))
                   : std::numeric_limits<double>::quiet_NaN();
}

// (n Σx² − (Σx)²) / n², in integers if they fit.
double RangeStatistics::variance_ns2() const {
  if (count == 0) return std::numeric_limits<double>::quiet_NaN();
  const UInt128 limit = ~static_cast<UInt128>(0);
  const auto n = static_cast<long double>(count);
  if (squares <= limit / count) {
    const auto above = squares * count, below = static_cast<UInt128>(sum) * sum;
    return above > below ? static_cast<double>(static_cast<long double>(above - below) / n / n) : 0.0;
  }
  const auto mean = static_cast<long double>(sum) / n;
  return static_cast<double>(std::max(static_cast<long double>(squares) / n - mean * mean, 0.0L));
}

RangeStatistics range_statistics(const Series& series, std::int64_t begin, std::int64_t end) {
  begin = std::clamp(begin, -2 * kFarthestTime, 2 * kFarthestTime);
  end = std::clamp(end, begin, 2 * kFarthestTime);
  return Summing(series).over(begin, end);
}

} // namespace jitterscope::store
