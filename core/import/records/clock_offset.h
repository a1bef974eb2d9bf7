#pragma once

#include <cstdint>
#include <optional>

#include "core/base/spill_vector.h"
#include "core/import/records/draft.h"
#include "core/import/records/row_issues.h"
#include "core/store/trace/manifest.h"

namespace jitterscope::import {

/// Offset of a device's clock relative to its host's clock, from the time between the entry of each
/// call and the start of its activity. Nothing where the clocks may be the same: activities that queue behind
/// others wait no longer than the device is busy (`busy`: from the first to the last activity), and few
/// activities begin before their calls. The shortest delay is then taken as zero, so that remaining delays
/// are lower bounds.
std::optional<std::int64_t> clock_offset(SpillVector<std::int64_t> delays, std::int64_t busy);

/// Examines launches and transfers from `from` on that begin before their calls. If the clocks of host and
/// device differ by a constant it does nothing, as join_clocks() corrects that; else activities that also
/// ended before their calls are unlinked, and both kinds are reported as doubtful.
void check_calls(Draft& draft, const DraftSizes& from, RowIssues& issues);

/// Shifts launches and transfers of one file (rows `from` to `to`, linked to their calls) to the clock of
/// its calls where the two differ by a constant, and reports that. The earliest time of the file stays the
/// same.
void join_clocks(Draft& draft, const DraftSizes& from, const DraftSizes& to, store::Source& source);

} // namespace jitterscope::import
