#include "app/command/end_signals.h"

#include <QSocketNotifier>

#include <cerrno>
#include <csignal>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace jitterscope::app {
namespace {

constexpr int kSignals[] = {SIGTERM, SIGHUP, SIGINT};

int pipe_ends[2] = {-1, -1}; // read end, write end

void received(int signal) {
  const int before = errno;
  const auto number = static_cast<unsigned char>(signal);
  static_cast<void>(!::write(pipe_ends[1], &number, 1));
  for (const int each : kSignals) std::signal(each, SIG_DFL);
  errno = before;
}

} // namespace

EndSignals::EndSignals(std::function<void(int signal)> ended) {
  if (::pipe2(pipe_ends, O_CLOEXEC | O_NONBLOCK) != 0) return; // signals then have their default action
  notifier_ = std::make_unique<QSocketNotifier>(pipe_ends[0], QSocketNotifier::Read);
  QObject::connect(notifier_.get(), &QSocketNotifier::activated, notifier_.get(), [ended = std::move(ended)] {
    unsigned char number = 0;
    if (::read(pipe_ends[0], &number, 1) == 1) ended(number);
  });
  for (const int each : kSignals) std::signal(each, received);
}

EndSignals::~EndSignals() {
  if (!notifier_) return;
  for (const int each : kSignals) std::signal(each, SIG_DFL);
  notifier_.reset();
  for (int& end : pipe_ends) ::close(std::exchange(end, -1));
}

} // namespace jitterscope::app
