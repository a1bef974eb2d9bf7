#pragma once

#include <QLabel>

namespace jitterscope::views {

/// One line of text, elided with … to the available width. The caller that sets the text sets the
/// tooltip.
class ElidedLabel : public QLabel {
  Q_OBJECT

public:
  explicit ElidedLabel(QWidget* parent = nullptr);

protected:
  void paintEvent(QPaintEvent* event) override;
};

} // namespace jitterscope::views
