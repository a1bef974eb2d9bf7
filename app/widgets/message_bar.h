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

  /// Shows a message; with an action text also a button that calls `action` and hides the bar.
  void show_message(const QString& text, const QString& action_text = {}, std::function<void()> action = {});
  /// Shows a short note that disappears after the time needed to read it, unless the mouse is over
  /// it.
  void note(const QString& text);
  /// Shows an error of a request.
  void error(const QString& doing, const QString& text);
  /// Removes the error of this request, when it has succeeded later or is no longer needed.
  void forget_error(const QString& doing);
  QString text() const;
  QPushButton* button() { return action_; }

protected:
  void resizeEvent(QResizeEvent* event) override;

private:
  void fit();

  QScrollArea* scroll_ = nullptr;
  QLabel* label_ = nullptr;
  QPushButton* action_ = nullptr;
  std::function<void()> run_;
  QString failed_; ///< request of the visible error; empty: no error is shown
  QTimer leave_;
};

} // namespace jitterscope::app
