#include "app/controllers/distribution_panel.h"

#include <QCheckBox>
#include <QComboBox>
#include <QVBoxLayout>

#include "app/session/column_choices.h"
#include "app/widgets/choice_box.h"
#include "views/base/flow_layout.h"
#include "views/distribution/distribution_widget.h"

namespace jitterscope::app {

DistributionPanel::DistributionPanel(SessionController& session, views::DistributionWidget* view,
                                     QWidget* parent)
    : QWidget(parent), session_(session), column_(new ChoiceBox(this)), group_(new ChoiceBox(this)),
      log_(new QCheckBox(tr("log x"), this)), log_heights_(new QCheckBox(tr("log y"), this)),
      time_(new QCheckBox(tr("time"), this)) {
  column_->setToolTip(tr("Column whose distribution is shown"));
  group_->setToolTip(tr("Divide the selected launches: one outline for each of the eight largest groups"));
  log_->setToolTip(tr("Values on a logarithmic axis (L)"));
  log_heights_->setToolTip(tr("Bars on a logarithmic axis (Y)"));
  time_->setToolTip(tr("Bars show the total duration of the launches instead of their number"));
  auto* row = new views::FlowLayout(6);
  row->setContentsMargins(6, 4, 6, 2);
  for (QWidget* each :
       {static_cast<QWidget*>(column_), static_cast<QWidget*>(group_), static_cast<QWidget*>(log_),
        static_cast<QWidget*>(log_heights_), static_cast<QWidget*>(time_)})
    row->addWidget(each);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addLayout(row);
  column->addWidget(view, 1);
  for (auto* box : {column_, group_}) connect(box, &QComboBox::activated, this, &DistributionPanel::chosen);
  for (auto* box : {log_, log_heights_, time_})
    connect(box, &QCheckBox::clicked, this, &DistributionPanel::chosen);
  connect(view, &views::DistributionWidget::logScaleRequested, this, [this](bool on) {
    log_->setChecked(on);
    chosen();
  });
  connect(view, &views::DistributionWidget::logHeightsRequested, this, [this](bool on) {
    log_heights_->setChecked(on);
    chosen();
  });
  log_->setChecked(session_.distribution_choices().log);
}

void DistributionPanel::fill() {
  const auto& now = session_.distribution_choices();
  fill_box(column_, metric_choices(session_), QString::fromStdString(now.column));
  auto groups = group_choices(session_);
  groups.insert(groups.begin(), {QString(), tr("nothing")});
  fill_box(group_, groups, QString::fromStdString(now.group_by), tr("by "));
  log_->setChecked(now.log);
  log_heights_->setChecked(now.log_heights);
  time_->setChecked(now.time);
  time_->setEnabled(session_.has_column("duration"));
}

void DistributionPanel::chosen() {
  session_.set_distribution_choices({column_->currentData().toString().toStdString(), log_->isChecked(),
                                     log_heights_->isChecked(), time_->isChecked(),
                                     group_->currentData().toString().toStdString()});
}

} // namespace jitterscope::app
