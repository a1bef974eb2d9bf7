#include "core/engine/server/server.h"

#include <algorithm>
#include <chrono>
#include <exception>

#include <unistd.h>

#include "core/engine/messages/metric_options.h"
#include "core/engine/messages/session_options.h"

namespace jitterscope::engine {
namespace {

std::int64_t now_ms() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(steady_clock::now().time_since_epoch()).count();
}

/// A frame for the other ranks.
std::string broadcast_text(const Frame& frame) {
  const auto bytes = encode(frame);
  return {bytes.begin(), bytes.end()};
}

std::string host_name() {
  char name[256] = {};
  ::gethostname(name, sizeof(name) - 1);
  return name;
}

} // namespace

std::string Server::Pending::kind() const {
  return request.operation + "/" + request.channel;
}

Server::Server(Socket socket, Communicator& communicator, MpiCommunicator* mpi)
    : socket_(std::move(socket)), communicator_(communicator), mpi_(mpi) {
  if (mpi_)
    mpi_->set_waiting_hook([this] {
      if (running_ && !quick_) stopped();
    });
}

void Server::run() {
  const Hello hello{kProtocol, static_cast<std::uint32_t>(communicator_.size()), host_name(), ::getpid()};
  (void)socket_.send({FrameType::Hello, 0, encode(hello)});
  while (!quit_) {
    pump(queue_.empty() ? -1 : 0);
    if (queue_.empty() || quit_) continue;
    const auto chosen = next_request();
    Pending next = std::move(*chosen);
    queue_.erase(chosen);
    execute(std::move(next));
  }
  if (mpi_) mpi_->broadcast("quit");
}

// The oldest request, or the oldest of an operation that is not slow if none before it changes what is open.
std::deque<Server::Pending>::iterator Server::next_request() {
  for (auto it = queue_.begin(); it != queue_.end(); ++it) {
    if (it->request.is<OpenOptions>() || it->request.is<ChooseColumnsOptions>()) break;
    if (!it->operation->slow) return it;
  }
  return queue_.begin();
}

// Processes every frame that has arrived; with −1 waits for the first.
void Server::pump(int timeout_ms) {
  for (;;) {
    auto frame = socket_.receive(timeout_ms);
    if (!frame || socket_.closed()) {
      quit_ = true;
      cancel_running_ = true;
    }
    if (!frame || !*frame) return;
    handle(std::move(**frame));
    timeout_ms = 0;
  }
}

void Server::handle(Frame frame) {
  if (frame.type == FrameType::Quit) {
    quit_ = true;
    cancel_running_ = true;
  } else if (frame.type == FrameType::Cancel) {
    if (running_ && running_->number == frame.request) cancel_running_ = true;
    if (quick_ && quick_->number == frame.request) cancel_quick_ = true;
    for (auto it = queue_.begin(); it != queue_.end(); ++it)
      if (it->number == frame.request) {
        reply(frame.request, Job::cancelled_error());
        queue_.erase(it);
        break;
      }
  } else if (frame.type == FrameType::Request) {
    auto request = decode_request(frame.payload);
    if (request)
      enqueue(frame.request, std::move(*request));
    else
      reply(frame.request, forward(request.error()));
  }
}

void Server::enqueue(std::uint64_t number, Request request) {
  Pending pending{number, std::move(request), nullptr};
  pending.operation = find_operation(pending.request.operation);
  if (!pending.operation)
    return reply(number, failure(ErrorKind::BadUse,
                                 "the engine has no operation \"" + pending.request.operation + "\""));
  for (auto it = queue_.begin(); it != queue_.end();) {
    if (it->kind() == pending.kind()) {
      reply(it->number, Job::cancelled_error());
      it = queue_.erase(it);
    } else {
      ++it;
    }
  }
  if (running_ && running_->kind() == pending.kind()) cancel_running_ = true;
  if (quick_ && quick_->kind() == pending.kind()) cancel_quick_ = true;
  queue_.push_back(std::move(pending));
}

// Between the steps of a long operation: answers what rank 0 can answer alone from the open session.
void Server::serve_quick() {
  if (quick_ || cancel_running_ || (running_ && running_->request.is<OpenOptions>())) return;
  for (;;) {
    const auto found = std::find_if(queue_.begin(), queue_.end(), [](const Pending& pending) {
      return pending.operation->reach == Reach::RankZero;
    });
    if (found == queue_.end()) return;
    quick_ = std::move(*found);
    queue_.erase(found);
    cancel_quick_ = false;
    Job job;
    job.cancelled = [this] { return quick_stopped(); };
    const auto answer =
        run_operation(*quick_->operation, {workspace_, communicator_, job, {}}, quick_->request);
    Pending pending = std::move(*quick_);
    quick_.reset();
    const bool interrupted = !answer && answer.error().kind == ErrorKind::Cancelled && !cancel_quick_;
    if (!interrupted) {
      reply(pending.number, answer);
    } else {
      queue_.push_front(std::move(pending));
      return;
    }
  }
}

