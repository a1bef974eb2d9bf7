#pragma once

#include <QDeadlineTimer>
#include <QListWidget>
#include <QSignalSpy>
#include <QTest>

#include "app/controllers/activity_view.h"
#include "app/window/main_window.h"
#include "tests/views/base/rest.h"

namespace jitterscope::app {

constexpr int kLongestRest =
    500; // ms; longer than anything in the window rests before it asks or writes the history

/// Waits until the window asks nothing any more: no question runs, and none was asked while all timers fell
/// due.
inline bool settled(MainWindow& window, int patience = 120'000) {
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
