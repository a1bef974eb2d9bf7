#include "app/widgets/message_bar.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QToolButton>
#include <algorithm>
#include <utility>

namespace jitterscope::app {

MessageBar::MessageBar(QWidget* parent)
    : QFrame(parent), scroll_(new QScrollArea(this)), label_(new QLabel), action_(new QPushButton(this)) {
  setObjectName("messageBar");
  setFrameShape(QFrame::StyledPanel);
  label_->setWordWrap(true);
  label_->setTextFormat(Qt::PlainText);
  label_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  label_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  auto* close = new QToolButton(this);
  close->setText("✕");
  close->setAutoRaise(true);
  close->setToolTip(tr("Hide this message"));
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(10, 4, 6, 4);
  scroll_->setWidget(label_);
  scroll_->setWidgetResizable(true);
  scroll_->setFrameShape(QFrame::NoFrame);
  scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll_->setFocusPolicy(Qt::NoFocus);
  scroll_->viewport()->setAutoFillBackground(false);
  label_->setAutoFillBackground(false);
  row->addWidget(scroll_, 1);
  row->addWidget(action_);
  row->addWidget(close);
  connect(close, &QToolButton::clicked, this, [this] {
    hide();
    if (const auto declined = std::exchange(declined_, {})) declined();
  });
  leave_.setSingleShot(true);
  connect(&leave_, &QTimer::timeout, this, [this] {
    if (!underMouse()) return hide();
    leave_.start(2'000);
  });
  connect(action_, &QPushButton::clicked, this, [this] {
    hide();
    if (run_) run_();
  });
  hide();
}

void MessageBar::show_message(const QString& text, const QString& action_text, std::function<void()> action,
                              std::function<void()> declined) {
  label_->setText(text);
  declined_ = std::move(declined);
  failed_.clear();
  run_ = std::move(action);
  action_->setText(action_text);
  action_->setVisible(!action_text.isEmpty());
  scroll_->verticalScrollBar()->setValue(0);
  leave_.stop();
  show();
  fit();
}

void MessageBar::note(const QString& text) {
  constexpr int kMinMilliseconds = 4'000, kOfLetter = 60; // ms: minimum, and per letter of the text
  show_message(text);
  leave_.start(kMinMilliseconds + kOfLetter * static_cast<int>(text.size()));
}

void MessageBar::resizeEvent(QResizeEvent* event) {
  QFrame::resizeEvent(event);
  fit();
}

// Height of the text, limited to a part of the window.
void MessageBar::fit() {
  constexpr int kLines = 5, kShare = 8; // limit: kLines lines or 1/kShare of the window, the larger one
  const int maximum = std::max(kLines * label_->fontMetrics().lineSpacing(), window()->height() / kShare);
  const int whole = label_->heightForWidth(scroll_->width());
  scroll_->setFixedHeight(std::max(std::min(whole, maximum), label_->fontMetrics().height() + 2));
}

void MessageBar::error(const QString& doing, const QString& text, const QString& operation) {
  show_message(doing + ": " + text);
  failed_ = operation;
}

void MessageBar::forget_error(const QString& operation) {
  if (!operation.isEmpty() && failed_ == operation) hide();
}

QString MessageBar::text() const {
  return label_->text();
}

} // namespace jitterscope::app
