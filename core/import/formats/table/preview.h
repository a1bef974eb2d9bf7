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

/// How a column is interpreted.
struct PreviewColumn {
  enum class Holds : std::uint8_t { Nothing, Numbers, Texts, Dates };
  std::string name; ///< name by which TableMapping identifies the column
  std::string unit; ///< as written in the title, empty for none
  Holds holds = Holds::Nothing;
  std::optional<ColumnRole> role;
  bool configuration = false; ///< part of the launches' configuration: grid, block, registers …
};

/// A plain table before import.
struct Preview {
  std::vector<std::string> titles; ///< column names as written; they identify tables with the same header
  std::vector<PreviewColumn> columns;
  std::vector<std::vector<std::string>>
      rows;                    ///< cells of the first rows; a row may have fewer cells than there are columns
  store::ImportReport remarks; ///< remarks of the import on columns
  bool timed = false;          ///< the rows have timestamps

  /// True if a column may be a time or a duration, but is not certain to be used as such.
  bool doubtful() const;
};

/// Every role and unit of `chosen` that differs from `found`, so that opening the table with this mapping
/// gives `chosen`.
TableMapping mapping_between(const Preview& found, const Preview& chosen);

/// Copies the roles that were recognised automatically in `checked`, a preview with `mapping`, to the same
/// table's `preview`: all roles that `mapping` does not contain. Columns keep their other roles.
void copy_recognised_roles(const Preview& checked, const TableMapping& mapping, Preview& preview);

} // namespace jitterscope::import::table
