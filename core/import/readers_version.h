#pragma once

#include <string_view>

namespace jitterscope::import {

/// Of the sources that decide what an import makes of a file (readers and store): their SHA-256, made when
/// the program is built. Stores that are only kept for speed are imported again after it changed.
std::string_view readers_version();

} // namespace jitterscope::import
