#include "views/table_parts/table_keys.h"

#include <QKeyEvent>
#include <QTableView>
#include <algorithm>
#include <array>

namespace jitterscope::views {

bool movesInTable(QTableView& table, QEvent& event) {
  static constexpr std::array kKeys{Qt::Key_Home,     Qt::Key_End,    Qt::Key_PageUp,
                                    Qt::Key_PageDown, Qt::Key_Return, Qt::Key_Enter};
  if (event.type() != QEvent::ShortcutOverride && event.type() != QEvent::KeyPress) return false;
  const auto& pressed = static_cast<QKeyEvent&>(event);
  if (pressed.modifiers() & ~Qt::KeypadModifier) return false;
  const int key = pressed.key();
  if (event.type() == QEvent::ShortcutOverride) {
    if (std::find(kKeys.begin(), kKeys.end(), key) == kKeys.end()) return false;
    event.accept();
    return true;
  }
  const int rows = table.model() ? table.model()->rowCount() : 0;
  if ((key != Qt::Key_Home && key != Qt::Key_End) || rows == 0) return false;
  const int column = std::max(0, table.currentIndex().column());
  table.setCurrentIndex(table.model()->index(key == Qt::Key_Home ? 0 : rows - 1, column));
  return true;
}

} // namespace jitterscope::views
