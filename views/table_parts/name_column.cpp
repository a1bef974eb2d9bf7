#include "views/table_parts/name_column.h"

#include <QAbstractItemModel>
#include <QEvent>
#include <QGuiApplication>
#include <QHash>
#include <QHeaderView>
#include <QSet>
#include <QStyledItemDelegate>
#include <QTableView>
#include <algorithm>
#include <utility>

#include "views/table_parts/distinct_names.h"
#include "views/table_parts/table_picture.h"

namespace jitterscope::views {

namespace {

constexpr int kMinWidth = 95, kMaxWidth = 320;

// Template names begin and end alike: if the full name does not fit, the function's name alone is more
// informative, or for several instances the part that distinguishes them.
class NamesDelegate : public QStyledItemDelegate {
public:
  using QStyledItemDelegate::QStyledItemDelegate;

protected:
  void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
    QStyledItemDelegate::initStyleOption(option, index);
    constexpr int kTextPadding = 12; // total padding of swatch and text [px]
    const int swatch =
        option->features & QStyleOptionViewItem::HasDecoration ? option->decorationSize.width() : 0;
    const int room = option->rect.width() - swatch - kTextPadding;
    if (option->fontMetrics.horizontalAdvance(option->text) <= room) return;
    follow(*index.model());
    if (room != room_ || option->font != font_ || index.column() != column_)
      shorten(*index.model(), index.column(), option->font, room);
    if (const auto found = shown_.find(option->text); found != shown_.end()) option->text = *found;
  }

private:
  void follow(const QAbstractItemModel& model) const {
    if (&model == model_) return;
    model_ = &model;
    const auto forget = [this] { room_ = -1; };
    connect(&model, &QAbstractItemModel::modelReset, this, forget);
    connect(&model, &QAbstractItemModel::dataChanged, this, forget);
    connect(&model, &QAbstractItemModel::layoutChanged, this, forget);
    connect(&model, &QAbstractItemModel::rowsInserted, this, forget);
    connect(&model, &QAbstractItemModel::rowsRemoved, this, forget);
  }

  void shorten(const QAbstractItemModel& model, int column, const QFont& font, int room) const {
    constexpr int kMaxNames = 2'000; // maximum number of names compared with each other
    room_ = room, font_ = font, column_ = column;
    shown_.clear();
    QStringList names, brief;
    QSet<QString> seen;
    for (int row = 0; row < std::min(model.rowCount(), kMaxNames); ++row) {
      const QModelIndex index = model.index(row, column);
      const QString name = index.data().toString();
      if (seen.contains(name)) continue;
      seen.insert(name);
      names << name;
      brief << index.data(kBriefRole).toString();
    }
    QHash<QString, int> uses;
    for (const QString& each : brief) ++uses[each];
    QStringList apart;
    for (qsizetype i = 0; i < names.size(); ++i)
      apart << (brief[i].isEmpty() || uses[brief[i]] > 1 ? names[i] : brief[i]);
    apart = distinctNames(apart, font, room);
    for (qsizetype i = 0; i < names.size(); ++i) shown_[names[i]] = apart[i];
  }

  mutable const QAbstractItemModel* model_ = nullptr;
  mutable int room_ = -1, column_ = -1;
  mutable QFont font_;
  mutable QHash<QString, QString> shown_; ///< displayed text by name, for the current width
};

} // namespace

NameColumn::NameColumn(QTableView& table, int column, int margin)
    : QObject(&table), table_(table), names_(new NamesDelegate(this)), column_(column), margin_(margin) {
  shorten();
  table_.setTextElideMode(Qt::ElideMiddle);
  table_.viewport()->installEventFilter(this);
  connect(table_.horizontalHeader(), &QHeaderView::sectionResized, this, [this](int section) {
    if (fitting_) return;
    if (section == column_ && QGuiApplication::mouseButtons() != Qt::NoButton) chosen_ = true;
    fit();
  });
  fit();
}

void NameColumn::shorten() {
  if (column_ >= 0) table_.setItemDelegateForColumn(column_, names_);
}

void NameColumn::follow(int column) {
  if (column_ >= 0) table_.setItemDelegateForColumn(column_, nullptr);
  column_ = column;
  shorten();
  chosen_ = false;
  fit();
}

void NameColumn::fit() {
  if (chosen_ || column_ < 0 || table_.model() == nullptr || column_ >= table_.model()->columnCount()) return;
  const auto* header = table_.horizontalHeader();
  int room = table_.viewport()->width(), left = margin_;
  for (int place = 0; place < header->count() && left > 0; ++place) {
    const int section = header->logicalIndex(place);
    if (section == column_ || header->isSectionHidden(section)) continue;
    room -= header->sectionSize(section);
    --left;
  }
  const bool before = std::exchange(fitting_, true);
  table_.setColumnWidth(column_, std::clamp(room, kMinWidth, kMaxWidth));
  fitting_ = before;
}

bool NameColumn::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Resize) fit();
  return QObject::eventFilter(watched, event);
}

} // namespace jitterscope::views
