#pragma once

#include <QObject>
#include <QString>
#include <QStringList>
#include <functional>

#include "app/engine/engine_link.h"

namespace jitterscope::app {

/// A run with which the session is compared: a file in an engine of its own, so that the session stays as it
/// is. Profiler files are imported first.
class ReferenceRun : public QObject {
  Q_OBJECT

public:
  using Handler = std::function<void(Expected<engine::Answer>)>;

  explicit ReferenceRun(QObject* parent = nullptr);

  const QString& file() const { return file_; }
  bool busy() const { return engine_.busy(); }
  /// Sets the file; empty: none. `mapping`: that of the session. Ends the engine of the file before, whose
  /// requests fail as cancelled.
  void set_file(const QString& file, const QStringList& mapping = {});
  /// Asks about the file, which is opened first. The handler is called once, from the event loop, unless this
  /// object is deleted.
  void request(engine::Request request, Handler handler);

private:
  using Next = std::function<void(Expected<void>)>;
  void open(Next next);

  EngineLink engine_;
  QString file_;
  QStringList mapping_;
  bool open_ = false;
};

} // namespace jitterscope::app
