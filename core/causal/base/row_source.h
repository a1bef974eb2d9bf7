#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "core/base/error.h"
#include "core/base/ids.h"
#include "core/base/job.h"
#include "core/causal/base/result.h"

namespace jitterscope::causal {

/// How a feature's numbers are interpreted.
enum class FeatureRole {
  numeric,  ///< a numeric factor
  event,    ///< 0 or 1: it happened or it did not
  category, ///< a code 0, 1, 2 … into FeatureInfo::labels; becomes one indicator per frequent level
};

/// One column of the table under analysis.
struct FeatureInfo {
  std::string name; ///< unique; letters, digits, '_' as in the filter language ("migration_ns")
  std::string unit; ///< "ns", "B", "MHz" …, empty for pure numbers
  int tier = -1;    ///< 0 … 5 (tiers.h); −1: derived from the name
  FeatureRole role = FeatureRole::numeric;
  std::string family; ///< shared by features of one cause ("migration": event, ns, bytes); empty: by the name
  std::string description;
  std::vector<std::string> labels; ///< category: text of code 0, 1, 2 …
  bool of_plain_table = false;     ///< only its name describes the column; how it was counted is unknown
  /// The duration is made of it by definition (work, and how fast it is done): that both change slowly, or
  /// together by chance, is no objection.
  bool factor = false;
  /// Reason why the column is excluded, if known before values are compared; empty: not excluded.
  std::string leaves = {};
};

/// Consecutive rows of a RowSource.
struct RowBlock {
  Eigen::MatrixXd values;           ///< rows × features, NaN marks a missing value
  std::vector<std::uint32_t> group; ///< configuration of each row, kNone if none; empty if the table has none
  std::vector<double> duration_ns;  ///< NaN if missing; empty if the table has no durations
};

/// The rows of an analysis in one fixed global order (launches by start), readable in any range by any rank.
/// All methods are const and return the same on every rank; only one thread at a time may call `read`.
///
/// Rows of one group (configuration) are the launches that should take equally long; groups of one kernel
/// differ in their launch configuration only. A kernel's configuration columns can be judged only between
/// groups of one kernel, all other columns within a group (see Reading in discovery.h).
class RowSource {
public:
  virtual ~RowSource() = default;

  virtual const std::vector<FeatureInfo>& features() const = 0;
  virtual std::int64_t rows() const = 0;
  /// Reads rows [first, first + count); count is at most 65,536 and the range is inside the table.
  virtual Expected<void> read(std::int64_t first, std::int64_t count, RowBlock& block) const = 0;

  /// Index of a row in the source of the table: the launch of a selection. Default: the row itself.
  virtual std::int64_t origin_of(std::int64_t row) const { return row; }

  /// Warnings on how the rows were made, shown with every answer.
  virtual std::vector<Warning> remarks() const { return {}; }

  virtual bool has_durations() const { return false; }
  /// Groups are numbered 0 … groups() − 1; 0 if the table has none.
  virtual std::uint32_t groups() const { return 0; }
  /// Index of the kernel (any number below groups()) of a group. Default: one kernel for all.
  virtual std::uint32_t kernel_of(std::uint32_t) const { return 0; }
  /// Name of a kernel for sentences, empty if there is none.
  virtual std::string kernel_name(std::uint32_t) const { return {}; }
  /// Whether launches of a kernel wait for other processes that are not recorded here
  /// (collectives).
  virtual bool waits_for_absent(std::uint32_t) const { return false; }
  /// The group with the largest differences between its call sites, and these differences, as a sentence;
  /// empty if there is none. `rows`: number of rows under analysis by group.
  virtual std::string call_sites_in_words(const std::vector<std::int64_t>&) const { return {}; }
  /// Default target of tables, if the user names none and there are no durations; empty: none.
  virtual std::string default_target() const { return {}; }
};

/// The rows of another source, which must outlive this object; a derived class changes some of their columns.
class ChangedRows : public RowSource {
public:
  explicit ChangedRows(const RowSource& source) : source_(&source), features_(source.features()) {}

  const std::vector<FeatureInfo>& features() const override { return features_; }
  std::int64_t rows() const override { return source_->rows(); }
  std::int64_t origin_of(std::int64_t row) const override { return source_->origin_of(row); }
  std::vector<Warning> remarks() const override { return source_->remarks(); }
  bool has_durations() const override { return source_->has_durations(); }
  std::uint32_t groups() const override { return source_->groups(); }
  std::uint32_t kernel_of(std::uint32_t group) const override { return source_->kernel_of(group); }
  std::string kernel_name(std::uint32_t kernel) const override { return source_->kernel_name(kernel); }
  bool waits_for_absent(std::uint32_t kernel) const override { return source_->waits_for_absent(kernel); }
  std::string call_sites_in_words(const std::vector<std::int64_t>& rows) const override {
    return source_->call_sites_in_words(rows);
  }
  std::string default_target() const override { return source_->default_target(); }

protected:
  const RowSource* source_;
  std::vector<FeatureInfo> features_; ///< as changed
};

/// Reads rows [first, last) in tiles of at most 4,096 rows, and calls `visit(row, block)` with the first row
/// of each. Stops at the first error, or when the job is cancelled.
template <class Visit>
Expected<void> read_tiles(const RowSource& source, std::int64_t first, std::int64_t last, const Job& job,
                          const Visit& visit) {
  constexpr std::int64_t rows_of_tile = 4'096;
  RowBlock block;
  for (std::int64_t at = first; at < last; at += rows_of_tile) {
    if (job.cancelled()) return Job::cancelled_error();
    if (auto done = source.read(at, std::min(rows_of_tile, last - at), block); !done) return done;
    visit(at, block);
  }
  return {};
}

/// The table of a file, in memory.
class MemoryRows : public RowSource {
public:
  std::vector<FeatureInfo> columns;
  Eigen::MatrixXd values;     ///< rows × columns
  std::string target;         ///< default target
  std::vector<Warning> notes; ///< remarks()

  const std::vector<FeatureInfo>& features() const override { return columns; }
  std::int64_t rows() const override { return values.rows(); }
  Expected<void> read(std::int64_t first, std::int64_t count, RowBlock& block) const override;
  std::string default_target() const override { return target; }
  std::vector<Warning> remarks() const override { return notes; }
};

inline constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

} // namespace jitterscope::causal
