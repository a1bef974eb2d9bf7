#include "core/engine/messages/socket.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace jitterscope::engine {

Expected<Socket> Socket::connect_to(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path))
    return failure(ErrorKind::Engine, "the path of the socket is too long", path);
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  Socket made(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (made.descriptor_ < 0 ||
      ::connect(made.descriptor_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0)
    return failure(ErrorKind::Engine, std::string("no connection to the window: ") + std::strerror(errno),
                   path);
  return made;
}

Socket::Socket(Socket&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), closed_(other.closed_),
      reader_(std::move(other.reader_)) {}

Socket::~Socket() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Expected<void> Socket::fill() {
  std::array<std::uint8_t, 65536> buffer;
  for (;;) {
    const auto got = ::recv(descriptor_, buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (got > 0) {
      reader_.append({buffer.data(), static_cast<std::size_t>(got)});
      if (static_cast<std::size_t>(got) < buffer.size()) return {};
      continue;
    }
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return {};
    closed_ = true;
    return {};
  }
}

Expected<std::optional<Frame>> Socket::receive(int timeout_ms) {
  auto frame = reader_.next();
  if (!frame) closed_ = true;
  if (!frame || *frame || closed_) return frame;
  pollfd requested{descriptor_, POLLIN, 0};
  const int ready = ::poll(&requested, 1, timeout_ms);
  if (ready > 0)
    if (auto filled = fill(); !filled) return forward(filled.error());
  frame = reader_.next();
  if (!frame) closed_ = true;
  return frame;
}

Expected<void> Socket::send(const Frame& frame) {
  const auto bytes = encode(frame);
  std::size_t sent = 0;
  while (sent < bytes.size()) {
    const auto put = ::send(descriptor_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (put > 0) {
      sent += static_cast<std::size_t>(put);
    } else if (errno != EINTR) {
      closed_ = true;
      return failure(ErrorKind::Engine, "the window was closed");
    }
  }
  return {};
}

} // namespace jitterscope::engine
