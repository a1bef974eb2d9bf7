#pragma once

#include <functional>
#include <memory>

class QSocketNotifier;

namespace jitterscope::app {

/// While an object of this class lives, SIGTERM, SIGHUP and SIGINT call `ended` with their number from the
/// event loop of its thread, so that a program ends as it does on request and leaves nothing behind. The
/// second of these signals ends the process at once. One object at a time.
class EndSignals {
public:
  explicit EndSignals(std::function<void(int signal)> ended);
  ~EndSignals();
  EndSignals(const EndSignals&) = delete;
  EndSignals& operator=(const EndSignals&) = delete;

private:
  std::unique_ptr<QSocketNotifier> notifier_;
};

} // namespace jitterscope::app
