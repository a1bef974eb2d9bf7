#include "core/causal/amounts/remaining_launches.h"

#include <array>
#include <cmath>

namespace jitterscope::causal {

Expected<RemainingLaunches> RemainingLaunches::recorded(const AttributionInput& input) {
  RemainingLaunches launches(input);
  launches.kept_.assign(launches.size(), kMissing);
  if (auto done = launches.measure(); !done) return forward(done.error());
  return launches;
}

Expected<double> RemainingLaunches::std_variability() const {
  auto squares =
      sum_by(1, longest(), [&](std::size_t i, ExactSums& sums) { sums.add(0, v_[i] * v_[i] / longest()); });
  if (!squares) return forward(squares.error());
  if (count() == 0) return 0.0;
  const double mean = mean_variability(),
               mean_square = squares->front() * longest() / static_cast<double>(count());
  return std::sqrt(std::max(0.0, mean_square - mean * mean));
}

Expected<std::vector<Attributions::Left>> RemainingLaunches::left_by_kernel() const {
  ExactSums sums(2 * groups_.count, longest(), input_->frame.plan.rows); // variability, then launches
  for (std::size_t i = 0; i < size(); ++i) {
    if (!used(i) && std::isnan(kept_[i])) continue;
    sums.add(group(i), used(i) ? v_[i] : std::max(kept_[i], 0.0));
    sums.add(groups_.count + group(i), 1.0);
  }
  auto left = sums.total(input_->communicator);
  if (!left) return forward(left.error());
  std::vector<Attributions::Left> by_kernel(groups_.kernels);
  for (std::size_t g = 0; g < groups_.count; ++g) {
    auto& kernel = by_kernel[groups_.kernel[g]];
    kernel.launches += std::llround((*left)[groups_.count + g]), kernel.variability += (*left)[g];
  }
  return by_kernel;
}

Expected<double> RemainingLaunches::part_with(const std::vector<double>& x) const {
  std::array<std::int64_t, 2> counts{0, 0};
  for (std::size_t i = 0; i < size(); ++i)
    if (used(i)) ++counts[0], counts[1] += x[i] != 0;
  if (auto done = input_->communicator.sum(counts); !done) return forward(done.error());
  return counts[0] > 0 ? static_cast<double>(counts[1]) / static_cast<double>(counts[0]) : 0.0;
}

Expected<std::vector<double>> RemainingLaunches::block_sums(const std::vector<double>& values) const {
  const BlockPlan& plan = input_->frame.plan;
  std::vector<double> mine;
  for (std::int64_t b = rows_.first_block; b < rows_.last_block; ++b) {
    double sum = 0;
    for (auto i = plan.first(b) - rows_.first_row; i < plan.first(b + 1) - rows_.first_row; ++i)
      if (rows_.used[i]) sum += values[i];
    mine.push_back(sum);
  }
  return input_->communicator.all_gather<double>(mine);
}

Expected<AmountRows> RemainingLaunches::sample(const std::vector<double>& x, std::int64_t maximum,
                                               const std::vector<std::size_t>& events) const {
  const std::int64_t stride = std::max<std::int64_t>(1, (count() + maximum - 1) / maximum);
  const BlockPlan& plan = input_->frame.plan;
  AmountRows mine, all;
  for (std::int64_t b = rows_.first_block; b < rows_.last_block; ++b)
    for (std::int64_t row = plan.first(b); row < plan.first(b + 1); ++row) {
      const auto i = static_cast<std::size_t>(row - rows_.first_row);
      if (!used(i) || row % stride != 0) continue;
      std::uint32_t stratum = group(i);
      for (const std::size_t s : events) stratum = 2 * stratum + (input_->x[s][i] != 0);
      mine.x.push_back(x[i]), mine.duration.push_back(duration(i));
      mine.group.push_back(group(i)), mine.block.push_back(static_cast<std::uint32_t>(b));
      mine.stratum.push_back(stratum);
    }
  Expected<void> done;
  for (const auto part : {&AmountRows::x, &AmountRows::duration})
    if (done) done = assign(all.*part, input_->communicator.all_gather<double>(mine.*part));
  for (const auto part : {&AmountRows::group, &AmountRows::stratum, &AmountRows::block})
    if (done) done = assign(all.*part, input_->communicator.all_gather<std::uint32_t>(mine.*part));
  if (!done) return forward(done.error());
  return all;
}

Expected<RemainingLaunches> RemainingLaunches::without(const std::vector<double>& x) const {
  RemainingLaunches others = *this;
  for (std::size_t i = 0; i < size(); ++i)
    if (used(i) && x[i] != 0) others.rows_.used[i] = 0;
  if (auto done = others.regroup(); !done) return forward(done.error());
  return others;
}

Expected<void> RemainingLaunches::remove(const std::vector<std::uint8_t>& has,
                                         const std::vector<double>& left) {
  for (std::size_t i = 0; i < size(); ++i)
    if (used(i) && has[i]) rows_.used[i] = 0, kept_[i] = left[i];
  return regroup();
}

/// Counts the launches of every configuration and computes their medians, then their variability.
Expected<void> RemainingLaunches::regroup() {
  groups_.rows.assign(groups_.count, 0);
  for (std::size_t i = 0; i < size(); ++i)
    if (used(i)) ++groups_.rows[group(i)];
  if (auto done = input_->communicator.sum(groups_.rows); !done) return done;
  auto done = assign(groups_.median, medians([&](std::size_t i) { return duration(i); }));
  return done ? measure() : done;
}

Expected<void> RemainingLaunches::measure() {
  v_.assign(size(), 0.0);
  for (std::size_t i = 0; i < size(); ++i)
    if (used(i)) v_[i] = std::fabs(duration(i) - groups_.median[group(i)]);
  return assign(total_, block_sums(v_));
}

} // namespace jitterscope::causal
