#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>

#include <fcntl.h>
#include <unistd.h>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "core/base/output_file.h"
#include "core/base/parallel.h"
#include "core/base/spill_memory.h"
#include "core/base/spill_vector.h"
#include "core/store/columns/encoded_pieces.h"
#include "core/store/columns/narrow.h"
#include "core/store/format/layout.h"
#include "core/store/format/required_columns.h"
#include "core/store/format/store.h"
#include "core/store/format/wide_columns.h"
#include "core/store/hdf5/datasets.h"
#include "core/store/hdf5/hdf5_driver.h"
#include "core/store/hdf5/hdf5_handle.h"
#include "core/store/hdf5/native_type.h"
#include "core/store/hdf5/store_bytes.h"
#include "core/store/trace/resource_json.h"

namespace jitterscope::store {
namespace {

Expected<void> write_text_attribute(hid_t object, const char* name, const std::string& text) {
  Hdf5Handle type(H5Tcopy(H5T_C_S1));
  H5Tset_size(type.get(), std::max<std::size_t>(text.size(), 1));
  const Hdf5Handle space(H5Screate(H5S_SCALAR));
  const Hdf5Handle attribute(H5Acreate2(object, name, type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT));
  const std::string padded = text.empty() ? std::string(1, '\0') : text;
  if (!attribute.valid() || H5Awrite(attribute.get(), type.get(), padded.data()) < 0)
    return store_disk_problem({}, name);
  return {};
}

Expected<void> write_number_attribute(hid_t object, const char* name, std::int64_t value) {
  const Hdf5Handle space(H5Screate(H5S_SCALAR));
  const Hdf5Handle attribute(
      H5Acreate2(object, name, H5T_NATIVE_INT64, space.get(), H5P_DEFAULT, H5P_DEFAULT));
  if (!attribute.valid() || H5Awrite(attribute.get(), H5T_NATIVE_INT64, &value) < 0)
    return store_disk_problem({}, name);
  return {};
}

// Writes in pieces, so that the pages of a file-backed column can be released as soon as they are written.
// `piece_at(first, last)` returns the encoded rows.
template <class PieceAt>
Expected<Hdf5Handle> write_dataset(hid_t parent, const std::string& name, ElementType stored,
                                   std::size_t size, PieceAt&& piece_at) {
  const hid_t type = native_type(stored);
  const hsize_t rows = size;
  const Hdf5Handle space(H5Screate_simple(1, &rows, nullptr));
  Hdf5Handle set = create_dataset(parent, name, type, space.get());
  if (!set.valid()) return store_disk_problem({}, name);
  constexpr std::size_t step = std::size_t{2}
                               << 20; // 16 MiB of the widest type of values, for every stored type
  for (std::size_t row = 0; row < size; row += step) {
    const hsize_t from = row, count = std::min(step, size - row);
    const Hdf5Handle memory_space(H5Screate_simple(1, &count, nullptr));
    if (H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, &from, nullptr, &count, nullptr) < 0 ||
        H5Dwrite(set.get(), type, memory_space.get(), space.get(), H5P_DEFAULT, piece_at(row, row + count)) <
            0)
      return store_disk_problem({}, name);
    SpillMemory::relieve();
  }
  return set;
}

template <class T>
Expected<void> write_list(hid_t parent, const std::string& name, std::span<const T> values) {
  auto set = write_dataset(parent, name, ElementTypeOf<T>::value, values.size(),
                           [&](std::size_t first, std::size_t) { return values.data() + first; });
  if (!set) return forward(set.error());
  return {};
}

Expected<void> write_text(hid_t parent, const std::string& name, const std::string& text) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());
  return write_list<std::uint8_t>(parent, name, {bytes, text.size()});
}

