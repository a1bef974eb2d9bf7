#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace jitterscope {

/// How the numbers in a column are interpreted.
enum class ColumnKind : std::uint8_t {
  Number,   ///< a measured or counted quantity
  Category, ///< a number that is only an identifier (stream 7, device 1)
  Text      ///< index into a list of texts (kernel name, range name)
};

/// What a derived column is in causal answers. Stored numbers are numeric factors, stored texts categories.
enum class CausalUse : std::uint8_t { none, numeric, event };

/// What a launch column needs.
enum class ColumnNeeds : std::uint8_t { nothing, times, durations };

/// A launch column that Jitterscope itself computes: everything that is known about it except its values and
/// its words (ColumnWords).
struct ColumnSpec {
  std::string_view name;        ///< name in filters and JSON, with its unit as ending: "gap_ns"
  std::string_view unit;        ///< "ns", "B" or empty
  std::string_view description; ///< what it is and how it was computed
  ColumnKind kind = ColumnKind::Number;
  int tier = 2; ///< causal tier by nature: 0 environment, 1 configuration, 2 context, 3 counters, 4 duration,
                ///< 5 variability
  ColumnNeeds needs = ColumnNeeds::nothing;
  CausalUse use = CausalUse::none;
};

/// Columns that are derived from the stored ones when they are read, in the order in which they are listed
/// (values: core/analysis/columns/columns.cpp).
std::span<const ColumnSpec> derived_columns();
/// Any column of Jitterscope: derived, computed at import (values: core/import/assemble/context.cpp), or of
/// the model of durations. The name must be known (asserted).
const ColumnSpec& column_spec(std::string_view name);
/// Whether a column of a user's file needs another name.
bool is_reserved_column(std::string_view name);

/// Words for a column that Jitterscope computes or that tools commonly record.
struct ColumnWords {
  std::string_view column; ///< name of the column without the endings _ns, _bytes and _count
  std::string_view words;  ///< words in sentences about causes; empty: the name with spaces
  std::string_view title;  ///< title on an axis or in a list; empty: the name with spaces
};

/// Sorted by preference: of factors with the same values, the one whose column comes first gives the name.
std::span<const ColumnWords> column_words();

} // namespace jitterscope
