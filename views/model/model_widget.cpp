#include "views/model/model_widget.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QHeaderView>
#include <QPushButton>
#include <QResizeEvent>
#include <QSortFilterProxyModel>
#include <QSpinBox>
#include <QSplitter>
#include <QTableView>
#include <QTextBrowser>
#include <QVBoxLayout>
#include <initializer_list>
#include <set>

#include "views/base/flow_layout.h"
#include "views/model/model_details.h"
#include "views/table_parts/elided_label.h"
#include "views/table_parts/name_column.h"
#include "views/table_parts/sort_header.h"
#include "views/table_parts/table_style.h"
#include "views/table_parts/value_proxy.h"

namespace jitterscope::views {

using model::Chart;

namespace {

constexpr int kMaxNodes = 1'024; // maximum factor of the recorded number of nodes

ModelTable::Rows rowsOf(Chart chart) {
  if (chart == Chart::Messages) return ModelTable::Rows::Messages;
  return chart == Chart::Run ? ModelTable::Rows::Runs : ModelTable::Rows::Kernels;
}

bool ofKernels(Chart chart) {
  return rowsOf(chart) == ModelTable::Rows::Kernels;
}

} // namespace

ModelWidget::ModelWidget(QWidget* parent)
    : QWidget(parent), charts_(new QComboBox(this)), devices_(new QComboBox(this)),
      nodes_(new QComboBox(this)), scaling_(new QComboBox(this)), gpus_(new QComboBox(this)),
      levels_(new QComboBox(this)), block_(new QSpinBox(this)), hitRate_(new QDoubleSpinBox(this)),
      messageSize_(new QDoubleSpinBox(this)), reset_(new QPushButton(tr("Reset"), this)),
      error_(new ElidedLabel(this)), splitter_(new QSplitter(Qt::Vertical, this)), canvas_(new ModelCanvas),
      table_(new QTableView), model_(new ModelTable(this)), proxy_(new ValueProxy(this)),
      details_(new QTextBrowser) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(makeBars());
  column->addWidget(splitter_, 1);
  makeTable();
  for (QWidget* each :
       {static_cast<QWidget*>(canvas_), static_cast<QWidget*>(table_), static_cast<QWidget*>(details_)})
    splitter_->addWidget(each);
  splitter_->setChildrenCollapsible(false);
  splitter_->setSizes({420, 200, 280});
  details_->setFrameShape(QFrame::NoFrame);
  details_->setOpenLinks(false);
  details_->setAccessibleName(tr("Terms of the prediction"));
  details_->setMinimumSize(160, 70);
  setFocusProxy(canvas_);
  connect(canvas_, &ModelCanvas::chosen, this, &ModelWidget::choose);
  connect(canvas_, &ModelCanvas::reached, this, &ModelWidget::open);
  connect(canvas_, &ModelCanvas::cleared, this, [this] {
    opened_.reset();
    table_->clearSelection();
    showDetails();
    if (ofKernels(chart())) emit selectionCleared();
  });
  setViewStyle(ViewStyle::light());
  fillCharts();
}

