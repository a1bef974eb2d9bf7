#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace jitterscope {

/// Splits a source into pieces, processes them on several threads and returns them in source order. One
/// thread at a time cuts the next piece and then processes it while it is still in the cache; the calling
/// thread does the same when no piece is ready. So the pieces and their order do not depend on the number of
/// threads. Piece objects are reused and keep their allocated memory.
template <class Piece>
class PiecesInOrder {
public:
  /// Fills the next piece; returns true for the last one. Not called again after that or after an exception.
  using Cut = std::function<bool(Piece&)>;
  /// Processes a piece independently of the others. Called by several threads at a time.
  using Work = std::function<void(Piece&)>;

  /// `threads` includes the calling one. The helper threads start only after the first pieces, so that short
  /// sources start none.
  PiecesInOrder(int threads, Cut cut, Work work)
      : cut_(std::move(cut)), work_(std::move(work)), threads_(std::max(threads, 1)),
        max_slots_(threads_ == 1 ? 1 : 2 * static_cast<std::size_t>(threads_) + 1) {}

  ~PiecesInOrder() {
    {
      const std::lock_guard guard(lock_);
      stop_ = true;
      notify();
    }
    for (auto& thread : helpers_) thread.join();
  }
  PiecesInOrder(const PiecesInOrder&) = delete;
  PiecesInOrder& operator=(const PiecesInOrder&) = delete;

  /// The next piece, valid until the next call; null after the last. Rethrows exceptions of cut or work.
  Piece* next() {
    std::unique_lock guard(lock_);
    for (auto& slot : slots_)
      if (slot->state == State::Given) slot->state = State::Free;
    if (given_ == kDirect && threads_ > 1 && helpers_.empty() && !ended_) start_helpers();
    notify();
    for (;;) {
      if (ended_ && given_ == taken_) return nullptr;
      for (auto& slot : slots_)
        if (slot->state == State::Ready && slot->number == given_) return give(*slot);
      if (!produce(guard)) wait(guard);
    }
  }

private:
  static constexpr std::size_t kDirect = 2;

  enum class State { Free, Busy, Ready, Given };
  struct Slot {
    Piece piece;
    State state = State::Free;
    std::size_t number = 0;
    std::exception_ptr problem;
  };

  Piece* give(Slot& slot) {
    slot.state = State::Given;
    ++given_;
    if (slot.problem) {
      ended_ = true;
      given_ = taken_;
      std::rethrow_exception(std::exchange(slot.problem, nullptr));
    }
    return &slot.piece;
  }

  // Cuts one piece and processes it; false when that is not possible at the moment.
  bool produce(std::unique_lock<std::mutex>& guard) {
    if (cutting_ || ended_ || stop_) return false;
    auto found = std::find_if(slots_.begin(), slots_.end(),
                              [](const auto& slot) { return slot->state == State::Free; });
    if (found == slots_.end()) {
      if (slots_.size() == max_slots_) return false;
      found = slots_.insert(found, std::make_unique<Slot>());
    }
    Slot& slot = **found;
    slot.state = State::Busy;
    slot.number = taken_++;
    cutting_ = true;
    guard.unlock();
    bool last = true;
    attempt(slot, [&] { last = cut_(slot.piece); });
    guard.lock();
    cutting_ = false;
    ended_ = ended_ || last;
    notify();
    guard.unlock();
    if (!slot.problem) attempt(slot, [&] { work_(slot.piece); });
    guard.lock();
    slot.state = State::Ready;
    notify();
    return true;
  }

  template <class Step>
  static void attempt(Slot& slot, Step&& step) {
    try {
      step();
    } catch (...) {
      slot.problem = std::current_exception();
    }
  }

  void start_helpers() {
    try {
      for (int i = 1; i < threads_; ++i) helpers_.emplace_back([this] { help(); });
    } catch (const std::system_error&) {
      threads_ = static_cast<int>(helpers_.size()) + 1; // the system provides no more threads
    }
  }

  void help() {
    std::unique_lock guard(lock_);
    while (!stop_ && !ended_)
      if (!produce(guard)) wait(guard);
  }

  // Cutting a piece takes less time than sleeping and waking up, so a waiting thread first spins for a while.
  void wait(std::unique_lock<std::mutex>& guard) {
    constexpr auto kAwake = std::chrono::microseconds(60);
    const auto seen = changes_.load(std::memory_order_relaxed);
    guard.unlock();
    const auto until = std::chrono::steady_clock::now() + kAwake;
    while (changes_.load(std::memory_order_relaxed) == seen && std::chrono::steady_clock::now() < until)
      for (int i = 0; i < 16; ++i) rest();
    guard.lock();
    changed_.wait(guard, [&] { return changes_.load(std::memory_order_relaxed) != seen; });
  }

  static void rest() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }

  void notify() {
    changes_.fetch_add(1, std::memory_order_relaxed);
    changed_.notify_all();
  }

  const Cut cut_;
  const Work work_;
  int threads_;
  const std::size_t max_slots_;
  std::mutex lock_;
  std::condition_variable changed_;
  std::atomic<std::uint64_t> changes_{0}; // number of notifications, changed under the lock
  std::vector<std::unique_ptr<Slot>> slots_;
  std::size_t taken_ = 0, given_ = 0; // pieces started, pieces returned
  bool cutting_ = false, ended_ = false, stop_ = false;
  std::vector<std::thread> helpers_;
};

} // namespace jitterscope
