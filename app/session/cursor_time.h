#pragma once

#include <QObject>
#include <optional>

#include "core/base/time.h"

namespace jitterscope::app {

/// Time under the mouse, shared by all views with a time axis.
class CursorTime : public QObject {
  Q_OBJECT

public:
  using QObject::QObject;

  /// Connects `view`: it sends its cursor by cursorMoved and receives others by setCursorTime, which emits
  /// no signal.
  template <class View>
  void join(View* view) {
    connect(view, &View::cursorMoved, this, &CursorTime::moved);
    connect(this, &CursorTime::moved, view, &View::setCursorTime);
  }

signals:
  void moved(std::optional<jitterscope::Nanoseconds> time);
};

} // namespace jitterscope::app
