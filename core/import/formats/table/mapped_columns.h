#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "core/import/formats/table/columns.h"
#include "core/import/formats/table/parsed_rows.h"
#include "core/import/records/table_mapping.h"

namespace jitterscope::import::table {

/// A mapping of one table: for each role a column, or the number of columns for none.
class MappedColumns {
public:
  MappedColumns() = default;
  /// Errors: BadInput with `file` when a column is missing; the hint lists the existing columns.
  static Expected<MappedColumns> of(const TableMapping& mapping, const Columns& columns,
                                    const std::vector<std::string>& titles, const std::string& file);

  const std::optional<std::size_t>& operator[](ColumnRole role) const {
    return by_role_[static_cast<std::size_t>(role)];
  }
  /// Replaces the units of the columns by those that the user states.
  void use_units(Columns& columns) const;
  /// The duration column of the mapping, else `found`. Errors: BadInput when the column holds no times.
  Expected<DurationColumn> duration(const Columns& columns, const DurationColumn& found,
                                    const std::string& file) const;
  /// Checks `times` against the mapping. Errors: BadInput when the mapping has a start that cannot be
  /// used, or a device, stream or rank although there are no times.
  Expected<void> check_times(const Columns& columns, const std::optional<TimeColumns>& times,
                             const std::string& file) const;

private:
  std::array<std::optional<std::size_t>, kColumnRoles> by_role_;
  std::vector<std::pair<std::size_t, std::string>> units_;
};

/// "a, b, c …", for messages.
std::string list_of(const std::vector<std::string>& titles);

} // namespace jitterscope::import::table
