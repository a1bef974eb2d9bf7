#include "core/analysis/distributions/kernels.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/analysis/session/row_blocks.h"
#include "core/analysis/statistics/quantile_search.h"
#include "core/base/time.h"

namespace jitterscope::analysis {
namespace {

constexpr double kPartsPerNs = 1 << 20; // variability is summed as integers: independent of order
const std::vector<double> kProbabilities = {0.25, 0.5, 0.75, 0.9, 0.99, 0.999};

/// Sums over launches, exact in any order.
struct Sums {
  std::int64_t launches = 0, measured = 0, duration = 0;
  std::int64_t low = std::numeric_limits<std::int64_t>::max(), high = -1;
  UInt128 squares = 0, variability = 0;

  void add(const Sums& other) {
    launches += other.launches;
    measured += other.measured;
    duration += other.duration;
    low = std::min(low, other.low);
    high = std::max(high, other.high);
    squares += other.squares;
    variability += other.variability;
  }
};

/// Sums per configuration over the selected launches, from which the table is computed.
class KernelSums {
public:
  explicit KernelSums(const Session& session)
      : threads_(threads_of_rank(), std::vector<Sums>(session.configurations().size())) {
    for (const auto& c : session.configurations())
      means_.push_back(c.measured > 1 ? c.mean_ns() : std::numeric_limits<double>::quiet_NaN());
  }

  void add(std::size_t thread, std::uint32_t configuration, std::int64_t duration) {
    auto& sums = threads_[thread][configuration];
    ++sums.launches;
    if (duration == store::kMissingDuration) return;
    ++sums.measured;
    sums.duration += duration;
    sums.low = std::min(sums.low, duration);
    sums.high = std::max(sums.high, duration);
    sums.squares += static_cast<UInt128>(duration) * static_cast<UInt128>(duration);
    const double parts = std::abs(static_cast<double>(duration) - means_[configuration]) * kPartsPerNs + 0.5;
    if (parts < kMaxShortParts)
      sums.variability += static_cast<std::uint64_t>(parts); // faster than 128-bit arithmetic
    else if (!std::isnan(parts))
      sums.variability += static_cast<UInt128>(parts);
  }

