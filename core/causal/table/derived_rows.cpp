#include "core/causal/table/derived_rows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "core/base/ids.h"
#include "core/causal/base/tiers.h"
#include "core/causal/statistics/normal_scores.h"

namespace jitterscope::causal {
namespace {

constexpr std::int64_t kStretchesOfOrder = 32, kMinRowsOfOrder = 64, kMaxRowsOfOrder = 2'048;
constexpr std::uint32_t kMaxKernelsBefore = 32;
constexpr double kMinExplained = 0.02; ///< minimum fraction of the variance of the ranks
constexpr double kNearest = 2;         ///< minimum ratio to what the kernel two launches before explains
constexpr double kSureOfOrder = 3.5;   ///< standard errors; 32 stretches allow at most √32

std::uint32_t kernels_of(const RowSource& source) {
  std::uint32_t kernels = 0;
  for (std::uint32_t g = 0; g < source.groups(); ++g) kernels = std::max(kernels, source.kernel_of(g) + 1);
  return kernels;
}

/// Ranks of the launches of one stretch, by configuration and earlier kernel.
struct Stretch {
  std::vector<double> rank;
  std::array<std::vector<std::uint64_t>, 2> cell; ///< by distance − 1: cell of each launch
};

struct Explained {
  double share = 0; ///< explained fraction of the variance of the ranks
  bool sure = false;
};

/// Predicts each rank by the mean of its cell in the stretches of the other parity.
Explained explained_by(const std::vector<Stretch>& stretches, std::size_t distance) {
  struct Mean {
    double sum = 0, n = 0;
  };
  std::array<std::map<std::uint64_t, Mean>, 2> means;
  for (std::size_t s = 0; s < stretches.size(); ++s)
    for (std::size_t i = 0; i < stretches[s].rank.size(); ++i) {
      Mean& m = means[s % 2][stretches[s].cell[distance][i]];
      m.sum += stretches[s].rank[i], m.n += 1;
    }
  double sum = 0, squares = 0, left = 0, all = 0;
  for (std::size_t s = 0; s < stretches.size(); ++s) {
    double gain = 0;
    for (std::size_t i = 0; i < stretches[s].rank.size(); ++i) {
      const auto at = means[1 - s % 2].find(stretches[s].cell[distance][i]);
      const double expected = at == means[1 - s % 2].end() ? 0.0 : at->second.sum / at->second.n;
      const double y = stretches[s].rank[i], rest = y - expected;
      gain += y * y - rest * rest, left += rest * rest, all += y * y;
    }
    sum += gain, squares += gain * gain;
  }
  return {all > 0 ? 1 - left / all : 0.0, sum > kSureOfOrder * std::sqrt(squares)};
}

} // namespace

Expected<bool> depends_on_previous_kernel(const RowSource& source, const Job& job) {
  const auto rows = source.rows(), length = std::min(rows / kStretchesOfOrder, kMaxRowsOfOrder);
  const auto kernels = source.groups() > 0 ? kernels_of(source) : 0;
  const auto& features = source.features();
  if (!source.has_durations() || kernels < 2 || kernels > kMaxKernelsBefore || length < kMinRowsOfOrder ||
      source.origin_of(rows - 1) - source.origin_of(0) != rows - 1 ||
      std::ranges::any_of(features,
                          [](const auto& f) { return is_call_site(f.name) || f.name == kPreviousKernel; }))
    return false;
  std::vector<Stretch> stretches;
  RowBlock block;
  for (std::int64_t s = 0; s < kStretchesOfOrder; ++s) {
    if (job.cancelled()) return Job::cancelled_error();
    if (auto done = source.read(s * rows / kStretchesOfOrder, length, block); !done)
      return forward(done.error());
    Stretch& stretch = stretches.emplace_back();
    std::vector<double> durations;
    std::vector<std::uint32_t> groups;
    for (std::size_t i = 2; i < block.group.size(); ++i) {
      const auto g = block.group[i];
      if (g == kNone || block.group[i - 1] == kNone || block.group[i - 2] == kNone ||
          std::isnan(block.duration_ns[i]))
        continue;
      durations.push_back(block.duration_ns[i]), groups.push_back(g);
      for (std::size_t d = 0; d < 2; ++d)
        stretch.cell[d].push_back(std::uint64_t{g} * kernels + source.kernel_of(block.group[i - 1 - d]));
    }
    stretch.rank = ranks_within(durations, groups);
  }
  const Explained nearest = explained_by(stretches, 0), further = explained_by(stretches, 1);
  return nearest.sure && nearest.share >= kMinExplained && nearest.share >= kNearest * further.share;
}

DerivedRows::DerivedRows(const RowSource& source, bool previous_kernel, const std::optional<WarmUp>& warm_up)
    : ChangedRows(source), previous_kernel_(previous_kernel), warm_up_(warm_up ? warm_up->launches : 0) {
  if (previous_kernel) {
    FeatureInfo info;
    info.name = kPreviousKernel, info.role = FeatureRole::category,
    info.tier = static_cast<int>(Tier::context);
    for (std::uint32_t k = 0; k < kernels_of(source); ++k) info.labels.push_back(source.kernel_name(k));
    features_.push_back(std::move(info));
  }
  if (warm_up_ > 0) {
    FeatureInfo info;
    info.name = kLaunchAge, info.tier = static_cast<int>(Tier::context);
    features_.push_back(std::move(info));
  }
}

Expected<void> DerivedRows::read(std::int64_t first, std::int64_t count, RowBlock& block) const {
  const std::int64_t before = previous_kernel_ && first > 0 ? 1 : 0;
  const auto own = static_cast<Eigen::Index>(source_->features().size());
  const auto all = static_cast<Eigen::Index>(features_.size());
  if (all == own) return source_->read(first, count, block);
  RowBlock read;
  if (auto done = source_->read(first - before, count + before, read); !done) return done;
  block.values.resize(count, all);
  block.values.leftCols(own) = read.values.bottomRows(count);
  block.group.assign(read.group.begin() + before, read.group.end());
  block.duration_ns.assign(read.duration_ns.begin() + before, read.duration_ns.end());
  for (std::int64_t r = 0; r < count; ++r) {
    if (previous_kernel_) { // the first launch of the run counts as its own predecessor
      const auto group = read.group[static_cast<std::size_t>(std::max<std::int64_t>(r + before - 1, 0))];
      block.values(r, own) = group == kNone ? kMissing : source_->kernel_of(group);
    }
    if (warm_up_ > 0) block.values(r, all - 1) = static_cast<double>(std::min(first + r, warm_up_));
  }
  return {};
}

} // namespace jitterscope::causal
