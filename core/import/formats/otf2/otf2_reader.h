#pragma once

#include <span>

#include "core/import/records/reader.h"

namespace jitterscope::import::otf2 {

/// Traces of Score-P and other tools in OTF2: the anchor file (traces.otf2) names an archive of definitions
/// and events, which the distribution's OTF2 library reads. Regions become launches on streams of
/// accelerators; on threads, regions of MPI become messages, regions of CUDA and HIP calls, all others
/// ranges. Without the library (a build option) the anchor is recognised and the error states the reason.
bool recognises(const Input& input);
Expected<void> read(std::span<const Input> inputs, Draft& draft, store::Source& source,
                    const Progress& progress);

inline constexpr Reader kReader = {"OTF2 trace", recognises, read};

} // namespace jitterscope::import::otf2
