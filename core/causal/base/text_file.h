#pragma once

#include <string>

#include "core/base/error.h"

namespace jitterscope::causal {

/// Returns the whole text of a file, decompressed if it is gzip. At most 4 GiB of text; a damaged or
/// truncated gzip file is BadInput, a file that cannot be opened Io.
Expected<std::string> read_text_file(const std::string& file);

} // namespace jitterscope::causal
