#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/output_file.h"
#include "core/store/hdf5/block_sums.h"
#include "core/store/hdf5/hdf5_driver.h"

namespace jitterscope::store {

/// The bytes of a store being written. When a write fails, the first problem is kept and HDF5 continues as if
/// it had succeeded: HDF5 reads its own structures back from here, so that it can close its file. The writer
/// checks problem().
class StoreBytes final : public Hdf5Bytes {
public:
  explicit StoreBytes(OutputFile& output) : output_(output) {}
  std::uint64_t bytes() const override { return bytes_; }
  bool read(std::uint64_t at, void* out, std::size_t size) override;
  void write(std::uint64_t at, const void* data, std::size_t size, bool values) override;
  void truncate(std::uint64_t size) override;
  const std::optional<Error>& problem() const { return problem_; }
  /// Appends the checksums of all written bytes. Call it after HDF5 has closed its file.
  void append_sums();

private:
  OutputFile& output_;
  std::uint64_t bytes_ = 0;
  SumsOfWrites sums_;
  std::optional<Error> problem_;
  std::vector<std::pair<std::uint64_t, std::string>>
      refused_; ///< address and bytes of structures that were not written, in write order
};

} // namespace jitterscope::store
