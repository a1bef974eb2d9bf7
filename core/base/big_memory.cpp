#include "core/base/big_memory.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <mutex>
#include <new>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#define JITTERSCOPE_WATCHED_NEW 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define JITTERSCOPE_WATCHED_NEW 1
#endif
#endif

#include "core/base/mid_blocks.h"

namespace jitterscope {
namespace {

struct Block {
  char* begin = nullptr;
  std::size_t bytes = 0;
  bool in_file = false;
  bool spare = false; // given back, kept for the next that wants about so much
};

// A fixed table: keeping account of `new` must not call `new`. Big blocks are few: three or so for every
// column, of which some tables have thousands.
constexpr std::size_t kMostBlocks = 32768;

// Getting fresh pages costs more than writing them: what one stage gives back the next takes.
constexpr std::size_t kMostSpare = std::size_t{64} << 20;
constexpr std::size_t kMostPopulated = std::size_t{32} << 20; // more would delay a wish to stop

struct Account {
  std::mutex lock;
  Block blocks[kMostBlocks];
  std::size_t used = 0;                // entries that were ever taken
  std::atomic<std::size_t> in_core{0}; // spare ones with them
  std::size_t spare = 0;
  std::atomic<std::size_t> in_files{0};
  std::atomic<int> users{0};
  std::atomic<std::int64_t> from_malloc{0}; // bytes of blocks of at least MidBlocks::kLeast
};

Account& account() {
  static Account the_account;
  return the_account;
}

constexpr std::size_t kSmallestPage = 4096, kHugePage = std::size_t{2} << 20;

// 64 KiB on some systems: to unmap less would take pages of a neighbour with it.
std::size_t page_size() {
  static const auto size = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return size;
}

std::size_t whole_pages(std::size_t bytes) {
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

// The space is taken at once: a full disk must show here and not as a signal at some later write.
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

/// The beginning of an entry whose block is being made.
char* taken() {
  static char place;
  return &place;
}

Block* free_entry(Account& all) {
  for (std::size_t i = 0; i < all.used; ++i)
    if (!all.blocks[i].begin) return &all.blocks[i];
  return all.used < kMostBlocks ? &all.blocks[all.used++] : nullptr;
}

/// Takes a block out of the account; what is returned is to be unmapped.
Block take_out(Account& all, Block& block) {
  if (block.in_file)
    all.in_files -= block.bytes;
  else
    all.in_core -= block.bytes;
  if (block.spare) all.spare -= block.bytes;
  return std::exchange(block, {});
}

void unmap(const Block& block) {
  ::munmap(block.begin, block.bytes);
}

void drop_spares(Account& all) {
  for (std::size_t i = 0; i < all.used && all.spare > 0; ++i)
    if (all.blocks[i].spare) unmap(take_out(all, all.blocks[i]));
}

/// The smallest spare block of at least that size. What it has too much stays spare, as a block of its own.
Block* take_spare(Account& all, std::size_t size) {
  Block* best = nullptr;
  for (std::size_t i = 0; i < all.used && all.spare >= size; ++i) {
    auto& block = all.blocks[i];
    if (block.spare && block.bytes >= size && (!best || block.bytes < best->bytes)) best = &block;
  }
  if (!best) return nullptr;
  if (best->bytes - size >= kBigBlock)
    if (Block* rest = free_entry(all)) {
      *rest = {best->begin + size, best->bytes - size, false, true};
      best->bytes = size;
    }
  all.spare -= best->bytes;
  best->spare = false;
  return best;
}

void* map_pages(std::size_t size) {
  return ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

// Memory that begins where a huge page does.
void* map_aligned(std::size_t size) {
  if (size < kHugePage) return map_pages(size); // or anywhere, where none fits
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

thread_local int lazy = 0; // objects of BigMemory::Lazily

/// When huge pages are worth asking for: not for a while after one that came slowly, which is twice as long each time.
class HugePages {
public:
  /// Whether to ask for them for a block of so many bytes.
  bool wanted(std::size_t size) {
    if (size < kHugePage) return false;
    const auto left = left_.load(std::memory_order_relaxed);
    if (left > 0) left_.store(left - std::min(left, size), std::memory_order_relaxed);
    return left == 0;
  }
  void came_slowly() {
    const auto pause = pause_.load(std::memory_order_relaxed);
    left_.store(pause, std::memory_order_relaxed);
    pause_.store(std::min(2 * pause, kMostPause), std::memory_order_relaxed);
  }

private:
  // Several threads may ask at a time: that one of them is not counted does no harm.
  static constexpr std::size_t kMostPause = std::size_t{1} << 40;
  std::atomic<std::size_t> left_{0}, pause_{std::size_t{64} << 20}; // B of small pages
};

// Huge pages come three times as fast as small ones where the system has them ready, and many times as slowly
// where it must first make room for them: so they are asked for as long as the first of each block comes
// quickly. The others then come when they are written to. Small ones are got at once: so many faults take
// longer.
void populate(void* place, std::size_t size) {
#if defined(MADV_POPULATE_WRITE) && defined(MADV_HUGEPAGE)
  static HugePages huge;
  constexpr double kSlow = 1e9; // B/s
  if (huge.wanted(size)) {
    ::madvise(place, size, MADV_HUGEPAGE);
    const auto begin = thread_seconds();
    if (::madvise(place, kHugePage, MADV_POPULATE_WRITE) != 0) return;
    if (static_cast<double>(kHugePage) >= kSlow * (thread_seconds() - begin)) return;
    huge.came_slowly();
    ::madvise(place, size, MADV_NOHUGEPAGE);
  }
  if (lazy == 0) ::madvise(place, std::min(size, kMostPopulated), MADV_POPULATE_WRITE);
#else
  static_cast<void>(place), static_cast<void>(size);
#endif
}

void* map_memory(std::size_t size) {
  void* const place = map_aligned(size);
  if (place != MAP_FAILED) populate(place, size);
  return place;
}

/// Whether all pages of a block are to be written soon, or few of them, some time.
enum class Filled : std::uint8_t { Soon, SomeTime };

/// Nothing when the block is none of ours to give (small, nobody asked, no room in the table).
[[maybe_unused]] void* allocate_big(std::size_t bytes, Filled filled = Filled::Soon) {
  auto& all = account();
  if (bytes < kBigBlock || all.users == 0) return nullptr;
  std::unique_lock guard(all.lock);
  const auto size = whole_pages(bytes);
  if (filled == Filled::Soon)
    if (const Block* spare = take_spare(all, size)) return spare->begin;
  if (all.in_core + size > kBigMemoryInCore) drop_spares(all);
  Block* entry = free_entry(all);
  if (!entry) return nullptr;
  const bool in_file = all.in_core + size > kBigMemoryInCore;
  auto& account = in_file ? all.in_files : all.in_core;
  account += size;
  entry->begin = taken();
  // Finding room on the disk takes long: pages must be given back meanwhile.
  guard.unlock();
  void* place = in_file ? map_file(size) : filled == Filled::Soon ? map_memory(size) : map_pages(size);
  guard.lock();
  if (!place || place == MAP_FAILED) {
    *entry = {};
    account -= size;
    throw std::bad_alloc();
  }
  *entry = {static_cast<char*>(place), size, in_file, false};
  return place;
}

/// False when the block is not ours. malloc never returns whole pages, so most are told apart by their
/// address.
[[maybe_unused]] bool release_big(void* place, bool keep = true) noexcept {
  if (!place || reinterpret_cast<std::uintptr_t>(place) % kSmallestPage != 0) return false;
  auto& all = account();
  std::unique_lock guard(all.lock);
  for (std::size_t i = 0; i < all.used; ++i) {
    auto& block = all.blocks[i];
    if (block.begin != place || block.spare || block.bytes == 0) continue;
    if (!block.in_file && keep && all.users > 0 && all.spare + block.bytes <= kMostSpare) {
      block.spare = true;
      all.spare += block.bytes;
    } else {
      const auto gone = take_out(all, block);
      guard.unlock(); // forgetting the pages of a big file takes long
      unmap(gone);
    }
    return true;
  }
  return false;
}

// Chunks are made while somebody asked for big memory; blocks of them may be given back at any time.
MidBlocks& mid_blocks() {
  static MidBlocks blocks([] { return allocate_big(MidBlocks::kChunk, Filled::SomeTime); },
                          [](void* chunk) { release_big(chunk, false); });
  return blocks;
}

[[maybe_unused]] void* allocate_mid(std::size_t bytes) {
  const auto& all = account();
  if (bytes < MidBlocks::kLeast || bytes >= MidBlocks::kMost || all.users == 0) return nullptr;
  constexpr auto kMost = static_cast<std::int64_t>(kMidMemoryInCore);
  return all.from_malloc > kMost ? mid_blocks().allocate(bytes) : nullptr;
}

[[maybe_unused]] bool release_mid(void* place) noexcept {
  return place && reinterpret_cast<std::uintptr_t>(place) % kSmallestPage == 0 && mid_blocks().release(place, account().users > 0);
}

// `sign`: 1 for a block that malloc gave, −1 before it is freed.
[[maybe_unused]] void count_malloc(void* place, std::int64_t sign) {
  if (const auto bytes = ::malloc_usable_size(place); bytes >= MidBlocks::kLeast)
    account().from_malloc += sign * static_cast<std::int64_t>(bytes);
}

// Pages of files (and of shared memory) that the process holds, from the third number of statm.
std::size_t resident_file_bytes() {
  char text[256];
  const int file = ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file < 0) return ~std::size_t{0};
  const auto got = ::read(file, text, sizeof text - 1);
  ::close(file);
  if (got <= 0) return ~std::size_t{0};
  text[got] = '\0';
  unsigned long size = 0, resident = 0, shared = 0;
  if (std::sscanf(text, "%lu %lu %lu", &size, &resident, &shared) != 3) return ~std::size_t{0};
  return shared * page_size();
}

} // namespace

// Looks after the pages while loops run that do not: a page comes in faster than any of them ends.
struct BigMemory::Watch {
  Watch() : thread([this] { run(); }) {}
  ~Watch() {
    {
      const std::lock_guard guard(lock);
      done = true;
    }
    changed.notify_one();
    thread.join();
  }
  void run() {
    std::unique_lock guard(lock);
    while (!changed.wait_for(guard, std::chrono::milliseconds(2), [this] { return done; })) relieve();
  }

  std::mutex lock;
  std::condition_variable changed;
  bool done = false;
  std::thread thread; // last: it uses the others
};

BigMemory::BigMemory() {
  ++account().users;
  watch_ = std::make_unique<Watch>();
}

BigMemory::~BigMemory() {
  watch_.reset();
  auto& all = account();
  if (all.users == 1) mid_blocks().drop_empty();
  const std::lock_guard guard(all.lock);
  if (--all.users == 0) drop_spares(all);
}

void BigMemory::relieve() {
  auto& all = account();
  if (all.in_files == 0 || resident_file_bytes() < kBigMemoryResident) return;
  const std::lock_guard guard(all.lock);
  if (resident_file_bytes() < kBigMemoryResident) return; // another thread did it
  for (std::size_t i = 0; i < all.used; ++i)
    if (all.blocks[i].in_file) ::madvise(all.blocks[i].begin, all.blocks[i].bytes, MADV_DONTNEED);
}

BigMemory::Lazily::Lazily() {
  ++lazy;
}
BigMemory::Lazily::~Lazily() {
  --lazy;
}

void BigMemory::touch(void* begin, std::size_t bytes) {
#if defined(MADV_POPULATE_WRITE)
  constexpr std::size_t kFew = 4; // pages: as quick one by one
  const auto first = whole_pages(reinterpret_cast<std::uintptr_t>(begin)),
             last = whole_pages(reinterpret_cast<std::uintptr_t>(begin) + bytes);
  if (last >= first + kFew * page_size()) ::madvise(reinterpret_cast<void*>(first), last - first, MADV_POPULATE_WRITE);
#else
  static_cast<void>(begin), static_cast<void>(bytes);
#endif
}

std::size_t BigMemory::bytes_in_files() {
  return account().in_files;
}

} // namespace jitterscope

#ifndef JITTERSCOPE_WATCHED_NEW

// Replaces the global allocation functions (C++20 [new.delete]): all but big blocks go to malloc as before.
void* operator new(std::size_t bytes) {
  if (void* big = jitterscope::allocate_big(bytes)) return big;
  if (void* mid = jitterscope::allocate_mid(bytes)) return mid;
  for (;;) {
    if (void* place = std::malloc(bytes ? bytes : 1)) {
      if (bytes >= jitterscope::MidBlocks::kLeast / 2) jitterscope::count_malloc(place, 1); // it may give more
      return place;
    }
    const auto handler = std::get_new_handler();
    if (!handler) throw std::bad_alloc();
    handler();
  }
}

void operator delete(void* place) noexcept {
  if (jitterscope::release_mid(place) || jitterscope::release_big(place)) return;
  jitterscope::count_malloc(place, -1);
  std::free(place);
}

void operator delete(void* place, std::size_t bytes) noexcept {
  if (bytes < jitterscope::MidBlocks::kLeast / 2) return std::free(place); // neither ours nor counted
  operator delete(place);
}

#endif
