#include "app/session/reference_run.h"

#include <QCoreApplication>
#include <QFile>
#include <QPointer>
#include <QThreadPool>
#include <utility>

#include "core/base/job.h"
#include "core/engine/messages/session_options.h"

namespace jitterscope::app {
namespace {

std::string encoded(const QString& path) {
  return QFile::encodeName(path).toStdString();
}

} // namespace

ReferenceRun::ReferenceRun(QObject* parent) : QObject(parent) {
  connect(&engine_, &EngineLink::lost, this, [this] { open_ = false; });
}

void ReferenceRun::set_file(const QString& file, const QStringList& mapping) {
  if (file == file_ && mapping == mapping_) return;
  open_ = false;
  file_ = file, mapping_ = mapping;
  ++opening_;
  engine_.stop(); // runs handlers, which read the above
  opened(opening_, Job::cancelled_error());
}

// The file is examined in a background thread: it may be on a slow file system.
void ReferenceRun::open() {
  QThreadPool::globalInstance()->start(
      [guard = QPointer(this), number = opening_, file = file_, mapping = mapping_] {
        auto plan = plan_open({file}, mapping);
        QMetaObject::invokeMethod(qApp, [guard, number, plan = std::move(plan)] {
          if (guard && number == guard->opening_) guard->open_planned(number, plan);
        });
      });
}

void ReferenceRun::open_planned(int number, const Expected<OpenPlan>& plan) {
  if (!plan) return opened(number, forward(plan.error()));
  if (engine_.state() == EngineLink::State::Stopped) engine_.start({});
  const auto open_store = [this, number, store = encoded(plan->stores.front())] {
    engine_.request(engine::OpenOptions{.stores = {store}},
                    [this, number](const Expected<engine::Answer>& answer) {
                      opened(number, answer ? Expected<void>() : Expected<void>(forward(answer.error())));
                    });
  };
  if (plan->to_import.isEmpty()) return open_store();
  engine_.request(engine::ImportOptions{.files = {encoded(file_)},
                                        .output = encoded(plan->import_target),
                                        .mapping = mapping_entries(mapping_)},
                  [this, number, open_store](const Expected<engine::Answer>& answer) {
                    if (answer) return open_store();
                    opened(number, forward(answer.error()));
                  });
}

void ReferenceRun::opened(int number, const Expected<void>& result) {
  if (number != opening_) return; // another file was set
  open_ = result.has_value();
  for (auto& [request, handler] : std::exchange(waiting_, {}))
    if (open_)
      engine_.request(request, std::move(handler));
    else
      handler(forward(result.error()));
}

void ReferenceRun::request(engine::Request request, Handler handler) {
  if (open_) {
    engine_.request(request, std::move(handler));
    return;
  }
  waiting_.emplace_back(std::move(request), std::move(handler));
  if (waiting_.size() == 1) open();
}

} // namespace jitterscope::app
