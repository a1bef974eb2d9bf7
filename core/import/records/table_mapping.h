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

/// The role of a column in a plain table. Columns without a role are attributes of launches.
enum class ColumnRole : std::uint8_t { Kernel, Start, End, Duration, Device, Stream, Rank };
inline constexpr std::size_t kColumnRoles = 7;

/// "kernel", "start" …
std::string_view to_string(ColumnRole role);

/// The user's choices for the columns of plain tables. Roles and units that are not listed are derived from
/// column names and cells.
struct TableMapping {
  std::array<std::optional<std::string>, kColumnRoles>
      columns; ///< by role: column name, empty for no column; no value: not chosen
  std::map<std::string, std::string> units; ///< column name → unit
  /// Column with the times of samples: tables that have it are logs of devices instead of launches. Empty: no
  /// table is a log. Nothing: tables of samples are recognised next to a trace.
  std::optional<std::string> samples = std::nullopt;

  /// Regular expression for further kernels that communicate (store::Manifest::collective_kernels): applies
  /// to every file. Empty: none. Nothing: a store keeps its own.
  std::optional<std::string> collective_kernels = std::nullopt;

  const std::optional<std::string>& column(ColumnRole role) const {
    return columns[static_cast<std::size_t>(role)];
  }
  /// The column of kernels, or several, separated by commas; empty for none.
  std::string kernel_column() const { return column(ColumnRole::Kernel).value_or(""); }
  bool operator==(const TableMapping&) const = default;
};

/// Reads "start=t0", "device=" (no column), "samples=t", "unit:t0=us" and "collective_kernels=all_?reduce".
/// Errors: BadUse with the entry.
Expected<TableMapping> parse_mapping(std::span<const std::string> entries);

/// The entries from which parse_mapping() reads this mapping.
std::vector<std::string> entries_of(const TableMapping& mapping);

} // namespace jitterscope::import
