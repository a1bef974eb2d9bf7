#pragma once

#include "core/import/records/reader.h"

namespace jitterscope::import::paraver {

/// Traces of Paraver: a .prv, with the names in the .pcf and .row of the same stem beside it (any of them may
/// be compressed). Extrae's of MPI, OpenMP and GPUs, Dimemas', nsys2prv's.
bool recognises(const Input& input);
Expected<void> read(std::span<const Input> inputs, Draft& draft, store::Source& source,
                    const Progress& progress);
std::string group(const Input& input);
std::vector<std::string> companions(const Input& input);

inline constexpr Reader kReader{"Paraver trace", recognises, read, group, companions};

} // namespace jitterscope::import::paraver
