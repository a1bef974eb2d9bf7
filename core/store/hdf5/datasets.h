#pragma once

#include <cstddef>
#include <string>

#include <hdf5.h>

#include "core/base/error.h"
#include "core/store/hdf5/hdf5_handle.h"
#include "core/store/trace/column_view.h"

namespace jitterscope::store {

// Helpers shared by the reader and the writer of stores. Errors: BadInput when reading, Io when writing.

tl::unexpected<Error> damaged_store(const std::string& place);
tl::unexpected<Error> store_disk_problem(const std::string& path, const std::string& place);

/// Creates a contiguous dataset, so that its values can be mapped from the file. Invalid if it cannot be
/// created.
Hdf5Handle create_dataset(hid_t parent, const std::string& name, hid_t type, hid_t space);

/// The type in which the values of a dataset are stored; `native`: they need no conversion.
Expected<ElementType> element_type(hid_t set, const std::string& place, bool& native);

/// Number of values in a list; an error if it exceeds the size of the file.
Expected<std::size_t> row_count(hid_t set, const std::string& place, std::size_t file_bytes);

/// Reads all values of a list.
template <class Container>
Expected<Container> read_list(hid_t parent, const char* name, hid_t native, std::size_t file_bytes) {
  const Hdf5Handle set(H5Dopen2(parent, name, H5P_DEFAULT));
  if (!set.valid()) return damaged_store(name);
  auto rows = row_count(set.get(), name, file_bytes);
  if (!rows) return forward(rows.error());
  Container values(*rows, typename Container::value_type{});
  if (*rows > 0 && H5Dread(set.get(), native, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0)
    return damaged_store(name);
  return values;
}

} // namespace jitterscope::store
