// Events that lengthen launches.

#include <algorithm>
#include <cmath>

#include "tests/bench/causal/mechanisms/simulation.h"

namespace jitterscope::mechanisms {
namespace {

Column noisy_events(Simulation& s, double sigma, int configurations = 3) {
  Column d = s.launches(configurations);
  const Column noise = s.normal();
  for (std::size_t i = 0; i < s.n; ++i) d[i] *= std::exp(sigma * noise[i]);
  return d;
}

void checkpoint_copies(Simulation& s) {
  Column d = noisy_events(s, 0.04), bytes(s.n);
  const Column copying = s.event(s.phases({0, 0, 0, 1}, 10)), size = s.lognormal(4e6, 0.3);
  for (std::size_t i = 0; i < s.n; ++i) bytes[i] = copying[i] * size[i], d[i] *= 1 + 0.5 * copying[i];
  s.column("overlap_device_to_host_bytes", "B", bytes), s.column("gap_ns", "ns", s.lognormal(4'000, 0.6));
  s.durations(d);
}

void migrations(Simulation& s, double rate) {
  Column d = noisy_events(s, 0.05), ns(s.n), bytes(s.n);
  const Column affected = s.event(s.coin(rate)), time = s.lognormal(40e3, 0.8), count = s.whole(4);
  for (std::size_t i = 0; i < s.n; ++i)
    ns[i] = affected[i] * time[i], bytes[i] = affected[i] * 65'536 * (1 + count[i]), d[i] += ns[i];
  s.column("migration_ns", "ns", ns), s.column("migration_bytes", "B", bytes), s.bystanders();
  s.durations(d);
}

void page_faults(Simulation& s) {
  Column d = noisy_events(s, 0.03);
  Column mean = s.lognormal(0.3, 1);
  const Column faults = s.event(s.poisson(mean));
  for (std::size_t i = 0; i < s.n; ++i) d[i] += 6'000 * faults[i];
  s.column("page_fault_count", "", faults), s.bystanders();
  s.durations(d);
}

void first_launches(Simulation& s) {
  Column d = s.launches(30), first(s.n);
  const Column noise = s.normal(), much = s.uniform();
  std::vector<bool> seen(30);
  for (std::size_t i = 0; i < s.n; ++i) {
    const auto g = s.configuration()[i];
    d[i] = 20e3 * (1 + g % 4) * std::exp(0.02 * noise[i]);
    first[i] = !seen[g] && !s.off(), seen[g] = true;
    d[i] *= 1 + first[i] * (30 + 20 * much[i]);
  }
  s.column("first_launch", "", first), s.bystanders();
  s.durations(d);
}

void host_pauses(Simulation& s) {
  Column d = noisy_events(s, 0.03, 1);
  const Column pause = s.event(s.coin(0.03)), time = s.lognormal(60e3, 0.4);
  for (std::size_t i = 0; i < s.n; ++i) d[i] += pause[i] * time[i];
  s.plain(), s.column("gc_pause", "", pause), s.column("heap_mb", "MB", s.lognormal(800, 0.2));
  s.durations(d);
}

void only_where_shared(Simulation& s) {
  Column d = noisy_events(s, 0.03, 1);
  const Column copy = s.event(s.coin(0.3)), shared = s.coin(0.4), much = s.uniform();
  for (std::size_t i = 0; i < s.n; ++i) d[i] *= 1 + copy[i] * shared[i] * (0.5 + 0.2 * much[i]);
  s.plain(), s.column("copy_event", "", copy), s.column("shared_pool", "", shared);
  s.durations(d);
}

void wider_during_copies(Simulation& s) {
  Column d = s.launches(1);
  const Column copy = s.event(s.coin(0.3)), noise = s.normal(), size = s.lognormal(1e6, 0.3);
  Column bytes(s.n);
  for (std::size_t i = 0; i < s.n; ++i)
    d[i] *= std::exp((copy[i] != 0 ? 0.15 : 0.02) * noise[i]), bytes[i] = copy[i] * size[i];
  s.column("overlap_host_to_device_bytes", "B", bytes), s.column("gap_ns", "ns", s.lognormal(4'000, 0.6));
  s.durations(d);
}

void two_events(Simulation& s) {
  Column d = noisy_events(s, 0.03);
  const Column a = s.event(s.coin(0.2)), b = s.coin(0.1), size = s.lognormal(1e6, 0.3),
               time = s.lognormal(1, 0.1);
  Column copies(s.n), fills(s.n);
  for (std::size_t i = 0; i < s.n; ++i) {
    d[i] *= 1 + 0.6 * a[i] * time[i] + 0.2 * b[i];
    copies[i] = a[i] * size[i], fills[i] = b[i] * size[i];
  }
  s.column("overlap_host_to_device_bytes", "B", copies), s.column("overlap_memset_bytes", "B", fills);
  s.durations(d);
}

void noise(Simulation& s) {
  s.durations(noisy_events(s, 0.06));
  s.bystanders();
}

void heavy_noise(Simulation& s) {
  Column d = s.launches();
  const Column factor = s.lognormal(1, 0.05), rare = s.coin(0.02), far = s.lognormal(4, 0.8);
  for (std::size_t i = 0; i < s.n; ++i) d[i] *= factor[i] * (1 + rare[i] * far[i]);
  s.column("gap_ns", "ns", s.lognormal(4'000, 0.6)), s.bystanders();
  s.durations(d);
}

} // namespace

void add_events(std::vector<Mechanism>& to) {
  const auto id = Label::identifiable;
  to.push_back({"checkpoint_copies", "events", id, {"overlap_device_to_host"}, {}, checkpoint_copies});
  to.push_back({"migrations", "events", id, {"migration"}, {}, [](Simulation& s) { migrations(s, 0.15); }});
  to.push_back(
      {"rare_migrations", "events", id, {"migration"}, {}, [](Simulation& s) { migrations(s, 0.02); }});
  to.push_back({"page_faults", "events", id, {"page_fault"}, {}, page_faults});
  to.push_back({"first_launches", "events", id, {"first_launch"}, {}, first_launches, 4'000, true});
  to.push_back({"host_pauses", "events", id, {"gc_pause"}, {}, host_pauses});
  to.push_back({"only_where_shared", "events", id, {"copy_event"}, {"shared_pool"}, only_where_shared});
  to.push_back({"wider_during_copies", "events", id, {"overlap_host_to_device"}, {}, wider_during_copies});
  to.push_back({"two_events", "events", id, {"overlap_host_to_device"}, {"overlap_memset"}, two_events});
  to.push_back({"noise", "noise", Label::nothing, {}, {}, noise});
  to.push_back({"heavy_noise", "noise", Label::nothing, {}, {}, heavy_noise});
}

} // namespace jitterscope::mechanisms