  /// Sums per configuration over all ranks.
  Expected<std::vector<Sums>> total(Communicator& communicator) {
    auto& all = threads_.front();
    for (std::size_t t = 1; t < threads_.size(); ++t)
      for (std::size_t c = 0; c < all.size(); ++c) all[c].add(threads_[t][c]);
    std::vector<std::int64_t> numbers, ranges;
    for (const auto& s : all) {
      numbers.insert(numbers.end(), {s.launches, s.measured, s.duration});
      for (const auto wide : {s.squares, s.variability}) // in 32-bit pieces, so that sums do not overflow
        for (int shift = 0; shift < 128; shift += 32)
          numbers.push_back(static_cast<std::int64_t>((wide >> shift) & 0xFFFFFFFFu));
      ranges.insert(ranges.end(), {s.low, -s.high});
    }
    if (auto done = communicator.sum(numbers); !done) return forward(done.error());
    if (auto done = communicator.minimum(ranges); !done) return forward(done.error());
    const auto* at = numbers.data();
    for (std::size_t c = 0; c < all.size(); ++c) {
      auto& s = all[c];
      s.launches = *at++, s.measured = *at++, s.duration = *at++;
      for (auto* wide : {&s.squares, &s.variability}) {
        *wide = 0;
        for (int shift = 0; shift < 128; shift += 32) *wide += static_cast<UInt128>(*at++) << shift;
      }
      s.low = ranges[2 * c];
      s.high = -ranges[2 * c + 1];
    }
    return std::move(all);
  }

private:
  static constexpr double kMaxShortParts = 9.2e18; // below 2⁶³
  /// Per configuration [ns]; NaN for configurations that ran only once.
  std::vector<double> means_;
  std::vector<std::vector<Sums>> threads_;
};

/// Calls `use(thread, configuration, duration)` for every selected launch of this rank's share.
template <class Use>
Expected<void> for_each_selected(const Session& session, const LaunchColumns& columns,
                                 const Selection& selection, const RowBlocks& blocks, const Job& job,
                                 Use&& use) {
  return blocks.for_each(job, "kernels",
                         [&](std::size_t thread, std::size_t, const std::vector<Segment>& segments) {
                           constexpr std::size_t kPiece = 2'048;
                           std::int64_t durations[kPiece];
                           std::uint32_t configurations[kPiece];
                           for (const auto& segment : segments) {
                             const Trace& trace = session.traces()[segment.trace];
                             const auto all_durations = trace.durations();
                             const auto all_configurations = trace.configurations();
                             if (!selection.may_meet(session, segment)) continue;
                             std::vector<std::uint8_t> mask;
                             if (!selection.everything()) mask = selection.select(session, columns, segment);
                             const auto rows = static_cast<std::size_t>(segment.rows()),
                                        first = static_cast<std::size_t>(segment.first);
                             for (std::size_t at = 0; at < rows; at += kPiece) {
                               const auto count = std::min(kPiece, rows - at);
                               all_durations.read(first + at, first + at + count, durations);
                               all_configurations.read(first + at, first + at + count, configurations);
                               for (std::size_t i = 0; i < count; ++i)
                                 if (mask.empty() || mask[at + i])
                                   use(thread, trace.configuration[configurations[i]], durations[i]);
                             }
                           }
                         });
}

// Sums of squares relative to an integer near the mean stay exact; the remainder of the mean is small.
double variance_of(const Sums& s) {
  if (s.measured < 2) return std::numeric_limits<double>::quiet_NaN();
  const auto n = static_cast<Int128>(s.measured);
  const auto centre = static_cast<Int128>(s.duration / s.measured);
  const auto around =
      static_cast<Int128>(s.squares) - 2 * centre * static_cast<Int128>(s.duration) + n * centre * centre;
  const auto rest = static_cast<long double>(static_cast<Int128>(s.duration) - n * centre);
  const auto squares = static_cast<long double>(around) - rest * rest / static_cast<long double>(n);
  return static_cast<double>(std::max(squares, 0.0L) / static_cast<long double>(n - 1));
}

KernelRow row_of(const Sums& s) {
  KernelRow row;
  row.launches = s.launches;
  row.variability_sum = static_cast<double>(s.variability) / kPartsPerNs;
  auto& d = row.duration;
  d = statistics_of(std::span<const double>());
  d.n = s.measured;
  if (d.n == 0) return row;
  d.sum = static_cast<double>(s.duration);
  d.min = static_cast<double>(s.low);
  d.max = static_cast<double>(s.high);
  d.mean = d.sum / static_cast<double>(d.n);
  d.variance = variance_of(s);
  d.std = std::sqrt(d.variance);
  d.cv = d.mean != 0 ? d.std / d.mean : std::numeric_limits<double>::quiet_NaN();
  return row;
}

std::vector<KernelRow> rows_of(const Session& session, const std::vector<Sums>& configurations) {
  std::vector<Sums> kernels(session.kernels().size());
  std::vector<std::int64_t> used(kernels.size()), run_once(kernels.size());
  for (std::size_t c = 0; c < configurations.size(); ++c) {
    const auto& configuration = session.configurations()[c];
    kernels[configuration.kernel].add(configurations[c]);
    used[configuration.kernel] += configurations[c].launches > 0;
    if (configuration.measured <= 1) run_once[configuration.kernel] += configurations[c].measured;
  }
  std::vector<KernelRow> rows;
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    rows.push_back(row_of(kernels[k]));
    rows.back().kernel = static_cast<std::uint32_t>(k);
    rows.back().configurations = used[k];
    rows.back().run_once = run_once[k];
  }
  return rows;
}

} // namespace

Expected<std::vector<KernelRow>> kernel_table(const Session& session, const LaunchColumns& columns,
                                              const Selection& selection, Communicator& communicator,
                                              const Job& job) {
  const RowBlocks blocks(session, communicator);
  KernelSums sums(session);
  auto walked = for_each_selected(session, columns, selection, blocks, job,
                                  [&](std::size_t thread, std::uint32_t configuration,
                                      std::int64_t duration) { sums.add(thread, configuration, duration); });
  if (!walked) return forward(walked.error());
  auto total = sums.total(communicator);
  if (!total) return forward(total.error());
  auto rows = rows_of(session, *total);
  std::vector<QuantileSearch::Group> groups;
  for (const auto& row : rows) groups.push_back({row.duration.n, row.duration.min, row.duration.max});
  QuantileSearch search(std::move(groups), kProbabilities, threads_of_rank(),
                        QuantileSearch::Values::Integers);
  std::vector<std::uint32_t> kernel_of; // by configuration
  for (const auto& configuration : session.configurations()) kernel_of.push_back(configuration.kernel);
  while (search.open()) {
    auto passed =
        for_each_selected(session, columns, selection, blocks, job,
                          [&](std::size_t thread, std::uint32_t configuration, std::int64_t duration) {
                            if (duration == store::kMissingDuration) return;
                            search.add(thread, kernel_of[configuration], static_cast<double>(duration));
                          });
    if (!passed) return forward(passed.error());
    if (auto closed = search.close_pass(communicator, job); !closed) return forward(closed.error());
  }
  if (communicator.rank() != 0) return std::vector<KernelRow>();
  std::erase_if(rows, [](const KernelRow& row) { return row.launches == 0; });
  for (auto& row : rows) {
    auto& d = row.duration;
    double* const found[] = {&d.q1, &d.median, &d.q3, &row.p90, &row.p99, &row.p999};
    for (std::size_t p = 0; p < kProbabilities.size(); ++p) *found[p] = search.quantile(row.kernel, p);
    d.iqr = d.q3 - d.q1;
    row.p75 = d.q3;
  }
  return rows;
}

} // namespace jitterscope::analysis
