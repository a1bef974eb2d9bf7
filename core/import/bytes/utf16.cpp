#include "core/import/bytes/encodings.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

namespace jitterscope::import {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kUtf16Block = std::size_t{1} << 16;
constexpr char32_t kReplacement = 0xFFFD;

bool is_high(char32_t unit) {
  return unit >= 0xD800 && unit < 0xDC00;
}
bool is_low(char32_t unit) {
  return unit >= 0xDC00 && unit < 0xE000;
}

// Without a byte order mark only text that begins with ASCII characters is recognised: one byte of each pair
// (the first or the second) is ASCII, the other 0. Binary formats do not begin with four or more such pairs.
bool is_ascii_in_pairs(std::string_view head, std::size_t place) {
  constexpr std::size_t kExamined = 32, kMin = 8; // maximum bytes examined, minimum bytes of a text
  head = head.substr(0, std::min(kExamined, head.size() / 2 * 2));
  if (head.size() < kMin) return false;
  for (std::size_t at = 0; at < head.size(); at += 2) {
    const char c = head[at + place];
    const bool text = (c >= ' ' && c < 0x7F) || c == '\t' || c == '\n' || c == '\r';
    if (!text || head[at + 1 - place] != 0) return false;
  }
  return true;
}

class Utf16Stream final : public ByteStream {
public:
  explicit Utf16Stream(ByteStreamPointer text) : text_(std::move(text)), units_(kUtf16Block) {}

  Expected<std::size_t> read(std::span<char> into) override {
    while (given_ == made_.size()) {
      if (ended_) return std::size_t{0};
      if (auto done = refill(); !done) return forward(done.error());
    }
    const auto count = std::min(into.size(), made_.size() - given_);
    std::memcpy(into.data(), made_.data() + given_, count);
    given_ += count;
    return count;
  }
  std::int64_t consumed() const override { return text_->consumed(); }

private:
  Expected<void> refill() {
    const auto got = read_fully(*text_, units_);
    if (!got) return forward(got.error());
    ended_ = *got < units_.size();
    made_.clear();
    given_ = 0;
    for (std::size_t at = 0; at + 1 < *got; at += 2) {
      const auto first = static_cast<unsigned char>(units_[at]),
                 second = static_cast<unsigned char>(units_[at + 1]);
      append(big_endian_ ? char32_t{first} << 8 | second : char32_t{second} << 8 | first);
    }
    if (ended_ && (high_ != 0 || *got % 2 != 0)) put(kReplacement); // an unpaired surrogate or byte
    return {};
  }

  void append(char32_t unit) {
    if (std::exchange(first_, false)) { // the byte order mark, or an ASCII character
      if (unit == 0xFEFF) return;
      big_endian_ = unit >= 0x100;
      if (unit == 0xFFFE) return;
      if (big_endian_) unit >>= 8;
    }
    if (high_ != 0 && is_low(unit)) {
      put(0x10000 + ((std::exchange(high_, 0) - 0xD800) << 10) + (unit - 0xDC00));
      return;
    }
    if (std::exchange(high_, 0) != 0) put(kReplacement);
    if (is_high(unit))
      high_ = unit;
    else
      put(is_low(unit) ? kReplacement : unit);
  }

  void put(char32_t c) {
    const auto byte = [&](char32_t value) { made_.push_back(static_cast<char>(value)); };
    const auto tail = [&](int shift) { byte(0x80 | ((c >> shift) & 0x3F)); };
    if (c < 0x80) return byte(c);
    if (c < 0x800) {
      byte(0xC0 | (c >> 6));
    } else {
      if (c < 0x10000) {
        byte(0xE0 | (c >> 12));
      } else {
        byte(0xF0 | (c >> 18));
        tail(12);
      }
      tail(6);
    }
    tail(0);
  }

  ByteStreamPointer text_;
  std::vector<char> units_, made_;
  std::size_t given_ = 0;
  bool first_ = true, big_endian_ = false, ended_ = false;
  char32_t high_ = 0; // a high surrogate, 0 none
};

} // namespace

bool is_utf16(std::string_view head) {
  const bool utf32 = head.starts_with("\xFF\xFE\0\0"sv);
  const bool marked = head.starts_with("\xFF\xFE"sv) || head.starts_with("\xFE\xFF"sv);
  return head.size() >= 4 && !utf32 && (marked || is_ascii_in_pairs(head, 0) || is_ascii_in_pairs(head, 1));
}

ByteStreamPointer utf16_as_utf8(ByteStreamPointer text) {
  return std::make_unique<Utf16Stream>(std::move(text));
}

} // namespace jitterscope::import
