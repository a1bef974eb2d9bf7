#pragma once

#include <QComboBox>

namespace jitterscope::app {

/// A combo box as wide as the text that it shows, in bars that wrap. A text that is longer than there is room
/// for says with … where it was cut, and stands whole in the tooltip.
class ChoiceBox : public QComboBox {
  Q_OBJECT

public:
  explicit ChoiceBox(QWidget* parent = nullptr);
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;
  /// What stands in the box: the text, or as much of it as fits.
  QString shown() const;

protected:
  void paintEvent(QPaintEvent* event) override;
  bool event(QEvent* event) override;

private:
  QSize sizeOf(const QString& text) const;
};

} // namespace jitterscope::app
