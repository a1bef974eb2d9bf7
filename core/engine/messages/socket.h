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
  /// Connects to a Unix socket that somebody listens on. Errors: Engine.
  static Expected<Socket> connect_to(const std::string& path);
  explicit Socket(int descriptor) : descriptor_(descriptor) {}
  Socket(Socket&& other) noexcept;
  Socket& operator=(Socket&&) = delete;
  ~Socket();

  /// Reads what is there and returns the next whole frame, waiting at most `timeout_ms` (-1: for ever, 0: not
  /// at all).
  Expected<std::optional<Frame>> receive(int timeout_ms);
  /// Sends all of it, waiting while the other side is slow.
  Expected<void> send(const Frame& frame);
  /// The other side is gone or sent nonsense; nothing more will come.
  bool closed() const { return closed_; }

private:
  Expected<void> fill();
  int descriptor_ = -1;
  bool closed_ = false;
  FrameReader reader_;
};

} // namespace jitterscope::engine
