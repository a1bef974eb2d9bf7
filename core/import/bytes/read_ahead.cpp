#include "core/import/bytes/read_ahead.h"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace jitterscope::import {
namespace {

constexpr std::size_t kReadAheadBlock = std::size_t{1} << 20;
constexpr std::size_t kBlocks = 4;
constexpr std::int64_t kDirect = 2 << 20; // bytes that are returned before a thread is started

struct Block {
  std::unique_ptr<char[]> bytes;
  std::size_t size = 0;
  std::int64_t consumed = 0;
  bool last = false;            // nothing follows
  std::optional<Error> problem; // after the bytes, in the last block
};

class ReadAhead final : public ByteStream {
public:
  explicit ReadAhead(ByteStreamPointer stream) : stream_(std::move(stream)) {}

  ~ReadAhead() override {
    {
      const std::lock_guard guard(lock_);
      stop_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
  }
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  Expected<std::size_t> read(std::span<char> into) override {
    if (into.empty()) return std::size_t{0};
    if (!thread_.joinable()) {
      if (given_ < kDirect) return direct(into);
      start();
    }
    while (used_ == current_.size) {
      if (current_.problem) return forward(*current_.problem);
      if (current_.last) return std::size_t{0};
      next_block();
    }
    const auto count = std::min(into.size(), current_.size - used_);
    std::memcpy(into.data(), current_.bytes.get() + used_, count);
    used_ += count;
    return count;
  }

  std::int64_t consumed() const override { return consumed_; }

private:
  Expected<std::size_t> direct(std::span<char> into) {
    auto got = stream_->read(into);
    if (got) given_ += static_cast<std::int64_t>(*got);
    consumed_ = stream_->consumed();
    return got;
  }

  void start() {
    for (auto& block : free_) block.bytes = std::make_unique_for_overwrite<char[]>(kReadAheadBlock);
    thread_ = std::thread([this] { fill(); });
  }

  // Runs in the thread: fills one free block after the other.
  void fill() {
    for (;;) {
      Block block;
      {
        std::unique_lock guard(lock_);
        changed_.wait(guard, [this] { return stop_ || !free_.empty(); });
        if (stop_) return;
        block = std::move(free_.back());
        free_.pop_back();
      }
      fill(block);
      const bool last = block.last;
      {
        const std::lock_guard guard(lock_);
        filled_.push_back(std::move(block));
      }
      changed_.notify_all();
      if (last) return;
    }
  }

  void fill(Block& block) {
    block.size = 0;
    try {
      while (block.size < kReadAheadBlock && !block.last) {
        const auto got = stream_->read({block.bytes.get() + block.size, kReadAheadBlock - block.size});
        block.last = !got || *got == 0;
        if (!got)
          block.problem = got.error();
        else
          block.size += *got;
      }
    } catch (const std::exception& problem) { // out of memory
      block.last = true;
      block.problem = Error{ErrorKind::Io, problem.what(), {}, {}, {}};
    }
    block.consumed = stream_->consumed();
  }

  void next_block() {
    {
      std::unique_lock guard(lock_);
      if (current_.bytes) free_.push_back(std::exchange(current_, {}));
      changed_.notify_all();
      changed_.wait(guard, [this] { return !filled_.empty(); });
      current_ = std::move(filled_.front());
      filled_.pop_front();
    }
    used_ = 0;
    consumed_ = current_.consumed;
  }

  ByteStreamPointer stream_; // used only by the thread once there is one
  std::thread thread_;
  std::mutex lock_;
  std::condition_variable changed_;
  bool stop_ = false;
  std::vector<Block> free_{kBlocks};
  std::deque<Block> filled_;
  Block current_;
  std::size_t used_ = 0;
  std::int64_t given_ = 0, consumed_ = 0;
};

} // namespace

ByteStreamPointer read_ahead(ByteStreamPointer stream) {
  return std::make_unique<ReadAhead>(std::move(stream));
}

} // namespace jitterscope::import
