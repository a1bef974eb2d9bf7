#pragma once

#include "core/import/records/reader.h"

namespace jitterscope::import::xplane {

/// Profiles of JAX and TensorFlow ("HOST.xplane.pb"): planes of devices and of the host with their lines of
/// events. Kernels, copies, calls and ranges are classified as in the trace.json.gz next to it, which
/// contains the same events up to the limits of a viewer. Kernels with which AMD's runtime copies or fills
/// memory are memory operations.
extern const Reader kReader;

} // namespace jitterscope::import::xplane
