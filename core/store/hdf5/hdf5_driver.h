#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <hdf5.h>

#include "core/store/hdf5/hdf5_handle.h"

namespace jitterscope::store {

/// The bytes of an HDF5 file. HDF5 reads and writes through this interface and opens no file by path.
class Hdf5Bytes {
public:
  virtual ~Hdf5Bytes() = default;
  /// Size of the file [B]; other data may follow HDF5's data.
  virtual std::uint64_t bytes() const = 0;
  virtual bool read(std::uint64_t at, void* out, std::size_t size) = 0;
  /// Must not fail, but only record the failure: HDF5 cannot close a file that refuses writes, and would then
  /// crash when the program ends. `values`: the bytes are contents of datasets, which HDF5 does not need for
  /// closing its file.
  virtual void write(std::uint64_t at, const void* data, std::size_t size, bool values) = 0;
  virtual void truncate(std::uint64_t size) = 0;
};

/// Creates an HDF5 file in `bytes`, which must outlive it. `access`: access property list, is modified.
Hdf5Handle create_hdf5(Hdf5Bytes& bytes, const std::string& name, hid_t access);

/// Opens the HDF5 file in `bytes` for reading; nothing is written. `bytes` must outlive it.
Hdf5Handle open_hdf5(Hdf5Bytes& bytes, const std::string& name);

} // namespace jitterscope::store
