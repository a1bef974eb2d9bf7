#include "app/reduce/trace_export.h"

#include <QFile>
#include <QFileInfo>
#include <utility>

#include "core/efficiency/paraver/paraver_export.h"
#include "core/engine/messages/export_options.h"
#include "views/base/format.h"
#include "views/base/text.h"

namespace jitterscope::app {
namespace {

using views::Text;

QString summary_of(const nlohmann::json& document, const QString& path) {
  auto text = Text::tr("Exported %1 records to %2.")
                  .arg(views::formatCount(document.at("records").get<std::uint64_t>()), path);
  for (const auto& left_out : document.value("left_out", nlohmann::json::array())) {
    auto note = QString::fromStdString(left_out.get<std::string>());
    if (!note.isEmpty()) note[0] = note[0].toUpper();
    text += QLatin1Char(' ') + (note.endsWith('.') ? note : note + QLatin1Char('.'));
  }
  return text;
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
  engine::Request request;
  if (suffix == "prv") request = engine::ExportParaverOptions{.path = file, .overwrite = true};
  if (suffix == "json") request = engine::ExportChromeOptions{.path = file};
  if (suffix == "csv") request = engine::ExportCsvOptions{.path = file};
  if (request.operation.empty())
    return ended(failure(ErrorKind::BadUse, "the extension is none of .prv, .json and .csv", file, {},
                         "Use .prv for Paraver, .json for Perfetto, .csv for a table of launches."));
  session.request(request, Text::tr("Export Trace"),
                  [path, ended = std::move(ended)](Expected<engine::Answer> answer) {
                    if (answer)
                      ended(summary_of(answer->document, path));
                    else
                      ended(forward(answer.error()));
                  });
}

} // namespace jitterscope::app
