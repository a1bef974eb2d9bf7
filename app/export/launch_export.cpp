#include "app/export/launch_export.h"

#include <QFile>
#include <QPointer>
#include <cmath>
#include <string>

#include "app/engine/decode_launches.h"
#include "app/engine/row_texts.h"
#include "app/session/questions.h"
#include "views/base/format.h"

namespace jitterscope::app {
namespace {

constexpr qint64 kPart = 10'000;

QString cell(const views::LaunchesPage& page, std::size_t column, std::size_t row) {
  const double value = page.values[column][row];
  if (std::isnan(value)) return {};
  if (page.columns[column].kind == views::LaunchesColumn::Kind::Text)
    return views::csvField(page.texts[column].value(static_cast<int>(value)));
  return views::exactNumber(value);
}

} // namespace

LaunchExport::LaunchExport(SessionController& session, const QString& path, views::LaunchesOrder order,
                           QStringList columns, engine::SelectionOptions selection, QObject* parent)
    : QObject(parent), session_(session), path_(path), order_(std::move(order)), columns_(std::move(columns)),
      selection_(std::move(selection)) {
  static int exports = 0;
  channel_ = "export " + std::to_string(++exports);
  connect(&session_, &SessionController::opened, this, [this] {
    give_up({ErrorKind::BadUse,
             "another trace was opened before the table was saved",
             {},
             {},
             "Save the table again."});
  });
}

void LaunchExport::start() {
  auto file = OutputFile::create(QFile::encodeName(path_).toStdString());
  if (!file) return give_up(file.error());
  file_.emplace(std::move(*file));
  ask();
}

void LaunchExport::ask() {
  session_.request({launches_question(next_, kPart, order_, columns_, selection_), channel_},
                   tr("Save table"), [self = QPointer(this)](Expected<engine::Answer> answer) {
                     if (!self || !self->file_) return;
                     answer ? self->use(*answer) : self->give_up(answer.error());
                   });
}

void LaunchExport::use(const engine::Answer& answer) {
  const auto page = decode_launches(answer);
  if (!page) return give_up(page.error());
  if (page->total > kMaxRows)
    return give_up({ErrorKind::BadUse,
                    "a table of " + views::formatCount(page->total).toStdString() +
                        row_text(" launches is too long to be saved"),
                    {},
                    {},
                    row_text("Select fewer launches, at most two million.")});
  write(*page);
}

void LaunchExport::write(const views::LaunchesPage& page) {
  QString text;
  if (next_ == 0) {
    QStringList titles;
    for (const auto& column : page.columns)
      titles << views::csvField(column.unit.isEmpty() || column.name.endsWith("_" + column.unit)
                                    ? column.name // "gap_ns" has its unit
                                    : column.name + " [" + column.unit + "]");
    text = titles.join(',') + "\r\n";
  }
  for (std::size_t row = 0; row < page.numbers.size(); ++row) {
    QStringList cells;
    for (std::size_t column = 0; column < page.columns.size(); ++column) cells << cell(page, column, row);
    text += cells.join(',') + "\r\n";
  }
  next_ += static_cast<qint64>(page.numbers.size());
  const bool whole = next_ >= page.total || page.numbers.empty();
  auto done = file_->write(text.toStdString());
  if (done && whole) done = file_->commit();
  if (!done) return give_up(done.error());
  if (!whole) return ask();
  file_.reset();
  emit saved(path_, next_);
  deleteLater();
}

void LaunchExport::give_up(const Error& error) {
  file_.reset();
  emit failed(error);
  deleteLater();
}

} // namespace jitterscope::app
