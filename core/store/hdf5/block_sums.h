#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace jitterscope::store {

// Checksums of a store: the CRC-32C of each block of kSumBlock bytes of the HDF5 file, whatever the block
// holds. They follow the end of the HDF5 data, where other programs do not read:
//
//   uint32 sums[blocks], little-endian like everything here; the last block may be shorter
//   char magic[8] = "JTSUMS01", uint64 bytes of the HDF5 data, uint32 kSumBlock,
//   uint32 CRC-32C of all of the above
//
// The HDF5 file of a store with checksums has the attribute kSumsAttribute; without it the store was written
// by an older version.

inline constexpr std::size_t kSumBlock = 4096; ///< B
inline constexpr const char* kSumsAttribute = "checksums";

struct BlockSums {
  std::uint64_t bytes = 0; ///< of the HDF5 data
  std::vector<std::uint32_t> sums;

  /// The first of the blocks [first, last) whose content does not match; `data` starts at block `first`.
  /// `last` if all match. Allocates nothing; may be called from a signal handler.
  std::size_t first_mismatch(std::size_t first, std::size_t last, const std::byte* data) const;
};

/// What follows the HDF5 data.
std::vector<std::byte> encode(const BlockSums& sums);

/// The sums at the end of a file of `file_bytes`; nothing if there are none or they are damaged.
std::optional<BlockSums> read_block_sums(int descriptor, std::uint64_t file_bytes);

/// Collects the sums while a file is written, in any order of addresses.
class SumsOfWrites {
public:
  void write(std::uint64_t at, std::span<const std::byte> bytes);
  /// The sums of a file of `bytes`. Blocks that were written in parts are read back. Nothing when that fails.
  std::optional<BlockSums> finish(int descriptor, std::uint64_t bytes);

private:
  std::vector<std::uint32_t> sums_;
  std::vector<bool> known_;
};

/// Reads exactly `size` bytes; false at the end of the file or on an error of the disk (errno is 0 at the
/// end).
bool read_whole(int descriptor, std::uint64_t at, void* out, std::size_t size);

} // namespace jitterscope::store
