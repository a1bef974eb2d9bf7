#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/causal/groups/column_roles.h"
#include "core/causal/groups/nested_variance.h"

namespace jitterscope::causal {

/// Minimum number of devices, ranks … for which the components are shown first.
inline constexpr std::size_t kManyUnits = 8;
/// Minimum share of the variance between units, for the answer to compare units.
inline constexpr double kMinShareBetween = 0.1;
/// Maximum number of values of an identifier for which each value is compared with the others.
inline constexpr std::size_t kMaxLevels = 32;

/// One level of nested groups.
struct GroupLevel {
  std::size_t feature = 0; ///< index in the source of the column that names the groups
  Place place = Place::other;
  std::vector<int> code; ///< by group: value of the column; −1 for a place that no row names
  std::vector<int>
      around; ///< by group: index of the enclosing group one level up; empty for the outermost level
  bool compared = true; ///< whether some configuration ran in several groups: else they cannot be compared
};

/// Rows of a source, grouped by the places where they ran.
struct RowGroups {
  std::vector<GroupLevel> levels; ///< levels, outermost first
  std::size_t unit = 0; ///< the innermost level that is not a run: devices, or else ranks, nodes …
  /// Sums of ln target within configurations, or of the target if it may be 0; by path. Without the rows of
  /// configurations that ran on one unit only, which cannot be compared with other units.
  std::vector<GroupSums> sums;
  bool logarithm = true;
  double minimum = 0;                      ///< minimum of the target
  VarianceShare between;                   ///< share of all levels except runs
  std::int64_t rows = 0;                   ///< rows with an innermost group and a target
  std::vector<std::int64_t> unnamed;       ///< by level: rows that do not name their group
  std::vector<std::int64_t> still_unnamed; ///< rows of `unnamed` whose group remains unknown because no row
                                           ///< of the same inner group names it
  std::int64_t not_compared = 0;           ///< rows that `sums` is without
  /// By group of `unit`: sums of the target and of its logarithm, over all rows.
  std::vector<GroupSums> unit_values, unit_logarithms;
  /// Same as `sums`, but by kernel and configuration, and before the means of configurations are subtracted;
  /// empty if there is only one configuration.
  std::vector<GroupSums> configurations;
  /// `sums` and `configurations` without each block of rows, if they have few outermost groups
  /// (variance_shares()); empty for tables of very many rows and groups.
  std::vector<std::vector<GroupSums>> sums_without, configurations_without;
  std::map<std::vector<int>, int> unit_of; ///< index of a unit by the values of the `key` columns
  std::vector<std::size_t> key;            ///< features that together identify a unit
};

/// Finds the nesting of the columns that name places. If values of a column recur in several groups of the
/// outer level (node 4 of each cabinet), the column names its groups together with that level. If nearly all
/// rows of a value are in one outer group, rows that do not name the outer group are assigned to it.
///
/// Without such columns, uses the identifier with more than kMaxLevels values between which the target
/// differs most, if the share of the variance between them is at least kMinShareBetween and clearly above 0.
/// Empty if there are fewer than `least_units` units, or hardly more rows than units. Collective.
Expected<std::optional<RowGroups>> find_groups(const RowSource& source, const std::vector<ColumnRole>& roles,
                                               const std::string& target, std::size_t least_units,
                                               Communicator& communicator, const Job& job);

} // namespace jitterscope::causal
