#include "views/base/name_column.h"

#include <QEvent>
#include <QGuiApplication>
#include <QHeaderView>
#include <QTableView>
#include <algorithm>
#include <utility>

namespace jitterscope::views {

namespace {
constexpr int kLeast = 95, kMost = 320;
}

NameColumn::NameColumn(QTableView& table, int column, int beside) : QObject(&table), table_(table), column_(column), beside_(beside) {
  table_.setTextElideMode(Qt::ElideMiddle);
  table_.viewport()->installEventFilter(this);
  connect(table_.horizontalHeader(), &QHeaderView::sectionResized, this, [this](int section) {
    if (fitting_) return;
    if (section == column_ && QGuiApplication::mouseButtons() != Qt::NoButton) chosen_ = true;
    fit();
  });
  fit();
}

void NameColumn::follow(int column) {
  column_ = column;
  chosen_ = false;
  fit();
}

void NameColumn::fit() {
  if (chosen_ || column_ < 0 || table_.model() == nullptr || column_ >= table_.model()->columnCount()) return;
  const auto* header = table_.horizontalHeader();
  int room = table_.viewport()->width(), left = beside_;
  for (int place = 0; place < header->count() && left > 0; ++place) {
    const int section = header->logicalIndex(place);
    if (section == column_ || header->isSectionHidden(section)) continue;
    room -= header->sectionSize(section);
    --left;
  }
  const bool before = std::exchange(fitting_, true);
  table_.setColumnWidth(column_, std::clamp(room, kLeast, kMost));
  fitting_ = before;
}

bool NameColumn::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Resize) fit();
  return QObject::eventFilter(watched, event);
}

} // namespace jitterscope::views
