// Hidden and recorded phases, queues, effects of earlier launches.

#include <algorithm>
#include <cmath>

#include "tests/bench/causal/mechanisms/simulation.h"

namespace jitterscope::mechanisms {
namespace {

Column noisy_phases(Simulation& s, Column d, double sigma) {
  const Column noise = s.normal();
  for (std::size_t i = 0; i < s.n; ++i) d[i] *= std::exp(sigma * noise[i]);
  return d;
}

/// Copies mostly occur in a hidden phase that recurs, and lengthen a launch by the fraction `slower`.
void phase_with_copies(Simulation& s, double slower) {
  Column d = noisy_phases(s, s.launches(), 0.03);
  const Column phase = s.phases({0, 1}, 80), drawn = s.uniform(), size = s.lognormal(1e6, 0.5);
  Column affected(s.n);
  for (std::size_t i = 0; i < s.n; ++i) affected[i] = drawn[i] < (phase[i] != 0 ? 0.35 : 0.01);
  affected = s.event(affected);
  for (std::size_t i = 0; i < s.n; ++i)
    d[i] *= (1 + 0.25 * phase[i]) * (1 + slower * affected[i]), affected[i] *= size[i];
  s.column("overlap_host_to_device_bytes", "B", affected), s.column("gap_ns", "ns", s.lognormal(4'000, 0.6));
  s.durations(d);
}

void phase_with_interrupts(Simulation& s) {
  Column d = noisy_phases(s, s.launches(1), 0.03);
  const Column phase = s.phases({0, 1}, 60);
  Column mean(s.n);
  for (std::size_t i = 0; i < s.n; ++i) d[i] *= 1 + 0.2 * phase[i], mean[i] = 0.1 + 0.5 * phase[i];
  s.plain(), s.column("interrupts", "", s.poisson(mean)), s.column("gap_ns", "ns", s.lognormal(4'000, 0.6));
  s.durations(d);
}

void recorded_phase(Simulation& s) {
  Column d = noisy_phases(s, s.launches(), 0.03);
  const Column phase = s.phases({0, 1, 2}, 50);
  for (std::size_t i = 0; i < s.n; ++i) d[i] *= !s.off() && phase[i] == 2 ? 1.3 : 1;
  s.text("phase", phase, {"load", "compute", "exchange"}), s.bystanders();
  s.durations(d);
}

/// Starts at a fixed period: a long launch shortens the gap after it.
void short_gaps_after_long_launches(Simulation& s) {
  Column d = noisy_phases(s, s.launches(1), 0.02), gap(s.n), before(s.n);
  const Column hidden = s.autoregressive(0.9);
  for (std::size_t i = 0; i < s.n; ++i) d[i] *= 1 + 0.1 * std::max(-3.0, hidden[i]);
  for (std::size_t i = 1; i < s.n; ++i)
    gap[i] = std::max(500.0, 50e3 - d[i - 1]), before[i] = d[i - 1] - 20e3;
  s.column("gap_ns", "ns", gap), s.column("previous_deviation_ns", "ns", before);
  s.durations(d);
}

void backlog(Simulation& s) {
  Column d = s.launches(1), queue(s.n);
  const Column hidden = s.lognormal(1, 0.3), noise = s.normal();
  for (std::size_t i = 0; i < s.n; ++i) d[i] *= hidden[i], queue[i] = d[i] * std::exp(0.1 * noise[i]);
  s.plain(), s.column("backlog", "", queue), s.column("host_threads", "", s.whole(8));
  s.durations(d);
}

void queue_behind_slow_work(Simulation& s) {
  Column d = noisy_phases(s, s.launches(1), 0.02), delay(s.n);
  const Column hidden = s.autoregressive(0.9), noise = s.normal();
  for (std::size_t i = 0; i < s.n; ++i)
    d[i] *= std::exp(0.15 * hidden[i]), delay[i] = std::exp(8 + hidden[i] + 0.3 * noise[i]);
  s.column("queue_delay_ns", "ns", delay), s.column("mean_sm_clock", "MHz", s.lognormal(1'700, 0.003));
  s.durations(d);
}

void cold_after_a_stall(Simulation& s) {
  Column d = noisy_phases(s, s.launches(), 0.03), gap = s.lognormal(4'000, 0.4);
  const Column stalled = s.event(s.coin(0.05)), how = s.lognormal(1e6, 0.4);
  for (std::size_t i = 0; i < s.n; ++i) gap[i] += stalled[i] * how[i], d[i] *= 1 + 0.4 * stalled[i];
  s.column("gap_ns", "ns", gap), s.bystanders();
  s.durations(d);
}

void kernel_before(Simulation& s) {
  Column d = noisy_phases(s, s.launches(), 0.03);
  for (std::size_t i = 1; i < s.n; ++i)
    if (!s.off() && s.configuration()[i - 1] == 2) d[i] *= 1.3;
  s.bystanders();
  s.durations(d);
}

void warm_up(Simulation& s) {
  Column d = noisy_phases(s, s.launches(), 0.02);
  for (std::size_t i = 0; i < s.n; ++i)
    d[i] *= 1 + (s.off() ? 0 : 2.5 * std::exp(-static_cast<double>(i) / 60));
  s.bystanders();
  s.durations(d);
}

void event_before(Simulation& s) {
  Column d = noisy_phases(s, s.launches(), 0.03);
  const Column flush = s.event(s.coin(0.06));
  for (std::size_t i = 3; i < s.n; ++i) d[i] *= 1 + 0.6 * flush[i - 3];
  s.column("checkpoint_event", "", flush), s.bystanders();
  s.durations(d);
}

void event_just_before(Simulation& s) {
  Column d = noisy_phases(s, s.launches(), 0.03);
  const Column flush = s.event(s.coin(0.06)), size = s.lognormal(1e6, 0.4);
  Column copied(s.n);
  for (std::size_t i = 1; i < s.n; ++i) d[i] *= 1 + 0.5 * flush[i - 1];
  for (std::size_t i = 0; i < s.n; ++i) copied[i] = flush[i] * size[i];
  s.column("window_migration_bytes", "B", copied), s.bystanders();
  s.durations(d);
}

/// The size of a batch is adapted to the duration of the previous launch.
void feedback(Simulation& s) {
  const Column noise = s.normal(), push = s.normal();
  Column batch(s.n), d(s.n);
  s.launches(1);
  double now = 32;
  for (std::size_t i = 0; i < s.n; ++i) {
    batch[i] = std::round(now);
    const double took = 8'000 + 600 * batch[i] * std::exp(0.04 * noise[i]);
    now = std::clamp(now + 2 * push[i] - 2e-4 * (took - 27e3), 8.0, 80.0);
  }
  batch = s.amount(batch);
  for (std::size_t i = 0; i < s.n; ++i) d[i] = 8'000 + 600 * batch[i] * std::exp(0.04 * noise[i]);
  s.plain(), s.column("batch_size", "", batch), s.column("host_threads", "", s.whole(8));
  s.durations(d);
}

void straggler(Simulation& s) {
  Column d = noisy_phases(s, s.launches(), 0.02);
  const Column late = s.event(s.coin(0.15)), by = s.lognormal(30e3, 0.5);
  Column wait(s.n);
  for (std::size_t i = 0; i < s.n; ++i) wait[i] = late[i] * by[i], d[i] += wait[i];
  s.column("collective_wait_ns", "ns", wait), s.bystanders();
  s.durations(d);
}

void slow_noise(Simulation& s) {
  Column d = noisy_phases(s, s.launches(), 0.03);
  const Column hidden = s.autoregressive(0.995);
  for (std::size_t i = 0; i < s.n; ++i) d[i] *= std::exp(0.08 * hidden[i]);
  s.bystanders();
  s.durations(d);
}

} // namespace

void add_phases_and_queues(std::vector<Mechanism>& to) {
  const auto id = Label::identifiable, none = Label::nothing;
  to.push_back(
      {"hidden_phase_copies", "phases", none, {}, {}, [](Simulation& s) { phase_with_copies(s, 0); }});
  to.push_back({"hidden_phase_interrupts", "phases", none, {}, {}, phase_with_interrupts});
  to.push_back({"hidden_phase_slow_copies", "phases", id, {"overlap_host"}, {}, [](Simulation& s) {
                  phase_with_copies(s, 0.8);
                }});
  to.push_back({"recorded_phase", "phases", id, {"phase"}, {}, recorded_phase, 4'000, true});
  to.push_back({"slow_noise", "phases", none, {}, {}, slow_noise});
  to.push_back({"short_gaps_after_long_launches", "queues", none, {}, {}, short_gaps_after_long_launches});
  to.push_back({"backlog", "queues", Label::associated, {"backlog"}, {}, backlog});
  to.push_back({"queue_behind_slow_work", "queues", none, {}, {}, queue_behind_slow_work});
  to.push_back({"cold_after_a_stall", "queues", id, {"gap_ns"}, {}, cold_after_a_stall, 4'000, true});
  to.push_back({"straggler", "queues", id, {"collective_wait"}, {}, straggler});
  to.push_back({"kernel_before", "past", id, {"previous_kernel"}, {}, kernel_before, 4'000, true});
  to.push_back({"warm_up", "past", id, {"launch_age"}, {"first_launch"}, warm_up, 4'000, true});
  to.push_back({"event_before", "past", id, {"checkpoint_event"}, {}, event_before});
  to.push_back({"event_just_before", "past", id, {"window_migration"}, {}, event_just_before});
  to.push_back({"feedback", "past", id, {"batch_size"}, {}, feedback});
}

} // namespace jitterscope::mechanisms
