#pragma once

#include <QDeadlineTimer>
#include <QListWidget>
#include <QSignalSpy>
#include <QTest>

#include "app/controllers/activity_view.h"
#include "app/window/main_window.h"
#include "tests/app/patience.h"
#include "tests/views/base/rest.h"

namespace jitterscope::app {

constexpr int kLongestRest =
    500; // ms; longer than any delay in the window before it sends a request or writes the history

/// Waits until the window is idle: no request is running, and none was sent while all timers expired.
/// Returns whether that happened in time.
inline bool settled(MainWindow& window, int patience = kPatience) {
  QDeadlineTimer deadline(patience);
  do {
    const auto none_runs = [&] { return window.activity()->requests()->count() == 0; };
    if (!QTest::qWaitFor(none_runs, static_cast<int>(deadline.remainingTime()))) return false;
    QSignalSpy asked(&window.session(), &SessionController::request_started);
    views::rest(kLongestRest);
    if (asked.isEmpty()) return true;
  } while (!deadline.hasExpired());
  return false;
}

} // namespace jitterscope::app
