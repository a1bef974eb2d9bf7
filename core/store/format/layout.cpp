#include "core/store/format/layout.h"

#include <fcntl.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include <fmt/core.h>

#include "core/store/format/wide_columns.h"
#include "core/store/hdf5/datasets.h"
#include "core/store/hdf5/hdf5_driver.h"
#include "core/store/hdf5/hdf5_handle.h"
#include "core/store/hdf5/native_type.h"
#include "core/store/hdf5/store_input.h"

namespace jitterscope::store {
namespace {

constexpr const char* kImportAgain = "Import the original trace again.";

std::string read_text_attribute(hid_t object, const char* name) {
  const Hdf5Handle attribute(H5Aopen(object, name, H5P_DEFAULT));
  if (!attribute.valid()) return {};
  const Hdf5Handle type(H5Aget_type(attribute.get()));
  const auto size = H5Tget_size(type.get());
  if (H5Tget_class(type.get()) != H5T_STRING || H5Tis_variable_str(type.get()) > 0 || size > (1u << 20))
    return {};
  std::string text(size, '\0');
  if (H5Aread(attribute.get(), type.get(), text.data()) < 0) return {};
  text.resize(std::strlen(text.c_str()));
  return text;
}

std::int64_t read_number_attribute(hid_t object, const char* name, std::int64_t otherwise) {
  const Hdf5Handle attribute(H5Aopen(object, name, H5P_DEFAULT));
  if (!attribute.valid()) return otherwise;
  const Hdf5Handle space(H5Aget_space(attribute.get()));
  std::int64_t value = otherwise;
  if (H5Sget_simple_extent_npoints(space.get()) != 1 ||
      H5Aread(attribute.get(), H5T_NATIVE_INT64, &value) < 0)
    return otherwise;
  return value;
}

/// Asks the system to read parts of a file ahead: reading a column from a cold disk then takes one transfer
/// and not a sequence of waits.
class ReadAhead {
public:
  explicit ReadAhead(int descriptor) : descriptor_(descriptor) {}
  void expect(haddr_t offset, std::size_t bytes) const { // only a hint: the result is ignored
    if (offset != HADDR_UNDEF)
      ::posix_fadvise(descriptor_, static_cast<off_t>(offset), static_cast<off_t>(bytes),
                      POSIX_FADV_WILLNEED);
  }

private:
  int descriptor_;
};

// Determines whether the column can be mapped; otherwise reads it.
Expected<void> locate(hid_t set, bool may_map, std::size_t file_bytes, const ReadAhead* ahead,
                      ColumnPlace& place) {
  const Hdf5Handle layout(H5Dget_create_plist(set));
  const bool plain = may_map && H5Pget_layout(layout.get()) == H5D_CONTIGUOUS &&
                     H5Pget_nfilters(layout.get()) == 0 && H5Pget_external_count(layout.get()) == 0;
  const auto bytes = place.rows * size_of(place.stored);
  const haddr_t offset = plain && bytes > 0 ? H5Dget_offset(set) : HADDR_UNDEF;
  if (offset != HADDR_UNDEF && offset % size_of(place.stored) == 0) {
    if (offset > file_bytes || bytes > file_bytes - offset)
      return damaged_store(place.name + " is outside the file");
    place.mappable = true;
    place.offset = offset;
    return {};
  }
  if (ahead && H5Pget_layout(layout.get()) == H5D_CONTIGUOUS && bytes > 0)
    ahead->expect(H5Dget_offset(set), bytes);
  place.copy.resize(bytes);
  if (bytes > 0 &&
      H5Dread(set, native_type(place.stored), H5S_ALL, H5S_ALL, H5P_DEFAULT, place.copy.data()) < 0)
    return damaged_store(place.name + ": " + hdf5_problem());
  return {};
}

Expected<ColumnPlace> read_column(hid_t group, const std::string& table, const std::string& name,
                                  const ReadAhead* whole, std::size_t file_bytes) {
  const std::string where = table + "." + name;
  const Hdf5Handle set(H5Dopen2(group, name.c_str(), H5P_DEFAULT));
  if (!set.valid()) return damaged_store(where);
  ColumnPlace place;
  place.name = name;
  bool native = false;
  auto stored = element_type(set.get(), where, native);
  if (!stored) return forward(stored.error());
  place.stored = *stored;
  const auto type = read_number_attribute(set.get(), "type", -1);
  if (type < 0 || type > static_cast<std::int64_t>(ElementType::UInt16) ||
      !may_be_stored_as(static_cast<ElementType>(type), place.stored))
    return damaged_store(where + ": the layout of its values does not fit their type");
  place.type = static_cast<ElementType>(type);
  auto rows = row_count(set.get(), where, file_bytes);
  if (!rows) return forward(rows.error());
  place.rows = *rows;
  place.unit = read_text_attribute(set.get(), "unit");
  place.description = read_text_attribute(set.get(), "description");
  place.index = read_number_attribute(set.get(), "index", 0);
  if (auto found = locate(set.get(), native && !whole, file_bytes, whole, place); !found)
    return forward(found.error());
  return place;
}

// Collects all link names in one iteration: a lookup by index would search among all links each time.
Expected<std::vector<std::string>> link_names(hid_t group, const std::string& place) {
  H5G_info_t info;
  if (H5Gget_info(group, &info) < 0 || info.nlinks > 100000) return damaged_store(place);
  std::vector<std::string> names;
  const auto add_name = [](hid_t, const char* name, const H5L_info_t*, void* into) -> herr_t {
    try {
      static_cast<std::vector<std::string>*>(into)->emplace_back(name);
      return 0;
    } catch (const std::bad_alloc&) {
      return -1;
    }
  };
  if (H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, nullptr, add_name, &names) < 0 ||
      names.size() != info.nlinks)
    return damaged_store(place);
  return names;
}

Expected<Escapes> read_escapes(hid_t group, const std::string& column, std::size_t rows,
                               std::size_t file_bytes) {
  Escapes escapes;
  if (H5Lexists(group, (column + kEscapedRows).c_str(), H5P_DEFAULT) <= 0) return escapes;
  for (auto [part, target] : {std::pair{kEscapedRows, &escapes.rows}, {kEscapedValues, &escapes.values}}) {
    auto list =
        read_list<std::vector<std::int64_t>>(group, (column + part).c_str(), H5T_NATIVE_INT64, file_bytes);
    if (!list) return forward(list.error());
    *target = std::move(*list);
  }
  const bool inside = escapes.rows.empty() ||
                      (escapes.rows.front() >= 0 && escapes.rows.back() < static_cast<std::int64_t>(rows));
  if (escapes.rows.size() != escapes.values.size() || !inside ||
      !std::is_sorted(escapes.rows.begin(), escapes.rows.end()))
    return damaged_store(column + ": escapes");
  return escapes;
}

/// The groups of a store with the columns and their side data.
struct Groups {
  Hdf5Handle tables, escapes, distinct;
  Hdf5Handle wide;                  ///< group "wide"; invalid in stores without wide tables
  const ReadAhead* whole = nullptr; ///< set if whole columns are read; null: columns are mapped
};

Expected<void> read_extras(const Groups& groups, const std::string& where, std::size_t file_bytes,
                           ColumnPlace& column) {
  auto escapes = read_escapes(groups.escapes.get(), where, column.rows, file_bytes);
  if (!escapes) return forward(escapes.error());
  column.escapes = std::move(*escapes);
  if (H5Lexists(groups.distinct.get(), where.c_str(), H5P_DEFAULT) <= 0) return {};
  auto distinct = read_list<std::vector<std::uint32_t>>(groups.distinct.get(), where.c_str(),
                                                        H5T_NATIVE_UINT32, file_bytes);
  if (!distinct) return forward(distinct.error());
  column.distinct = std::move(*distinct);
  return {};
}

Expected<TablePlace> read_table(const Groups& groups, const std::string& name, std::size_t file_bytes) {
  const Hdf5Handle group(H5Gopen2(groups.tables.get(), name.c_str(), H5P_DEFAULT));
  if (!group.valid()) return damaged_store(name);
  TablePlace table;
  table.name = name;
  table.rows = static_cast<std::size_t>(read_number_attribute(group.get(), "rows", -1));
  table.begin = read_number_attribute(group.get(), "begin", 0);
  table.end = read_number_attribute(group.get(), "end", 0);
  auto names = link_names(group.get(), name);
  if (!names) return forward(names.error());
  for (const auto& column_name : *names) {
    auto column = read_column(group.get(), name, column_name, groups.whole, file_bytes);
    if (!column) return forward(column.error());
    const auto where = name + "." + column_name;
    if (column->rows != table.rows) return damaged_store(where + ": columns differ in length");
    if (auto done = read_extras(groups, where, file_bytes, *column); !done) return forward(done.error());
    table.columns.push_back(std::move(*column));
  }
  if (groups.wide.valid())
    if (auto done = read_wide_columns(groups.wide.get(), table, groups.whole != nullptr, file_bytes); !done)
      return forward(done.error());
  std::sort(table.columns.begin(), table.columns.end(),
            [](const ColumnPlace& a, const ColumnPlace& b) { return a.index < b.index; });
  return table;
}

Expected<void> check_identity(hid_t file) {
  if (read_text_attribute(file, "magic") != "jitterscope-store")
    return failure(ErrorKind::BadInput, "this HDF5 file is not a Jitterscope store", {}, {},
                   "Open a store that \"jitterscope import\" wrote, or the profiler's own file.");
  const auto version = read_number_attribute(file, "format_version", -1);
  if (version != kFormatVersion && version != kWideFormatVersion)
    return failure(ErrorKind::BadInput,
                   fmt::format("the store has format version {}, this program reads versions {} and {}",
                               version, kFormatVersion, kWideFormatVersion),
                   {}, "format_version", kImportAgain);
  if (read_number_attribute(file, "complete", 0) != 1)
    return failure(ErrorKind::BadInput, "the store is unfinished", {}, "complete", kImportAgain);
  return {};
}

Expected<Layout> read_open_file(hid_t file, const ReadAhead* whole, std::size_t file_bytes, const Job& job) {
  if (auto identity = check_identity(file); !identity) return forward(identity.error());
  Layout layout;
  auto offsets = read_list<std::vector<std::uint64_t>>(file, "string_offsets", H5T_NATIVE_UINT64, file_bytes);
  if (!offsets) return forward(offsets.error());
  layout.string_offsets = std::move(*offsets);
  for (auto [name, target] : {std::pair{"string_bytes", &layout.string_bytes},
                              {"resources", &layout.resources},
                              {"manifest", &layout.manifest}}) {
    auto text = read_list<std::string>(file, name, H5T_NATIVE_UINT8, file_bytes);
    if (!text) return forward(text.error());
    *target = std::move(*text);
  }
  const auto open_group = [&](const char* name) { return Hdf5Handle(H5Gopen2(file, name, H5P_DEFAULT)); };
  const bool has_wide = H5Lexists(file, "wide", H5P_DEFAULT) > 0;
  const Groups groups{open_group("tables"), open_group("escapes"), open_group("distinct"),
                      has_wide ? open_group("wide") : Hdf5Handle(), whole};
  if (!groups.tables.valid() || !groups.escapes.valid() || !groups.distinct.valid())
    return damaged_store("tables");
  auto names = link_names(groups.tables.get(), "tables");
  if (!names) return forward(names.error());
  for (const auto& name : *names) {
    if (job.cancelled()) return Job::cancelled_error();
    auto table = read_table(groups, name, file_bytes);
    if (!table) return forward(table.error());
    layout.tables.push_back(std::move(*table));
  }
  return layout;
}

} // namespace

