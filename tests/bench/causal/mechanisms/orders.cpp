// Effects of order, of two factors, and slow columns.

#include <algorithm>
#include <cmath>

#include "tests/bench/causal/mechanisms/simulation.h"

namespace jitterscope::mechanisms {
namespace {

Column noisy_order(Simulation& s, double sigma, int configurations = 3) {
  Column d = s.launches(configurations);
  const Column noise = s.normal();
  for (std::size_t i = 0; i < s.n; ++i) d[i] *= std::exp(sigma * noise[i]);
  return d;
}

void own_and_next_launch(Simulation& s) {
  Column d = noisy_order(s, 0.04);
  const Column pause = s.event(s.coin(0.07));
  for (std::size_t i = 0; i < s.n; ++i) d[i] *= 1 + 0.5 * pause[i] + (i > 0 ? 0.25 * pause[i - 1] : 0);
  s.column("host_pause_event", "", pause), s.bystanders();
  s.durations(d);
}

/// The kernel of the second-last launch has an effect. No column contains it, and the previous kernel does
/// not determine it.
void kernel_two_before(Simulation& s) {
  Column d = noisy_order(s, 0.03);
  for (std::size_t i = 2; i < s.n; ++i) d[i] *= s.configuration()[i - 2] == 1 ? 1.25 : 1;
  s.bystanders();
  s.durations(d);
}

/// Only the longest kernel is slowed by the cache contents that one of the two shortest kernels left before
/// it.
void one_kernel_after_another(Simulation& s) {
  Column d = noisy_order(s, 0.03, 4);
  for (std::size_t i = 1; i < s.n; ++i)
    if (!s.off() && s.configuration()[i] == 3 && s.configuration()[i - 1] < 2) d[i] *= 1.4;
  s.bystanders();
  s.durations(d);
}

void temperature_that_acts(Simulation& s) {
  Column d = noisy_order(s, 0.03), degrees = s.autoregressive(0.99);
  for (double& t : degrees) t = 65 + 5 * t;
  degrees = s.amount(degrees);
  for (std::size_t i = 0; i < s.n; ++i) d[i] *= 1 + 0.015 * std::max(0.0, degrees[i] - 60);
  s.column("mean_temperature", "C", degrees), s.bystanders(false);
  s.durations(d);
}

void state_of_performance(Simulation& s) {
  const Column state = s.phases({0, 0, 1, 2}, 50), noise = s.normal(), lost = s.coin(0.05);
  const double factor[] = {1, 1.15, 1.6};
  Column ms(s.n), degrees = s.lognormal(62, 0.08);
  for (std::size_t i = 0; i < s.n; ++i) {
    ms[i] = 30 * (s.off() ? 1 : factor[static_cast<std::size_t>(state[i])]) * std::exp(0.05 * noise[i]);
    if (lost[i] != 0) degrees[i] = -1;
  }
  s.plain(), s.text("pstate", state, {"P0", "P2", "P8"}), s.column("temperature_c", "C", degrees);
  s.target("elapsed_ms", "ms", ms);
}

/// Each of the first two concurrent kernels slows a launch; a third has no further effect, as the memory is
/// already busy.
void saturating_neighbours(Simulation& s) {
  Column d = noisy_order(s, 0.05);
  const Column others = s.amount(s.poisson(Column(s.n, 1.2)));
  for (std::size_t i = 0; i < s.n; ++i) d[i] *= 1 + 0.18 * std::min(others[i], 2.0);
  s.column("concurrency", "", others), s.bystanders();
  s.durations(d);
}

void clock_under_outliers(Simulation& s) {
  Column d = noisy_order(s, 0.02);
  const Column clock = s.amount(s.phases({1'350, 1'700}, 45)), rare = s.coin(0.01), far = s.lognormal(2, 0.6);
  for (std::size_t i = 0; i < s.n; ++i) d[i] *= 1'700 / clock[i] * (1 + rare[i] * far[i]);
  s.column("mean_sm_clock", "MHz", clock), s.bystanders(false);
  s.durations(d);
}

void slow_columns(Simulation& s) {
  Column d = noisy_order(s, 0.03);
  const Column hidden = s.autoregressive(0.98);
  for (std::size_t i = 0; i < s.n; ++i) d[i] *= std::exp(0.06 * hidden[i]);
  for (const char* name : {"gap_ns", "queue_delay_ns", "concurrency", "overlap_memset_bytes"}) {
    Column x = s.autoregressive(0.98);
    for (double& v : x) v = std::exp(8 + 0.5 * v);
    s.column(name, "", x);
  }
  s.durations(d);
}

/// A collector runs at nearly equal intervals and stops the host for a few launches.
void collector(Simulation& s) {
  Column d = noisy_order(s, 0.03, 2), collecting(s.n);
  const Column jitter = s.uniform(), much = s.lognormal(1, 0.2);
  for (std::size_t at = 40; at < s.n; at += 90 + static_cast<std::size_t>(40 * jitter[at]))
    for (std::size_t k = 0; k < 4 && at + k < s.n; ++k) collecting[at + k] = 1;
  collecting = s.event(collecting);
  for (std::size_t i = 0; i < s.n; ++i) d[i] *= 1 + 0.7 * collecting[i] * much[i];
  s.column("gc_event", "", collecting), s.column("gap_ns", "ns", s.lognormal(4'000, 0.6)),
      s.bystanders(false);
  s.durations(d);
}

void work_and_clock(Simulation& s) {
  s.launches(1);
  const Column tokens = s.amount(s.lognormal(900, 0.4)), clock = s.phases({1'400, 1'700}, 30),
               noise = s.normal();
  Column d(s.n);
  for (std::size_t i = 0; i < s.n; ++i)
    d[i] = (3'000 + 40 * std::round(tokens[i])) * 1'700 / clock[i] * std::exp(0.03 * noise[i]);
  s.plain(), s.column("tokens", "", tokens), s.column("sm_clock_mhz", "MHz", clock);
  s.durations(d);
}

} // namespace

void add_orders(std::vector<Mechanism>& to) {
  const auto id = Label::identifiable, none = Label::nothing;
  const auto add = [&](const char* name, Label label, std::vector<std::string> first,
                       std::vector<std::string> real, void (*run)(Simulation&),
                       bool event_reference = false) {
    to.push_back({name, "orders", label, std::move(first), std::move(real), run, 4'000, event_reference});
  };
  add("own_and_next_launch", id, {"host_pause"}, {}, own_and_next_launch);
  add("kernel_two_before", none, {}, {}, kernel_two_before);
  add("one_kernel_after_another", id, {"previous_kernel"}, {}, one_kernel_after_another, true);
  add("temperature_that_acts", id, {"mean_temperature"}, {}, temperature_that_acts);
  add("state_of_performance", id, {"pstate"}, {}, state_of_performance, true);
  add("saturating_neighbours", id, {"concurrency"}, {}, saturating_neighbours);
  add("clock_under_outliers", id, {"mean_sm_clock"}, {}, clock_under_outliers);
  add("slow_columns", none, {}, {}, slow_columns);
  add("collector", id, {"gc_event"}, {}, collector);
  add("work_and_clock", id, {"tokens"}, {"sm_clock"}, work_and_clock);
}

} // namespace jitterscope::mechanisms
