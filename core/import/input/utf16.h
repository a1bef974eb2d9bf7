#pragma once

#include <string_view>

#include "core/import/input/byte_stream.h"

namespace jitterscope::import {

/// Text that begins with the mark of UTF-16, as Windows PowerShell writes what is redirected into a file.
bool is_utf16(std::string_view head);

/// The text of a stream that begins with such a mark as UTF-8, without the mark. Halves of characters become
/// U+FFFD.
ByteStreamPointer utf16_as_utf8(ByteStreamPointer text);

} // namespace jitterscope::import
