#pragma once

#include "core/efficiency/cut/copy.h"

namespace jitterscope::efficiency {

/// Software counters (models.md 5.5) for what a filter drops: on each track that stays, the dropped events of
/// each name are counted, and a counter NAME_counter gets a sample at the begin of each burst, with what was
/// counted since the last emission, and at its end, with what was counted inside it; once a counter has
/// counted anything it has a sample at every border. What follows the last burst is emitted at the end of the
/// last dropped event, so that the samples of a counter add up to the dropped events.
///
/// The track of launches and copies is their device, of everything else their thread. Bursts of a thread are
/// its kept bursts; where it has none, its kept calls of MPI and of a GPU's runtime. Bursts of a device are
/// the union of its kept launches. Rows that are outside the range or on tracks that are left out are not
/// counted, nor are dropped states (they have no events) and samples.
///
/// Appends to tables "counters" and "samples" of the copy. Returns the number of counters. Errors: Cancelled.
Expected<std::int64_t> add_burst_counters(const store::Store& store, const Choice& choice,
                                          std::int64_t move_by, Copy& copy, const Job& job);

} // namespace jitterscope::efficiency
