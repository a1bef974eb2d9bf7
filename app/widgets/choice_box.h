#pragma once

#include <QComboBox>

namespace jitterscope::app {

/// A combo box as wide as its current text, for toolbars that wrap. A text that does not fit is
/// elided with …, and shown in full in the tooltip.
class ChoiceBox : public QComboBox {
  Q_OBJECT

public:
  explicit ChoiceBox(QWidget* parent = nullptr);
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;
  /// Text displayed in the box, elided if needed.
  QString shown() const;

protected:
  void paintEvent(QPaintEvent* event) override;
  bool event(QEvent* event) override;

private:
  QSize sizeOf(const QString& text) const;
};

} // namespace jitterscope::app
