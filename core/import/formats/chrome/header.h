#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/import/formats/chrome/trace.h"

namespace jitterscope::import::chrome {

/// Members of the object around the events that are looked at; all others are passed over, among them what
/// holds command lines and environments.
bool is_header_member(std::string_view key);

/// Takes what a member says; `value` is its JSON text.
void take_header_member(Header& header, std::string_view key, std::string_view value);

} // namespace jitterscope::import::chrome
