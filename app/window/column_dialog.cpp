#include "app/window/column_dialog.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFile>
#include <QFileInfo>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPointer>
#include <QPushButton>
#include <QSignalBlocker>
#include <QTableWidget>
#include <QThreadPool>
#include <QVBoxLayout>
#include <algorithm>
#include <array>

#include "app/engine/store_cache.h"
#include "core/import/formats/table/preview.h"
#include "core/import/preview_file.h"
#include "views/base/text.h"

namespace jitterscope::app {
namespace {

using views::Text;

using import::ColumnRole;
using import::table::Preview;
using import::table::PreviewColumn;

enum Section { kName, kHolds, kUse, kUnit, kFirstRow };
constexpr int kMaxColumns = 300; // maximum offered for selection

constexpr std::array kRoleNames = {QT_TRANSLATE_NOOP("jitterscope::app::ColumnDialog", "Kernel name"),
                                   QT_TRANSLATE_NOOP("jitterscope::app::ColumnDialog", "Start"),
                                   QT_TRANSLATE_NOOP("jitterscope::app::ColumnDialog", "End"),
                                   QT_TRANSLATE_NOOP("jitterscope::app::ColumnDialog", "Duration"),
                                   QT_TRANSLATE_NOOP("jitterscope::app::ColumnDialog", "Device"),
                                   QT_TRANSLATE_NOOP("jitterscope::app::ColumnDialog", "Stream"),
                                   QT_TRANSLATE_NOOP("jitterscope::app::ColumnDialog", "Rank")};

QString holds_text(PreviewColumn::Holds holds) {
  const std::array kTexts = {Text::tr("nothing"), Text::tr("numbers"), Text::tr("texts"), Text::tr("dates")};
  return kTexts[static_cast<std::size_t>(holds)];
}

int index_of(const std::optional<ColumnRole>& role) {
  return role ? static_cast<int>(*role) + 1 : 0;
}

QTableWidgetItem* text_item(const QString& text) {
  auto* item = new QTableWidgetItem(text);
  item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable);
  item->setToolTip(text);
  return item;
}

QString sentence(const Preview& preview) {
  return preview.timed
             ? Text::tr("Rows have start times: the timeline shows when they ran.")
             : Text::tr("Rows have no start and end: the timeline shows them in the order of the file.");
}

} // namespace

ColumnDialog::ColumnDialog(TableFile table, QWidget* parent)
    : QDialog(parent), table_(std::move(table)), columns_(new QTableWidget), summary_(new QLabel) {
  setWindowTitle(tr("Table Columns"));
  auto* intro = new QLabel(
      tr("Choose the use of each column of %1. The choice is remembered for tables with the same header.")
          .arg(QFileInfo(table_.path).fileName()));
  intro->setWordWrap(true);
  summary_->setObjectName("summary");
  summary_->setWordWrap(true);
  summary_->setTextFormat(Qt::PlainText);
  const auto rows = static_cast<int>(table_.found.rows.size());
  QStringList header = {tr("Column"), tr("Content"), tr("Use as"), tr("Unit")};
  for (int row = 0; row < rows; ++row) header << tr("Row %1").arg(row + 1);
  columns_->setColumnCount(static_cast<int>(header.size()));
  columns_->setHorizontalHeaderLabels(header);
  columns_->setRowCount(std::min(kMaxColumns, static_cast<int>(table_.found.columns.size())));
  columns_->verticalHeader()->hide();
  for (int column = 0; column < columns_->rowCount(); ++column) add_column(column);
  columns_->resizeColumnsToContents();
  columns_->horizontalHeader()->setStretchLastSection(true);
  for (int section = 0; section < columns_->columnCount(); ++section)
    columns_->setColumnWidth(section, std::clamp(columns_->columnWidth(section), 70, 220));
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Open | QDialogButtonBox::Cancel);
  open_ = buttons->button(QDialogButtonBox::Open);
  connect(buttons, &QDialogButtonBox::accepted, this, &ColumnDialog::accept);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(intro);
  layout->addWidget(columns_, 1);
  layout->addWidget(summary_);
  layout->addWidget(buttons);
  resize(920, std::min(640, 220 + 30 * columns_->rowCount()));
  show_checked(std::optional(table_.chosen));
}

