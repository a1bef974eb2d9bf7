#include <algorithm>
#include <cstdio>
#include <filesystem>

#include <fcntl.h>
#include <unistd.h>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "core/base/big_memory.h"
#include "core/store/hdf5_handle.h"
#include "core/store/partial_file.h"
#include "core/store/required_columns.h"
#include "core/store/resource_json.h"
#include "core/store/store.h"

namespace jitterscope::store {
namespace {

template <class T>
hid_t native_type();
template <>
hid_t native_type<std::int64_t>() {
  return H5T_NATIVE_INT64;
}
template <>
hid_t native_type<std::uint64_t>() {
  return H5T_NATIVE_UINT64;
}
template <>
hid_t native_type<std::uint32_t>() {
  return H5T_NATIVE_UINT32;
}
template <>
hid_t native_type<std::uint8_t>() {
  return H5T_NATIVE_UINT8;
}
template <>
hid_t native_type<float>() {
  return H5T_NATIVE_FLOAT;
}
template <>
hid_t native_type<double>() {
  return H5T_NATIVE_DOUBLE;
}

tl::unexpected<Error> disk_problem(const std::string& path, const std::string& place) {
  return failure(ErrorKind::Io, fmt::format("the store cannot be written: {}", hdf5_problem()), path, place,
                 "Check free space and permissions of the folder.");
}

Expected<void> write_text_attribute(hid_t object, const char* name, const std::string& text) {
  Hdf5Handle type(H5Tcopy(H5T_C_S1));
  H5Tset_size(type.get(), std::max<std::size_t>(text.size(), 1));
  const Hdf5Handle space(H5Screate(H5S_SCALAR));
  const Hdf5Handle attribute(H5Acreate2(object, name, type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT));
  const std::string padded = text.empty() ? std::string(1, '\0') : text;
  if (!attribute.valid() || H5Awrite(attribute.get(), type.get(), padded.data()) < 0)
    return disk_problem({}, name);
  return {};
}

Expected<void> write_number_attribute(hid_t object, const char* name, std::int64_t value) {
  const Hdf5Handle space(H5Screate(H5S_SCALAR));
  const Hdf5Handle attribute(
      H5Acreate2(object, name, H5T_NATIVE_INT64, space.get(), H5P_DEFAULT, H5P_DEFAULT));
  if (!attribute.valid() || H5Awrite(attribute.get(), H5T_NATIVE_INT64, &value) < 0)
    return disk_problem({}, name);
  return {};
}

// In pieces, so that the pages of a column that lies in a file can go as soon as they are written.
template <class T>
bool write_values(hid_t set, hid_t file_space, std::span<const T> values) {
  constexpr std::size_t kPiece = (std::size_t{16} << 20) / sizeof(T);
  for (std::size_t first = 0; first < values.size(); first += kPiece) {
    const hsize_t from = first, count = std::min(kPiece, values.size() - first);
    const Hdf5Handle memory_space(H5Screate_simple(1, &count, nullptr));
    if (H5Sselect_hyperslab(file_space, H5S_SELECT_SET, &from, nullptr, &count, nullptr) < 0 ||
        H5Dwrite(set, native_type<T>(), memory_space.get(), file_space, H5P_DEFAULT, values.data() + first) <
            0)
      return false;
    BigMemory::relieve();
  }
  return true;
}

// Contiguous, allocated at once, never filled: the data can be mapped straight from the file.
template <class T>
Expected<Hdf5Handle> write_dataset(hid_t parent, const std::string& name, std::span<const T> values) {
  const hsize_t rows = values.size();
  const Hdf5Handle space(H5Screate_simple(1, &rows, nullptr));
  const Hdf5Handle layout(H5Pcreate(H5P_DATASET_CREATE));
  H5Pset_layout(layout.get(), H5D_CONTIGUOUS);
  H5Pset_alloc_time(layout.get(), H5D_ALLOC_TIME_EARLY);
  H5Pset_fill_time(layout.get(), H5D_FILL_TIME_NEVER);
  Hdf5Handle set(H5Dcreate2(parent, name.c_str(), native_type<T>(), space.get(), H5P_DEFAULT, layout.get(),
                            H5P_DEFAULT));
  if (!set.valid()) return disk_problem({}, name);
  if (!write_values(set.get(), space.get(), values)) return disk_problem({}, name);
  return set;
}

Expected<void> write_text(hid_t parent, const std::string& name, const std::string& text) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());
  auto set = write_dataset<std::uint8_t>(parent, name, {bytes, text.size()});
  if (!set) return forward(set.error());
  return {};
}