QWidget* ModelWidget::makeBars() {
  auto* bars = new QWidget(this);
  auto* column = new QVBoxLayout(bars);
  column->setContentsMargins(10, 4, 6, 4);
  column->setSpacing(4);
  auto* first = new FlowLayout(8);
  charts_->setAccessibleName(tr("Chart"));
  devices_->setAccessibleName(tr("Device of the roofline"));
  first->addWidget(charts_);
  first->addWidget(devices_);
  for (int nodes = 2; nodes <= kMaxNodes; nodes *= 2)
    nodes_->addItem(tr("up to %1 × nodes").arg(nodes), nodes);
  nodes_->setToolTip(tr("Predicted for 2, 4, 8 … times as many nodes, up to this number"));
  nodes_->setAccessibleName(tr("What if: number of nodes"));
  scaling_->addItem(tr("same problem"), false);
  scaling_->addItem(tr("problem grows"), true);
  scaling_->setToolTip(tr("Problem size on more nodes: unchanged, or growing with the number of nodes"));
  scaling_->setAccessibleName(tr("Problem on more nodes"));
  messageSize_->setRange(0, 1'000);
  messageSize_->setDecimals(2);
  messageSize_->setValue(1);
  messageSize_->setPrefix(tr("messages × "));
  messageSize_->setKeyboardTracking(false);
  messageSize_->setToolTip(tr("Size of all messages, as a multiple of the recorded size"));
  messageSize_->setAccessibleName(tr("What if: size of messages"));
  first->addWidget(nodes_);
  first->addWidget(scaling_);
  first->addWidget(messageSize_);
  column->addLayout(first);
  auto* second = new FlowLayout(6);
  auto* label = new QLabel(tr("What if"), bars);
  label->setMinimumHeight(gpus_->sizeHint().height()); // aligned with the boxes
  second->addWidget(label);
  gpus_->setAccessibleName(tr("What if: GPU"));
  gpus_->setToolTip(tr("Another GPU: instructions and bytes per thread and hit rates stay as measured"));
  gpus_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  gpus_->setMinimumContentsLength(12);
  block_->setRange(0, 1024);
  block_->setSingleStep(32);
  block_->setSpecialValueText(tr("block as recorded"));
  block_->setSuffix(tr(" threads"));
  block_->setKeyboardTracking(false);
  block_->setAccessibleName(tr("What if: threads of a block"));
  block_->setToolTip(tr("Threads of a block; the number of threads of the grid stays. 0: as recorded"));
  levels_->setAccessibleName(tr("What if: cache"));
  hitRate_->setRange(-1, 100);
  hitRate_->setDecimals(0);
  hitRate_->setSingleStep(5);
  hitRate_->setSuffix(tr(" % hits"));
  hitRate_->setSpecialValueText(tr("hits as measured"));
  hitRate_->setValue(-1);
  hitRate_->setKeyboardTracking(false);
  hitRate_->setAccessibleName(tr("What if: hit rate of the cache"));
  kernelQuestions_ = {label, gpus_, block_, levels_, hitRate_};
  for (QWidget* each : std::initializer_list<QWidget*>{gpus_, block_, levels_, hitRate_, reset_})
    second->addWidget(each);
  column->addLayout(second);
  column->addWidget(error_);
  connect(charts_, &QComboBox::activated, this,
          [this] { setChart(static_cast<Chart>(charts_->currentData().toInt())); });
  connect(devices_, &QComboBox::activated, this,
          [this] { canvas_->setChart(chart(), static_cast<std::size_t>(devices_->currentIndex())); });
  connect(gpus_, &QComboBox::activated, this, &ModelWidget::ask);
  connect(levels_, &QComboBox::activated, this, &ModelWidget::ask);
  connect(block_, &QSpinBox::valueChanged, this, &ModelWidget::ask);
  connect(hitRate_, &QDoubleSpinBox::valueChanged, this, &ModelWidget::ask);
  connect(messageSize_, &QDoubleSpinBox::valueChanged, this, &ModelWidget::ask);
  connect(nodes_, &QComboBox::activated, this, &ModelWidget::ask);
  connect(scaling_, &QComboBox::activated, this, &ModelWidget::ask);
  connect(reset_, &QPushButton::clicked, this, [this] {
    setQuestion({});
    ask();
  });
  setGpus({});
  setQuestion({});
  levels_->addItems({QStringLiteral("L1"), QStringLiteral("L2")});
  return bars;
}

void ModelWidget::makeTable() {
  proxy_->setSourceModel(model_);
  proxy_->setSortRole(ModelTable::SortRole);
  table_->setHorizontalHeader(new SortHeader(table_));
  table_->setModel(proxy_);
  table_->setSortingEnabled(true);
  table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_->setSelectionMode(QAbstractItemView::SingleSelection);
  table_->setTabKeyNavigation(false);
  table_->setMinimumSize(160, 90);
  table_->setAccessibleName(tr("Predictions"));
  new NameColumn(*table_, 0, 3);
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this](const QModelIndex& now) {
            if (!quiet_ && now.isValid()) open(proxy_->mapToSource(now).row());
          });
  connect(table_, &QTableView::doubleClicked, this,
          [this](const QModelIndex& index) { choose(proxy_->mapToSource(index).row()); });
}

