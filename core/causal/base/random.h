#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <utility>
#include <vector>

namespace jitterscope::causal {

/// xoshiro256** (Blackman and Vigna 2021) seeded by splitmix64: the same numbers on every platform and
/// standard library, unlike the distributions of <random>.
class Random {
public:
  explicit Random(std::uint64_t seed, std::uint64_t stream = 0) {
    std::uint64_t s = seed ^ (stream * 0xD1B54A32D192ED03ull);
    for (auto& word : state_) {
      s += 0x9E3779B97F4A7C15ull;
      std::uint64_t z = s;
      z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
      z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
      word = z ^ (z >> 31);
    }
  }

  std::uint64_t next() {
    const auto rotate = [](std::uint64_t x, int k) { return (x << k) | (x >> (64 - k)); };
    const std::uint64_t result = rotate(state_[1] * 5, 7) * 9;
    const std::uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = rotate(state_[3], 45);
    return result;
  }

  /// In [0, 1), 53 random bits.
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

  /// Standard normal (Box, Muller 1958).
  double normal() {
    const double length = std::sqrt(-2 * std::log(1 - uniform()));
    return length * std::cos(2 * std::numbers::pi * uniform());
  }

  /// 0 … bound − 1 (bias below bound / 2^53).
  std::size_t below(std::size_t bound) {
    return static_cast<std::size_t>(uniform() * static_cast<double>(bound));
  }

  template <class T>
  void shuffle(std::vector<T>& items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

private:
  std::uint64_t state_[4];
};

} // namespace jitterscope::causal
