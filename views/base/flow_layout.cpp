#include "views/base/flow_layout.h"

#include <QEvent>
#include <algorithm>

namespace jitterscope::views {

FlowBar::FlowBar(int spacing, QWidget* parent) : QWidget(parent), row_(new FlowLayout(spacing)) {
  setLayout(row_);
  setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
}

bool FlowBar::event(QEvent* event) {
  const bool handled = QWidget::event(event);
  if (event->type() == QEvent::Resize || event->type() == QEvent::LayoutRequest)
    setFixedHeight(row_->heightForWidth(width()));
  return handled;
}

FlowLayout::~FlowLayout() {
  qDeleteAll(items_);
}

QSize FlowLayout::sizeHint() const {
  int width = 0, height = 0;
  for (const auto* item : items_) {
    if (item->isEmpty()) continue;
    width += item->sizeHint().width() + (width > 0 ? spacing_ : 0);
    height = std::max(height, item->sizeHint().height());
  }
  return QSize(width, height).grownBy(contentsMargins());
}

QSize FlowLayout::minimumSize() const {
  QSize minimum;
  for (const auto* item : items_)
    if (!item->isEmpty()) minimum = minimum.expandedTo(item->minimumSize());
  return minimum.grownBy(contentsMargins());
}

void FlowLayout::setGeometry(const QRect& rect) {
  QLayout::setGeometry(rect);
  arrange(rect, true);
}

int FlowLayout::arrange(const QRect& rect, bool move) const {
  const QRect room = rect.marginsRemoved(contentsMargins());
  int x = room.left(), y = room.top(), row = 0;
  for (auto* item : items_) {
    if (item->isEmpty()) continue;
    const QSize size = item->sizeHint();
    if (x > room.left() && x + size.width() > room.right() + 1) {
      x = room.left();
      y += row + spacing_ / 2;
      row = 0;
    }
    if (move) item->setGeometry({{x, y}, QSize(std::min(size.width(), room.width()), size.height())});
    x += size.width() + spacing_;
    row = std::max(row, size.height());
  }
  return y + row + contentsMargins().bottom() - rect.top();
}

} // namespace jitterscope::views
