#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <string>

#include "core/engine/messages/socket.h"
#include "core/engine/operations/operations.h"
#include "core/engine/ranks/mpi_communicator.h"

namespace jitterscope::engine {

/// Rank 0: receives requests from the socket, runs them one after the other, slow operations
/// (Operation::slow) after all others that wait, and answers.
///
/// While a long operation runs, the socket is polled every few milliseconds: fast operations of rank 0 are
/// answered in between, a cancellation ends the running one, and a newer request of the same operation and
/// channel replaces an older one (the older is answered "cancelled"). A cancellation of the long operation
/// also interrupts a fast operation that is being answered; the fast operation is run again afterwards.
class Server {
public:
  /// `mpi` is null for an engine of one rank without MPI.
  Server(Socket socket, Communicator& communicator, MpiCommunicator* mpi);

  /// Runs until the client quits or disconnects.
  void run();

private:
  struct Pending {
    std::uint64_t number = 0;
    Request request;
    const Operation* operation = nullptr;
    std::string kind() const;
  };

  void pump(int timeout_ms);
  void handle(Frame frame);
  void enqueue(std::uint64_t number, Request request);
  std::deque<Pending>::iterator next_request();
  void serve_quick();
  void execute(Pending pending);
  Expected<Answer> execute_everywhere(const Pending& pending, const Job& job);
  Job job_for(std::uint64_t number);
  Context context_for(std::uint64_t number, const Job& job);
  bool stopped();
  bool quick_stopped();
  void reply(std::uint64_t number, const Expected<Answer>& answer);
  void send_partial(std::uint64_t number, const Answer& answer);

  Socket socket_;
  Communicator& communicator_;
  MpiCommunicator* mpi_;
  Workspace workspace_;
  std::deque<Pending> queue_;
  std::optional<Pending> running_;
  bool cancel_running_ = false;
  bool stop_sent_ = false;
  std::optional<Pending> quick_; ///< fast request that is answered during the running operation
  bool cancel_quick_ = false;
  bool quit_ = false;
  std::int64_t last_check_ms_ = 0;
  std::int64_t last_progress_ms_ = 0;
};

/// Ranks other than 0: run the operations that rank 0 broadcasts until it sends "quit".
void follow(MpiCommunicator& communicator);

} // namespace jitterscope::engine