// File and process names may be invalid UTF-8; this must not prevent writing a store.
std::string dumped(const nlohmann::json& json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Expected<void> write_strings(hid_t file, const StringTable& strings) {
  SpillVector<std::int64_t> offsets{0};
  SpillVector<std::uint8_t> bytes;
  for (const auto& text : strings.all()) {
    bytes.insert(bytes.end(), text.begin(), text.end());
    offsets.push_back(static_cast<std::int64_t>(bytes.size()));
  }
  if (auto done = write_list<std::int64_t>(file, "string_offsets", offsets); !done) return done;
  return write_list<std::uint8_t>(file, "string_bytes", bytes);
}

Expected<Hdf5Handle> write_values(hid_t group, const Column& column, const Encoding& encoding) {
  if (encoding.stored == type_of(column.values))
    return std::visit(
        [&](const auto& values) {
          return write_dataset(group, column.name, encoding.stored, values.size(),
                               [&](std::size_t first, std::size_t) { return values.data() + first; });
        },
        column.values);
  EncodedPieces pieces(column.values, encoding.stored);
  return write_dataset(group, column.name, encoding.stored, size_of(column.values),
                       [&](std::size_t first, std::size_t last) { return pieces.take(first, last); });
}

Expected<void> write_escapes(hid_t group, const std::string& column, const Escapes& escapes) {
  if (escapes.rows.empty()) return {};
  if (auto done = write_list<std::int64_t>(group, column + kEscapedRows, escapes.rows); !done) return done;
  return write_list<std::int64_t>(group, column + kEscapedValues, escapes.values);
}

// Event tables are stored as narrow as possible; times stay int64, because they are searched in place.
Encoding encoding_of(const Table& table, const Column& column) {
  if (is_event_table(table.name) && column.name != "start" && column.name != "time")
    return narrowest(column.values);
  return {type_of(column.values), {}};
}

bool names_things(const Table& table, const Column& column) {
  if (!is_event_table(table.name)) return false;
  if (column.unit == kTextUnit) return true;
  const auto required = required_columns();
  return std::any_of(required.begin(), required.end(), [&](const RequiredColumn& r) {
    return r.table == table.name && r.column == column.name &&
           (r.reference == Reference::String || r.reference == Reference::Resource);
  });
}

// Each distinct value except kNone, in order of its first row.
std::vector<std::uint32_t> distinct_of(const SpillVector<std::uint32_t>& values) {
  std::vector<std::uint32_t> found;
  std::vector<bool> seen;
  for (std::size_t row = 0; row < values.size(); ++row) {
    SpillMemory::relieve_at(row);
    const auto value = values[row];
    if (value == kNone || (value < seen.size() && seen[value])) continue;
    if (value >= seen.size()) seen.resize(value + std::size_t{1});
    seen[value] = true;
    found.push_back(value);
  }
  return found;
}

/// Properties of a column that are needed before its first value is written.
struct Prepared {
  Encoding encoding;
  std::optional<std::vector<std::uint32_t>> distinct;
};

// Reads every value of every column: columns are distributed over all processors.
std::optional<std::vector<Prepared>> prepare(const Table& table, const Job& job) {
  constexpr std::size_t kFewRows = 65'536; // fewer rows are not worth a thread
  std::vector<Prepared> prepared(table.columns.size());
  const bool whole = parallel_for(
      table.columns.size(), table.rows() < kFewRows ? 1 : worker_threads(),
      [&](std::size_t i) {
        const auto& column = table.columns[i];
        prepared[i].encoding = encoding_of(table, column);
        if (names_things(table, column))
          prepared[i].distinct = distinct_of(std::get<SpillVector<std::uint32_t>>(column.values));
      },
      job.cancelled);
  return whole ? std::optional(std::move(prepared)) : std::nullopt;
}

/// The groups of a store with the columns and their side data.
struct WrittenGroups {
  Hdf5Handle tables, escapes, distinct, wide;
};

Expected<void> write_column(hid_t group, const WrittenGroups& groups, const Table& table, std::size_t index,
                            const Prepared& prepared) {
  const auto& column = table.columns[index];
  auto set = write_values(group, column, prepared.encoding);
  if (!set) return forward(set.error());
  for (const auto& [name, text] : {std::pair{"unit", column.unit}, {"description", column.description}})
    if (auto done = write_text_attribute(set->get(), name, text); !done) return done;
  if (auto done =
          write_number_attribute(set->get(), "type", static_cast<std::int64_t>(type_of(column.values)));
      !done)
    return done;
  const auto where = table.name + "." + column.name;
  if (auto done = write_escapes(groups.escapes.get(), where, prepared.encoding.escapes); !done) return done;
  if (prepared.distinct)
    if (auto done = write_list<std::uint32_t>(groups.distinct.get(), where, *prepared.distinct); !done)
      return done;
  return write_number_attribute(set->get(), "index", static_cast<std::int64_t>(index));
}

// Links stay in the group's object header, which HDF5 protects by a checksum; its other form of storage is
// not protected, and HDF5 1.10 frees wild pointers when that is damaged.
Hdf5Handle create_group(hid_t parent, const char* name) {
  const Hdf5Handle creation(H5Pcreate(H5P_GROUP_CREATE));
  H5Pset_link_phase_change(creation.get(), 65535, 0);
  H5Pset_obj_track_times(creation.get(), false);
  return Hdf5Handle(H5Gcreate2(parent, name, H5P_DEFAULT, creation.get(), H5P_DEFAULT));
}

// From the first start to the last end.
Interval extent_of(const Table& table, bool launch_order) {
  if (!table.find("start") || !table.find("duration") || table.rows() == 0) return {};
  const auto& starts = table.get<std::int64_t>("start");
  const auto& durations = table.get<std::int64_t>("duration");
  std::int64_t end = starts.front();
  for (std::size_t row = 0; row < starts.size(); ++row) {
    SpillMemory::relieve_at(row);
    end = std::max(end, starts[row] + (launch_order ? 1 : durations[row]));
  }
  return {{starts.front()}, {end}};
}

Expected<void> write_table(const WrittenGroups& groups, const Table& table, Interval extent, const Job& job) {
  const Hdf5Handle group = create_group(groups.tables.get(), table.name.c_str());
  if (!group.valid()) return store_disk_problem({}, table.name);
  for (const auto& [name, number] : {std::pair{"rows", static_cast<std::int64_t>(table.rows())},
                                     {"begin", extent.begin.count},
                                     {"end", extent.end.count}})
    if (auto done = write_number_attribute(group.get(), name, number); !done) return done;
  const auto prepared = prepare(table, job);
  if (!prepared) return Job::cancelled_error();
  std::vector<WideColumn> wide;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (job.cancelled()) return Job::cancelled_error();
    const auto& [encoding, distinct] = (*prepared)[i];
    if (is_wide(table) && encoding.escapes.rows.empty())
      wide.push_back({&table.columns[i], i, encoding.stored, distinct ? &*distinct : nullptr});
    else if (auto done = write_column(group.get(), groups, table, i, (*prepared)[i]); !done)
      return done;
  }
  if (!wide.empty()) return write_wide_columns(groups.wide.get(), table.name, wide, job);
  return {};
}

