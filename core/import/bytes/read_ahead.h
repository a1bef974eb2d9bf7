#pragma once

#include "core/import/bytes/byte_stream.h"

namespace jitterscope::import {

/// The same bytes, errors and progress as `stream` gives, read by a thread of their own a few megabytes
/// before they are asked for: unpacking costs more than most of what is done with its result. Short contents
/// need no thread.
ByteStreamPointer read_ahead(ByteStreamPointer stream);

} // namespace jitterscope::import
