#include "app/engine_ending.h"

#include <algorithm>
#include <csignal>

namespace jitterscope::app {
namespace {

constexpr int kQuitMilliseconds = 2'000, kTermMilliseconds = 1'500, kKillMilliseconds = 1'000;

} // namespace

EngineEnding::EngineEnding(EngineProcess engine, bool asked_to_quit, QObject* parent)
    : QObject(parent), engine_(std::move(engine)) {
  if (!engine_.process || engine_.process->state() == QProcess::NotRunning) {
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
  if (gone_) return;
  wait();
  emit ended();
}

void EngineEnding::wait() {
  if (!engine_.process) return;
  auto& process = *engine_.process;
  process.disconnect(this);
  const auto runs = [&] { return process.state() != QProcess::NotRunning; };
  if (!terminated_ && runs()) {
    process.waitForFinished(std::max(patience_.remainingTime(), 0));
    if (runs()) process.terminate();
  }
  if (runs() && !process.waitForFinished(kTermMilliseconds)) kill_group();
  if (runs()) process.waitForFinished(kKillMilliseconds);
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
