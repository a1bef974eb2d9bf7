#include "views/table/kernels_widget.h"

#include <QClipboard>
#include <QEvent>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QItemSelectionModel>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMetaEnum>
#include <QRegularExpression>
#include <QSet>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <map>
#include <optional>

#include "views/table/kernels_model.h"
#include "views/table_parts/elided_label.h"
#include "views/table_parts/name_column.h"
#include "views/table_parts/sort_header.h"
#include "views/table_parts/table_keys.h"
#include "views/table_parts/table_style.h"

namespace jitterscope::views {

KernelsWidget::KernelsWidget(QWidget* parent)
    : QWidget(parent), model_(new KernelsModel(this)), proxy_(new KernelsProxy(this)),
      filter_(new QLineEdit(this)), count_(new ElidedLabel(this)), table_(new QTableView(this)),
      style_(ViewStyle::light()), message_(tr("Open a trace to begin")) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  auto* bar = new QHBoxLayout;
  bar->setContentsMargins(10, 6, 10, 6);
  bar->setSpacing(12);
  filter_->setPlaceholderText(tr("Filter by name (regular expression)"));
  filter_->setClearButtonEnabled(true);
  filter_->setMaximumWidth(320);
  filter_->setMinimumWidth(120);
  filter_->setAccessibleName(tr("Filter kernels by name"));
  bar->addWidget(filter_, 1);
  bar->addStretch(0);
  bar->addWidget(count_, 2);
  layout->addLayout(bar);
  layout->addWidget(table_, 1);

  proxy_->setSourceModel(model_);
  table_->setHorizontalHeader(new SortHeader(table_));
  table_->setModel(proxy_);
  table_->setSortingEnabled(true);
  table_->sortByColumn(KernelsModel::Variability, Qt::DescendingOrder);
  table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_->setSelectionMode(QAbstractItemView::ExtendedSelection);
  table_->setTabKeyNavigation(false);
  table_->setAccessibleName(tr("Kernels"));
  table_->installEventFilter(this);
  // The sort columns are visible, next to the names.
  for (const int column : {KernelsModel::Share, KernelsModel::Variability})
    table_->horizontalHeader()->moveSection(table_->horizontalHeader()->visualIndex(column), 1);
  for (int c = 1; c < KernelsModel::ColumnCount; ++c)
    table_->setColumnWidth(c, c == KernelsModel::Variability ? 132 : 74);
  new NameColumn(*table_, KernelsModel::Name, 2);

  connect(filter_, &QLineEdit::textChanged, this, [this](const QString& text) {
    quiet_ = true; // hidden rows stay selected
    proxy_->setNameFilter(text);
    quiet_ = false;
    markChosen();
    updateCount();
    emit nameFilterChanged(text);
  });
  connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this,
          [this] { emitSelection(); });
  connect(table_, &QTableView::doubleClicked, this, [this](const QModelIndex& index) {
    emit kernelActivated(index.data(KernelsModel::IdRole).toUInt());
  });
  setViewStyle(style_);
  updateCount();
}

void KernelsWidget::setViewStyle(const ViewStyle& style) {
  style_ = style;
  styleTable(*table_, style_);
  model_->setTheme(style_.theme);
  QPalette palette = this->palette();
  palette.setColor(QPalette::Window, style_.background);
  palette.setColor(QPalette::WindowText, style_.mutedText);
  palette.setColor(QPalette::Base, style_.surface);
  palette.setColor(QPalette::Text, style_.text);
  palette.setColor(QPalette::PlaceholderText, style_.mutedText);
  setPalette(palette);
  setAutoFillBackground(true);
  filter_->setPalette(palette);
  filter_->setFont(style_.font());
  filter_->setStyleSheet(
      QStringLiteral("QLineEdit { background: %1; color: %2; border: 1px solid %3;"
                     " border-radius: 4px; padding: 3px 7px; }"
                     "QLineEdit:focus { border-color: %4; }")
          .arg(style_.surface.name(), style_.text.name(), style_.border.name(), style_.focus.name()));
  count_->setPalette(palette);
  count_->setFont(style_.font(FontRole::Small));
}

QString KernelsWidget::sortColumn() const {
  return QMetaEnum::fromType<KernelsModel::Column>().valueToKey(proxy_->sortColumn());
}

Qt::SortOrder KernelsWidget::sortOrder() const {
  return proxy_->sortOrder();
}

void KernelsWidget::setSort(const QString& column, Qt::SortOrder order) {
  bool known = false;
  const int index =
      QMetaEnum::fromType<KernelsModel::Column>().keyToValue(column.toUtf8().constData(), &known);
  if (known && index < KernelsModel::ColumnCount) table_->sortByColumn(index, order);
}

void KernelsWidget::setMessage(const QString& message) {
  message_ = message;
  updateCount();
}

