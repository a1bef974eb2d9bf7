#pragma once

#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/store/store.h"

namespace jitterscope::store {

/// Where one column lies, as HDF5 tells it. `offset` is valid when `mappable`; otherwise `copy` holds the
/// data.
struct ColumnPlace {
  std::string name, unit, description;
  ElementType type = ElementType::Int64;
  std::int64_t index = 0;
  std::size_t rows = 0;
  bool mappable = false;
  std::uint64_t offset = 0;
  std::vector<std::byte> copy;
};

struct TablePlace {
  std::string name;
  std::size_t rows = 0;
  std::vector<ColumnPlace> columns;
};

/// Everything of a store file but the column data.
struct Layout {
  std::vector<std::uint64_t> string_offsets;
  std::string string_bytes;
  std::string resources; ///< JSON
  std::string manifest;  ///< JSON
  std::vector<TablePlace> tables;
};

std::size_t size_of(ElementType type);

/// Reads the file's structure and closes it. Refuses other formats, versions and unfinished files.
Expected<Layout> read_layout(const std::string& path);

} // namespace jitterscope::store
