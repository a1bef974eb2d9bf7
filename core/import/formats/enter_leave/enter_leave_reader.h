#pragma once

#include "core/import/records/reader.h"

namespace jitterscope::import::enter_leave {

/// Tables of events in which a row enters or leaves a function, as written by pipit and by scripts over
/// OTF2: a time, the kind of event ("Enter", "Leave", "Instant"), a name, and process and thread where there
/// are several. Pairs become ranges of their threads.
extern const Reader kReader;

} // namespace jitterscope::import::enter_leave
