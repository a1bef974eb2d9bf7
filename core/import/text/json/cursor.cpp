#include "core/import/text/json/cursor.h"

#include <algorithm>
#include <cstring>

#include <fmt/core.h>

#include "core/import/text/json/structure.h"

namespace jitterscope::import::json {
namespace {

constexpr std::size_t kMaxKey = 65'536;

bool is_blank(char c) {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

bool ends_scalar(char c) {
  return is_blank(c) || c == ',' || c == ']' || c == '}' || c == ':';
}

} // namespace

Cursor::Cursor(ByteStream& stream, std::string file, std::size_t chunk)
    : stream_(stream), file_(std::move(file)), chunk_(chunk),
      buffer_(std::make_unique_for_overwrite<char[]>(chunk + kPadding)), capacity_(chunk) {}

tl::unexpected<Error> Cursor::bad(std::string message) const {
  return failure(ErrorKind::BadInput, std::move(message), file_, fmt::format("byte {}", offset()),
                 "The file may be damaged: copy or record it again.");
}

// Reads more after the bytes from `keep_from` on (and the byte before it, where an array's bracket is
// put); earlier bytes are discarded. False at the end of the text.
Expected<bool> Cursor::fill(std::size_t keep_from) {
  if (finished_) return false;
  const auto from = keep_from > 0 ? keep_from - 1 : 0;
  if (from > 0) {
    std::memmove(buffer_.get(), buffer_.get() + from, end_ - from);
    at_ -= from;
    end_ -= from;
    dropped_ += static_cast<std::int64_t>(from);
  }
  if (end_ == capacity_) {
    if (capacity_ >= kMaxElement) return bad("an element or string is longer than 64 MiB");
    auto bigger = std::make_unique_for_overwrite<char[]>(2 * capacity_ + kPadding);
    std::memcpy(bigger.get(), buffer_.get(), end_);
    buffer_ = std::move(bigger);
    capacity_ *= 2;
  }
  const auto got = read_fully(stream_, {buffer_.get() + end_, capacity_ - end_});
  if (!got) return forward(got.error());
  if (end_ + *got < capacity_) finished_ = true;
  end_ += *got;
  return *got > 0;
}

Expected<char> Cursor::peek() {
  for (;;) {
    while (at_ < end_ && is_blank(buffer_[at_])) ++at_;
    if (at_ < end_) {
      const bool mark =
          offset() == 0 && end_ - at_ >= 3 && std::memcmp(&buffer_[at_], "\xEF\xBB\xBF", 3) == 0;
      if (!mark) return buffer_[at_];
      at_ += 3;
      continue;
    }
    const auto more = fill(at_);
    if (!more) return forward(more.error());
    if (!*more) return '\0';
  }
}

Expected<Cursor::Kind> Cursor::kind() {
  const auto first = peek();
  if (!first) return forward(first.error());
  if (at_ == end_) return Kind::End;
  switch (*first) {
  case '{':
    return Kind::Object;
  case '[':
    return Kind::Array;
  case '"':
    return Kind::Text;
  default:
    return Kind::Other;
  }
}

Expected<void> Cursor::open() {
  const auto first = peek();
  if (!first) return forward(first.error());
  if (*first != '{' && *first != '[') return bad("expected an object or array here");
  ++at_;
  return {};
}

// Skips commas (superfluous ones do no harm); '\0' when the text ends.
Expected<char> Cursor::next_in_list() {
  for (;;) {
    const auto first = peek();
    if (!first || *first != ',') {
      if (first && at_ == end_) cut_off_ = true;
      return first;
    }
    ++at_;
  }
}

// The offset of the quote that ends the text whose first byte (after the quote) is at `from`; end_ when it
// is truncated. The buffer may move: `from` is relative to at_.
Expected<std::size_t> Cursor::text_end(std::size_t from) {
  for (auto place = at_ + from;;) {
    for (; place < end_; ++place) {
      if (buffer_[place] == '\\')
        ++place;
      else if (buffer_[place] == '"')
        return place;
    }
    const auto seen = place - at_;
    const auto more = fill(at_);
    if (!more) return forward(more.error());
    if (!*more) return end_;
    place = at_ + seen;
  }
}

Expected<std::optional<std::string>> Cursor::member() {
  const auto first = next_in_list();
  if (!first) return forward(first.error());
  if (cut_off_) return std::nullopt;
  if (*first == '}') {
    ++at_;
    return std::nullopt;
  }
  if (*first != '"') return bad("expected the name of a member here");
  const auto end = text_end(1);
  if (!end) return forward(end.error());
  if (*end == end_) {
    cut_off_ = true;
    return std::nullopt;
  }
  if (*end - at_ > kMaxKey) return bad("a member's name is longer than 65,536 bytes");
  std::string key(&buffer_[at_ + 1], *end - at_ - 1);
  at_ = *end + 1;
  const auto colon = peek();
  if (!colon) return forward(colon.error());
  if (at_ == end_) {
    cut_off_ = true;
    return std::nullopt;
  }
  if (*colon != ':') return bad("expected a colon here");
  ++at_;
  return std::optional(std::move(key));
}

Expected<bool> Cursor::element() {
  const auto first = next_in_list();
  if (!first) return forward(first.error());
  if (cut_off_) return false;
  if (*first != ']') return true;
  ++at_;
  return false;
}

// The elements before `end` in brackets of their own: the byte before them is a bracket, comma or blank
// that was already consumed, the byte at `end` is consumed now.
Chunk Cursor::take(std::size_t end) {
  Chunk chunk;
  chunk.data = &buffer_[at_ - 1];
  chunk.size = end - at_ + 2;
  chunk.capacity = capacity_ + kPadding - (at_ - 1);
  buffer_[at_ - 1] = '[';
  buffer_[end] = ']';
  at_ = end + 1;
  return chunk;
}

Expected<std::optional<Chunk>> Cursor::elements() {
  const auto first = next_in_list();
  if (!first) return forward(first.error());
  if (cut_off_) return std::nullopt;
  if (*first == ']') {
    ++at_;
    return std::nullopt;
  }
  for (;;) {
    if (end_ - at_ < chunk_ / 2)
      if (const auto more = fill(at_); !more) return forward(more.error());
    ScanState state;
    const auto found = scan({&buffer_[at_], end_ - at_}, state);
    if (found.end != kNowhere) {
      const auto end = at_ + found.end;
      auto chunk = take(end);
      buffer_[end] = ']'; // read again by the next call, which leaves the array
      at_ = end;
      return std::optional(chunk);
    }
    if (found.last_comma != kNowhere) return std::optional(take(at_ + found.last_comma));
    const auto more = fill(at_);
    if (!more) return forward(more.error());
    if (*more) continue;
    cut_off_ = true;
    if (state.depth > 0 || state.in_string) return std::nullopt; // the last element is incomplete
    auto chunk = take(end_);
    at_ = end_;
    return std::optional(chunk);
  }
}

Expected<void> Cursor::skip_container() {
  ++at_;
  ScanState state;
  for (;;) {
    const auto found = scan({&buffer_[at_], end_ - at_}, state);
    if (found.end != kNowhere) {
      at_ += found.end + 1;
      return {};
    }
    at_ = end_;
    const auto more = fill(at_);
    if (!more) return forward(more.error());
    if (!*more) {
      cut_off_ = true;
      return {};
    }
  }
}

Expected<void> Cursor::skip_scalar() {
  for (;;) {
    while (at_ < end_ && !ends_scalar(buffer_[at_])) ++at_;
    if (at_ < end_) return {};
    const auto more = fill(at_);
    if (!more) return forward(more.error());
    if (!*more) return {};
  }
}

Expected<void> Cursor::skip() {
  const auto what = kind();
  if (!what) return forward(what.error());
  switch (*what) {
  case Kind::Object:
  case Kind::Array:
    return skip_container();
  case Kind::Text: {
    const auto end = text_end(1);
    if (!end) return forward(end.error());
    at_ = *end == end_ ? end_ : *end + 1;
    return {};
  }
  case Kind::Other: {
    if (ends_scalar(buffer_[at_])) return bad("expected a value here");
    return skip_scalar();
  }
  case Kind::End:
    cut_off_ = true;
  }
  return {};
}

Expected<std::optional<std::string_view>> Cursor::value(std::size_t maximum) {
  const auto what = kind();
  if (!what) return forward(what.error());
  maximum = std::min(maximum, kMaxElement / 2);
  std::size_t length = 1;
  ScanState state;
  for (;;) {
    const std::string_view rest(&buffer_[at_], end_ - at_);
    if (*what == Kind::Object || *what == Kind::Array) {
      const auto found = scan(rest.substr(std::min(length, rest.size())), state);
      length = found.end == kNowhere ? rest.size() : length + found.end + 1;
      if (found.end != kNowhere) break;
    } else if (*what == Kind::Text) {
      const auto end = text_end(1);
      if (!end) return forward(end.error());
      length = std::min(*end + 1, end_) - at_;
      break;
    } else {
      while (length < rest.size() && !ends_scalar(rest[length])) ++length;
      if (length < rest.size()) break;
    }
    if (length > maximum) {
      if (*what != Kind::Object && *what != Kind::Array) return bad("a number is too long");
      if (auto done = skip(); !done) return forward(done.error());
      return std::nullopt;
    }
    const auto more = fill(at_);
    if (!more) return forward(more.error());
    if (*more) continue;
    cut_off_ = true;
    length = end_ - at_;
    break;
  }
  const std::string_view text(&buffer_[at_], std::min(length, end_ - at_));
  at_ += text.size();
  if (length > maximum) return std::nullopt;
  return std::optional(text);
}

} // namespace jitterscope::import::json
