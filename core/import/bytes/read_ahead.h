#pragma once

#include "core/import/bytes/byte_stream.h"

namespace jitterscope::import {

/// The same bytes, errors and progress as `stream`, read by a separate thread a few megabytes ahead of the
/// caller: decompression costs more than most of the processing of its result. Short contents need no
/// thread.
ByteStreamPointer read_ahead(ByteStreamPointer stream);

} // namespace jitterscope::import
