#pragma once

#include <QHash>
#include <QWidget>

class QListWidget;
class QListWidgetItem;
class QPlainTextEdit;

namespace jitterscope::app {

/// What the engine is asked just now, each with a way to end it, and a log of what happened.
class ActivityView : public QWidget {
  Q_OBJECT

public:
  explicit ActivityView(QWidget* parent = nullptr);
  QListWidget* requests() { return requests_; }
  QString text() const;
  /// Another view of the same, of no parent: what runs and what was said, and whatever comes.
  ActivityView* twin();

public slots:
  void started(quint64 number, const QString& doing);
  void finished(quint64 number);
  void say(const QString& text); ///< a line with the time of day

signals:
  // For twins.
  void request_came(quint64 number, const QString& doing);
  void request_went(quint64 number);
  void said(const QString& line);
  void cancelRequested(quint64 number); ///< double click, Delete or Enter on a request

protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

private:
  void cancel(QListWidgetItem* item);
  void append(const QString& line);

  QListWidget* requests_;
  QPlainTextEdit* log_;
  QHash<quint64, QListWidgetItem*> items_;
};

} // namespace jitterscope::app
