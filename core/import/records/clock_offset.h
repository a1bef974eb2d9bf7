#pragma once

#include <cstdint>
#include <optional>

#include "core/base/spill_vector.h"
#include "core/import/records/draft.h"
#include "core/import/records/row_issues.h"
#include "core/store/trace/manifest.h"

namespace jitterscope::import {

/// How far the clock of a device is ahead of the clock of its host, from the time between the entry of each
/// call and the start of what it asked for. Nothing where the clocks may be the same: work that waits behind
/// other work waits no longer than the device is busy (`busy`: from the first to the last activity), and few
/// activities begin before their calls. The shortest delay then counts as none, so that delays that remain
/// are lower bounds.
std::optional<std::int64_t> clock_offset(SpillVector<std::int64_t> delays, std::int64_t busy);

/// Examines launches and transfers from `from` on that begin before their calls. Where the clocks of host and
/// device are a constant apart nothing happens, for join_clocks() corrects that; else those that had even
/// ended are unlinked, and both are counted as doubts.
void check_calls(Draft& draft, const DraftSizes& from, RowIssues& issues);

/// Moves launches and transfers of one file (rows `from` to `to`, linked to their calls) onto the clock of
/// its calls where the two are a constant apart, and reports that. The file's first row keeps its place.
void join_clocks(Draft& draft, const DraftSizes& from, const DraftSizes& to, store::Source& source);

} // namespace jitterscope::import
