#include "core/import/text/protobuf/wire.h"

#include <algorithm>
#include <cstring>
#include <span>

namespace jitterscope::import::protobuf {
namespace {

constexpr std::size_t kMaxVarint = 10; // maximum size of a variable-length number [B]
constexpr std::size_t kReadAhead = std::size_t{1} << 20;

// A number at the front of the text and its length in bytes; nothing when it is incomplete.
std::optional<std::pair<std::uint64_t, std::size_t>> varint_at(std::string_view text) {
  std::uint64_t value = 0;
  for (std::size_t at = 0; at < std::min(text.size(), kMaxVarint); ++at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    value |= static_cast<std::uint64_t>(byte & 0x7F) << (7 * at);
    if ((byte & 0x80) == 0) return std::pair(value, at + 1);
  }
  return {};
}

template <class Number>
std::uint64_t fixed(std::string_view text) {
  static_assert(std::endian::native == std::endian::little);
  Number number = 0;
  std::memcpy(&number, text.data(), sizeof number);
  return number;
}

bool is_wire(std::uint64_t tag) {
  const auto wire = tag & 7;
  return wire == 0 || wire == 1 || wire == 2 || wire == 5;
}

constexpr std::uint64_t kMaxNumber = (std::uint64_t{1} << 29) - 1; // maximum field number

} // namespace

std::optional<std::uint64_t> Fields::varint() {
  const auto found = varint_at(rest_);
  if (!found) return {};
  rest_.remove_prefix(found->second);
  return found->first;
}

std::optional<Field> Fields::next() {
  if (rest_.empty() || damaged_) return {};
  const auto tag = varint();
  if (!tag || !is_wire(*tag) || *tag >> 3 == 0 || *tag >> 3 > kMaxNumber) return broken();
  Field field{static_cast<std::uint32_t>(*tag >> 3), static_cast<Wire>(*tag & 7), 0, {}};
  const auto consume = [&](std::size_t bytes) {
    const auto taken = rest_.substr(0, bytes);
    rest_.remove_prefix(bytes);
    return taken;
  };
  switch (field.wire) {
  case Wire::Varint: {
    const auto value = varint();
    if (!value) return broken();
    field.value = *value;
    break;
  }
  case Wire::Fixed64:
    if (rest_.size() < 8) return broken();
    field.value = fixed<std::uint64_t>(consume(8));
    break;
  case Wire::Fixed32:
    if (rest_.size() < 4) return broken();
    field.value = fixed<std::uint32_t>(consume(4));
    break;
  case Wire::Bytes: {
    const auto size = varint();
    if (!size || *size > rest_.size()) return broken();
    field.bytes = consume(static_cast<std::size_t>(*size));
    break;
  }
  }
  return field;
}

std::uint64_t number_of(std::string_view message, std::uint32_t number, std::uint64_t otherwise) {
  Fields fields(message);
  while (const auto field = fields.next())
    if (field->number == number && field->is_number()) otherwise = field->value;
  return otherwise;
}

std::string_view bytes_of(std::string_view message, std::uint32_t number) {
  std::string_view found;
  Fields fields(message);
  while (const auto field = fields.next())
    if (field->number == number && field->is_bytes()) found = field->bytes;
  return found;
}

// False when the stream ends before that number of bytes is available.
Expected<bool> MessageStream::fill(std::size_t bytes) {
  if (buffer_.size() - at_ >= bytes) return true;
  buffer_.erase(0, at_);
  at_ = 0;
  while (buffer_.size() < bytes && !ended_) {
    // In pieces: a length is trusted only as far as there are bytes.
    const auto size = buffer_.size();
    buffer_.resize(size + kReadAhead);
    const auto got = read_fully(stream_, std::span(buffer_).subspan(size));
    if (!got) return forward(got.error());
    buffer_.resize(size + *got);
    ended_ = *got < kReadAhead;
  }
  return buffer_.size() >= bytes;
}

Expected<std::optional<Field>> MessageStream::next() {
  using Found = std::optional<Field>;
  if (damaged_) return Found();
  const auto header = fill(2 * kMaxVarint);
  if (!header) return forward(header.error());
  const auto text = std::string_view(buffer_).substr(at_);
  if (text.empty()) return Found();
  const auto give_up = [&] {
    damaged_ = true;
    return Found();
  };
  const auto tag = varint_at(text);
  if (!tag || !is_wire(tag->first) || tag->first >> 3 == 0 || tag->first >> 3 > kMaxNumber) return give_up();
  if ((tag->first & 7) != 2) { // a number between the messages
    Fields fields(text.substr(0, 2 * kMaxVarint));
    const auto field = fields.next();
    if (!field) return give_up();
    const auto value = varint_at(text.substr(tag->second));
    const auto size = field->wire == Wire::Varint    ? value->second
                      : field->wire == Wire::Fixed64 ? std::size_t{8}
                                                     : 4;
    at_ += tag->second + size;
    offset_ += static_cast<std::int64_t>(tag->second + size);
    return Found(*field);
  }
  const auto size = varint_at(text.substr(tag->second));
  if (!size || size->first > maximum_) return give_up();
  const auto before = tag->second + size->second, bytes = static_cast<std::size_t>(size->first);
  const auto all = fill(before + bytes);
  if (!all) return forward(all.error());
  if (!*all) return give_up();
  Field field{static_cast<std::uint32_t>(tag->first >> 3), Wire::Bytes, 0,
              std::string_view(buffer_).substr(at_ + before, bytes)};
  at_ += before + bytes;
  offset_ += static_cast<std::int64_t>(before + bytes);
  return Found(field);
}

} // namespace jitterscope::import::protobuf
