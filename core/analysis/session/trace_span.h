#pragma once

#include <optional>

#include "core/store/format/store.h"

namespace jitterscope::analysis {

/// Covers all launches, transfers, calls, ranges and messages of a trace, in times of its store, until the
/// end of the recording if its files state one; nullopt without these rows. What happened outside is not
/// recorded.
std::optional<Interval> span_of(const store::Store& store);

} // namespace jitterscope::analysis
