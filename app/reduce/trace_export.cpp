#include "app/reduce/trace_export.h"

#include <QFile>
#include <QFileInfo>
#include <utility>

#include "core/efficiency/paraver/paraver_export.h"
#include "core/engine/messages/export_answers.h"
#include "core/engine/messages/export_options.h"
#include "views/base/format.h"
#include "views/base/text.h"

namespace jitterscope::app {
namespace {

using views::Text;

QString summary_of(std::int64_t records, const std::vector<std::string>& left_out, const QString& path) {
  auto text = Text::tr("Exported %1 records to %2.")
                  .arg(views::formatCount(static_cast<std::uint64_t>(records)), path);
  for (const auto& each : left_out) {
    auto note = QString::fromStdString(each);
    if (!note.isEmpty()) note[0] = note[0].toUpper();
    text += QLatin1Char(' ') + (note.endsWith('.') ? note : note + QLatin1Char('.'));
  }
  return text;
}

template <engine::TableType Answer>
void ask(SessionController& session, const engine::Request& request, const QString& path,
         std::function<void(const Expected<QString>&)> ended) {
  session.request(request, Text::tr("Export Trace"),
                  [path, ended = std::move(ended)](const Expected<engine::Answer>& received) {
                    const auto answer = received.and_then(engine::table_of<Answer>);
                    if (answer)
                      ended(summary_of(answer->records, answer->left_out, path));
                    else
                      ended(forward(answer.error()));
                  });
}

} // namespace

QStringList existing_outputs(const QString& path) {
  QStringList names;
  for (const auto& file : efficiency::paraver_files(QFile::encodeName(path).toStdString()))
    if (const QFileInfo info(QFile::decodeName(file.c_str())); info.exists()) names << info.fileName();
  return names;
}

void export_trace(SessionController& session, const QString& path,
                  std::function<void(const Expected<QString>&)> ended) {
  const auto suffix = QFileInfo(path).suffix().toLower();
  const auto file = QFile::encodeName(path).toStdString();
  using namespace engine::answers;
  if (suffix == "prv")
    return ask<ExportParaverAnswer>(session, engine::ExportParaverOptions{.path = file, .overwrite = true},
                                    path, std::move(ended));
  if (suffix == "json")
    return ask<ExportChromeAnswer>(session, engine::ExportChromeOptions{.path = file}, path,
                                   std::move(ended));
  if (suffix == "csv")
    return ask<ExportCsvAnswer>(session, engine::ExportCsvOptions{.path = file}, path, std::move(ended));
  ended(failure(ErrorKind::BadUse, "the extension is none of .prv, .json and .csv", file, {},
                "Use .prv for Paraver, .json for Perfetto, .csv for a table of launches."));
}

} // namespace jitterscope::app
