#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "core/import/formats/table/columns.h"
#include "core/import/formats/table/parsed_rows.h"
#include "core/import/records/table_mapping.h"

namespace jitterscope::import::table {

/// A mapping of one table: by role, a column or the number of columns for none.
class MappedColumns {
public:
  MappedColumns() = default;
  /// Errors: BadInput with `file` when a column is not there; the hint lists those that are.
  static Expected<MappedColumns> of(const TableMapping& mapping, const Columns& columns,
                                    const std::vector<std::string>& titles, const std::string& file);

  const std::optional<std::size_t>& operator[](ColumnRole role) const {
    return by_role_[static_cast<std::size_t>(role)];
  }
  /// Puts the units that the user states in place of those of the columns.
  void use_units(Columns& columns) const;
  /// The duration of the mapping, else `found`. Errors: BadInput when the column holds no times.
  Expected<DurationColumn> duration(const Columns& columns, const DurationColumn& found,
                                    const std::string& file) const;
  /// Whether `times` is what the mapping asks for. Errors: BadInput when it names a start that cannot be
  /// used.
  Expected<void> check_times(const Columns& columns, const std::optional<TimeColumns>& times,
                             const std::string& file) const;

private:
  std::array<std::optional<std::size_t>, kColumnRoles> by_role_;
  std::vector<std::pair<std::size_t, std::string>> units_;
};

/// "a, b, c …", for messages.
std::string list_of(const std::vector<std::string>& titles);

} // namespace jitterscope::import::table
