#include "app/session/reference_run.h"

#include <QCoreApplication>
#include <QFile>
#include <QFileInfo>
#include <QPointer>
#include <QThreadPool>

#include "core/base/job.h"
#include "core/efficiency/talp/talp_file.h"
#include "core/engine/messages/session_options.h"

namespace jitterscope::app {
namespace {

std::string encoded(const QString& path) {
  return QFile::encodeName(path).toStdString();
}

} // namespace

ReferenceSums reference_sums(const engine::Answer& answer, const QString& name) {
  return {answer.document.at("sums"),
          {{"name", name.toStdString()},
           {"range_ns", answer.document.at("range_ns")},
           {"range_given", answer.document.at("range_given")}}};
}

ReferenceRun::ReferenceRun(QObject* parent) : QObject(parent) {
  connect(&engine_, &EngineLink::lost, this, [this] { open_ = false; });
}

void ReferenceRun::set_file(const QString& file, const QStringList& mapping) {
  open_ = false;
  talp_.reset();
  file_ = file, mapping_ = mapping;
  ++opening_;
  engine_.stop(); // runs handlers, which read the above
  opened(opening_, Job::cancelled_error());
}

Expected<ReferenceRun::Examined> ReferenceRun::examine(const QString& file, const QStringList& mapping) {
  Examined examined;
  if (efficiency::is_talp_file(encoded(file))) {
    auto read = efficiency::read_talp_file(encoded(file));
    if (!read) return forward(read.error());
    examined.talp = std::make_shared<const efficiency::TalpFile>(std::move(*read));
    return examined;
  }
  auto plan = plan_open({file}, mapping);
  if (!plan) return forward(plan.error());
  examined.plan = std::move(*plan);
  return examined;
}

// The file is examined in a background thread: it may be on a slow file system.
void ReferenceRun::open() {
  QThreadPool::globalInstance()->start(
      [guard = QPointer(this), number = opening_, file = file_, mapping = mapping_] {
        QMetaObject::invokeMethod(qApp, [guard, number, examined = examine(file, mapping)] {
          if (guard && number == guard->opening_) guard->open_examined(number, examined);
        });
      });
}

void ReferenceRun::open_examined(int number, const Expected<Examined>& examined) {
  if (!examined) return opened(number, forward(examined.error()));
  talp_ = examined->talp;
  if (talp_) return opened(number, {});
  if (engine_.state() == EngineLink::State::Stopped) engine_.start({});
  const auto& plan = examined->plan;
  const auto open_store = [this, number, store = encoded(plan.stores.front())] {
    engine_.request(engine::OpenOptions{.stores = {store}},
                    [this, number](const Expected<engine::Answer>& answer) {
                      opened(number, answer ? Expected<void>() : Expected<void>(forward(answer.error())));
                    });
  };
  if (plan.to_import.isEmpty()) return open_store();
  engine_.request(engine::ImportOptions{.files = {encoded(file_)},
                                        .output = encoded(plan.import_target),
                                        .mapping = mapping_entries(mapping_)},
                  [this, number, open_store](const Expected<engine::Answer>& answer) {
                    if (answer) return open_store();
                    opened(number, forward(answer.error()));
                  });
}

void ReferenceRun::opened(int number, const Expected<void>& result) {
  if (number != opening_) return; // another file was set
  open_ = result.has_value();
  for (const auto& [options, handler] : std::exchange(waiting_, {}))
    if (open_)
      ask(options, handler);
    else
      handler(forward(result.error()));
}

void ReferenceRun::ask(const engine::EfficiencyOptions& options, Handler handler) {
  if (!open_) {
    waiting_.emplace_back(options, std::move(handler));
    if (waiting_.size() == 1) open();
    return;
  }
  const auto name = QFileInfo(file_).fileName();
  if (talp_) {
    const auto region = talp_->region({});
    if (!region) return handler(forward(region.error()));
    return handler(ReferenceSums{efficiency::talp_sums(**region, options.collectives_as),
                                 {{"name", name.toStdString()}, {"region", (**region).name}}});
  }
  engine_.request(options, [name, handler = std::move(handler)](const Expected<engine::Answer>& answer) {
    if (!answer) return handler(forward(answer.error()));
    handler(reference_sums(*answer, name));
  });
}

} // namespace jitterscope::app
