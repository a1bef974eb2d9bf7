#pragma once

#include "core/efficiency/cut/copy.h"

namespace jitterscope::efficiency {

/// Paraver's software counters for events that a filter drops: on each kept track, the dropped events of each
/// name are counted, ranges by without_numbers() of their names. A counter NAME_counter gets a sample at the
/// start of each burst, with the count since the last emission, and at its end, with the count inside it.
/// Once a counter has counted anything, it has a sample at every border. The count after the last burst is
/// emitted at the end of the last dropped event, so that the samples of a counter add up to the dropped
/// events.
///
/// The track of launches and memory operations is their device, of all other rows their thread. Bursts of a
/// thread are its kept bursts; if it has none, its kept calls of MPI and of a GPU's runtime. Bursts of a
/// device are the union of its kept launches. Rows that are outside the range or on dropped tracks are not
/// counted, nor are dropped states (they have no events) and samples.
///
/// Appends to tables "counters" and "samples" of `copy`. Returns the number of counters. Errors: Cancelled.
Expected<std::int64_t> add_burst_counters(const store::Store& store, const Choice& choice,
                                          std::int64_t move_by, Copy& copy, const Job& job);

} // namespace jitterscope::efficiency
