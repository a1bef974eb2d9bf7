#pragma once

#include <QHash>
#include <QWidget>

class QListWidget;
class QListWidgetItem;
class QPlainTextEdit;

namespace jitterscope::app {

/// Running engine requests, each with a way to cancel it, and a log of events.
class ActivityView : public QWidget {
  Q_OBJECT

public:
  explicit ActivityView(QWidget* parent = nullptr);
  QListWidget* requests() { return requests_; }
  QString text() const;
  /// Creates a second view without a parent that shows the same requests and log, including future entries.
  ActivityView* twin();

public slots:
  void started(quint64 number, const QString& doing);
  void finished(quint64 number);
  void log(const QString& text); ///< logs a line with the time of day

signals:
  // Signals that keep the views made by twin() up to date.
  void request_started(quint64 number, const QString& doing);
  void request_ended(quint64 number);
  void logged(const QString& line);
  void cancelRequested(quint64 number); ///< double click, Delete or Enter on a running request

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
