#include "views/table/launches_widget.h"

#include <QAction>
#include <QClipboard>
#include <QEvent>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QMenu>
#include <QPainter>
#include <QScrollBar>
#include <QStyledItemDelegate>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>
#include <QWheelEvent>
#include <algorithm>
#include <cstdlib>
#include <utility>

#include "views/base/format.h"
#include "views/table/launches_model.h"
#include "views/table_parts/elided_label.h"
#include "views/table_parts/name_column.h"
#include "views/table_parts/row_count.h"
#include "views/table_parts/sort_header.h"
#include "views/table_parts/table_keys.h"
#include "views/table_parts/table_style.h"
#include "views/table_parts/tsv.h"

namespace jitterscope::views {

namespace {

/// Marks launches that run at the cursor time of another view by a bar at the left.
class CursorMark : public QStyledItemDelegate {
public:
  CursorMark(const LaunchesWidget& widget, QObject* parent) : QStyledItemDelegate(parent), widget_(widget) {}
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    QStyledItemDelegate::paint(painter, option, index);
    const auto* table = widget_.findChild<QTableView*>();
    if (!index.data(LaunchesModel::AtCursorRole).toBool() ||
        table->horizontalHeader()->visualIndex(index.column()) != 0)
      return;
    painter->fillRect(QRect(option.rect.left(), option.rect.top(), 4, option.rect.height()),
                      widget_.viewStyle().accent);
  }

private:
  const LaunchesWidget& widget_;
};

} // namespace

LaunchesWidget::LaunchesWidget(QWidget* parent)
    : QWidget(parent), model_(new LaunchesModel(this)), headline_(new ElidedLabel(this)),
      columns_button_(new QToolButton(this)), table_(new QTableView(this)),
      scroll_(new QScrollBar(Qt::Vertical, this)), style_(ViewStyle::light()),
      message_(tr("Open a trace to begin")) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  auto* bar = new QHBoxLayout;
  bar->setContentsMargins(10, 6, 10, 6);
  columns_button_->setText(tr("Columns…"));
  columns_button_->setToolTip(tr("Choose the columns of the table"));
  bar->addWidget(headline_, 1);
  bar->addWidget(columns_button_);
  layout->addLayout(bar);
  auto* row = new QHBoxLayout;
  row->setSpacing(0);
  row->addWidget(table_, 1);
  row->addWidget(scroll_);
  layout->addLayout(row, 1);

  auto* header = new SortHeader(table_);
  header->setSectionsClickable(true);
  header->setSectionsMovable(true);
  header->setSortIndicatorShown(true);
  table_->setHorizontalHeader(header);
  table_->setModel(model_);
  table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_->setSelectionMode(QAbstractItemView::SingleSelection);
  table_->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  table_->setTabKeyNavigation(false);
  names_ = new NameColumn(*table_, -1, 2);
  table_->setItemDelegate(new CursorMark(*this, table_));
  table_->viewport()->setMouseTracking(true);
  table_->setAccessibleName(tr("Launches"));
  table_->installEventFilter(this);
  table_->viewport()->installEventFilter(this);
  ask_.setSingleShot(true);
  ask_.setInterval(20);
  connect(&ask_, &QTimer::timeout, this, &LaunchesWidget::ask);
  connect(scroll_, &QScrollBar::valueChanged, this, [this](int value) { scrollTo(value); });
  connect(header, &QHeaderView::sectionClicked, this, &LaunchesWidget::orderChosen);
  connect(columns_button_, &QToolButton::clicked, this, &LaunchesWidget::showColumnsMenu);
  connect(table_, &QTableView::clicked, this,
          [this](const QModelIndex& index) { moveTo(model_->top() + index.row()); });
  connect(table_, &QTableView::doubleClicked, this, [this](const QModelIndex& index) {
    if (const auto number = index.data(LaunchesModel::NumberRole); number.isValid())
      emit launchActivated(number.toULongLong());
  });
  setViewStyle(style_);
  updateHeadline();
}

