#pragma once

#include <string_view>

#include "core/import/bytes/byte_stream.h"

namespace jitterscope::import {

/// True for text that begins with the byte order mark of UTF-16, as written by redirections of Windows
/// PowerShell, or with ASCII characters in UTF-16.
bool is_utf16(std::string_view head);

/// A UTF-16 text as UTF-8, without the byte order mark. Unpaired surrogates become U+FFFD.
ByteStreamPointer utf16_as_utf8(ByteStreamPointer text);

} // namespace jitterscope::import
