#pragma once

#include "core/import/records/reader.h"

namespace jitterscope::import::chrome {

/// Traces in Chrome's JSON format: of PyTorch's profiler (libkineto) in all its versions, of rocprof v1
/// and rocmProfileData, of TensorFlow, and of any other tool that writes the format (threads and
/// counters only). The file may be a bare array of events, and it may be truncated.
bool recognises(const Input& input);
Expected<void> read(std::span<const Input> inputs, Draft& draft, store::Source& source,
                    const Progress& progress);

inline constexpr Reader kReader{"Chrome trace", recognises, read};

} // namespace jitterscope::import::chrome
