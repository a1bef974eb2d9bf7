#include "app/widgets/column_picker.h"

#include <QDialogButtonBox>
#include <QHBoxLayout>
#include <QHash>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include "app/engine/decode.h"
#include "views/base/format.h"

namespace jitterscope::app {

namespace {

/// Title without its trailing unit, which is added later.
QString title_of(const PickerColumn& column) {
  QString text = words(column.name.toStdString());
  if (!column.unit.isEmpty() && text.endsWith(" " + column.unit)) text.chop(column.unit.size() + 1);
  return text;
}

} // namespace

ColumnPicker::ColumnPicker(const std::vector<PickerColumn>& columns, const QStringList& chosen,
                           QWidget* parent)
    : QDialog(parent), search_(new QLineEdit(this)), list_(new QListWidget(this)), count_(new QLabel(this)) {
  setWindowTitle(tr("Axes of parallel coordinates"));
  search_->setPlaceholderText(
      tr("Search %1 columns by name or description").arg(views::formatCount(columns.size())));
  search_->setClearButtonEnabled(true);
  list_->setUniformItemSizes(true);
  QHash<QString, int> titles; // several columns may have the same title
  for (const auto& column : columns) ++titles[title_of(column)];
  for (const auto& column : columns) {
    QString text = title_of(column);
    if (titles.value(text) > 1) text += " (" + column.name + ")";
    if (!column.unit.isEmpty()) text += ", " + column.unit;
    auto* item = new QListWidgetItem(text, list_);
    item->setData(Qt::UserRole, column.name);
    item->setData(Qt::UserRole + 1, column.name + " " + text + " " + column.description);
    item->setToolTip(column.description);
    item->setFlags(item->flags() | Qt::ItemIsUserCheckable);
    item->setCheckState(Qt::Unchecked);
  }
  auto* row = new QHBoxLayout;
  const auto button = [&](const QString& text, const QString& tip, auto&& act) {
    auto* made = new QPushButton(text, this);
    made->setToolTip(tip);
    made->setAutoDefault(false);
    connect(made, &QPushButton::clicked, this, act);
    row->addWidget(made);
  };
  button(tr("By spread"), tr("Columns with the largest coefficient of variation, without near-duplicates"),
         [this] { emit spread_requested(); });
  button(tr("By causal contribution"), tr("Factors of the causal graph and its target"),
         [this] { emit causal_requested(); });
  button(tr("None"), tr("Untick all"), [this] { choose({}); });
  row->addStretch(1);
  row->addWidget(count_);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, this);
  auto* column = new QVBoxLayout(this);
  column->addWidget(search_);
  column->addWidget(list_, 1);
  column->addLayout(row);
  column->addWidget(buttons);
  resize(560, 560);
  connect(search_, &QLineEdit::textChanged, this, &ColumnPicker::find);
  connect(list_, &QListWidget::itemChanged, this, [this](QListWidgetItem* item) {
    const QString name = item->data(Qt::UserRole).toString();
    order_.removeAll(name);
    if (item->checkState() == Qt::Checked) order_ << name;
    count();
  });
  connect(buttons, &QDialogButtonBox::accepted, this, [this] {
    if (order_.size() >= 1) emit accepted_with(this->chosen().mid(0, kMaxAxes));
    accept();
  });
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  choose(chosen);
  search_->setFocus();
}

QStringList ColumnPicker::chosen() const {
  return order_;
}

void ColumnPicker::choose(const QStringList& names) {
  const QSignalBlocker quiet(list_);
  QStringList known;
  for (int i = 0; i < list_->count(); ++i) {
    const QString name = list_->item(i)->data(Qt::UserRole).toString();
    const bool on = names.contains(name);
    list_->item(i)->setCheckState(on ? Qt::Checked : Qt::Unchecked);
    if (on) known << name;
  }
  order_.clear();
  for (const auto& name : names)
    if (known.contains(name)) order_ << name;
  count();
}

void ColumnPicker::find(const QString& text) {
  const QStringList parts = text.split(' ', Qt::SkipEmptyParts);
  for (int i = 0; i < list_->count(); ++i) {
    const QString all = list_->item(i)->data(Qt::UserRole + 1).toString();
    bool matches = true;
    for (const auto& part : parts) matches = matches && all.contains(part, Qt::CaseInsensitive);
    list_->item(i)->setHidden(!matches);
  }
  count();
}

int ColumnPicker::visible_rows() const {
  int rows = 0;
  for (int i = 0; i < list_->count(); ++i) rows += !list_->item(i)->isHidden();
  return rows;
}

void ColumnPicker::count() {
  count_->setText(order_.size() > kMaxAxes
                      ? tr("%1 ticked, the first %2 are shown").arg(order_.size()).arg(kMaxAxes)
                      : tr("%1 ticked").arg(order_.size()));
}

} // namespace jitterscope::app
