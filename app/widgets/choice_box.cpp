#include "app/widgets/choice_box.h"

#include <QHelpEvent>
#include <QStyleOptionComboBox>
#include <QStylePainter>
#include <QToolTip>
#include <algorithm>

#include "views/base/painting.h"

namespace jitterscope::app {

namespace {
constexpr int kWidest = 250, kPadding = 8; ///< [px] maximum width of the box, and padding of its text
}

ChoiceBox::ChoiceBox(QWidget* parent) : QComboBox(parent) {
  setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
  connect(this, &QComboBox::currentTextChanged, this, [this] { updateGeometry(); });
}

QSize ChoiceBox::sizeOf(const QString& text) const {
  QStyleOptionComboBox option;
  initStyleOption(&option);
  const QSize content(fontMetrics().horizontalAdvance(text) + kPadding,
                      std::max(fontMetrics().height(), 14) + 2);
  return style()->sizeFromContents(QStyle::CT_ComboBox, &option, content, this);
}

QSize ChoiceBox::sizeHint() const {
  const QSize preferred = sizeOf(currentText());
  return {std::min(preferred.width(), kWidest), preferred.height()};
}

QSize ChoiceBox::minimumSizeHint() const {
  return {std::min(sizeHint().width(), 90), sizeHint().height()};
}

QString ChoiceBox::shown() const {
  QStyleOptionComboBox option;
  initStyleOption(&option);
  const int room =
      style()->subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, this).width() - 4;
  return views::elidedName(font(), currentText(), room);
}

void ChoiceBox::paintEvent(QPaintEvent* /*event*/) {
  QStylePainter painter(this);
  QStyleOptionComboBox option;
  initStyleOption(&option);
  painter.drawComplexControl(QStyle::CC_ComboBox, option);
  option.currentText = shown();
  painter.drawControl(QStyle::CE_ComboBoxLabel, option);
}

bool ChoiceBox::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip && shown() != currentText()) {
    QToolTip::showText(static_cast<QHelpEvent*>(event)->globalPos(), currentText() + '\n' + toolTip(), this);
    return true;
  }
  return QComboBox::event(event);
}

} // namespace jitterscope::app
