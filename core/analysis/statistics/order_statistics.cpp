#include "core/analysis/statistics/order_statistics.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "core/base/vector_clones.h"

namespace jitterscope::analysis {
namespace {

/// Buckets of equal width over the keys; the first one also holds all smaller keys.
struct Buckets {
  std::uint64_t first = 0;
  int shift = 0;
};

// Values far below the largest share the first bucket; otherwise a single zero would make all buckets wide.
Buckets buckets_between(double low, double high, std::size_t buckets) {
  constexpr std::uint64_t kOctaves = std::uint64_t{30} << 52;
  const auto top = ordered_key(high);
  const auto bottom = std::max(ordered_key(low), top > kOctaves ? top - kOctaves : 0);
  const auto width = std::bit_width((top - bottom) / buckets);
  return {bottom >> width, static_cast<int>(width)};
}

JITTERSCOPE_VECTOR_CLONES
void put_in_buckets(const double* values, std::size_t count, Buckets buckets, std::uint16_t* bucket_of) {
  for (std::size_t i = 0; i < count; ++i) {
    const auto at = static_cast<std::int64_t>(ordered_key(values[i]) >> buckets.shift) -
                    static_cast<std::int64_t>(buckets.first);
    bucket_of[i] = static_cast<std::uint16_t>(at < 0 ? 0 : at);
  }
}

constexpr std::size_t kChunk = 16;

JITTERSCOPE_VECTOR_CLONES
bool holds_any(const std::uint16_t* buckets, const std::array<std::uint16_t, 6>& requested) {
  typedef std::uint16_t Chunk __attribute__((vector_size(kChunk * sizeof(std::uint16_t))));
  typedef std::uint64_t Words __attribute__((vector_size(sizeof(Chunk))));
  Chunk chunk;
  std::memcpy(&chunk, buckets, sizeof chunk);
  auto found = chunk == requested[0];
  for (std::size_t w = 1; w < requested.size(); ++w) found |= chunk == requested[w];
  const auto words = reinterpret_cast<Words>(found);
  return (words[0] | words[1] | words[2] | words[3]) != 0;
}

} // namespace

double between(double low, double high, double fraction) {
  if (fraction == 0.0) return low;
  const double step = high - low;
  return fraction >= 0.5 ? high - step * (1.0 - fraction) : low + step * fraction;
}

void QuartileFinder::count(std::span<const double> values, double low, double high) {
  counts_.fill(0);
  if (bucket_of_.size() < values.size()) bucket_of_.resize(values.size());
  put_in_buckets(values.data(), values.size(), buckets_between(low, high, kBuckets - 1), bucket_of_.data());
  for (std::size_t i = 0; i < values.size(); ++i) ++counts_[bucket_of_[i]];
}

void QuartileFinder::collect(std::span<const double> values, const RequestedBuckets& requested) {
  std::size_t i = 0;
  for (; i + kChunk <= values.size(); i += kChunk) {
    if (!holds_any(bucket_of_.data() + i, requested)) continue;
    for (std::size_t k = i; k < i + kChunk; ++k)
      if (const auto slot = slot_of_[bucket_of_[k]]) chosen_[slot - 1u].push_back(values[k]);
  }
  for (; i < values.size(); ++i)
    if (const auto slot = slot_of_[bucket_of_[i]]) chosen_[slot - 1u].push_back(values[i]);
}

double QuartileFinder::pick(std::vector<double>& values, std::size_t rank) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  if (*low == *high) return *low;
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(rank);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

Quartiles QuartileFinder::find(std::span<const double> values, double low, double high) {
  const QuantilePosition positions[] = {{0.25, values.size()}, {0.5, values.size()}, {0.75, values.size()}};
  std::array<double, 6> found{};
  if (low == high) {
    found.fill(low);
  } else if (values.size() <= kFew) {
    few_.assign(values.begin(), values.end());
    std::sort(few_.begin(), few_.end());
    for (std::size_t q = 0; q < 3; ++q) {
      found[2 * q] = few_[positions[q].below];
      found[2 * q + 1] = few_[std::min(positions[q].below + 1, values.size() - 1)];
    }
  } else {
    count(values, low, high);
    // The bucket of each order statistic, and its rank in that bucket.
    std::array<std::size_t, 6> ranks{}, slots{};
    RequestedBuckets buckets;
    buckets.fill(kBuckets); // none
    std::size_t before = 0, bucket = 0, used = 0;
    for (std::size_t s = 0; s < 6; ++s) {
      const auto rank = std::min(positions[s / 2].below + s % 2, values.size() - 1);
      while (before + counts_[bucket] <= rank) before += counts_[bucket++];
      if (slot_of_[bucket] == 0) {
        buckets[used] = static_cast<std::uint16_t>(bucket);
        chosen_[used].clear();
        slot_of_[bucket] = static_cast<std::uint8_t>(++used);
      }
      slots[s] = slot_of_[bucket] - 1u;
      ranks[s] = rank - before;
    }
    collect(values, buckets);
    for (std::size_t s = 0; s < 6; ++s) found[s] = pick(chosen_[slots[s]], ranks[s]);
    for (std::size_t b = 0; b < used; ++b) slot_of_[buckets[b]] = 0;
  }
  const auto quartile = [&](std::size_t q) {
    return between(found[2 * q], found[2 * q + 1], positions[q].fraction);
  };
  return {quartile(0), quartile(1), quartile(2)};
}

} // namespace jitterscope::analysis
