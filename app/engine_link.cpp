#include "app/engine_link.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QLocalSocket>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QTimer>

#include <csignal>
#include <sys/prctl.h>
#include <unistd.h>

#include "core/engine/placement.h"

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

QStringList mpirun_arguments(int ranks, const QString& engine, const QString& socket) {
  return {"-n",
          QString::number(ranks),
          "--oversubscribe",
          "--bind-to",
          "none",
          "--mca",
          "plm",
          "isolated",
          "--mca",
          "btl",
          "self,vader",
          "--mca",
          "pml",
          "ob1",
          engine,
          "--socket=" + socket};
}

} // namespace

EngineLink::EngineLink(QObject* parent) : QObject(parent) {}

EngineLink::~EngineLink() {
  handlers_.clear();
  stop();
}

void EngineLink::start(const EngineSetup& setup) {
  stop();
  setup_ = setup;
  if (setup_.engine.isEmpty()) setup_.engine = find_engine();
  if (setup_.mpirun.isEmpty()) setup_.mpirun = QStandardPaths::findExecutable("mpirun");
  remark_.clear();
  if (setup_.ranks > 1 && setup_.mpirun.isEmpty()) {
    remark_ = "mpirun was not found: the engine runs on one rank";
    setup_.ranks = 1;
  }
  launch();
}

void EngineLink::launch() {
  state_ = State::Starting;
  stopping_ = start_expired_ = false;
  socket_ = nullptr;
  errors_.clear();
  reader_ = {};
  // Made with mode 0700. The path of a socket has room for about 100 characters.
  const QString base = QDir::tempPath().size() < 70 ? QDir::tempPath() : QString("/tmp");
  folder_ = std::make_unique<QTemporaryDir>(base + "/jitterscope-XXXXXX");
  server_ = std::make_unique<QLocalServer>();
  server_->setSocketOptions(QLocalServer::UserAccessOption);
  const QString path = folder_->filePath("engine.sock");
  if (!folder_->isValid() || !server_->listen(path)) {
    QTimer::singleShot(0, this, [this, base] { lose("No socket can be made in " + base + "."); });
    return;
  }
  connect(server_.get(), &QLocalServer::newConnection, this, &EngineLink::connected);
  process_ = std::make_unique<QProcess>();
  process_->setProcessEnvironment(engine_environment(setup_.ranks));
  process_->setChildProcessModifier([] {
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  });
  process_->setStandardInputFile(QProcess::nullDevice());
  process_->setStandardOutputFile(QProcess::nullDevice());
  connect(process_.get(), &QProcess::readyReadStandardError, this,
          [this] { errors_ = (errors_ + process_->readAllStandardError()).right(20000); });
  connect(process_.get(), &QProcess::finished, this, &EngineLink::finished);
  connect(process_.get(), &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
    if (error == QProcess::FailedToStart) finished();
  });
  if (setup_.ranks > 1)
    process_->start(setup_.mpirun, mpirun_arguments(setup_.ranks, setup_.engine, path));
  else
    process_->start(setup_.engine, {"--socket=" + path, "--no-mpi"});
  group_ = process_->processId();
  QTimer::singleShot(setup_.start_limit_ms, process_.get(), [this] {
    if (state_ == State::Starting && !stopping_) start_took_too_long();
  });
}

// mpirun may wait for good for a rank that died while it started. The end of the process leads to one rank
// (finished).
void EngineLink::start_took_too_long() {
  start_expired_ = true;
  kill_group();
  if (setup_.ranks == 1)
    lose(QString("The engine did not start within %1 s.").arg(setup_.start_limit_ms / 1000.0));
}

void EngineLink::kill_group() {
  if (group_ > 0) ::kill(static_cast<pid_t>(-group_), SIGKILL);
}

void EngineLink::stop() {
  if (state_ == State::Stopped && !process_) return;
  stopping_ = true;
  if (socket_) {
    send({engine::FrameType::Quit, 0, {}});
    socket_->flush();
    socket_->waitForBytesWritten(200);
  }
  if (process_ && process_->state() != QProcess::NotRunning) {
    if (!socket_ || !process_->waitForFinished(2000)) {
      process_->terminate();
      if (!process_->waitForFinished(1500)) kill_group();
      process_->waitForFinished(1000);
    }
  }
  if (socket_) socket_->disconnect(this);
  if (process_) process_->disconnect(this);
  socket_ = nullptr;
  process_.reset();
  if (server_) server_.release()->deleteLater(); // it owns the socket, whose signal may have led here
  folder_.reset();
  state_ = State::Stopped;
  waiting_.clear();
  fail_all({ErrorKind::Cancelled, "the engine was stopped", {}, {}, {}});
}

