#include "core/engine/messages/frame.h"

#include <bit>
#include <cstring>

#include <fmt/core.h>

namespace jitterscope::engine {
namespace {

static_assert(std::endian::native == std::endian::little, "frames are little-endian");

struct Head {
  std::uint32_t magic;
  std::uint32_t type;
  std::uint64_t request;
  std::uint64_t length;
};
static_assert(sizeof(Head) == kHeadBytes);

} // namespace

std::vector<std::uint8_t> encode(const Frame& frame) {
  const Head head{kMagic, static_cast<std::uint32_t>(frame.type), frame.request, frame.payload.size()};
  std::vector<std::uint8_t> bytes(kHeadBytes + frame.payload.size());
  std::memcpy(bytes.data(), &head, kHeadBytes);
  if (!frame.payload.empty())
    std::memcpy(bytes.data() + kHeadBytes, frame.payload.data(), frame.payload.size());
  return bytes;
}

void FrameReader::append(std::span<const std::uint8_t> bytes) {
  if (used_ > 0 && used_ == buffer_.size()) {
    buffer_.clear();
    used_ = 0;
  }
  buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
}

Expected<std::optional<Frame>> FrameReader::next() {
  if (buffer_.size() - used_ < kHeadBytes) return std::optional<Frame>();
  Head head;
  std::memcpy(&head, buffer_.data() + used_, kHeadBytes);
  if (head.magic != kMagic) return failure(ErrorKind::Engine, "the peer does not use this protocol");
  if (head.type < static_cast<std::uint32_t>(FrameType::Request) ||
      head.type > static_cast<std::uint32_t>(FrameType::Partial))
    return failure(ErrorKind::Engine, fmt::format("unknown frame type {}", head.type));
  if (head.length > kLongestFrame)
    return failure(ErrorKind::Engine, fmt::format("a frame of {} bytes is longer than the limit of {} bytes",
                                                  head.length, kLongestFrame));
  if (buffer_.size() - used_ - kHeadBytes < head.length) return std::optional<Frame>();
  const auto begin = buffer_.begin() + static_cast<std::ptrdiff_t>(used_ + kHeadBytes);
  Frame frame{static_cast<FrameType>(head.type),
              head.request,
              {begin, begin + static_cast<std::ptrdiff_t>(head.length)}};
  used_ += kHeadBytes + head.length;
  if (used_ > (std::size_t{1} << 20)) {
    buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(used_));
    used_ = 0;
  }
  return std::optional<Frame>(std::move(frame));
}

} // namespace jitterscope::engine
