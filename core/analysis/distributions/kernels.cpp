#include "core/analysis/distributions/kernels.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/analysis/distributions/duration_sums.h"
#include "core/analysis/statistics/quantile_search.h"

namespace jitterscope::analysis {
namespace {

constexpr double kPartsPerNs = 1 << 20; // variability is summed as integers: independent of order
const std::vector<double> kProbabilities = {0.25, 0.5, 0.75, 0.9, 0.99, 0.999};

/// Sums per configuration over the selected launches, from which the table is computed.
class KernelSums {
public:
  explicit KernelSums(const Session& session)
      : threads(threads_of_rank(), std::vector<DurationSums>(session.configurations().size())) {
    for (const auto& c : session.configurations())
      means_.push_back(c.measured > 1 ? c.mean_ns() : std::numeric_limits<double>::quiet_NaN());
  }

  void add(std::size_t thread, std::uint32_t configuration, std::int64_t duration) {
    auto& sums = threads[thread][configuration];
    ++sums.launches;
    if (duration == store::kMissingDuration) return;
    sums.add(duration);
    const double parts = std::abs(static_cast<double>(duration) - means_[configuration]) * kPartsPerNs + 0.5;
    if (parts < kMaxShortParts)
      sums.variability += static_cast<std::uint64_t>(parts); // faster than 128-bit arithmetic
    else if (!std::isnan(parts))
      sums.variability += static_cast<UInt128>(parts);
  }

  std::vector<std::vector<DurationSums>> threads; ///< by thread and configuration

private:
  static constexpr double kMaxShortParts = 9.2e18; // below 2⁶³
  /// Per configuration [ns]; NaN for configurations that ran only once.
  std::vector<double> means_;
};

KernelRow row_of(const DurationSums& s) {
  KernelRow row;
  row.launches = s.launches;
  row.variability_sum = static_cast<double>(s.variability) / kPartsPerNs;
  row.duration = s.statistics();
  return row;
}

std::vector<KernelRow> rows_of(const Session& session, const std::vector<DurationSums>& configurations) {
  std::vector<DurationSums> kernels(session.kernels().size());
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
  auto walked =
      for_each_duration(session, columns, selection, blocks, job,
                        [&](std::size_t thread, std::size_t, std::size_t, std::uint32_t configuration,
                            std::int64_t duration) { sums.add(thread, configuration, duration); });
  if (!walked) return forward(walked.error());
  auto total = total_of(std::move(sums.threads), communicator);
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
        for_each_duration(session, columns, selection, blocks, job,
                          [&](std::size_t thread, std::size_t, std::size_t, std::uint32_t configuration,
                              std::int64_t duration) {
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
