#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/import/records/draft.h"
#include "core/import/records/table_mapping.h"
#include "core/store/trace/manifest.h"

namespace jitterscope::import::table {

/// What a column is taken for.
struct PreviewColumn {
  enum class Holds : std::uint8_t { Nothing, Numbers, Texts, Dates };
  std::string name; ///< as TableMapping names it
  std::string unit; ///< as written, empty for none
  Holds holds = Holds::Nothing;
  std::optional<ColumnRole> role;
  bool configuration = false; ///< a part of the launches' configuration: grid, block, registers …
};

/// A plain table before it is imported.
struct Preview {
  std::vector<std::string> titles; ///< as written: what tables with the same header have in common
  std::vector<PreviewColumn> columns;
  std::vector<std::vector<std::string>> rows; ///< the first ones; shorter where cells are missing
  store::ImportReport remarks;                ///< about columns
  bool timed = false;                         ///< rows have a place in time

  /// A column may be a time or name the kernels and is not certain to be used as such.
  bool doubtful() const;
};

/// Every role and unit of `chosen` that differs from `found`, so that a table that opens with this mapping
/// has them.
TableMapping mapping_between(const Preview& found, const Preview& chosen);

} // namespace jitterscope::import::table
