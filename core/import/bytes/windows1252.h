#pragma once

#include <string_view>

#include "core/import/bytes/byte_stream.h"

namespace jitterscope::import {

/// Text with single bytes beyond ASCII, as spreadsheets and editors under Windows save it ("µs" of two
/// bytes in all): bytes that are no UTF-8 and nothing beyond ASCII that is, nor bytes that stand for nothing
/// there. `whole`: the text ends with it.
bool is_windows1252(std::string_view head, bool whole);

/// The text of a stream in Windows-1252 (of which Latin-1 is a part, but for control characters) as UTF-8.
/// Bytes that stand for nothing become U+FFFD.
ByteStreamPointer windows1252_as_utf8(ByteStreamPointer text);

} // namespace jitterscope::import
