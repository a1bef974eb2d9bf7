#pragma once

#include <string>

#include "core/base/error.h"
#include "core/base/job.h"

namespace jitterscope::store {

/// SHA-256 of a file in hexadecimal, read in 1 MiB pieces.
Expected<std::string> sha256_of_file(const std::string& path, const Job& job);

} // namespace jitterscope::store