void ModelWidget::setGpus(const QStringList& names) {
  const QString before = gpus_->currentData().toString();
  gpus_->clear();
  gpus_->addItem(tr("GPU as recorded"), QString());
  for (const auto& name : names) gpus_->addItem(name, name);
  gpus_->setCurrentIndex(std::max(0, gpus_->findData(before)));
}

void ModelWidget::freeze() {
  for (QWidget* each :
       {static_cast<QWidget*>(gpus_), static_cast<QWidget*>(block_), static_cast<QWidget*>(levels_),
        static_cast<QWidget*>(hitRate_), static_cast<QWidget*>(reset_), static_cast<QWidget*>(scaling_),
        static_cast<QWidget*>(nodes_), static_cast<QWidget*>(messageSize_)})
    each->setEnabled(false);
}

ModelQuestion ModelWidget::question() const {
  ModelQuestion out;
  out.gpu = gpus_->currentData().toString();
  out.block = block_->value();
  if (hitRate_->value() >= 0) out.level = levels_->currentText(), out.hitRate = hitRate_->value() / 100;
  out.nodes = nodes_->currentData().toInt();
  out.weak = scaling_->currentData().toBool();
  out.messageSize = messageSize_->value();
  return out;
}

void ModelWidget::setQuestion(const ModelQuestion& question) {
  quiet_ = true;
  if (gpus_->findData(question.gpu) < 0) gpus_->addItem(question.gpu, question.gpu);
  gpus_->setCurrentIndex(gpus_->findData(question.gpu));
  block_->setValue(question.block);
  if (!question.level.isEmpty()) levels_->setCurrentText(question.level);
  hitRate_->setValue(question.hitRate < 0 ? -1 : 100 * question.hitRate);
  nodes_->setCurrentIndex(std::max(0, nodes_->findData(question.nodes)));
  scaling_->setCurrentIndex(question.weak ? 1 : 0);
  messageSize_->setValue(question.messageSize);
  quiet_ = false;
}

void ModelWidget::ask() {
  if (!quiet_) emit questionChanged(question());
}

void ModelWidget::setViewStyle(const ViewStyle& style) {
  canvas_->setViewStyle(style);
  styleTable(*table_, style);
  details_->setFont(style.font());
  // A palette has no effect on a view with a style sheet.
  details_->setStyleSheet(scrollBarSheet(style) +
                          QStringLiteral("QTextBrowser { background: %1; color: %2; }")
                              .arg(style.background.name(), style.text.name()));
  showDetails();
}

void ModelWidget::setMessage(const QString& message) {
  canvas_->setMessage(message);
}

// Offers the charts of messages and runs only if they have content.
void ModelWidget::fillCharts() {
  const Chart preferred = chart();
  charts_->clear();
  const auto offer = [this](Chart chart) {
    charts_->addItem(model::titleOf(chart), static_cast<int>(chart));
  };
  for (const Chart each : {Chart::Scatter, Chart::Errors, Chart::Roofline, Chart::InstructionRoofline})
    offer(each);
  if (!data().messages.empty()) offer(Chart::Messages);
  if (!data().runs.empty()) offer(Chart::Run);
  const bool without = data().kernels.empty() && ofKernels(preferred) && charts_->count() > 4;
  const Chart shown = without ? static_cast<Chart>(charts_->itemData(4).toInt())
                      : charts_->findData(static_cast<int>(preferred)) < 0 ? Chart::Scatter
                                                                           : preferred;
  const auto device = devices_->currentText();
  devices_->clear();
  for (const auto& each : data().devices) devices_->addItem(each.name);
  devices_->setCurrentIndex(std::max(0, devices_->findText(device)));
  setChart(shown);
}

