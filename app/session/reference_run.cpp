#include "app/session/reference_run.h"

#include <QFile>
#include <QTimer>
#include <utility>

#include "app/engine/store_cache.h"
#include "core/engine/messages/session_options.h"

namespace jitterscope::app {

ReferenceRun::ReferenceRun(QObject* parent) : QObject(parent) {
  connect(&engine_, &EngineLink::lost, this, [this] { open_ = false; });
}

void ReferenceRun::set_file(const QString& file, const QStringList& mapping) {
  if (file == file_ && mapping == mapping_) return;
  open_ = false;
  file_ = file, mapping_ = mapping;
  engine_.stop(); // runs handlers, which read the above
}

void ReferenceRun::open(Next next) {
  auto plan = plan_open({file_}, mapping_);
  if (!plan) {
    QTimer::singleShot(0, this, [next = std::move(next), error = plan.error()] { next(forward(error)); });
    return;
  }
  if (engine_.state() == EngineLink::State::Stopped) engine_.start({});
  const auto encoded = [](const QString& path) { return QFile::encodeName(path).toStdString(); };
  const auto open_store = [this, store = encoded(plan->stores.front()), next] {
    engine_.request(engine::OpenOptions{.stores = {store}},
                    [this, next](const Expected<engine::Answer>& answer) {
                      open_ = answer.has_value();
                      next(answer ? Expected<void>() : Expected<void>(forward(answer.error())));
                    });
  };
  if (plan->to_import.isEmpty()) return open_store();
  engine_.request(engine::ImportOptions{.files = {encoded(file_)},
                                        .output = encoded(plan->import_target),
                                        .mapping = mapping_entries(mapping_)},
                  [open_store, next](const Expected<engine::Answer>& answer) {
                    if (answer) return open_store();
                    next(forward(answer.error()));
                  });
}

void ReferenceRun::request(engine::Request request, Handler handler) {
  if (open_) {
    engine_.request(request, std::move(handler));
    return;
  }
  open([this, request = std::move(request), handler = std::move(handler)](Expected<void> opened) {
    if (!opened) return handler(forward(opened.error()));
    engine_.request(request, handler);
  });
}

} // namespace jitterscope::app
