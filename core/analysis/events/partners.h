#pragma once

#include <cstdint>
#include <vector>

#include "core/analysis/columns/columns.h"

namespace jitterscope::analysis {

/// The launch on another device that corresponds to a given launch of the same kernel, by index or by
/// overlap. In a collective, one of the two waits for the other.
struct Partner {
  std::int64_t row = 0;      ///< session row of the launch
  std::int64_t start_ns = 0; ///< start on the session's axis
  std::int64_t duration_ns = 0;
  std::int64_t overlap_ns = 0; ///< time during which both launches run; 0 if they do not overlap
  double rank = 0, device = 0; ///< rank of the process, number of the device; NaN where unknown
  bool by_occurrence = false;  ///< matched by index among the device's launches of the kernel, not by time
};

/// One partner on each other device, in the order of traces, ranks and devices. If a device ran the
/// kernel equally often, the partner is the launch with the same index: collectives are called in the
/// same order everywhere, and clocks of several files may disagree. Else it is the launch with the
/// longest overlap; a device without any overlap has no partner. Reads every launch; in sessions of more
/// than kMaxCounted launches, only those near it in time. Errors: BadUse (no such row, tables without
/// times).
Expected<std::vector<Partner>> partners(const Session& session, const LaunchColumns& columns,
                                        std::int64_t row, const Job& job = {});
inline constexpr std::int64_t kMaxCounted = 20'000'000;

} // namespace jitterscope::analysis
