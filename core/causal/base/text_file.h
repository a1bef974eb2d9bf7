#pragma once

#include <string>

#include "core/base/error.h"

namespace jitterscope::causal {

/// Returns the whole text of a file, decompressed if it is gzip. Errors: BadUse for a folder, a device or a
/// pipe; Io if the file cannot be opened; BadInput for a damaged or truncated gzip file and for more than 4
/// GiB of text.
Expected<std::string> read_text_file(const std::string& file);

} // namespace jitterscope::causal
