#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "core/store/hdf5/block_sums.h"

namespace jitterscope::store {

/// Read-only mapping of a file whose bytes are checked on first use.
///
/// With checksums, the pages are inaccessible at first. The first access to a unit of kGuardUnit bytes (more
/// in large files) raises SIGSEGV; the handler makes the unit readable and compares its checksums, so
/// unchecked bytes are never used for longer than this access. A page that the file no longer has raises
/// SIGBUS; the handler maps zeros in its place, so that the program continues. In both cases the mapping
/// records the problem: query damaged_at() and lost() after reading and before using the result. Faults at
/// other addresses are passed to the previous handlers.
class GuardedMapping {
public:
  GuardedMapping();
  GuardedMapping(GuardedMapping&&) noexcept;
  GuardedMapping& operator=(GuardedMapping&&) noexcept;
  ~GuardedMapping();

  /// Maps the first `bytes` of the file. `sums`: checksums of exactly these bytes, or nothing. The mapping is
  /// invalid if the file system does not support mmap.
  static GuardedMapping map(int descriptor, std::size_t bytes, std::optional<BlockSums> sums);

  bool valid() const { return guard_ != nullptr; }
  const std::byte* data() const;
  std::size_t bytes() const;
  /// Start of a block with a wrong checksum among those used so far; nothing if all matched.
  std::optional<std::uint64_t> damaged_at() const;
  /// Whether bytes were used that could not be read from the file.
  bool lost() const;

  struct Guard;

private:
  std::unique_ptr<Guard> guard_;
};

inline constexpr std::size_t kGuardUnit = std::size_t{256} << 10;

} // namespace jitterscope::store
