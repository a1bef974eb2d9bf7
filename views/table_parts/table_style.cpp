#include "views/table_parts/table_style.h"

#include <QHeaderView>
#include <QPalette>
#include <QString>
#include <QTableView>

#include "views/base/painting.h"
#include "views/base/view_style.h"

#include <QFontMetricsF>
#include <cmath>

namespace jitterscope::views {

QString scrollBarSheet(const ViewStyle& style) {
  return QStringLiteral("QScrollBar { background: %1; border: 0; }"
                        "QScrollBar:vertical { width: 10px; } QScrollBar:horizontal { height: 10px; }"
                        "QScrollBar::handle { background: %2; border-radius: 3px; margin: 2px; }"
                        "QScrollBar::handle:vertical { min-height: 28px; }"
                        "QScrollBar::handle:horizontal { min-width: 28px; }"
                        "QScrollBar::handle:hover { background: %3; }"
                        "QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }"
                        "QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }")
      .arg(style.surface.name(), style.border.name(), style.faintText.name());
}

void styleTable(QTableView& table, const ViewStyle& style) {
  QPalette palette = table.palette();
  const QColor chosen = mix(style.background, style.focus, style.isDark() ? 0.30 : 0.16);
  palette.setColor(QPalette::Base, style.background);
  palette.setColor(QPalette::AlternateBase, style.lane);
  palette.setColor(QPalette::Text, style.text);
  palette.setColor(QPalette::Highlight, chosen);
  palette.setColor(QPalette::HighlightedText, style.text);
  palette.setColor(QPalette::Window, style.surface);
  palette.setColor(QPalette::WindowText, style.text);
  palette.setColor(QPalette::Button, style.surface);
  palette.setColor(QPalette::ButtonText, style.mutedText);
  table.setPalette(palette);
  table.horizontalHeader()->setPalette(palette);
  table.setFont(style.font());
  table.horizontalHeader()->setFont(style.font(FontRole::Small));
  table.verticalHeader()->hide();
  table.verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  table.verticalHeader()->setDefaultSectionSize(
      static_cast<int>(std::ceil(metricsOf(style.font()).height())) + 7);
  table.setShowGrid(false);
  table.setAlternatingRowColors(true);
  table.setFrameShape(QFrame::NoFrame);
  table.setWordWrap(false);
  table.setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
  table.setStyleSheet(
      QStringLiteral("QTableView { background: %1; alternate-background-color: %2; color: %6;"
                     // set here, because replacing a style sheet resets the palette
                     " selection-background-color: %7; selection-color: %6; }"
                     "QHeaderView { background: %3; }"
                     "QHeaderView::section { background: %3; color: %4; border: 0;"
                     " border-bottom: 1px solid %5; padding: 7px 8px 4px 8px; }"
                     "QHeaderView::up-arrow, QHeaderView::down-arrow { image: none; width: 0; height: 0; }"
                     "QTableCornerButton::section { background: %3; border: 0; }")
          .arg(style.background.name(), style.lane.name(), style.surface.name(), style.mutedText.name(),
               style.border.name(), style.text.name(), chosen.name()) +
      scrollBarSheet(style));
}

} // namespace jitterscope::views
