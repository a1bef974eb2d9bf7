#pragma once

#include <QLayout>
#include <QList>
#include <QWidget>

namespace jitterscope::views {

/// Places its widgets in a row and wraps to further rows where the width runs out: toolbars in narrow docks.
class FlowLayout : public QLayout {
public:
  explicit FlowLayout(int spacing) : spacing_(spacing) {}
  ~FlowLayout() override;

  void addItem(QLayoutItem* item) override { items_.append(item); }
  int count() const override { return static_cast<int>(items_.size()); }
  QLayoutItem* itemAt(int index) const override { return items_.value(index); }
  QLayoutItem* takeAt(int index) override {
    return index >= 0 && index < items_.size() ? items_.takeAt(index) : nullptr;
  }
  Qt::Orientations expandingDirections() const override { return {}; }
  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override { return arrange({0, 0, width, 0}, false); }
  QSize sizeHint() const override;    ///< size of all widgets in one row
  QSize minimumSize() const override; ///< size of the widest widget
  void setGeometry(const QRect& rect) override;

private:
  /// Returns the height that the rows need; moves the widgets only if `move` is set.
  int arrange(const QRect& rect, bool move) const;

  int spacing_;
  QList<QLayoutItem*> items_;
};

/// A toolbar with a FlowLayout that is always as high as its rows: where a view is low, its content shrinks
/// instead of being covered.
class FlowBar : public QWidget {
public:
  FlowBar(int spacing, QWidget* parent);
  FlowLayout* row() { return row_; }

protected:
  bool event(QEvent* event) override;

private:
  FlowLayout* row_;
};

} // namespace jitterscope::views
