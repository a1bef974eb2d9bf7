#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace jitterscope::import::protobuf {

/// Writes messages in protobuf's wire format.
class Message {
public:
  Message& number(std::uint32_t field, std::uint64_t value) {
    return varint(std::uint64_t{field} << 3), varint(value);
  }
  Message& bytes(std::uint32_t field, std::string_view text) {
    varint(std::uint64_t{field} << 3 | 2), varint(text.size());
    text_ += text;
    return *this;
  }
  Message& message(std::uint32_t field, const Message& inner) { return bytes(field, inner.text_); }
  Message& real(std::uint32_t field, double value) {
    varint(std::uint64_t{field} << 3 | 1);
    const auto bits = std::bit_cast<std::uint64_t>(value);
    for (int byte = 0; byte < 8; ++byte) text_ += static_cast<char>(bits >> (8 * byte) & 0xFF);
    return *this;
  }
  const std::string& text() const { return text_; }

private:
  Message& varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) text_ += static_cast<char>((value & 0x7F) | 0x80);
    text_ += static_cast<char>(value);
    return *this;
  }
  std::string text_;
};

} // namespace jitterscope::import::protobuf
