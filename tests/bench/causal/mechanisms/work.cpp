// Work that depends on the data, and shapes of effects.

#include <algorithm>
#include <cmath>

#include "tests/bench/causal/mechanisms/simulation.h"

namespace jitterscope::mechanisms {
namespace {

Column noisy_work(Simulation& s, Column d, double sigma) {
  const Column noise = s.normal();
  for (std::size_t i = 0; i < s.n; ++i) d[i] *= std::exp(sigma * noise[i]);
  return d;
}

Column rounded(Column values) {
  for (double& v : values) v = std::round(v);
  return values;
}

void tokens(Simulation& s) {
  Column d = s.launches(1);
  const Column count = s.amount(rounded(s.lognormal(600, 0.5)));
  for (std::size_t i = 0; i < s.n; ++i) d[i] = 4'000 + 60 * count[i];
  d = noisy_work(s, d, 0.03);
  s.plain(), s.column("tokens", "", count), s.column("gap_ns", "ns", s.lognormal(4'000, 0.6));
  s.durations(d);
}

void input_rows(Simulation& s) {
  Column d = s.launches(1);
  const Column rows = s.amount(rounded(s.lognormal(1e5, 0.6))), by = s.normal();
  for (std::size_t i = 0; i < s.n; ++i) d[i] = 6'000 + 0.5 * rows[i];
  d = noisy_work(s, d, 0.08);
  Column parallel(s.n);
  for (std::size_t i = 0; i < s.n; ++i) parallel[i] = rows[i] / d[i] * std::exp(0.03 * by[i]);
  s.plain(), s.column("input_rows", "", rows), s.column("achieved_parallelism", "", parallel);
  s.durations(d);
}

void sequence_length(Simulation& s) {
  Column d = s.launches(1);
  const Column length = s.amount(rounded(s.lognormal(512, 0.35)));
  for (std::size_t i = 0; i < s.n; ++i) d[i] = 10'000 + 0.08 * length[i] * length[i];
  d = noisy_work(s, d, 0.04);
  s.plain(), s.column("sequence_length", "", length), s.column("gap_ns", "ns", s.lognormal(4'000, 0.6));
  s.durations(d);
}

void batch_sizes(Simulation& s) {
  Column d = s.launches(1);
  Column batch = s.whole(4);
  for (double& b : batch) b = 8 * std::pow(2, b);
  batch = s.amount(batch);
  for (std::size_t i = 0; i < s.n; ++i) d[i] = 15'000 + 900 * batch[i];
  d = noisy_work(s, d, 0.04);
  s.plain(), s.column("batch_size", "", batch), s.column("host_threads", "", s.whole(8));
  s.durations(d);
}

void nonzeros(Simulation& s) {
  Column d = s.launches(1);
  const Column nnz = s.amount(rounded(s.lognormal(2e5, 0.9)));
  for (std::size_t i = 0; i < s.n; ++i) d[i] = 8'000 + 0.1 * nnz[i];
  d = noisy_work(s, d, 0.05);
  s.plain(), s.column("nnz", "", nnz), s.column("matrix_id", "", s.whole(500));
  s.durations(d);
}

void iterations(Simulation& s) {
  Column d = s.launches(2);
  const Column more = s.amount(s.poisson(Column(s.n, 6)));
  for (std::size_t i = 0; i < s.n; ++i) d[i] *= 0.3 + 0.1 * more[i];
  d = noisy_work(s, d, 0.05);
  s.plain(), s.column("solver_iterations", "", more), s.column("gap_ns", "ns", s.lognormal(4'000, 0.6));
  s.durations(d);
}

/// Names that indicate no tier: whether the column or the duration comes first is not identifiable.
void unknown_name(Simulation& s) {
  Column d = s.launches(1);
  const Column x = s.amount(s.normal());
  for (std::size_t i = 0; i < s.n; ++i) d[i] *= std::exp(0.05 * x[i]);
  d = noisy_work(s, d, 0.05);
  Column shown = x;
  for (double& v : shown) v = 10 + v;
  s.plain(), s.column("alpha7", "", shown), s.column("beta2", "", s.normal());
  s.durations(d);
}

void unknown_column_of_many(Simulation& s) {
  Column d = s.launches(1);
  const Column x = s.amount(s.normal()), link = s.normal();
  for (std::size_t i = 0; i < s.n; ++i) d[i] *= std::exp(0.06 * x[i]);
  d = noisy_work(s, d, 0.04);
  Column follower(s.n);
  for (std::size_t i = 0; i < s.n; ++i) follower[i] = 0.8 * x[i] + 0.6 * link[i];
  s.plain(), s.column("p3", "", x), s.column("p4", "", follower), s.column("p9", "", s.normal());
  s.durations(d);
}

void threshold(Simulation& s) {
  Column d = s.launches();
  const Column bytes = s.amount(s.lognormal(3'000, 0.6));
  for (std::size_t i = 0; i < s.n; ++i) d[i] *= bytes[i] > 4'000 ? 1.35 : 1;
  d = noisy_work(s, d, 0.03);
  s.column("gap_ns", "ns", bytes);
  s.bystanders();
  s.durations(d);
}

void saturation(Simulation& s) {
  Column d = s.launches();
  const Column gap = s.amount(s.lognormal(8'000, 1));
  for (std::size_t i = 0; i < s.n; ++i) d[i] *= 1 + 0.4 * (1 - std::exp(-gap[i] / 8'000));
  d = noisy_work(s, d, 0.04);
  s.column("gap_ns", "ns", gap);
  s.bystanders();
  s.durations(d);
}

void both_ends(Simulation& s) {
  Column d = s.launches(1);
  Column bytes = s.uniform();
  for (double& b : bytes) b = std::round(4'096 * b);
  bytes = s.amount(bytes);
  for (std::size_t i = 0; i < s.n; ++i) d[i] *= 1 + 2 * std::pow(bytes[i] / 4'096 - 0.5, 2);
  d = noisy_work(s, d, 0.02);
  s.plain(), s.column("block_offset", "B", bytes), s.column("stride", "B", s.whole(64));
  s.durations(d);
}

/// Launches are fastest in the middle of the range of a tuning parameter.
void bend_of_configuration(Simulation& s) {
  Column d = s.launches();
  const Column depth = s.amount(s.whole(9));
  for (std::size_t i = 0; i < s.n; ++i) d[i] *= 1 + 0.02 * (depth[i] - 4) * (depth[i] - 4);
  d = noisy_work(s, d, 0.03);
  s.column("prefetch_depth", "", depth);
  s.bystanders();
  s.durations(d);
}

void two_amounts(Simulation& s) {
  Column d = s.launches();
  const Column clock = s.amount(s.phases({1'300, 1'500, 1'700}, 60)), gap = s.lognormal(5'000, 0.5);
  for (std::size_t i = 0; i < s.n; ++i) d[i] *= 1'700 / clock[i] * (1 + 0.05 * gap[i] / 5'000);
  d = noisy_work(s, d, 0.02);
  s.column("mean_sm_clock", "MHz", clock), s.column("gap_ns", "ns", gap);
  s.durations(d);
}

void wider_with_load(Simulation& s) {
  Column d = s.launches(1);
  Column occupancy = s.uniform();
  occupancy = s.amount(occupancy);
  const Column noise = s.normal();
  for (std::size_t i = 0; i < s.n; ++i) d[i] *= std::exp((occupancy[i] > 0.5 ? 0.12 : 0.02) * noise[i]);
  s.column("concurrency", "", occupancy);
  s.bystanders();
  s.durations(d);
}

} // namespace

void add_work(std::vector<Mechanism>& to) {
  const auto id = Label::identifiable;
  to.push_back({"tokens", "work", id, {"tokens"}, {}, tokens});
  to.push_back({"input_rows", "work", id, {"input_rows"}, {}, input_rows});
  to.push_back({"sequence_length", "work", id, {"sequence_length"}, {}, sequence_length});
  to.push_back({"batch_sizes", "work", id, {"batch_size"}, {}, batch_sizes});
  to.push_back({"nonzeros", "work", id, {"nnz"}, {}, nonzeros});
  to.push_back({"iterations", "work", id, {"solver_iterations"}, {}, iterations});
  to.push_back({"unknown_name", "work", Label::associated, {"alpha7"}, {}, unknown_name});
  to.push_back({"unknown_column_of_many", "work", Label::associated, {"p3"}, {}, unknown_column_of_many});
  to.push_back({"threshold", "shapes", id, {"gap_ns"}, {}, threshold});
  to.push_back({"saturation", "shapes", id, {"gap_ns"}, {}, saturation});
  to.push_back({"both_ends", "shapes", id, {"block_offset"}, {}, both_ends});
  to.push_back({"bend_of_configuration", "shapes", id, {"prefetch_depth"}, {}, bend_of_configuration});
  to.push_back({"two_amounts", "shapes", id, {"mean_sm_clock"}, {"gap_ns"}, two_amounts});
  to.push_back({"wider_with_load", "shapes", id, {"concurrency"}, {}, wider_with_load});
}

} // namespace jitterscope::mechanisms
