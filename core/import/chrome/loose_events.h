#pragma once

#include "core/import/input/byte_stream.h"

namespace jitterscope::import::chrome {

/// Events that stand one behind the other, each an object of its own ("JSON lines", what jq prints), as the
/// elements of one array. What else stands between them stays where it is, but for commas and brackets. A text
/// that ends within an event ends there.
ByteStreamPointer as_array(ByteStreamPointer events);

} // namespace jitterscope::import::chrome