// Sums per configuration that every session needs, so that opening one reads no launch.
Table totals_of(const TraceData& data) {
  const auto& launches = *data.find("launches");
  const auto& configurations = launches.get<std::uint32_t>("configuration");
  const auto& durations = launches.get<std::int64_t>("duration");
  const auto rows = data.find("configurations")->rows();
  SpillVector<std::int64_t> counts(rows), measured(rows), sums(rows);
  for (std::size_t row = 0; row < configurations.size(); ++row) {
    SpillMemory::relieve_at(row);
    const auto c = configurations[row];
    if (c >= rows) continue; // reported when the store is opened
    ++counts[c];
    if (durations[row] == kMissingDuration) continue;
    ++measured[c];
    sums[c] += durations[row];
  }
  Table totals{std::string(kTotalsTable), {}};
  totals.add("launches", "", "number of launches of the configuration", std::move(counts));
  totals.add("measured", "", "number of launches of the configuration whose duration is known",
             std::move(measured));
  totals.add("duration_sum", "ns", "sum of the known durations of the configuration's launches",
             std::move(sums));
  return totals;
}

bool has_wide_tables(const TraceData& data) {
  return std::any_of(data.tables.begin(), data.tables.end(), is_wide);
}

Expected<void> write_tables(hid_t file, const TraceData& data, const Job& job) {
  const WrittenGroups groups{create_group(file, "tables"), create_group(file, "escapes"),
                             create_group(file, "distinct"),
                             has_wide_tables(data) ? create_group(file, "wide") : Hdf5Handle()};
  if (!groups.tables.valid() || !groups.escapes.valid() || !groups.distinct.valid() ||
      groups.wide.valid() != has_wide_tables(data))
    return store_disk_problem({}, "tables");
  for (const auto& table : data.tables) {
    const auto extent = extent_of(table, table.name == "launches" && data.manifest.launch_order);
    if (auto done = write_table(groups, table, extent, job); !done) return done;
  }
  return write_table(groups, totals_of(data), {}, job);
}

