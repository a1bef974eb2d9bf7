#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace jitterscope::store {

// Checksums of a store: the CRC-32C of each block of kSumBlock bytes of the HDF5 file, for any content. They
// are appended to the HDF5 data, where other programs do not read:
//
//   uint32 sums[blocks], little-endian like everything here; the last block may be shorter
//   char magic[8] = "JTSUMS01", uint64 bytes of the HDF5 data, uint32 kSumBlock,
//   uint32 CRC-32C of all of the above
//
// The HDF5 file of a store with checksums has the attribute kSumsAttribute; without it the store was written
// by an older version.

inline constexpr std::size_t kSumBlock = 4096; ///< size of a block [B]
inline constexpr const char* kSumsAttribute = "checksums";

struct BlockSums {
  std::uint64_t bytes = 0; ///< size of the HDF5 data, which the checksums cover [B]
  std::vector<std::uint32_t> sums;

  /// Returns the first of the blocks [first, last) whose content does not match; `data` starts at block
  /// `first`. Returns `last` if all match. Allocates nothing; may be called from a signal handler.
  std::size_t first_mismatch(std::size_t first, std::size_t last, const std::byte* data) const;
};

/// Encodes the trailer that is appended to the HDF5 data.
std::vector<std::byte> encode(const BlockSums& sums);

/// Reads the trailer of a file of `file_bytes`; nothing if there is none or it is damaged.
std::optional<BlockSums> read_block_sums(int descriptor, std::uint64_t file_bytes);

/// Computes the checksums while a file is written, in any order of addresses.
class SumsOfWrites {
public:
  void write(std::uint64_t at, std::span<const std::byte> bytes);
  /// Checksums of a file of `bytes`. Blocks written in parts are read back. Nothing if that fails.
  std::optional<BlockSums> finish(int descriptor, std::uint64_t bytes);

private:
  std::vector<std::uint32_t> sums_;
  std::vector<bool> known_;
};

/// Reads exactly `size` bytes; false at the end of the file (errno is then 0) or on a disk error (errno is
/// set).
bool read_all(int descriptor, std::uint64_t at, void* out, std::size_t size);

} // namespace jitterscope::store
