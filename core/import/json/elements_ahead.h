#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "core/import/json/cursor.h"

namespace jitterscope::import::json {

/// The elements of the array that a cursor stands in, cut by a thread of their own a few chunks before they
/// are asked for: one thread reads the file and finds the borders, the other parses. The chunks are those of
/// Cursor::elements(). Until next() has given nothing or an error, cursor and stream belong to this object.
/// Short arrays need no thread.
class ElementsAhead {
public:
  ElementsAhead(Cursor& cursor, const ByteStream& stream);
  ~ElementsAhead();
  ElementsAhead(const ElementsAhead&) = delete;
  ElementsAhead& operator=(const ElementsAhead&) = delete;

  /// As Cursor::elements(); the chunk is valid until the next call.
  Expected<std::optional<Chunk>> next();
  /// Bytes of the file on disk that were read when the chunk was cut.
  std::int64_t consumed() const;

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace jitterscope::import::json
