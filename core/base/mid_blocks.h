#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

namespace jitterscope {

/// Allocates blocks that are too small for a mapping of their own from mapped chunks, so that the columns of
/// a table with thousands of columns are file-backed even when the table has few rows. All functions may be
/// called from any thread.
class MidBlocks {
public:
  /// Sizes of blocks in B: [kMin, kMax).
  static constexpr std::size_t kMin = std::size_t{16} << 10, kMax = std::size_t{1} << 20;
  static constexpr std::size_t kChunk = std::size_t{16} << 20;

  /// Returns a page-aligned chunk of kChunk bytes; throws std::bad_alloc.
  using AllocateChunk = void* (*)();
  using Give = void (*)(void* chunk);
  MidBlocks(AllocateChunk allocate_chunk, Give give) : allocate_chunk_(allocate_chunk), give_(give) {}

  /// `bytes` is in [kMin, kMax).
  void* allocate(std::size_t bytes) {
    const auto kind = static_cast<std::size_t>(std::bit_width((bytes - 1) / kMin));
    const std::lock_guard guard(lock_);
    auto& chunk = with_room(kind);
    ++chunk.live;
    if (void* place = chunk.free) {
      chunk.free = *static_cast<void**>(place);
      return place;
    }
    return chunk.begin + kMin * (std::size_t{1} << kind) * chunk.cut++;
  }

  /// Returns false if the block was not allocated here. `keep`: the current chunk of a block size is kept for
  /// later blocks even when it has no block in use.
  bool release(void* place, bool keep) {
    const std::lock_guard guard(lock_);
    auto* const at = static_cast<char*>(place);
    auto found = chunks_.upper_bound(at);
    if (found == chunks_.begin() || at >= (--found)->first + kChunk) return false;
    auto& chunk = found->second;
    *static_cast<void**>(place) = chunk.free;
    chunk.free = place;
    if (--chunk.live == 0 && !(keep && &chunk == current_[chunk.kind])) give_back(chunk);
    return true;
  }

  /// Releases the chunks that were kept although no block of them is in use.
  void drop_empty() {
    const std::lock_guard guard(lock_);
    for (auto* current : current_)
      if (current && current->live == 0) give_back(*current);
  }

private:
  struct Chunk {
    char* begin = nullptr;
    std::size_t kind = 0;   // its blocks have kMin · 2^kind bytes
    void* free = nullptr;   // free list, linked through the first bytes of released blocks
    std::uint32_t live = 0; // blocks in use
    std::uint32_t cut = 0;  // blocks cut so far
    bool has_room() const { return free || cut < kChunk / (kMin << kind); }
  };
  static constexpr std::size_t kKinds = 7;
  static_assert(kMin << (kKinds - 1) == kMax);

  void give_back(Chunk& chunk) {
    if (current_[chunk.kind] == &chunk) current_[chunk.kind] = nullptr;
    auto* const begin = chunk.begin;
    chunks_.erase(begin);
    give_(begin);
  }

  Chunk& with_room(std::size_t kind) {
    auto*& current = current_[kind];
    if (current && current->has_room()) return *current;
    for (auto& [begin, chunk] : chunks_)
      if (chunk.kind == kind && chunk.has_room()) return *(current = &chunk);
    auto* const begin = static_cast<char*>(allocate_chunk_());
    current = &chunks_.emplace(begin, Chunk{begin, kind}).first->second;
    return *current;
  }

  const AllocateChunk allocate_chunk_;
  const Give give_;
  std::mutex lock_;
  std::map<char*, Chunk> chunks_; // by their first byte
  Chunk* current_[kKinds] = {};
};

} // namespace jitterscope
