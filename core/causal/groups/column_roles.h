#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/communicator.h"
#include "core/base/job.h"
#include "core/causal/base/result.h"
#include "core/causal/base/row_source.h"
#include "core/causal/discovery/options.h"

namespace jitterscope::causal {

/// What a column of identifiers names. In the order in which one may hold the next.
enum class Place { cluster, cabinet, node, rank, device, run, other };

/// "GPUs", "nodes"; "groups" for Place::other.
std::string words_for(Place place);
/// "gpu_id", "hostname", "uuid", "cabinet": nothing for a name that does not say that it identifies
/// something, and for measurements of a place ("gpu_clock").
std::optional<Place> identified_by_name(std::string_view name);
/// "kern_min_start", "end_ns", "timestamp", "ts": when something was, not how much of it.
bool is_timestamp_by_name(std::string_view name);

/// How a column of a table takes part.
struct ColumnRole {
  enum class Kind { amount, timestamp, identifier };
  Kind kind = Kind::amount;
  Place place = Place::other;
  /// Identifier: its different values, ascending (codes of a category); values that say that it is unknown
  /// (−1, "none") are not among them.
  std::vector<double> values;

  int find(double value) const; ///< index of a value, −1 if unknown
};

/// Roles of all columns of a source; amounts where it is no plain table, but for categories. Beyond their
/// names, columns of integers are identifiers where rows of one value are alike in the target and
/// neighbouring values are not (von Neumann's ratio of the means of the values in their order), and columns
/// whose difference is the target are times. What the options state of a column comes before what it looks
/// like. Collective.
Expected<std::vector<ColumnRole>> column_roles(const RowSource& source, const Options& options,
                                               Communicator& communicator, const Job& job);

/// What tables are mostly made for, by names: a variability, else a duration, else the last column of numbers
/// that is no identifier and no time; empty without any. `numbers`: columns of numbers in their
/// order; `varying`: those that hold different ones, which a name must have to count.
std::string guess_target(const std::vector<std::string>& numbers, const std::vector<std::string>& varying);
/// The column to look at first: the same where a name says that it is the outcome, else the first that
/// measures something.
std::string guess_first_column(const std::vector<std::string>& numbers);

} // namespace jitterscope::causal
