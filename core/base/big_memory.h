#pragma once

#include <cstddef>
#include <memory>

namespace jitterscope {

/// Keeps work on data of any size inside a fixed amount of memory. While an object of this class lives, big
/// blocks that `new` hands out (growing vectors) lie in temporary files that are mapped into memory, once
/// more than kBigMemoryInCore bytes of them are in use; relieve() gives their pages back to the system, which
/// keeps them in its cache as long as there is room. The files have no name: nothing is left behind, however
/// the process ends. They lie in $TMPDIR, else in /var/tmp; when the disk is full, `new` throws
/// std::bad_alloc. Blocks of 16 kB to 1 MB are cut from such big ones once kMidMemoryInCore bytes of them are in use.
///
/// Blocks may outlive the object. Objects may be nested. Not available under address sanitizers, which watch
/// `new` themselves: there everything stays in memory.
class BigMemory {
public:
  BigMemory();
  ~BigMemory();
  BigMemory(const BigMemory&) = delete;
  BigMemory& operator=(const BigMemory&) = delete;

  /// Gives back the pages of mapped blocks when the process holds more than kBigMemoryResident bytes of
  /// files. To be called from loops over big data, every few thousand rows; costs about 5 µs, nothing without
  /// such blocks.
  static void relieve();

  /// While an object of this class lives, the pages of big blocks that its thread asks for come when they are written
  /// to, or with touch(): several threads then need not wait until one has got all of a column's.
  class Lazily {
  public:
    Lazily();
    ~Lazily();
    Lazily(const Lazily&) = delete;
    Lazily& operator=(const Lazily&) = delete;
  };
  /// Gets the pages of memory that is about to be written: many at once take less time than one after the other.
  static void touch(void* begin, std::size_t bytes);

  /// Bytes of blocks in files just now.
  static std::size_t bytes_in_files();

private:
  struct Watch; ///< a thread that calls relieve() five hundred times a second
  std::unique_ptr<Watch> watch_;
};

inline constexpr std::size_t kBigBlock = std::size_t{1} << 20;
inline constexpr std::size_t kBigMemoryInCore = std::size_t{320} << 20;
inline constexpr std::size_t kMidMemoryInCore = std::size_t{24} << 20;
inline constexpr std::size_t kBigMemoryResident = std::size_t{256} << 20;

} // namespace jitterscope
