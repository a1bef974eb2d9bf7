#pragma once

#include <QLabel>

namespace jitterscope::views {

/// One line of text that says with … where it was cut. Takes what width there is; who sets the text gives the
/// tooltip.
class ElidedLabel : public QLabel {
  Q_OBJECT

public:
  explicit ElidedLabel(QWidget* parent = nullptr);

protected:
  void paintEvent(QPaintEvent* event) override;
};

} // namespace jitterscope::views
