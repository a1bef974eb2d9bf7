#pragma once

#include <QDialog>
#include <vector>

#include "core/efficiency/metrics/cfg/cfg_metrics.h"

class QListWidget;
class QPushButton;

namespace jitterscope::app {

/// Choice among the windows of a Paraver configuration. Windows that are not supported are listed with the
/// reason and cannot be chosen.
class CfgDialog : public QDialog {
  Q_OBJECT

public:
  explicit CfgDialog(std::vector<efficiency::metrics::CfgMetric> windows, QWidget* parent = nullptr);
  QListWidget* list() { return list_; }
  QPushButton* add_button() { return add_; }
  void accept() override;

signals:
  void chosen(const std::vector<jitterscope::efficiency::metrics::CfgMetric>& windows);

private:
  void check_all(Qt::CheckState state);
  std::vector<efficiency::metrics::CfgMetric> checked() const;

  std::vector<efficiency::metrics::CfgMetric> windows_;
  QListWidget* list_;
  QPushButton* add_;
};

} // namespace jitterscope::app
