#include "core/analysis/kernels.h"

#include <algorithm>
#include <cmath>

namespace jitterscope::analysis {
namespace {

constexpr std::int64_t kChunk = 1 << 17;

/// Calls `use(kernel, configuration, duration)` for every selected launch, in row order.
template <class Use>
Expected<void> for_each_selected(const Session& session, const LaunchColumns& columns,
                                 const Selection& selection, const Job& job, Use&& use) {
  for (std::int64_t first = 0; first < session.launches(); first += kChunk) {
    if (job.cancelled()) return Job::cancelled_error();
    job.progress(first, session.launches(), "kernels");
    for (const auto& segment : session.segments(first, std::min(first + kChunk, session.launches()))) {
      const Trace& trace = session.traces()[segment.trace];
      const auto mask = selection.select(session, columns, segment);
      const auto durations = trace.durations();
      const auto configurations = trace.configurations();
      for (std::int64_t row = segment.first; row < segment.last; ++row) {
        if (!mask[static_cast<std::size_t>(row - segment.first)]) continue;
        const auto r = static_cast<std::size_t>(row);
        const auto configuration = trace.configuration[configurations[r]];
        use(session.configurations()[configuration].kernel, configuration, durations[r]);
      }
    }
  }
  return {};
}

} // namespace

Expected<std::vector<KernelRow>> kernel_table(const Session& session, const LaunchColumns& columns,
                                              const Selection& selection, Communicator& communicator,
                                              const Job& job) {
  // Kernels are dealt out by number; every rank walks all rows of the shared mapping and keeps its own
  // kernels'.
  const auto size = static_cast<std::uint32_t>(communicator.size()),
             rank = static_cast<std::uint32_t>(communicator.rank());
  std::vector<std::vector<double>> durations(session.kernels().size());
  std::vector<KernelRow> rows(session.kernels().size());
  std::vector<std::uint8_t> seen(session.configurations().size());
  auto walked =
      for_each_selected(session, columns, selection, job,
                        [&](std::uint32_t kernel, std::uint32_t configuration, std::int64_t duration) {
                          if (kernel % size != rank) return;
                          const auto& c = session.configurations()[configuration];
                          auto& row = rows[kernel];
                          ++row.launches;
                          if (!seen[configuration]) ++row.configurations;
                          seen[configuration] = 1;
                          if (duration == store::kMissingDuration) return;
                          durations[kernel].push_back(static_cast<double>(duration));
                          if (c.measured > 1)
                            row.variability_sum += std::abs(static_cast<double>(duration) - c.mean_ns());
                          else
                            ++row.run_once;
                        });
  if (!walked) return forward(walked.error());
  std::vector<KernelRow> mine;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    auto& values = durations[k];
    auto& row = rows[k];
    if (row.launches == 0) continue;
    row.kernel = static_cast<std::uint32_t>(k);
    row.duration = statistics_of(values);
    std::sort(values.begin(), values.end());
    row.p75 = quantile_of_sorted(values, 0.75);
    row.p90 = quantile_of_sorted(values, 0.90);
    row.p99 = quantile_of_sorted(values, 0.99);
    row.p999 = quantile_of_sorted(values, 0.999);
    mine.push_back(row);
    std::vector<double>().swap(values);
  }
  auto all = communicator.gather<KernelRow>(mine);
  if (!all) return forward(all.error());
  std::sort(all->begin(), all->end(),
            [](const KernelRow& a, const KernelRow& b) { return a.kernel < b.kernel; });
  return all;
}

} // namespace jitterscope::analysis
