// Consequences, mediators, colliders and confounders.

#include <algorithm>
#include <cmath>

#include "tests/bench/causal/mechanisms/simulation.h"

namespace jitterscope::mechanisms {
namespace {

/// Durations that vary for a hidden reason, and a column computed from them with noise: rate · d^power ·
/// exp(σ z).
void consequence(Simulation& s, const char* name, const char* unit, double power, double sigma) {
  Column d = s.launches(1), shown(s.n);
  const Column hidden = s.lognormal(1, 0.2), noise = s.normal();
  for (std::size_t i = 0; i < s.n; ++i)
    d[i] *= hidden[i], shown[i] = 100 * std::pow(d[i] / 20e3, power) * std::exp(sigma * noise[i]);
  s.plain(), s.column(name, unit, shown), s.column("host_threads", "", s.whole(8));
  s.durations(d);
}

/// Same as consequence(), but durations also depend on a recorded clock.
void consequence_of_clock(Simulation& s, const char* name, const char* unit, double power, double sigma) {
  Column d = s.launches(1), shown(s.n);
  const Column clock = s.amount(s.phases({1'250, 1'500, 1'700}, 40)), hidden = s.lognormal(1, 0.04),
               noise = s.normal();
  for (std::size_t i = 0; i < s.n; ++i)
    d[i] *= 1'700 / clock[i] * hidden[i],
        shown[i] = 100 * std::pow(d[i] / 20e3, power) * std::exp(sigma * noise[i]);
  s.plain(), s.column("sm_clock_mhz", "MHz", clock), s.column(name, unit, shown);
  s.durations(d);
}

void mediator(Simulation& s) {
  Column d = s.launches(), ns(s.n), faults(s.n);
  const Column affected = s.event(s.coin(0.15)), per = s.poisson(Column(s.n, 4)), noise = s.normal(),
               time = s.lognormal(9'000, 0.1);
  for (std::size_t i = 0; i < s.n; ++i) {
    ns[i] = affected[i] * 20e3 * std::exp(0.3 * noise[i]), faults[i] = affected[i] * (1 + per[i]);
    d[i] = d[i] * std::exp(0.03 * noise[s.n - 1 - i]) + faults[i] * time[i];
  }
  s.column("migration_ns", "ns", ns), s.column("page_fault_count", "", faults), s.bystanders();
  s.durations(d);
}

void collider(Simulation& s) {
  Column d = s.launches(1), both(s.n);
  const Column copy = s.event(s.coin(0.3)), hidden = s.normal(), noise = s.normal(),
               size = s.lognormal(1e6, 0.2);
  Column bytes(s.n);
  const Column clean = s.autoregressive(0.5);
  for (std::size_t i = 0; i < s.n; ++i) {
    bytes[i] = copy[i] * size[i];
    d[i] *= std::exp(0.05 * hidden[i] + 0.3 * copy[i]);
    both[i] = 10 + d[i] / 10e3 + 2 * clean[i] + 0.3 * noise[i];
  }
  s.plain(), s.column("copy_bytes", "B", bytes), s.column("score", "", both),
      s.column("gap_ns", "ns", s.lognormal(4'000, 0.6));
  s.durations(d);
}

void recorded_confounder(Simulation& s) {
  Column d = s.launches(), position(s.n);
  const Column clock = s.amount(s.phases({1'350, 1'700}, 50)), noise = s.normal(), own = s.normal();
  for (std::size_t i = 0; i < s.n; ++i)
    d[i] *= 1'700 / clock[i] * std::exp(0.03 * noise[i]),
        position[i] = std::max(0.0, 5 + (1'700 - clock[i]) / 100 + own[i]);
  s.column("mean_sm_clock", "MHz", clock), s.column("burst_position", "", position);
  s.durations(d);
}

void hidden_confounder(Simulation& s) {
  Column d = s.launches(1), x(s.n);
  const Column hidden = s.normal(), noise = s.normal(), own = s.normal();
  for (std::size_t i = 0; i < s.n; ++i)
    d[i] *= std::exp(0.08 * hidden[i] + 0.05 * noise[i]), x[i] = 50 + 5 * hidden[i] + 4 * own[i];
  s.plain(), s.column("reading7", "", x), s.column("host_threads", "", s.whole(8));
  s.durations(d);
}

} // namespace

void add_graphs(std::vector<Mechanism>& to) {
  struct Reverse {
    const char *name, *column, *unit;
    double power, sigma;
  };
  for (const Reverse& r : {Reverse{"reverse_bandwidth", "achieved_gbs", "GB/s", -1, 0.03},
                           {"reverse_energy", "energy_mj", "mJ", 1, 0.05},
                           {"reverse_host_wait", "host_wait", "", 1, 0.1},
                           {"reverse_tflops", "tflops", "", -1, 0.05},
                           {"reverse_stall_percent", "stall_memory", "", 0.5, 0.05},
                           {"reverse_wall_clock", "wall_us", "us", 1, 0.15},
                           {"reverse_samples", "pc_samples", "", 1, 0.08},
                           {"reverse_unknown", "q17", "", 0.8, 0.06}})
    to.push_back({r.name, "reverse", Label::associated, {r.column}, {}, [r](Simulation& s) {
                    consequence(s, r.column, r.unit, r.power, r.sigma);
                  }});
  for (const Reverse& r : {Reverse{"clock_with_bandwidth", "achieved_gbs", "GB/s", -1, 0.02},
                           {"clock_with_host_wait", "host_wait", "", 1, 0.02},
                           {"clock_with_unknown", "z3", "", 1, 0.05}})
    to.push_back({r.name, "reverse", Label::identifiable, {"sm_clock"}, {}, [r](Simulation& s) {
                    consequence_of_clock(s, r.column, r.unit, r.power, r.sigma);
                  }});
  to.push_back({"mediator", "graphs", Label::identifiable, {"migration", "page_fault"}, {}, mediator});
  to.push_back({"collider", "graphs", Label::identifiable, {"copy_bytes"}, {}, collider});
  to.push_back(
      {"recorded_confounder", "graphs", Label::identifiable, {"mean_sm_clock"}, {}, recorded_confounder});
  to.push_back({"hidden_confounder", "graphs", Label::associated, {"reading7"}, {}, hidden_confounder});
}

} // namespace jitterscope::mechanisms
