#include "core/engine/ranks/mpi_communicator.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <limits>
#include <numeric>
#include <thread>

#include <mpi.h>

#include "core/engine/messages/messages.h"
#include "core/engine/ranks/test_hold.h"

namespace jitterscope::engine {
namespace {

constexpr int kGatherTag = 1;
constexpr int kStopTag = 7;
constexpr int kTests = 20;                           // tests of a request before its rank yields to others
constexpr std::chrono::microseconds kYielding{1000}; // afterwards a waiting rank sleeps

} // namespace

struct MpiCommunicator::State {
  MPI_Comm work = MPI_COMM_NULL;    // data of jobs
  MPI_Comm control = MPI_COMM_NULL; // requests and stops
  int rank = 0;
  int size = 1;
  bool failed = false;                 // some rank has left the running job
  std::optional<std::int64_t> stopped; // job that rank 0 has stopped, until it is closed
  std::function<void()> waiting;
  std::vector<std::int64_t> stop_numbers; // buffers of sends that may be in flight
  std::vector<MPI_Request> stop_sends;

  void wait(MPI_Request& request, bool patient = false) {
    using namespace std::chrono;
    int done = 0;
    for (int test = 0; test < kTests; ++test) { // a busy peer usually answers within microseconds
      MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      if (done) return;
    }
    const auto begin = steady_clock::now();
    for (auto waited = begin - begin; !done; waited = steady_clock::now() - begin) {
      if (waiting) waiting();
      if (waited < kYielding)
        std::this_thread::yield();
      else
        std::this_thread::sleep_for(
            std::clamp<nanoseconds>(waited / 8, microseconds(20), milliseconds(patient ? 5 : 1)));
      MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    }
  }

  void reduce(std::span<std::int64_t> values, MPI_Op op) {
    constexpr std::size_t kMaxMessageValues = std::size_t{1} << 27; // MPI counts are int
    for (std::size_t first = 0; first < values.size(); first += kMaxMessageValues) {
      const auto part = values.subspan(first, std::min(kMaxMessageValues, values.size() - first));
      MPI_Request request;
      MPI_Iallreduce(MPI_IN_PLACE, part.data(), static_cast<int>(part.size()), MPI_INT64_T, op, work,
                     &request);
      wait(request);
    }
  }

  // Computed as a sum on a tree, to which each rank adds its own length: MPI_Iallgather would send a message
  // from every rank to every other.
  std::vector<std::int64_t> lengths(std::int64_t mine) {
    std::vector<std::int64_t> all(static_cast<std::size_t>(size));
    all[static_cast<std::size_t>(rank)] = mine;
    reduce(all, MPI_SUM);
    return all;
  }

  // Gathers every rank's bytes in rank order: up a binomial tree to rank 0, in which rank r collects ranks r
  // … r + 2ᵏ − 1, and with `everyone` from there to all. All ranks agree that the receivers have enough
  // memory before anything is sent; else none sends and `fits` is false.
  std::vector<std::byte> collect(std::span<const std::byte> mine, bool everyone, bool& fits) {
    const auto length = lengths(static_cast<std::int64_t>(mine.size()));
    const auto bytes_of = [&](int first, int last) {
      return std::accumulate(length.begin() + first, length.begin() + std::min(last, size), std::int64_t{0});
    };
    const int subtree = rank == 0 ? size : rank & -rank; // ranks collected here, starting with this one
    std::vector<std::byte> all;
    std::int64_t room[1] = {1};
    try {
      all.resize(static_cast<std::size_t>(everyone ? bytes_of(0, size) : bytes_of(rank, rank + subtree)));
    } catch (const std::exception&) {
      room[0] = 0;
    }
    reduce(room, MPI_MIN);
    fits = room[0] != 0;
    if (!fits) return {};
    std::copy(mine.begin(), mine.end(), all.begin());
    for (int distance = 1; distance < subtree && rank + distance < size; distance *= 2) {
      std::byte* const place = all.data() + bytes_of(rank, rank + distance);
      in_rounds(place, bytes_of(rank + distance, rank + 2 * distance),
                [&](std::byte* part, int bytes, MPI_Request* request) {
                  MPI_Irecv(part, bytes, MPI_BYTE, rank + distance, kGatherTag, work, request);
                });
    }
    if (rank != 0)
      in_rounds(all.data(), bytes_of(rank, rank + subtree),
                [&](std::byte* part, int bytes, MPI_Request* request) {
                  MPI_Isend(part, bytes, MPI_BYTE, rank - subtree, kGatherTag, work, request);
                });
    if (everyone)
      in_rounds(all.data(), bytes_of(0, size), [&](std::byte* part, int bytes, MPI_Request* request) {
        MPI_Ibcast(part, bytes, MPI_BYTE, 0, work, request);
      });
    else if (rank != 0)
      all.clear();
    return all;
  }

