#include <algorithm>
#include <cmath>

#include "core/causal/groups/grouped_rows.h"

namespace jitterscope::causal {
namespace {

/// Parts of the rows, so that sums do not depend on the number of ranks.
constexpr std::size_t kParts = 64;
constexpr std::uint32_t kMaxConfigurations = 20'000; ///< each part has sums of all of them

/// By configuration, of the durations and of those without the differences between groups: their number, sum
/// and, in the second pass, sum of distances from the mean.
struct DurationSums {
  double n = 0, with = 0, without = 0;
};

/// Share of the distances that the differences between groups make; `left_out`: the part not counted.
double share_without(const std::vector<DurationSums>& distances, std::size_t left_out = kParts) {
  double with = 0, without = 0;
  for (std::size_t part = 0; part < distances.size(); ++part)
    if (part != left_out) with += distances[part].with, without += distances[part].without;
  return with > 0 ? 1 - without / with : 0;
}

} // namespace

Expected<GroupShare> GroupedRows::share_of_level(std::size_t level, Communicator& communicator,
                                                 const Job& job) const {
  constexpr double kStudent = 2.0; // 97.5 % with 63 degrees of freedom
  if (source_->groups() > kMaxConfigurations) return GroupShare();
  const auto effects = group_effects(groups_->sums, level, nested_variances(groups_->sums));
  const auto effect_of = [&](int group) {
    for (std::size_t inner = groups_->unit; inner > level && group >= 0; --inner)
      group = groups_->levels[inner].around[static_cast<std::size_t>(group)];
    return group >= 0 ? effects[static_cast<std::size_t>(group)].effect : 0.0;
  };
  // visit(configuration, duration, duration without the effect of the group)
  const auto for_rows = [&](std::size_t part, const auto& visit) {
    const Share rows = share_of(source_->rows(), static_cast<int>(part), static_cast<int>(kParts));
    return read_tiles(*source_, rows.first, rows.last, job, [&](std::int64_t, const RowBlock& block) {
      for (Eigen::Index r = 0; r < block.values.rows(); ++r) {
        const double duration = block.duration_ns[static_cast<std::size_t>(r)];
        if (!std::isfinite(duration)) continue;
        const double effect = effect_of(unit_of(block, r));
        visit(block.group[static_cast<std::size_t>(r)], duration,
              groups_->logarithm ? duration * std::exp(-effect) : duration - effect);
      }
    });
  };
  const Share parts = share_of(static_cast<std::int64_t>(kParts), communicator.rank(), communicator.size());
  std::vector<DurationSums> means(source_->groups()), mine;
  for (auto part = parts.first; part < parts.last; ++part) {
    std::vector<DurationSums> sums(means.size());
    auto read =
        for_rows(static_cast<std::size_t>(part), [&](std::uint32_t group, double with, double without) {
          if (group < sums.size())
            sums[group].n += 1, sums[group].with += with, sums[group].without += without;
        });
    if (!read) return forward(read.error());
    mine.insert(mine.end(), sums.begin(), sums.end());
  }
  const auto sums = communicator.all_gather<DurationSums>(mine);
  if (!sums) return forward(sums.error());
  for (std::size_t i = 0; i < sums->size(); ++i) {
    DurationSums& of = means[i % means.size()];
    of.n += (*sums)[i].n, of.with += (*sums)[i].with, of.without += (*sums)[i].without;
  }
  for (DurationSums& of : means) of.with /= std::max(of.n, 1.0), of.without /= std::max(of.n, 1.0);
  mine.clear();
  for (auto part = parts.first; part < parts.last; ++part) {
    DurationSums distances;
    auto read =
        for_rows(static_cast<std::size_t>(part), [&](std::uint32_t group, double with, double without) {
          if (group >= means.size()) return;
          distances.with += std::fabs(with - means[group].with);
          distances.without += std::fabs(without - means[group].without);
        });
    if (!read) return forward(read.error());
    mine.push_back(distances);
  }
  const auto distances = communicator.all_gather<DurationSums>(mine);
  if (!distances) return forward(distances.error());
  GroupShare result;
  result.share = share_without(*distances);
  double squares = 0;
  for (std::size_t part = 0; part < kParts; ++part)
    squares += std::pow(share_without(*distances, part) - result.share, 2);
  const double error = kStudent * std::sqrt(squares * (kParts - 1) / kParts);
  result.interval = {result.share - error, result.share + error};
  const auto there = [](const GroupEffect& group) { return group.n > 0; };
  std::vector<std::size_t> groups;
  for (std::size_t g = 0; g < effects.size(); ++g)
    if (there(effects[g])) groups.push_back(g);
  const auto [low, high] =
      std::ranges::minmax_element(groups, {}, [&](std::size_t g) { return effects[g].effect; });
  const GroupLevel& of = groups_->levels[level];
  if (!groups.empty())
    result.lowest = name_of(of.feature, of.code[*low]), result.highest = name_of(of.feature, of.code[*high]);
  return result;
}

} // namespace jitterscope::causal
