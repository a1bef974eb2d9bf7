#pragma once

#include <QObject>
#include <QProcess>
#include <QString>
#include <memory>

#include "app/engine/private_folder.h"
#include "app/session/session_file.h"

namespace jitterscope::app {

/// Writes a session as an HTML page by `jitterscope report`, a process of its own: the window and its engine
/// stay free. One page at a time.
class ReportWriter : public QObject {
  Q_OBJECT

public:
  enum class Page { Report, Assessment };

  /// `program`: the command line program.
  explicit ReportWriter(QString program, QObject* parent = nullptr);
  ~ReportWriter() override; ///< ends the process, at most a second later

  bool running() const { return process_ != nullptr; }
  /// Starts a page of the session's selection. Errors: BadUse while a page is being written; Io if the
  /// session cannot be handed over.
  Expected<void> write(const SessionFile& session, const QString& output, Page page);
  /// Ends the process without waiting for it; an existing output file stays as it was.
  void cancel();

signals:
  void started();
  void written(const QString& output);
  void failed(const QString& message); ///< what the program reported

private:
  void end(bool succeeded, const QString& message);

  QString program_, output_;
  std::unique_ptr<PrivateFolder> folder_; ///< holds the session file of the process
  std::unique_ptr<QProcess> process_;
};

} // namespace jitterscope::app