void ModelWidget::setKernelQuestions(bool possible) {
  for (auto* each : kernelQuestions_) each->setVisible(possible);
}

void ModelWidget::setData(const ModelData& data) {
  opened_.reset();
  selected_.clear();
  canvas_->setMessage({});
  canvas_->setData(data);
  fillCharts();
}

void ModelWidget::setChart(Chart chart) {
  if (chart != this->chart()) opened_.reset();
  charts_->setCurrentIndex(charts_->findData(static_cast<int>(chart)));
  const bool roofline = chart == Chart::Roofline || chart == Chart::InstructionRoofline;
  devices_->setVisible(roofline && devices_->count() > 1);
  nodes_->setVisible(chart == Chart::Run);
  scaling_->setVisible(chart == Chart::Run);
  messageSize_->setVisible(chart == Chart::Run && !data().messages.empty());
  canvas_->setChart(chart, static_cast<std::size_t>(std::max(0, devices_->currentIndex())));
  if (ofKernels(chart)) canvas_->setChosen(selected_);
  error_->setText(chart == Chart::Messages ? data().messageValidation
                  : chart == Chart::Run    ? QString()
                                           : data().validation);
  error_->setToolTip(error_->text());
  fillTable();
  showDetails();
}

void ModelWidget::fillTable() {
  quiet_ = true;
  const auto before = model_->rows();
  const int columns = model_->columnCount();
  model_->setData(data(), rowsOf(chart()));
  if (model_->rows() != before || model_->columnCount() != columns) {
    for (int c = 1; c < model_->columnCount(); ++c) table_->setColumnWidth(c, 78);
    if (model_->rows() == ModelTable::Rows::Kernels)
      table_->sortByColumn(1, Qt::DescendingOrder);
    else
      table_->sortByColumn(-1, Qt::AscendingOrder);
  }
  quiet_ = false;
}

int ModelWidget::rowOf(int index) const {
  return proxy_->mapFromSource(model_->index(index, 0)).row();
}

void ModelWidget::open(int index) {
  opened_ = index;
  quiet_ = true;
  table_->selectRow(rowOf(index));
  quiet_ = false;
  canvas_->setCurrent(index);
  showDetails();
}

void ModelWidget::choose(int index) {
  open(index);
  if (ofKernels(chart())) emit kernelChosen(index);
}

void ModelWidget::setSelected(const std::vector<std::uint32_t>& kernels) {
  selected_.clear();
  const std::set<std::uint32_t> chosen(kernels.begin(), kernels.end());
  for (std::size_t i = 0; i < data().kernels.size() && !chosen.empty(); ++i)
    if (chosen.contains(data().kernels[i].kernel)) selected_.push_back(static_cast<int>(i));
  if (!ofKernels(chart())) return;
  if (selected_.size() == 1) open(selected_.front());
  canvas_->setChosen(selected_);
}

void ModelWidget::setLaunch(const QString& sentences) {
  launch_ = sentences;
  showDetails();
}

void ModelWidget::showDetails() {
  const auto& style = canvas_->viewStyle();
  QString html;
  if (!launch_.isEmpty() && ofKernels(chart()))
    html += QStringLiteral("<p><b>%1</b></p>").arg(launch_.toHtmlEscaped());
  const bool any = opened_ && *opened_ < model_->rowCount();
  html += any ? model::detailsOf(data(), chart(), *opened_, style) : model::summaryOf(data(), chart(), style);
  details_->setHtml(html);
}

// The parts of the view are next to each other if the view is much wider than high, else one above the other.
void ModelWidget::resizeEvent(QResizeEvent* event) {
  const auto preferred = event->size().width() > 1.3 * event->size().height() && event->size().width() > 700
                             ? Qt::Horizontal
                             : Qt::Vertical;
  if (splitter_->orientation() != preferred) {
    splitter_->setOrientation(preferred);
    splitter_->setSizes(preferred == Qt::Horizontal ? QList<int>{420, 380, 320} : QList<int>{420, 200, 280});
  }
  QWidget::resizeEvent(event);
}

} // namespace jitterscope::views
