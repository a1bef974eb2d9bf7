#include "core/reasons/rows/typical_rows.h"

namespace jitterscope::analysis {

Expected<TypicalRows> TypicalRows::make(const Session& session, const LaunchColumns& columns,
                                        const Job& job) {
  if (auto known = columns.prepare_call_sites(job); !known) return forward(known.error());
  auto windows = TypicalWindows::make(session, job);
  if (!windows) return forward(windows.error());
  auto bursts = BurstCounters::make(session, columns, job);
  if (!bursts) return forward(bursts.error());
  return TypicalRows{std::move(*windows), std::move(*bursts)};
}

} // namespace jitterscope::analysis
