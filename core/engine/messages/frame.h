#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/base/error.h"

namespace jitterscope::engine {

inline constexpr std::uint32_t kProtocol = 2;
inline constexpr std::uint32_t kMagic = 0x5043534A; // "JSCP"
inline constexpr std::size_t kHeadBytes = 24;
inline constexpr std::uint64_t kLongestFrame = std::uint64_t{1} << 30; ///< bytes of payload

/// Partial holds an answer like Answer does; any number of them may precede the final one.
enum class FrameType : std::uint32_t { Request = 1, Cancel, Quit, Hello, Answer, Progress, Failure, Partial };

/// Little-endian head {u32 magic, u32 type, u64 request, u64 length}, then `length` bytes of payload.
struct Frame {
  FrameType type = FrameType::Request;
  std::uint64_t request = 0; ///< request number, chosen by the client; answers repeat it
  std::vector<std::uint8_t> payload;
};

/// Head and payload ready to send.
std::vector<std::uint8_t> encode(const Frame& frame);

/// Splits a stream of bytes into frames. Bytes may arrive in pieces of any size.
class FrameReader {
public:
  void append(std::span<const std::uint8_t> bytes);
  /// The next complete frame, empty if more bytes are needed, or an error (Engine) after which the stream is
  /// unusable: wrong magic, unknown type or a length above kLongestFrame.
  Expected<std::optional<Frame>> next();

private:
  std::vector<std::uint8_t> buffer_;
  std::size_t used_ = 0;
};

} // namespace jitterscope::engine
