#include "core/base/spill_memory.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <map>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/base/mid_blocks.h"

namespace jitterscope {
namespace {

struct Block {
  char* begin = nullptr;
  std::size_t bytes = 0;
  bool in_file = false;
  bool zeros = false; // allocated by allocate_zeros()
};

constexpr std::size_t kMaxPopulated = std::size_t{32} << 20; // more would delay cancellation

struct Account {
  std::mutex lock;
  std::map<void*, Block> blocks; // in use, by address
  // Released blocks, kept for later requests: faulting in fresh pages costs more than writing them.
  std::vector<Block> spares;
  std::atomic<std::size_t> in_core{0}; // including the spare ones
  std::atomic<std::size_t> in_files{0};
  std::atomic<int> users{0};
  std::atomic<std::size_t> in_heap{0}; // bytes of blocks of at least MidBlocks::kMin
  std::atomic<std::int64_t> checked_at{0};
  std::atomic<std::size_t> others{0}; // resident pages of other files (stores, libraries), as last seen [B]

  /// Whether the last check is so long ago that a thread may have faulted in a few MiB since. Loops over many
  /// short series call relieve() more often than that.
  bool check_due() {
    constexpr std::int64_t kInterval = 50'000; // minimum time since the last check [ns]
    timespec time{};
    ::clock_gettime(CLOCK_MONOTONIC, &time);
    const auto now = std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
    auto last = checked_at.load(std::memory_order_relaxed);
    return now - last >= kInterval &&
           checked_at.compare_exchange_strong(last, now, std::memory_order_relaxed);
  }
};

// Never destroyed: blocks may be released at the end of the process.
Account& account() {
  static auto& the_account = *new Account;
  return the_account;
}

constexpr std::size_t kHugePage = std::size_t{2} << 20;

// The page size is 64 KiB on some systems.
std::size_t page_size() {
  static const auto size = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return size;
}

std::size_t round_up_to_pages(std::size_t bytes) {
  return (bytes + page_size() - 1) / page_size() * page_size();
}

int open_nameless(const char* folder) {
#ifdef O_TMPFILE
  if (const int file = ::open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600); file >= 0) return file;
#endif
  char name[4096];
  if (std::snprintf(name, sizeof name, "%s/jitterscope-XXXXXX", folder) >= static_cast<int>(sizeof name))
    return -1;
  const int file = ::mkostemp(name, O_CLOEXEC);
  if (file >= 0) ::unlink(name);
  return file;
}

// Allocates the disk space at once: a full disk must be an error here, not a signal on a later write.
void* map_file(std::size_t bytes) {
  const char* chosen = std::getenv("TMPDIR");
  const int file = open_nameless(chosen && *chosen ? chosen : "/var/tmp");
  if (file < 0) return nullptr;
  void* place = MAP_FAILED;
  if (::posix_fallocate(file, 0, static_cast<off_t>(bytes)) == 0)
    place = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  ::close(file);
  return place == MAP_FAILED ? nullptr : place;
}

void unmap(const Block& block) {
  ::munmap(block.begin, block.bytes);
}

/// Unmaps spare blocks, the largest first, until all blocks in memory use at most `bytes`.
void drop_spares(Account& all, std::size_t bytes) {
  std::ranges::sort(all.spares, {}, &Block::bytes);
  for (; !all.spares.empty() && all.in_core > bytes; all.spares.pop_back()) {
    all.in_core -= all.spares.back().bytes;
    unmap(all.spares.back());
  }
}

/// Takes the smallest spare block of at least `size`. Its remainder stays spare as a block of its own.
void* pop_spare(Account& all, std::size_t size) {
  auto best = all.spares.end();
  for (auto spare = all.spares.begin(); spare != all.spares.end(); ++spare)
    if (spare->bytes >= size && (best == all.spares.end() || spare->bytes < best->bytes)) best = spare;
  if (best == all.spares.end()) return nullptr;
  Block taken = *best;
  if (taken.bytes - size >= kSpillBigBlock) {
    *best = {taken.begin + size, taken.bytes - size};
    taken.bytes = size;
  } else {
    all.spares.erase(best);
  }
  all.blocks.emplace(taken.begin, taken);
  return taken.begin;
}

void* map_pages(std::size_t size) {
  return ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

// Memory aligned to huge pages.
void* map_aligned(std::size_t size) {
  if (size < kHugePage) return map_pages(size); // unaligned when smaller than a huge page
  void* const mapped =
      ::mmap(nullptr, size + kHugePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return mapped;
  auto* const begin = static_cast<char*>(mapped);
  const auto before = (kHugePage - reinterpret_cast<std::uintptr_t>(begin) % kHugePage) % kHugePage;
  if (before > 0) ::munmap(begin, before);
  if (before < kHugePage) ::munmap(begin + before + size, kHugePage - before);
  return begin + before;
}

double thread_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

thread_local int lazy = 0; // number of live SpillMemory::Lazily objects

/// Decides when to request huge pages: after one was populated slowly, none are requested for the next
/// `pause_` bytes; this pause doubles each time.
class HugePages {
public:
  /// Whether to request huge pages for a block of this size.
  bool worth_it(std::size_t size) {
    if (size < kHugePage) return false;
    const auto left = left_.load(std::memory_order_relaxed);
    if (left > 0) left_.store(left - std::min(left, size), std::memory_order_relaxed);
    return left == 0;
  }
  void came_slowly() {
    const auto pause = pause_.load(std::memory_order_relaxed);
    left_.store(pause, std::memory_order_relaxed);
    pause_.store(std::min(2 * pause, kMaxPause), std::memory_order_relaxed);
  }

private:
  // Several threads may call this concurrently; a lost update is harmless.
  static constexpr std::size_t kMaxPause = std::size_t{1} << 40;
  std::atomic<std::size_t> left_{0}, pause_{std::size_t{64} << 20}; // B of small pages
};

// Huge pages are populated three times as fast as small ones if the system has them ready, and many times as
// slowly if it must first free memory for them. So they are requested only as long as the first of each block
// is fast; the others are then populated on write. Small pages are populated in one call, which is faster
// than one fault each.
void populate(void* place, std::size_t size) {
#if defined(MADV_POPULATE_WRITE) && defined(MADV_HUGEPAGE)
  static HugePages huge;
  constexpr double kSlow = 1e9; // minimum rate at which huge pages pay off [B/s]
  if (huge.worth_it(size)) {
    ::madvise(place, size, MADV_HUGEPAGE);
    const auto begin = thread_seconds();
    if (::madvise(place, kHugePage, MADV_POPULATE_WRITE) != 0) return;
    if (static_cast<double>(kHugePage) >= kSlow * (thread_seconds() - begin)) return;
    huge.came_slowly();
    ::madvise(place, size, MADV_NOHUGEPAGE);
  }
  if (lazy == 0) ::madvise(place, std::min(size, kMaxPopulated), MADV_POPULATE_WRITE);
#else
  static_cast<void>(place), static_cast<void>(size);
#endif
}

void* map_memory(std::size_t size) {
  void* const place = map_aligned(size);
  if (place != MAP_FAILED) populate(place, size);
  return place;
}

/// Whether all pages of a block will be written soon, or only some of them, and later.
enum class Filled : std::uint8_t { Soon, SomeTime };

void* allocate_big(std::size_t bytes, Filled filled = Filled::Soon) {
  auto& all = account();
  std::unique_lock guard(all.lock);
  const auto size = round_up_to_pages(bytes);
  if (filled == Filled::Soon)
    if (void* spare = pop_spare(all, size)) return spare;
  if (all.in_core + size > kSpillInCore) drop_spares(all, kSpillInCore - std::min(size, kSpillInCore));
  const bool in_file = all.in_core + size > kSpillInCore;
  auto& used = in_file ? all.in_files : all.in_core;
  used += size;
  guard.unlock(); // allocating disk space takes long
  void* place = in_file ? map_file(size) : filled == Filled::Soon ? map_memory(size) : map_pages(size);
  guard.lock();
  if (!place || place == MAP_FAILED) {
    used -= size;
    throw std::bad_alloc();
  }
  all.blocks.emplace(place, Block{static_cast<char*>(place), size, in_file});
  return place;
}

void release_big(void* place, bool keep) noexcept {
  auto& all = account();
  std::unique_lock guard(all.lock);
  const auto found = all.blocks.find(place);
  if (found == all.blocks.end()) std::abort(); // not from allocate()
  const Block block = found->second;
  all.blocks.erase(found);
  if (block.zeros) return unmap(block);
  if (!block.in_file && keep && all.users > 0) return all.spares.push_back(block);
  (block.in_file ? all.in_files : all.in_core) -= block.bytes;
  guard.unlock(); // releasing the pages of a big file takes long
  unmap(block);
}

MidBlocks& mid_blocks() {
  static auto& blocks = *new MidBlocks([] { return allocate_big(MidBlocks::kChunk, Filled::SomeTime); },
                                       [](void* chunk) { release_big(chunk, false); });
  return blocks;
}

// Resident file-backed (and shared) pages of the process, third field of /proc/self/statm, in bytes.
std::size_t resident_file_bytes() {
  static const int file =
      ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC); // opening takes as long as reading
  char text[256];
  const auto got = ::pread(file, text, sizeof text - 1, 0);
  if (got <= 0) return ~std::size_t{0};
  text[got] = '\0';
  unsigned long size = 0, resident = 0, shared = 0;
  if (std::sscanf(text, "%lu %lu %lu", &size, &resident, &shared) != 3) return ~std::size_t{0};
  return shared * page_size();
}

} // namespace

SpillMemory::SpillMemory() {
  ++account().users;
}

SpillMemory::~SpillMemory() {
  auto& all = account();
  if (all.users == 1) mid_blocks().drop_empty();
  const std::lock_guard guard(all.lock);
  if (--all.users == 0) drop_spares(all, 0);
}

void* SpillMemory::allocate(std::size_t bytes) {
  if (bytes >= kSpillBigBlock) return allocate_big(bytes);
  if (bytes < MidBlocks::kMin) return ::operator new(bytes);
  auto& all = account();
  if (all.in_heap + bytes > kSpillMidInCore) return mid_blocks().allocate(bytes);
  all.in_heap += bytes;
  return ::operator new(bytes);
}

void* SpillMemory::allocate_zeros(std::size_t bytes) {
  if (bytes < kSpillBigBlock) return std::memset(allocate(bytes), 0, bytes);
  auto& all = account();
  const auto size = round_up_to_pages(bytes);
  void* const place = map_aligned(size);
  if (place == MAP_FAILED) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
  ::madvise(place, size, MADV_HUGEPAGE); // reads then share one huge page of zeros
#endif
  const std::lock_guard guard(all.lock);
  all.blocks.emplace(place, Block{static_cast<char*>(place), size, false, true});
  return place;
}

void SpillMemory::release(void* place, std::size_t bytes) noexcept {
  if (bytes >= kSpillBigBlock) return release_big(place, true);
  if (bytes >= MidBlocks::kMin) {
    auto& all = account();
    if (mid_blocks().release(place, all.users > 0)) return;
    all.in_heap -= bytes;
  }
  ::operator delete(place);
}

void SpillMemory::relieve() {
  auto& all = account();
  const auto too_many = [&] {
    const auto resident = resident_file_bytes();
    if (resident < all.others) all.others = resident; // a store was closed
    return resident >= kSpillResident + all.others;
  };
  if (all.in_files == 0 || !all.check_due() || !too_many()) return;
  const std::lock_guard guard(all.lock);
  if (!too_many()) return; // another thread did it
  for (const auto& [place, block] : all.blocks)
    if (block.in_file) ::madvise(place, block.bytes, MADV_DONTNEED);
  all.others = resident_file_bytes();
}

SpillMemory::Lazily::Lazily() {
  ++lazy;
}
SpillMemory::Lazily::~Lazily() {
  --lazy;
}

void SpillMemory::touch(void* begin, std::size_t bytes) {
#if defined(MADV_POPULATE_WRITE)
  constexpr std::size_t kFew = 4; // pages; up to this number, single faults are as fast
  const auto address = reinterpret_cast<std::uintptr_t>(begin);
  const auto first = round_up_to_pages(address), last = round_up_to_pages(address + bytes);
  if (last >= first + kFew * page_size())
    ::madvise(static_cast<char*>(begin) + (first - address), last - first, MADV_POPULATE_WRITE);
#else
  static_cast<void>(begin), static_cast<void>(bytes);
#endif
}

std::size_t SpillMemory::bytes_in_files() {
  return account().in_files;
}

} // namespace jitterscope
