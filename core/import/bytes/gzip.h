#pragma once

#include <string>

#include "core/import/bytes/byte_stream.h"

namespace jitterscope::import {

/// The content of gzip data, one or several members, with the checksum and the length at the end of each
/// verified (RFC 1952): libarchive verifies neither. Bytes after the last member that are not gzip are
/// ignored, as by the program gzip. `name` is for messages.
ByteStreamPointer gunzip(ByteStreamPointer packed, std::string name);

} // namespace jitterscope::import
