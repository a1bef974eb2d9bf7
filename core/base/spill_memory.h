#pragma once

#include <cstddef>

namespace jitterscope {

/// Memory for data that grow with the imported files (SpillVector, SpillAllocator). When big blocks use
/// more than kSpillInCore bytes, further ones are mapped from temporary files; relieve() releases their
/// pages to the system, which caches them while there is memory. The files are unnamed, so that none is
/// left behind however the process ends. They are in $TMPDIR, else in /var/tmp. Blocks of 16 kB to 1 MB are
/// cut from big ones when they use more than kSpillMidInCore bytes. All functions may be called from any
/// thread.
class SpillMemory {
public:
  /// While an object of this class exists, released big blocks are kept for reuse: faulting in fresh pages
  /// costs more than writing them. Objects may be nested; blocks may outlive them.
  SpillMemory();
  ~SpillMemory();
  SpillMemory(const SpillMemory&) = delete;
  SpillMemory& operator=(const SpillMemory&) = delete;

  /// Uninitialised memory, aligned as by operator new. Throws std::bad_alloc, also when the disk is full.
  static void* allocate(std::size_t bytes);
  /// Zeros that take no memory until they are written, for columns that are only read. Not counted: pages
  /// that are written stay in memory. Throws std::bad_alloc.
  static void* allocate_zeros(std::size_t bytes);
  /// `bytes` must be the size passed to allocate() or allocate_zeros().
  static void release(void* place, std::size_t bytes) noexcept;

  /// Unmaps the pages of file-backed blocks when more than kSpillResident bytes of them are resident. Loops
  /// over big data call it at least once for every MiB they touch; costs about 5 µs, nothing if there are no
  /// such blocks.
  static void relieve();
  /// Calls relieve() once every 32,768 rows.
  static void relieve_at(std::size_t row) {
    if (row % 32'768 == 0) relieve();
  }

  /// While an object exists, pages of big blocks that its thread allocates are faulted in on first write or
  /// by touch(). Threads then need not wait for one thread that faults in a whole column.
  class Lazily {
  public:
    Lazily();
    ~Lazily();
    Lazily(const Lazily&) = delete;
    Lazily& operator=(const Lazily&) = delete;
  };
  /// Faults in the pages of memory that is about to be written: faster for many pages at once than one by
  /// one.
  static void touch(void* begin, std::size_t bytes);

  /// Bytes of the blocks that are currently file-backed.
  static std::size_t bytes_in_files();
};

inline constexpr std::size_t kSpillBigBlock = std::size_t{1} << 20;
inline constexpr std::size_t kSpillInCore = std::size_t{320} << 20;
inline constexpr std::size_t kSpillMidInCore = std::size_t{24} << 20;
inline constexpr std::size_t kSpillResident = std::size_t{256} << 20;

} // namespace jitterscope
