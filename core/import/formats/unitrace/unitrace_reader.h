#pragma once

#include "core/import/records/reader.h"

namespace jitterscope::import::unitrace {

/// Output of Intel's unitrace, onetrace, ze_tracer and cl_tracer: lines of --device-timeline, else the
/// table of
/// --device-timing, whose rows are sums over launches.
extern const Reader kReader;

} // namespace jitterscope::import::unitrace
