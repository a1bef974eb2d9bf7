#pragma once

#include <QString>
#include <QWidget>

#include "views/base/view_style.h"

namespace jitterscope::views {

/// Where a card of this size goes beside a view that is too small to hold it: below, above, left or right of
/// it, inside the window; where none of these has room, as far from `anchor` as the window allows. All in the
/// window's coordinates.
QRectF placeBeside(const QSizeF& card, const QRectF& view, const QRectF& window, QPointF anchor);

/// A hover card that leaves its view: a small view would be covered by the card that explains it. Takes no
/// input.
class HoverOverlay : public QWidget {
public:
  /// A child of the view's window.
  explicit HoverOverlay(QWidget* window);

  /// Shows the card beside the view (its rectangle and anchor in the window's coordinates).
  void showCard(const QString& text, const QRectF& view, QPointF anchor, const ViewStyle& style);

protected:
  void paintEvent(QPaintEvent* event) override;

private:
  QString text_;
  ViewStyle style_;
};

} // namespace jitterscope::views