void LaunchesWidget::setViewStyle(const ViewStyle& style) {
  style_ = style;
  styleTable(*table_, style_);
  QPalette palette = this->palette();
  palette.setColor(QPalette::Window, style_.background);
  palette.setColor(QPalette::WindowText, style_.mutedText);
  setPalette(palette);
  setAutoFillBackground(true);
  headline_->setPalette(palette);
  headline_->setFont(style_.font(FontRole::Small));
  scroll_->setStyleSheet(scrollBarSheet(style_));
  fit();
}

void LaunchesWidget::setMessage(const QString& message) {
  message_ = message;
  updateHeadline();
}

void LaunchesWidget::setAvailable(std::vector<LaunchesColumn> all, const QStringList& shown) {
  all_ = std::move(all);
  const bool known =
      std::ranges::any_of(all_, [&](const auto& column) { return column.name == order_.column; });
  if (!known) order_ = {};
  forget();
  if (shown != shownColumns()) restored_.reset(); // another session
  showColumns(shown);
  if (restored_) restore(*std::exchange(restored_, std::nullopt));
}

void LaunchesWidget::restore(const LaunchesChoice& choice) {
  showColumns(choice.columns);
  if (shownColumns().contains(choice.order.column)) setOrder(choice.order);
  if (shownColumns() != choice.columns) restored_ = choice;
}

void LaunchesWidget::showColumns(const QStringList& names) {
  std::vector<LaunchesColumn> columns;
  for (const auto& name : names) {
    const auto found = std::find_if(all_.begin(), all_.end(), [&](const auto& c) { return c.name == name; });
    if (found != all_.end()) columns.push_back(*found);
  }
  model_->setColumns(std::move(columns));
  for (int c = 0; c < model_->columnCount(); ++c) {
    const auto& column = model_->columns()[static_cast<std::size_t>(c)];
    const int title = table_->horizontalHeader()->fontMetrics().horizontalAdvance(column.title) + 28;
    table_->setColumnWidth(c, std::max(column.kind == LaunchesColumn::Kind::Text ? 220 : 92, title));
  }
  const auto& shown = model_->columns();
  const auto text = std::find_if(shown.begin(), shown.end(), [](const auto& column) {
    return column.kind == LaunchesColumn::Kind::Text;
  });
  names_->follow(text == shown.end() ? -1 : static_cast<int>(text - shown.begin()));
  setOrder(order_);
  asked_ = {-1, 0};
  ++round_;
  ask_.start();
}

void LaunchesWidget::selectionChanged(const QString& range) {
  range_ = range;
  message_.clear();
  current_.reset();
  forget();
  updateHeadline();
  ask_.start();
}

void LaunchesWidget::forget() {
  model_->forget();
  asked_ = {-1, 0};
  ++round_;
}

void LaunchesWidget::addPage(const LaunchesPage& page, quint64 round) {
  if (round != round_) return;
  message_.clear();
  model_->addPage(page);
  asked_ = {-1, 0};
  fit();
  showFullNumbers();
  updateHeadline();
  if (waiting_)
    chooseCurrent();
  else
    markSelected();
}

// Widens columns to show numbers in full: start times of long runs differ only in their last digits.
void LaunchesWidget::showFullNumbers() {
  for (int c = 0; c < model_->columnCount(); ++c) {
    if (model_->columns()[static_cast<std::size_t>(c)].kind == LaunchesColumn::Kind::Text) continue;
    int widest = 0;
    for (int r = 0; r < model_->rowCount(); ++r)
      widest =
          std::max(widest, table_->fontMetrics().horizontalAdvance(model_->index(r, c).data().toString()));
    if (widest + 18 > table_->columnWidth(c)) table_->setColumnWidth(c, widest + 18);
  }
}

void LaunchesWidget::setOrder(LaunchesOrder order) {
  const bool other = order != order_;
  order_ = std::move(order);
  table_->horizontalHeader()->setSortIndicator(model_->columnOf(order_.column),
                                               order_.descending ? Qt::DescendingOrder : Qt::AscendingOrder);
  if (!other) return;
  current_.reset();
  forget();
  ask_.start();
}

