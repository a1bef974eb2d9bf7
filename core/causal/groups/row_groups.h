#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/causal/groups/column_roles.h"
#include "core/causal/groups/nested_variance.h"

namespace jitterscope::causal {

inline constexpr std::size_t kFewestGroups = 5; ///< of a level that has a component of variance
inline constexpr std::size_t kManyUnits = 8;    ///< devices, ranks …, for which components are shown first
inline constexpr double kLeastBetween =
    0.1; ///< of the variance between units, for the answer to compare these
inline constexpr std::size_t kMostLevels = 32; ///< values of an identifier that can be compared one by one

/// One level of nested groups.
struct GroupLevel {
  std::size_t feature = 0; ///< of the source: the column that names its groups
  Place place = Place::other;
  std::vector<int> code; ///< by group: of the column's values, −1 for a place that no row names
  std::vector<int>
      around; ///< by group: the group of the level before that holds it; empty for the outermost level
};

/// Rows of a source by the places where they ran.
struct RowGroups {
  std::vector<GroupLevel> levels; ///< outermost first
  std::size_t unit = 0;           ///< the innermost level that is no run: devices, or else ranks, nodes …
  std::vector<GroupSums>
      sums; ///< of ln target within configurations, or of the target where it may be 0; by path
  bool logarithm = true;
  VarianceShare between;                   ///< of all levels but runs
  std::int64_t rows = 0;                   ///< with an innermost group and a target
  std::vector<std::int64_t> unnamed;       ///< by level: rows that do not name it, …
  std::vector<std::int64_t> still_unnamed; ///< … also where no other row of the same inner group does
  std::vector<double> unit_means;          ///< of the target in its unit
  std::vector<GroupSums>
      configurations; ///< the same of kernels and configurations; empty where there is only one
  std::map<std::vector<int>, int> unit_of; ///< by values of `key` columns
  std::vector<std::size_t> key;            ///< features
};

/// The nesting of the columns that name places. A column whose values recur in several groups of the level
/// before (node 4 of each cabinet) names its groups together with them; where nearly all rows of a value
/// agree, it holds for rows that do not name the outer group, too. Without places: the identifier of more
/// than kMostLevels values that differ most in the target, by kLeastBetween at least. Nothing where there are
/// fewer than kManyUnits units, or one a row. Collective.
Expected<std::optional<RowGroups>> find_groups(const RowSource& source, const std::vector<ColumnRole>& roles,
                                               const std::string& target, Communicator& communicator,
                                               const Job& job);

} // namespace jitterscope::causal
