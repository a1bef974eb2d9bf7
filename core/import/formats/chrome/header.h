#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/import/formats/chrome/trace.h"

namespace jitterscope::import::chrome {

/// True for the members that are used of the object around the events. All others are skipped, including
/// those with command lines and environments.
bool is_header_member(std::string_view key);

/// Adds a member to the header; `value` is its JSON text.
void read_header_member(Header& header, std::string_view key, std::string_view value);

} // namespace jitterscope::import::chrome
