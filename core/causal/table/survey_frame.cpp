#include "core/causal/table/survey_frame.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/base/exact_sums.h"
#include "core/base/ordered_double.h"
#include "core/base/similar_names.h"
#include "core/base/stop.h"
#include "core/causal/base/lists.h"
#include "core/causal/base/wording.h"
#include "core/causal/groups/grouped_rows.h"
#include "core/causal/statistics/group_medians.h"
#include "core/causal/table/screening.h"

namespace jitterscope::causal {
namespace {

constexpr std::int64_t kMinMissing = 10; ///< minimum rows without a value of a column for a test
constexpr std::size_t kMaxGaps = 1'000;  ///< maximum columns with missing values that are tested
/// Minimum fraction of the variability that rows without a value hold.
constexpr double kMinGap = 0.1;
/// Minimum ratio of the variability of rows without a value to that of others.
constexpr double kGapVaries = 1.5;
constexpr double kMaxTimes = 1e4; ///< maximum deviation, in multiples of the mean of its configuration
constexpr double kClearGap = 4;   ///< minimum difference of the two variabilities, in standard errors

Expected<TargetKind> target_kind_of(const RowSource& source, const std::string& name) {
  const auto& features = source.features();
  const bool is_column = contains(features, name, &FeatureInfo::name);
  if (is_column) return TargetKind::column;
  if (name == "kernel_variability" && source.has_durations() && source.groups() > 0)
    return TargetKind::variability;
  if (name == "duration" && source.has_durations()) return TargetKind::duration;
  auto names = mapped(features, &FeatureInfo::name);
  if (source.has_durations()) names.insert(names.end(), {"kernel_variability", "duration"});
  return failure(ErrorKind::BadUse, fmt::format("there is no target \"{}\"", name), {}, {},
                 did_you_mean(name, names, "Name a column, or kernel_variability or duration for launches."));
}

/// Durations and groups of this rank's rows, kept for all later passes.
Expected<LocalRows> load_local(const RowSource& source, const BlockPlan& plan,
                               const Communicator& communicator, const Job& job, SourceSurvey& survey) {
  LocalRows local;
  const Share share = share_of(plan.blocks, communicator.rank(), communicator.size());
  local.first_block = share.first, local.last_block = share.last;
  local.first_row = plan.first(share.first);
  const std::int64_t last = plan.first(share.last);
  const auto n = static_cast<std::size_t>(last - local.first_row);
  if (source.groups() > 0) local.group.reserve(n); // growing by copies would delay cancellation too long
  if (source.has_durations()) local.duration.reserve(n);
  auto read = read_tiles(source, local.first_row, last, job, [&](std::int64_t, const RowBlock& block) {
    survey.add(block);
    if (source.groups() > 0) local.group.insert(local.group.end(), block.group.begin(), block.group.end());
    if (source.has_durations())
      local.duration.insert(local.duration.end(), block.duration_ns.begin(), block.duration_ns.end());
  });
  if (!read) return forward(read.error());
  if (job.cancelled()) return Job::cancelled_error();
  local.group.resize(n, kNone);
  local.used.assign(n, 1);
  return local;
}

/// Selects rows whose target exists: a duration, and for variability a configuration that ran at least twice.
Expected<void> select_rows(Frame& frame, bool needs_pairs, Communicator& communicator, const Job& job) {
  Stop stop(job);
  auto& local = frame.local;
  auto& groups = frame.groups;
  std::vector<std::int64_t> counts(groups.count, 0);
  const bool durations = !local.duration.empty() && frame.target_kind != TargetKind::column;
  for (std::size_t i = 0; i < local.used.size() && !stop.at(i); ++i) {
    if (durations && !(local.duration[i] > 0 && std::isfinite(local.duration[i]))) local.used[i] = 0;
    if (groups.count > 0 && local.group[i] >= groups.count) local.used[i] = 0;
    if (local.used[i] && groups.count > 0) ++counts[local.group[i]];
  }
  if (stop.requested()) return Job::cancelled_error();
  if (auto done = communicator.sum(counts); !done) return forward(done.error());
  if (!needs_pairs) return {};
  std::int64_t single = 0;
  for (std::size_t i = 0; i < local.used.size() && !stop.at(i); ++i)
    if (local.used[i] && counts[local.group[i]] < 2) local.used[i] = 0, ++single;
  if (stop.requested()) return Job::cancelled_error();
  if (auto done = communicator.sum({&single, 1}); !done) return forward(done.error());
  frame.rows_single = single;
  return {};
}

Expected<void> describe_groups(Frame& frame, Communicator& communicator, const Job& job) {
  auto& local = frame.local;
  auto& groups = frame.groups;
  groups.rows.assign(groups.count, 0);
  std::int64_t used = 0;
  Stop stop(job);
  for (std::size_t i = 0; i < local.used.size() && !stop.at(i); ++i) {
    if (!local.used[i]) continue;
    ++used;
    if (groups.count > 0) ++groups.rows[local.group[i]];
  }
  if (auto done = communicator.sum({&used, 1}); !done) return forward(done.error());
  frame.rows_used = used;
  if (auto done = communicator.sum(groups.rows); !done) return forward(done.error());
  if (frame.target_kind == TargetKind::column)
    return {}; // the other kinds have durations, even on ranks without rows

  if (stop.requested()) return Job::cancelled_error();
  std::vector<double> values = local.duration;
  double largest = 0;
  for (std::size_t i = 0; i < values.size() && !stop.at(i); ++i) {
    if (!local.used[i])
      values[i] = kMissing;
    else
      largest = std::max(largest, values[i]);
  }
  if (stop.requested()) return Job::cancelled_error();
  std::int64_t key = -ordered_integer(largest);
  if (auto done = communicator.minimum({&key, 1}); !done) return forward(done.error());
  groups.longest = from_ordered_integer(-key);
  if (groups.count == 0) return {};
  ExactSums sums(groups.count, groups.longest, frame.plan.rows);
  for (std::size_t i = 0; i < values.size() && !stop.at(i); ++i)
    if (local.used[i]) sums.add(local.group[i], values[i]);
  if (stop.requested()) return Job::cancelled_error();
  if (auto done = assign(groups.mean, sums.total(communicator)); !done) return done;
  for (std::size_t g = 0; g < groups.count; ++g)
    groups.mean[g] = groups.rows[g] > 0 ? groups.mean[g] / static_cast<double>(groups.rows[g]) : 0.0;
  return assign(groups.median, group_medians(values, local.group, groups.count, communicator, job));
}

/// |d − median of the configuration| of all rows, including rows left out because of a missing value; NaN
/// where unknown.
struct AllRows {
  std::vector<double> away;
  double longest = 1; ///< upper bound of `away`, ns
};

Expected<AllRows> all_rows(const Frame& frame, const std::vector<std::uint8_t>& incomplete,
                           Communicator& communicator, const Job& job) {
  const auto& local = frame.local;
  std::vector<double> known = local.duration;
  double longest = 0;
  for (std::size_t i = 0; i < known.size(); ++i) {
    const bool seen = (local.used[i] || incomplete[i]) && known[i] > 0 && std::isfinite(known[i]) &&
                      local.group[i] < frame.groups.count;
    if (!seen)
      known[i] = kMissing;
    else
      longest = std::max(longest, known[i]);
  }
  std::int64_t key = -ordered_integer(longest);
  if (auto done = communicator.minimum({&key, 1}); !done) return forward(done.error());
  auto typical = group_medians(known, local.group, frame.groups.count, communicator, job);
  if (!typical) return forward(typical.error());
  AllRows all{std::move(known), std::max(from_ordered_integer(-key), 1.0)};
  for (std::size_t i = 0; i < all.away.size(); ++i)
    if (!std::isnan(all.away[i])) all.away[i] = std::fabs(all.away[i] - (*typical)[local.group[i]]);
  return all;
}

/// Fraction of Σ |d − median of the configuration| on rows left out because of a missing value.
Expected<double> part_on_incomplete(const Frame& frame, const AllRows& all,
                                    const std::vector<std::uint8_t>& incomplete, Communicator& communicator) {
  ExactSums sums(2, all.longest, frame.plan.rows);
  for (std::size_t i = 0; i < all.away.size(); ++i)
    if (!std::isnan(all.away[i])) sums.add(incomplete[i] ? 1 : 0, all.away[i]);
  auto total = sums.total(communicator);
  if (!total) return forward(total.error());
  return total->at(0) + total->at(1) > 0 ? total->at(1) / (total->at(0) + total->at(1)) : 0.0;
}

/// Mean of `away` by configuration, ns; long kernels have larger deviations.
Expected<std::vector<double>> mean_away(const Frame& frame, const AllRows& all, Communicator& communicator) {
  ExactSums sums(2 * frame.groups.count, all.longest, frame.plan.rows);
  for (std::size_t i = 0; i < all.away.size(); ++i)
    if (!std::isnan(all.away[i]))
      sums.add(2 * frame.local.group[i], all.away[i]), sums.add(2 * frame.local.group[i] + 1, 1.0);
  auto total = sums.total(communicator);
  if (!total) return forward(total.error());
  std::vector<double> means(frame.groups.count, 0.0);
  for (std::size_t g = 0; g < means.size(); ++g)
    if ((*total)[2 * g + 1] > 0) means[g] = (*total)[2 * g] / (*total)[2 * g + 1];
  return means;
}

/// Columns with missing values where rows without a value vary clearly more than the others (Welch 1947) and
/// hold much of the variability.
Expected<std::vector<InformativeGap>> find_gaps(const Frame& frame, const AllRows& all,
                                                const RowSource& source, const SourceSurvey& survey,
                                                Communicator& communicator, const Job& job) {
  std::vector<std::size_t> features;
  for (std::size_t f = 0; f < source.features().size(); ++f)
    if (survey[f].missing >= kMinMissing && survey[f].missing < survey[f].rows) features.push_back(f);
  std::vector<InformativeGap> gaps;
  if (features.empty() || features.size() > kMaxGaps) return gaps;
  auto typical_away = mean_away(frame, all, communicator);
  if (!typical_away) return forward(typical_away.error());
  enum { kRows, kAway, kSum, kSquares, kKinds };
  ExactSums sums(2 * kKinds * features.size(), kMaxTimes * kMaxTimes, frame.plan.rows);
  const std::int64_t first = frame.local.first_row, last = first + static_cast<std::int64_t>(all.away.size());
  auto read = read_tiles(source, first, last, job, [&](std::int64_t at, const RowBlock& block) {
    for (Eigen::Index r = 0; r < block.values.rows(); ++r) {
      const auto i = static_cast<std::size_t>(at - first + r);
      const double away = all.away[i];
      const auto g = frame.local.group[i];
      if (std::isnan(away) || !((*typical_away)[g] > 0)) continue;
      const double relative = std::min(away / (*typical_away)[g], kMaxTimes);
      for (std::size_t k = 0; k < features.size(); ++k) {
        const bool missing = !std::isfinite(block.values(r, static_cast<Eigen::Index>(features[k])));
        const std::size_t cell = kKinds * (2 * k + (missing ? 1 : 0));
        sums.add(cell + kRows, 1.0), sums.add(cell + kAway, away / all.longest);
        sums.add(cell + kSum, relative), sums.add(cell + kSquares, relative * relative);
      }
    }
  });
  if (!read) return forward(read.error());
  auto total = sums.total(communicator);
  if (!total) return forward(total.error());
  for (std::size_t k = 0; k < features.size(); ++k) {
    const double *with = total->data() + kKinds * 2 * k, *without = with + kKinds;
    if (with[kRows] < 2 || without[kRows] < static_cast<double>(kMinMissing)) continue;
    const auto mean = [](const double* of) { return of[kSum] / of[kRows]; };
    const auto error = [&](const double* of) {
      return std::max(0.0, of[kSquares] / of[kRows] - mean(of) * mean(of)) / of[kRows];
    };
    const double part = without[kAway] / std::max(with[kAway] + without[kAway], 1e-300),
                 times = mean(without) / std::max(mean(with), 1e-300);
    const double clear = mean(without) - kClearGap * std::sqrt(error(with) + error(without));
    if (part >= kMinGap && clear > kGapVaries * mean(with))
      gaps.push_back({source.features()[features[k]].name, std::llround(without[kRows]), part, times});
  }
  std::ranges::stable_sort(gaps, std::greater(), &InformativeGap::part);
  return gaps;
}

/// Leaves out rows without a value of a kept column, and marks them.
Expected<void> keep_complete_rows(Frame& frame, const RowSource& source, const Job& job,
                                  Communicator& communicator, std::vector<std::uint8_t>& marks) {
  auto& local = frame.local;
  marks.assign(local.used.size(), 0);
  const auto sources = mapped(frame.columns, &Column::source);
  std::int64_t incomplete = 0;
  const std::int64_t first = local.first_row, last = first + static_cast<std::int64_t>(local.used.size());
  auto read = read_tiles(source, first, last, job, [&](std::int64_t at, const RowBlock& block) {
    for (Eigen::Index r = 0; r < block.values.rows(); ++r) {
      const auto i = static_cast<std::size_t>(at - first + r);
      if (!local.used[i]) continue;
      const bool complete = std::ranges::all_of(sources, [&](std::size_t s) {
        return std::isfinite(block.values(r, static_cast<Eigen::Index>(s)));
      });
      if (!complete) local.used[i] = 0, marks[i] = 1, ++incomplete;
    }
  });
  if (!read) return read;
  if (auto done = communicator.sum({&incomplete, 1}); !done) return forward(done.error());
  frame.rows_incomplete = incomplete;
  return {};
}

void number_kernels(const RowSource& source, Groups& groups) {
  groups.count = source.groups();
  for (std::uint32_t g = 0; g < groups.count; ++g) {
    groups.kernel.push_back(source.kernel_of(g));
    groups.kernels = std::max(groups.kernels, groups.kernel.back() + 1);
  }
}

} // namespace

Expected<Frame> survey_frame(const RowSource& source, const Options& options, Communicator& communicator,
                             const Job& job) {
  Frame frame(source);
  frame.target = target_of(source, options);
  auto done = assign(frame.target_kind, target_kind_of(source, frame.target));
  if (!done) return forward(done.error());
  if (source.rows() == 0)
    return failure(ErrorKind::BadInput, "there are no rows to analyse", {}, {},
                   "Check the filter and the pattern of kernel names.");
  const std::size_t features = source.features().size();
  frame.plan = BlockPlan::for_table(
      source.rows(), static_cast<std::int64_t>(features > kWideTable ? kWideTable / 4 : features));
  number_kernels(source, frame.groups);

  SourceSurvey survey(source.features());
  done = assign(frame.local, load_local(source, frame.plan, communicator, job, survey));
  if (done) done = survey.combine(communicator);
  if (done) done = make_columns(frame, source, options, survey);
  if (!done) return forward(done.error());
  const bool needs_pairs = frame.target_kind == TargetKind::variability;
  frame.candidates = static_cast<std::int64_t>(frame.columns.size());
  if (frame.columns.size() > kWideTable) {
    // Before rows are left out for missing values: with hundreds of columns every row misses one.
    done = select_rows(frame, needs_pairs, communicator, job);
    if (done) done = describe_groups(frame, communicator, job);
    if (done) done = screen_columns(frame, options, communicator, job);
    if (!done) return forward(done.error());
    frame.local.used.assign(frame.local.used.size(), 1);
  }
  // Rows are left out first for missing values, then if they are the only row of their configuration, so that
  // no configuration is left with one row.
  std::vector<std::uint8_t> incomplete;
  done = keep_complete_rows(frame, source, job, communicator, incomplete);
  if (done) done = select_rows(frame, needs_pairs, communicator, job);
  if (done) done = describe_groups(frame, communicator, job);
  if (!done) return forward(done.error());
  bool misses = false;
  for (std::size_t f = 0; f < features; ++f) misses = misses || survey[f].missing > 0;
  if (needs_pairs && misses) {
    auto all = all_rows(frame, incomplete, communicator, job);
    if (!all) return forward(all.error());
    done = assign(frame.part_incomplete, part_on_incomplete(frame, *all, incomplete, communicator));
    if (done) done = assign(frame.gaps, find_gaps(frame, *all, source, survey, communicator, job));
    if (!done) return forward(done.error());
  }
  return frame;
}

} // namespace jitterscope::causal
