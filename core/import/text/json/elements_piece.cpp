#include "core/import/text/json/elements_piece.h"

#include <cstring>

namespace jitterscope::import::json {

bool ElementsPiece::cut(Cursor& cursor, const ByteStream& stream) {
  const auto chunk = cursor.elements();
  problem_ = chunk ? std::nullopt : std::optional(chunk.error());
  end_ = !chunk || !*chunk;
  if (!end_) copy(**chunk);
  consumed_ = stream.consumed();
  return end_;
}

void ElementsPiece::copy(const Chunk& chunk) {
  if (capacity_ < chunk.size + Cursor::kPadding) {
    capacity_ = chunk.size + chunk.size / 8 + Cursor::kPadding;
    bytes_ = std::make_unique_for_overwrite<char[]>(capacity_);
  }
  size_ = chunk.size;
  std::memcpy(bytes_.get(), chunk.data, size_);
  std::memset(bytes_.get() + size_, 0, Cursor::kPadding);
}

Expected<std::optional<Chunk>> ElementsPiece::chunk() const {
  if (problem_) return forward(*problem_);
  if (end_) return std::optional<Chunk>();
  return std::optional(Chunk{bytes_.get(), size_, size_ + Cursor::kPadding});
}

} // namespace jitterscope::import::json
