#pragma once

#include <cstdint>

namespace jitterscope::generator {

/// xoshiro256** (Blackman and Vigna 2018), seeded by splitmix64, with transforms that use nothing but basic
/// arithmetic: the same numbers on every platform.
class Random {
public:
  explicit Random(std::uint64_t seed) {
    for (auto& word : state_) word = split_mix(seed);
  }

  std::uint64_t next() {
    const auto result = rotate(state_[1] * 5, 7) * 9;
    const auto shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = rotate(state_[3], 45);
    return result;
  }

  /// A uniform number in [0, 1).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

  /// A uniform integer in [0, bound).
  std::int64_t below(std::int64_t bound) {
    return static_cast<std::int64_t>(uniform() * static_cast<double>(bound));
  }

  bool chance(double probability) { return uniform() < probability; }

  /// Mean 0, variance 1: the sum of twelve uniform numbers (Irwin–Hall), bell-shaped within ±6.
  double normal() {
    double sum = -6.0;
    for (int i = 0; i < 12; ++i) sum += uniform();
    return sum;
  }

  /// Log-normal with the given median.
  double log_normal(double median, double sigma) { return median * exponential(sigma * normal()); }

private:
  static std::uint64_t rotate(std::uint64_t x, int by) { return x << by | x >> (64 - by); }

  static std::uint64_t split_mix(std::uint64_t& seed) {
    std::uint64_t z = seed += 0x9E3779B97F4A7C15ull;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ z >> 27) * 0x94D049BB133111EBull;
    return z ^ z >> 31;
  }

  // e^x for |x| < 20: Taylor's series of x/32, squared five times.
  static double exponential(double x) {
    const double y = x * 0.03125;
    double term = 1.0, sum = 1.0;
    for (int i = 1; i <= 12; ++i) {
      term *= y / i;
      sum += term;
    }
    for (int i = 0; i < 5; ++i) sum *= sum;
    return sum;
  }

  std::uint64_t state_[4];
};

} // namespace jitterscope::generator
