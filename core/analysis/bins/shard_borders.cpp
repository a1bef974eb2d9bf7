#include "core/analysis/bins/shard_borders.h"

#include <algorithm>
#include <numeric>

#include "core/analysis/bins/wide_bins.h"

namespace jitterscope::analysis {
namespace {

constexpr std::int64_t kStretches = 1'024;
constexpr std::int64_t kProbed = 64; // rows sampled per interval and trace

// Costs of a row relative to kSelected: a selected row is read, filtered and added to the quartiles of its
// bin; another row is read and filtered, or skipped by its time.
constexpr std::int64_t kSelected = 256, kFiltered = 112, kPassed = 1;

Interval time_of(const BinQuestion& question, std::int64_t first, std::int64_t last) {
  return {{question.start_of(first)}, {question.start_of(last)}};
}

std::int64_t cost_of(const BinQuestion& question, const Segment& stretch, RowFilter::Buffers& buffers) {
  const auto rows = stretch.rows();
  if (rows == 0) return 0;
  if (!question.filter.may_meet(stretch)) return rows * kPassed;
  // The sample is a few runs spread over the interval: neighbouring rows are similar.
  constexpr std::int64_t runs = 8;
  std::int64_t probed = 0, selected = 0;
  for (std::int64_t run = 0; run < runs; ++run) {
    Segment probe = stretch;
    probe.first += rows * run / runs;
    probe.last = std::min(probe.first + kProbed / runs, stretch.last);
    std::uint8_t mask[kProbed / runs];
    question.filter.select(probe, mask, buffers);
    probed += probe.rows();
    selected += std::accumulate(mask, mask + probe.rows(), std::int64_t{0});
  }
  return rows * kFiltered + rows * (kSelected - kFiltered) * selected / std::max<std::int64_t>(probed, 1);
}

/// Bin at which the number of preceding rows reaches `requested`. Rows of wide bins are not counted: all
/// ranks share them anyway.
std::int64_t bin_of_row(const BinQuestion& question, std::int64_t bins, std::int64_t requested) {
  const auto& session = question.session;
  std::int64_t low = 0, high = bins;
  while (low < high) {
    const auto middle = low + (high - low) / 2;
    std::int64_t rows = 0;
    const Interval before{session.launch_span().begin, {question.start_of(middle)}};
    for (const auto& segment : session.launches_in(before)) rows += segment.rows();
    if (question.wide) rows -= question.wide->rows_before(middle);
    if (rows < requested)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

} // namespace

Expected<std::vector<std::int64_t>> shard_borders(const BinQuestion& question, std::int64_t bins,
                                                  Communicator& communicator, const Job& job) {
  const int size = communicator.size();
  std::vector<std::int64_t> borders(static_cast<std::size_t>(size) + 1, bins);
  borders.front() = 0;
  if (size == 1) return borders;
  if (question.selection.everything()) {
    const auto rows = question.session.launches() - (question.wide ? question.wide->rows() : 0);
    for (int rank = 1; rank < size; ++rank)
      borders[static_cast<std::size_t>(rank)] = bin_of_row(question, bins, share_of(rows, rank, size).first);
    return borders;
  }
  const auto stretches = std::min(bins, kStretches);
  const auto first_of = [&](std::int64_t stretch) {
    return share_of(bins, static_cast<int>(stretch), static_cast<int>(stretches)).first;
  };
  std::vector<std::int64_t> cost(static_cast<std::size_t>(stretches), 0);
  const auto mine = share_of(stretches, communicator.rank(), size);
  RowFilter::Buffers buffers;
  for (auto s = mine.first; s < mine.last; ++s) {
    if (job.cancelled()) return Job::cancelled_error();
    std::vector<std::pair<std::int64_t, std::int64_t>> parts{
        {first_of(s), s + 1 < stretches ? first_of(s + 1) : bins}};
    if (question.wide) parts = question.wide->without(parts.front().first, parts.front().second);
    for (const auto& [first, last] : parts)
      for (const auto& segment : question.session.launches_in(time_of(question, first, last)))
        cost[static_cast<std::size_t>(s)] += cost_of(question, segment, buffers);
  }
  if (auto done = communicator.sum(cost); !done) return forward(done.error());
  const auto total = std::accumulate(cost.begin(), cost.end(), std::int64_t{0});
  std::int64_t before = 0, s = 0;
  for (int rank = 1; rank < size; ++rank) {
    const auto requested = share_of(total, rank, size).first;
    while (s < stretches && before + cost[static_cast<std::size_t>(s)] < requested)
      before += cost[static_cast<std::size_t>(s++)];
    if (s == stretches) break; // no cost remains from here on
    const auto first = first_of(s), last = s + 1 < stretches ? first_of(s + 1) : bins;
    const auto of_stretch = std::max<std::int64_t>(cost[static_cast<std::size_t>(s)], 1);
    const double part = static_cast<double>(requested - before) / static_cast<double>(of_stretch);
    borders[static_cast<std::size_t>(rank)] =
        std::clamp(first + static_cast<std::int64_t>(part * static_cast<double>(last - first)),
                   borders[static_cast<std::size_t>(rank) - 1], bins);
  }
  return borders;
}

} // namespace jitterscope::analysis
