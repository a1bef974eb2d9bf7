#pragma once

#include <QObject>
#include <optional>

#include "core/base/time.h"

namespace jitterscope::app {

/// The time that the mouse stands on, the same in all views with a time axis.
class CursorTime : public QObject {
  Q_OBJECT

public:
  using QObject::QObject;

  /// `view` tells its cursor by cursorMoved and is told that of the others by setCursorTime, which emits
  /// nothing.
  template <class View>
  void join(View* view) {
    connect(view, &View::cursorMoved, this, &CursorTime::moved);
    connect(this, &CursorTime::moved, view, &View::setCursorTime);
  }

signals:
  void moved(std::optional<jitterscope::Nanoseconds> time);
};

} // namespace jitterscope::app
