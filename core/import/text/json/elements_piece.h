#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "core/import/text/json/cursor.h"

namespace jitterscope::import::json {

/// A chunk of elements with its own memory, or the end of the array, or an error: for threads that parse
/// arrays together (PiecesInOrder).
class ElementsPiece {
public:
  /// Reads the next chunk of the array that the cursor is in; true when there are no more: at the end
  /// of the array, or after an error. Other code may use the cursor only after that.
  bool cut(Cursor& cursor, const ByteStream& stream);

  /// Nothing at the end of the array. Errors: those of Cursor::elements().
  Expected<std::optional<Chunk>> chunk() const;
  /// Bytes of the file on disk that had been read when the piece was cut.
  std::int64_t consumed() const { return consumed_; }

private:
  void copy(const Chunk& chunk);

  std::unique_ptr<char[]> bytes_;
  std::size_t capacity_ = 0, size_ = 0;
  std::int64_t consumed_ = 0;
  bool end_ = true;
  std::optional<Error> problem_;
};

} // namespace jitterscope::import::json
