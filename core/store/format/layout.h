#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/store/format/store.h"

namespace jitterscope::store {

/// Where one column lies, as HDF5 tells it. `offset` is valid when `mappable`; otherwise `copy` holds the
/// data.
struct ColumnPlace {
  std::string name, unit, description;
  ElementType type = ElementType::Int64;   ///< of the values
  ElementType stored = ElementType::Int64; ///< as they lie
  Escapes escapes;
  std::vector<std::uint32_t> distinct; ///< of columns that name strings or resources
  std::int64_t index = 0;
  std::size_t rows = 0;
  bool mappable = false;
  std::uint64_t offset = 0;
  std::vector<std::byte> copy;
};

struct TablePlace {
  std::string name;
  std::size_t rows = 0;
  std::int64_t begin = 0, end = 0; ///< of event tables: first start and last end
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

/// Escapes of column C of table T lie in datasets T.C.rows and T.C.values of the group "escapes".
inline constexpr const char* kEscapedRows = ".rows";
inline constexpr const char* kEscapedValues = ".values";

/// What column C of table T names, each once, lies in dataset T.C of the group "distinct".
/// The table that holds sums of every configuration, written with every store (see Store::open).
inline constexpr std::string_view kTotalsTable = "configuration_totals";

/// Tables whose rows have a start and a duration and are sorted by start.
inline constexpr const char* kTimedTables[] = {"launches", "transfers", "calls", "ranges", "messages"};
/// These and the samples: tables that grow with the trace, whose columns lie as narrow as they can.
bool is_event_table(std::string_view name);

class StoreInput;

/// Reads the file's structure; with `whole` all columns are read too, for file systems that map nothing.
/// Refuses other formats, versions, unfinished files and what does not match its checksums.
Expected<Layout> read_layout(StoreInput& input, bool whole = false, const Job& job = {});

} // namespace jitterscope::store
