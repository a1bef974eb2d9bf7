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
#include "core/causal/discovery/options.h"
#include "core/causal/statistics/moments.h"
#include "core/causal/statistics/normal_scores.h"

namespace jitterscope::causal {

enum class TargetKind { variability, duration, column };

/// One numeric column derived from the source: a feature itself, "it happened" (amount > 0), or one level of
/// a category.
struct Column {
  enum class Kind { value, positive, level };
  std::string name;
  std::string unit;
  int tier = 0;
  std::string family;
  Kind kind = Kind::value;
  std::size_t source = 0;           ///< feature of the source
  std::int64_t missing = 0;         ///< rows of the table without a value
  std::vector<std::uint8_t> levels; ///< level: 1 for every code that counts
  bool event = false;               ///< only 0 and 1
  bool of_plain_table = false;      ///< FeatureInfo::of_plain_table
  std::vector<std::string> also;    ///< names of columns that screening merged into this one
  bool zero_inflated = false;       ///< more than half of the rows are 0, none is negative
  double minimum = 0;
  double maximum = 0;
};

/// A column that is missing where launches vary.
struct TellingGap {
  std::string name;
  std::int64_t rows = 0; ///< without a value
  double part = 0;       ///< of the variability of all rows, that these hold
  double times = 0;      ///< as much as the others they vary
};

/// Rows of one tile that take part, and where they are.
struct Tile {
  std::vector<std::size_t> row; ///< index into the arrays of LocalRows
  Eigen::MatrixXd raw;          ///< rows × columns of the frame
};

/// What every rank keeps of the rows of its blocks.
struct LocalRows {
  std::int64_t first_row = 0;
  std::int64_t first_block = 0, last_block = 0;
  std::vector<std::uint8_t> used;   ///< the row takes part
  std::vector<std::uint32_t> group; ///< kNone when the source has no groups
  std::vector<double> duration;     ///< NaN when there is none; empty without durations
};

/// Facts about configurations, the same on every rank.
struct Groups {
  std::uint32_t count = 0;
  std::uint32_t kernels = 0;
  std::vector<std::uint32_t> kernel; ///< of a group
  std::vector<std::int64_t> rows;    ///< used rows of a group
  std::vector<double> median;        ///< duration, ns
  std::vector<double> mean;
  double longest = 0; ///< longest duration of a used row, ns
};

/// The table as the models see it: which rows, which columns, and a way to walk over them again.
class Frame {
public:
  /// Of a source that outlives it; everything else is filled by survey_frame().
  explicit Frame(const RowSource& source) : source_(&source) {}

  TargetKind target_kind = TargetKind::column;
  std::string target;            ///< name of the target node
  std::size_t target_column = 0; ///< column target: its column
  std::vector<Column> columns;   ///< sorted by tier, then name: nothing depends on the order in the source
  std::vector<FeatureReport> reports;
  std::vector<std::string>
      guessed_later; ///< columns whose names say that they come after the target, and nothing else does
  BlockPlan plan;
  LocalRows local;
  Groups groups;
  std::int64_t candidates = 0; ///< columns or families that could have been in the graph, before screening
  std::int64_t rows_used = 0;
  std::int64_t rows_incomplete = 0; ///< left out because a kept column is missing
  double part_incomplete = 0;       ///< of the variability of all rows, that these hold
  std::vector<TellingGap> gaps;     ///< columns whose missing values go with the variability
  std::int64_t rows_single = 0;     ///< left out because their configuration ran once

  /// Calls `visit` for the used rows of every block this rank owns, in order, in tiles of at most 4,096 rows.
  /// Stops with the first error, or when the job is cancelled.
  Expected<void> walk(const Job& job, const std::string& what,
                      const std::function<void(std::int64_t block, const Tile& tile)>& visit) const;

  /// Values of a column in a sample of rows (all rows up to 262,144, else every k-th), gathered from all
  /// ranks in row order: one vector a column, the same on every rank.
  Expected<std::vector<std::vector<double>>> sample(Communicator& communicator, const Job& job) const;
  /// Whether a local row belongs to that sample.
  bool in_sample(std::size_t local_row) const;

  /// Values of the columns in any row of the table (not only this rank's); NaN where missing.
  Expected<Eigen::VectorXd> row_values(std::int64_t row) const;
  /// The target of any row in its unit; NaN when it has none.
  Expected<double> target_of_row(std::int64_t row, Centre centre) const;
  /// The launch of any row; nothing for targets that are no variability, and for launches without an equal
  /// one.
  Expected<std::optional<LaunchTime>> launch_of_row(std::int64_t row, Centre centre) const;

  /// The target's value of a local row in its unit; `raw` is the row of the tile.
  double target_value(const Tile& tile, Eigen::Index row, Centre centre) const;

private:
  std::optional<LaunchTime> launch_of(const RowBlock& block, Centre centre) const; ///< of its only row
  const RowSource* source_ = nullptr;
};

inline constexpr std::int64_t kExactRanks = 262'144; ///< up to here ranks are exact
inline constexpr std::size_t kRankKnots = 4'096;     ///< knots of a sampled rank table

} // namespace jitterscope::causal
