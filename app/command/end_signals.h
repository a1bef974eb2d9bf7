#pragma once

#include <functional>
#include <memory>

class QSocketNotifier;

namespace jitterscope::app {

/// While an object of this class exists, SIGTERM, SIGHUP and SIGINT call `ended` with the signal number, from
/// the event loop of its thread. The program can then end as if requested and leaves no temporary data. The
/// second signal ends the process immediately. At most one object at a time.
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
