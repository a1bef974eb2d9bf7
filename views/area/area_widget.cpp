#include "views/area/area_widget.h"

#include <QCheckBox>
#include <QClipboard>
#include <QEvent>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QSortFilterProxyModel>
#include <QTabWidget>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "views/table_parts/name_column.h"
#include "views/table_parts/sort_header.h"
#include "views/table_parts/table_keys.h"
#include "views/table_parts/table_style.h"
#include "views/table_parts/tsv.h"
#include "views/table_parts/value_proxy.h"

namespace jitterscope::views {

AreaWidget::AreaWidget(QWidget* parent)
    : QWidget(parent), kernelsModel_(new AreaKernelsModel(this)), tracksModel_(new AreaTracksModel(this)),
      text_(new QLabel(this)), byRatio_(new QCheckBox(tr("by ratio"), this)), tabs_(new QTabWidget(this)),
      style_(ViewStyle::light()) {
  kernels_ = makeTable(kernelsModel_, kernelsProxy_, tr("Kernels of the area"));
  tracks_ = makeTable(tracksModel_, tracksProxy_, tr("Tracks of the area"));
  kernels_->sortByColumn(AreaKernelsModel::Total, Qt::DescendingOrder);
  tracks_->sortByColumn(AreaTracksModel::Busy, Qt::DescendingOrder);
  for (int c = 1; c < AreaKernelsModel::ColumnCount; ++c) kernels_->setColumnWidth(c, 108);
  kernels_->setColumnWidth(AreaKernelsModel::Total, 118);
  new NameColumn(*kernels_, AreaKernelsModel::Name, 2);
  for (int c = 1; c < AreaTracksModel::ColumnCount; ++c) tracks_->setColumnWidth(c, 82);
  new NameColumn(*tracks_, AreaTracksModel::Label, 3);
  tabs_->addTab(kernels_, tr("Kernels"));
  tabs_->addTab(tracks_, tr("Tracks"));
  tabs_->setDocumentMode(true);
  auto* bar = new QHBoxLayout;
  bar->setContentsMargins(10, 4, 10, 4);
  text_->setWordWrap(true); // so that the text is complete in narrow docks
  bar->addWidget(text_, 1);
  bar->addWidget(byRatio_);
  byRatio_->setToolTip(tr("Sort columns by the ratio of area to whole run instead of by value"));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(bar);
  layout->addWidget(tabs_, 1);
  connect(byRatio_, &QCheckBox::toggled, this, [this](bool on) {
    kernelsProxy_->setSortRole(on ? AreaKernelsModel::RatioRole : AreaKernelsModel::SortRole);
    kernelsProxy_->invalidate();
  });
  connect(kernels_, &QTableView::doubleClicked, this, [this](const QModelIndex& index) {
    const auto row = kernelsProxy_->mapToSource(index).row();
    if (row >= 0) emit kernelActivated(data_.rows[static_cast<std::size_t>(row)].id);
  });
  setAccessibleName(tr("Area"));
  clear();
}

QTableView* AreaWidget::makeTable(QAbstractItemModel* model, QSortFilterProxyModel*& proxy,
                                  const QString& name) {
  auto* table = new QTableView(this);
  proxy = new ValueProxy(this);
  proxy->setSourceModel(model);
  proxy->setSortRole(AreaKernelsModel::SortRole);
  table->setHorizontalHeader(new SortHeader(table));
  table->setModel(proxy);
  table->setSortingEnabled(true);
  table->setSelectionBehavior(QAbstractItemView::SelectRows);
  table->setSelectionMode(QAbstractItemView::ExtendedSelection);
  table->setTabKeyNavigation(false);
  table->setAccessibleName(name);
  table->installEventFilter(this);
  return table;
}

void AreaWidget::setViewStyle(const ViewStyle& style) {
  style_ = style;
  styleTable(*kernels_, style_);
  styleTable(*tracks_, style_);
  kernelsModel_->setTheme(style_.theme);
  QPalette colours = palette();
  colours.setColor(QPalette::Window, style_.background);
  colours.setColor(QPalette::WindowText, style_.mutedText);
  setPalette(colours);
  setAutoFillBackground(true);
  text_->setFont(style_.font(FontRole::Small));
  byRatio_->setFont(style_.font(FontRole::Small));
}

void AreaWidget::setArea(const AreaData& chosen) {
  data_ = chosen;
  message_.clear();
  kernelsModel_->setData(data_);
  tracksModel_->setData(data_);
  updateText();
}

void AreaWidget::setMessage(const QString& message) {
  message_ = message;
  updateText();
}

void AreaWidget::clear() {
  data_ = {};
  kernelsModel_->setData(data_);
  tracksModel_->setData(data_);
  setMessage(tr("Shift+drag in the timeline to select an area of tracks and time"));
}

void AreaWidget::updateText() {
  QString text = message_;
  if (!data_.range.empty()) {
    std::uint64_t launches = 0;
    for (const auto& row : data_.rows) launches += row.count;
    QString what = (data_.rows.size() == 1 ? tr("n = %1 launches start here, of %2 kernel")
                                           : tr("n = %1 launches start here, of %2 kernels"))
                       .arg(formatCount(launches), formatCount(data_.rows.size()));
    if (data_.rows.empty()) what = tr("no launch starts here");
    if (data_.runningThrough)
      what = tr("%1, n = %2 launches extend into this area").arg(what, formatCount(*data_.runningThrough));
    text = what + QStringLiteral(" · ") +
           tr("%1 at %2")
               .arg(formatLength(data_.range.length(), data_.axis),
                    formatPlace(data_.range.begin,
                                {std::max<std::int64_t>(data_.range.length().count / 1000, 1)}, data_.axis)) +
           QStringLiteral(" · ") + data_.where;
    if (data_.whole.empty() && !data_.rows.empty())
      text += QStringLiteral(" · ") + tr("summing the whole run …");
    if (!message_.isEmpty()) text += QStringLiteral(" · ") + message_;
  }
  text_->setText(text);
  text_->setToolTip(text);
}

QTableView* AreaWidget::table() {
  return tabs_->currentIndex() == 0 ? kernels_ : tracks_;
}

QString AreaWidget::text() const {
  return text_->text();
}

void AreaWidget::copySelection() {
  auto* table = this->table();
  std::vector<int> rows;
  for (const QModelIndex& index : table->selectionModel()->selectedRows()) rows.push_back(index.row());
  std::sort(rows.begin(), rows.end());
  QGuiApplication::clipboard()->setText(toTsv(*table->model(), rows));
}

bool AreaWidget::eventFilter(QObject* watched, QEvent* event) {
  for (auto* table : {kernels_, tracks_})
    if (watched == table && movesInTable(*table, *event)) return true;
  if ((watched == kernels_ || watched == tracks_) && event->type() == QEvent::KeyPress &&
      static_cast<QKeyEvent*>(event)->matches(QKeySequence::Copy)) {
    copySelection();
    return true;
  }
  return QWidget::eventFilter(watched, event);
}

} // namespace jitterscope::views