// A click on the header of another column sorts in descending order, which is usually of interest; start and
// name are sorted in ascending order first.
void LaunchesWidget::orderChosen(int section) {
  restored_.reset();
  const auto& column = model_->columns()[static_cast<std::size_t>(section)];
  const bool same = column.name == order_.column;
  const bool first_descending =
      column.kind == LaunchesColumn::Kind::Number && column.name != QLatin1String("start");
  setOrder({column.name, same ? !order_.descending : first_descending});
}

void LaunchesWidget::fit() {
  const int height = std::max(table_->verticalHeader()->defaultSectionSize(), 1);
  const int rows = std::max(table_->viewport()->height() / height, 1);
  model_->setView(model_->top(), rows);
  const qint64 last = std::max<qint64>(model_->total().value_or(0) - rows, 0);
  const QSignalBlocker quiet(scroll_);
  scroll_->setRange(0, static_cast<int>(std::min<qint64>(last, std::numeric_limits<int>::max())));
  scroll_->setPageStep(rows);
  scroll_->setValue(static_cast<int>(model_->top()));
  scroll_->setVisible(last > 0);
  ask_.start();
}

void LaunchesWidget::scrollTo(qint64 top) {
  model_->setView(top, scroll_->pageStep());
  const QSignalBlocker quiet(scroll_);
  scroll_->setValue(static_cast<int>(model_->top()));
  markSelected();
  ask_.start();
}

void LaunchesWidget::moveTo(qint64 row) {
  const qint64 total = model_->total().value_or(0);
  if (total == 0) return;
  row = std::clamp<qint64>(row, 0, total - 1);
  current_ = row;
  const qint64 shown = scroll_->pageStep();
  if (row < model_->top())
    scrollTo(row);
  else if (row >= model_->top() + shown)
    scrollTo(row - shown + 1);
  chooseCurrent();
}

// The row of a jump may not have arrived yet: it is selected when it arrives.
void LaunchesWidget::chooseCurrent() {
  const auto number = current_ ? model_->numberAt(*current_) : std::nullopt;
  waiting_ = current_ && !number;
  if (number && selected_ != *number) {
    selected_ = *number;
    emit launchSelected(*number);
  }
  markSelected();
}

void LaunchesWidget::moveBy(qint64 rows) {
  moveTo(current_.value_or(model_->top() - 1) + rows);
}

void LaunchesWidget::setSelected(std::optional<quint64> number, std::optional<qint64> place) {
  if (number != selected_ && !place) current_.reset(); // its row may not have arrived yet
  selected_ = number;
  if (place && (*place < model_->top() || *place >= model_->top() + scroll_->pageStep()))
    scrollTo(*place - scroll_->pageStep() / 2);
  if (place) current_ = place;
  markSelected();
}

void LaunchesWidget::markSelected() {
  QItemSelection chosen;
  for (int r = 0; selected_ && r < model_->rowCount(); ++r)
    if (model_->numberAt(model_->top() + r) == selected_)
      chosen.select(model_->index(r, 0), model_->index(r, model_->columnCount() - 1));
  table_->selectionModel()->select(chosen, QItemSelectionModel::ClearAndSelect);
}

// One request at a time for the visible rows; no request while the table is hidden.
void LaunchesWidget::ask() {
  if (isVisible() && model_->columnCount() > 0) askFor(model_->missing());
}

bool LaunchesWidget::holdsRows(qint64 count) {
  if (model_->columnCount() == 0) return true;
  const auto requested = model_->missing(count);
  askFor(requested);
  return requested.second == 0;
}

void LaunchesWidget::askFor(std::pair<qint64, qint64> requested) {
  if (requested.second == 0 || requested == asked_) return;
  asked_ = requested;
  emit rowsRequested(requested.first, requested.second, order_, shownColumns(), round_);
}

QStringList LaunchesWidget::shownColumns() const {
  QStringList names;
  for (const auto& column : model_->columns()) names << column.name;
  return names;
}

void LaunchesWidget::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  fit();
}

