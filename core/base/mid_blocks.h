#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace jitterscope {

/// Blocks that are too small for a mapping of their own, cut from chunks that have one: the columns of a table with
/// thousands of them lie in files, too, however few rows it has. Keeps account in a fixed table, as it serves `new`.
/// All functions may be called from any thread.
class MidBlocks {
public:
  static constexpr std::size_t kLeast = std::size_t{16} << 10, kMost = std::size_t{1} << 20; ///< B, below kMost
  static constexpr std::size_t kChunk = std::size_t{16} << 20;

  /// Gives a chunk of kChunk bytes at whole pages, null where there is no room in the account.
  using Take = void* (*)();
  using Give = void (*)(void* chunk);
  MidBlocks(Take take, Give give) : take_(take), give_(give) {}

  /// Null for sizes of others and where no chunk is to be had.
  void* allocate(std::size_t bytes) {
    if (bytes < kLeast || bytes >= kMost) return nullptr;
    const auto kind = static_cast<std::size_t>(std::bit_width((bytes - 1) / kLeast));
    const std::lock_guard guard(lock_);
    auto* chunk = with_room(kind);
    if (!chunk) return nullptr;
    ++chunk->live;
    if (void* place = chunk->free) {
      chunk->free = *static_cast<void**>(place);
      return place;
    }
    return chunk->begin + kLeast * (std::size_t{1} << kind) * chunk->cut++;
  }

  /// False when the block is none of these. `place`: at a whole page. `keep`: the last chunk of a size stays for the
  /// next block though nothing of it is in use.
  bool release(void* place, bool keep) {
    const std::lock_guard guard(lock_);
    auto* const at = static_cast<char*>(place);
    for (std::size_t i = 0; i < used_; ++i) {
      auto& chunk = chunks_[i];
      if (!chunk.begin || at < chunk.begin || at >= chunk.begin + kChunk) continue;
      *static_cast<void**>(place) = chunk.free;
      chunk.free = place;
      if (--chunk.live == 0 && !(keep && &chunk == current_[chunk.kind])) give_back(chunk);
      return true;
    }
    return false;
  }

  /// Gives back chunks that are kept though nothing of them is in use.
  void drop_empty() {
    const std::lock_guard guard(lock_);
    for (auto* current : current_)
      if (current && current->live == 0) give_back(*current);
  }

private:
  struct Chunk {
    char* begin = nullptr;
    void* free = nullptr;   // a list through the first bytes of blocks that were given back
    std::uint32_t live = 0; // blocks in use
    std::uint32_t cut = 0;  // blocks that were ever cut off
    std::size_t kind = 0;   // of blocks of kLeast · 2^kind
    bool has_room() const { return free || cut < kChunk / (kLeast << kind); }
  };
  static constexpr std::size_t kKinds = 7, kMostChunks = 16384; // 256 GB
  static_assert(kLeast << (kKinds - 1) == kMost);

  void give_back(Chunk& chunk) {
    if (current_[chunk.kind] == &chunk) current_[chunk.kind] = nullptr;
    give_(chunk.begin);
    chunk = {};
  }

  Chunk* with_room(std::size_t kind) {
    auto*& current = current_[kind];
    if (current && current->has_room()) return current;
    Chunk* fresh = nullptr;
    for (std::size_t i = 0; i < used_; ++i) {
      auto& chunk = chunks_[i];
      if (chunk.begin && chunk.kind == kind && chunk.has_room()) return current = &chunk;
      if (!chunk.begin && !fresh) fresh = &chunk;
    }
    if (!fresh && used_ == kMostChunks) return nullptr;
    auto* const begin = static_cast<char*>(take_());
    if (!begin) return nullptr;
    if (!fresh) fresh = &chunks_[used_++];
    *fresh = {begin, nullptr, 0, 0, kind};
    return current = fresh;
  }

  const Take take_;
  const Give give_;
  std::mutex lock_;
  Chunk chunks_[kMostChunks];
  std::size_t used_ = 0;
  Chunk* current_[kKinds] = {};
};

} // namespace jitterscope
