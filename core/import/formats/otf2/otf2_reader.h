#pragma once

#include <span>

#include "core/import/records/reader.h"

namespace jitterscope::import::otf2 {

/// Traces of Score-P and other tools in OTF2: the anchor file (traces.otf2) names an archive of definitions
/// and events, which the OTF2 library of the distribution reads. Regions of accelerator streams are launches,
/// those of threads ranges, of MPI messages, of CUDA and HIP calls. Without the library (a choice at build
/// time) the anchor is recognised and the error says so.
bool recognises(const Input& input);
Expected<void> read(std::span<const Input> inputs, Draft& draft, store::Source& source,
                    const Progress& progress);

inline constexpr Reader kReader = {"OTF2 trace", recognises, read};

} // namespace jitterscope::import::otf2
