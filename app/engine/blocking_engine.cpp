#include "app/engine/blocking_engine.h"

#include <QEventLoop>
#include <QTimer>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

#include "app/engine/engine_link.h"
#include "core/base/parallel.h"
#include "core/engine/operations/operations.h"
#include "core/engine/ranks/placement.h"

namespace jitterscope::app {
namespace {

// Replaces NaN by null, as an engine with several ranks does.
void drop_non_numbers(nlohmann::json& value) {
  if (value.is_structured())
    for (auto& item : value) drop_non_numbers(item);
  else if (value.is_number_float() && !std::isfinite(value.get<double>()))
    value = nullptr;
}

} // namespace

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
    use_threads(engine::place(1, engine::this_machine()).threads);
    return;
  }
  remote_ = std::make_unique<Remote>();
  EngineSetup setup;
  setup.ranks = ranks;
  QObject::connect(&remote_->link, &EngineLink::ready, &remote_->link, [this] {
    const auto remark = remote_->link.remark().toStdString();
    if (!remark.empty()) std::fprintf(stderr, "jitterscope: %s\n", remark.c_str());
  });
  remote_->link.start(setup);
}

BlockingEngine::~BlockingEngine() = default;

int BlockingEngine::ranks() const {
  return remote_ ? std::max(remote_->link.ranks(), 1) : 1;
}

Expected<engine::Answer> BlockingEngine::run(const engine::Request& request, const Job& job,
                                             const Partial& partial) {
  if (local_) {
    auto answer = engine::run_operation({local_->workspace, *local_->communicator, job, partial}, request);
    if (answer) drop_non_numbers(answer->document);
    return answer;
  }
  QEventLoop loop;
  std::optional<Expected<engine::Answer>> answer;
  const auto connection = QObject::connect(&remote_->link, &EngineLink::progress, &loop,
                                           [&](quint64, qint64 done, qint64 total, const QString& what) {
                                             job.progress(done, total, what.toStdString());
                                           });
  const auto early = QObject::connect(&remote_->link, &EngineLink::partial, &loop,
                                      [&](quint64, const engine::Answer& so_far) {
                                        if (partial) partial(so_far);
                                      });
  const quint64 number = remote_->link.request(request, [&](Expected<engine::Answer> got) {
    answer.emplace(std::move(got));
    loop.quit();
  });
  QTimer poll;
  QObject::connect(&poll, &QTimer::timeout, &loop, [&] {
    if (job.cancelled()) remote_->link.cancel(number);
  });
  poll.start(50);
  if (!answer) loop.exec();
  QObject::disconnect(connection);
  QObject::disconnect(early);
  return std::move(*answer);
}

} // namespace jitterscope::app
