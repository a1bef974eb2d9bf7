#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/import/bytes/byte_stream.h"

namespace jitterscope::import::protobuf {

/// Wire type of a field (https://protobuf.dev/programming-guides/encoding).
enum class Wire : std::uint8_t { Varint = 0, Fixed64 = 1, Bytes = 2, Fixed32 = 5 };

struct Field {
  std::uint32_t number = 0;
  Wire wire = Wire::Varint;
  std::uint64_t value = 0; ///< of numbers: the bits as written
  std::string_view bytes;  ///< of texts and messages: the content

  std::int64_t integer() const { return static_cast<std::int64_t>(value); }
  double real() const {
    return wire == Wire::Fixed32 ? std::bit_cast<float>(static_cast<std::uint32_t>(value))
                                 : std::bit_cast<double>(value);
  }
  bool is_bytes() const { return wire == Wire::Bytes; }
  bool is_number() const { return wire != Wire::Bytes; }
};

/// Iterates over the fields of a message, in the order in which they are written. Field numbers are
/// defined by the reader's own table.
class Fields {
public:
  explicit Fields(std::string_view message) : rest_(message) {}
  /// Nothing after the last field, and where the bytes are not a field: then damaged() is true.
  std::optional<Field> next();
  bool damaged() const { return damaged_; }

private:
  std::optional<std::uint64_t> varint();
  std::optional<Field> broken() {
    damaged_ = true;
    return {};
  }
  std::string_view rest_;
  bool damaged_ = false;
};

/// The last number or text of a field; `otherwise` or an empty text where there is none.
std::uint64_t number_of(std::string_view message, std::uint32_t field, std::uint64_t otherwise = 0);
std::string_view bytes_of(std::string_view message, std::uint32_t field);

/// Reads the consecutive messages of a file as one repeated field: only one at a time is in memory.
class MessageStream {
public:
  /// `maximum`: maximum bytes of one message; longer ones count as damaged.
  MessageStream(ByteStream& stream, std::size_t maximum) : stream_(stream), maximum_(maximum) {}

  /// The next field of the file; its bytes are valid until the next call. Nothing at the end and where the
  /// rest is not a message: then damaged() is true. Errors: those of the stream.
  Expected<std::optional<Field>> next();
  bool damaged() const { return damaged_; }
  std::int64_t offset() const { return offset_; } ///< offset of the next field

private:
  Expected<bool> fill(std::size_t bytes);
  ByteStream& stream_;
  std::size_t maximum_;
  std::string buffer_;
  std::size_t at_ = 0;
  std::int64_t offset_ = 0;
  bool ended_ = false, damaged_ = false;
};

} // namespace jitterscope::import::protobuf
