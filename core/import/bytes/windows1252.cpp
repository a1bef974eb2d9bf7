#include "core/import/bytes/encodings.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

namespace jitterscope::import {
namespace {

constexpr std::size_t kWindows1252Block = std::size_t{1} << 16;

// https://encoding.spec.whatwg.org/index-windows-1252.txt, 0x80 to 0x9F; all other bytes equal their Unicode
// code points.
constexpr std::array<std::uint16_t, 32> kOthers = {
    0x20AC, 0xFFFD, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0xFFFD, 0x017D, 0xFFFD, 0xFFFD, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0xFFFD, 0x017E, 0x0178};

class Windows1252Stream final : public ByteStream {
public:
  explicit Windows1252Stream(ByteStreamPointer text) : text_(std::move(text)), bytes_(kWindows1252Block) {}

  Expected<std::size_t> read(std::span<char> into) override {
    while (given_ == made_.size()) {
      const auto got = text_->read(bytes_);
      if (!got) return forward(got.error());
      if (*got == 0) return std::size_t{0};
      made_.clear();
      given_ = 0;
      for (const char c : std::span(bytes_.data(), *got)) put(static_cast<unsigned char>(c));
    }
    const auto count = std::min(into.size(), made_.size() - given_);
    std::memcpy(into.data(), made_.data() + given_, count);
    given_ += count;
    return count;
  }
  std::int64_t consumed() const override { return text_->consumed(); }

private:
  void put(unsigned char byte) {
    const std::uint16_t c = byte >= 0x80 && byte < 0xA0 ? kOthers[byte - 0x80] : byte;
    if (c < 0x80) {
      made_.push_back(static_cast<char>(c));
      return;
    }
    if (c < 0x800) {
      made_.push_back(static_cast<char>(0xC0 | (c >> 6)));
    } else {
      made_.push_back(static_cast<char>(0xE0 | (c >> 12)));
      made_.push_back(static_cast<char>(0x80 | ((c >> 6) & 0x3F)));
    }
    made_.push_back(static_cast<char>(0x80 | (c & 0x3F)));
  }

  ByteStreamPointer text_;
  std::vector<char> bytes_, made_;
  std::size_t given_ = 0;
};

// 0xFF (ÿ) hardly occurs in words, but often in damaged text.
bool is_undefined(unsigned char byte) {
  return byte == 0xFF || (byte >= 0x80 && byte < 0xA0 && kOthers[byte - 0x80] == 0xFFFD);
}

// Length in bytes of the UTF-8 character at the front of a text: 0 if there is none, more than the length of
// the text if it is truncated.
std::size_t character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto first = byte(0);
  const std::size_t size = first < 0x80                    ? 1
                           : first >= 0xC2 && first < 0xE0 ? 2
                           : first >= 0xE0 && first < 0xF0 ? 3
                           : first >= 0xF0 && first < 0xF5 ? 4
                                                           : 0;
  for (std::size_t i = 1; i < std::min(size, text.size()); ++i)
    if (byte(i) < 0x80 || byte(i) > 0xBF) return 0;
  return size;
}

} // namespace

bool is_windows1252(std::string_view head, bool whole) {
  bool other = false;
  for (std::size_t at = 0; at < head.size();) {
    const auto byte = static_cast<unsigned char>(head[at]);
    if (byte < 0x80) {
      if (byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r' && byte != '\f') return false;
      ++at;
      continue;
    }
    const auto size = character(head.substr(at));
    if (size > head.size() - at) return whole ? true : other; // truncated
    if (size > 0 || is_undefined(byte)) return false;
    other = true;
    ++at;
  }
  return other;
}

ByteStreamPointer windows1252_as_utf8(ByteStreamPointer text) {
  return std::make_unique<Windows1252Stream>(std::move(text));
}

} // namespace jitterscope::import
