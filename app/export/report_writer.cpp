#include "app/export/report_writer.h"

#include <QDir>
#include <QFileInfo>
#include <utility>

namespace jitterscope::app {
namespace {

constexpr int kEndMs = 1000; ///< the program removes its files within this time after SIGTERM

} // namespace

ReportWriter::ReportWriter(QString program, QObject* parent)
    : QObject(parent), program_(std::move(program)) {}

ReportWriter::~ReportWriter() {
  if (!process_) return;
  process_->disconnect(this);
  process_->terminate();
  process_->waitForFinished(kEndMs);
}

Expected<void> ReportWriter::write(const SessionFile& session, const QString& output, Page page) {
  if (running())
    return failure(ErrorKind::BadUse, "a report is already being written: wait for it or cancel it");
  folder_ = PrivateFolder::make(QDir::tempPath());
  if (!folder_)
    return failure(ErrorKind::Io, QDir::tempPath().toStdString() +
                                      ": cannot create a folder; set TMPDIR to a writable folder");
  // The page has the name of the session file as its title.
  const QString handed =
      folder_->file(QFileInfo(QDir::cleanPath(session.files.value(0))).fileName() + "." + kSessionSuffix);
  if (auto done = write_session(session, handed); !done) return folder_.reset(), done;
  output_ = output;
  process_ = std::make_unique<QProcess>();
  process_->setStandardInputFile(QProcess::nullDevice());
  process_->setStandardOutputFile(QProcess::nullDevice());
  connect(process_.get(), &QProcess::finished, this, [this](int code, QProcess::ExitStatus status) {
    const bool succeeded = status == QProcess::NormalExit && code == 0;
    end(succeeded, QString::fromUtf8(process_->readAllStandardError()).trimmed());
  });
  connect(process_.get(), &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
    if (error == QProcess::FailedToStart) end(false, program_ + ": " + process_->errorString());
  });
  QStringList arguments{"report", handed, "-o", output};
  if (page == Page::Assessment) arguments << "--assessment";
  emit started();
  process_->start(program_, arguments);
  return {};
}

void ReportWriter::cancel() {
  if (!process_) return;
  auto* process = process_.release(); // it ends later: the window does not wait for it
  process->disconnect(this);
  connect(process, &QProcess::finished, process,
          [process, folder = std::shared_ptr<PrivateFolder>(std::move(folder_))] { process->deleteLater(); });
  process->terminate();
}

void ReportWriter::end(bool succeeded, const QString& message) {
  process_.release()->deleteLater(); // deleted later, because its own signal calls this function
  folder_.reset();
  if (succeeded) return emit written(output_);
  emit failed(message.isEmpty() ? tr("jitterscope report ended without a message") : message);
}

} // namespace jitterscope::app