bool Server::quick_stopped() {
  if (const auto now = now_ms(); now - last_check_ms_ >= 5) {
    last_check_ms_ = now;
    pump(0);
  }
  return cancel_quick_ || cancel_running_;
}

// Polls the socket at most every 5 ms; true if the running operation must end.
bool Server::stopped() {
  const auto now = now_ms();
  if (now - last_check_ms_ >= 5) {
    last_check_ms_ = now;
    pump(0);
    serve_quick();
  }
  if (cancel_running_ && mpi_ && !stop_sent_ && running_ && running_->operation->reach == Reach::AllRanks) {
    mpi_->send_stop(static_cast<std::int64_t>(running_->number));
    stop_sent_ = true;
  }
  return cancel_running_;
}

Job Server::job_for(std::uint64_t number) {
  Job job;
  job.cancelled = [this] { return stopped(); };
  job.progress = [this, number](std::int64_t done, std::int64_t total, const std::string& what) {
    const auto now = now_ms();
    if (now - last_progress_ms_ < 50) return;
    last_progress_ms_ = now;
    (void)socket_.send({FrameType::Progress, number, encode(Progress{done, total, what})});
  };
  return job;
}

void Server::execute(Pending pending) {
  const auto number = pending.number;
  cancel_running_ = quit_;
  stop_sent_ = false;
  running_ = std::move(pending);
  const Job job = job_for(number);
  const auto answer = running_->operation->reach == Reach::AllRanks
                          ? execute_everywhere(*running_, job)
                          : run_operation(*running_->operation, context_for(number, job), running_->request);
  running_.reset();
  reply(number, answer);
}

Expected<Answer> Server::execute_everywhere(const Pending& pending, const Job& job) {
  if (mpi_) mpi_->broadcast(broadcast_text({FrameType::Request, pending.number, encode(pending.request)}));
  auto answer = run_operation(*pending.operation, context_for(pending.number, job), pending.request);
  if (!mpi_) return answer;
  const auto problem = mpi_->close_job(answer ? std::nullopt : std::optional<Error>(answer.error()));
  if (problem) return forward(*problem);
  return answer;
}

Context Server::context_for(std::uint64_t number, const Job& job) {
  return {workspace_, communicator_, job,
          [this, number](const Answer& answer) { send_partial(number, answer); }};
}

void Server::send_partial(std::uint64_t number, const Answer& answer) {
  if (cancel_running_) return;           // the client no longer waits for it
  if (!check_stores(workspace_)) return; // the final answer will be an error
  Frame frame{FrameType::Partial, number, encode(answer)};
  if (frame.payload.size() <= kLongestFrame) (void)socket_.send(frame);
}

void Server::reply(std::uint64_t number, const Expected<Answer>& answer) {
  if (!answer) {
    (void)socket_.send({FrameType::Failure, number, encode(answer.error())});
    return;
  }
  Frame frame{FrameType::Answer, number, {}};
  try {
    frame.payload = encode(*answer);
  } catch (const std::exception&) { // out of memory
    frame.payload.resize(0);
  }
  if (frame.payload.empty() || frame.payload.size() > kLongestFrame) {
    const Error error{ErrorKind::Engine,
                      "the answer exceeds 1 GiB or the available memory",
                      {},
                      {},
                      "Request fewer rows or columns at once."};
    frame = {FrameType::Failure, number, encode(error)};
  }
  (void)socket_.send(frame);
}

void follow(MpiCommunicator& communicator) {
  Workspace workspace;
  for (;;) {
    const auto text = communicator.broadcast({});
    if (text == "quit") return;
    FrameReader reader;
    reader.append({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
    const auto frame = reader.next();
    if (!frame || !*frame) return;
    const auto number = static_cast<std::int64_t>((*frame)->request);
    const auto request = decode_request((*frame)->payload);
    Job job;
    job.cancelled = [&] { return communicator.stop_received(number); };
    const Context context{workspace, communicator, job, {}};
    const auto answer =
        request ? run_operation(context, *request) : Expected<Answer>(forward(request.error()));
    communicator.close_job(answer ? std::nullopt : std::optional<Error>(answer.error()));
  }
}

} // namespace jitterscope::engine
