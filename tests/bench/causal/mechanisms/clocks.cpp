// Clocks, power caps and heat.

#include <algorithm>
#include <cmath>

#include "tests/bench/causal/mechanisms/simulation.h"

namespace jitterscope::mechanisms {
namespace {

Column times(const Column& base, const Column& noise, double sigma) {
  Column d = base;
  for (std::size_t i = 0; i < d.size(); ++i) d[i] *= std::exp(sigma * noise[i]);
  return d;
}

/// Duration of compute-bound kernels, at a clock in MHz.
void at_clock(Column& d, const Column& clock) {
  for (std::size_t i = 0; i < d.size(); ++i) d[i] *= 1'700 / clock[i];
}

void with_noise(Simulation& s, const std::string& name, const std::string& unit, Column values,
                double sigma) {
  const Column noise = s.normal();
  for (std::size_t i = 0; i < values.size(); ++i) values[i] += sigma * noise[i];
  s.column(name, unit, values);
}

void clock_steps(Simulation& s) {
  Column d = times(s.launches(), s.normal(), 0.03);
  const Column clock = s.amount(s.phases({1'300, 1'500, 1'700}, 60));
  at_clock(d, clock);
  with_noise(s, "mean_sm_clock", "MHz", clock, 5);
  s.bystanders(false);
  s.durations(d);
}

void clock_few_changes(Simulation& s) {
  Column d = times(s.launches(1), s.normal(), 0.015);
  const Column clock = s.amount(s.phases({1'250, 1'410, 1'700}, 500)), busy = s.normal();
  at_clock(d, clock);
  Column power(s.n);
  for (std::size_t i = 0; i < s.n; ++i)
    power[i] = 300 * std::pow(clock[i] / 1'700, 2.4) * (1 + 0.02 * busy[i]);
  with_noise(s, "sm_clock_mhz", "MHz", clock, 3);
  s.column("power_w", "W", power);
  s.bystanders(false);
  s.durations(d);
}

void power_cap_with_lag(Simulation& s) {
  Column d = times(s.launches(), s.normal(), 0.02);
  const Column demand = s.autoregressive(0.97), meter = s.normal();
  Column clock(s.n), power(s.n);
  double mean = 280, now = 1'700;
  for (std::size_t i = 0; i < s.n; ++i) {
    const double watts = (290 + 25 * demand[i]) * std::pow(now / 1'700, 2);
    mean += 0.05 * (watts - mean);
    now = std::clamp(now - 4 * (mean - 285), 1'200.0, 1'700.0);
    clock[i] = now, power[i] = watts + 2 * meter[i];
  }
  clock = s.amount(clock);
  at_clock(d, clock);
  s.column("sm_clock_mhz", "MHz", clock), s.column("power_w", "W", power);
  s.durations(d);
}

void thermal_throttle(Simulation& s) {
  Column d = times(s.launches(), s.normal(), 0.03);
  const Column heat = s.autoregressive(0.98);
  Column degrees(s.n), hot(s.n);
  for (std::size_t i = 0; i < s.n; ++i) degrees[i] = std::round(78 + 5 * heat[i]), hot[i] = degrees[i] >= 84;
  const Column throttled = s.event(hot);
  for (std::size_t i = 0; i < s.n; ++i) d[i] *= throttled[i] != 0 ? 1.5 : 1;
  s.column("throttled", "", throttled), s.column("temperature_c", "C", degrees);
  s.durations(d);
}

void whole_degrees(Simulation& s) {
  Column d = times(s.launches(1), s.normal(), 0.02);
  Column degrees = s.autoregressive(0.95);
  for (double& t : degrees) t = std::round(62 + 4 * t);
  degrees = s.amount(degrees);
  for (std::size_t i = 0; i < s.n; ++i) d[i] *= 1 + 0.02 * (degrees[i] - 62);
  s.plain(), s.column("temperature_c", "C", degrees), s.column("fan_rpm", "rpm", s.lognormal(2'000, 0.05));
  s.durations(d);
}

void clock_sampled_late(Simulation& s) {
  Column d = times(s.launches(), s.normal(), 0.02);
  const Column clock = s.amount(s.phases({1'300, 1'700}, 40));
  at_clock(d, clock);
  Column sampled(s.n);
  for (std::size_t i = 0; i < s.n; ++i) sampled[i] = clock[i < 7 ? 0 : i - 7];
  with_noise(s, "mean_sm_clock", "MHz", sampled, 3);
  s.bystanders(false);
  s.durations(d);
}

void clock_sampled_early(Simulation& s) {
  Column d = times(s.launches(1), s.normal(), 0.02);
  const Column clock = s.amount(s.phases({1'350, 1'500, 1'700}, 50));
  at_clock(d, clock);
  Column sampled(s.n);
  for (std::size_t i = 0; i < s.n; ++i) sampled[i] = clock[std::min(s.n - 1, i + 5)];
  with_noise(s, "graphics_clock", "MHz", sampled, 3);
  s.bystanders(false);
  s.durations(d);
}

void clock_sampled_coarsely(Simulation& s) {
  Column d = times(s.launches(), s.normal(), 0.03);
  const Column clock = s.amount(s.phases({1'300, 1'700}, 200));
  at_clock(d, clock);
  Column sampled(s.n);
  for (std::size_t i = 0; i < s.n; ++i) sampled[i] = clock[i - i % 20];
  s.column("mean_sm_clock", "MHz", sampled);
  s.bystanders(false);
  s.durations(d);
}

void memory_clock(Simulation& s) {
  Column d = times(s.launches(), s.normal(), 0.03);
  const Column memory = s.amount(s.phases({5'000, 7'000}, 80)), cores = s.phases({1'300, 1'700}, 70);
  for (std::size_t i = 0; i < s.n; ++i) d[i] *= 7'000 / memory[i];
  with_noise(s, "memory_clock_mhz", "MHz", memory, 10), with_noise(s, "sm_clock_mhz", "MHz", cores, 5);
  s.durations(d);
}

void clock_of_computing_kernels(Simulation& s) {
  Column d = times(s.launches(4), s.normal(), 0.03);
  const Column clock = s.amount(s.phases({1'200, 1'400, 1'700}, 60));
  for (std::size_t i = 0; i < s.n; ++i) d[i] *= s.configuration()[i] < 2 ? 1.0 : 1'700 / clock[i];
  with_noise(s, "mean_sm_clock", "MHz", clock, 5);
  s.bystanders(false);
  s.durations(d);
}

void clock_with_energy(Simulation& s) {
  Column d = times(s.launches(1), s.normal(), 0.02);
  const Column clock = s.amount(s.phases({1'250, 1'700}, 70)), meter = s.normal();
  at_clock(d, clock);
  Column energy(s.n);
  for (std::size_t i = 0; i < s.n; ++i)
    energy[i] = 1e-6 * d[i] * 300 * std::pow(clock[i] / 1'700, 0.5) * (1 + 0.05 * meter[i]);
  s.plain(), with_noise(s, "sm_clock_mhz", "MHz", clock, 4), s.column("energy_mj", "mJ", energy);
  s.durations(d);
}

void heat_that_does_nothing(Simulation& s) {
  const Column d = times(s.launches(), s.normal(), 0.04), slow = s.autoregressive(0.999);
  Column degrees(s.n), all = d;
  const Column hidden = s.autoregressive(0.999);
  for (std::size_t i = 0; i < s.n; ++i) degrees[i] = 60 + 3 * slow[i], all[i] *= 1 + 0.03 * hidden[i];
  s.column("mean_temperature", "C", degrees);
  s.bystanders(false);
  s.durations(all);
}

} // namespace

void add_clocks(std::vector<Mechanism>& to) {
  const auto id = Label::identifiable;
  to.push_back({"clock_steps", "clocks", id, {"mean_sm_clock"}, {}, clock_steps});
  to.push_back({"clock_few_changes_with_power", "clocks", id, {"sm_clock"}, {}, clock_few_changes});
  to.push_back({"power_cap_with_lag", "clocks", id, {"sm_clock"}, {"power"}, power_cap_with_lag});
  to.push_back({"thermal_throttle", "clocks", id, {"throttled"}, {"temperature"}, thermal_throttle});
  to.push_back({"whole_degrees", "clocks", id, {"temperature"}, {}, whole_degrees});
  to.push_back({"clock_sampled_late", "clocks", id, {"mean_sm_clock"}, {}, clock_sampled_late});
  to.push_back({"clock_sampled_early", "clocks", id, {"graphics_clock"}, {}, clock_sampled_early});
  to.push_back({"clock_sampled_coarsely", "clocks", id, {"mean_sm_clock"}, {}, clock_sampled_coarsely});
  to.push_back({"memory_clock", "clocks", id, {"memory_clock"}, {}, memory_clock});
  to.push_back(
      {"clock_of_computing_kernels", "clocks", id, {"mean_sm_clock"}, {}, clock_of_computing_kernels});
  to.push_back({"clock_with_energy", "clocks", id, {"sm_clock"}, {}, clock_with_energy});
  to.push_back({"heat_that_does_nothing", "clocks", Label::nothing, {}, {}, heat_that_does_nothing});
}

} // namespace jitterscope::mechanisms
