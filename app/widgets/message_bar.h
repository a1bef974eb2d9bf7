#pragma once

#include <QFrame>
#include <QTimer>
#include <functional>

class QLabel;
class QPushButton;
class QScrollArea;

namespace jitterscope::app {

/// Words above the views: what went wrong and what to do about it, answers in words. Long ones scroll, so
/// that the views keep their room. Never blocks.
class MessageBar : public QFrame {
  Q_OBJECT

public:
  explicit MessageBar(QWidget* parent = nullptr);

  /// Shows a message; with an action text also a button that calls `action` and hides the bar.
  void say(const QString& text, const QString& action_text = {}, std::function<void()> action = {});
  /// What was done, or cannot be: leaves by itself once there was time to read it, unless the mouse stands on
  /// it.
  void note(const QString& text);
  /// What went wrong with what was asked for.
  void error(const QString& doing, const QString& text);
  /// The same was asked for again and succeeded, or nobody asks for it any more.
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
  QString failed_; ///< what the error shown is about; empty: no error is shown
  QTimer leave_;
};

} // namespace jitterscope::app
