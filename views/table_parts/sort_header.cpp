#include "views/table_parts/sort_header.h"

#include <QPainter>
#include <QPolygonF>

namespace jitterscope::views {

SortHeader::SortHeader(QWidget* parent) : QHeaderView(Qt::Horizontal, parent) {
  setSectionsClickable(true);
  setHighlightSections(false);
  setTextElideMode(Qt::ElideRight); // by default, headers elide titles at both ends
}

// The style sheets of tables pad titles; a title elided for the full section width would lose its beginning
// if aligned right.
void SortHeader::initStyleOptionForIndex(QStyleOptionHeader* option, int logicalIndex) const {
  QHeaderView::initStyleOptionForIndex(option, logicalIndex);
  constexpr int kPadding = 8;
  option->text = option->fontMetrics.elidedText(model()->headerData(logicalIndex, Qt::Horizontal).toString(),
                                                Qt::ElideRight, sectionSize(logicalIndex) - 2 * kPadding - 2);
}

void SortHeader::paintSection(QPainter* painter, const QRect& rect, int logicalIndex) const {
  painter->save();
  QHeaderView::paintSection(painter, rect, logicalIndex);
  painter->restore();
  if (!isSortIndicatorShown() || sortIndicatorSection() != logicalIndex) return;
  const QPointF middle(rect.center().x() + 0.5, rect.top() + 4);
  const double up = sortIndicatorOrder() == Qt::AscendingOrder ? -1 : 1;
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing, true);
  painter->setPen(Qt::NoPen);
  painter->setBrush(palette().color(QPalette::ButtonText));
  painter->drawPolygon(QPolygonF(
      {middle + QPointF(-4, -1.8 * up), middle + QPointF(4, -1.8 * up), middle + QPointF(0, 2.2 * up)}));
  painter->restore();
}

} // namespace jitterscope::views
