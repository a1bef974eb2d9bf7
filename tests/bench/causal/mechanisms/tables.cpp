// Tables whose last column is the target; missing values, units, many columns.

#include <algorithm>
#include <cmath>

#include "tests/bench/causal/mechanisms/simulation.h"

namespace jitterscope::mechanisms {
namespace {

void table_of_runs(Simulation& s) {
  const Column size = s.amount(s.lognormal(4'096, 0.4)), noise = s.normal();
  Column ms(s.n);
  for (std::size_t i = 0; i < s.n; ++i) ms[i] = 3 + 0.002 * size[i] + 0.3 * noise[i];
  s.plain(), s.column("problem_size", "", size), s.column("host_threads", "", s.whole(8));
  s.target("runtime_ms", "ms", ms);
}

void table_with_timestamps(Simulation& s) {
  const Column noise = s.normal(), wait = s.exponential(5);
  Column ms(s.n), start(s.n), end(s.n);
  double now = 0;
  for (std::size_t i = 0; i < s.n; ++i)
    ms[i] = 20 + noise[i], start[i] = now, end[i] = now + ms[i], now = end[i] + wait[i];
  s.plain(), s.column("start_ms", "ms", start), s.column("end_ms", "ms", end),
      s.column("fan_rpm", "rpm", s.lognormal(2'000, 0.05));
  s.target("runtime_ms", "ms", ms);
}

void missing_values(Simulation& s) {
  Column d = s.launches();
  const Column clock = s.amount(s.phases({1'300, 1'500, 1'700}, 60)), noise = s.normal(), lost = s.coin(0.12);
  Column seen = clock;
  for (std::size_t i = 0; i < s.n; ++i) {
    d[i] *= 1'700 / clock[i] * std::exp(0.03 * noise[i]);
    if (lost[i] != 0) seen[i] = causal::kMissing;
  }
  s.column("mean_sm_clock", "MHz", seen), s.bystanders(false);
  s.durations(d);
}

void other_units(Simulation& s) {
  const Column clock = s.amount(s.phases({1.3, 1.5, 1.7}, 60)), noise = s.normal();
  Column us(s.n);
  for (std::size_t i = 0; i < s.n; ++i) us[i] = 40 / clock[i] * std::exp(0.03 * noise[i]);
  s.plain(), s.column("gpu_clock", "GHz", clock), s.column("temp", "F", s.lognormal(140, 0.03));
  s.target("time_us", "us", us);
}

void many_columns(Simulation& s) {
  Column d = s.launches(1);
  const Column clock = s.amount(s.phases({1'300, 1'700}, 50)), noise = s.normal();
  for (std::size_t i = 0; i < s.n; ++i) d[i] *= 1'700 / clock[i] * std::exp(0.03 * noise[i]);
  s.plain();
  for (int c = 0; c < 80; ++c) s.column("metric_" + std::to_string(c), "", s.normal());
  s.column("sm_clock_mhz", "MHz", clock);
  s.durations(d);
}

void many_columns_of_noise(Simulation& s) {
  Column d = s.launches(1);
  const Column noise = s.normal();
  for (std::size_t i = 0; i < s.n; ++i) d[i] *= std::exp(0.05 * noise[i]);
  s.plain();
  for (int c = 0; c < 80; ++c) s.column("metric_" + std::to_string(c), "", s.normal());
  s.durations(d);
}

void coarse_timer(Simulation& s) {
  Column d = s.launches(1, 6'000), bytes(s.n);
  const Column copy = s.event(s.coin(0.2)), noise = s.normal(), size = s.lognormal(1e6, 0.3);
  for (std::size_t i = 0; i < s.n; ++i)
    d[i] = std::round(d[i] * std::exp(0.02 * noise[i] + 0.2 * copy[i]) / 512) * 512,
    bytes[i] = copy[i] * size[i];
  s.column("overlap_host_to_device_bytes", "B", bytes), s.column("gap_ns", "ns", s.lognormal(4'000, 0.6));
  s.durations(d);
}

void few_rows(Simulation& s) {
  Column d = s.launches(1), ns(s.n);
  const Column affected = s.event(s.coin(0.2)), time = s.lognormal(30e3, 0.4), noise = s.normal();
  for (std::size_t i = 0; i < s.n; ++i)
    ns[i] = affected[i] * time[i], d[i] = d[i] * std::exp(0.03 * noise[i]) + ns[i];
  s.column("migration_ns", "ns", ns), s.column("gap_ns", "ns", s.lognormal(4'000, 0.6));
  s.durations(d);
}

} // namespace

void add_tables(std::vector<Mechanism>& to) {
  const auto id = Label::identifiable;
  to.push_back({"table_of_runs", "tables", id, {"problem_size"}, {}, table_of_runs});
  to.push_back({"table_with_timestamps", "tables", Label::nothing, {}, {}, table_with_timestamps});
  to.push_back({"missing_values", "tables", id, {"mean_sm_clock"}, {}, missing_values});
  to.push_back({"other_units", "tables", id, {"gpu_clock"}, {}, other_units});
  to.push_back({"many_columns", "tables", id, {"sm_clock"}, {}, many_columns});
  to.push_back({"many_columns_of_noise", "tables", Label::nothing, {}, {}, many_columns_of_noise});
  to.push_back({"coarse_timer", "tables", id, {"overlap_host_to_device"}, {}, coarse_timer});
  to.push_back({"few_rows", "tables", id, {"migration"}, {}, few_rows, 250});
}

} // namespace jitterscope::mechanisms
