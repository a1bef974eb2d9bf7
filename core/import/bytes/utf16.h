#pragma once

#include <string_view>

#include "core/import/bytes/byte_stream.h"

namespace jitterscope::import {

/// Text that begins with the mark of UTF-16, as Windows PowerShell writes what is redirected into a file, or
/// with characters of ASCII in UTF-16.
bool is_utf16(std::string_view head);

/// The text of such a stream as UTF-8, without the mark. Halves of characters become
/// U+FFFD.
ByteStreamPointer utf16_as_utf8(ByteStreamPointer text);

} // namespace jitterscope::import
