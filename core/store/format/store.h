#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/job.h"
#include "core/base/time.h"
#include "core/store/format/places.h"
#include "core/store/trace/column_view.h"
#include "core/store/trace/trace_data.h"

namespace jitterscope::store {

struct TableView {
  std::string name;
  std::size_t rows = 0;
  Interval extent; ///< of tables with starts and durations: from the first start to the last end
  std::vector<ColumnView> columns;
  const ColumnView* find(std::string_view column) const;
};

/// Writes `data` to a temporary file next to `path`, flushes it and renames it: a store is either complete or
/// absent. Errors: BadInput for ragged or unsorted tables, Io for errors of the disk.
Expected<void> write_store(const TraceData& data, const std::string& path, const Job& job = {});

/// How columns are accessed: mapped, so that ranks share the pages and only used pages are read; or read
/// whole, which open() falls back to on file systems without mmap.
enum class Access : std::uint8_t { Mapped, Read };

inline constexpr std::size_t kRowsCheckedAtOpen = std::size_t{1} << 22;

/// A store opened for reading: memory-mapped, shared with other processes, immutable. Copies share it.
class Store {
public:
  /// Checks magic, version, completeness and every offset against the file size. Checks the references
  /// between tables and the order of starts: every row in tables of up to kRowsCheckedAtOpen rows, some rows
  /// in longer ones (out-of-range references then read as the first row or as kNone). Errors state what is
  /// damaged and what to do.
  static Expected<Store> open(const std::string& path, Access access = Access::Mapped, const Job& job = {});

  const std::string& path() const;
  const Manifest& manifest() const;
  const std::vector<Resource>& resources() const;
  const std::vector<TableView>& tables() const;

  /// The table of this name; an empty one if the store has none.
  const TableView& table(std::string_view name) const;

  /// A required column (see TraceData). open() checks the types of required columns, so they are asserted
  /// here. The values point into this store.
  template <class T>
  Values<T> column(std::string_view table_name, std::string_view column_name) const {
    return Values<T>(require(table_name, column_name, ElementTypeOf<T>::value));
  }
  /// Column "start" of a table with starts (ascending), or column "time" of the samples (ascending for each
  /// counter).
  std::span<const std::int64_t> starts(std::string_view table_name) const;

  /// Per configuration: launches, launches with a known duration, and the sum of these durations [ns].
  struct Totals {
    std::span<const std::int64_t> launches, measured, duration_sum;
  };
  Totals totals() const;

  std::string_view string(StringId id) const;
  std::size_t strings() const;

  /// Returns an error when the values read so far must not be used: the file changed while it was open, parts
  /// of it became unreadable, or used parts do not match their checksums. Call it after reading and before
  /// the values are passed on; takes about 1 µs.
  Expected<void> check_intact() const;
  /// False for stores written by older versions, where damaged values are not detected.
  bool has_checksums() const;

  /// True when the columns are mapped, false when they were read into memory.
  bool mapped() const;

private:
  struct Content;
  const ColumnView& require(std::string_view table, std::string_view column, ElementType type) const;
  std::shared_ptr<const Content> content_;
};

} // namespace jitterscope::store
