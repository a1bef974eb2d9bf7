#pragma once

#include <QEventLoop>
#include <QTimer>

namespace jitterscope::views {

/// Lets all timers fall due that were started to rest for less, however slow the machine is: this one stands
/// behind them in the same queue. (QTest::qWait may end without looking at the queue when the machine gave it
/// no time.)
inline void rest(int milliseconds) {
  QEventLoop loop;
  QTimer::singleShot(milliseconds, Qt::PreciseTimer, &loop, &QEventLoop::quit);
  loop.exec();
}

} // namespace jitterscope::views
