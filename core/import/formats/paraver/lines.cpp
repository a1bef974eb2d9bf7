#include "core/import/formats/paraver/lines.h"

#include <cstring>

#include <fmt/core.h>

#include "core/import/formats/paraver/fields.h"

namespace jitterscope::import::paraver {
namespace {

constexpr std::size_t kBuffer = std::size_t{1} << 20, kMaxLine = std::size_t{64} << 20;

std::unique_ptr<char[]> make_buffer(std::size_t capacity) {
  return std::make_unique_for_overwrite<char[]>(capacity + kLinePadding);
}

} // namespace

Lines::Lines(ByteStream& stream) : stream_(stream), buffer_(make_buffer(kBuffer)), capacity_(kBuffer) {}

Expected<std::optional<std::string_view>> Lines::next() {
  std::size_t seen = 0;
  for (;;) {
    const char* begin = buffer_.get() + at_;
    const auto* found = static_cast<const char*>(std::memchr(begin + seen, '\n', end_ - at_ - seen));
    if (found) return take(static_cast<std::size_t>(found - begin), 1);
    if (finished_ && at_ < end_) return take(end_ - at_, 0);
    if (finished_) return std::nullopt;
    seen = end_ - at_;
    std::memmove(buffer_.get(), begin, seen);
    at_ = 0;
    end_ = seen;
    if (end_ == capacity_) {
      if (capacity_ >= kMaxLine)
        return failure(ErrorKind::BadInput, "a line is longer than 64 MiB", {},
                       fmt::format("line {}", number_ + 1),
                       "The file may be damaged: copy or record it again.");
      auto bigger = make_buffer(2 * capacity_);
      std::memcpy(bigger.get(), buffer_.get(), end_);
      buffer_ = std::move(bigger);
      capacity_ *= 2;
    }
    const auto got = read_fully(stream_, {buffer_.get() + end_, capacity_ - end_});
    if (!got) return forward(got.error());
    finished_ = *got < capacity_ - end_;
    end_ += *got;
    std::memset(buffer_.get() + end_, '\n', kLinePadding);
  }
}

} // namespace jitterscope::import::paraver
