#include "core/store/format/store.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <filesystem>
#include <tuple>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "core/store/format/damaged_rows.h"
#include "core/store/format/layout.h"
#include "core/store/format/open_checks.h"
#include "core/store/format/required_columns.h"
#include "core/store/hdf5/datasets.h"
#include "core/store/hdf5/file_identity.h"
#include "core/store/hdf5/guarded_mapping.h"
#include "core/store/hdf5/store_input.h"
#include "core/store/trace/resource_json.h"

namespace jitterscope::store {
struct Store::Content {
  std::string path;
  Manifest manifest;
  std::vector<Resource> resources;
  Layout layout;
  FileIdentity identity;
  bool has_checksums = false;
  GuardedMapping mapping;
  std::vector<TableView> tables;
};

const ColumnView* TableView::find(std::string_view column) const {
  const auto found =
      std::find_if(columns.begin(), columns.end(), [&](const ColumnView& c) { return c.name == column; });
  return found == columns.end() ? nullptr : &*found;
}

namespace {

Expected<TableView> view_of(const TablePlace& place, const GuardedMapping& mapping) {
  TableView table{place.name, place.rows, {{place.begin}, {place.end}}, {}};
  for (const auto& column : place.columns) {
    const std::byte* data = column.copy.data();
    if (column.mappable) {
      const auto bytes = column.rows * size_of(column.stored);
      if (column.offset > mapping.bytes() || bytes > mapping.bytes() - column.offset)
        return damaged_store(place.name + "." + column.name + " is outside the file");
      data = mapping.data() + column.offset;
    }
    table.columns.push_back({column.name, column.unit, column.description, column.type, column.stored, data,
                             column.rows, std::make_shared<const Escapes>(column.escapes),
                             std::make_shared<const std::vector<std::uint32_t>>(column.distinct)});
  }
  return table;
}

Expected<void> check_strings(const Layout& layout) {
  const auto& offsets = layout.string_offsets;
  if (offsets.size() < 2 || offsets.front() != 0 || offsets.back() != layout.string_bytes.size() ||
      !std::is_sorted(offsets.begin(), offsets.end()))
    return damaged_store("string table");
  return {};
}

constexpr std::int64_t kFarthest = std::int64_t{1} << 61; // limit of every time axis

struct Target {
  std::size_t rows = 0;
  bool none_allowed = false;
};

Target target_of(Reference reference, const std::vector<TableView>& tables, std::size_t strings,
                 std::size_t resources) {
  if (reference == Reference::String) return {strings, false};
  if (reference == Reference::Resource) return {resources, false};
  const auto name = referenced_table(reference);
  for (const auto& table : tables)
    if (table.name == name) return {table.rows, may_be_none(reference)};
  return {};
}

// Keeps references inside their table: checks each, or in long columns limits the values that can be read.
Expected<void> keep_inside(ColumnView& column, Target target, const std::string& place) {
  const auto broken = [&] {
    return damaged_store(place + " refers to a row outside the table that it names");
  };
  for (const auto value : *column.distinct)
    if (value >= target.rows) return broken();
  if (column.rows > 0 && target.rows == 0 && !target.none_allowed) return broken();
  if (column.rows > kRowsCheckedAtOpen) {
    column.limit = static_cast<std::uint32_t>(std::min<std::size_t>(target.rows, kNone));
    column.beyond = target.none_allowed ? kNone : 0;
    return {};
  }
  if (!all_inside(column, target.rows, target.none_allowed)) return broken();
  return {};
}

Expected<void> check_starts(const ColumnView& column, const std::string& place) {
  if (column.stored != ElementType::Int64) return damaged_store(place + " has the wrong type");
  const std::span starts(reinterpret_cast<const std::int64_t*>(column.data), column.rows);
  bool sorted = starts.size() > kRowsCheckedAtOpen || is_ascending(starts);
  constexpr std::size_t kStep = 4'096;
  for (std::size_t row = kStep; row < starts.size(); row += kStep)
    sorted = sorted && starts[row] >= starts[row - kStep];
  if (!sorted) return damaged_store(place + " is not sorted");
  if (!starts.empty() && (starts.front() < -kFarthest || starts.back() > kFarthest))
    return damaged_store(place + " is outside the supported time range of ±2^61 ns");
  return {};
}

Expected<void> check_durations(const ColumnView& column, const std::string& place, bool may_miss) {
  const auto good = [&](std::int64_t d) {
    return (d >= 0 && d <= kFarthest) || (may_miss && d == kMissingDuration);
  };
  const auto escaped = column.escapes->values;
  bool all = std::all_of(escaped.begin(), escaped.end(), good);
  if (column.rows <= kRowsCheckedAtOpen) all = all && all_durations(column, kFarthest, may_miss);
  if (!all) return damaged_store(place + " has a duration outside 0 to 2^61 ns");
  return {};
}

// Checks that required columns exist, references stay inside their tables and event tables are sorted: later
// code relies on this.
Expected<void> check_required(std::vector<TableView>& tables, const Layout& layout, std::size_t resources,
                              bool launch_order, const Job& job) {
  const auto strings = layout.string_offsets.size() - 1;
  for (const auto& required : required_columns()) {
    if (job.cancelled()) return Job::cancelled_error();
    const std::string place = fmt::format("{}.{}", required.table, required.column);
    ColumnView* column = nullptr;
    for (auto& table : tables)
      if (table.name == required.table) column = const_cast<ColumnView*>(table.find(required.column));
    if (!column || column->type != required.type) return damaged_store(place + " is missing");
    if (required.reference != Reference::None) {
      const auto target = target_of(required.reference, tables, strings, resources);
      if (auto good = keep_inside(*column, target, place); !good) return good;
    }
    const bool timed = is_event_table(required.table);
    if (timed && required.column == "time" && column->stored != ElementType::Int64)
      return damaged_store(place + " has the wrong type");
    if (timed && required.column == "start")
      if (auto good = check_starts(*column, place); !good) return good;
    if (timed && required.column == "duration")
      if (auto good = check_durations(*column, place, launch_order && required.table == "launches"); !good)
        return good;
  }
  return {};
}

Expected<void> check_texts(std::vector<TableView>& tables, std::size_t strings, const Job& job) {
  for (auto& table : tables) {
    if (table.name != "launches") continue;
    for (auto& column : table.columns) {
      if (column.unit != kTextUnit) continue;
      if (job.cancelled()) return Job::cancelled_error();
      if (column.type != ElementType::UInt32)
        return damaged_store("launches." + column.name + " has the wrong type");
      if (auto good = keep_inside(column, {strings, true}, "launches." + column.name); !good) return good;
    }
  }
  return {};
}

Expected<void> check_totals(const Store& store) {
  const auto& table = store.table(kTotalsTable);
  const auto whole = [&](const char* name) {
    const auto* column = table.find(name);
    return column && column->type == ElementType::Int64 && column->stored == ElementType::Int64;
  };
  if (table.rows != store.table("configurations").rows || !whole("launches") || !whole("measured") ||
      !whole("duration_sum"))
    return damaged_store(std::string(kTotalsTable));
  return {};
}

Expected<void> check_kinds(const Store& store) {
  const auto kinds = store.column<std::uint8_t>("transfers", "kind");
  if (largest({kinds.as<std::uint8_t>(), kinds.size()}) >= kTransferKinds)
    return damaged_store("transfers.kind");
  for (const auto* name : kTimedTables) {
    const auto& table = store.table(name);
    const auto starts = store.starts(name);
    if (table.extent.end < table.extent.begin || table.extent.end.count > 2 * kFarthest ||
        (!starts.empty() &&
         (table.extent.begin.count != starts.front() || table.extent.end.count < starts.back())))
      return damaged_store(std::string(name) + ": its extent does not match its rows");
  }
  return {};
}

} // namespace

Expected<Store> Store::open(const std::string& path, Access access, const Job& job) {
  auto in_file = [&](Error error) {
    error.file = path;
    return forward(std::move(error));
  };
  auto content = std::make_shared<Content>();
  auto input = StoreInput::open(path);
  if (!input) return forward(input.error());
  if (access == Access::Mapped)
    content->mapping = GuardedMapping::map(input->descriptor(), static_cast<std::size_t>(input->data_bytes()),
                                           input->sums());
  auto layout = read_layout(*input, !content->mapping.valid(), job);
  if (!layout) return in_file(layout.error());
  content->identity = input->identity();
  content->has_checksums = input->has_sums();
  content->path = path;
  content->layout = std::move(*layout);
  if (auto good = check_strings(content->layout); !good) return in_file(good.error());
  auto manifest = manifest_from_json(nlohmann::json::parse(content->layout.manifest, nullptr, false));
  if (!manifest) return in_file(manifest.error());
  content->manifest = std::move(*manifest);
  auto resources = resources_from_json(nlohmann::json::parse(content->layout.resources, nullptr, false));
  if (!resources) return in_file(resources.error());
  content->resources = std::move(*resources);
  for (const auto& place : content->layout.tables) {
    auto table = view_of(place, content->mapping);
    if (!table) return in_file(table.error());
    content->tables.push_back(std::move(*table));
  }
  auto& tables = content->tables;
  if (auto good = check_required(tables, content->layout, content->resources.size(),
                                 content->manifest.launch_order, job);
      !good)
    return in_file(good.error());
  if (auto good = check_texts(tables, content->layout.string_offsets.size() - 1, job); !good)
    return in_file(good.error());
  Store store;
  store.content_ = std::move(content);
  if (auto good = check_totals(store); !good) return in_file(good.error());
  if (job.cancelled()) return Job::cancelled_error();
  if (auto good = check_kinds(store); !good) return in_file(good.error());
  if (auto intact = store.check_intact(); !intact) return forward(intact.error());
  return store;
}

const std::string& Store::path() const {
  return content_->path;
}
const Manifest& Store::manifest() const {
  return content_->manifest;
}
const std::vector<Resource>& Store::resources() const {
  return content_->resources;
}
const std::vector<TableView>& Store::tables() const {
  return content_->tables;
}

const TableView& Store::table(std::string_view name) const {
  static const TableView kEmpty;
  for (const auto& table : content_->tables)
    if (table.name == name) return table;
  return kEmpty;
}

const ColumnView& Store::require(std::string_view table_name, std::string_view column,
                                 ElementType type) const {
  static const ColumnView kEmpty;
  const ColumnView* view = table(table_name).find(column);
  assert(view && view->type == type);
  return view && view->type == type ? *view : kEmpty;
}

std::span<const std::int64_t> Store::starts(std::string_view table_name) const {
  const auto& view = require(table_name, table_name == "samples" ? "time" : "start", ElementType::Int64);
  return {reinterpret_cast<const std::int64_t*>(view.data), view.rows};
}

Store::Totals Store::totals() const {
  const auto whole = [&](const char* name) {
    const auto& view = require(kTotalsTable, name, ElementType::Int64);
    return std::span(reinterpret_cast<const std::int64_t*>(view.data), view.rows);
  };
  return {whole("launches"), whole("measured"), whole("duration_sum")};
}

std::string_view Store::string(StringId id) const {
  const auto& offsets = content_->layout.string_offsets;
  if (id.value + std::size_t{1} >= offsets.size()) return {};
  const auto begin = offsets[id.value];
  return std::string_view(content_->layout.string_bytes).substr(begin, offsets[id.value + 1] - begin);
}

std::size_t Store::strings() const {
  return content_->layout.string_offsets.size() - 1;
}

Expected<void> Store::check_intact() const {
  const auto& [path, mapping] = std::tie(content_->path, content_->mapping);
  const auto name = std::filesystem::path(path).filename().string();
  if (content_->identity.differs_from(path))
    return failure(ErrorKind::BadInput, fmt::format("{} changed while it was open", name), path, {},
                   "Open it again.");
  if (mapping.lost())
    return failure(ErrorKind::BadInput, fmt::format("parts of {} can no longer be read", name), path, {},
                   "Check the disk, then open the store again.");
  if (const auto at = mapping.damaged_at())
    return failure(
        ErrorKind::BadInput, "the store is damaged", path,
        describe(rows_in(content_->layout, {*at, *at + kSumBlock})),
        "Import the original trace again. \"jitterscope info FILES --verify\" lists all damaged rows.");
  return {};
}

bool Store::has_checksums() const {
  return content_->has_checksums;
}

bool Store::mapped() const {
  for (const auto& table : content_->layout.tables)
    for (const auto& column : table.columns)
      if (column.rows > 0 && !column.mappable) return false;
  return true;
}

} // namespace jitterscope::store
