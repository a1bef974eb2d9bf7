#pragma once

#include "core/import/records/reader.h"

namespace jitterscope::import::paraver {

/// Traces of Paraver: a .prv, with the names in the .pcf and .row of the same stem next to it (any may
/// be compressed). Written by Extrae for MPI, OpenMP and GPUs, by Dimemas and by nsys2prv.
extern const Reader kReader;

} // namespace jitterscope::import::paraver