  // MPI counts are int: larger data is sent in several messages.
  template <class Move>
  void in_rounds(std::byte* from, std::int64_t bytes, const Move& move) {
    constexpr std::int64_t kRound = std::int64_t{1} << 30;
    for (std::int64_t done = 0; done < bytes; done += kRound) {
      MPI_Request request;
      move(from + done, static_cast<int>(std::min(kRound, bytes - done)), &request);
      wait(request);
    }
  }
};

namespace {

tl::unexpected<Error> another_rank_stopped() {
  return failure(ErrorKind::Cancelled, "another rank stopped");
}

} // namespace

MpiCommunicator::MpiCommunicator(int* argc, char*** argv) : state_(std::make_unique<State>()) {
  int provided = 0; // loops use threads; only the calling thread uses MPI
  MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_dup(MPI_COMM_WORLD, &state_->work);
  MPI_Comm_dup(MPI_COMM_WORLD, &state_->control);
  MPI_Comm_rank(state_->work, &state_->rank);
  MPI_Comm_size(state_->work, &state_->size);
}

MpiCommunicator::~MpiCommunicator() {
  stop_received(std::numeric_limits<std::int64_t>::max()); // receives all late stops
  for (auto& send : state_->stop_sends) MPI_Request_free(&send);
  MPI_Comm_free(&state_->work);
  MPI_Comm_free(&state_->control);
  MPI_Finalize();
}

int MpiCommunicator::rank() const {
  return state_->rank;
}
int MpiCommunicator::size() const {
  return state_->size;
}

bool MpiCommunicator::agree(bool ok) {
  if (state_->failed) return false;
  hold_rank_for_test(state_->rank);
  std::int64_t well[1] = {ok};
  state_->reduce(well, MPI_MIN);
  state_->failed = well[0] == 0;
  return !state_->failed;
}

Expected<void> MpiCommunicator::sum(std::span<std::int64_t> values) {
  if (!agree(true)) return another_rank_stopped();
  state_->reduce(values, MPI_SUM);
  return {};
}

Expected<void> MpiCommunicator::minimum(std::span<std::int64_t> values) {
  if (!agree(true)) return another_rank_stopped();
  state_->reduce(values, MPI_MIN);
  return {};
}

Expected<std::vector<std::byte>> MpiCommunicator::gathered(std::span<const std::byte> mine, bool everyone) {
  bool fits = false;
  auto all = state_->collect(mine, everyone, fits);
  if (fits) return all;
  state_->failed = true; // known to all ranks: no further agreement is needed
  return failure(ErrorKind::Engine, "out of memory while gathering results", {}, {},
                 "Choose a smaller range or spread the work over more nodes.");
}

Expected<std::vector<std::byte>> MpiCommunicator::all_gather_bytes(std::span<const std::byte> mine) {
  if (!agree(true)) return another_rank_stopped();
  return gathered(mine, true);
}

Expected<std::vector<std::byte>> MpiCommunicator::gather_bytes(std::span<const std::byte> mine) {
  if (!agree(true)) return another_rank_stopped();
  return gathered(mine, false);
}

bool MpiCommunicator::finish(bool ok) {
  const bool well = agree(ok);
  state_->failed = false;
  state_->stopped.reset(); // the next job starts unstopped, even if it has the same number
  return well;
}

std::optional<Error> MpiCommunicator::close_job(std::optional<Error> mine) {
  if (finish(!mine)) return std::nullopt;
  const Bytes text = mine ? encode(*mine) : Bytes();
  const std::int64_t length = static_cast<std::int64_t>(text.size());
  const auto lengths = state_->lengths(length);
  bool fits = false;
  const auto all = state_->collect(std::as_bytes(std::span(text)), false, fits);
  if (state_->rank != 0 || !fits) return mine;
  std::optional<Error> chosen = mine;
  std::size_t at = 0;
  for (const auto bytes : lengths) {
    const auto* begin = reinterpret_cast<const std::uint8_t*>(all.data()) + at;
    at += static_cast<std::size_t>(bytes);
    if (bytes == 0) continue;
    auto error = decode_failure({begin, static_cast<std::size_t>(bytes)});
    if (error && (!chosen || (chosen->kind == ErrorKind::Cancelled && error->kind != ErrorKind::Cancelled)))
      chosen = std::move(*error);
  }
  return chosen;
}

std::string MpiCommunicator::broadcast(std::string text) {
  std::int64_t length = static_cast<std::int64_t>(text.size());
  MPI_Request request;
  MPI_Ibcast(&length, 1, MPI_INT64_T, 0, state_->control, &request);
  state_->wait(request, true);
  text.resize(static_cast<std::size_t>(length));
  MPI_Ibcast(text.data(), static_cast<int>(length), MPI_CHAR, 0, state_->control, &request);
  state_->wait(request);
  return text;
}

void MpiCommunicator::send_stop(std::int64_t job) {
  // One buffer for all cancelled jobs: the sends of the previous job must be complete before it is
  // overwritten.
  if (!state_->stop_sends.empty()) {
    MPI_Waitall(static_cast<int>(state_->stop_sends.size()), state_->stop_sends.data(), MPI_STATUSES_IGNORE);
    state_->stop_sends.clear();
  }
  state_->stop_numbers.assign(1, job);
  for (int to = 1; to < state_->size; ++to) {
    state_->stop_sends.emplace_back();
    MPI_Isend(state_->stop_numbers.data(), 1, MPI_INT64_T, to, kStopTag, state_->control,
              &state_->stop_sends.back());
  }
}

bool MpiCommunicator::stop_received(std::int64_t job) {
  if (state_->rank == 0) return false;
  hold_rank_for_test(state_->rank);
  while (state_->stopped != job) {
    int there = 0;
    MPI_Iprobe(0, kStopTag, state_->control, &there, MPI_STATUS_IGNORE);
    if (!there) return false;
    std::int64_t number = 0;
    MPI_Recv(&number, 1, MPI_INT64_T, 0, kStopTag, state_->control, MPI_STATUS_IGNORE);
    if (number == job) state_->stopped = job; // other numbers are stops of jobs that are closed
  }
  return true;
}

void MpiCommunicator::set_waiting_hook(std::function<void()> hook) {
  state_->waiting = std::move(hook);
}

} // namespace jitterscope::engine
