#pragma once

#include <string>

#include "core/import/bytes/byte_stream.h"

namespace jitterscope::import {

/// The content of gzip data, one or several behind each other, with the checksum and the length that stand
/// behind each compared (RFC 1952): libarchive compares neither. What follows the last one and is no gzip is
/// left out, as gzip does. `name` is for messages.
ByteStreamPointer gunzip(ByteStreamPointer packed, std::string name);

} // namespace jitterscope::import
