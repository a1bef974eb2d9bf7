#pragma once

#include "core/import/bytes/byte_stream.h"

namespace jitterscope::import::json {

/// Objects that stand one behind the other ("JSON lines", what jq prints), as the
/// elements of one array. What else stands between them stays where it is, but for commas and brackets. A
/// text that ends within an object ends there.
ByteStreamPointer as_array(ByteStreamPointer objects);

} // namespace jitterscope::import::json
