#pragma once

#include <QHeaderView>

namespace jitterscope::views {

/// Header whose sort mark is a small triangle above the text, in the text's colour: never over the text, and
/// legible in every theme.
class SortHeader : public QHeaderView {
  Q_OBJECT

public:
  explicit SortHeader(QWidget* parent = nullptr);

protected:
  void initStyleOptionForIndex(QStyleOptionHeader* option, int logicalIndex) const override;
  void paintSection(QPainter* painter, const QRect& rect, int logicalIndex) const override;
};

} // namespace jitterscope::views
