#pragma once

#include <algorithm>
#include <cstring>

#include "core/base/pieces_in_order.h"
#include "core/import/text/csv/record_pieces.h"

namespace jitterscope::import {

/// The bytes of a piece and of those after it as one stream. Pieces have a RecordPiece member `records`.
template <class Piece>
class RestOfPieces final : public ByteStream {
public:
  RestOfPieces(Piece& piece, PiecesInOrder<Piece>& pieces) : piece_(&piece), pieces_(pieces) {}

  Expected<std::size_t> read(std::span<char> into) override {
    while (piece_ && given_ == size()) {
      if (piece_->records.problem) return forward(*piece_->records.problem);
      piece_ = pieces_.next();
      given_ = 0;
      if (piece_) consumed_ = piece_->records.consumed;
    }
    if (!piece_) return std::size_t{0};
    const auto count = std::min(into.size(), size() - given_);
    std::memcpy(into.data(), piece_->records.bytes.data() + given_, count);
    given_ += count;
    return count;
  }
  std::int64_t consumed() const override { return consumed_; }

private:
  std::size_t size() const { return piece_->records.size + piece_->records.unended; }

  Piece* piece_;
  PiecesInOrder<Piece>& pieces_;
  std::size_t given_ = 0;
  std::int64_t consumed_ = 0;
};

} // namespace jitterscope::import
