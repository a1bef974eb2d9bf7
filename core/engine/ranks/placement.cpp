#include "core/engine/ranks/placement.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <set>
#include <utility>

#include <sched.h>

#include <fmt/core.h>

namespace jitterscope::engine {
namespace {

int number_in(const std::string& file, int otherwise) {
  std::ifstream in(file);
  int number = otherwise;
  return in >> number ? number : otherwise;
}

int threads_of_user() {
  const char* text = std::getenv("OMP_NUM_THREADS");
  return text ? std::max(std::atoi(text), 0) : 0;
}

std::string counted(int count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

} // namespace

Machine this_machine() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0) return {};
  std::set<std::pair<int, int>> cores; // (package, core): hardware threads of one core count once
  for (int processor = 0; processor < CPU_SETSIZE; ++processor) {
    if (!CPU_ISSET(processor, &allowed)) continue;
    const auto topology = fmt::format("/sys/devices/system/cpu/cpu{}/topology/", processor);
    cores.emplace(number_in(topology + "physical_package_id", 0), number_in(topology + "core_id", processor));
  }
  return {std::max(static_cast<int>(cores.size()), 1)};
}

Placement place(int ranks, const Machine& machine, Divides work) {
  Placement placement;
  placement.ranks = ranks > 0 ? ranks : work == Divides::in_threads ? 1 : machine.cores;
  const int user = threads_of_user();
  constexpr int kMaxPerCore = 16; // limits the number of threads of the system
  placement.threads =
      user > 0 ? std::min(user, kMaxPerCore * machine.cores) : std::max(machine.cores / placement.ranks, 1);
  placement.description = fmt::format("{} of {} ({})", counted(placement.ranks, "rank"),
                                      counted(placement.threads, "thread"), counted(machine.cores, "core"));
  return placement;
}

} // namespace jitterscope::engine
