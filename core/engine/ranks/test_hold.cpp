#include "core/engine/ranks/test_hold.h"

#include <chrono>
#include <cstdlib>
#include <random>
#include <thread>

namespace jitterscope::engine {

void hold_rank_for_test(int rank) {
  static const char* const seed = std::getenv("JITTERSCOPE_TEST_HOLD");
  if (!seed) return;
  static std::minstd_rand random(static_cast<unsigned>(std::atoi(seed) * 31 + rank + 1));
  const auto number = random() % 4'000;
  if (number == 0)
    std::this_thread::sleep_for(std::chrono::milliseconds(60));
  else if (number % 200 == 0)
    std::this_thread::sleep_for(std::chrono::milliseconds(random() % 20));
}

} // namespace jitterscope::engine
