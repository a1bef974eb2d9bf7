#pragma once

#include <span>

#include "core/import/records/reader.h"

namespace jitterscope::import::xplane {

/// Profiles of JAX and TensorFlow ("HOST.xplane.pb"): planes of devices and of the host with their lines of
/// events. What is a kernel, a copy, a call or a range is decided as in the trace.json.gz beside it, which
/// holds the same events as far as a viewer can show them.
bool recognises(const Input& input);
Expected<void> read(std::span<const Input> inputs, Draft& draft, store::Source& source,
                    const Progress& progress);

inline constexpr Reader kReader = {"XPlane profile", recognises, read};

} // namespace jitterscope::import::xplane
