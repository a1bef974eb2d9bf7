#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/base/error.h"
#include "core/store/hdf5/block_sums.h"
#include "core/store/hdf5/file_identity.h"
#include "core/store/hdf5/hdf5_driver.h"

namespace jitterscope::store {

/// The file of a store, opened once for all reads. HDF5 reads through it; each block that it reads is
/// compared with its checksum where the store has them, and reading a damaged block fails.
class StoreInput final : public Hdf5Bytes {
public:
  enum class Check { Blocks, Nothing };
  /// Errors: BadInput.
  static Expected<StoreInput> open(const std::string& path, Check check = Check::Blocks);
  StoreInput(StoreInput&& other) noexcept;
  StoreInput& operator=(StoreInput&&) = delete;
  ~StoreInput() override;

  const std::string& path() const { return path_; }
  int descriptor() const { return descriptor_; }
  const FileIdentity& identity() const { return identity_; }
  const std::optional<BlockSums>& sums() const { return sums_; }
  bool has_sums() const { return sums_.has_value(); }
  /// Whether a read encountered a damaged block.
  bool damaged() const { return damaged_; }
  bool begins_as_hdf5() const;
  /// Size of the HDF5 data without checksums [B].
  std::uint64_t data_bytes() const { return sums_ ? sums_->bytes : identity_.bytes; }

  std::uint64_t bytes() const override { return identity_.bytes; }
  bool read(std::uint64_t at, void* out, std::size_t size) override;
  void write(std::uint64_t, const void*, std::size_t, bool) override {}
  void truncate(std::uint64_t) override {}

private:
  StoreInput() = default;
  bool read_checked(std::uint64_t at, std::byte* out, std::size_t size);

  std::string path_;
  int descriptor_ = -1;
  FileIdentity identity_;
  std::optional<BlockSums> sums_;
  Check check_ = Check::Blocks;
  bool damaged_ = false;
};

} // namespace jitterscope::store