bool ascending(std::span<const std::int64_t> values) {
  for (std::size_t row = 1; row < values.size(); ++row) {
    SpillMemory::relieve_at(row);
    if (values[row] < values[row - 1]) return false;
  }
  return true;
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
  for (const char* name : kTimedTables)
    if (!ascending(data.find(name)->get<std::int64_t>("start")))
      return failure(ErrorKind::BadInput, "rows are not sorted by start", {}, name);
  return {};
}

Expected<void> write_everything(const TraceData& data, StoreBytes& bytes, const std::string& path,
                                const Job& job) {
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS));
  H5Pset_alignment(access.get(), 1, 64); // every column starts on a cache line of the mapped file
  // The newest metadata layout carries checksums, so damage there is noticed.
  H5Pset_libver_bounds(access.get(), H5F_LIBVER_V110, H5F_LIBVER_V110);
  const Hdf5Handle file = create_hdf5(bytes, path, access.get());
  if (!file.valid()) return store_disk_problem(path, "create");
  if (auto done = write_text_attribute(file.get(), "magic", "jitterscope-store"); !done) return done;
  if (auto done = write_number_attribute(file.get(), "format_version",
                                         has_wide_tables(data) ? kWideFormatVersion : kFormatVersion);
      !done)
    return done;
  if (auto done = write_number_attribute(file.get(), kSumsAttribute, 1); !done) return done;
  if (auto done = write_strings(file.get(), data.strings); !done) return done;
  if (auto done = write_text(file.get(), "resources", dumped(to_json(data.resources))); !done) return done;
  if (auto done = write_text(file.get(), "manifest", dumped(to_json(data.manifest))); !done) return done;
  if (auto done = write_tables(file.get(), data, job); !done) return done;
  if (auto done = write_number_attribute(file.get(), "complete", 1); !done) return done;
  if (H5Fflush(file.get(), H5F_SCOPE_GLOBAL) < 0) return store_disk_problem(path, "flush");
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
  auto output = OutputFile::create(path, OutputFile::Special::Refused);
  if (!output) return forward(output.error());
  StoreBytes bytes(*output);
  Job own = job;
  own.cancelled = [&] { return bytes.problem() || job.cancelled(); }; // stop after a failed write
  const auto written = write_everything(data, bytes, path, own);
  if (written) bytes.append_sums();
  if (bytes.problem()) return forward(*bytes.problem());
  if (!written) return in_file(written.error());
  if (output->write_back(job.cancelled)) return Job::cancelled_error();
  return output->commit();
}

} // namespace jitterscope::store
