// Devices, ranks and streams; fleets.

#include <algorithm>
#include <cmath>

#include "tests/bench/causal/mechanisms/simulation.h"

namespace jitterscope::mechanisms {
namespace {

Column noisy_places(Simulation& s, double sigma, int configurations = 3) {
  Column d = s.launches(configurations);
  const Column noise = s.normal();
  for (std::size_t i = 0; i < s.n; ++i) d[i] *= std::exp(sigma * noise[i]);
  return d;
}

void slow_device(Simulation& s, bool thermometer) {
  Column d = noisy_places(s, 0.03);
  const Column device = s.whole(4), heat = s.normal();
  Column degrees(s.n);
  for (std::size_t i = 0; i < s.n; ++i) {
    const bool slow = device[i] == 3;
    d[i] *= slow && !s.off() ? 1.25 : 1, degrees[i] = (slow ? 74 : 61) + 1.5 * heat[i];
  }
  s.text("device", device, {"0", "1", "2", "3"});
  if (thermometer) s.column("mean_temperature", "C", degrees);
  s.bystanders(false);
  s.durations(d);
}

void device_numbers(Simulation& s) {
  Column d = noisy_places(s, 0.03);
  const Column device = s.whole(6);
  const double factor[] = {1, 1, 1.3, 1, 1, 1};
  for (std::size_t i = 0; i < s.n; ++i) d[i] *= s.off() ? 1 : factor[static_cast<std::size_t>(device[i])];
  s.plain(), s.column("gpu_id", "", device), s.column("gap_ns", "ns", s.lognormal(4'000, 0.6));
  s.durations(d);
}

void far_rank(Simulation& s) {
  Column d = noisy_places(s, 0.04);
  const Column rank = s.whole(8);
  for (std::size_t i = 0; i < s.n; ++i) d[i] *= rank[i] == 5 && !s.off() ? 1.3 : 1;
  s.text("rank", rank, {"0", "1", "2", "3", "4", "5", "6", "7"}), s.bystanders();
  s.durations(d);
}

void slow_stream(Simulation& s) {
  Column d = noisy_places(s, 0.04);
  const Column stream = s.whole(4), half = s.coin(0.5);
  for (std::size_t i = 0; i < s.n; ++i) d[i] *= stream[i] == 2 && half[i] != 0 && !s.off() ? 2 : 1;
  s.text("stream", stream, {"7", "13", "14", "15"}), s.column("gap_ns", "ns", s.lognormal(4'000, 0.6));
  s.durations(d);
}

void identifiers(Simulation& s) {
  const Column d = noisy_places(s, 0.08);
  Column correlation(s.n), process = s.whole(40);
  for (std::size_t i = 0; i < s.n; ++i)
    correlation[i] = 1'000 + 7 * static_cast<double>(i), process[i] += 31'000;
  s.plain(), s.column("correlation_id", "", correlation), s.column("pid", "", process);
  s.durations(d);
}

/// Runs on 96 devices, four per node. Runtimes differ between devices, and slightly between runs.
struct Fleet {
  Column device, node, clock, runtime;
};
Fleet fleet(Simulation& s, double by_clock, double by_device) {
  constexpr std::size_t devices = 96;
  Fleet f{s.whole(devices), Column(s.n), Column(s.n), Column(s.n)};
  const Column silicon = s.normal(), other = s.normal(), noise = s.normal(), meter = s.normal();
  for (std::size_t i = 0; i < s.n; ++i) {
    const auto k = static_cast<std::size_t>(f.device[i]);
    f.node[i] = std::floor(f.device[i] / 4);
    f.clock[i] = std::round(1'400 + 50 * silicon[k] + 2 * meter[i]);
    f.runtime[i] = 2'000 * std::exp(-(s.off() ? 0 : by_clock) * 50 * silicon[k] / 1'400 +
                                    (s.off() && by_clock == 0 ? 0 : by_device) * other[k] + 0.006 * noise[i]);
  }
  return f;
}

void fleet_columns(Simulation& s, const Fleet& f, bool clock) {
  s.plain(), s.column("gpu_id", "", f.device), s.column("node", "", f.node);
  if (clock) s.column("sm_clock_mhz", "MHz", f.clock);
  s.column("temperature_c", "C", s.lognormal(60, 0.05));
  s.target("runtime_ms", "ms", f.runtime);
}

} // namespace

void add_places(std::vector<Mechanism>& to) {
  const auto id = Label::identifiable;
  to.push_back({"slow_device",
                "places",
                id,
                {"device"},
                {},
                [](Simulation& s) { slow_device(s, false); },
                4'000,
                true});
  to.push_back({"slow_device_with_thermometer",
                "places",
                id,
                {"device"},
                {},
                [](Simulation& s) { slow_device(s, true); },
                4'000,
                true});
  to.push_back({"device_numbers", "places", id, {"gpu_id"}, {}, device_numbers, 4'000, true});
  to.push_back({"far_rank", "places", id, {"rank"}, {}, far_rank, 4'000, true});
  to.push_back({"slow_stream", "places", id, {"stream"}, {}, slow_stream, 4'000, true});
  to.push_back({"identifiers", "places", Label::nothing, {}, {}, identifiers});
  to.push_back({"fleet_by_clock",
                "fleets",
                id,
                {"sm_clock"},
                {"gpu_id", "node"},
                [](Simulation& s) { fleet_columns(s, fleet(s, 1, 0.002), true); },
                3'000});
  to.push_back({"fleet_without_reason",
                "fleets",
                id,
                {"gpu_id"},
                {"node"},
                [](Simulation& s) { fleet_columns(s, fleet(s, 0, 0.05), true); },
                3'000});
  to.push_back({"fleet_without_clock",
                "fleets",
                id,
                {"gpu_id"},
                {"node"},
                [](Simulation& s) { fleet_columns(s, fleet(s, 1, 0.002), false); },
                3'000});
}

} // namespace jitterscope::mechanisms
