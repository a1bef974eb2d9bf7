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
  /// Puts the next bytes at the front of `into` and says how many: 0 only at the end (or when `into` is
  /// empty). Errors: BadInput for damaged compressed data, Io when the disk does not answer.
  virtual Expected<std::size_t> read(std::span<char> into) = 0;
  /// Bytes of the file on disk that were read so far: the measure of progress.
  virtual std::int64_t consumed() const = 0;
  /// After an error: compressed data end too early, and what came before is as it was written.
  virtual bool cut_off() const { return false; }
};

using ByteStreamPointer = std::unique_ptr<ByteStream>;

/// An ordinary file.
Expected<ByteStreamPointer> open_file(const std::string& path);

/// Bytes that outlive the stream.
ByteStreamPointer open_memory(std::string_view bytes);

/// Fills `into` as far as the stream goes.
Expected<std::size_t> read_fully(ByteStream& stream, std::span<char> into);

} // namespace jitterscope::import
