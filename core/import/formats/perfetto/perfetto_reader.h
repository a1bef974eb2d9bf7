#pragma once

#include <span>

#include "core/import/records/reader.h"

namespace jitterscope::import::perfetto {

/// Traces of Perfetto in protobuf (.pftrace, .perfetto-trace): track events with their tracks, as written by
/// rocprofv3, rocprofiler-systems and programs with Perfetto's SDK. Kernels, copies and calls are recognised
/// by the categories that these tools assign.
bool recognises(const Input& input);
Expected<void> read(std::span<const Input> inputs, Draft& draft, store::Source& source,
                    const Progress& progress);

inline constexpr Reader kReader = {"Perfetto trace", recognises, read};

} // namespace jitterscope::import::perfetto
