#pragma once

#include <string_view>

#include "core/import/records/draft.h"
#include "core/import/records/row_issues.h"

namespace jitterscope::import {

/// Doubts times that were written with too few digits, of launches from `from` on: all durations are whole
/// multiples of a power of ten (1 us and more) that is no small part of them, or most starts repeat the one
/// before. A few launches show nothing. `source` is for the message; `timed`: launches have a start.
void doubt_rounded_times(const Draft& draft, const DraftSizes& from, std::string_view source,
                         RowIssues& issues, bool timed = true);

} // namespace jitterscope::import
