#pragma once

#include "core/import/records/reader.h"

namespace jitterscope::import::chrome {

/// Traces in Chrome's JSON format: of PyTorch's profiler (libkineto) in all its versions, of rocprof v1
/// and rocmProfileData, of TensorFlow, and of any other tool that writes the format (threads and
/// counters only). The file may be a bare array of events, and it may be truncated.
extern const Reader kReader;

} // namespace jitterscope::import::chrome