qint64 EngineLink::processId() const {
  return process_ ? process_->processId() : 0;
}

quint64 EngineLink::request(const std::string& operation, nlohmann::json options, Handler handler) {
  const quint64 number = next_++;
  if (state_ == State::Stopped) {
    QTimer::singleShot(0, this, [handler = std::move(handler)] {
      handler(failure(ErrorKind::Engine, "the engine is not running", {}, {}, "Start it again."));
    });
    return number;
  }
  handlers_.emplace(number, std::move(handler));
  engine::Frame frame{engine::FrameType::Request, number,
                      engine::encode(engine::Request{operation, std::move(options)})};
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
  socket_ = server_->nextPendingConnection();
  server_->close(); // one engine, one connection
  connect(socket_, &QLocalSocket::readyRead, this, &EngineLink::readSocket);
  connect(socket_, &QLocalSocket::disconnected, this, [this] {
    if (stopping_ || state_ == State::Stopped) return;
    if (state_ == State::Starting && setup_.ranks > 1)
      return kill_group(); // rank 0 is gone, and mpirun may not notice
    // mpirun says a moment later which rank ended and why.
    QTimer::singleShot(1500, this, [this, process = process_.get()] {
      if (process_.get() == process && state_ != State::Stopped) lose(ending());
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
    if (!hello || hello->protocol != engine::kProtocol) return lose("the engine is of another version");
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
  if (stopping_ || state_ == State::Stopped) return;
  if (state_ == State::Starting && setup_.ranks > 1) { // MPI could not start: one rank without it
    errors_ += process_->readAllStandardError();
    remark_ = start_expired_ ? QString("%1 ranks did not start within %2 s")
                                   .arg(setup_.ranks)
                                   .arg(setup_.start_limit_ms / 1000.0)
                             : QString("mpirun could not start %1 ranks").arg(setup_.ranks);
    remark_ += ": the engine runs on one rank without MPI";
    if (socket_) socket_->disconnect(this);
    kill_group(); // what mpirun left
    setup_.ranks = 1;
    QTimer::singleShot(0, this, [this] {
      if (state_ == State::Starting && !stopping_) launch();
    });
    return;
  }
  lose(ending());
}

QString EngineLink::ending() const {
  const QString text =
      QString::fromLocal8Bit(errors_ + (process_ ? process_->readAllStandardError() : QByteArray()));
  static const QRegularExpression signalled("process rank (\\d+).*exited on\\s+signal (\\d+)",
                                            QRegularExpression::DotMatchesEverythingOption);
  const auto match = signalled.match(text);
  if (match.hasMatch()) {
    QString message =
        QString("Rank %1 of the engine was ended by signal %2").arg(match.captured(1), match.captured(2));
    if (match.captured(2) == "9") message += " (killed: often because memory ran out)";
    return message + ".";
  }
  if (process_ && process_->state() == QProcess::NotRunning) {
    if (process_->error() == QProcess::FailedToStart)
      return "The engine could not be started: " + setup_.engine;
    if (process_->exitStatus() == QProcess::CrashExit)
      return "The engine ended unexpectedly (it crashed or was killed).";
    return QString("The engine ended unexpectedly with code %1. %2")
        .arg(process_->exitCode())
        .arg(text.right(300).trimmed());
  }
  return "The connection to the engine was lost.";
}

void EngineLink::lose(const QString& message) {
  if (state_ == State::Stopped) return;
  state_ = State::Stopped;
  if (socket_) socket_->disconnect(this);
  if (process_) {
    process_->disconnect(this);
    process_->terminate();
    QProcess* dying = process_.release(); // reaped when it is gone, without waiting here
    dying->setParent(this);
    connect(dying, &QProcess::finished, dying, &QObject::deleteLater);
    if (dying->state() == QProcess::NotRunning)
      dying->deleteLater();
    else
      QTimer::singleShot(2000, dying, [dying] { dying->kill(); });
  }
  socket_ = nullptr;
  if (server_) server_.release()->deleteLater();
  folder_.reset();
  waiting_.clear();
  fail_all({ErrorKind::Engine, message.toStdString(), {}, {}, "Start the engine again."});
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
