#include "core/efficiency/cut/copy.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "core/analysis/session/trace_span.h"
#include "core/base/stop.h"
#include "core/store/format/layout.h"
#include "core/store/format/required_columns.h"
#include "core/store/tracks/event_rows.h"
#include "core/store/tracks/track_index_tables.h"

namespace jitterscope::efficiency {
namespace {

using store::ElementType;
using store::Reference;

/// Map from the rows of a store's table to the new rows; kNone for dropped rows.
class NewRows {
public:
  NewRows() = default;
  NewRows(const SpillVector<std::uint32_t>& kept, std::size_t rows) : new_row_(rows, kNone) {
    for (std::uint32_t row = 0; row < kept.size(); ++row) {
      SpillMemory::relieve_at(row);
      new_row_[kept[row]] = row;
    }
  }
  std::uint32_t operator[](std::uint32_t row) const { return row < new_row_.size() ? new_row_[row] : kNone; }

private:
  SpillVector<std::uint32_t> new_row_;
};

SpillVector<std::uint32_t> all_rows(std::size_t rows) {
  SpillVector<std::uint32_t> all(rows);
  std::iota(all.begin(), all.end(), 0u);
  return all;
}

/// Rows of `of` that a column refers to, ascending.
SpillVector<std::uint32_t> used(const store::Values<std::uint32_t>& column,
                                const SpillVector<std::uint32_t>& rows, std::size_t of) {
  SpillVector<std::uint8_t> found(of);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    SpillMemory::relieve_at(i);
    if (const auto named = column[rows[i]]; named < of) found[named] = 1;
  }
  SpillVector<std::uint32_t> list;
  for (std::uint32_t row = 0; row < of; ++row)
    if (found[row]) list.push_back(row);
  return list;
}

bool of_index(std::string_view table) {
  return table == store::kTotalsTable ||
         std::ranges::find(store::kTrackIndexTables, table) != std::end(store::kTrackIndexTables);
}

class Copier {
public:
  Copier(const store::Store& store, const Choice& choice, const std::optional<Interval>& range,
         Borders borders, std::int64_t move_by, const Job& job)
      : store_(store), range_(borders == Borders::Clip ? range : std::nullopt),
        end_(range ? range->end.count : store::kFarthestTime), move_by_(move_by), job_(job), stop_(job) {
    for (std::size_t t = 0; t < kChosenTables.size(); ++t) rows_[kChosenTables[t]] = choice.tables[t].kept;
    choose_named();
    for (const auto& [name, kept] : rows_) new_rows_[name] = NewRows(kept, store.table(name).rows);
    keep_resources(choice.resources);
  }

  Expected<Copy> run() {
    for (const auto& table : store_.tables()) {
      if (of_index(table.name)) continue;
      if (!rows_.contains(table.name)) rows_[table.name] = all_rows(table.rows);
      const auto& rows = rows_[table.name];
      auto& to = copy_.data.add_table(table.name);
      for (const auto& column : table.columns) {
        if (stop_.requested()) return Job::cancelled_error();
        job_.progress(static_cast<std::int64_t>(copy_.data.tables.size()), 12, "copying rows");
        to.columns.push_back({column.name, column.unit, column.description, values_of(table, column, rows)});
      }
      if (range_) clip(to);
    }
    if (stop_.requested()) return Job::cancelled_error();
    copy_manifest();
    return std::move(copy_);
  }

private:
  // Kernels, configurations and counters that kept rows refer to.
  void choose_named() {
    const auto chosen = [&](const char* table, const char* column, const char* of) {
      rows_[of] = used(store_.column<std::uint32_t>(table, column), rows_[table], store_.table(of).rows);
    };
    chosen("launches", "configuration", "configurations");
    chosen("configurations", "kernel", "kernels");
    chosen("samples", "counter", "counters");
  }

  // Nothing refers to dropped resources; hosts are kept if anything below them is.
  void keep_resources(const std::vector<std::uint8_t>& kept) {
    const auto& resources = store_.resources();
    std::vector<std::uint8_t> has_kept(resources.size());
    for (std::size_t r = resources.size(); r-- > 0;) {
      has_kept[r] |= resources[r].kind == store::ResourceKind::Host ? 0 : kept[r];
      if (has_kept[r] && resources[r].parent < r) has_kept[resources[r].parent] = 1;
    }
    copy_.new_resource.assign(resources.size(), kNone);
    std::vector<std::uint32_t> first_physical(resources.size(), kNone);
    for (std::uint32_t r = 0; r < resources.size(); ++r) {
      if (!has_kept[r]) continue;
      auto one = resources[r];
      const auto at = copy_.new_resource[r] = static_cast<std::uint32_t>(copy_.data.resources.size());
      if (one.parent < r) one.parent = copy_.new_resource[one.parent];
      if (one.physical < resources.size()) {
        auto& first = first_physical[one.physical];
        if (first == kNone) first = at;
        physical_[one.physical] = first;
        one.physical = first;
      }
      copy_.data.resources.push_back(std::move(one));
    }
  }

  std::uint32_t string(std::uint32_t number) {
    if (number >= store_.strings()) return number;
    if (new_string_.empty()) new_string_.assign(store_.strings(), kNone);
    auto& known = new_string_[number];
    if (known == kNone) known = copy_.data.strings.intern(store_.string({number})).value;
    return known;
  }

