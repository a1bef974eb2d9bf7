#include "tests/bench/causal/mechanisms/simulation.h"

#include <algorithm>
#include <cmath>

#include "core/causal/statistics/normal_scores.h"

namespace jitterscope::mechanisms {
namespace {

double open(causal::Random& random) {
  return random.uniform() * (1 - 2e-12) + 1e-12;
}
double gauss(causal::Random& random) {
  return causal::normal_quantile(open(random));
}

double median(Column values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

template <class Draw>
Column draws(std::size_t n, causal::Random random, const Draw& draw) {
  Column values(n);
  for (double& v : values) v = draw(random);
  return values;
}

} // namespace

Column Simulation::normal() {
  return draws(n, stream(), gauss);
}
Column Simulation::uniform() {
  return draws(n, stream(), [](causal::Random& r) { return r.uniform(); });
}
Column Simulation::exponential(double mean) {
  return draws(n, stream(), [&](causal::Random& r) { return -mean * std::log(open(r)); });
}
Column Simulation::lognormal(double middle, double sigma) {
  return draws(n, stream(), [&](causal::Random& r) { return middle * std::exp(sigma * gauss(r)); });
}
Column Simulation::coin(double probability) {
  return draws(n, stream(), [&](causal::Random& r) { return r.uniform() < probability ? 1.0 : 0.0; });
}
Column Simulation::whole(std::size_t bound) {
  return draws(n, stream(), [&](causal::Random& r) { return static_cast<double>(r.below(bound)); });
}

Column Simulation::autoregressive(double rho) {
  causal::Random random = stream();
  double state = gauss(random);
  return draws(n, random, [&](causal::Random& r) {
    const double now = state;
    state = rho * state + std::sqrt(1 - rho * rho) * gauss(r);
    return now;
  });
}

Column Simulation::poisson(const Column& mean) {
  causal::Random random = stream();
  Column values(n);
  for (std::size_t i = 0; i < n; ++i) {
    // One uniform number per row, for any mean.
    const double u = open(random);
    double probability = std::exp(-mean[i]), sum = probability, count = 0;
    while (u > sum && count < 1e4) ++count, probability *= mean[i] / count, sum += probability;
    values[i] = count;
  }
  return values;
}

Column Simulation::phases(const std::vector<double>& levels, double mean_rows) {
  causal::Random random = stream();
  Column values(n);
  double left = 0;
  std::size_t level = random.below(levels.size());
  for (double& v : values) {
    if (left <= 0) {
      level = (level + 1 + random.below(std::max<std::size_t>(levels.size() - 1, 1))) % levels.size();
      left = -mean_rows * std::log(open(random));
    }
    v = levels[level], left -= 1;
  }
  return values;
}

Column Simulation::event(Column happened) {
  if (without_) std::fill(happened.begin(), happened.end(), 0.0);
  return happened;
}

Column Simulation::amount(Column values) {
  if (without_) std::fill(values.begin(), values.end(), held_at_ ? *held_at_ : median(values));
  return values;
}

Column Simulation::launches(int configurations, double shortest_ns) {
  const Column which = whole(static_cast<std::size_t>(configurations));
  Column duration(n);
  for (int c = 0; c < configurations; ++c) {
    table.kernel_of_group.push_back(static_cast<std::uint32_t>(c));
    table.kernel_names.push_back("kernel_" + std::to_string(c));
  }
  for (std::size_t i = 0; i < n; ++i) {
    table.group.push_back(static_cast<std::uint32_t>(which[i]));
    duration[i] = shortest_ns * std::pow(2.5, which[i]);
  }
  return duration;
}

void Simulation::column(const std::string& name, const std::string& unit, const Column& values) {
  causal::FeatureInfo info;
  info.name = name, info.unit = unit, info.of_plain_table = plain_;
  table.add(std::move(info), values);
}

void Simulation::text(const std::string& name, const Column& codes, const std::vector<std::string>& labels) {
  causal::FeatureInfo info;
  info.name = name, info.of_plain_table = plain_, info.role = causal::FeatureRole::category,
  info.labels = labels;
  table.add(std::move(info), codes);
}

void Simulation::durations(const Column& ns) {
  outcome_ = ns;
  for (double& d : outcome_) d = std::max(1.0, std::round(d));
  table.duration_ns = outcome_;
}

void Simulation::target(const std::string& name, const std::string& unit, const Column& values) {
  outcome_ = values;
  column(name, unit, values);
  table.target = name;
}

void Simulation::bystanders(bool clocks) {
  const Column load = autoregressive(0.9), jitter = normal(), copies = coin(0.08),
               bytes = lognormal(1e6, 0.7);
  Column queue(n), copied(n), temperature(n), clock(n);
  const Column heat = autoregressive(0.995), ticks = normal();
  for (std::size_t i = 0; i < n; ++i) {
    queue[i] = std::exp(8 + 0.8 * load[i] + 0.5 * jitter[i]), copied[i] = copies[i] * bytes[i];
    temperature[i] = 60 + 4 * heat[i], clock[i] = 1'700 + 4 * ticks[i];
  }
  text("stream", whole(3), {"7", "13", "14"});
  column("queue_delay_ns", "ns", queue);
  column("overlap_host_to_device_bytes", "B", copied);
  if (!clocks) return;
  column("mean_sm_clock", "MHz", clock);
  column("mean_temperature", "C", temperature);
}

bool is_for_development(const std::string& name) {
  std::uint64_t hash = 14'695'981'039'346'656'037ull;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 1'099'511'628'211ull;
  return ((hash >> 32) & 1) == 0;
}

std::vector<Mechanism> all_mechanisms() {
  std::vector<Mechanism> all;
  add_clocks(all), add_contention(all), add_work(all), add_phases_and_queues(all);
  add_places(all), add_events(all), add_graphs(all), add_tables(all), add_mixtures(all), add_orders(all),
      add_directions(all);
  return all;
}

} // namespace jitterscope::mechanisms
