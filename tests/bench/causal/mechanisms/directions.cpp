// Columns whose names do not show whether they come before the durations, or show it wrongly.

#include <cmath>

#include "tests/bench/causal/mechanisms/simulation.h"

namespace jitterscope::mechanisms {
namespace {

void independent_unnamed(Simulation& s) {
  Column d = s.launches(1);
  const Column a = s.amount(s.normal()), b = s.normal(), noise = s.normal();
  for (std::size_t i = 0; i < s.n; ++i) d[i] *= std::exp(0.12 * a[i] + 0.07 * b[i] + 0.03 * noise[i]);
  s.plain(), s.column("alpha", "", a), s.column("beta", "", b);
  s.durations(d);
}

void unnamed_with_a_past(Simulation& s) {
  Column d = s.launches(1);
  const Column x = s.amount(s.autoregressive(0.9)), noise = s.normal();
  for (std::size_t i = 0; i < s.n; ++i) d[i] *= std::exp((x[i] > 0.8 ? 0.25 : 0) + 0.04 * noise[i]);
  s.plain(), s.column("metric_3", "", x), s.column("metric_4", "", s.autoregressive(0.9));
  s.durations(d);
}

/// Launches take turns on six places, of which two are slow.
void places_in_turn(Simulation& s) {
  Column d = s.launches(1), turn(s.n);
  for (std::size_t i = 0; i < s.n; ++i) turn[i] = static_cast<double>(i % 6);
  const Column place = s.amount(turn), noise = s.normal();
  for (std::size_t i = 0; i < s.n; ++i)
    d[i] *= (place[i] == 1 || place[i] == 4 ? 1.2 : 1) * std::exp(0.04 * noise[i]);
  s.plain(), s.column("turn", "", place), s.column("gap_ns", "ns", s.lognormal(4'000, 0.6));
  s.durations(d);
}

/// A third of the nodes have another driver.
void setting_of_nodes(Simulation& s) {
  constexpr std::size_t kNodes = 24;
  Column d = s.launches(1), version(s.n);
  const Column node = s.whole(kNodes), own = s.normal(), noise = s.normal();
  for (std::size_t i = 0; i < s.n; ++i) version[i] = static_cast<std::size_t>(node[i]) % 3 == 0;
  const Column driver = s.amount(version);
  for (std::size_t i = 0; i < s.n; ++i)
    d[i] *= std::exp(0.1 * driver[i] + 0.01 * own[static_cast<std::size_t>(node[i])] + 0.03 * noise[i]);
  std::vector<std::string> names;
  for (std::size_t k = 0; k < kNodes; ++k) names.push_back("n" + std::to_string(k));
  s.plain(), s.text("node", node, names), s.text("driver", version, {"535.183", "550.54"});
  s.durations(d);
}

/// The counter is read only for launches that last longer than 1.2 times the typical duration.
void counted_beyond_a_limit(Simulation& s) {
  Column d = s.launches(1), faults(s.n);
  const Column noise = s.normal(), count = s.poisson(Column(s.n, 6));
  for (std::size_t i = 0; i < s.n; ++i) {
    const double ratio = std::exp(0.2 * noise[i]);
    d[i] *= ratio, faults[i] = ratio > 1.2 ? 1 + count[i] : 0;
  }
  s.plain(), s.column("page_faults", "", faults), s.column("gap_ns", "ns", s.lognormal(4'000, 0.6));
  s.durations(d);
}

/// A sensor often fails to answer during long launches.
void sensor_fails_in_long_launches(Simulation& s) {
  Column d = s.launches(1), degrees = s.autoregressive(0.8);
  const Column noise = s.normal(), lost = s.uniform();
  for (std::size_t i = 0; i < s.n; ++i) {
    d[i] *= std::exp(0.2 * noise[i]);
    degrees[i] = lost[i] < (noise[i] > 1 ? 0.7 : 0.03) ? causal::kMissing : std::round(60 + 3 * degrees[i]);
  }
  s.plain(), s.column("temperature", "C", degrees);
  s.durations(d);
}

} // namespace

void add_directions(std::vector<Mechanism>& to) {
  const auto id = Label::identifiable, nothing = Label::nothing;
  to.push_back({"independent_unnamed", "directions", id, {"alpha"}, {"beta"}, independent_unnamed});
  to.push_back({"unnamed_with_a_past", "directions", id, {"metric_3"}, {}, unnamed_with_a_past});
  to.push_back({"places_in_turn", "directions", id, {"turn"}, {}, places_in_turn});
  to.push_back({"setting_of_nodes", "directions", id, {"driver"}, {}, setting_of_nodes});
  to.push_back({"counted_beyond_a_limit", "directions", nothing, {}, {}, counted_beyond_a_limit});
  to.push_back(
      {"sensor_fails_in_long_launches", "directions", nothing, {}, {}, sensor_fails_in_long_launches});
}

} // namespace jitterscope::mechanisms
