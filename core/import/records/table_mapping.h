#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace jitterscope::import {

/// What a column of a plain table is used for. Columns without a role are attributes of launches.
enum class ColumnRole : std::uint8_t { Kernel, Start, End, Duration, Device, Stream, Rank };
inline constexpr std::size_t kColumnRoles = 7;

/// "kernel", "start" …
std::string_view to_string(ColumnRole role);

/// What the user says about the columns of plain tables. Roles and units that are not listed are found by
/// column names and cells.
struct TableMapping {
  std::array<std::optional<std::string>, kColumnRoles>
      columns;                              ///< by role: a column name, empty for no column
  std::map<std::string, std::string> units; ///< by column name

  const std::optional<std::string>& column(ColumnRole role) const {
    return columns[static_cast<std::size_t>(role)];
  }
  /// The column of kernels, or several with commas between; empty for none.
  std::string kernel_column() const { return column(ColumnRole::Kernel).value_or(""); }
  bool operator==(const TableMapping&) const = default;
};

/// Reads "start=t0", "device=" (no column) and "unit:t0=us". Errors: BadUse with the entry.
Expected<TableMapping> parse_mapping(std::span<const std::string> entries);

/// The same mapping as parse_mapping() reads it.
std::vector<std::string> entries_of(const TableMapping& mapping);

} // namespace jitterscope::import