void LaunchesWidget::updateHeadline() {
  QString text = message_;
  if (const auto total = model_->total()) {
    text = launchCount(static_cast<std::uint64_t>(*total));
    if (!range_.isEmpty()) text += QStringLiteral(" · ") + range_;
    if (*total == 0) text = tr("No launches are selected");
  } else if (text.isEmpty()) {
    text = tr("Sorting …");
  }
  headline_->setText(text);
  headline_->setToolTip(text);
}

void LaunchesWidget::copySelection() {
  std::vector<int> rows;
  for (const auto& index : table_->selectionModel()->selectedRows()) rows.push_back(index.row());
  QGuiApplication::clipboard()->setText(toTsv(*model_, rows));
}

void LaunchesWidget::showColumnsMenu() {
  auto* menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  // Maximum number of columns in the menu; filters and parallel coordinates offer all columns.
  constexpr std::size_t kMax = 60;
  const QStringList shown = shownColumns();
  for (std::size_t i = 0; i < std::min(all_.size(), kMax); ++i) {
    auto* action = menu->addAction(all_[i].title);
    action->setCheckable(true);
    action->setChecked(shown.contains(all_[i].name));
    action->setToolTip(all_[i].description);
    connect(action, &QAction::toggled, this, [this, name = all_[i].name](bool on) {
      QStringList names = shownColumns();
      names.removeAll(name);
      if (on) names << name;
      restored_.reset(); // the user's choice
      if (!names.isEmpty()) showColumns(names);
    });
  }
  menu->setToolTipsVisible(true);
  menu->popup(columns_button_->mapToGlobal(QPoint(0, columns_button_->height())));
}

void LaunchesWidget::setCursorTime(std::optional<Nanoseconds> time) {
  model_->setCursorTime(time);
}

void LaunchesWidget::hover(const QPoint& position) {
  const auto index = table_->indexAt(position);
  const auto interval = index.isValid() ? model_->intervalAt(model_->top() + index.row()) : std::nullopt;
  emit cursorMoved(interval ? std::optional(interval->begin) : std::nullopt);
}

bool LaunchesWidget::eventFilter(QObject* watched, QEvent* event) {
  if (watched == table_->viewport() && event->type() == QEvent::MouseMove)
    hover(static_cast<QMouseEvent*>(event)->position().toPoint());
  if (watched == table_->viewport() && event->type() == QEvent::Leave) emit cursorMoved(std::nullopt);
  if (event->type() == QEvent::Resize && watched == table_->viewport()) fit();
  if (event->type() == QEvent::Wheel) {
    const auto delta = static_cast<QWheelEvent*>(event)->angleDelta();
    if (std::abs(delta.x()) > std::abs(delta.y())) return QWidget::eventFilter(watched, event);
    constexpr int kRow = 40; // a touchpad sends less at a time
    wheel_ += delta.y();
    scrollTo(model_->top() - wheel_ / kRow);
    wheel_ %= kRow;
    return true;
  }
  const bool shortcut = event->type() == QEvent::ShortcutOverride;
  if ((event->type() != QEvent::KeyPress && !shortcut) || watched != table_)
    return QWidget::eventFilter(watched, event);
  auto* key = static_cast<QKeyEvent*>(event);
  if (shortcut) return movesInTable(*table_, *event);
  if (key->matches(QKeySequence::Copy)) return copySelection(), true;
  switch (key->key()) {
  case Qt::Key_Down:
    return moveBy(1), true;
  case Qt::Key_Up:
    return moveBy(-1), true;
  case Qt::Key_PageDown:
    return moveBy(scroll_->pageStep()), true;
  case Qt::Key_PageUp:
    return moveBy(-scroll_->pageStep()), true;
  case Qt::Key_Home:
    return moveTo(0), true;
  case Qt::Key_End:
    return moveTo(model_->total().value_or(1) - 1), true;
  case Qt::Key_Return:
  case Qt::Key_Enter:
    if (selected_) emit launchActivated(*selected_);
    return true;
  default:
    return QWidget::eventFilter(watched, event);
  }
}

} // namespace jitterscope::views
