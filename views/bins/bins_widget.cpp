#include "views/bins/bins_widget.h"

#include <algorithm>

#include <QClipboard>
#include <QEvent>
#include <QGuiApplication>
#include <QHeaderView>
#include <QItemSelectionModel>
#include <QKeyEvent>
#include <QLabel>
#include <QMenu>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QTableView>
#include <QVBoxLayout>

#include "views/base/format.h"
#include "views/base/painting.h"
#include "views/bins/bins_model.h"
#include "views/bins/bins_painter.h"
#include "views/bins/bins_strip.h"
#include "views/table_parts/sort_header.h"
#include "views/table_parts/table_keys.h"
#include "views/table_parts/table_style.h"
#include "views/table_parts/tsv.h"

namespace jitterscope::views {

namespace {

/// Draws the value as bar and number, and mutes rows that were not kept.
class BinDelegate : public QStyledItemDelegate {
public:
  BinDelegate(const ViewStyle& style, QObject* parent) : QStyledItemDelegate(parent), style_(style) {}

  void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
    QStyledItemDelegate::initStyleOption(option, index);
    option->state &= ~QStyle::State_HasFocus;
    const QColor ink = index.data(BinsModel::KeptRole).toBool() ? style_.text : style_.mutedText;
    option->palette.setColor(QPalette::Text, ink);
    option->palette.setColor(QPalette::HighlightedText, ink);
    option->textElideMode = Qt::ElideRight;
  }

  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    if (index.column() != BinsModel::Value) {
      QStyledItemDelegate::paint(painter, option, index);
      return;
    }
    const bool selected = (option.state & QStyle::State_Selected) != 0;
    if (selected) painter->fillRect(option.rect, option.palette.highlight());
    bins::paintValueCell(*painter, option.rect, index.data(BinsModel::BarRole).toDouble(),
                         index.data(Qt::DisplayRole).toString(), index.data(BinsModel::KeptRole).toBool(),
                         selected, style_);
  }

private:
  const ViewStyle& style_;
};

} // namespace

BinsWidget::BinsWidget(QWidget* parent)
    : QWidget(parent), model_(new BinsModel(this)), headline_(new QLabel(this)),
      strip_(new BinsStrip(model_, this)), table_(new QTableView(this)), why_(new QLabel(this)),
      style_(ViewStyle::light()) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  headline_->setContentsMargins(10, 6, 10, 4);
  headline_->setWordWrap(true);
  headline_->setTextFormat(Qt::PlainText); // names of templates are not HTML
  headline_->setMinimumWidth(1);           // otherwise the longest name is the minimum width of the dock
  headline_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  layout->addWidget(headline_);
  layout->addWidget(strip_);
  layout->addWidget(table_, 1);
  layout->addWidget(why_);
  why_->setContentsMargins(10, 3, 10, 4);
  why_->setWordWrap(true);
  why_->setTextFormat(Qt::PlainText);
  why_->setMinimumWidth(1);
  why_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  why_->setAccessibleName(tr("Reason for the rank"));
  why_->hide();
  table_->setHorizontalHeader(new SortHeader(table_));
  table_->setModel(model_);
  table_->setItemDelegate(new BinDelegate(style_, table_));
  table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_->setSelectionMode(QAbstractItemView::SingleSelection);
  table_->setTabKeyNavigation(false);
  table_->setAccessibleName(tr("Ranked bins"));
  table_->installEventFilter(this);
  table_->viewport()->installEventFilter(this);
  QHeaderView* header = table_->horizontalHeader();
  header->setStretchLastSection(true);
  table_->setSortingEnabled(true);
  table_->sortByColumn(BinsModel::Rank, Qt::AscendingOrder);
  const int widths[] = {50, 96, 78, 250, 240};
  for (int c = 0; c < BinsModel::ColumnCount; ++c) table_->setColumnWidth(c, widths[c]);
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this](const QModelIndex& current) { rowChosen(current.isValid() ? current.row() : -1); });
  table_->setContextMenuPolicy(Qt::CustomContextMenu);
  connect(table_, &QTableView::customContextMenuRequested, this, &BinsWidget::showMenu);
  connect(table_, &QTableView::doubleClicked, this,
          [this](const QModelIndex& index) { rowActivated(index.row()); });
  const auto onStrip = [this](std::uint32_t bin, bool activate) {
    const auto row = model_->rowOf(bin);
    if (!row) return;
    table_->selectRow(*row);
    table_->scrollTo(model_->index(*row, 0));
    if (activate) rowActivated(*row);
  };
  connect(strip_, &BinsStrip::binClicked, this, [onStrip](std::uint32_t bin) { onStrip(bin, false); });
  connect(strip_, &BinsStrip::keptCountChosen, this, &BinsWidget::keptCountChosen);
  connect(strip_, &BinsStrip::keptCountMoved, this,
          [this] { headline_->setText(forLines(model_->headline())); });
  connect(strip_, &BinsStrip::binDoubleClicked, this, [onStrip](std::uint32_t bin) { onStrip(bin, true); });
  setMessage(tr("Open a trace to begin"));
  applyStyle();
}

