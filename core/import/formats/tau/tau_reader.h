#pragma once

#include <span>
#include <string>

#include "core/import/records/reader.h"

namespace jitterscope::import::tau {

/// Profiles of TAU, one text file profile.NODE.CONTEXT.THREAD for each thread and metric. All files of a
/// folder are one run, and so are the folders MULTI__METRIC next to each other. Each function of each thread
/// is a row without a timestamp, with its sums.
bool recognises(const Input& input);
std::string group(const Input& input);
Expected<void> read(std::span<const Input> inputs, Draft& draft, store::Source& source,
                    const Progress& progress);

inline constexpr Reader kReader = {"TAU profile", recognises, read, group};

} // namespace jitterscope::import::tau
