#pragma once

#include <cstdint>
#include <cstring>
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
  /// is an error (BadInput). At least 16 bytes after a line are readable; the first is not a digit.
  Expected<std::optional<std::string_view>> next();
  /// Sets `line` to the next line if it is in memory, as most are; else returns false: call next() then.
  bool next_in_memory(std::string_view& line) {
    const char* begin = buffer_.get() + at_;
    const auto* found = static_cast<const char*>(std::memchr(begin, '\n', end_ - at_));
    if (!found) return false;
    line = take(static_cast<std::size_t>(found - begin), 1);
    return true;
  }
  std::int64_t number() const { return number_; } ///< number of the line last returned by next(), from 1

private:
  std::string_view take(std::size_t length, std::size_t line_end) {
    const char* begin = buffer_.get() + at_;
    at_ += length + line_end;
    ++number_;
    if (length > 0 && begin[length - 1] == '\r') --length;
    return {begin, length};
  }

  ByteStream& stream_;
  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_, at_ = 0, end_ = 0;
  std::int64_t number_ = 0;
  bool finished_ = false;
};

} // namespace jitterscope::import::paraver
