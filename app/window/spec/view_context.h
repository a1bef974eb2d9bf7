#pragma once

#include <QString>
#include <functional>

#include "app/session/selection_hub.h"
#include "app/session/session_controller.h"

class QMainWindow;

namespace jitterscope::app {

class CursorTime;
class MessageBar;
class PinnedViews;
struct WindowParts;

/// The window as its views see it.
struct ViewContext {
  QMainWindow& window;
  SelectionHub& hub;
  SessionController& session;
  CursorTime& cursor;
  MessageBar& messages;
  PinnedViews& pinned;
  WindowParts& parts;

  void change(const std::function<void(SelectionState&)>& edit, const QString& merge = {});
  void show_status(const QString& text); ///< shows the text in the status bar for 8 s
};

} // namespace jitterscope::app
