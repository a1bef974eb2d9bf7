#pragma once

#include <QPointF>
#include <QPointer>
#include <QString>
#include <QWidget>

#include "views/base/view_style.h"

class QPainter;

namespace jitterscope::views {

class HoverOverlay;

/// Base of all views: a style, a message for the empty and waiting states, and a hover card.
/// A view repaints only when something that it shows has changed.
class RasterView : public QWidget {
  Q_OBJECT

public:
  explicit RasterView(QWidget* parent = nullptr);
  ~RasterView() override;

  const ViewStyle& viewStyle() const { return style_; }
  void setViewStyle(const ViewStyle& style);

  /// Message shown in the middle while the view is empty ("Open a trace to begin"), and as a small note in
  /// the corner while older content stays visible ("Waiting for the engine…"). An empty text removes it.
  void setMessage(const QString& message);
  const QString& message() const { return message_; }

  /// Shows a card at the pointer, or next to the view if it would cover most of the view. Plain text, '\n'
  /// between lines, "name\tvalue" lines are aligned in columns.
  void showHoverCard(QPointF anchor, const QString& text);
  void hideHoverCard();
  /// True while the card is outside the view, over its neighbours in the window.
  bool cardIsOutside() const;
  const QString& hoverText() const { return hoverText_; }

protected:
  virtual void styleChanged() {}
  /// Paints the message note and the hover card; call it last in paintEvent.
  void paintOverlays(QPainter& painter, bool hasContent);
  /// True while the view has keyboard focus that it received by keyboard: it then shows a frame.
  bool showsFocus() const { return focusByKeyboard_ && hasFocus(); }
  void leaveEvent(QEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;
  void hideEvent(QHideEvent* event) override;

private:
  void updateCard();

  ViewStyle style_;
  QString message_;
  QString hoverText_;
  QPointF hoverAnchor_;
  QPointer<HoverOverlay> overlay_; ///< child of the window, created when first needed
  bool focusByKeyboard_ = false;
};

} // namespace jitterscope::views
