#pragma once

#include <string_view>

#include "core/import/records/draft.h"
#include "core/import/records/row_issues.h"

namespace jitterscope::import {

/// Reports times that were written with too few digits, for launches from `from` on: all durations are whole
/// multiples of a power of ten (1 us and more) that is a sizeable part of them, or most starts equal their
/// predecessor. A few launches are inconclusive. `source` is for the message; `timed`: launches have a start.
void doubt_rounded_times(const Draft& draft, const DraftSizes& from, std::string_view source,
                         RowIssues& issues, bool timed = true);

} // namespace jitterscope::import
