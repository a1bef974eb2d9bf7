#pragma once

#include <utility>

#include <hdf5.h>

namespace jitterscope::store {

/// Owns one HDF5 identifier of any kind.
class Hdf5Handle {
public:
  Hdf5Handle() = default;
  explicit Hdf5Handle(hid_t id) : id_(id) {}
  Hdf5Handle(Hdf5Handle&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)) {}
  Hdf5Handle& operator=(Hdf5Handle&& other) noexcept {
    std::swap(id_, other.id_);
    return *this;
  }
  ~Hdf5Handle();
  hid_t get() const { return id_; }
  bool valid() const { return id_ >= 0; }

private:
  hid_t id_ = H5I_INVALID_HID;
};

/// Stops HDF5 from printing its error stack: errors are reported by Jitterscope's messages.
void silence_hdf5();

/// The innermost message of HDF5's error stack, empty when there is none.
const char* hdf5_problem();

} // namespace jitterscope::store
