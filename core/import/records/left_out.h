#pragma once

#include <cstdint>

#include "core/base/error.h"
#include "core/store/trace/manifest.h"

namespace jitterscope::import {

/// Maximum number of files that the entry "file-left-out" of a report names.
inline constexpr std::int64_t kNamedFiles = 10;

/// Adds a file that was left out to the entry "file-left-out" of a report. Its text describes the first file
/// and names more files with their reasons.
void add_left_out(const Error& error, store::ImportReport& report);

} // namespace jitterscope::import
