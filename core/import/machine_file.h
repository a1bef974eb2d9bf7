#pragma once

#include <string>

#include "core/base/job.h"
#include "core/store/trace/machine.h"

namespace jitterscope::import {

/// The machine described by a file: a result of MT4G, OSU or BabelStream (compressed or not), or a store that
/// holds a machine. Errors: BadInput for any other file, with its kind; those of reading.
Expected<store::Machine> machine_of_file(const std::string& path, const Job& job);

} // namespace jitterscope::import
