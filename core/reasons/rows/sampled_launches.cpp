#include "core/reasons/rows/sampled_launches.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/analysis/session/row_blocks.h"
#include "core/base/stratified_sample.h"

namespace jitterscope::analysis {
namespace {

// Evaluates the selection on whole 64-row words, so that no word is shared by two ranks.
Expected<std::vector<std::uint64_t>> selected_bits(const Session& session, const LaunchColumns& columns,
                                                   const Selection& selection, Communicator& communicator,
                                                   const Job& job) {
  const std::int64_t words = (session.launches() + 63) / 64;
  const auto share = share_of(words, communicator.rank(), communicator.size());
  std::vector<std::uint64_t> mine(static_cast<std::size_t>(share.last - share.first));
  const std::int64_t begin = share.first * 64, end = std::min(share.last * 64, session.launches());
  for (std::int64_t first = begin; first < end; first += RowBlocks::kRows) {
    if (job.cancelled()) return Job::cancelled_error();
    for (const auto& segment : session.segments(first, std::min(first + RowBlocks::kRows, end))) {
      const auto mask = selection.select(session, columns, segment);
      const std::int64_t row = session.traces()[segment.trace].first_launch + segment.first - begin;
      for (std::size_t i = 0; i < mask.size(); ++i) {
        const auto at = static_cast<std::size_t>(row) + i;
        mine[at / 64] |= std::uint64_t{mask[i]} << (at % 64);
      }
    }
  }
  return communicator.all_gather<std::uint64_t>(mine);
}

} // namespace

Expected<SampledLaunches> SampledLaunches::make(const Session& session, const LaunchColumns& columns,
                                                const Selection& selection, Communicator& communicator,
                                                const Job& job) {
  auto bits = selected_bits(session, columns, selection, communicator, job);
  if (!bits) return forward(bits.error());
  SampledLaunches launches;
  launches.bits_ = std::move(*bits);
  launches.number_rows();
  launches.selected_ = launches.rows_;
  return launches;
}

void SampledLaunches::number_rows() {
  rows_ = 0;
  selected_before_.clear();
  for (const auto word : bits_) {
    selected_before_.push_back(rows_);
    rows_ += std::popcount(word);
  }
}

std::vector<SampledLaunches::Stretch> SampledLaunches::stretches() const {
  const auto words = static_cast<std::size_t>(stretch_ / 64);
  std::vector<Stretch> filled;
  for (std::size_t first = 0; first < bits_.size(); first += words) {
    const std::size_t last = std::min(first + words, bits_.size());
    std::int64_t rows = 0;
    for (std::size_t word = first; word < last; ++word) rows += std::popcount(bits_[word]);
    if (rows > 0) filled.push_back({first, last, rows, 0});
  }
  return filled;
}

/// Sums |duration − typical duration| [ns] over the selected launches; launches of configurations with
/// unknown typical duration add nothing.
Expected<void> SampledLaunches::add_variability(const Session& session, const TypicalWindows& typical,
                                                std::vector<Stretch>& stretches, Communicator& communicator,
                                                const Job& job) const {
  const auto share =
      share_of(static_cast<std::int64_t>(stretches.size()), communicator.rank(), communicator.size());
  std::vector<double> mine;
  for (std::int64_t s = share.first; s < share.last; ++s) {
    if (job.cancelled()) return Job::cancelled_error();
    const Stretch& stretch = stretches[static_cast<std::size_t>(s)];
    const auto begin = static_cast<std::int64_t>(stretch.first_word) * 64;
    double sum = 0;
    for (const auto& segment : session.segments(
             begin, std::min(static_cast<std::int64_t>(stretch.last_word) * 64, session.launches()))) {
      const Trace& trace = session.traces()[segment.trace];
      const auto durations = trace.durations();
      const auto configurations = trace.configurations();
      for (std::int64_t row = segment.first; row < segment.first + segment.rows(); ++row) {
        const auto at = static_cast<std::size_t>(row);
        const std::int64_t usual = typical.typical_duration(trace.configuration[configurations[at]]);
        if (usual < 0 || durations[at] == store::kMissingDuration || !contains(trace.first_launch + row))
          continue;
        sum += std::fabs(static_cast<double>(durations[at]) - static_cast<double>(usual));
      }
    }
    mine.push_back(sum);
  }
  auto all = communicator.all_gather<double>(mine);
  if (!all) return forward(all.error());
  for (std::size_t s = 0; s < stretches.size(); ++s) stretches[s].variability = (*all)[s];
  return {};
}

// Keeps one of every n runs with selected rows, so that clustered selections are also sampled evenly.
Expected<void> SampledLaunches::sample(const Session& session, const TypicalWindows& typical,
                                       const SampleSize& requested, Communicator& communicator,
                                       const Job& job) {
  constexpr double kAlike = 0.05;
  if (requested.rows <= 0 || rows_ <= requested.rows) return {};
  while (stretch_ > 64 && requested.rows / stretch_ < 64) stretch_ /= 2;
  auto filled = stretches();
  if (requested.limit > requested.rows && session.has_durations())
    if (auto done = add_variability(session, typical, filled, communicator, job); !done) return done;
  const auto mean_of = [](const std::vector<Stretch>& of) {
    double variability = 0, rows = 0;
    for (const auto& stretch : of)
      variability += stretch.variability, rows += static_cast<double>(stretch.rows);
    return variability / rows;
  };
  std::vector<Stretch> kept;
  for (std::int64_t maximum = requested.rows;; maximum = std::min(2 * maximum, requested.limit)) {
    const double share = static_cast<double>(maximum) / static_cast<double>(rows_);
    const auto runs = static_cast<std::int64_t>(filled.size());
    kept.clear();
    for (const auto run :
         stratified_sample(runs, static_cast<std::int64_t>(std::ceil(static_cast<double>(runs) * share))))
      kept.push_back(filled[static_cast<std::size_t>(run)]);
    if (maximum >= requested.limit || kept.size() == filled.size()) break;
    if (std::fabs(mean_of(kept) - mean_of(filled)) <= kAlike * mean_of(filled)) break;
  }
  std::vector<std::uint64_t> bits(bits_.size(), 0);
  for (const auto& stretch : kept)
    std::copy(bits_.begin() + static_cast<std::ptrdiff_t>(stretch.first_word),
              bits_.begin() + static_cast<std::ptrdiff_t>(stretch.last_word),
              bits.begin() + static_cast<std::ptrdiff_t>(stretch.first_word));
  bits_ = std::move(bits);
  number_rows();
  return {};
}

std::vector<std::int64_t> SampledLaunches::session_rows(std::int64_t first, std::int64_t count) const {
  std::vector<std::int64_t> rows;
  rows.reserve(static_cast<std::size_t>(count));
  const auto above = std::upper_bound(selected_before_.begin(), selected_before_.end(), first);
  auto word = static_cast<std::size_t>(above - selected_before_.begin()) - 1;
  std::int64_t skip = first - selected_before_[word];
  for (; word < bits_.size() && static_cast<std::int64_t>(rows.size()) < count; ++word)
    for (auto bits = bits_[word]; bits != 0 && static_cast<std::int64_t>(rows.size()) < count;
         bits &= bits - 1)
      if (skip-- <= 0) rows.push_back(static_cast<std::int64_t>(word) * 64 + std::countr_zero(bits));
  return rows;
}

} // namespace jitterscope::analysis
