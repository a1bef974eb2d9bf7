#pragma once

#include <QObject>
#include <QString>
#include <QStringList>
#include <functional>
#include <utility>
#include <vector>

#include "app/engine/engine_link.h"
#include "app/engine/store_cache.h"

namespace jitterscope::app {

/// A run with which the session is compared: a file in an engine of its own, so that the session stays as it
/// is. Profiler files are imported first. The calling thread never waits for the file.
class ReferenceRun : public QObject {
  Q_OBJECT

public:
  using Handler = std::function<void(Expected<engine::Answer>)>;

  explicit ReferenceRun(QObject* parent = nullptr);

  const QString& file() const { return file_; }
  bool busy() const { return engine_.busy() || !waiting_.empty(); }
  /// Sets the file; empty: none. `mapping`: that of the session. Ends the engine of the file before, whose
  /// requests fail as cancelled.
  void set_file(const QString& file, const QStringList& mapping = {});
  /// Asks about the file, which is opened first. The handler is called once, from the event loop, unless this
  /// object is deleted.
  void request(engine::Request request, Handler handler);

private:
  void open();
  void open_planned(int number, const Expected<OpenPlan>& plan);
  /// Asks what waits for the file, or ends it with the error. `number`: opening_ when the file was set.
  void opened(int number, const Expected<void>& result);

  EngineLink engine_;
  QString file_;
  QStringList mapping_;
  bool open_ = false;
  int opening_ = 0;                                          ///< counts files that were set
  std::vector<std::pair<engine::Request, Handler>> waiting_; ///< until the file is open
};

} // namespace jitterscope::app
