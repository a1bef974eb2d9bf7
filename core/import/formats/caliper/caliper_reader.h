#pragma once

#include <span>

#include "core/import/records/reader.h"

namespace jitterscope::import::caliper {

/// Profiles of Caliper, in its own format (.cali) and as JSON (json-split). Each record is a row without a
/// timestamp: a kernel, a call or a region with the values summed over it.
bool recognises(const Input& input);
Expected<void> read(std::span<const Input> inputs, Draft& draft, store::Source& source,
                    const Progress& progress);

inline constexpr Reader kReader = {"Caliper profile", recognises, read};

} // namespace jitterscope::import::caliper
