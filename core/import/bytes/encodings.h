#pragma once

#include <string_view>

#include "core/import/bytes/byte_stream.h"

namespace jitterscope::import {

/// True for text that begins with the byte order mark of UTF-16, as written by redirections of Windows
/// PowerShell, or with ASCII characters in UTF-16.
bool is_utf16(std::string_view head);

/// A UTF-16 text as UTF-8, without the byte order mark. Unpaired surrogates become U+FFFD.
ByteStreamPointer utf16_as_utf8(ByteStreamPointer text);

/// True for text with single bytes beyond ASCII, as saved by spreadsheets and editors under Windows ("µs" as
/// two bytes): it has bytes that are not UTF-8, nothing beyond ASCII that is, no byte that is undefined in
/// Windows-1252, no 0xFF and no control character. `whole`: the text ends with `head`.
bool is_windows1252(std::string_view head, bool whole);

/// The text of a stream in Windows-1252 (a superset of Latin-1 except for control characters) as UTF-8.
/// Undefined bytes become U+FFFD.
ByteStreamPointer windows1252_as_utf8(ByteStreamPointer text);

} // namespace jitterscope::import
