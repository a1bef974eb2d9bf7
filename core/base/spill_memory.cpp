#include "core/base/spill_memory.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
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
};

// Getting fresh pages costs more than writing them: what one stage gives back the next takes.
constexpr std::size_t kMostSpare = std::size_t{64} << 20;
constexpr std::size_t kMostPopulated = std::size_t{32} << 20; // more would delay a wish to stop

struct Account {
  std::mutex lock;
  std::map<void*, Block> blocks;       // in use, by their first byte
  std::vector<Block> spares;           // released, kept for the next that need about as much
  std::size_t spare = 0;               // bytes of these
  std::atomic<std::size_t> in_core{0}; // with the spare ones
  std::atomic<std::size_t> in_files{0};
  std::atomic<int> users{0};
  std::atomic<std::size_t> in_heap{0}; // bytes of blocks of at least MidBlocks::kMin
};

// Never destroyed: blocks may be released at the end of the process.
Account& account() {
  static auto& the_account = *new Account;
  return the_account;
}

constexpr std::size_t kHugePage = std::size_t{2} << 20;

// 64 KiB on some systems.
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

void unmap(const Block& block) {
  ::munmap(block.begin, block.bytes);
}

void drop_spares(Account& all) {
  for (const auto& block : std::exchange(all.spares, {})) unmap(block);
  all.in_core -= std::exchange(all.spare, 0);
}

/// The smallest spare block of at least that size. The rest of it stays spare, as a block of its own.
void* take_spare(Account& all, std::size_t size) {
  auto best = all.spares.end();
  for (auto spare = all.spares.begin(); spare != all.spares.end(); ++spare)
    if (spare->bytes >= size && (best == all.spares.end() || spare->bytes < best->bytes)) best = spare;
  if (best == all.spares.end()) return nullptr;
  Block taken = *best;
  if (taken.bytes - size >= kSpillBigBlock) {
    *best = {taken.begin + size, taken.bytes - size, false};
    taken.bytes = size;
  } else {
    all.spares.erase(best);
  }
  all.spare -= taken.bytes;
  all.blocks.emplace(taken.begin, taken);
  return taken.begin;
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

thread_local int lazy = 0; // objects of SpillMemory::Lazily

/// When huge pages are worth asking for: not for a while after one that came slowly, which is twice as long
/// each time.
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

void* allocate_big(std::size_t bytes, Filled filled = Filled::Soon) {
  auto& all = account();
  std::unique_lock guard(all.lock);
  const auto size = whole_pages(bytes);
  if (filled == Filled::Soon)
    if (void* spare = take_spare(all, size)) return spare;
  if (all.in_core + size > kSpillInCore) drop_spares(all);
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
  if (!block.in_file && keep && all.users > 0 && all.spare + block.bytes <= kMostSpare) {
    all.spares.push_back(block);
    all.spare += block.bytes;
    return;
  }
  (block.in_file ? all.in_files : all.in_core) -= block.bytes;
  guard.unlock(); // releasing the pages of a big file takes long
  unmap(block);
}

MidBlocks& mid_blocks() {
  static auto& blocks = *new MidBlocks([] { return allocate_big(MidBlocks::kChunk, Filled::SomeTime); },
                                       [](void* chunk) { release_big(chunk, false); });
  return blocks;
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

SpillMemory::SpillMemory() {
  ++account().users;
}

SpillMemory::~SpillMemory() {
  auto& all = account();
  if (all.users == 1) mid_blocks().drop_empty();
  const std::lock_guard guard(all.lock);
  if (--all.users == 0) drop_spares(all);
}

void* SpillMemory::allocate(std::size_t bytes) {
  if (bytes >= kSpillBigBlock) return allocate_big(bytes);
  if (bytes < MidBlocks::kMin) return ::operator new(bytes);
  auto& all = account();
  if (all.in_heap + bytes > kSpillMidInCore) return mid_blocks().allocate(bytes);
  all.in_heap += bytes;
  return ::operator new(bytes);
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
  if (all.in_files == 0 || resident_file_bytes() < kSpillResident) return;
  const std::lock_guard guard(all.lock);
  if (resident_file_bytes() < kSpillResident) return; // another thread did it
  for (const auto& [place, block] : all.blocks)
    if (block.in_file) ::madvise(place, block.bytes, MADV_DONTNEED);
}

SpillMemory::Lazily::Lazily() {
  ++lazy;
}
SpillMemory::Lazily::~Lazily() {
  --lazy;
}

void SpillMemory::touch(void* begin, std::size_t bytes) {
#if defined(MADV_POPULATE_WRITE)
  constexpr std::size_t kFew = 4; // pages: as quick one by one
  const auto first = whole_pages(reinterpret_cast<std::uintptr_t>(begin)),
             last = whole_pages(reinterpret_cast<std::uintptr_t>(begin) + bytes);
  if (last >= first + kFew * page_size())
    ::madvise(reinterpret_cast<void*>(first), last - first, MADV_POPULATE_WRITE);
#else
  static_cast<void>(begin), static_cast<void>(bytes);
#endif
}

std::size_t SpillMemory::bytes_in_files() {
  return account().in_files;
}

} // namespace jitterscope