// File names and names of processes need not be valid UTF-8; a store is written all the same.
std::string dumped(const nlohmann::json& json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Expected<void> write_strings(hid_t file, const StringTable& strings) {
  std::vector<std::uint64_t> offsets{0};
  std::string bytes;
  for (const auto& text : strings.all()) {
    bytes += text;
    offsets.push_back(bytes.size());
  }
  if (auto set = write_dataset<std::uint64_t>(file, "string_offsets", offsets); !set)
    return forward(set.error());
  return write_text(file, "string_bytes", bytes);
}

Expected<void> write_column(hid_t group, const Column& column, std::size_t index) {
  auto set = std::visit(
      [&](const auto& values) {
        using T = typename std::decay_t<decltype(values)>::value_type;
        return write_dataset<T>(group, column.name, values);
      },
      column.values);
  if (!set) return forward(set.error());
  for (const auto& [name, text] : {std::pair{"unit", column.unit}, {"description", column.description}})
    if (auto done = write_text_attribute(set->get(), name, text); !done) return done;
  return write_number_attribute(set->get(), "index", static_cast<std::int64_t>(index));
}

// Links stay in the group's object header, which HDF5 protects by a checksum; its other form of storage is
// not protected, and HDF5 1.10 frees wild pointers when that is damaged.
Hdf5Handle create_group(hid_t parent, const char* name) {
  const Hdf5Handle creation(H5Pcreate(H5P_GROUP_CREATE));
  H5Pset_link_phase_change(creation.get(), 65535, 0);
  return Hdf5Handle(H5Gcreate2(parent, name, H5P_DEFAULT, creation.get(), H5P_DEFAULT));
}

Expected<void> write_table(hid_t tables, const Table& table, const Job& job) {
  const Hdf5Handle group = create_group(tables, table.name.c_str());
  if (!group.valid()) return disk_problem({}, table.name);
  if (auto done = write_number_attribute(group.get(), "rows", static_cast<std::int64_t>(table.rows())); !done)
    return done;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (job.cancelled()) return Job::cancelled_error();
    if (auto done = write_column(group.get(), table.columns[i], i); !done) return done;
  }
  return {};
}

Expected<void> check_shape(const TraceData& data) {
  for (const auto& required : required_columns()) {
    const Table* table = data.find(required.table);
    const Column* column = table ? table->find(required.column) : nullptr;
    if (!column || column->values.index() != static_cast<std::size_t>(required.type))
      return failure(ErrorKind::BadInput, "a required column is missing or has another type", {},
                     fmt::format("{}.{}", required.table, required.column));
  }
  for (const auto& table : data.tables)
    for (const auto& column : table.columns)
      if (size_of(column.values) != table.rows())
        return failure(ErrorKind::BadInput, "columns of one table differ in length", {},
                       fmt::format("{}.{}", table.name, column.name));
  for (const char* name : {"launches", "transfers", "calls", "ranges", "messages"})
    if (const auto& start = data.find(name)->get<std::int64_t>("start");
        !std::is_sorted(start.begin(), start.end()))
      return failure(ErrorKind::BadInput, "rows are not sorted by start", {}, name);
  return {};
}

Expected<void> write_everything(const TraceData& data, const std::string& path, const Job& job) {
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS));
  H5Pset_alignment(access.get(), 1, 64); // every column starts on a cache line of the mapped file
  // The newest metadata layout carries checksums, so damage there is noticed.
  H5Pset_libver_bounds(access.get(), H5F_LIBVER_V110, H5F_LIBVER_V110);
  const Hdf5Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get()));
  if (!file.valid()) return disk_problem(path, "create");
  if (auto done = write_text_attribute(file.get(), "magic", "jitterscope-store"); !done) return done;
  if (auto done = write_number_attribute(file.get(), "format_version", kFormatVersion); !done) return done;
  if (auto done = write_strings(file.get(), data.strings); !done) return done;
  if (auto done = write_text(file.get(), "resources", dumped(to_json(data.resources))); !done) return done;
  if (auto done = write_text(file.get(), "manifest", dumped(to_json(data.manifest))); !done) return done;
  {
    const Hdf5Handle tables = create_group(file.get(), "tables");
    if (!tables.valid()) return disk_problem(path, "tables");
    for (const auto& table : data.tables)
      if (auto done = write_table(tables.get(), table, job); !done) return done;
  }
  if (auto done = write_number_attribute(file.get(), "complete", 1); !done) return done;
  if (H5Fflush(file.get(), H5F_SCOPE_GLOBAL) < 0) return disk_problem(path, "flush");
  return {};
}

} // namespace

Expected<void> write_store(const TraceData& data, const std::string& path, const Job& job) {
  silence_hdf5();
  auto in_file = [&](Error error) {
    error.file = path;
    return forward(std::move(error));
  };
  if (auto shape = check_shape(data); !shape) return in_file(shape.error());
  PartialFile partial(path);
  if (auto written = write_everything(data, partial.name(), job); !written) return in_file(written.error());
  return partial.publish();
}

} // namespace jitterscope::store
