#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/engine/messages/frame.h"

namespace jitterscope::engine {

/// One connected stream socket that carries frames.
class Socket {
public:
  /// Connects to a Unix socket with a listener. Errors: Engine.
  static Expected<Socket> connect_to(const std::string& path);
  explicit Socket(int descriptor) : descriptor_(descriptor) {}
  Socket(Socket&& other) noexcept;
  Socket& operator=(Socket&&) = delete;
  ~Socket();

  /// Reads available bytes and returns the next complete frame, waiting at most `timeout_ms` (−1:
  /// indefinitely, 0: not at all).
  Expected<std::optional<Frame>> receive(int timeout_ms);
  /// Sends the whole frame; blocks while the peer is slow.
  Expected<void> send(const Frame& frame);
  /// The peer has closed the connection or sent invalid data; nothing more will arrive.
  bool closed() const { return closed_; }

private:
  Expected<void> fill();
  int descriptor_ = -1;
  bool closed_ = false;
  FrameReader reader_;
};

} // namespace jitterscope::engine
