#include "core/analysis/bins/bins.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <span>

#include "core/analysis/bins/bin_shard.h"
#include "core/analysis/bins/shard_borders.h"
#include "core/analysis/bins/wide_bins.h"
#include "core/analysis/columns/launch_reader.h"
#include "core/base/exact_sums.h"
#include "core/base/ordered_double.h"

namespace jitterscope::analysis {
namespace {

constexpr std::int64_t kDefaultBins = 2000;
constexpr std::int64_t kMaxListed = 1'000'000; // limit of one engine response: 160 MB
constexpr std::int64_t kMaxRounds = 16;

std::int64_t default_width(Interval span) {
  return std::max<std::int64_t>((span.length().count + kDefaultBins - 1) / kDefaultBins, 1);
}

// Tables are short and every row counts: about a hundred bins of at least ten rows each, so that the values
// in a bin have a spread.
std::int64_t default_rows(Interval span) {
  return std::max<std::int64_t>((span.length().count + 99) / 100, 10);
}

Expected<Bins> frame_of(const Session& session, const LaunchColumns& columns, const BinOptions& options) {
  if (options.metric == "kernel_variability" && !columns.find(options.metric))
    return failure(
        ErrorKind::BadUse, "the table has no durations, so its kernels have no variability", {}, "metric",
        "Name a column to rank by: --metric COLUMN. \"jitterscope info FILES --columns\" lists the columns.");
  const auto* metric = columns.find(options.metric);
  if (!metric || metric->kind == ColumnKind::Text)
    return failure(ErrorKind::BadUse, "there is no numeric column \"" + options.metric + "\" to rank bins by",
                   {}, "metric",
                   columns.instead_of(options.metric,
                                      "Use duration, kernel-variability, memory-stall or a column that "
                                      "\"jitterscope info FILES --columns\" lists."));
  const auto* by = columns.find(options.by);
  if (!options.by.empty() && (!by || by->kind == ColumnKind::Number))
    return failure(
        ErrorKind::BadUse, "bins cannot be divided by \"" + options.by + "\"", {}, "by",
        "Use kernel, configuration, stream, device, rank, process, trace, range or a text column.");
  Bins frame;
  const auto span = session.launch_span();
  frame.by = options.by;
  frame.metric = metric->name;
  frame.unit = metric->unit;
  frame.origin_ns = span.begin.count;
  frame.width_ns = options.width_ns > 0     ? options.width_ns
                   : session.launch_order() ? default_rows(span)
                                            : default_width(span);
  return frame;
}

/// Calls `use(i)` for every i below `count` and polls the job for cancellation.
template <class Use>
Expected<void> for_each_place(std::size_t count, const Job& job, Use&& use) {
  constexpr std::size_t kBetweenChecks = std::size_t{1} << 16;
  for (std::size_t first = 0; first < count; first += kBetweenChecks) {
    if (job.cancelled()) return Job::cancelled_error();
    for (std::size_t i = first, last = std::min(first + kBetweenChecks, count); i < last; ++i) use(i);
  }
  return {};
}

/// Threshold of the `keep` largest keys over all ranks.
struct KeyBorder {
  std::uint64_t key = 0;     ///< smallest key that is kept
  std::int64_t of_equal = 0; ///< number of keys equal to `key`, over all ranks, that are kept
  bool all_equal = true;     ///< whether all keys equal to `key` are kept
};

/// Radix selection: finds the key digit by digit, each counted on all ranks. Collective.
Expected<KeyBorder> largest_keys(std::span<const std::uint64_t> keys, std::int64_t keep,
                                 Communicator& communicator, const Job& job) {
  constexpr int kDigit = 8;
  std::uint64_t prefix = 0;
  bool all_equal = true;
  for (int shift = 64 - kDigit; shift >= 0; shift -= kDigit) {
    std::vector<std::int64_t> counts(std::size_t{1} << kDigit);
    auto counted = for_each_place(keys.size(), job, [&](std::size_t i) {
      if (shift + kDigit == 64 || keys[i] >> (shift + kDigit) == prefix)
        ++counts[(keys[i] >> shift) & (counts.size() - 1)];
    });
    if (!counted) return forward(counted.error());
    if (auto done = communicator.sum(counts); !done) return forward(done.error());
    auto digit = counts.size() - 1;
    while (digit > 0 && counts[digit] < keep) keep -= counts[digit--];
    prefix = prefix << kDigit | digit;
    all_equal = counts[digit] <= keep;
  }
  return KeyBorder{prefix, keep, all_equal};
}

/// Marks the `keep` best bins over all ranks: all bins above a key, and the earliest bins with that key. The
/// groups of one bin are on one rank. Collective.
Expected<void> mark_best(std::vector<Bin>& bins, Statistic by, std::int64_t keep, Communicator& communicator,
                         const Job& job) {
  std::vector<std::uint64_t> keys, early; // the smaller the index, the larger the key
  keys.reserve(bins.size());
  auto keyed =
      for_each_place(bins.size(), job, [&](std::size_t i) { keys.push_back(rank_key(bins[i], by)); });
  if (!keyed) return keyed;
  const auto border = largest_keys(keys, keep, communicator, job);
  if (!border) return forward(border.error());
  KeyBorder earliest;
  if (!border->all_equal) {
    for (std::size_t i = 0; i < bins.size(); ++i)
      if (keys[i] == border->key) early.push_back(~static_cast<std::uint64_t>(bins[i].index));
    auto found = largest_keys(early, border->of_equal, communicator, job);
    if (!found) return forward(found.error());
    earliest = *found;
  }
  return for_each_place(bins.size(), job, [&](std::size_t i) {
    const auto place = ~static_cast<std::uint64_t>(bins[i].index);
    bins[i].kept = keys[i] > border->key ||
                   (keys[i] == border->key &&
                    (place > earliest.key || (place == earliest.key && earliest.of_equal-- > 0)));
  });
}

Expected<std::int64_t> bins_to_keep(const std::vector<Bin>& mine, const BinOptions& options, Bins& result,
                                    Communicator& communicator, const Job& job) {
  std::int64_t counts[3] = {static_cast<std::int64_t>(mine.size()), 0,
                            0}; // bins, bins that can be ranked, launches without a value
  double maximum = 0;
  auto counted = for_each_place(mine.size(), job, [&](std::size_t i) {
    const auto& bin = mine[i];
    counts[1] += rank_key(bin, options.rank_by) > 0;
    counts[2] += bin.launches - bin.statistics.n;
    if (bin.statistics.n > 0) maximum = std::max(maximum, std::abs(bin.statistics.sum));
  });
  if (!counted) return forward(counted.error());
  if (auto done = communicator.sum(counts); !done) return forward(done.error());
  std::int64_t bound[1] = {-ordered_integer(maximum)};
  if (auto done = communicator.minimum(bound); !done) return forward(done.error());
  ExactSums total(1, from_ordered_integer(-bound[0]), counts[0]);
  auto added = for_each_place(mine.size(), job, [&](std::size_t i) {
    if (mine[i].statistics.n > 0) total.add(0, mine[i].statistics.sum);
  });
  if (!added) return forward(added.error());
  auto totals = total.total(communicator);
  if (!totals) return forward(totals.error());
  result.total = totals->front();
  result.count = counts[0];
  result.missing = counts[2];
  auto keep = options.top_count;
  if (keep <= 0)
    keep = std::max(options.min_top,
                    static_cast<std::int64_t>(std::ceil(options.top_share * static_cast<double>(counts[0]))));
  return std::min(keep, counts[1]);
}

/// Sorts the concatenation of the ranks' lists, each already in time order, by time; the groups of a bin keep
/// their order.
template <class List, class IndexOf>
void in_time(List& list, IndexOf&& index_of) {
  const auto earlier = [&](const auto& a, const auto& b) { return index_of(a) < index_of(b); };
  if (!std::is_sorted(list.begin(), list.end(), earlier)) std::stable_sort(list.begin(), list.end(), earlier);
}

// All ranks must agree, so the number depends only on the size of the work.
int rounds_of(const Session& session, const BinOptions& options) {
  if (!options.report_partial) return 1;
  return static_cast<int>(
      std::clamp<std::int64_t>(session.launches() / options.rows_per_round, 1, kMaxRounds));
}

/// Intermediate results after some of the rounds; complete on rank 0. Collective.
Expected<PartialBins> partial_bins(BinShard& shard, const Bins& frame, const BinOptions& options,
                                   double share, Communicator& communicator, const Job& job) {
  const auto requested =
      options.top_count > 0 ? std::min(options.top_count, options.min_top) : options.min_top;
  auto mine = shard.best(requested, options.rank_by, job);
  if (!mine) return forward(mine.error());
  std::int64_t counts[2] = {shard.found(), shard.missing()};
  if (auto done = communicator.sum(counts); !done) return forward(done.error());
  const double sum[1] = {shard.sum()};
  auto sums = communicator.gather<double>(sum);
  if (!sums) return forward(sums.error());
  auto kept = communicator.gather<KeptBin>(*mine);
  if (!kept) return forward(kept.error());
  PartialBins partial{frame, share};
  partial.bins.count = counts[0];
  partial.bins.missing = counts[1];
  partial.bins.total = std::accumulate(sums->begin(), sums->end(), 0.0);
  in_time(*kept, [](const KeptBin& kept_bin) { return kept_bin.bin.index; });
  rank_bins(*kept, options.rank_by);
  std::sort(kept->begin(), kept->end(),
            [](const KeptBin& a, const KeptBin& b) { return a.bin.rank < b.bin.rank; });
  if (kept->size() > static_cast<std::size_t>(requested)) kept->resize(static_cast<std::size_t>(requested));
  partial.bins.kept = std::move(*kept);
  return partial;
}

Expected<void> run_rounds(BinShard& shard, const Bins& frame, const BinOptions& options, int rounds,
                          Communicator& communicator, const Job& job, const ReportPartialBins& report) {
  for (int round = 0; round < rounds; ++round) {
    if (auto done = shard.run(round, communicator, job); !done) return done;
    if (round + 1 == rounds) break;
    auto partial =
        partial_bins(shard, frame, options, static_cast<double>(round + 1) / rounds, communicator, job);
    if (!partial) return forward(partial.error());
    if (communicator.rank() == 0 && report) report(*partial);
  }
  return {};
}

} // namespace

Expected<Bins> compute_bins(const Session& session, const LaunchColumns& columns, const Selection& selection,
                            const BinOptions& options, Communicator& communicator, const Job& job,
                            const ReportPartialBins& report) {
  auto frame = frame_of(session, columns, options);
  if (!frame) return frame;
  const auto span = session.launch_span();
  const std::int64_t bins = session.launches() == 0 ? 0 : span.length().count / frame->width_ns + 1;
  const LaunchReader reader(session, columns, frame->metric);
  std::optional<GroupNumbers> groups;
  if (!options.by.empty()) groups.emplace(session, columns, options.by);
  BinQuestion question{session, columns, selection, *frame, reader, groups ? &*groups : nullptr};
  WideBins wide(question, bins, options.wide_rows);
  question.wide = &wide;
  const auto rounds = rounds_of(session, options);
  if (auto done = wide.compute(communicator, job); !done) return forward(done.error());
  auto borders = shard_borders(question, bins, communicator, job);
  if (!borders) return forward(borders.error());
  BinShard shard(question, std::move(*borders), bins, rounds, options.rows_per_task);
  if (auto done = run_rounds(shard, *frame, options, rounds, communicator, job, report); !done)
    return forward(done.error());
  auto taken = shard.take(job);
  if (!taken) return forward(taken.error());
  auto& mine = *taken;
  auto keep = bins_to_keep(mine, options, *frame, communicator, job);
  if (!keep) return forward(keep.error());
  if (auto done = mark_best(mine, options.rank_by, *keep, communicator, job); !done)
    return forward(done.error());
  auto described = shard.describe(mine, job);
  if (!described) return forward(described.error());
  auto kept = communicator.gather<KeptBin>(*described);
  if (!kept) return forward(kept.error());
  frame->kept = std::move(*kept);
  in_time(frame->kept, [](const KeptBin& kept_bin) { return kept_bin.bin.index; });
  rank_bins(frame->kept, options.rank_by);
  std::sort(frame->kept.begin(), frame->kept.end(),
            [](const KeptBin& a, const KeptBin& b) { return a.bin.rank < b.bin.rank; });
  frame->listed = options.all && frame->count <= kMaxListed;
  if (!frame->listed) return frame;
  auto all = communicator.gather<Bin>(mine);
  if (!all) return forward(all.error());
  frame->bins = std::move(*all);
  in_time(frame->bins, [](const Bin& bin) { return bin.index; });
  rank_bins(frame->bins, options.rank_by);
  return frame;
}

} // namespace jitterscope::analysis
