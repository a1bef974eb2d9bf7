#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/communicator.h"

namespace jitterscope::engine {

/// All ranks of an MPI job. Waiting ranks test nonblocking calls: for the first millisecond they yield
/// between tests, then they sleep for growing times (at most 1 ms; 5 ms for the next request), so that idle
/// ranks release their core.
class MpiCommunicator final : public Communicator {
public:
  MpiCommunicator(int* argc, char*** argv); ///< MPI_Init
  ~MpiCommunicator() override;              ///< MPI_Finalize

  int rank() const override;
  int size() const override;
  Expected<void> sum(std::span<std::int64_t> values) override;
  Expected<void> minimum(std::span<std::int64_t> values) override;
  Expected<std::vector<std::byte>> all_gather_bytes(std::span<const std::byte> mine) override;
  Expected<std::vector<std::byte>> gather_bytes(std::span<const std::byte> mine) override;
  bool finish(bool ok) override;

  /// Closes a job on every rank: `mine` is this rank's own failure, if any. Returns on rank 0 the failure to
  /// report (the first that is not caused by another), on other ranks their own.
  std::optional<Error> close_job(std::optional<Error> mine);

  /// Rank 0 passes the text, the others receive it. Waits indefinitely.
  std::string broadcast(std::string text);

  /// Rank 0: requests all others to leave the job of this number at their next poll.
  void send_stop(std::int64_t job);
  /// Other ranks: whether rank 0 has requested to leave this job; stays true until the job is closed.
  bool stop_received(std::int64_t job);

  /// Sets a function to be called while waiting for other ranks (rank 0 polls its socket in it).
  void set_waiting_hook(std::function<void()> hook);

private:
  struct State;
  bool agree(bool ok);
  Expected<std::vector<std::byte>> gathered(std::span<const std::byte> mine, bool everyone);
  std::unique_ptr<State> state_;
};

} // namespace jitterscope::engine
