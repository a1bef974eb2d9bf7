#pragma once

#include <cstdint>

#include "core/store/tracks/track_index.h"

namespace jitterscope::analysis {

/// Length of the union of the events of a series in [begin, end) ns, times of the store. Exact: tiles inside
/// the range give the sums of their bins, the rest is read event by event; about 2 · kTileEvents events at
/// each border.
std::uint64_t union_length(const store::Series& series, std::int64_t begin, std::int64_t end);

} // namespace jitterscope::analysis
