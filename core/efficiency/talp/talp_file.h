#pragma once

#include <string>

#include "core/efficiency/talp/talp.h"

namespace jitterscope::efficiency {

/// Whether a file begins like an output of TALP; false if it cannot be read.
bool is_talp_file(const std::string& path);
/// Reads an output of TALP. Errors: BadInput as in read_talp(), also for missing files and those above 256
/// MiB.
Expected<TalpFile> read_talp_file(const std::string& path);

} // namespace jitterscope::efficiency
