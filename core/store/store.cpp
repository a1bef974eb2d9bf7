#include "core/store/store.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "core/store/layout.h"
#include "core/store/required_columns.h"
#include "core/store/resource_json.h"

namespace jitterscope::store {
namespace {

tl::unexpected<Error> damaged(const std::string& place) {
  return failure(ErrorKind::BadInput, "the store is damaged", {}, place, "Import the original trace again.");
}

/// The whole file, read-only, for the store's life.
class Mapping {
public:
  Mapping() = default;
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping() {
    if (data_) ::munmap(data_, bytes_);
  }
  bool map(const std::string& path) {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return false;
    struct stat status {};
    if (::fstat(descriptor, &status) == 0 && status.st_size > 0) {
      void* start =
          ::mmap(nullptr, static_cast<std::size_t>(status.st_size), PROT_READ, MAP_SHARED, descriptor, 0);
      if (start != MAP_FAILED) {
        data_ = start;
        bytes_ = static_cast<std::size_t>(status.st_size);
      }
    }
    ::close(descriptor);
    return data_ != nullptr;
  }
  const std::byte* data() const { return static_cast<const std::byte*>(data_); }
  std::size_t bytes() const { return bytes_; }

private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

} // namespace

struct Store::Content {
  std::string path;
  Manifest manifest;
  std::vector<Resource> resources;
  Layout layout;
  Mapping mapping;
  std::vector<TableView> tables;
};

double ColumnView::at(std::size_t row) const {
  assert(row < rows);
  switch (type) {
  case ElementType::Int64:
    return static_cast<double>(reinterpret_cast<const std::int64_t*>(data)[row]);
  case ElementType::UInt32:
    return reinterpret_cast<const std::uint32_t*>(data)[row];
  case ElementType::UInt8:
    return reinterpret_cast<const std::uint8_t*>(data)[row];
  case ElementType::Float32:
    return static_cast<double>(reinterpret_cast<const float*>(data)[row]);
  case ElementType::Float64:
    break;
  }
  return reinterpret_cast<const double*>(data)[row];
}

const ColumnView* TableView::find(std::string_view column) const {
  const auto found =
      std::find_if(columns.begin(), columns.end(), [&](const ColumnView& c) { return c.name == column; });
  return found == columns.end() ? nullptr : &*found;
}

namespace {

Expected<TableView> view_of(const TablePlace& place, const Mapping& mapping) {
  TableView table{place.name, place.rows, {}};
  for (const auto& column : place.columns) {
    const std::byte* data = column.copy.data();
    if (column.mappable) {
      const auto bytes = column.rows * size_of(column.type);
      if (column.offset > mapping.bytes() || bytes > mapping.bytes() - column.offset)
        return damaged(place.name + "." + column.name + ": lies outside the file");
      data = mapping.data() + column.offset;
    }
    table.columns.push_back({column.name, column.unit, column.description, column.type, data, column.rows});
  }
  return table;
}

Expected<void> check_strings(const Layout& layout) {
  const auto& offsets = layout.string_offsets;
  if (offsets.size() < 2 || offsets.front() != 0 || offsets.back() != layout.string_bytes.size() ||
      !std::is_sorted(offsets.begin(), offsets.end()))
    return damaged("string table");
  return {};
}

// Largest value that is not kNone; -1 when there is none.
std::int64_t largest(std::span<const std::uint32_t> values, bool none_allowed) {
  std::int64_t most = -1;
  for (const auto value : values)
    if (!(none_allowed && value == kNone)) most = std::max(most, static_cast<std::int64_t>(value));
  return most;
}

std::int64_t limit_of(Reference reference, const Store& store) {
  if (reference == Reference::String) return static_cast<std::int64_t>(store.strings());
  if (reference == Reference::Resource) return static_cast<std::int64_t>(store.resources().size());
  return static_cast<std::int64_t>(store.table(referenced_table(reference)).rows);
}

// Every reference stays inside its table and every event table is sorted: later code relies on both.
Expected<void> check_rows(const Store& store) {
  for (const auto& required : required_columns()) {
    const ColumnView* column = store.table(required.table).find(required.column);
    const std::string place = fmt::format("{}.{}", required.table, required.column);
    if (!column || column->type != required.type) return damaged(place + " is missing");
    if (required.reference != Reference::None) {
      const auto values = store.column<std::uint32_t>(required.table, required.column);
      if (largest(values, may_be_none(required.reference)) >= limit_of(required.reference, store))
        return damaged(place + " points outside its table");
    }
    if (required.column == "start") {
      const auto starts = store.column<std::int64_t>(required.table, "start");
      if (!std::is_sorted(starts.begin(), starts.end())) return damaged(place + " is not sorted");
    }
    if (required.column == "duration") {
      const auto durations = store.column<std::int64_t>(required.table, "duration");
      const bool may_miss = required.table == "launches" && store.manifest().launch_order;
      const bool good = std::all_of(durations.begin(), durations.end(), [&](std::int64_t d) {
        return (d >= 0 && d <= (std::int64_t{1} << 61)) || (may_miss && d == kMissingDuration);
      });
      if (!good) return damaged(place + " holds an impossible length");
    }
  }
  return {};
}

Expected<void> check_texts(const Store& store) {
  for (const auto& column : store.table("launches").columns) {
    if (column.unit != kTextUnit) continue;
    if (column.type != ElementType::UInt32) return damaged("launches." + column.name + " has the wrong type");
    const std::span values(reinterpret_cast<const std::uint32_t*>(column.data), column.rows);
    if (largest(values, true) >= static_cast<std::int64_t>(store.strings()))
      return damaged("launches." + column.name + " points outside its table");
  }
  return {};
}

Expected<void> check_kinds(const Store& store) {
  for (const auto kind : store.column<std::uint8_t>("transfers", "kind"))
    if (kind >= kTransferKinds) return damaged("transfers.kind");
  for (const auto start : {"launches", "transfers", "calls", "ranges", "messages"}) {
    const auto starts = store.column<std::int64_t>(start, "start");
    const std::int64_t bound = std::int64_t{1} << 61;
    if (!starts.empty() && (starts.front() < -bound || starts.back() > bound))
      return damaged(std::string(start) + ".start lies outside any time axis");
  }
  return {};
}

} // namespace

Expected<Store> Store::open(const std::string& path) {
  auto in_file = [&](Error error) {
    error.file = path;
    return forward(std::move(error));
  };
  auto layout = read_layout(path);
  if (!layout) return in_file(layout.error());
  auto content = std::make_shared<Content>();
  content->path = path;
  content->layout = std::move(*layout);
  if (auto good = check_strings(content->layout); !good) return in_file(good.error());
  auto manifest = manifest_from_json(nlohmann::json::parse(content->layout.manifest, nullptr, false));
  if (!manifest) return in_file(manifest.error());
  content->manifest = std::move(*manifest);
  auto resources = resources_from_json(nlohmann::json::parse(content->layout.resources, nullptr, false));
  if (!resources) return in_file(resources.error());
  content->resources = std::move(*resources);
  if (!content->mapping.map(path)) return failure(ErrorKind::Io, "the store cannot be mapped", path);
  for (const auto& place : content->layout.tables) {
    auto table = view_of(place, content->mapping);
    if (!table) return in_file(table.error());
    content->tables.push_back(std::move(*table));
  }
  Store store;
  store.content_ = std::move(content);
  if (auto good = check_rows(store); !good) return in_file(good.error());
  if (auto good = check_texts(store); !good) return in_file(good.error());
  if (auto good = check_kinds(store); !good) return in_file(good.error());
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

std::string_view Store::string(StringId id) const {
  const auto& offsets = content_->layout.string_offsets;
  if (id.value + std::size_t{1} >= offsets.size()) return {};
  const auto begin = offsets[id.value];
  return std::string_view(content_->layout.string_bytes).substr(begin, offsets[id.value + 1] - begin);
}

std::size_t Store::strings() const {
  return content_->layout.string_offsets.size() - 1;
}

bool Store::mapped() const {
  for (const auto& table : content_->layout.tables)
    for (const auto& column : table.columns)
      if (column.rows > 0 && !column.mappable) return false;
  return true;
}

} // namespace jitterscope::store
