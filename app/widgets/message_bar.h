#pragma once

#include <QFrame>
#include <QTimer>
#include <functional>

class QLabel;
class QPushButton;
class QScrollArea;

namespace jitterscope::app {

/// Message area above the views: errors with advice, and answers as text. Long messages scroll, so
/// that the views keep their size. Never blocks.
class MessageBar : public QFrame {
  Q_OBJECT

public:
  explicit MessageBar(QWidget* parent = nullptr);

  /// Shows a message; with an action text also a button that calls `action` and hides the bar. `declined` is
  /// called when the user closes the bar.
  void show_message(const QString& text, const QString& action_text = {}, std::function<void()> action = {},
                    std::function<void()> declined = {});
  /// Shows a short note that disappears after the time needed to read it, unless the mouse is over
  /// it.
  void note(const QString& text);
  /// Shows an error. `doing` is the name of the work as the user knows it; `operation` identifies the kind of
  /// request, empty for other work.
  void error(const QString& doing, const QString& text, const QString& operation = {});
  /// Removes the error of this kind of request, when one has succeeded later or is no longer needed.
  void forget_error(const QString& operation);
  QString text() const;
  QPushButton* button() { return action_; }

protected:
  void resizeEvent(QResizeEvent* event) override;

private:
  void fit();

  QScrollArea* scroll_ = nullptr;
  QLabel* label_ = nullptr;
  QPushButton* action_ = nullptr;
  std::function<void()> run_, declined_;
  QString failed_; ///< operation of the visible error; empty: no error of a request is shown
  QTimer leave_;
};

} // namespace jitterscope::app
