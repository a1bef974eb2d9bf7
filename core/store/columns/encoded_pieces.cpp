#include "core/store/columns/encoded_pieces.h"

#include <algorithm>

namespace jitterscope::store {

std::vector<std::byte> EncodedPieces::encoded(std::size_t first, std::size_t last) const {
  std::vector<std::byte> piece((last - first) * size_of(stored_));
  encode(values_, stored_, first, last, piece.data());
  return piece;
}

const std::byte* EncodedPieces::take(std::size_t first, std::size_t last) {
  given_ = next_.valid() ? next_.get() : encoded(first, last);
  if (const auto end = std::min(last + (last - first), size_of(values_)); end > last)
    next_ = std::async(std::launch::async | std::launch::deferred,
                       [this, last, end] { return encoded(last, end); });
  return given_.data();
}

} // namespace jitterscope::store
