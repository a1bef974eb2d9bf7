// Other work at the same time, and interrupts.

#include <algorithm>
#include <cmath>

#include "tests/bench/causal/mechanisms/simulation.h"

namespace jitterscope::mechanisms {
namespace {

Column noisy(Simulation& s, double sigma, int configurations = 3) {
  Column d = s.launches(configurations);
  const Column noise = s.normal();
  for (std::size_t i = 0; i < s.n; ++i) d[i] *= std::exp(sigma * noise[i]);
  return d;
}

void other_process(Simulation& s) {
  Column d = noisy(s, 0.03);
  const Column others = s.event(s.phases({0, 0, 1}, 25)), much = s.uniform();
  for (std::size_t i = 0; i < s.n; ++i) d[i] *= 1 + others[i] * (0.3 + 0.2 * much[i]);
  s.column("other_processes", "", others);
  s.bystanders();
  s.durations(d);
}

void neighbour_load(Simulation& s) {
  Column d = noisy(s, 0.04);
  Column load = s.autoregressive(0.8);
  for (double& l : load) l = 1 / (1 + std::exp(-1.5 * l));
  load = s.amount(load);
  for (std::size_t i = 0; i < s.n; ++i) d[i] *= 1 + 0.5 * load[i];
  s.column("concurrency", "", load);
  s.bystanders();
  s.durations(d);
}

/// The load of other work is always present; its column has 2 % measurement noise.
void neighbour_of_its_own(Simulation& s) {
  Column d = noisy(s, 0.10);
  const Column load = s.amount(s.lognormal(2, 0.3)), own = s.normal();
  Column seen(s.n);
  for (std::size_t i = 0; i < s.n; ++i)
    d[i] *= 0.6 + 0.2 * load[i], seen[i] = load[i] * std::exp(0.02 * own[i]);
  s.column("concurrency", "", seen);
  s.bystanders();
  s.durations(d);
}

/// Other kernels run next to a quarter of the launches and lengthen them by 40 to 70 %. The other kernels
/// take longer, too, so that their time is an effect of the launch.
void contention_both_ways(Simulation& s) {
  Column d = noisy(s, 0.05);
  const Column others = s.event(s.coin(0.25)), much = s.uniform(), stretched = s.normal();
  for (std::size_t i = 0; i < s.n; ++i) d[i] *= 1 + others[i] * (0.4 + 0.3 * much[i]);
  s.column("concurrency", "", others);
  Column neighbour(s.n);
  for (std::size_t i = 0; i < s.n; ++i) neighbour[i] = others[i] * d[i] * 0.8 * std::exp(0.1 * stretched[i]);
  s.column("neighbour_ns", "ns", neighbour);
  s.column("gap_ns", "ns", s.lognormal(4'000, 0.6));
  s.bystanders();
  s.durations(d);
}

void interrupts(Simulation& s) {
  Column d = noisy(s, 0.02, 1);
  const Column count = s.event(s.poisson(Column(s.n, 0.4)));
  for (std::size_t i = 0; i < s.n; ++i) d[i] += 4'000 * count[i];
  s.plain(), s.column("interrupts", "", count),
      s.column("context_switches_host", "", s.poisson(Column(s.n, 2)));
  s.durations(d);
}

/// The number of interrupts grows with the duration; the reason for long launches is not recorded.
void harmless_interrupts(Simulation& s) {
  Column d = s.launches(1);
  const Column hidden = s.lognormal(1, 0.4);
  Column mean(s.n);
  for (std::size_t i = 0; i < s.n; ++i) d[i] *= hidden[i], mean[i] = 1e-4 * d[i];
  s.plain(), s.column("interrupts", "", s.poisson(mean)), s.column("gap_ns", "ns", s.lognormal(4'000, 0.6));
  s.durations(d);
}

void bus_traffic(Simulation& s) {
  Column d = noisy(s, 0.03);
  const Column bytes = s.event(s.coin(0.3)), size = s.lognormal(5e6, 0.5);
  Column copied(s.n);
  for (std::size_t i = 0; i < s.n; ++i) copied[i] = bytes[i] * size[i], d[i] *= 1 + 0.05e-6 * copied[i];
  s.column("overlap_device_to_host_bytes", "B", copied);
  s.column("mean_sm_clock", "MHz", s.lognormal(1'700, 0.003)),
      s.column("gap_ns", "ns", s.lognormal(4'000, 0.6));
  s.durations(d);
}

/// Concurrent work, in one launch of five, lengthens only the launches of one kernel (by 80 to 120 %).
void neighbour_of_one_kernel(Simulation& s) {
  Column d = noisy(s, 0.03, 4);
  const Column others = s.event(s.coin(0.2)), much = s.uniform();
  for (std::size_t i = 0; i < s.n; ++i)
    if (s.configuration()[i] == 3) d[i] *= 1 + others[i] * (0.8 + 0.4 * much[i]);
  s.column("concurrency", "", others);
  s.bystanders();
  s.durations(d);
}

/// Every launch of the last kernel, a long one on a stream of its own, has company and varies for a reason of
/// its own. Launches of the other kernels have company in one case of five, which lengthens them by 10 to
/// 30 %.
void company_of_a_whole_kernel(Simulation& s) {
  Column d = noisy(s, 0.01, 4);
  const Column others = s.event(s.coin(0.2)), much = s.uniform(), own = s.normal();
  Column company(s.n);
  for (std::size_t i = 0; i < s.n; ++i) {
    const bool last = s.configuration()[i] == 3;
    company[i] = last ? 1 : others[i];
    d[i] *= last ? std::exp(0.04 * own[i]) : 1 + others[i] * (0.1 + 0.2 * much[i]);
  }
  s.column("concurrency", "", company);
  s.bystanders();
  s.durations(d);
}

/// Copies run during the launches of a branch that does less work, and do not act on them.
void copies_during_less_work(Simulation& s) {
  Column d = noisy(s, 0.03);
  const Column less = s.coin(0.3), size = s.lognormal(5e3, 0.5);
  Column copied(s.n);
  for (std::size_t i = 0; i < s.n; ++i) copied[i] = less[i] * size[i], d[i] *= less[i] > 0 ? 0.8 : 1.0;
  s.column("overlap_device_to_device_ns", "ns", copied);
  s.bystanders();
  s.durations(d);
}

/// Launches that are long for a hidden reason overlap more copies, which have no effect.
void length_meets_more(Simulation& s) {
  Column d = s.launches(1);
  const Column hidden = s.lognormal(1, 0.5), drawn = s.uniform(), size = s.lognormal(1e6, 0.5);
  Column copies(s.n);
  for (std::size_t i = 0; i < s.n; ++i)
    d[i] *= hidden[i], copies[i] = drawn[i] < 1 - std::exp(-d[i] / 60e3) ? size[i] : 0;
  s.plain(), s.column("copies_seen", "", copies), s.column("gap_ns", "ns", s.lognormal(4'000, 0.6));
  s.durations(d);
}

} // namespace

void add_contention(std::vector<Mechanism>& to) {
  const auto id = Label::identifiable;
  to.push_back({"other_process", "contention", id, {"other_processes"}, {}, other_process});
  to.push_back({"neighbour_load", "contention", id, {"concurrency"}, {}, neighbour_load});
  to.push_back({"neighbour_of_its_own", "contention", id, {"concurrency"}, {}, neighbour_of_its_own});
  to.push_back({"contention_both_ways", "contention", id, {"concurrency"}, {}, contention_both_ways});
  to.push_back({"interrupts", "contention", id, {"interrupts"}, {}, interrupts});
  to.push_back({"harmless_interrupts", "contention", Label::nothing, {}, {}, harmless_interrupts});
  to.push_back({"bus_traffic", "contention", id, {"overlap_device_to_host"}, {}, bus_traffic});
  to.push_back({"neighbour_of_one_kernel", "contention", id, {"concurrency"}, {}, neighbour_of_one_kernel});
  to.push_back(
      {"company_of_a_whole_kernel", "contention", id, {"concurrency"}, {}, company_of_a_whole_kernel});
  to.push_back({"copies_during_less_work", "contention", Label::nothing, {}, {}, copies_during_less_work});
  to.push_back({"length_meets_more", "contention", Label::nothing, {}, {}, length_meets_more});
}

} // namespace jitterscope::mechanisms
