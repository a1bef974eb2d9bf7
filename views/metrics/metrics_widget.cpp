#include "views/metrics/metrics_widget.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QScrollBar>
#include <QSignalBlocker>
#include <QToolButton>

namespace jitterscope::views {

MetricsWidget::MetricsWidget(QWidget* parent)
    : QWidget(parent), add_(new QToolButton(this)), level_(new QComboBox(this)),
      bar_(new QScrollBar(Qt::Vertical, this)), canvas_(new MetricsCanvas(this)) {
  add_->setText(tr("Add"));
  add_->setToolTip(tr("Shipped metrics, files, and the editor"));
  add_->setPopupMode(QToolButton::InstantPopup);
  add_->setToolButtonStyle(Qt::ToolButtonTextOnly);
  level_->setToolTip(tr("Objects whose values the current metric shows"));
  level_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  auto* tools = new QHBoxLayout;
  tools->setContentsMargins(6, 4, 6, 4);
  tools->setSpacing(6);
  tools->addWidget(add_);
  auto* per = new QLabel(tr("per"), this);
  per->setBuddy(level_);
  tools->addWidget(per);
  tools->addWidget(level_);
  tools->addStretch(1);
  auto* row = new QHBoxLayout;
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(0);
  row->addWidget(canvas_, 1);
  row->addWidget(bar_);
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(0, 0, 0, 0);
  all->setSpacing(0);
  all->addLayout(tools);
  all->addLayout(row, 1);
  bar_->hide();
  connect(bar_, &QScrollBar::valueChanged, this, [this](int value) { canvas_->setScroll(value); });
  connect(canvas_, &MetricsCanvas::laidOut, this, &MetricsWidget::showScroll);
  connect(canvas_, &MetricsCanvas::currentChanged, this, &MetricsWidget::showCurrent);
  connect(level_, &QComboBox::activated, this,
          [this](int index) { emit levelChosen(canvas_->current(), level_->itemText(index)); });
  showCurrent();
}

void MetricsWidget::setPanels(std::vector<MetricPanel> panels) {
  canvas_->setPanels(std::move(panels));
  showCurrent();
}

void MetricsWidget::setPanel(int panel, MetricPanel content) {
  canvas_->setPanel(panel, std::move(content));
  if (panel == canvas_->current()) showCurrent();
}

void MetricsWidget::showCurrent() {
  const QSignalBlocker quiet(level_);
  level_->clear();
  if (canvas_->current() < static_cast<int>(panels().size())) {
    const auto& panel = panels()[static_cast<std::size_t>(canvas_->current())];
    level_->addItems(panel.levels);
    level_->setCurrentText(panel.level);
  }
  level_->setEnabled(level_->count() > 1);
}

void MetricsWidget::showScroll() {
  const QSignalBlocker quiet(bar_);
  const auto& model = canvas_->model();
  const int visible = static_cast<int>(canvas_->height() - model.axis),
            content = static_cast<int>(model.height);
  bar_->setRange(0, std::max(0, content - visible));
  bar_->setPageStep(std::max(visible, 1));
  bar_->setSingleStep(20);
  bar_->setValue(static_cast<int>(model.scroll));
  bar_->setVisible(content > visible);
}

} // namespace jitterscope::views
