#pragma once

#include <QObject>
#include <QString>
#include <QStringList>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/engine/engine_link.h"
#include "app/engine/store_cache.h"
#include "core/engine/messages/efficiency_options.h"

namespace jitterscope::efficiency {
struct TalpFile;
}

namespace jitterscope::app {

/// Sums of another run, as engine::EfficiencyOptions::reference takes them.
struct ReferenceSums {
  nlohmann::json sums;
  nlohmann::json about; ///< {name, range_ns, range_given}; of a TALP file {name, region}
};

/// From an answer of the operation "efficiency" with sums.
ReferenceSums reference_sums(const engine::Answer& answer, const QString& name);

/// A run with which the session is compared: a file in an engine of its own, so that the session stays as it
/// is. Profiler files are imported first; of a TALP file the numbers are read, and no engine is needed. The
/// calling thread never waits for the file.
class ReferenceRun : public QObject {
  Q_OBJECT

public:
  using Handler = std::function<void(Expected<ReferenceSums>)>;

  explicit ReferenceRun(QObject* parent = nullptr);

  const QString& file() const { return file_; }
  bool busy() const { return engine_.busy() || !waiting_.empty(); }
  /// Sets the file; empty: none. `mapping`: that of the session. Ends the engine of the file before, whose
  /// questions fail as cancelled.
  void set_file(const QString& file, const QStringList& mapping = {});
  /// Asks for the sums of the file, which is opened first. A newer question ends those before, which fail as
  /// cancelled. The handler is called once, perhaps before this returns, unless this object is deleted.
  void ask(const engine::EfficiencyOptions& options, Handler handler);

private:
  /// What a file turned out to be: numbers of TALP, or files to open.
  struct Examined {
    std::shared_ptr<const efficiency::TalpFile> talp;
    OpenPlan plan;
  };
  static Expected<Examined> examine(const QString& file, const QStringList& mapping);
  void open();
  void open_examined(int number, const Expected<Examined>& examined);
  /// Asks what waits for the file, or ends it with the error. `number`: opening_ when the file was set.
  void opened(int number, const Expected<void>& result);

  EngineLink engine_;
  QString file_;
  QStringList mapping_;
  std::shared_ptr<const efficiency::TalpFile> talp_; ///< null: the file is open in the engine
  bool open_ = false;
  int opening_ = 0;                                                    ///< counts files that were set
  std::vector<std::pair<engine::EfficiencyOptions, Handler>> waiting_; ///< until the file is open
};

} // namespace jitterscope::app
