#pragma once

#include "core/import/records/reader.h"

namespace jitterscope::import::chrome {

/// Traces in Chrome's JSON format: of PyTorch's profiler (libkineto) in all its generations, of rocprof v1
/// and rocmProfileData, of TensorFlow, and those of anything else that writes the format (threads and
/// counters only). The events may be the file's only array, and the file may be cut off.
bool recognises(const Input& input);
Expected<void> read(std::span<const Input> inputs, Draft& draft, store::Source& source,
                    const Progress& progress);

inline constexpr Reader kReader{"Chrome trace", recognises, read};

} // namespace jitterscope::import::chrome
