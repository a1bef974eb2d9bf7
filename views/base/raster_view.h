#pragma once

#include <QPointF>
#include <QPointer>
#include <QString>
#include <QWidget>

#include "views/base/view_style.h"

class QPainter;

namespace jitterscope::views {

class HoverOverlay;

/// What all views share: a style, a message for the empty and waiting states, and a hover card.
/// A view repaints only when something it shows changed.
class RasterView : public QWidget {
  Q_OBJECT

public:
  explicit RasterView(QWidget* parent = nullptr);
  ~RasterView() override;

  const ViewStyle& viewStyle() const { return style_; }
  void setViewStyle(const ViewStyle& style);

  /// Shown in the middle while there is nothing to show ("Open a trace to begin"), and as a small note in
  /// the corner while older content stays visible ("Waiting for the engine…"). Empty: nothing.
  void setMessage(const QString& message);
  const QString& message() const { return message_; }

  /// A card beside the pointer; where it would cover most of the view, beside the view. Plain text, '\n'
  /// between lines, "name\tvalue" lines are aligned in columns.
  void showHoverCard(QPointF anchor, const QString& text);
  void hideHoverCard();
  /// True while the card stands outside of the view, over its neighbours in the window.
  bool cardIsBeside() const;
  const QString& hoverText() const { return hoverText_; }

protected:
  virtual void styleChanged() {}
  /// To be called last in paintEvent: message note and hover card.
  void paintOverlays(QPainter& painter, bool hasContent);
  /// True while the view has the focus and got it by keyboard: then it shows a frame.
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
  QPointer<HoverOverlay> overlay_; ///< child of the window, made when first needed
  bool focusByKeyboard_ = false;
};

} // namespace jitterscope::views
