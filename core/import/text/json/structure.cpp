#include "core/import/text/json/structure.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "core/base/vector_clones.h"
#include "core/import/text/byte_masks.h"

namespace jitterscope::import::json {
namespace {

constexpr std::size_t kBlock = kMaskBlock;

// Indices of the characters in a block's masks.
constexpr std::size_t kQuote = 0, kBackslash = 1, kOpenBrace = 2, kOpenBracket = 3, kCloseBrace = 4,
                      kCloseBracket = 5, kComma = 6;
constexpr std::array<char, 7> kStructural = {'"', '\\', '{', '[', '}', ']', ','};

// Bits of bytes that are escaped by a backslash. Backslashes are rare: they are handled one by one.
[[gnu::always_inline]] inline std::uint64_t escaped(std::uint64_t backslash, std::uint64_t& after_escape) {
  std::uint64_t result = after_escape;
  after_escape = 0;
  for (auto left = backslash & ~result; left != 0;) {
    const auto place = static_cast<unsigned>(std::countr_zero(left));
    if (place == kBlock - 1) {
      after_escape = 1;
      break;
    }
    result |= std::uint64_t{2} << place;
    left &= left - 1;
    left &= ~(std::uint64_t{2} << place);
  }
  return result;
}

// Sets the bits from each odd quote to the bit before the next quote: the bytes of strings.
[[gnu::always_inline]] inline std::uint64_t between_pairs(std::uint64_t quotes) {
  for (const int step : {1, 2, 4, 8, 16, 32}) quotes ^= quotes << step;
  return quotes;
}

// Visits the brackets and commas of one block in order; true at the end.
[[gnu::always_inline]] inline bool walk(std::size_t offset, std::uint64_t open, std::uint64_t close,
                                        std::uint64_t commas, std::int64_t& depth, Scan& found) {
  for (auto left = open | close | commas; left != 0; left &= left - 1) {
    const auto bit = left & (~left + 1);
    const auto place = offset + static_cast<std::size_t>(std::countr_zero(left));
    if (open & bit) {
      ++depth;
    } else if (close & bit) {
      if (--depth < 0) {
        found.end = place;
        return true;
      }
    } else if (depth == 0) {
      found.last_comma = place;
    }
  }
  return false;
}

/// The masks of a text, computed some blocks ahead.
class MaskWindow {
public:
  explicit MaskWindow(std::string_view text) : text_(text) {}

  const ByteMasks<7>& at(std::size_t offset) {
    if (offset >= end_) fill(offset);
    return masks_[(offset - begin_) / kBlock];
  }

private:
  static constexpr std::size_t kWindow = 16; // blocks per window

  void fill(std::size_t offset) {
    begin_ = offset;
    if (const auto left = text_.size() - offset; left < kBlock) {
      char tail[kBlock]; // padded with blanks
      std::memset(tail, ' ', kBlock);
      std::memcpy(tail, text_.data() + offset, left);
      find_bytes(tail, 1, kStructural, masks_);
      end_ = offset + kBlock;
      return;
    }
    const auto blocks = std::min(kWindow, (text_.size() - offset) / kBlock);
    find_bytes(text_.data() + offset, blocks, kStructural, masks_);
    end_ = offset + blocks * kBlock;
  }

  std::string_view text_;
  std::size_t begin_ = 0, end_ = 0;
  ByteMasks<7> masks_[kWindow];
};

JITTERSCOPE_VECTOR_CLONES Scan scan_blocks(std::string_view text, ScanState& state) {
  Scan found;
  MaskWindow window(text);
  for (std::size_t offset = 0; offset < text.size(); offset += kBlock) {
    const auto left = text.size() - offset;
    const auto& masks = window.at(offset);
    auto quotes = masks[kQuote];
    if ((masks[kBackslash] | state.after_escape) != 0) { // blanks after the text do not consume an escape
      auto carry = state.after_escape;
      const auto hidden = escaped(masks[kBackslash], carry);
      quotes &= ~hidden;
      state.after_escape = left < kBlock ? (hidden >> left) & 1 : carry;
    }
    const auto inside = between_pairs(quotes) ^ state.in_string;
    const auto ends_inside = left < kBlock ? inside >> (left - 1) : inside >> (kBlock - 1);
    state.in_string = ends_inside & 1 ? ~std::uint64_t{0} : 0;
    const auto open = (masks[kOpenBrace] | masks[kOpenBracket]) & ~inside,
               close = (masks[kCloseBrace] | masks[kCloseBracket]) & ~inside;
    const auto closes = std::popcount(close);
    if (state.depth - closes > 0) {
      state.depth += std::popcount(open) - closes;
      continue;
    }
    if (walk(offset, open, close, masks[kComma] & ~inside, state.depth, found)) return found;
  }
  return found;
}

} // namespace

Scan scan(std::string_view text, ScanState& state) {
  return scan_blocks(text, state);
}

} // namespace jitterscope::import::json
