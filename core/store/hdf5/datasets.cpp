#include "core/store/hdf5/datasets.h"

#include <fmt/core.h>

#include "core/store/hdf5/native_type.h"

namespace jitterscope::store {

tl::unexpected<Error> damaged_store(const std::string& place) {
  return failure(ErrorKind::BadInput, "the store is damaged", {}, place, "Import the original trace again.");
}

tl::unexpected<Error> store_disk_problem(const std::string& path, const std::string& place) {
  return failure(ErrorKind::Io, fmt::format("the store cannot be written: {}", hdf5_problem()), path, place,
                 "Check free space and permissions of the folder.");
}

// Contiguous, allocated early, no fill values; no timestamps, so that equal data give equal files.
Hdf5Handle create_dataset(hid_t parent, const std::string& name, hid_t type, hid_t space) {
  const Hdf5Handle layout(H5Pcreate(H5P_DATASET_CREATE));
  H5Pset_obj_track_times(layout.get(), false);
  H5Pset_layout(layout.get(), H5D_CONTIGUOUS);
  H5Pset_alloc_time(layout.get(), H5D_ALLOC_TIME_EARLY);
  H5Pset_fill_time(layout.get(), H5D_FILL_TIME_NEVER);
  return Hdf5Handle(H5Dcreate2(parent, name.c_str(), type, space, H5P_DEFAULT, layout.get(), H5P_DEFAULT));
}

Expected<ElementType> element_type(hid_t set, const std::string& place, bool& native) {
  using enum ElementType;
  const Hdf5Handle type(H5Dget_type(set));
  for (const auto candidate : {Int64, UInt32, UInt16, UInt8, Float32, Float64}) {
    const Hdf5Handle swapped(H5Tcopy(native_type(candidate)));
    H5Tset_order(swapped.get(), H5Tget_order(type.get()));
    if (H5Tequal(type.get(), swapped.get()) > 0) {
      native = H5Tequal(type.get(), native_type(candidate)) > 0;
      return candidate;
    }
  }
  return damaged_store(place + ": unknown element type");
}

Expected<std::size_t> row_count(hid_t set, const std::string& place, std::size_t file_bytes) {
  const Hdf5Handle space(H5Dget_space(set));
  hsize_t rows = 0;
  if (H5Sget_simple_extent_ndims(space.get()) != 1 ||
      H5Sget_simple_extent_dims(space.get(), &rows, nullptr) != 1 || rows > file_bytes)
    return damaged_store(place + ": not a list, or longer than the file");
  return static_cast<std::size_t>(rows);
}

} // namespace jitterscope::store
