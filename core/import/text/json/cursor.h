#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/import/bytes/byte_stream.h"

namespace jitterscope::import::json {

/// Maximum length of an element or member that is read.
inline constexpr std::size_t kMaxElement = std::size_t{64} << 20; // B
/// Elements are returned in chunks of about this size, which stay in the second-level cache.
inline constexpr std::size_t kChunk = std::size_t{1} << 20; // B

/// Some whole elements of an array as a separate array, "[…,…]", followed by kPadding readable bytes.
struct Chunk {
  char* data = nullptr;
  std::size_t size = 0;
  std::size_t capacity = 0; ///< bytes from `data` to the end of the buffer: at least size + kPadding

  std::string_view text() const { return {data, size}; }
};

/// Iterates over a JSON text of any length, front to back, with bounded memory. The caller must know the
/// structure: it opens objects and arrays, requests members and elements, and reads or skips their values. A
/// value read stays valid until the next call. A truncated text is read as if all open brackets closed at its
/// end (the last, incomplete element is lost). Errors: BadInput where the text is not JSON, or an element is
/// too long; those of the stream.
class Cursor {
public:
  static constexpr std::size_t kPadding =
      128; ///< bytes after a chunk: 64 for simdjson, and the bracket after the last element

  /// `chunk`: approximate size of the chunks of elements().
  Cursor(ByteStream& stream, std::string file, std::size_t chunk = kChunk);

  enum class Kind { Object, Array, Text, Other, End };
  /// The kind of the next value.
  Expected<Kind> kind();
  /// Enters the next object or array.
  Expected<void> open();

  /// In an object: the key of the next member, as written; at the end nothing, and the object is
  /// left.
  Expected<std::optional<std::string>> member();
  /// In an array: whether there is another element; if not, the array is left.
  Expected<bool> element();
  /// In an array: the next elements; at the end nothing, and the array is left.
  Expected<std::optional<Chunk>> elements();

  Expected<void> skip();
  /// The next value as written. An object, array or text of more than `maximum` bytes is skipped, and nothing
  /// is returned; a longer number is an error.
  Expected<std::optional<std::string_view>> value(std::size_t maximum);

  /// The text ended before its brackets were closed.
  bool cut_off() const { return cut_off_; }
  /// Bytes of the text before the cursor.
  std::int64_t offset() const { return dropped_ + static_cast<std::int64_t>(at_); }

private:
  Expected<bool> fill(std::size_t keep_from);
  Expected<char> peek(); ///< next byte that is not blank, 0 at the end of the text
  Expected<char> next_in_list();
  Expected<std::size_t> text_end(std::size_t from);
  Expected<void> skip_container();
  Expected<void> skip_scalar();
  Chunk take(std::size_t end);
  tl::unexpected<Error> bad(std::string message) const;

  ByteStream& stream_;
  std::string file_;
  std::size_t chunk_;
  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_ = 0, at_ = 0, end_ = 0;
  std::int64_t dropped_ = 0;
  bool finished_ = false, cut_off_ = false;
};

/// Enters the next object and calls `each(key)` before the value of every member, which it must read or skip.
template <class Each>
Expected<void> each_member(Cursor& cursor, Each&& each) {
  if (auto opened = cursor.open(); !opened) return opened;
  for (;;) {
    const auto key = cursor.member();
    if (!key) return forward(key.error());
    if (!*key) return {};
    if (Expected<void> done = each(**key); !done) return done;
  }
}

/// Enters the next array and calls `each()` before every element, which it must read or skip.
template <class Each>
Expected<void> each_element(Cursor& cursor, Each&& each) {
  if (auto opened = cursor.open(); !opened) return opened;
  for (;;) {
    const auto more = cursor.element();
    if (!more) return forward(more.error());
    if (!*more) return {};
    if (Expected<void> done = each(); !done) return done;
  }
}

} // namespace jitterscope::import::json
