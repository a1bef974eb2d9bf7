#include "app/controllers/activity_view.h"

#include <QKeyEvent>
#include <QLabel>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QTime>
#include <QVBoxLayout>

namespace jitterscope::app {

ActivityView::ActivityView(QWidget* parent)
    : QWidget(parent), requests_(new QListWidget(this)), log_(new QPlainTextEdit(this)) {
  requests_->setToolTip(
      tr("Requests that the engine works on. Double-click a request or press Delete to cancel it."));
  requests_->setAccessibleName(tr("Running requests"));
  requests_->installEventFilter(this);
  log_->setReadOnly(true);
  log_->setMaximumBlockCount(5'000);
  log_->setAccessibleName(tr("Log"));
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(4, 4, 4, 4);
  auto* caption = new QLabel(tr("Running requests (double-click one to cancel it)"), this);
  caption->setForegroundRole(QPalette::PlaceholderText);
  column->addWidget(caption);
  column->addWidget(requests_, 1);
  column->addWidget(log_, 2);
  connect(requests_, &QListWidget::itemDoubleClicked, this, &ActivityView::cancel);
}

QString ActivityView::text() const {
  return log_->toPlainText();
}

void ActivityView::started(quint64 number, const QString& doing) {
  auto* item = new QListWidgetItem(doing, requests_);
  item->setData(Qt::UserRole, number);
  items_.insert(number, item);
  emit request_started(number, doing);
}

void ActivityView::finished(quint64 number) {
  delete items_.take(number);
  emit request_ended(number);
}

void ActivityView::log(const QString& text) {
  append(QTime::currentTime().toString("hh:mm:ss  ") + text);
}

void ActivityView::append(const QString& line) {
  log_->appendPlainText(line);
  emit logged(line);
}

ActivityView* ActivityView::twin() {
  auto* other = new ActivityView;
  other->log_->setPlainText(text());
  for (int row = 0; row < requests_->count(); ++row)
    other->started(requests_->item(row)->data(Qt::UserRole).toULongLong(), requests_->item(row)->text());
  connect(this, &ActivityView::request_started, other, &ActivityView::started);
  connect(this, &ActivityView::request_ended, other, &ActivityView::finished);
  connect(this, &ActivityView::logged, other, &ActivityView::append);
  connect(other, &ActivityView::cancelRequested, this, &ActivityView::cancelRequested);
  return other;
}

void ActivityView::cancel(QListWidgetItem* item) {
  if (item) emit cancelRequested(item->data(Qt::UserRole).toULongLong());
}

bool ActivityView::eventFilter(QObject* watched, QEvent* event) {
  if (watched == requests_ && event->type() == QEvent::KeyPress) {
    const int key = static_cast<QKeyEvent*>(event)->key();
    if (key == Qt::Key_Delete || key == Qt::Key_Return || key == Qt::Key_Enter)
      return cancel(requests_->currentItem()), true;
  }
  return QWidget::eventFilter(watched, event);
}

} // namespace jitterscope::app
