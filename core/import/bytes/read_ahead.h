#pragma once

#include "core/import/bytes/byte_stream.h"

namespace jitterscope::import {

/// Reads `stream` in a separate thread, a few megabytes ahead of the caller: decompression takes longer than
/// most of the processing of its result. Bytes, errors and progress stay the same. No thread is started for
/// the first 2 MiB.
ByteStreamPointer read_ahead(ByteStreamPointer stream);

} // namespace jitterscope::import
