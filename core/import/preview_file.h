#pragma once

#include <optional>
#include <string>

#include "core/import/formats/table/preview.h"

namespace jitterscope::import {

/// The preview of a file; nothing for profiler files, archives and folders. Errors: BadInput, as read().
Expected<std::optional<table::Preview>> preview_file(const std::string& path, const ImportOptions& options);

} // namespace jitterscope::import
