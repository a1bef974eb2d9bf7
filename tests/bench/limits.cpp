// jitterscope-bench-limits: current speed of this machine, as JSON: bytes read from memory per second by
// one and two threads, and the speed-up of computing with two threads.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <numeric>
#include <thread>
#include <vector>

#include "tests/bench/measure.h"

using namespace jitterscope::bench;

namespace {

constexpr std::size_t kNumbers = std::size_t{1} << 27; // 1 GiB of 64-bit numbers
constexpr int kTimes = 5;

double best_wall(int threads, const std::function<void(int)>& share) {
  double best = 1e300;
  for (int i = 0; i < kTimes; ++i) {
    const auto cost = cost_of([&] {
      std::vector<std::thread> others;
      for (int t = 1; t < threads; ++t) others.emplace_back(share, t);
      share(0);
      for (auto& other : others) other.join();
    });
    best = std::min(best, cost.wall_s);
  }
  return best;
}

double read_rate(const std::vector<std::uint64_t>& numbers, int threads, std::vector<std::uint64_t>& sums) {
  const auto part = numbers.size() / static_cast<std::size_t>(threads);
  const double seconds = best_wall(threads, [&](int t) {
    const auto first = numbers.begin() + static_cast<std::ptrdiff_t>(part * static_cast<std::size_t>(t));
    sums[static_cast<std::size_t>(t)] +=
        std::accumulate(first, first + static_cast<std::ptrdiff_t>(part), std::uint64_t{0});
  });
  return static_cast<double>(part * static_cast<std::size_t>(threads) * sizeof(std::uint64_t)) / seconds;
}

double computing_wall(int threads, std::vector<std::uint64_t>& sums) {
  return best_wall(threads, [&](int t) {
    std::uint64_t x = static_cast<std::uint64_t>(t) + 1;
    for (int i = 0; i < 100'000'000; ++i) x = x * 6364136223846793005u + 1442695040888963407u;
    sums[static_cast<std::size_t>(t)] += x;
  });
}

} // namespace

int main() {
  std::vector<std::uint64_t> numbers(kNumbers), sums(2);
  std::iota(numbers.begin(), numbers.end(), std::uint64_t{1});
  const double one = read_rate(numbers, 1, sums), two = read_rate(numbers, 2, sums);
  const double alone = computing_wall(1, sums), both = computing_wall(2, sums);
  std::printf("{\"read_1_gb_s\": %.2f, \"read_2_gb_s\": %.2f, \"two_thread_ratio\": %.2f, \"check\": %llu}\n",
              one / 1e9, two / 1e9, 2 * alone / both, static_cast<unsigned long long>(sums[0] ^ sums[1]));
  return 0;
}
