#pragma once

#include <cstddef>

#include "core/import/records/draft.h"
#include "core/import/records/row_issues.h"

namespace jitterscope::import {

/// Repairs units: Nsight Systems names its counters of clocks "GPC Clock Frequency [MHz]" and stores their
/// values in Hz. From the given counter and sample on, counters in MHz with a value too large for a clock in
/// MHz become counters in Hz, without the unit in their name.
void settle_clock_units(Draft& draft, std::size_t first_counter, std::size_t first_sample, RowIssues& issues);

} // namespace jitterscope::import
