#include "core/store/format/wide_columns.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_set>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/base/spill_memory.h"
#include "core/store/hdf5/datasets.h"
#include "core/store/hdf5/native_type.h"

namespace jitterscope::store {
namespace {

using enum ElementType;

constexpr std::array kTypes = {Int64, UInt32, UInt8, Float32, Float64, UInt16};

std::string name_of(ElementType type) {
  constexpr std::array kTypeNames = {"int64", "uint32", "uint8", "float32", "float64", "uint16"};
  return kTypeNames[static_cast<std::size_t>(type)];
}

Expected<void> write_list(hid_t wide, const std::string& name, hid_t type, std::size_t size,
                          const void* values) {
  const hsize_t rows = size;
  const Hdf5Handle space(H5Screate_simple(1, &rows, nullptr));
  const Hdf5Handle set = create_dataset(wide, name, type, space.get());
  if (!set.valid() || (size > 0 && H5Dwrite(set.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0))
    return store_disk_problem({}, name);
  return {};
}

// Writes many columns per call: a call of HDF5 costs more than writing a short column.
Expected<void> write_matrix(hid_t wide, const std::string& name, ElementType stored, std::size_t rows,
                            std::span<const WideColumn* const> columns, const Job& job) {
  constexpr std::size_t kMaxValues = std::size_t{2} << 20; // 16 MiB of the widest type, for every stored type
  const hid_t type = native_type(stored);
  const std::array<hsize_t, 2> extent = {columns.size(), rows};
  const Hdf5Handle space(H5Screate_simple(2, extent.data(), nullptr));
  const Hdf5Handle set = create_dataset(wide, name, type, space.get());
  if (!set.valid()) return store_disk_problem({}, name);
  const auto bytes = rows * size_of(stored), step = std::max<std::size_t>(kMaxValues / rows, 1);
  std::vector<std::byte> some;
  for (std::size_t first = 0; first < columns.size(); first += step) {
    if (job.cancelled()) return Job::cancelled_error();
    const std::array<hsize_t, 2> from = {first, 0}, count = {std::min(step, columns.size() - first), rows};
    some.resize(count[0] * bytes);
    for (std::size_t i = 0; i < count[0]; ++i)
      encode(columns[first + i]->column->values, stored, 0, rows, some.data() + i * bytes);
    const Hdf5Handle memory(H5Screate_simple(2, count.data(), nullptr));
    if (H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, from.data(), nullptr, count.data(), nullptr) < 0 ||
        H5Dwrite(set.get(), type, memory.get(), space.get(), H5P_DEFAULT, some.data()) < 0)
      return store_disk_problem({}, name);
    SpillMemory::relieve();
  }
  return {};
}

/// Position of a matrix in the file, or its values if they cannot be mapped.
struct Matrix {
  bool mappable = false;
  haddr_t offset = 0;
  std::vector<std::byte> copy;
};

Expected<Matrix> find_matrix(hid_t wide, const std::string& name, ElementType stored, std::size_t columns,
                             std::size_t rows, bool whole, std::size_t file_bytes) {
  const Hdf5Handle set(H5Dopen2(wide, name.c_str(), H5P_DEFAULT));
  if (!set.valid()) return damaged_store(name);
  bool native = false;
  const auto type = element_type(set.get(), name, native);
  if (!type) return forward(type.error());
  const Hdf5Handle space(H5Dget_space(set.get())), layout(H5Dget_create_plist(set.get()));
  std::array<hsize_t, 2> extent{};
  const auto room = file_bytes / size_of(stored); // maximum number of values in the file
  if (*type != stored || H5Sget_simple_extent_ndims(space.get()) != 2 ||
      H5Sget_simple_extent_dims(space.get(), extent.data(), nullptr) != 2 || extent[0] != columns ||
      extent[1] != rows || rows == 0 || columns > room / rows)
    return damaged_store(name + ": its shape differs from that of its table");
  Matrix matrix;
  const auto bytes = columns * rows * size_of(stored);
  const bool plain = H5Pget_layout(layout.get()) == H5D_CONTIGUOUS && H5Pget_nfilters(layout.get()) == 0 &&
                     H5Pget_external_count(layout.get()) == 0;
  matrix.offset = plain ? H5Dget_offset(set.get()) : HADDR_UNDEF;
  matrix.mappable = native && !whole && matrix.offset != HADDR_UNDEF && matrix.offset % size_of(stored) == 0;
  if (matrix.mappable) {
    if (matrix.offset > file_bytes || bytes > file_bytes - matrix.offset)
      return damaged_store(name + " is outside the file");
    return matrix;
  }
  matrix.copy.resize(bytes);
  if (H5Dread(set.get(), native_type(stored), H5S_ALL, H5S_ALL, H5P_DEFAULT, matrix.copy.data()) < 0)
    return damaged_store(name + ": " + hdf5_problem());
  return matrix;
}

// `distinct`: number of distinct references of the column in its table's list.
Expected<ColumnPlace> described(const nlohmann::json& entry, std::int64_t& distinct,
                                const std::string& place) {
  const auto damaged = [&] { return damaged_store(place + " does not describe columns"); };
  if (!entry.is_array() || entry.size() != 7) return damaged();
  for (std::size_t i = 0; i < entry.size(); ++i)
    if (i < 3 ? !entry[i].is_string() : !entry[i].is_number_integer()) return damaged();
  const auto type = entry[3].get<std::int64_t>(), stored = entry[4].get<std::int64_t>();
  constexpr auto kMax = static_cast<std::int64_t>(kTypes.size());
  if (type < 0 || type >= kMax || stored < 0 || stored >= kMax ||
      !may_be_stored_as(static_cast<ElementType>(type), static_cast<ElementType>(stored)))
    return damaged_store(place + ": the layout of values does not fit their type");
  ColumnPlace column;
  column.name = entry[0].get<std::string>();
  column.unit = entry[1].get<std::string>();
  column.description = entry[2].get<std::string>();
  column.type = static_cast<ElementType>(type);
  column.stored = static_cast<ElementType>(stored);
  column.index = entry[5].get<std::int64_t>();
  distinct = entry[6].get<std::int64_t>();
  return column;
}

Expected<std::vector<ColumnPlace>> read_descriptions(hid_t wide, const std::string& table,
                                                     std::size_t file_bytes) {
  const auto where = table + ".columns";
  const auto text = read_list<std::string>(wide, where.c_str(), H5T_NATIVE_UINT8, file_bytes);
  if (!text) return forward(text.error());
  const auto names = read_list<std::vector<std::uint32_t>>(wide, (table + ".distinct").c_str(),
                                                           H5T_NATIVE_UINT32, file_bytes);
  if (!names) return forward(names.error());
  const auto json = nlohmann::json::parse(*text, nullptr, false);
  if (!json.is_array()) return damaged_store(where);
  std::vector<ColumnPlace> columns;
  std::size_t next = 0; // in the list of distinct references
  for (const auto& entry : json) {
    std::int64_t distinct = -1;
    auto column = described(entry, distinct, where);
    if (!column) return forward(column.error());
    if (distinct > 0) {
      if (static_cast<std::uint64_t>(distinct) > names->size() - next)
        return damaged_store(table + ".distinct");
      const auto first = names->begin() + static_cast<std::ptrdiff_t>(next);
      column->distinct.assign(first, first + static_cast<std::ptrdiff_t>(distinct));
      next += static_cast<std::size_t>(distinct);
    }
    columns.push_back(std::move(*column));
  }
  return columns;
}

bool names_differ(const std::vector<ColumnPlace>& columns) {
  std::unordered_set<std::string_view> names;
  return std::all_of(columns.begin(), columns.end(),
                     [&](const ColumnPlace& column) { return names.insert(column.name).second; });
}

} // namespace

Expected<void> write_wide_columns(hid_t wide, const std::string& table, std::span<const WideColumn> columns,
                                  const Job& job) {
  auto json = nlohmann::json::array();
  std::vector<std::uint32_t> distinct;
  for (const auto& [column, index, stored, names] : columns) {
    json.push_back({column->name, column->unit, column->description,
                    static_cast<int>(type_of(column->values)), static_cast<int>(stored), index,
                    names ? static_cast<std::int64_t>(names->size()) : -1});
    if (names) distinct.insert(distinct.end(), names->begin(), names->end());
  }
  const auto text = json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  if (auto done = write_list(wide, table + ".columns", H5T_NATIVE_UINT8, text.size(), text.data()); !done)
    return done;
  if (auto done = write_list(wide, table + ".distinct", H5T_NATIVE_UINT32, distinct.size(), distinct.data());
      !done)
    return done;
  for (const auto type : kTypes) {
    std::vector<const WideColumn*> some;
    for (const auto& column : columns)
      if (column.stored == type) some.push_back(&column);
    if (some.empty()) continue;
    if (auto done = write_matrix(wide, table + "." + name_of(type), type,
                                 size_of(some.front()->column->values), some, job);
        !done)
      return done;
  }
  return {};
}

Expected<void> read_wide_columns(hid_t wide, TablePlace& table, bool whole, std::size_t file_bytes) {
  if (H5Lexists(wide, (table.name + ".columns").c_str(), H5P_DEFAULT) <= 0) return {};
  auto columns = read_descriptions(wide, table.name, file_bytes);
  if (!columns) return forward(columns.error());
  for (const auto type : kTypes) {
    const auto has_type = [&](const ColumnPlace& column) { return column.stored == type; };
    const auto count = static_cast<std::size_t>(std::count_if(columns->begin(), columns->end(), has_type));
    if (count == 0) continue;
    const auto matrix =
        find_matrix(wide, table.name + "." + name_of(type), type, count, table.rows, whole, file_bytes);
    if (!matrix) return forward(matrix.error());
    const auto bytes = table.rows * size_of(type);
    std::size_t at = 0;
    for (auto& column : *columns) {
      if (!has_type(column)) continue;
      column.rows = table.rows;
      column.mappable = matrix->mappable;
      if (matrix->mappable)
        column.offset = matrix->offset + at;
      else
        column.copy.assign(matrix->copy.begin() + static_cast<std::ptrdiff_t>(at),
                           matrix->copy.begin() + static_cast<std::ptrdiff_t>(at + bytes));
      at += bytes;
    }
  }
  std::move(columns->begin(), columns->end(), std::back_inserter(table.columns));
  if (!names_differ(table.columns)) return damaged_store(table.name + ": two columns have one name");
  return {};
}

} // namespace jitterscope::store
