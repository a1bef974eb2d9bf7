#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/communicator.h"
#include "core/base/job.h"
#include "core/causal/base/result.h"
#include "core/causal/base/row_source.h"
#include "core/causal/discovery/discovery.h"

namespace jitterscope::causal {

/// Kind of object that a column of identifiers names, ordered so that one may contain the next.
enum class Place { cluster, cabinet, node, rank, device, day, run, other };

/// "GPUs", "nodes"; "groups" for Place::other.
std::string words_for(Place place);
/// The place that a column name identifies: "gpu_id", "hostname", "uuid", "cabinet". Empty for other names,
/// and for measurements of a place ("gpu_clock").
std::optional<Place> identified_by_name(std::string_view name);
/// Whether a name denotes a point in time, not a length of time: "kern_min_start", "end_ns", "timestamp",
/// "ts".
bool is_timestamp_by_name(std::string_view name);

/// Monitors and fleet tables write −1 for a sample that is missing. Columns with other values below this may
/// count −1, 0, 1.
inline constexpr double kMinOtherThanMinusOne = 2;

/// The role of a table column in the analysis.
struct ColumnRole {
  enum class Kind { amount, timestamp, identifier };
  Kind kind = Kind::amount;
  Place place = Place::other;
  /// Identifier: its distinct values, ascending (codes of a category), without the values that mean "unknown"
  /// (−1, "none").
  std::vector<double> values;

  /// Amount: whether −1 means that there is no value: it is the only value below kMinOtherThanMinusOne.
  bool minus_one_is_missing = false;
  /// Amount: number of rows with 0, if that means that there is no value: in clocks, temperatures and powers
  /// without other values below kMinOtherThanMinusOne, except −1.
  std::int64_t missing_zeros = 0;

  int find(double value) const; ///< index of a value, −1 if unknown
};

/// Roles of all columns of a source; if it is not a plain table, all columns but categories are numeric
/// factors (Kind::amount). Columns get roles by name and by values:
/// - Integers are identifiers if rows with one value are alike in the target and neighbouring values are not
///   (von Neumann's ratio of the means of the values in their order).
/// - Two columns whose difference is the target are timestamps. So are integers that rise evenly along the
///   launches.
/// A column whose tier the options state stays a numeric factor. Collective.
Expected<std::vector<ColumnRole>> column_roles(const RowSource& source, const Options& options,
                                               Communicator& communicator, const Job& job);

/// Default target of a table, by column names: a variability, else a duration, else the last numeric column
/// that is neither an identifier nor a timestamp, else the last numeric column; empty without numeric
/// columns. `numbers`: numeric columns in their order; `varying`: the numeric columns that vary; a column
/// found by name must be one of them.
std::string guess_target(const std::vector<std::string>& numbers, const std::vector<std::string>& varying);
/// Whether the name of a column of numbers is that of a result, such as a duration.
bool is_result_by_name(const std::string& name);
/// Column to show first: the outcome that guess_target() finds by name, else the first column that is neither
/// an identifier nor a timestamp, else the first column.
std::string guess_first_column(const std::vector<std::string>& numbers);

} // namespace jitterscope::causal