void KernelsWidget::setKernels(KernelsData kernels) {
  const QModelIndex current = table_->currentIndex();
  const auto currentId =
      current.isValid() ? std::optional(current.data(KernelsModel::IdRole).toUInt()) : std::nullopt;
  const bool before = quiet_;
  quiet_ = true;
  model_->setData(std::move(kernels));
  message_.clear();
  for (int r = 0; currentId && r < proxy_->rowCount(); ++r) // restores the current row
    if (proxy_->index(r, 0).data(KernelsModel::IdRole).toUInt() == *currentId)
      table_->selectionModel()->setCurrentIndex(proxy_->index(r, 0), QItemSelectionModel::NoUpdate);
  quiet_ = before;
  markChosen();
  updateCount();
}

void KernelsWidget::updateCount() {
  QString text = message_;
  if (model_->rowCount() > 0) {
    std::uint64_t launches = 0;
    for (const KernelRow& row : model_->kernels().rows) launches += row.count;
    text = (launches == 1             ? tr("%1 of %2 kernel · n = %3 launch")
            : model_->rowCount() == 1 ? tr("%1 of %2 kernel · n = %3 launches")
                                      : tr("%1 of %2 kernels · n = %3 launches"))
               .arg(formatCount(static_cast<std::uint64_t>(proxy_->rowCount())),
                    formatCount(static_cast<std::uint64_t>(model_->rowCount())), formatCount(launches));
    if (!chosen_.isEmpty())
      text = tr("%1 selected").arg(formatCount(static_cast<std::uint64_t>(chosen_.size()))) +
             QStringLiteral(" · ") + text;
    if (!QRegularExpression(filter_->text()).isValid())
      text += QStringLiteral(" · ") + tr("the filter is no regular expression: it is searched as text");
    if (!model_->kernels().range.isEmpty()) text += QStringLiteral(" · ") + model_->kernels().range;
    if (!message_.isEmpty()) text += QStringLiteral(" · ") + message_;
  } else if (text.isEmpty()) {
    text = tr("No launches are selected");
  }
  count_->setText(text);
  count_->setToolTip(text);
}

void KernelsWidget::setSelected(const QList<quint32>& ids) {
  const bool others = ids != chosen_;
  chosen_ = ids;
  const QModelIndex first = markChosen();
  if (others && first.isValid()) table_->scrollTo(first);
  updateCount();
}

QModelIndex KernelsWidget::markChosen() {
  const bool before = quiet_;
  quiet_ = true;
  QItemSelection selection;
  QModelIndex first;
  for (int r = 0; r < proxy_->rowCount(); ++r) {
    const QModelIndex index = proxy_->index(r, 0);
    if (!chosen_.contains(index.data(KernelsModel::IdRole).toUInt())) continue;
    selection.select(index, proxy_->index(r, KernelsModel::ColumnCount - 1));
    if (!first.isValid()) first = index;
  }
  table_->selectionModel()->select(selection, QItemSelectionModel::ClearAndSelect);
  quiet_ = before;
  return first;
}

void KernelsWidget::setNameFilter(const QString& text) {
  if (filter_->text() != text) filter_->setText(text);
}

void KernelsWidget::emitSelection() {
  if (quiet_) return;
  QList<quint32> ids;
  for (const QModelIndex& index : table_->selectionModel()->selectedRows()) {
    ids.push_back(index.data(KernelsModel::IdRole).toUInt());
  }
  if (QGuiApplication::keyboardModifiers() & (Qt::ControlModifier | Qt::ShiftModifier)) { // extends it
    QSet<quint32> visible;
    for (int r = 0; r < proxy_->rowCount(); ++r)
      visible.insert(proxy_->index(r, 0).data(KernelsModel::IdRole).toUInt());
    for (const auto id : chosen_)
      if (!visible.contains(id)) ids.push_back(id);
  }
  chosen_ = ids;
  updateCount();
  emit kernelSelected(ids);
}

void KernelsWidget::copySelection() {
  std::vector<int> rows;
  for (const QModelIndex& index : table_->selectionModel()->selectedRows()) rows.push_back(index.row());
  std::sort(rows.begin(), rows.end());
  QGuiApplication::clipboard()->setText(toTsv(*proxy_, rows));
}

bool KernelsWidget::eventFilter(QObject* watched, QEvent* event) {
  if (watched == table_ && movesInTable(*table_, *event)) return true;
  if (watched == table_ && event->type() == QEvent::KeyPress) {
    auto* key = static_cast<QKeyEvent*>(event);
    if (key->matches(QKeySequence::Copy)) {
      copySelection();
      return true;
    }
    const QModelIndex current = table_->currentIndex();
    if ((key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) && current.isValid()) {
      emit kernelActivated(current.data(KernelsModel::IdRole).toUInt());
      return true;
    }
  }
  return QWidget::eventFilter(watched, event);
}

} // namespace jitterscope::views
