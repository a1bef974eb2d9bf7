#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "core/import/bytes/byte_stream.h"

namespace jitterscope::import::paraver {

/// The lines of a text of any length, read with bounded memory.
class Lines {
public:
  explicit Lines(ByteStream& stream);
  /// The next line without its end, valid until the next call; nothing at the end. A line longer than 64 MiB
  /// is an error (BadInput).
  Expected<std::optional<std::string_view>> next();
  std::int64_t number() const { return number_; } ///< of the line last returned by next(), from 1

private:
  ByteStream& stream_;
  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_, at_ = 0, end_ = 0;
  std::int64_t number_ = 0;
  bool finished_ = false;
};

} // namespace jitterscope::import::paraver
