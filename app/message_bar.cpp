#include "app/message_bar.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>

namespace jitterscope::app {

MessageBar::MessageBar(QWidget* parent)
    : QFrame(parent), label_(new QLabel(this)), action_(new QPushButton(this)) {
  setObjectName("messageBar");
  setFrameShape(QFrame::StyledPanel);
  label_->setWordWrap(true);
  label_->setTextFormat(Qt::PlainText);
  label_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  label_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  auto* close = new QToolButton(this);
  close->setText("✕");
  close->setAutoRaise(true);
  close->setToolTip("Hide this message");
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(10, 4, 6, 4);
  row->addWidget(label_, 1);
  row->addWidget(action_);
  row->addWidget(close);
  connect(close, &QToolButton::clicked, this, &QWidget::hide);
  connect(action_, &QPushButton::clicked, this, [this] {
    hide();
    if (run_) run_();
  });
  hide();
}

void MessageBar::say(const QString& text, const QString& action_text, std::function<void()> action) {
  label_->setText(text);
  run_ = std::move(action);
  action_->setText(action_text);
  action_->setVisible(!action_text.isEmpty());
  show();
}

QString MessageBar::text() const {
  return label_->text();
}

} // namespace jitterscope::app
