#pragma once

#include "core/import/records/reader.h"

namespace jitterscope::import::caliper {

/// Profiles of Caliper, in its own format (.cali) and as JSON (json-split). Each record is a row without a
/// timestamp: a kernel, a call or a region with the values summed over it. Ranks (mpi.rank) are processes.
extern const Reader kReader;

} // namespace jitterscope::import::caliper
