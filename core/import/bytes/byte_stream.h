#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/base/error.h"

namespace jitterscope::import {

/// The content of an input from its first byte to its last, decompressed.
class ByteStream {
public:
  virtual ~ByteStream() = default;
  /// Writes the next bytes to the front of `into` and returns their number: 0 only at the end (or when `into`
  /// is empty). Errors: BadInput for damaged compressed data, Io when the disk cannot be read.
  virtual Expected<std::size_t> read(std::span<char> into) = 0;
  /// Bytes of the file on disk that have been read: the measure of progress.
  virtual std::int64_t consumed() const = 0;
  /// After an error: true if compressed data are truncated; the bytes before the end are valid.
  virtual bool cut_off() const { return false; }
};

using ByteStreamPointer = std::unique_ptr<ByteStream>;

/// Opens an ordinary file.
Expected<ByteStreamPointer> open_file(const std::string& path);

/// Opens bytes, which must outlive the stream.
ByteStreamPointer open_memory(std::string_view bytes);

/// Fills `into` unless the stream ends first.
Expected<std::size_t> read_fully(ByteStream& stream, std::span<char> into);

} // namespace jitterscope::import
