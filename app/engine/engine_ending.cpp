#include "app/engine/engine_ending.h"

#include <QCoreApplication>
#include <QDeadlineTimer>

#include <algorithm>
#include <csignal>

namespace jitterscope::app {
namespace {

constexpr int kQuitMilliseconds = 2'000, kTermMilliseconds = 1'500, kKillMilliseconds = 1'000;

QList<EngineEnding*>& all_endings() {
  static QList<EngineEnding*> all;
  return all;
}

} // namespace

EngineEnding::EngineEnding(EngineProcess engine, bool asked_to_quit, QObject* parent)
    : QObject(parent), engine_(std::move(engine)) {
  static const bool registered = (qAddPostRoutine(&EngineEnding::finish_all), true);
  static_cast<void>(registered);
  all_endings() << this;
  if (!runs()) {
    QTimer::singleShot(0, this, &EngineEnding::process_gone);
    return;
  }
  connect(engine_.process.get(), &QProcess::finished, this, &EngineEnding::process_gone);
  patience_.setSingleShot(true);
  connect(&patience_, &QTimer::timeout, this, &EngineEnding::next_step);
  if (asked_to_quit)
    patience_.start(kQuitMilliseconds);
  else
    next_step();
}

EngineEnding::~EngineEnding() {
  all_endings().removeOne(this);
  if (!gone_) emit ended();
}

void EngineEnding::finish_all() {
  auto all = all_endings();
  const auto wait = [&](int milliseconds) {
    const QDeadlineTimer limit(milliseconds);
    for (auto* ending : all)
      if (ending->runs()) ending->engine_.process->waitForFinished(static_cast<int>(limit.remainingTime()));
  };
  int patience = 0;
  for (auto* ending : all) {
    if (ending->engine_.process) ending->engine_.process->disconnect(ending);
    if (!ending->terminated_) patience = std::max(patience, ending->patience_.remainingTime());
  }
  wait(patience);
  for (auto* ending : all)
    if (ending->runs() && !ending->terminated_) ending->engine_.process->terminate();
  wait(kTermMilliseconds);
  for (auto* ending : all)
    if (ending->runs()) ending->kill_group();
  wait(kKillMilliseconds);
  qDeleteAll(all);
}

bool EngineEnding::runs() const {
  return engine_.process && engine_.process->state() != QProcess::NotRunning;
}

void EngineEnding::next_step() {
  if (terminated_) return kill_group();
  terminated_ = true;
  engine_.process->terminate();
  patience_.start(kTermMilliseconds);
}

void EngineEnding::kill_group() {
  if (engine_.group > 0) ::kill(static_cast<pid_t>(-engine_.group), SIGKILL);
}

void EngineEnding::process_gone() {
  gone_ = true;
  patience_.stop();
  engine_.server.reset();
  engine_.folder.reset();
  engine_.shared.reset();
  emit ended();
  deleteLater();
}

} // namespace jitterscope::app
