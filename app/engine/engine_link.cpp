#include "app/engine/engine_link.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QLocalSocket>
#include <QPointer>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QThreadPool>
#include <QTimer>

#include <csignal>
#include <mutex>
#include <sys/prctl.h>
#include <unistd.h>

#include "core/engine/ranks/placement.h"

namespace jitterscope::app {
namespace {

QString find_engine() {
  const QDir here(QCoreApplication::applicationDirPath());
  for (const char* place : {"jitterscope-engine", "../libexec/jitterscope/jitterscope-engine"})
    if (QFileInfo(here.filePath(place)).isExecutable()) return here.filePath(place);
  return QStandardPaths::findExecutable("jitterscope-engine");
}

QProcessEnvironment engine_environment(int ranks) {
  auto environment = QProcessEnvironment::systemEnvironment();
  if (::geteuid() == 0) {
    environment.insert("OMPI_ALLOW_RUN_AS_ROOT", "1");
    environment.insert("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
  }
  const auto threads = engine::place(ranks, engine::this_machine()).threads;
  environment.insert("OMP_NUM_THREADS", QString::number(threads));
  return environment;
}

const QString kSharedMemory = "/dev/shm"; // shared memory of Open MPI's ranks

// Removes folders left by killed programs, once per process, outside the event loop.
void remove_abandoned_folders(const QString& base) {
  static std::once_flag once;
  std::call_once(once, [&] {
    QThreadPool::globalInstance()->start([base] {
      PrivateFolder::remove_abandoned(base);
      PrivateFolder::remove_abandoned(kSharedMemory);
    });
  });
}

// Arguments of mpirun that put all files of Open MPI into folders that are removed after the engine has
// ended, or by a later start if this program is killed.
QStringList places_of_mpi(const EngineProcess& engine) {
  QStringList places{"--mca", "orte_tmpdir_base", engine.folder->path()};
  if (engine.shared)
    places << "--mca"
           << "btl_vader_backing_directory" << engine.shared->path();
  return places;
}

QStringList mpirun_arguments(int ranks, const QString& engine, const QString& socket,
                             const QStringList& places) {
  return places + QStringList{"-n", QString::number(ranks), "--oversubscribe", "--bind-to", "none", "--mca",
                              "plm", "isolated", "--mca", "btl", "self,vader", "--mca", "pml", "ob1",
                              // A rank that gets SIGTERM ends at once; mpirun would wait 1 s for others.
                              "--mca", "odls_base_sigkill_timeout", "0", engine, "--socket=" + socket};
}

} // namespace

EngineLink::EngineLink(QObject* parent) : QObject(parent) {}

EngineLink::~EngineLink() {
  handlers_.clear();
  stop();
  for (auto* ending : findChildren<EngineEnding*>()) ending->setParent(nullptr); // continues without the link
}

void EngineLink::start(const EngineSetup& setup) {
  stop();
  setup_ = setup;
  if (setup_.engine.isEmpty()) setup_.engine = find_engine();
  if (setup_.mpirun.isEmpty()) setup_.mpirun = QStandardPaths::findExecutable("mpirun");
  remark_.clear();
  if (setup_.ranks > 1 && setup_.mpirun.isEmpty()) {
    remark_ = tr("mpirun was not found: the engine runs on one rank. To use several ranks, install Open MPI");
    setup_.ranks = 1;
  }
  launch();
}

void EngineLink::launch() {
  state_ = State::Starting;
  start_expired_ = false;
  socket_ = nullptr;
  errors_.clear();
  reader_ = {};
  // A socket path is limited to about 100 characters; those of Open MPI are three folders deeper.
  const QString base = QDir::tempPath().size() < 45 ? QDir::tempPath() : QString("/tmp");
  remove_abandoned_folders(base);
  engine_.folder = PrivateFolder::make(base);
  engine_.shared = setup_.ranks > 1 ? PrivateFolder::make(kSharedMemory) : nullptr;
  engine_.server = std::make_unique<QLocalServer>();
  engine_.server->setSocketOptions(QLocalServer::UserAccessOption);
  const QString path = engine_.folder ? engine_.folder->file("engine.sock") : QString();
  if (!engine_.folder || !engine_.server->listen(path)) {
    QTimer::singleShot(0, this, [this, base] {
      lose(
          tr("No socket can be created in %1. Set TMPDIR to a writable folder with a short path.").arg(base));
    });
    return;
  }
  connect(engine_.server.get(), &QLocalServer::newConnection, this, &EngineLink::connected);
  engine_.process = std::make_unique<QProcess>();
  engine_.process->setProcessEnvironment(engine_environment(setup_.ranks));
  engine_.process->setChildProcessModifier([] {
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  });
  engine_.process->setStandardInputFile(QProcess::nullDevice());
  engine_.process->setStandardOutputFile(QProcess::nullDevice());
  connect(engine_.process.get(), &QProcess::readyReadStandardError, this,
          [this] { errors_ = (errors_ + engine_.process->readAllStandardError()).right(20000); });
  connect(engine_.process.get(), &QProcess::finished, this, &EngineLink::finished);
  connect(engine_.process.get(), &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
    if (error == QProcess::FailedToStart) finished();
  });
  if (setup_.ranks > 1)
    engine_.process->start(setup_.mpirun,
                           mpirun_arguments(setup_.ranks, setup_.engine, path, places_of_mpi(engine_)));
  else
    engine_.process->start(setup_.engine, {"--socket=" + path, "--no-mpi"});
  engine_.group = engine_.process->processId();
  // The process outlives this object while it ends.
  QTimer::singleShot(setup_.start_limit_ms, this, [this, process = QPointer(engine_.process.get())] {
    if (process && engine_.process.get() == process && state_ == State::Starting) start_timed_out();
  });
}

// mpirun may wait forever for a rank that died during the start. After the process has ended, finished()
// continues with one rank.
void EngineLink::start_timed_out() {
  start_expired_ = true;
  kill_group();
  if (setup_.ranks == 1)
    lose(tr("The engine did not start within %1 s.").arg(setup_.start_limit_ms / 1000.0));
}

void EngineLink::kill_group() {
  if (engine_.group > 0) ::kill(static_cast<pid_t>(-engine_.group), SIGKILL);
}

void EngineLink::stop(std::function<void()> ended) {
  if (state_ == State::Stopped) {
    if (ended) QTimer::singleShot(0, this, std::move(ended));
    return;
  }
  if (socket_) {
    send({engine::FrameType::Quit, 0, {}});
    socket_->flush();
  }
  auto* ending = end(socket_ != nullptr);
  if (ended) connect(ending, &EngineEnding::ended, ending, std::move(ended));
  fail_all({ErrorKind::Cancelled, "the engine was stopped", {}, {}, {}});
}

// Hands the engine over to an EngineEnding, so that the link can start another engine immediately.
EngineEnding* EngineLink::end(bool asked_to_quit) {
  state_ = State::Stopped;
  if (socket_) socket_->disconnect(this);
  if (engine_.server) engine_.server->disconnect(this);
  if (engine_.process) engine_.process->disconnect(this);
  socket_ = nullptr;
  waiting_.clear();
  return new EngineEnding(std::exchange(engine_, {}), asked_to_quit, this);
}

qint64 EngineLink::processId() const {
  return engine_.process ? engine_.process->processId() : 0;
}

quint64 EngineLink::request(const engine::Request& request, Handler handler) {
  const quint64 number = next_++;
  if (state_ == State::Stopped) {
    QTimer::singleShot(0, this, [handler = std::move(handler)] {
      handler(
          failure(ErrorKind::Engine, "the engine is not running", {}, {},
                  "In the window, use Engine ▸ Restart Engine; on the command line, run the command again."));
    });
    return number;
  }
  handlers_.emplace(number, std::move(handler));
  engine::Frame frame{engine::FrameType::Request, number, engine::encode(request)};
  if (state_ == State::Ready)
    send(frame);
  else
    waiting_.push_back(std::move(frame));
  return number;
}

void EngineLink::cancel(quint64 number) {
  const auto found = std::find_if(waiting_.begin(), waiting_.end(),
                                  [&](const engine::Frame& frame) { return frame.request == number; });
  if (found != waiting_.end()) {
    waiting_.erase(found);
    if (auto handler = handlers_.extract(number))
      QTimer::singleShot(0, this, [h = std::move(handler.mapped())] { h(Job::cancelled_error()); });
    return;
  }
  if (state_ == State::Ready && handlers_.count(number)) send({engine::FrameType::Cancel, number, {}});
}

void EngineLink::connected() {
  socket_ = engine_.server->nextPendingConnection();
  engine_.server->close(); // an engine has only one connection
  connect(socket_, &QLocalSocket::readyRead, this, &EngineLink::readSocket);
  connect(socket_, &QLocalSocket::disconnected, this, [this] {
    if (state_ == State::Stopped) return;
    if (state_ == State::Starting && setup_.ranks > 1)
      return kill_group(); // rank 0 is gone, which mpirun may not notice
    // mpirun reports a moment later which rank ended and why.
    QTimer::singleShot(1500, this, [this, process = engine_.process.get()] {
      if (engine_.process.get() == process && state_ != State::Stopped) lose(how_it_ended());
    });
  });
  readSocket();
}

void EngineLink::readSocket() {
  while (socket_ && socket_->bytesAvailable() > 0) {
    const QByteArray bytes = socket_->readAll();
    reader_.append(
        {reinterpret_cast<const std::uint8_t*>(bytes.constData()), static_cast<std::size_t>(bytes.size())});
    for (;;) {
      auto frame = reader_.next();
      if (!frame) return lose(QString::fromStdString(frame.error().message));
      if (!*frame) break;
      handle(std::move(**frame));
      if (!socket_) return; // a handler stopped the engine
    }
  }
}

void EngineLink::handle(engine::Frame frame) {
  switch (frame.type) {
  case engine::FrameType::Hello: {
    const auto hello = engine::decode_hello(frame.payload);
    if (!hello || hello->protocol != engine::kProtocol)
      return lose(tr("The engine does not match this program. Install both from the same package."));
    ranks_ = static_cast<int>(hello->ranks);
    state_ = State::Ready;
    for (const auto& waiting : std::exchange(waiting_, {})) send(waiting);
    emit ready(ranks_);
    return;
  }
  case engine::FrameType::Progress:
    if (const auto p = engine::decode_progress(frame.payload))
      emit progress(frame.request, p->done, p->total, QString::fromStdString(p->what));
    return;
  case engine::FrameType::Partial:
    if (handlers_.count(frame.request))
      if (const auto so_far = engine::decode_answer(frame.payload)) emit partial(frame.request, *so_far);
    return;
  case engine::FrameType::Answer:
  case engine::FrameType::Failure: {
    auto handler = handlers_.extract(frame.request);
    if (!handler) return;
    if (frame.type == engine::FrameType::Answer)
      return handler.mapped()(engine::decode_answer(frame.payload));
    auto error = engine::decode_failure(frame.payload);
    return handler.mapped()(forward(error ? *error : error.error()));
  }
  default:
    return;
  }
}

void EngineLink::finished() {
  if (state_ == State::Stopped) return;
  if (state_ == State::Starting && setup_.ranks > 1) { // MPI could not start: one rank without it
    errors_ += engine_.process->readAllStandardError();
    remark_ = start_expired_
                  ? tr("%1 ranks did not start within %2 s: the engine runs on one rank without MPI")
                        .arg(setup_.ranks)
                        .arg(setup_.start_limit_ms / 1000.0)
                  : tr("mpirun could not start %1 ranks: the engine runs on one rank without MPI")
                        .arg(setup_.ranks);
    if (socket_) socket_->disconnect(this);
    kill_group(); // remaining processes of mpirun
    setup_.ranks = 1;
    QTimer::singleShot(0, this, [this, process = engine_.process.get()] {
      if (engine_.process.get() == process && state_ == State::Starting) launch();
    });
    return;
  }
  lose(how_it_ended());
}

QString EngineLink::how_it_ended() const {
  const QByteArray rest = engine_.process ? engine_.process->readAllStandardError() : QByteArray();
  const QString text = QString::fromLocal8Bit(errors_ + rest);
  static const QRegularExpression signalled("process rank (\\d+).*exited on\\s+signal (\\d+)",
                                            QRegularExpression::DotMatchesEverythingOption);
  const auto match = signalled.match(text);
  if (match.hasMatch()) {
    const bool killed = match.captured(2) == "9";
    return (killed
                ? tr("Rank %1 of the engine was ended by signal %2 (killed, often because memory ran out).")
                : tr("Rank %1 of the engine was ended by signal %2."))
        .arg(match.captured(1), match.captured(2));
  }
  if (engine_.process && engine_.process->state() == QProcess::NotRunning) {
    if (engine_.process->error() == QProcess::FailedToStart)
      return tr("The engine could not be started: %1").arg(setup_.engine);
    if (engine_.process->exitStatus() == QProcess::CrashExit)
      return tr("The engine ended unexpectedly (it crashed or was killed).");
    return tr("The engine ended unexpectedly with code %1. %2")
        .arg(engine_.process->exitCode())
        .arg(text.right(300).trimmed());
  }
  return tr("The connection to the engine was lost.");
}

void EngineLink::lose(const QString& message) {
  if (state_ == State::Stopped) return;
  end(false);
  fail_all({ErrorKind::Engine,
            message.toStdString(),
            {},
            {},
            "In the window, use Engine ▸ Restart Engine; on the command line, run the command again."});
  emit lost(message);
}

void EngineLink::fail_all(const Error& error) {
  for (auto& [number, handler] : std::exchange(handlers_, {})) handler(forward(error));
}

void EngineLink::send(const engine::Frame& frame) {
  if (!socket_) return;
  const auto bytes = engine::encode(frame);
  socket_->write(reinterpret_cast<const char*>(bytes.data()), static_cast<qint64>(bytes.size()));
}

} // namespace jitterscope::app
