#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "core/store/hdf5/block_sums.h"

namespace jitterscope::store {

/// The bytes of a file, mapped read-only and checked when they are first used.
///
/// With checksums the pages cannot be accessed at first. The first access to a unit of kGuardUnit bytes
/// raises SIGSEGV; the handler makes the unit readable and compares its checksums, so that bytes are never
/// used unchecked for longer than until the access returns. A page that the file no longer has raises SIGBUS;
/// the handler maps zeros in its place, so that the program goes on. In both cases the mapping remembers what
/// it found: ask damaged_at() and lost() after reading and before the result is used. Faults at other
/// addresses go to the handlers that were there before.
class GuardedMapping {
public:
  GuardedMapping();
  GuardedMapping(GuardedMapping&&) noexcept;
  GuardedMapping& operator=(GuardedMapping&&) noexcept;
  ~GuardedMapping();

  /// Maps the first `bytes` of the file. `sums`: of exactly these bytes, or nothing. Not valid if the file
  /// system maps nothing.
  static GuardedMapping map(int descriptor, std::size_t bytes, std::optional<BlockSums> sums);

  bool valid() const { return guard_ != nullptr; }
  const std::byte* data() const;
  std::size_t bytes() const;
  /// Start of a block with a wrong checksum among those used so far; nothing if there is none.
  std::optional<std::uint64_t> damaged_at() const;
  /// Whether bytes were used that the system could not read from the file.
  bool lost() const;

  struct Guard;

private:
  std::unique_ptr<Guard> guard_;
};

inline constexpr std::size_t kGuardUnit = std::size_t{256} << 10;

} // namespace jitterscope::store
