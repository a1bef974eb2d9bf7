#pragma once

#include <span>

#include "core/import/records/reader.h"

namespace jitterscope::import::unitrace {

/// Output of Intel's unitrace, onetrace, ze_tracer and cl_tracer: lines of --device-timeline, else the
/// table of
/// --device-timing, whose rows are sums over launches.
bool recognises(const Input& input);
Expected<void> read(std::span<const Input> inputs, Draft& draft, store::Source& source,
                    const Progress& progress);

inline constexpr Reader kReader = {"unitrace output", recognises, read};

} // namespace jitterscope::import::unitrace