void BinsWidget::setViewStyle(const ViewStyle& style) {
  style_ = style;
  applyStyle();
}

void BinsWidget::applyStyle() {
  strip_->setViewStyle(style_);
  styleTable(*table_, style_);
  constexpr int kMinRows = 4;
  table_->setMinimumHeight(table_->horizontalHeader()->sizeHint().height() +
                           kMinRows * table_->verticalHeader()->defaultSectionSize());
  QPalette palette = this->palette();
  palette.setColor(QPalette::Window, style_.background);
  palette.setColor(QPalette::WindowText, style_.text);
  setPalette(palette);
  setAutoFillBackground(true);
  headline_->setPalette(palette);
  headline_->setFont(style_.font());
  why_->setPalette(palette);
  why_->setFont(style_.font(FontRole::Small));
}

void BinsWidget::setMessage(const QString& message) {
  strip_->setMessage(message);
}

void BinsWidget::setBins(BinsData bins) {
  quiet_ = true;
  model_->setData(std::move(bins));
  headline_->setText(forLines(model_->headline()));
  headline_->setVisible(!headline_->text().isEmpty());
  strip_->setMessage(
      model_->rowCount() == 0
          ? tr("No selected launch has a value to rank. Change the range, the filter or the metric.")
          : QString());
  strip_->update();
  // Times far from zero need more width and must be readable in full.
  table_->resizeColumnToContents(BinsModel::Start);
  table_->setColumnWidth(BinsModel::Start, std::clamp(table_->columnWidth(BinsModel::Start) + 8, 92, 190));
  fitValues();
  quiet_ = false;
  setSelected(selected_);
}

void BinsWidget::setReasons(const std::vector<std::pair<std::uint32_t, BinReason>>& reasons) {
  const bool first = !model_->hasReasons();
  model_->setReasons(reasons);
  if (first) fitValues();
  showWhy();
}

void BinsWidget::showCause(const QString& cause) {
  model_->showCause(cause);
  headline_->setText(forLines(model_->headline()));
  setSelected(selected_);
}

// Menu of actions for the reason of the bin.
void BinsWidget::showMenu(QPoint position) {
  const QModelIndex at = table_->indexAt(position);
  auto* menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  if (at.isValid()) {
    const BinRow& bin = model_->binAt(at.row());
    const QString cause = bin.reason ? bin.reason->cause : QString();
    if (const auto same = model_->binsOf(cause); !same.empty()) {
      const QString count = formatCount(same.size());
      menu->addAction(tr("&Select the Launches of All %1 Bins with the Reason \"%2\"").arg(count, cause),
                      this, [this, cause] {
                        std::vector<Interval> bins;
                        for (const BinRow* each : model_->binsOf(cause))
                          bins.push_back({each->start, each->start + model_->bins().width});
                        emit causeChosen(cause, bins);
                      });
      if (model_->shownCause().isEmpty())
        menu->addAction(tr("List &Only These %1 Bins").arg(count), this, [this, cause] { showCause(cause); });
    }
    if (const QString text = model_->reasonText(at.row()); !text.isEmpty())
      menu->addAction(tr("&Copy the Reason"), this, [text] { QGuiApplication::clipboard()->setText(text); });
  }
  if (!model_->shownCause().isEmpty()) menu->addAction(tr("List &All Bins"), this, [this] { showCause({}); });
  if (menu->isEmpty()) return menu->deleteLater();
  menu->popup(table_->viewport()->mapToGlobal(position));
}

void BinsWidget::setSelected(std::optional<std::uint32_t> binIndex) {
  selected_ = binIndex;
  strip_->setSelected(binIndex);
  quiet_ = true;
  const auto row = binIndex ? model_->rowOf(*binIndex) : std::nullopt;
  if (row) {
    table_->selectRow(*row);
    table_->scrollTo(model_->index(*row, 0));
  } else {
    table_->clearSelection();
    table_->setCurrentIndex({});
  }
  quiet_ = false;
  showWhy();
}

void BinsWidget::rowChosen(int row) {
  if (quiet_ || row < 0) return;
  selected_ = model_->index(row, 0).data(BinsModel::IndexRole).toUInt();
  strip_->setSelected(selected_);
  showWhy();
  emit binSelected(*selected_, model_->intervalOf(row));
}

