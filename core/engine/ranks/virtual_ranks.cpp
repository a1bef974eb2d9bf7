#include "core/engine/ranks/virtual_ranks.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <ctime>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>

#include <malloc.h>
#include <omp.h>

namespace jitterscope::engine {
namespace {

using Kind = CollectiveCall::Kind;

// CPU time of the whole process: only one rank runs at a time, possibly with helper threads.
double cpu_now() {
  timespec t{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

std::int64_t heap_now() {
  const auto info = ::mallinfo2();
  return static_cast<std::int64_t>(info.uordblks + info.hblkhd);
}

/// Input of a rank to a collective call.
struct Offer {
  Kind kind = Kind::Finish;
  bool minimum = false;
  bool ok = true;
  std::span<std::int64_t> values;   // input of a reduction
  std::span<const std::byte> bytes; // input of a gather
};

/// Synchronises the ranks. One of them runs at a time, in the order of their numbers; the last to arrive
/// completes the call for all.
class Synchroniser {
public:
  explicit Synchroniser(int ranks) : seats_(static_cast<std::size_t>(ranks)) { run_.ranks = ranks; }

  int size() const { return run_.ranks; }

  void begin(int rank) {
    std::unique_lock guard(lock_);
    wait_for_turn(rank, guard);
  }

  /// Returns when all ranks have arrived; false if they did not agree or one has failed.
  bool synchronise(int rank, const Offer& offer) {
    std::unique_lock guard(lock_);
    leave_turn(rank);
    seats_[static_cast<std::size_t>(rank)].offer = offer;
    pass_on(rank);
    wait_for_turn(rank, guard);
    return agreed_;
  }

  void end(int rank) {
    std::unique_lock guard(lock_);
    leave_turn(rank);
    seats_[static_cast<std::size_t>(rank)].gone = true;
    pass_on(rank);
  }

  void sample_memory(int rank) {
    if (watched(rank)) note_memory(rank, heap_now());
  }

  const std::vector<std::int64_t>& reduced() const { return reduced_; }
  const std::vector<std::byte>& gathered() const { return gathered_; }

  VirtualRun take() {
    for (std::size_t r = 0; r < seats_.size(); ++r) {
      auto& peak = r == 0 ? run_.root_peak_bytes : run_.other_peak_bytes;
      peak = std::max(peak, seats_[r].peak);
    }
    return std::move(run_);
  }

private:
  struct Seat {
    std::condition_variable wake;
    Offer offer;
    bool gone = false;
    double began = 0;                // CPU clock at the beginning of the turn
    std::int64_t base = 0;           // heap of the process at the beginning of the turn
    std::int64_t held = 0, peak = 0; // memory of this rank
  };

  // Querying the heap is slow with many threads, and ranks are similar to each other.
  bool watched(int rank) const { return rank % std::max(size() / 32, 1) == 0 || rank + 1 == size(); }

  void wait_for_turn(int rank, std::unique_lock<std::mutex>& guard) {
    auto& seat = seats_[static_cast<std::size_t>(rank)];
    seat.wake.wait(guard, [&] { return turn_ == rank; });
    if (watched(rank)) seat.base = heap_now();
    seat.began = cpu_now();
  }

  void leave_turn(int rank) {
    auto& seat = seats_[static_cast<std::size_t>(rank)];
    const double spent = cpu_now() - seat.began;
    if (watched(rank)) {
      const auto heap = heap_now();
      note_memory(rank, heap);
      seat.held += heap - seat.base;
    }
    if (rank == 0) run_.stages.emplace_back();
    auto& stage = run_.stages.back();
    stage.sum += spent;
    if (rank == 0)
      stage.root = spent;
    else
      stage.slowest = std::max(stage.slowest, spent);
  }

  void note_memory(int rank, std::int64_t heap) {
    auto& seat = seats_[static_cast<std::size_t>(rank)];
    seat.peak = std::max(seat.peak, seat.held + heap - seat.base);
  }

  void pass_on(int rank) {
    int next = rank + 1;
    while (next < size() && seats_[static_cast<std::size_t>(next)].gone) ++next;
    if (next == size()) {
      settle();
      next = 0;
      while (next < size() && seats_[static_cast<std::size_t>(next)].gone) ++next;
    }
    turn_ = next;
    if (next < size()) seats_[static_cast<std::size_t>(next)].wake.notify_one();
  }

  void settle() {
    const auto here = std::count_if(seats_.begin(), seats_.end(), [](const Seat& s) { return !s.gone; });
    if (here == 0) return;
    const auto& first = seats_.front().offer;
    agreed_ = here == size() && std::all_of(seats_.begin(), seats_.end(), [&](const Seat& seat) {
                return seat.offer.ok && seat.offer.kind == first.kind &&
                       seat.offer.values.size() == first.values.size();
              });
    if (!agreed_) return;
    CollectiveCall call;
    call.kind = first.kind;
    for (const auto& seat : seats_) {
      const auto bytes = static_cast<std::int64_t>(seat.offer.values.size_bytes() + seat.offer.bytes.size());
      call.largest = std::max(call.largest, bytes);
      call.total += bytes;
    }
    run_.calls.push_back(call);
    if (call.kind == Kind::Reduce) reduce();
    gathered_.clear();
    if (call.kind == Kind::Gather || call.kind == Kind::AllGather)
      for (const auto& seat : seats_)
        gathered_.insert(gathered_.end(), seat.offer.bytes.begin(), seat.offer.bytes.end());
  }

  void reduce() {
    reduced_.assign(seats_.front().offer.values.begin(), seats_.front().offer.values.end());
    for (std::size_t r = 1; r < seats_.size(); ++r)
      for (std::size_t i = 0; i < reduced_.size(); ++i) {
        const auto value = seats_[r].offer.values[i];
        reduced_[i] = seats_[r].offer.minimum ? std::min(reduced_[i], value) : reduced_[i] + value;
      }
  }

  std::mutex lock_;
  std::vector<Seat> seats_;
  int turn_ = 0;
  bool agreed_ = true;
  std::vector<std::int64_t> reduced_;
  std::vector<std::byte> gathered_;
  VirtualRun run_;
};

tl::unexpected<Error> a_virtual_rank_stopped() {
  return failure(ErrorKind::Cancelled, "another rank stopped");
}

class Rank final : public VirtualRank {
public:
  Rank(Synchroniser& synchroniser, int rank) : synchroniser_(synchroniser), rank_(rank) {}

  int rank() const override { return rank_; }
  int size() const override { return synchroniser_.size(); }
  void sample_memory() override {
    const auto now = std::chrono::steady_clock::now();
    if (now - last_check_ < std::chrono::microseconds(500)) return;
    last_check_ = now;
    synchroniser_.sample_memory(rank_);
  }

  Expected<void> sum(std::span<std::int64_t> values) override { return reduce(values, false); }
  Expected<void> minimum(std::span<std::int64_t> values) override { return reduce(values, true); }

  Expected<std::vector<std::byte>> all_gather_bytes(std::span<const std::byte> mine) override {
    return gather(mine, Kind::AllGather);
  }
  Expected<std::vector<std::byte>> gather_bytes(std::span<const std::byte> mine) override {
    return gather(mine, Kind::Gather);
  }

  // As among real ranks: after a failure, a rank closes its job without further communication.
  bool finish(bool ok) override {
    if (failed_) {
      failed_ = false;
      return false;
    }
    Offer offer;
    offer.ok = ok;
    return synchroniser_.synchronise(rank_, offer);
  }

private:
  bool together(const Offer& offer) {
    if (failed_ || !synchroniser_.synchronise(rank_, offer)) failed_ = true;
    return !failed_;
  }

  Expected<void> reduce(std::span<std::int64_t> values, bool minimum) {
    Offer offer;
    offer.kind = Kind::Reduce;
    offer.minimum = minimum;
    offer.values = values;
    if (!together(offer)) return a_virtual_rank_stopped();
    std::copy(synchroniser_.reduced().begin(), synchroniser_.reduced().end(), values.begin());
    return {};
  }

  Expected<std::vector<std::byte>> gather(std::span<const std::byte> mine, Kind kind) {
    Offer offer;
    offer.kind = kind;
    offer.bytes = mine;
    if (!together(offer)) return a_virtual_rank_stopped();
    if (kind == Kind::Gather && rank_ != 0) return std::vector<std::byte>();
    return synchroniser_.gathered();
  }

  Synchroniser& synchroniser_;
  int rank_;
  bool failed_ = false;
  std::chrono::steady_clock::time_point last_check_;
};

} // namespace

Expected<VirtualRun> run_virtual_ranks(int ranks, const std::function<void(VirtualRank&)>& work) {
  Synchroniser synchroniser(ranks);
  std::mutex gate; // held until all threads are created, or until it is known that none may run
  bool run = true;
  std::vector<std::thread> threads;
  threads.reserve(static_cast<std::size_t>(ranks));
  std::unique_lock closed(gate);
  try {
    for (int rank = 0; rank < ranks; ++rank)
      threads.emplace_back([&, rank] {
        if (std::unique_lock open(gate); !run) return;
        ::omp_set_num_threads(1); // for loops of this thread: a rank has one core
        synchroniser.begin(rank);
        Rank self(synchroniser, rank);
        work(self);
        synchroniser.end(rank);
      });
  } catch (const std::system_error&) {
    run = false;
  }
  closed.unlock();
  for (auto& thread : threads) thread.join();
  if (!run)
    return failure(ErrorKind::Engine, "the system cannot start so many threads", {}, {},
                   "Try fewer ranks or raise the limit of processes (ulimit -u).");
  return synchroniser.take();
}

} // namespace jitterscope::engine