bool is_event_table(std::string_view name) {
  return name == "samples" ||
         std::find(std::begin(kTimedTables), std::end(kTimedTables), name) != std::end(kTimedTables);
}

Expected<Layout> read_layout(StoreInput& input, bool whole, const Job& job) {
  silence_hdf5();
  const auto& path = input.path();
  const Hdf5Handle file = open_hdf5(input, path);
  if (!file.valid()) {
    if (!input.begins_as_hdf5())
      return failure(ErrorKind::BadInput, "the file is not a Jitterscope store", path, {},
                     "Import profiler files with \"jitterscope import FILE -o STORE.jts\".");
    return failure(
        ErrorKind::BadInput, "the file begins as HDF5, but is damaged", path, hdf5_problem(),
        "For a Jitterscope store, import the original trace again. For Nsight Systems: nsys export "
        "--type sqlite "
        "REPORT.nsys-rep.");
  }
  const ReadAhead ahead(input.descriptor());
  auto layout =
      read_open_file(file.get(), whole ? &ahead : nullptr, static_cast<std::size_t>(input.bytes()), job);
  // HDF5 reports an unreadable link as a missing one, so checksum mismatches take precedence over the result
  // of HDF5.
  if (layout && input.damaged()) layout = damaged_store("structure of the file");
  if (layout && !input.has_sums() && read_number_attribute(file.get(), kSumsAttribute, 0) != 0)
    layout = damaged_store("checksums at the end of the file");
  if (!layout) {
    Error error = layout.error();
    error.file = path;
    if (!path.ends_with(".jts"))
      error.hint +=
          " If it is another tool's file in HDF5, open another export of it (Nsight Systems: nsys export "
          "--type sqlite REPORT.nsys-rep).";
    return forward(std::move(error));
  }
  return layout;
}

} // namespace jitterscope::store
