#include "core/causal/table/warm_up.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/base/ids.h"
#include "core/base/median.h"
#include "core/causal/base/note_specs.h"
#include "core/causal/base/wording.h"

namespace jitterscope::causal {
namespace {

constexpr std::int64_t kMinRowsOfRun = 512, kMaxFirst = 8'192; ///< rows of the run; rows that may be warm-up
constexpr std::int64_t kWarmUpStretches = 32, kMaxWarmUpRows = 512;
/// The warm-up continues while the median deviation of this number of launches is above kAsLater.
constexpr std::size_t kTogether = 16;
/// Maximum median deviation of launches after the warm-up, in mean deviations.
constexpr double kAsLater = 1;
constexpr double kMinPercent = 10;
constexpr double kMinDecline = 2; ///< minimum ratio of the excess in the first quarter to that in the last

/// Durations of the launches of a configuration later in the run.
struct Later {
  double median = kMissing, deviation = 0; ///< ns; mean of |d − median|
};

Expected<std::vector<Later>> later_launches(const RowSource& source, std::int64_t from,
                                            Communicator& communicator, const Job& job) {
  const auto rows = source.rows() - from, length = std::min(rows / kWarmUpStretches, kMaxWarmUpRows);
  const Share share = share_of(kWarmUpStretches, communicator.rank(), communicator.size());
  std::vector<double> durations;
  std::vector<std::uint32_t> groups;
  RowBlock block;
  for (auto s = share.first; s < share.last; ++s) {
    if (job.cancelled()) return Job::cancelled_error();
    if (auto done = source.read(from + s * rows / kWarmUpStretches, length, block); !done)
      return forward(done.error());
    for (std::size_t i = 0; i < block.duration_ns.size(); ++i)
      if (block.group[i] != kNone && !std::isnan(block.duration_ns[i]))
        durations.push_back(block.duration_ns[i]), groups.push_back(block.group[i]);
  }
  auto all = communicator.all_gather<double>(durations);
  if (!all) return forward(all.error());
  auto of = communicator.all_gather<std::uint32_t>(groups);
  if (!of) return forward(of.error());
  std::vector<std::vector<double>> by_group(source.groups());
  for (std::size_t i = 0; i < all->size(); ++i) by_group[(*of)[i]].push_back((*all)[i]);
  std::vector<Later> later(by_group.size());
  for (std::size_t g = 0; g < by_group.size(); ++g) {
    if (by_group[g].size() < 2) continue;
    later[g].median = median_of(by_group[g]);
    for (const double d : by_group[g])
      later[g].deviation += std::fabs(d - later[g].median) / static_cast<double>(by_group[g].size());
  }
  return later;
}

} // namespace

Expected<std::optional<WarmUp>> find_warm_up(const RowSource& source, Communicator& communicator,
                                             const Job& job) {
  const std::optional<WarmUp> none;
  const auto rows = source.rows();
  if (!source.has_durations() || source.groups() == 0 || rows < kMinRowsOfRun || source.origin_of(0) != 0)
    return none;
  const auto first = std::min(rows / 3, kMaxFirst);
  const auto later = later_launches(source, first, communicator, job);
  if (!later) return forward(later.error());
  RowBlock block;
  if (auto done = source.read(0, first, block); !done) return forward(done.error());
  std::vector<double> deviations, relative, longer; // in mean deviations; relative to the median; in ns
  double expected = 0, launches = 0;
  for (std::size_t i = 0; i < block.duration_ns.size(); ++i) {
    if (block.group[i] == kNone || std::isnan(block.duration_ns[i])) continue;
    const Later& of = (*later)[block.group[i]];
    if (!(of.deviation > 0) || !(of.median > 0)) continue;
    deviations.push_back((block.duration_ns[i] - of.median) / of.deviation);
    relative.push_back(block.duration_ns[i] / of.median);
    longer.push_back(std::fabs(block.duration_ns[i] - of.median));
    expected += of.deviation, launches += 1;
  }
  const auto median_from = [](const std::vector<double>& values, std::size_t from, std::size_t count) {
    std::vector<double> some(values.begin() + static_cast<std::ptrdiff_t>(from),
                             values.begin() + static_cast<std::ptrdiff_t>(from + count));
    return median_of(some);
  };
  std::size_t end = 0;
  while (end + kTogether <= deviations.size() && median_from(deviations, end, kTogether) > kAsLater) ++end;
  if (end < kTogether || end + kTogether > deviations.size()) return none; // too few, or without an end
  // A phase of the run has no slope; the first third of a run may be one.
  double before = median_from(relative, 0, end / 4) - 1;
  const double longest = before;
  for (std::size_t quarter = 1; quarter < 4; ++quarter) {
    const double now = median_from(relative, quarter * end / 4, end / 4) - 1;
    if (now >= before) return none;
    before = now;
  }
  if (longest < kMinDecline * before) return none;
  double held = 0;
  for (std::size_t i = 0; i < end; ++i) held += longer[i];
  const double rest = expected / launches * static_cast<double>(rows - static_cast<std::int64_t>(end));
  WarmUp found{static_cast<std::int64_t>(end), median_from(relative, 0, std::min(end, kTogether)), 0};
  found.percent = 100 * held / (held + rest);
  return found.percent >= kMinPercent ? std::optional(found) : none;
}

Warning note_on(const WarmUp& w) {
  return note<notes::kWarmUp>(grouped(w.launches), w.times, w.percent);
}

} // namespace jitterscope::causal