void ColumnDialog::add_column(int column) {
  const auto& found = table_.found.columns[static_cast<std::size_t>(column)];
  const auto& chosen = table_.chosen.columns[static_cast<std::size_t>(column)];
  columns_->setItem(column, kName, text_item(QString::fromStdString(found.name)));
  columns_->setItem(column, kHolds, text_item(holds_text(found.holds)));
  auto* roles = new QComboBox;
  roles->addItem(found.configuration ? tr("Configuration") : tr("Attribute"));
  for (const auto* role : kRoleNames) roles->addItem(tr(role));
  roles->setCurrentIndex(index_of(chosen.role));
  connect(roles, &QComboBox::currentIndexChanged, this,
          [this, column](int index) { choose_role(column, index); });
  columns_->setCellWidget(column, kUse, roles);
  auto* unit = new QLineEdit(QString::fromStdString(chosen.unit));
  unit->setFrame(false);
  unit->setPlaceholderText(found.holds == PreviewColumn::Holds::Numbers ? tr("none") : QString());
  unit->setEnabled(found.holds != PreviewColumn::Holds::Texts);
  connect(unit, &QLineEdit::textChanged, this, [this, column](const QString& text) {
    table_.chosen.columns[static_cast<std::size_t>(column)].unit = text.trimmed().toStdString();
    check();
  });
  columns_->setCellWidget(column, kUnit, unit);
  for (std::size_t row = 0; row < table_.found.rows.size(); ++row) {
    const auto& cells = table_.found.rows[row];
    const auto at = static_cast<std::size_t>(column);
    columns_->setItem(column, kFirstRow + static_cast<int>(row),
                      text_item(at < cells.size() ? QString::fromStdString(cells[at]) : QString()));
  }
}

// Several columns may name the kernel; every other role belongs to one column.
void ColumnDialog::choose_role(int column, int index) {
  auto& role = table_.chosen.columns[static_cast<std::size_t>(column)].role;
  role = index > 0 ? std::optional(static_cast<ColumnRole>(index - 1)) : std::nullopt;
  if (role && *role != ColumnRole::Kernel)
    for (int other = 0; other < columns_->rowCount(); ++other)
      if (other != column && role_box(other)->currentIndex() == index) role_box(other)->setCurrentIndex(0);
  check();
}

QStringList ColumnDialog::mapping() const {
  return mapping_list(import::entries_of(mapping_between(table_.found, table_.chosen)));
}

QComboBox* ColumnDialog::role_box(int column) const {
  return qobject_cast<QComboBox*>(columns_->cellWidget(column, kUse));
}

QLineEdit* ColumnDialog::unit_edit(int column) const {
  return qobject_cast<QLineEdit*>(columns_->cellWidget(column, kUnit));
}

QString ColumnDialog::summary() const {
  return summary_->text();
}

void ColumnDialog::check() {
  open_->setEnabled(false);
  import::ImportOptions options;
  options.mapping = mapping_between(table_.found, table_.chosen);
  const auto path = QFile::encodeName(table_.path).toStdString();
  QThreadPool::globalInstance()->start([guard = QPointer(this), number = ++checks_, path, options] {
    auto checked = import::preview_file(path, options);
    QMetaObject::invokeMethod(qApp, [guard, number, checked = std::move(checked)] {
      if (guard && number == guard->checks_) guard->show_checked(checked);
    });
  });
}

void ColumnDialog::show_checked(const Expected<std::optional<Preview>>& checked) {
  const bool good = checked && *checked;
  open_->setEnabled(good);
  if (good) show_recognised_roles(**checked);
  QStringList lines;
  if (!checked)
    lines << QString::fromStdString(checked.error().message) + "."
          << QString::fromStdString(checked.error().hint);
  else if (!good)
    lines << tr("The file is no longer a table.");
  else
    lines << sentence(**checked);
  if (good)
    for (const auto& remark : (*checked)->remarks.entries())
      lines << "• " + QString::fromStdString(remark.text);
  constexpr qsizetype kMaxLines = 6;
  summary_->setText(lines.mid(0, kMaxLines).join("\n"));
}

// A choice may make other roles possible: a start is recognised once there is a duration.
void ColumnDialog::show_recognised_roles(const Preview& checked) {
  const auto mapping = mapping_between(table_.found, table_.chosen);
  copy_recognised_roles(checked, mapping, table_.found);
  copy_recognised_roles(checked, mapping, table_.chosen);
  for (int column = 0; column < columns_->rowCount(); ++column) {
    const QSignalBlocker blocker(role_box(column));
    role_box(column)->setCurrentIndex(index_of(table_.chosen.columns[static_cast<std::size_t>(column)].role));
  }
}

void ColumnDialog::accept() {
  if (!open_->isEnabled()) return;
  remember_mapping(table_.found.titles, mapping());
  QDialog::accept();
}

} // namespace jitterscope::app
