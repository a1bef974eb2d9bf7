#include "core/efficiency/hierarchy.h"

#include <algorithm>
#include <vector>

namespace jitterscope::efficiency {
namespace {

Int128 wide(std::int64_t value) {
  return value;
}

/// Whether part / whole exceeds the limit; false if it is unknown. In double, because exact products would
/// not fit into 128 bits.
bool exceeds(Int128 part, Int128 whole, double limit) {
  return whole > 0 && static_cast<double>(part) / static_cast<double>(whole) > limit;
}

/// Longest time outside MPI of a process, as the mean over its threads; 0 / 0 without hosts.
Ratio max_outside_mpi(std::span<const HostTime> hosts, std::int64_t elapsed,
                      std::span<const std::size_t> processes) {
  std::vector<Ratio> of(processes.empty() ? hosts.size() : 1 + std::ranges::max(processes));
  for (std::size_t h = 0; h < hosts.size(); ++h) {
    auto& process = of[processes.empty() ? h : processes[h]];
    process.part += elapsed - hosts[h].mpi;
    ++process.whole;
  }
  Ratio longest;
  for (const auto& one : of)
    if (one.known() && (!longest.known() || one.part * longest.whole > longest.part * one.whole))
      longest = one;
  return longest;
}

/// a · b, reduced crosswise so that products of three sums fit into 128 bits.
Ratio product(Ratio a, Ratio b) {
  if (!a.known() || !b.known()) return {};
  const auto cross = Ratio{a.part, b.whole}.reduced(), other = Ratio{b.part, a.whole}.reduced();
  return {cross.part * other.part, cross.whole * other.whole};
}

} // namespace

DeviceEfficiencies device_efficiencies(std::span<const DeviceTime> devices, std::int64_t elapsed) {
  const auto count = static_cast<Int128>(devices.size());
  Int128 sum = 0;
  std::int64_t max_useful = 0, max_busy = 0;
  for (const auto& device : devices) {
    sum += device.useful;
    max_useful = std::max(max_useful, device.useful);
    max_busy = std::max(max_busy, device.useful + device.communication);
  }
  return {{sum, count * elapsed},
          {sum, count * max_useful},
          {max_useful, max_busy},
          {max_busy, count > 0 ? elapsed : 0}};
}

HostEfficiencies host_efficiencies(std::span<const HostTime> hosts, std::int64_t elapsed,
                                   std::span<const std::size_t> processes) {
  const auto count = static_cast<Int128>(hosts.size());
  Int128 useful = 0, offload = 0, other = 0, outside = 0;
  for (const auto& host : hosts) {
    useful += host.useful;
    offload += host.offload;
    other += host.other;
    outside += elapsed - host.mpi;
  }
  const auto longest = max_outside_mpi(hosts, elapsed, processes);
  return {{useful, count * elapsed},
          {outside, count * elapsed},
          {outside * longest.whole, count * longest.part},
          {longest.part, longest.whole * elapsed},
          {useful + other, useful + other + offload},
          {useful, useful + other}};
}

MpiEfficiencies mpi_efficiencies(std::span<const std::int64_t> useful, std::int64_t elapsed,
                                 std::optional<std::int64_t> ideal) {
  const auto count = static_cast<Int128>(useful.size());
  Int128 sum = 0;
  std::int64_t maximum = 0;
  for (const auto one : useful) {
    sum += one;
    maximum = std::max(maximum, one);
  }
  MpiEfficiencies all{
      {sum, count * elapsed}, {sum, count * maximum}, {maximum, count > 0 ? elapsed : 0}, {}, {}};
  if (ideal && *ideal > 0 && count > 0) {
    all.serialisation = {maximum, *ideal};
    all.transfer = {*ideal, elapsed};
  }
  return all;
}

bool is_weak_scaling(const RunSums& run, const RunSums& reference) {
  constexpr double kNearly = 0.9;
  if (run.processes == reference.processes) return false;
  if (run.processes < reference.processes) return is_weak_scaling(reference, run);
  const int votes =
      exceeds(wide(run.instructions) * reference.processes, wide(reference.instructions) * run.processes,
              kNearly) +
      exceeds(reference.elapsed, run.elapsed, kNearly) +
      exceeds(wide(run.useful) * reference.processes, wide(reference.useful) * run.processes, kNearly);
  return votes >= 2;
}

Scaling scaling(const RunSums& run, const RunSums& reference) {
  Scaling s;
  s.weak = is_weak_scaling(run, reference);
  const Ratio size = s.weak ? Ratio{run.processes, reference.processes} : Ratio{1, 1};
  s.computation = product({reference.useful, run.useful}, size);
  s.speedup = product({reference.elapsed, run.elapsed}, size);
  if (run.instructions > 0 && reference.instructions > 0)
    s.instructions = product({reference.instructions, run.instructions}, size);
  if (run.cycles <= 0 || reference.cycles <= 0) return s;
  s.frequency = product({run.cycles, run.useful}, {reference.useful, reference.cycles});
  if (s.instructions.known())
    s.ipc = product({run.instructions, run.cycles}, {reference.cycles, reference.instructions});
  return s;
}

} // namespace jitterscope::efficiency
