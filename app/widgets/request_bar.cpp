#include "app/widgets/request_bar.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QToolButton>

namespace jitterscope::app {

RequestBar::RequestBar(QWidget* parent)
    : QWidget(parent), what_(new QLabel(this)), bar_(new QProgressBar(this)), cancel_(new QToolButton(this)) {
  bar_->setFixedWidth(140);
  bar_->setTextVisible(false);
  cancel_->setText(tr("Cancel"));
  cancel_->setAutoRaise(true);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  row->addWidget(what_);
  row->addWidget(bar_);
  row->addWidget(cancel_);
  connect(cancel_, &QToolButton::clicked, this, &RequestBar::cancelled);
  hide();
}

void RequestBar::begin(const QString& what) {
  what_->setText(what + " …");
  bar_->setRange(0, 0);
  show();
}

void RequestBar::progress(const QString& what, qint64 done, qint64 total) {
  what_->setText(what + " …");
  bar_->setRange(0, total > 0 ? 1000 : 0);
  if (total > 0)
    bar_->setValue(static_cast<int>(1000.0 * static_cast<double>(done) / static_cast<double>(total)));
}

void RequestBar::end() {
  hide();
}

bool RequestBar::running() const {
  return !isHidden();
}

} // namespace jitterscope::app
