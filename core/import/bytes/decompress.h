#pragma once

#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/import/bytes/byte_stream.h"

namespace jitterscope::import {

/// The content of gzip data, one or several members, with the checksum and the length at the end of each
/// verified (RFC 1952): libarchive verifies neither. Bytes after the last member that are not gzip are
/// ignored, as by the program gzip. `name` is for messages.
ByteStreamPointer gunzip(ByteStreamPointer packed, std::string name);

/// Removes one or several layers of gzip, bzip2, xz, zstd or lz4. `name` is for messages.
Expected<ByteStreamPointer> decompress(ByteStreamPointer packed, const std::string& name);

/// True if `head` is the start of content that decompress() can decompress.
bool is_compressed(std::string_view head);
/// True for zip and tar; a compressed tar is recognised only after decompress().
bool is_archive(std::string_view head);

} // namespace jitterscope::import
