#pragma once

#include <QEventLoop>
#include <QTimer>

namespace jitterscope::views {

/// Runs all timers with a shorter interval, however slow the machine is: this timer is after them in the
/// same queue. (QTest::qWait may end without processing the queue when the machine gave it no
/// time.)
inline void rest(int milliseconds) {
  QEventLoop loop;
  QTimer::singleShot(milliseconds, Qt::PreciseTimer, &loop, &QEventLoop::quit);
  loop.exec();
}

} // namespace jitterscope::views
