#pragma once

#include "core/import/bytes/byte_stream.h"

namespace jitterscope::import::json {

/// Presents consecutive objects ("JSON lines", the output of jq) as the elements of one array. Anything else
/// between them is kept, except commas and brackets. If the text ends within an object, the array is not
/// closed.
ByteStreamPointer as_array(ByteStreamPointer objects);

} // namespace jitterscope::import::json
