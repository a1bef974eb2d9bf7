#pragma once

#include <QObject>
#include <QPointer>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "app/session/session_controller.h"
#include "app/window/spec/view_spec.h"

class QMainWindow;

namespace jitterscope::app {

/// A second widget that shows what a view shows now.
struct Duplicate {
  const ViewSpec& spec;
  QWidget* widget; ///< content of its dock
  std::function<void(const views::ViewStyle&)> set_style = {};
  ViewExports exports = {};
  std::function<void()> ask = {}; ///< sends its request; called again when the engine was restarted
};

/// Duplicates of views that keep the selection they were opened with, for comparison with
/// later selections. Views independent of the selection (knowledge, marks, activity) are duplicated
/// without one.
class PinnedViews : public QObject {
  Q_OBJECT

public:
  PinnedViews(QMainWindow& window, SessionController& session, QObject* parent = nullptr);

  /// Adds a dock titled with the current selection, next to or behind the others, and sends the request.
  /// Closing the dock removes it.
  QDockWidget* show(Duplicate duplicate);
  /// Adds a dock for content independent of the selection.
  QDockWidget* show_twin(Duplicate duplicate);
  /// Returns the request of the next duplicate, on a channel of its own. `widget` shows a message until the
  /// answer arrives; answers after its deletion are ignored. `receive` gets the widget and the answer.
  /// `options` may change between calls.
  template <class Widget, class Options, class Receive>
  std::function<void()> request(const ViewSpec& spec, Widget* widget, std::shared_ptr<Options> options,
                                Receive receive) {
    widget->setMessage(waiting());
    return [this, widget = QPointer(widget), options = std::move(options), channel = channel(),
            doing = title_of(spec), receive] {
      session_.ask(
          {*options, channel}, doing,
          [widget, receive](const engine::Answer& answer) {
            if (!widget) return;
            widget->setMessage({});
            receive(widget.data(), answer);
          },
          [widget](const Error& error) {
            if (widget) widget->setMessage(QString::fromStdString(error.message));
          });
    };
  }
  /// Channel of the requests of the next duplicate.
  std::string channel() const { return "pinned " + std::to_string(next_); }
  static QString waiting(); ///< message of a widget whose answer has not arrived

  /// The docks that are open, in the order in which they were opened.
  QList<QDockWidget*> docks() const;
  QDockWidget* dock_of(const QString& title) const;       ///< first dock with this title; null if none
  const ViewSpec* spec_of(const QDockWidget* dock) const; ///< of the duplicated view; null for other docks
  std::vector<std::pair<QString, ViewExports>> exports() const; ///< of all open docks, with their titles
  /// Selection kept by the view in a dock; for other docks, the current selection.
  engine::SelectionOptions selection_of(const QDockWidget* dock) const;
  void set_style(const views::ViewStyle& style);
  const views::ViewStyle& style() const { return style_; }
  int count() const { return static_cast<int>(docks().size()); }
  /// Another session was opened: removes pinned views, because their selections refer to the previous one.
  void clear();

private:
  struct Pinned {
    QPointer<QDockWidget> dock;
    Duplicate duplicate;
    engine::SelectionOptions selection;
  };
  QDockWidget* add(const QString& title, Duplicate duplicate);
  void place(QDockWidget* dock);
  const Pinned* find(const QDockWidget* dock) const;

  QMainWindow& window_;
  SessionController& session_;
  views::ViewStyle style_;
  std::vector<Pinned> pinned_;
  int next_ = 1;
};

} // namespace jitterscope::app
