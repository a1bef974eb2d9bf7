#pragma once

#include <span>

#include "core/import/records/reader.h"

namespace jitterscope::import::enter_leave {

/// Tables of events in which a row enters or leaves a function, as written by pipit and by scripts over
/// OTF2: a time, the kind of event ("Enter", "Leave", "Instant"), a name, and process and thread where there
/// are several. Pairs become ranges of their threads.
bool recognises(const Input& input);
Expected<void> read(std::span<const Input> inputs, Draft& draft, store::Source& source,
                    const Progress& progress);

inline constexpr Reader kReader = {"table of enter and leave events", recognises, read};

} // namespace jitterscope::import::enter_leave
