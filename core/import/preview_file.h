#pragma once

#include <optional>
#include <string>

#include "core/import/formats/table/preview.h"

namespace jitterscope::import {

/// The preview of a file; nothing for profiler files, archives and folders. Errors: BadInput, those of
/// table::read().
Expected<std::optional<table::Preview>> preview_file(const std::string& path, const ImportOptions& options);

/// Whether a file is a table of samples, which is read as a log next to a trace: its columns have fixed
/// meanings there.
bool is_log_next_to_a_trace(const std::string& path);

} // namespace jitterscope::import
