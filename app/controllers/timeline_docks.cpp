#include "app/controllers/timeline_docks.h"

#include <QHeaderView>
#include <QShortcut>
#include <QTableWidget>

#include "app/controllers/timeline_link.h"
#include "views/area/area_widget.h"
#include "views/base/format.h"
#include "views/timeline/timeline_widget.h"

namespace jitterscope::app {

namespace {

std::vector<views::NumberedMark> mark_rows(const views::TimelineModel& model) {
  return views::numberedMarks(model.flags, model.ranges);
}

} // namespace

MarksPanel::MarksPanel(views::TimelineWidget& timeline, QWidget* parent)
    : QObject(parent), timeline_(timeline), table_(new QTableWidget(0, 4, parent)) {
  table_->setHorizontalHeaderLabels({tr("Key"), tr("Name"), tr("At"), tr("Length")});
  table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_->setEditTriggers(QAbstractItemView::EditKeyPressed | QAbstractItemView::SelectedClicked);
  table_->setAccessibleName(tr("Marks"));
  table_->setToolTip(
      tr("M marks the time under the pointer, N names the selected range, a digit goes to the mark with "
         "this key. In this table, F2 renames a mark and Delete removes it."));
  table_->setColumnWidth(0, 40);
  table_->setColumnWidth(1, 160);
  connect(table_, &QTableWidget::itemChanged, this, [this](QTableWidgetItem* item) {
    if (!quiet_ && item->column() == 1) renamed(item->row(), item->text());
  });
  connect(table_, &QTableWidget::cellDoubleClicked, this, [this](int row, int) { go_to(row); });
  auto* remove = new QShortcut(QKeySequence::Delete, table_);
  remove->setContext(Qt::WidgetShortcut);
  connect(remove, &QShortcut::activated, this, &MarksPanel::remove_selected);
  auto* go = new QShortcut(Qt::Key_Return, table_);
  go->setContext(Qt::WidgetShortcut);
  connect(go, &QShortcut::activated, this, [this] { go_to(table_->currentRow()); });
  connect(&timeline_, &views::TimelineWidget::marksChanged, this, &MarksPanel::refresh);
}

void MarksPanel::refresh() {
  quiet_ = true;
  const auto& model = timeline_.model();
  const auto rows = mark_rows(model);
  table_->setRowCount(static_cast<int>(rows.size()));
  for (int r = 0; r < table_->rowCount(); ++r) {
    const auto& row = rows[static_cast<std::size_t>(r)];
    const QString texts[] = {row.number <= 9 ? QString::number(row.number) : QString(), row.name,
                             views::formatPlace(row.range.begin, {1000}, model.axis),
                             row.flag ? QString() : views::formatLength(row.range.length(), model.axis)};
    for (int c = 0; c < 4; ++c) {
      auto* item = new QTableWidgetItem(texts[c]);
      if (c != 1) item->setFlags(item->flags() & ~Qt::ItemIsEditable);
      table_->setItem(r, c, item);
    }
  }
  quiet_ = false;
}

void MarksPanel::renamed(int row, const QString& name) {
  const auto rows = mark_rows(timeline_.model());
  if (row < 0 || row >= static_cast<int>(rows.size())) return;
  const auto& mark = rows[static_cast<std::size_t>(row)];
  auto flags = timeline_.model().flags;
  auto ranges = timeline_.model().ranges;
  (mark.flag ? flags[mark.place].label : ranges[mark.place].name) = name;
  timeline_.setFlags(std::move(flags));
  timeline_.setRanges(std::move(ranges));
  emit timeline_.marksChanged();
}

void MarksPanel::remove_selected() {
  const auto rows = mark_rows(timeline_.model());
  std::vector<views::TimelineFlag> flags;
  std::vector<views::NamedRange> ranges;
  for (int r = 0; r < static_cast<int>(rows.size()); ++r) {
    if (table_->selectionModel()->isRowSelected(r)) continue;
    const auto& row = rows[static_cast<std::size_t>(r)];
    if (row.flag)
      flags.push_back(timeline_.model().flags[row.place]);
    else
      ranges.push_back(timeline_.model().ranges[row.place]);
  }
  timeline_.setFlags(std::move(flags));
  timeline_.setRanges(std::move(ranges));
  emit timeline_.marksChanged();
}

void MarksPanel::go_to(int row) {
  const auto rows = mark_rows(timeline_.model());
  if (row >= 0 && row < static_cast<int>(rows.size()))
    timeline_.showMark(rows[static_cast<std::size_t>(row)].range);
}

TimelineDocks::TimelineDocks(views::TimelineWidget& timeline, QWidget* window)
    : QObject(window), area_(new views::AreaWidget(window)), marks_(new MarksPanel(timeline, window)) {}

void TimelineDocks::listen(TimelineLink& link) {
  connect(&link, &TimelineLink::area, area_, &views::AreaWidget::setArea);
  connect(&link, &TimelineLink::area_cleared, area_, &views::AreaWidget::clear);
  connect(&link, &TimelineLink::area_waiting, area_, [this] { area_->setMessage(tr("summing …")); });
  connect(&link, &TimelineLink::area_cleared, marks_, &MarksPanel::refresh,
          Qt::QueuedConnection); // queued, so that it runs once the tracks are set
}

} // namespace jitterscope::app
