#pragma once

#include "core/import/records/reader.h"

namespace jitterscope::import::paraver {

/// Traces of Paraver: a .prv, with the names in the .pcf and .row of the same stem next to it (any may
/// be compressed). Written by Extrae for MPI, OpenMP and GPUs, by Dimemas and by nsys2prv.
bool recognises(const Input& input);
Expected<void> read(std::span<const Input> inputs, Draft& draft, store::Source& source,
                    const Progress& progress);
std::string group(const Input& input);
std::vector<std::string> companions(const Input& input);

inline constexpr Reader kReader{"Paraver trace", recognises, read, group, companions};

} // namespace jitterscope::import::paraver
