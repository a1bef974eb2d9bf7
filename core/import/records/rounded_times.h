#pragma once

#include <string_view>

#include "core/import/records/draft.h"
#include "core/import/records/row_issues.h"

namespace jitterscope::import {

/// Reports times that were written with too few digits, for launches from `from` on: all durations are
/// multiples of a power of ten (1 µs or more) that exceeds 1 % of their median, at least half of the starts
/// equal the previous one, or all durations are 0. The first two are reported from 20 launches on. `source`
/// is for the message; `timed`: launches have a start.
void doubt_rounded_times(const Draft& draft, const DraftSizes& from, std::string_view source,
                         RowIssues& issues, bool timed = true);

} // namespace jitterscope::import