void BinsWidget::rowActivated(int row) {
  emit binActivated(model_->index(row, 0).data(BinsModel::IndexRole).toUInt(), model_->intervalOf(row));
}

// The value determines the order, so it is fully visible even in narrow docks. The reason of a bin is shown
// in its own column once it is known and if there is room, else below the table for the selected bin.
void BinsWidget::fitValues() {
  constexpr int kRoomForWhy = 560;
  const bool reasons = model_->hasReasons();
  const bool narrow = table_->viewport()->width() < kRoomForWhy;
  // The reason has priority over the bar and the count; the strip above shows the values as well.
  constexpr int kRoomForReason = 330;
  const bool instead = narrow && reasons && table_->viewport()->width() >= kRoomForReason;
  constexpr int kMinValueWidth = 96, kLaunches = 78;
  const QFontMetrics metrics(table_->font());
  const int widest =
      metrics.horizontalAdvance(formatCount(static_cast<std::uint64_t>(std::max(model_->rowCount(), 1)))) +
      14;
  // Very narrow docks omit the number of launches and, if necessary, the rank.
  const bool tight = table_->viewport()->width() < std::max(widest, 50) +
                                                       table_->columnWidth(BinsModel::Start) + kLaunches +
                                                       kMinValueWidth;
  const bool no_count = tight || instead;
  if (table_->isColumnHidden(BinsModel::Launches) != no_count)
    table_->setColumnHidden(BinsModel::Launches, no_count);
  table_->setColumnWidth(BinsModel::Rank, tight ? std::max(widest, 24) : std::max(widest, 50));
  const bool no_reason = !reasons || (narrow && !instead);
  if (table_->isColumnHidden(BinsModel::Why) != no_reason) table_->setColumnHidden(BinsModel::Why, no_reason);
  showWhy();
  const int minimum =
      (tight ? std::max(widest, 24) : 0) + table_->columnWidth(BinsModel::Start) + kMinValueWidth;
  if (const bool hidden = tight && table_->viewport()->width() < minimum;
      table_->isColumnHidden(BinsModel::Rank) != hidden)
    table_->setColumnHidden(BinsModel::Rank, hidden);
  int before = 0;
  for (const int column : {BinsModel::Rank, BinsModel::Start, BinsModel::Launches})
    before += table_->isColumnHidden(column) ? 0 : table_->columnWidth(column);
  constexpr int kReason = 380; // most reasons fit
  const int value =
      std::clamp(table_->viewport()->width() - before - (no_reason ? 0 : kReason), kMinValueWidth,
                 no_reason ? 1'000 : 250); // the header is shortened below
  table_->setColumnWidth(BinsModel::Value, value);
  if (!no_reason)
    table_->setColumnWidth(BinsModel::Why, std::max(table_->viewport()->width() - before - value, 40));
  // Metric and statistic are also shown above the table.
  model_->setShortTitles(false, false);
  const int title = metrics.horizontalAdvance(
      model_->headerData(BinsModel::Value, Qt::Horizontal, Qt::DisplayRole).toString());
  model_->setShortTitles(tight, title + 20 > value);
}

void BinsWidget::showWhy() {
  const auto row = selected_ ? model_->rowOf(*selected_) : std::nullopt;
  const bool cut =
      row && table_->columnWidth(BinsModel::Why) <
                 QFontMetrics(table_->font())
                         .horizontalAdvance(model_->index(*row, BinsModel::Why).data().toString()) +
                     8;
  const bool shown =
      row && (table_->isColumnHidden(BinsModel::Why) || (cut && table_->isColumnHidden(BinsModel::Launches)));
  if (shown) why_->setText(forLines(model_->reasonText(*row)));
  why_->setVisible(shown);
}

bool BinsWidget::eventFilter(QObject* watched, QEvent* event) {
  if (watched == table_->viewport() && event->type() == QEvent::Resize) fitValues();
  if (watched == table_ && movesInTable(*table_, *event)) return true;
  if (watched == table_ && event->type() == QEvent::KeyPress) {
    const auto* pressed = static_cast<QKeyEvent*>(event);
    if (pressed->matches(QKeySequence::Copy)) {
      QGuiApplication::clipboard()->setText(toTsv(*model_));
      return true;
    }
    const int key = pressed->key();
    const QModelIndex current = table_->currentIndex();
    if ((key == Qt::Key_Return || key == Qt::Key_Enter) && current.isValid()) {
      rowActivated(current.row());
      return true;
    }
  }
  return QWidget::eventFilter(watched, event);
}

} // namespace jitterscope::views
