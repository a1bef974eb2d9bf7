#pragma once

#include <QWidget>

#include "app/session/session_controller.h"

class QCheckBox;
class QComboBox;

namespace jitterscope::views {
class DistributionWidget;
}

namespace jitterscope::app {

/// The distribution with its controls: column, grouping, scales, rows or time.
class DistributionPanel : public QWidget {
  Q_OBJECT

public:
  DistributionPanel(SessionController& session, views::DistributionWidget* view, QWidget* parent = nullptr);
  /// Fills the choices with the columns of this session.
  void fill();
  QComboBox* columnBox() { return column_; }
  QComboBox* groupBox() { return group_; }
  QCheckBox* timeBox() { return time_; }

private:
  void chosen();

  SessionController& session_;
  QComboBox* column_;
  QComboBox* group_;
  QCheckBox* log_;
  QCheckBox* log_heights_;
  QCheckBox* time_;
};

} // namespace jitterscope::app
