#pragma once

#include <string_view>

namespace jitterscope::import {

/// SHA-256 of the sources that determine the result of an import (readers and store), computed when
/// the program is built. Stores that serve only as a cache are imported again after it changes.
std::string_view readers_version();

} // namespace jitterscope::import