  std::uint32_t renamed(Reference reference, std::uint32_t value) {
    switch (reference) {
    case Reference::None:
      return value;
    case Reference::String:
      return string(value);
    case Reference::Resource:
      return value < copy_.new_resource.size() ? copy_.new_resource[value] : value;
    default:
      return value == kNone ? kNone : new_rows_.find(store::referenced_table(reference))->second[value];
    }
  }

  static Reference reference_of(std::string_view table, const store::ColumnView& column) {
    if (column.unit == store::kTextUnit) return Reference::String;
    for (const auto& required : store::required_columns())
      if (required.table == table && required.column == column.name) return required.reference;
    return Reference::None;
  }

  template <class T, class Change>
  SpillVector<T> copied(const store::ColumnView& column, const SpillVector<std::uint32_t>& rows,
                        Change change) {
    const store::Values<T> values(column);
    SpillVector<T> out;
    out.reserve(rows.size());
    for (std::size_t i = 0; i < rows.size() && !stop_.at(i); ++i) out.push_back(change(values[rows[i]]));
    return out;
  }

  store::ColumnValues values_of(const store::TableView& table, const store::ColumnView& column,
                                const SpillVector<std::uint32_t>& rows) {
    const auto same = [](auto value) { return value; };
    switch (column.type) {
    case ElementType::Int64: {
      const auto move = column.name == "start" || column.name == "time" ? move_by_ : 0;
      return copied<std::int64_t>(column, rows, [&](std::int64_t value) { return value + move; });
    }
    case ElementType::UInt32: {
      const auto reference = reference_of(table.name, column);
      const bool call = column.name == "call";
      return copied<std::uint32_t>(column, rows, [&](std::uint32_t value) {
        const auto renewed = renamed(reference, value);
        copy_.lost_calls += call && value != kNone && renewed == kNone;
        return renewed;
      });
    }
    case ElementType::UInt8:
      return copied<std::uint8_t>(column, rows, same);
    case ElementType::Float32:
      return copied<float>(column, rows, same);
    default:
      return copied<double>(column, rows, same);
    }
  }

  // The range is in the store's times, the table's times are already shifted.
  void clip(store::Table& table) const {
    auto* start = const_cast<store::Column*>(table.find("start"));
    auto* duration = const_cast<store::Column*>(table.find("duration"));
    if (!start || !duration) return;
    auto& starts = std::get<SpillVector<std::int64_t>>(start->values);
    auto& durations = std::get<SpillVector<std::int64_t>>(duration->values);
    const auto begin = range_->begin.count + move_by_, end = range_->end.count + move_by_;
    for (std::size_t row = 0; row < starts.size(); ++row) {
      SpillMemory::relieve_at(row);
      if (durations[row] < 0) continue;
      const auto until = std::min(starts[row] + durations[row], end);
      starts[row] = std::max(starts[row], begin);
      durations[row] = std::max<std::int64_t>(until - starts[row], 0);
    }
  }

  void copy_manifest() {
    auto& manifest = copy_.data.manifest;
    manifest = store_.manifest();
    std::erase_if(manifest.devices,
                  [&](const store::DeviceInfo& device) { return !physical_.contains(device.resource); });
    for (auto& device : manifest.devices) device.resource = physical_[device.resource];
    std::ranges::sort(manifest.devices, {}, &store::DeviceInfo::resource);
    // Kept rows may end before the recording does. Tables without times have no recording.
    const auto span = manifest.launch_order ? std::nullopt : analysis::span_of(store_);
    for (auto& source : manifest.sources) {
      if (span) source.end_ns = std::min(span->end.count, end_) - source.shift_ns;
      source.shift_ns += move_by_;
    }
    if (manifest.origin_utc_ns >= 0) manifest.origin_utc_ns -= move_by_;
  }

  const store::Store& store_;
  std::optional<Interval> range_;
  std::int64_t end_; ///< of the range
  std::int64_t move_by_;
  const Job& job_;
  Stop stop_;
  std::map<std::string, SpillVector<std::uint32_t>, std::less<>> rows_; ///< kept rows, by table
  std::map<std::string, NewRows, std::less<>> new_rows_;
  std::map<std::uint32_t, std::uint32_t> physical_; ///< new row of each kept piece of hardware
  SpillVector<std::uint32_t> new_string_;
  Copy copy_;
};

} // namespace

Expected<Copy> copy_rows(const store::Store& store, const Choice& choice,
                         const std::optional<Interval>& store_range, Borders borders, std::int64_t move_by,
                         const Job& job) {
  return Copier(store, choice, store_range, borders, move_by, job).run();
}

Choice choose_everything(const store::Store& store) {
  Choice choice{std::vector<std::uint8_t>(store.resources().size(), 1), {}};
  for (std::size_t t = 0; t < kChosenTables.size(); ++t) {
    const auto rows = store.table(kChosenTables[t]).rows;
    choice.tables[t].reason.assign(rows, 0);
    choice.tables[t].kept = all_rows(rows);
    choice.tables[t].rows_of[0] = static_cast<std::int64_t>(rows);
  }
  return choice;
}

} // namespace jitterscope::efficiency
