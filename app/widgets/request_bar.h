#pragma once

#include <QString>
#include <QWidget>

class QLabel;
class QProgressBar;
class QToolButton;

namespace jitterscope::app {

/// Progress of a long request: name, progress, and a cancel button.
class RequestBar : public QWidget {
  Q_OBJECT

public:
  explicit RequestBar(QWidget* parent = nullptr);

  void begin(const QString& what);
  void progress(const QString& what, qint64 done, qint64 total);
  void end();
  bool running() const;
  QToolButton* cancelButton() { return cancel_; }

signals:
  void cancelled();

private:
  QLabel* what_ = nullptr;
  QProgressBar* bar_ = nullptr;
  QToolButton* cancel_ = nullptr;
};

} // namespace jitterscope::app
