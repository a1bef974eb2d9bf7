#include "app/metrics/cfg_dialog.h"

#include <QDialogButtonBox>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QVBoxLayout>

namespace jitterscope::app {

CfgDialog::CfgDialog(std::vector<efficiency::metrics::CfgMetric> windows, QWidget* parent)
    : QDialog(parent), windows_(std::move(windows)), list_(new QListWidget(this)), add_(nullptr) {
  setWindowTitle(tr("Metrics of a Paraver Configuration"));
  setObjectName("metrics.cfg");
  list_->setAccessibleName(tr("Windows of the configuration"));
  for (const auto& window : windows_) {
    auto* item = new QListWidgetItem(QString::fromStdString(window.name), list_);
    const bool supported = !window.text.empty();
    item->setFlags(supported ? Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable
                             : Qt::NoItemFlags);
    if (supported)
      item->setCheckState(Qt::Unchecked);
    else
      item->setText(
          tr("%1 (not supported: %2)").arg(item->text(), QString::fromStdString(window.unsupported)));
    item->setToolTip(QString::fromStdString(window.note));
  }
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
  add_ = buttons->addButton(tr("&Add"), QDialogButtonBox::AcceptRole);
  auto* all = buttons->addButton(tr("&Choose All"), QDialogButtonBox::ActionRole);
  auto* none = buttons->addButton(tr("Choose &None"), QDialogButtonBox::ActionRole);
  auto* column = new QVBoxLayout(this);
  column->addWidget(new QLabel(tr("Windows to add as metrics:"), this));
  column->addWidget(list_, 1);
  column->addWidget(buttons);
  resize(460, 420);
  connect(buttons, &QDialogButtonBox::accepted, this, &CfgDialog::accept);
  connect(buttons, &QDialogButtonBox::rejected, this, &CfgDialog::reject);
  connect(all, &QPushButton::clicked, this, [this] { check_all(Qt::Checked); });
  connect(none, &QPushButton::clicked, this, [this] { check_all(Qt::Unchecked); });
  connect(list_, &QListWidget::itemChanged, this, [this] { add_->setEnabled(!checked().empty()); });
  add_->setEnabled(false);
}

void CfgDialog::check_all(Qt::CheckState state) {
  for (int row = 0; row < list_->count(); ++row)
    if (auto* item = list_->item(row); item->flags() & Qt::ItemIsUserCheckable) item->setCheckState(state);
}

std::vector<efficiency::metrics::CfgMetric> CfgDialog::checked() const {
  std::vector<efficiency::metrics::CfgMetric> windows;
  for (int row = 0; row < list_->count(); ++row)
    if (const auto* item = list_->item(row);
        (item->flags() & Qt::ItemIsUserCheckable) && item->checkState() == Qt::Checked)
      windows.push_back(windows_[static_cast<std::size_t>(row)]);
  return windows;
}

void CfgDialog::accept() {
  emit chosen(checked());
  QDialog::accept();
}

} // namespace jitterscope::app
