#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "core/base/communicator.h"
#include "core/base/error.h"
#include "core/base/job.h"
#include "core/causal/base/result.h"
#include "core/causal/base/row_source.h"
#include "core/causal/discovery/discovery.h"
#include "core/causal/statistics/moments.h"
#include "core/causal/statistics/normal_scores.h"

namespace jitterscope::causal {

inline constexpr std::int64_t kExactRanks = 262'144; ///< maximum number of rows for exact ranks
inline constexpr std::size_t kRankKnots = 4'096;     ///< knots of a sampled rank table

enum class TargetKind { variability, duration, column };

/// One numeric column derived from the source: a feature itself, "it happened" (value > 0), or one level of a
/// category.
struct Column {
  enum class Kind { value, positive, level };
  std::string name;
  std::string unit;
  int tier = 0;
  std::string family;
  Kind kind = Kind::value;
  std::size_t source = 0;           ///< index of the feature in the source
  std::int64_t missing = 0;         ///< rows of the table without a value
  std::vector<std::uint8_t> levels; ///< level of a category: by code, 1 if it belongs to the column
  bool event = false;               ///< all values are 0 or 1
  bool of_plain_table = false;      ///< FeatureInfo::of_plain_table
  bool factor = false;              ///< FeatureInfo::factor
  std::vector<std::string> also;    ///< names of columns that screening merged into this column
  bool zero_inflated = false;       ///< more than half of the rows are 0, none is negative
  double minimum = 0;
  double maximum = 0;

  bool may_happen() const { return event || zero_inflated; } ///< whether it happens in some rows only
  double magnitude() const { return std::max(std::fabs(minimum), std::fabs(maximum)); }
};

/// A column whose missing values coincide with high variability.
struct InformativeGap {
  std::string name;
  std::int64_t rows = 0; ///< rows without a value
  double part = 0;       ///< fraction of the total variability that is in the rows without a value
  double times = 0;      ///< mean variability of these rows relative to that of the other rows
};

/// Used rows of one tile, and their local indices.
struct Tile {
  std::vector<std::size_t> row; ///< index into the arrays of LocalRows
  Eigen::MatrixXd raw;          ///< rows × columns of the frame
};

/// Per-row data that every rank keeps for the rows of its blocks.
struct LocalRows {
  std::int64_t first_row = 0;
  std::int64_t first_block = 0, last_block = 0;
  std::vector<std::uint8_t> used;   ///< by row: 1 if it takes part
  std::vector<std::uint32_t> group; ///< kNone when the source has no groups
  std::vector<double> duration;     ///< NaN when there is none; empty without durations
};

/// Data on configurations, the same on every rank.
struct Groups {
  std::uint32_t count = 0;
  std::uint32_t kernels = 0;
  std::vector<std::uint32_t> kernel; ///< kernel of each group
  std::vector<std::int64_t> rows;    ///< number of used rows of a group
  std::vector<double> median;        ///< median duration of a group, ns
  std::vector<double> mean;
  double longest = 0; ///< longest duration of a used row, ns
};

/// One row of the table.
struct FrameRow {
  Eigen::VectorXd values;   ///< by column; NaN where missing
  double target = kMissing; ///< in the target's unit
  /// Empty for targets that are not a variability, and for the only launch of a configuration.
  std::optional<LaunchTime> launch;
};

/// The table as seen by the models: its used rows, its columns, and a function to iterate over them.
class Frame {
public:
  /// `source` must outlive the frame; everything else is filled by survey_frame().
  explicit Frame(const RowSource& source) : source_(&source) {}

  TargetKind target_kind = TargetKind::column;
  std::string target;            ///< name of the target node
  std::size_t target_column = 0; ///< index of the target's column, for a column target
  std::vector<Column> columns;   ///< sorted by tier, then name: results do not depend on the source's order
  std::vector<FeatureReport> reports;
  std::vector<std::string>
      guessed_later; ///< columns that come after the target by their names alone, without other evidence
  BlockPlan plan;
  LocalRows local;
  Groups groups;
  std::int64_t candidates = 0; ///< columns or families that were candidates for the graph before screening
  std::int64_t rows_used = 0;
  std::int64_t rows_incomplete = 0; ///< rows left out because a kept column has no value in them
  double part_incomplete = 0;       ///< fraction of the variability of all rows that rows_incomplete hold
  std::vector<InformativeGap> gaps; ///< columns whose missing values are associated with the variability
  std::int64_t rows_single = 0;     ///< rows left out because their configuration ran once

  /// Calls `visit` for the used rows of every block of this rank, in order, in tiles of at most 4,096 rows.
  /// Stops at the first error, or when the job is cancelled.
  Expected<void> walk(const Job& job, const std::string& what,
                      const std::function<void(std::int64_t block, const Tile& tile)>& visit) const;

  /// Values of the columns in a sample of rows (all rows up to 262,144, else every k-th), gathered from all
  /// ranks in row order: one vector per column, the same on every rank.
  Expected<std::vector<std::vector<double>>> sample(Communicator& communicator, const Job& job) const;
  /// Whether a local row belongs to the sample of sample().
  bool in_sample(std::size_t local_row) const {
    const std::int64_t stride = (plan.rows + kExactRanks - 1) / kExactRanks;
    return (local.first_row + static_cast<std::int64_t>(local_row)) % stride == 0;
  }

  /// Adds what became of a column to the reports.
  FeatureReport& report(const std::string& name, const std::string& unit, int tier, FeatureStatus status,
                        std::string reason);

  /// Any row of the table, also of other ranks.
  Expected<FrameRow> row(std::int64_t row) const;

  /// The target's value of a local row in its unit; `raw` is the row of the tile.
  double target_value(const Tile& tile, Eigen::Index row) const;

private:
  const RowSource* source_ = nullptr;
};

} // namespace jitterscope::causal
