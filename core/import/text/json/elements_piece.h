#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "core/import/text/json/cursor.h"

namespace jitterscope::import::json {

/// A chunk of elements with memory of its own, or what came instead of one: for threads that take arrays
/// apart together (PiecesInOrder).
class ElementsPiece {
public:
  /// Takes the next chunk of the array that the cursor stands in; true when there is none any more: the end
  /// of the array, or an error. Only then the cursor may be used by others.
  bool cut(Cursor& cursor, const ByteStream& stream);

  /// Nothing at the end of the array. Errors: those of Cursor::elements().
  Expected<std::optional<Chunk>> chunk() const;
  /// Bytes of the file on disk that were read when it was cut.
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
