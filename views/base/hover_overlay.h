#pragma once

#include <QString>
#include <QWidget>

#include "views/base/view_style.h"

namespace jitterscope::views {

/// Rectangle of a hover card of this size next to a view that is too small to contain it: below, above, left
/// or right of the view, inside the window. If none fits, the card is as far from `anchor` as the window
/// allows. All in window coordinates.
QRectF placeNextTo(const QSizeF& card, const QRectF& view, const QRectF& window, QPointF anchor);

/// A hover card outside its view, for views so small that the card would cover them. Takes no
/// input.
class HoverOverlay : public QWidget {
public:
  /// Creates the overlay as a child of the view's window.
  explicit HoverOverlay(QWidget* window);

  /// Shows the card next to the view (its rectangle and anchor in window coordinates).
  void showCard(const QString& text, const QRectF& view, QPointF anchor, const ViewStyle& style);

  /// Keeps the card above siblings that are raised while it is visible, such as docks.
  bool eventFilter(QObject* watched, QEvent* event) override;

protected:
  void paintEvent(QPaintEvent* event) override;
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;

private:
  QString text_;
  ViewStyle style_;
};

} // namespace jitterscope::views
