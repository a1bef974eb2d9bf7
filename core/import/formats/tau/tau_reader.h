#pragma once

#include "core/import/records/reader.h"

namespace jitterscope::import::tau {

/// Profiles of TAU, one text file profile.NODE.CONTEXT.THREAD for each thread and metric. All files of a
/// folder are one run, and so are the folders MULTI__METRIC next to each other. Each function of each thread
/// is a row without a timestamp, with its sums.
extern const Reader kReader;

} // namespace jitterscope::import::tau
