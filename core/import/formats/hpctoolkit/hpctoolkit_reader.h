#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/import/records/reader.h"

namespace jitterscope::import::hpctoolkit {

/// A database of hpcprof, version 4: trace.db with the names in meta.db and the threads in profile.db.
/// Activities of GPU streams are launches and transfers; the sampled call paths of threads become ranges.
bool recognises(const Input& input);
std::string group(const Input& input);
std::vector<std::string> companions(const Input& input);
Expected<void> read(std::span<const Input> inputs, Draft& draft, store::Source& source,
                    const Progress& progress);

inline constexpr Reader kReader = {"HPCToolkit database", recognises, read, group, companions};

} // namespace jitterscope::import::hpctoolkit
