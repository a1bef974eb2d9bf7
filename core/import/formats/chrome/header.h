#pragma once

#include <string_view>

#include "core/import/formats/chrome/trace.h"

namespace jitterscope::import::chrome {

/// True for a member of the top-level object (which contains the events) that the reader uses. All others are
/// skipped, including command lines and environments.
bool is_header_member(std::string_view key);

/// Adds a member to the header; `value` is its JSON text.
void read_header_member(Header& header, std::string_view key, std::string_view value);

} // namespace jitterscope::import::chrome
