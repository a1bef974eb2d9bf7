// Several influences at once: responses over many launches, rooflines, reversed and confounded columns.

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tests/bench/causal/mechanisms/simulation.h"

namespace jitterscope::mechanisms {
namespace {

Column noisy_mixture(Simulation& s, double sigma, int configurations = 3) {
  Column d = s.launches(configurations);
  const Column noise = s.normal();
  for (std::size_t i = 0; i < s.n; ++i) d[i] *= std::exp(sigma * noise[i]);
  return d;
}

/// An event evicts the cache, which recovers over three launches.
void event_on_the_next_three(Simulation& s) {
  Column d = noisy_mixture(s, 0.03);
  const Column flush = s.event(s.coin(0.05));
  const double factor[] = {0, 0.6, 0.45, 0.3};
  for (std::size_t i = 0; i < s.n; ++i)
    for (std::size_t back = 1; back <= 3 && back <= i; ++back) d[i] *= 1 + factor[back] * flush[i - back];
  s.column("checkpoint_event", "", flush), s.bystanders();
  s.durations(d);
}

/// After short gaps, the preceding work still competes; after long gaps, caches are cold.
void gaps_in_the_middle_are_best(Simulation& s) {
  Column d = noisy_mixture(s, 0.03);
  const Column gap = s.amount(s.lognormal(6'000, 0.8));
  for (std::size_t i = 0; i < s.n; ++i) d[i] *= 1 + 0.12 * std::pow(std::log(gap[i] / 6'000) / 0.8, 2);
  s.column("gap_ns", "ns", gap), s.bystanders();
  s.durations(d);
}

/// Small batches do not fill the device, large batches do not fit into its cache.
void batch_with_an_optimum(Simulation& s) {
  Column d = s.launches(1);
  Column batch = s.uniform();
  for (double& b : batch) b = std::round(8 + 248 * b);
  batch = s.amount(batch);
  const Column noise = s.normal();
  for (std::size_t i = 0; i < s.n; ++i)
    d[i] *= (1 + 0.8 * std::exp(-(batch[i] - 8) / 40) + 0.5 * std::max(0.0, batch[i] - 160) / 96) *
            std::exp(0.04 * noise[i]);
  s.plain(), s.column("batch_size", "", batch), s.column("gap_ns", "ns", s.lognormal(4'000, 0.6));
  s.durations(d);
}

/// The duration is the longer of the times for computing and for loading.
void roofline(Simulation& s) {
  const Column work = s.amount(s.lognormal(3e9, 0.5)), bytes = s.lognormal(4e7, 0.25), noise = s.normal();
  Column d(s.n);
  s.launches(1);
  for (std::size_t i = 0; i < s.n; ++i)
    d[i] = std::max(work[i] / 1e5, bytes[i] / 2e3) * std::exp(0.03 * noise[i]);
  s.plain(), s.column("flops", "", work), s.column("input_bytes", "B", bytes);
  s.durations(d);
}

/// Launches are long for a hidden reason, and heat the device.
void heat_from_long_launches(Simulation& s) {
  Column d = noisy_mixture(s, 0.02, 1), degrees(s.n);
  const Column hidden = s.autoregressive(0.97), meter = s.normal();
  double heat = 0;
  for (std::size_t i = 0; i < s.n; ++i) {
    d[i] *= std::exp(0.1 * hidden[i]);
    degrees[i] = 60 + 20 * heat + 0.2 * meter[i];
    heat += 0.1 * (0.1 * hidden[i] - heat);
  }
  s.column("mean_temperature", "C", degrees), s.column("gap_ns", "ns", s.lognormal(4'000, 0.6));
  s.durations(d);
}

/// A hidden influence oscillates slowly; the temperature has the same period, a quarter of a period later.
void swings(Simulation& s) {
  Column d = noisy_mixture(s, 0.02), degrees(s.n);
  const Column meter = s.normal();
  for (std::size_t i = 0; i < s.n; ++i) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(i) / 500;
    d[i] *= 1 + 0.08 * std::sin(angle), degrees[i] = 60 - 3 * std::cos(angle) + 0.3 * meter[i];
  }
  s.column("mean_temperature", "C", degrees), s.bystanders(false);
  s.durations(d);
}

/// By schedule, long kernels run concurrently with other work more often, which does not lengthen them.
void schedule_without_effect(Simulation& s) {
  const Column d = noisy_mixture(s, 0.05, 4), drawn = s.uniform();
  Column others(s.n);
  for (std::size_t i = 0; i < s.n; ++i) others[i] = drawn[i] < 0.2 + 0.2 * s.configuration()[i];
  s.column("concurrency", "", others), s.bystanders();
  s.durations(d);
}

/// Short kernels overlap other work more often, which lengthens each overlapped launch.
void opposite_between_kernels(Simulation& s) {
  Column d = noisy_mixture(s, 0.04, 4), others(s.n);
  const Column drawn = s.uniform();
  for (std::size_t i = 0; i < s.n; ++i) others[i] = drawn[i] < 0.5 - 0.14 * s.configuration()[i];
  others = s.event(others);
  for (std::size_t i = 0; i < s.n; ++i) d[i] *= 1 + 0.35 * others[i];
  s.column("concurrency", "", others), s.bystanders();
  s.durations(d);
}

/// Tables of monitors have −1 where a sample is missing.
void minus_one_for_missing(Simulation& s) {
  const Column clock = s.amount(s.phases({1'200, 1'450, 1'700}, 40)), noise = s.normal(), lost = s.coin(0.1);
  Column seen = clock, ms(s.n);
  for (std::size_t i = 0; i < s.n; ++i) {
    ms[i] = 8 * 1'700 / clock[i] * std::exp(0.03 * noise[i]);
    if (lost[i] != 0) seen[i] = -1;
  }
  s.plain(), s.column("sm_clock_mhz", "MHz", seen), s.column("fan_rpm", "rpm", s.lognormal(2'000, 0.05));
  s.target("runtime_ms", "ms", ms);
}

/// Of 16 slots, three are slow; their numbers have no order.
void slow_slots(Simulation& s) {
  Column d = noisy_mixture(s, 0.03);
  const Column slot = s.whole(16);
  for (std::size_t i = 0; i < s.n; ++i)
    d[i] *= !s.off() && (slot[i] == 3 || slot[i] == 9 || slot[i] == 12) ? 1.3 : 1;
  s.plain(), s.column("slot_id", "", slot), s.column("gap_ns", "ns", s.lognormal(4'000, 0.6));
  s.durations(d);
}

/// The first launch of each step of 40 is slow.
void first_of_a_step(Simulation& s) {
  Column d = noisy_mixture(s, 0.03), position(s.n);
  for (std::size_t i = 0; i < s.n; ++i) {
    position[i] = static_cast<double>(i % 40);
    d[i] *= i % 40 == 0 && !s.off() ? 2.2 : 1;
  }
  s.column("burst_position", "", position), s.bystanders();
  s.durations(d);
}

/// Ranks wait in a collective for rank 5, which is late in a sixth of the steps.
void waiting_for_a_rank(Simulation& s) {
  Column d = noisy_mixture(s, 0.02), rank(s.n), wait(s.n);
  const Column late = s.event(s.coin(1.0 / 6)), by = s.lognormal(25e3, 0.4), jitter = s.exponential(400);
  for (std::size_t i = 0; i < s.n; ++i) {
    const std::size_t step = i / 8;
    rank[i] = static_cast<double>(i % 8);
    wait[i] = jitter[i] + (i % 8 != 5 ? late[step] * by[step] : 0), d[i] += wait[i];
  }
  s.text("rank", rank, {"0", "1", "2", "3", "4", "5", "6", "7"}), s.column("collective_wait_ns", "ns", wait);
  s.bystanders(false);
  s.durations(d);
}

/// Copies below a megabyte fit into the idle time of the bus.
void large_copies_only(Simulation& s) {
  Column d = noisy_mixture(s, 0.03), bytes(s.n);
  const Column copies = s.coin(0.4), size = s.lognormal(0.6e6, 1.1);
  for (std::size_t i = 0; i < s.n; ++i) bytes[i] = copies[i] * size[i];
  bytes = s.event(bytes);
  for (std::size_t i = 0; i < s.n; ++i) d[i] *= bytes[i] > 1e6 ? 1.4 : 1;
  s.column("overlap_host_to_device_bytes", "B", bytes), s.column("gap_ns", "ns", s.lognormal(4'000, 0.6));
  s.durations(d);
}

void reason_of_throttling(Simulation& s) {
  const Column reason = s.phases({0, 0, 0, 1, 2}, 30), noise = s.normal();
  Column ms(s.n);
  for (std::size_t i = 0; i < s.n; ++i)
    ms[i] = 12 * (reason[i] == 2 && !s.off() ? 1.5 : 1) * std::exp(0.04 * noise[i]);
  s.plain(), s.text("throttle_reason", reason, {"none", "idle", "thermal"});
  s.column("fan_rpm", "rpm", s.lognormal(2'000, 0.05)), s.target("runtime_ms", "ms", ms);
}

void instructions_per_cycle(Simulation& s) {
  Column d = s.launches(2), ipc(s.n);
  const Column hidden = s.lognormal(1, 0.15), noise = s.normal();
  for (std::size_t i = 0; i < s.n; ++i)
    d[i] *= hidden[i], ipc[i] = 1.8 / hidden[i] * std::exp(0.04 * noise[i]);
  s.plain(), s.column("ipc", "", ipc), s.column("host_threads", "", s.whole(8));
  s.durations(d);
}

/// Device 2 is slow only while other work runs on it.
void device_under_load(Simulation& s) {
  Column d = noisy_mixture(s, 0.03);
  const Column device = s.whole(4), others = s.event(s.coin(0.3));
  for (std::size_t i = 0; i < s.n; ++i) d[i] *= device[i] == 2 && others[i] != 0 ? 1.9 : 1;
  s.text("device", device, {"0", "1", "2", "3"}), s.column("concurrency", "", others);
  s.durations(d);
}

} // namespace

void add_mixtures(std::vector<Mechanism>& to) {
  const auto id = Label::identifiable, none = Label::nothing, open = Label::associated;
  const auto add = [&](const char* name, Label label, std::vector<std::string> first,
                       std::vector<std::string> real, void (*run)(Simulation&),
                       bool event_reference = false) {
    to.push_back({name, "mixtures", label, std::move(first), std::move(real), run, 4'000, event_reference});
  };
  add("event_on_the_next_three", id, {"checkpoint_event"}, {}, event_on_the_next_three);
  add("gaps_in_the_middle_are_best", id, {"gap_ns"}, {}, gaps_in_the_middle_are_best);
  add("batch_with_an_optimum", id, {"batch_size"}, {}, batch_with_an_optimum);
  add("roofline", open, {"flops"}, {"input_bytes"}, roofline);
  add("heat_from_long_launches", none, {}, {}, heat_from_long_launches);
  add("swings", none, {}, {}, swings);
  add("schedule_without_effect", none, {}, {}, schedule_without_effect);
  add("opposite_between_kernels", id, {"concurrency"}, {}, opposite_between_kernels);
  add("minus_one_for_missing", id, {"sm_clock"}, {}, minus_one_for_missing);
  add("slow_slots", open, {"slot_id"}, {}, slow_slots, true);
  add("first_of_a_step", id, {"burst_position"}, {}, first_of_a_step, true);
  add("waiting_for_a_rank", id, {"collective_wait"}, {"rank"}, waiting_for_a_rank, true);
  add("large_copies_only", id, {"overlap_host_to_device"}, {}, large_copies_only, true);
  add("reason_of_throttling", id, {"throttle_reason"}, {}, reason_of_throttling, true);
  add("instructions_per_cycle", none, {}, {}, instructions_per_cycle);
  add("device_under_load", id, {"concurrency", "device"}, {}, device_under_load);
}

} // namespace jitterscope::mechanisms
