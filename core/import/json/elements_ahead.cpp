#include "core/import/json/elements_ahead.h"

#include <condition_variable>
#include <cstring>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/parallel.h"

namespace jitterscope::import::json {
namespace {

constexpr int kDirect = 3; // chunks that are cut without a thread
constexpr int kAhead = 3;

// A chunk with memory of its own, or what came instead of one.
struct Piece {
  std::unique_ptr<char[]> bytes;
  std::size_t capacity = 0;
  std::size_t size = 0;
  std::int64_t consumed = 0;
  bool last = false; // no chunk: the end of the array, or an error
  std::optional<Error> problem;

  void copy(const Chunk& chunk) {
    if (capacity < chunk.size + Cursor::kPadding) {
      capacity = chunk.size + chunk.size / 8 + Cursor::kPadding;
      bytes = std::make_unique_for_overwrite<char[]>(capacity);
    }
    size = chunk.size;
    std::memcpy(bytes.get(), chunk.data, size);
    std::memset(bytes.get() + size, 0, Cursor::kPadding);
  }
};

} // namespace

struct ElementsAhead::State {
  State(Cursor& from, const ByteStream& read) : cursor(from), stream(read) {}

  ~State() {
    {
      const std::lock_guard guard(lock);
      stop = true;
    }
    changed.notify_all();
    if (thread.joinable()) thread.join();
  }

  // Of the thread: cuts one chunk after the other into free pieces.
  void cut() {
    for (bool last = false; !last;) {
      Piece piece;
      {
        std::unique_lock guard(lock);
        changed.wait(guard, [this] { return stop || !free.empty(); });
        if (stop) return;
        piece = std::move(free.back());
        free.pop_back();
      }
      cut(piece);
      last = piece.last;
      {
        const std::lock_guard guard(lock);
        ready.push_back(std::move(piece));
      }
      changed.notify_all();
    }
  }

  void cut(Piece& piece) {
    try {
      const auto chunk = cursor.elements();
      piece.last = !chunk || !*chunk;
      if (!chunk)
        piece.problem = chunk.error();
      else if (*chunk)
        piece.copy(**chunk);
    } catch (const std::exception& problem) { // no memory left
      piece.last = true;
      piece.problem = Error{ErrorKind::Io, problem.what(), {}, {}, {}};
    }
    piece.consumed = stream.consumed();
  }

  void take_next() {
    std::unique_lock guard(lock);
    if (current.bytes) free.push_back(std::exchange(current, {}));
    changed.notify_all();
    changed.wait(guard, [this] { return !ready.empty(); });
    current = std::move(ready.front());
    ready.pop_front();
  }

  Cursor& cursor;
  const ByteStream& stream;
  std::thread thread;
  std::mutex lock;
  std::condition_variable changed;
  bool stop = false;
  std::vector<Piece> free{kAhead};
  std::deque<Piece> ready;
  Piece current;
  int direct = 0;
  std::int64_t consumed = 0;
};

ElementsAhead::ElementsAhead(Cursor& cursor, const ByteStream& stream)
    : state_(std::make_unique<State>(cursor, stream)) {}

ElementsAhead::~ElementsAhead() = default;

Expected<std::optional<Chunk>> ElementsAhead::next() {
  auto& state = *state_;
  if (!state.thread.joinable()) {
    if (state.direct < kDirect || worker_threads() < 2) {
      ++state.direct;
      auto chunk = state.cursor.elements();
      state.consumed = state.stream.consumed();
      return chunk;
    }
    state.thread = std::thread([&state] { state.cut(); });
  }
  state.take_next();
  state.consumed = state.current.consumed;
  if (state.current.last) {
    state.thread.join(); // the cursor is the caller's again
    if (state.current.problem) return forward(*state.current.problem);
    return std::optional<Chunk>();
  }
  return std::optional(
      Chunk{state.current.bytes.get(), state.current.size, state.current.size + Cursor::kPadding});
}

std::int64_t ElementsAhead::consumed() const {
  return state_->consumed;
}

} // namespace jitterscope::import::json
