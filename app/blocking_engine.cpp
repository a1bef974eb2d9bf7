#include "app/blocking_engine.h"

#include <QEventLoop>
#include <optional>

#include "app/engine_link.h"
#include "core/engine/operations.h"

namespace jitterscope::app {

struct BlockingEngine::Local {
  std::unique_ptr<Communicator> communicator = local_communicator();
  engine::Workspace workspace;
};

struct BlockingEngine::Remote {
  EngineLink link;
  QString lost;
};

BlockingEngine::BlockingEngine(int ranks) {
  if (ranks <= 1) {
    local_ = std::make_unique<Local>();
    return;
  }
  remote_ = std::make_unique<Remote>();
  EngineSetup setup;
  setup.ranks = ranks;
  remote_->link.start(setup);
}

BlockingEngine::~BlockingEngine() = default;

Expected<engine::Answer> BlockingEngine::run(const std::string& operation, const nlohmann::json& options,
                                             const Job& job) {
  if (local_) {
    const auto* found = engine::find_operation(operation);
    if (!found) return failure(ErrorKind::Internal, "no operation '" + operation + "'");
    return engine::run_operation(*found, {local_->workspace, *local_->communicator, job}, options);
  }
  QEventLoop loop;
  std::optional<Expected<engine::Answer>> answer;
  const auto connection = QObject::connect(
      &remote_->link, &EngineLink::progress, &loop,
      [&](quint64, qint64 done, qint64 total, const QString& what) { job.progress(done, total, what.toStdString()); });
  remote_->link.request(operation, options, [&](Expected<engine::Answer> got) {
    answer.emplace(std::move(got));
    loop.quit();
  });
  if (!answer) loop.exec();
  QObject::disconnect(connection);
  return std::move(*answer);
}

}  // namespace jitterscope::app
