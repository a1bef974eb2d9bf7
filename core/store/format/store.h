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

/// Writes `data` to a temporary name beside `path`, flushes it and renames it: a store is complete or not
/// there. Fails with BadInput when tables are ragged or unsorted, with Io when the disk refuses.
Expected<void> write_store(const TraceData& data, const std::string& path, const Job& job = {});

/// How columns reach memory: mapped, so that ranks share the pages and only what is used is read; or read
/// whole, which open() also does by itself where the file system maps nothing.
enum class Access : std::uint8_t { Mapped, Read };

inline constexpr std::size_t kRowsCheckedAtOpen = std::size_t{1} << 22;

/// A store opened for reading: mapped into memory, shared with other processes, immutable. Copies share it.
class Store {
public:
  /// Checks magic, version, completeness, every offset against the file's size, and every reference between
  /// tables and the order of starts: in tables of up to kRowsCheckedAtOpen rows each of them, in longer ones
  /// samples (references that lead outside then read as the first row or as kNone). Errors name what is
  /// damaged and what to do.
  static Expected<Store> open(const std::string& path, Access access = Access::Mapped, const Job& job = {});

  const std::string& path() const;
  const Manifest& manifest() const;
  const std::vector<Resource>& resources() const;
  const std::vector<TableView>& tables() const;

  /// The table; an empty one when the store has none of that name.
  const TableView& table(std::string_view name) const;

  /// A required column (see TraceData). The types of required columns are checked by open(), so this asserts.
  /// The values point into this store.
  template <class T>
  Values<T> column(std::string_view table_name, std::string_view column_name) const {
    return Values<T>(require(table_name, column_name, ElementTypeOf<T>::value));
  }
  /// Column "start" of a table with starts (ascending), or "time" of the samples (ascending for each
  /// counter).
  std::span<const std::int64_t> starts(std::string_view table_name) const;

  /// Launches, launches of known duration and the sum of these durations [ns], for each configuration.
  struct Totals {
    std::span<const std::int64_t> launches, measured, duration_sum;
  };
  Totals totals() const;

  std::string_view string(StringId id) const;
  std::size_t strings() const;

  /// An error when the numbers read so far must not be used: the file changed while it was open, parts of it
  /// can no longer be read, or parts that were used do not match their checksums. To be asked after reading
  /// and before the numbers are passed on; takes about 1 µs.
  Expected<void> check_intact() const;
  /// False for stores of older versions, where damaged numbers are not noticed.
  bool has_checksums() const;

  /// True when the columns are mapped, false when they had to be read into memory.
  bool mapped() const;

private:
  struct Content;
  const ColumnView& require(std::string_view table, std::string_view column, ElementType type) const;
  std::shared_ptr<const Content> content_;
};

} // namespace jitterscope::store
