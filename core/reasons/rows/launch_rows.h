#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/analysis/filter/selection.h"
#include "core/causal/base/row_source.h"
#include "core/reasons/rows/launch_features.h"
#include "core/reasons/rows/sampled_launches.h"
#include "core/reasons/rows/table_target.h"
#include "core/reasons/rows/typical_rows.h"

namespace jitterscope::analysis {

/// The selected launches of a session as rows for the causal engine, in session row order. Columns:
/// environment (device, rank, stream), configuration and every context column of the stores; duration and
/// variability are computed by the engine from groups (configurations) and durations. Values that long
/// launches accumulate by chance refer to their typical duration (typical_windows.h).
class LaunchRows final : public causal::RowSource {
public:
  /// `target` may name any column of launches; a column that is not a feature by default
  /// (memory_stall) is added. Collective: each rank evaluates the filter on its share, then every rank gets
  /// the whole selection (one bit per row).
  ///
  /// With more than `sample.rows` selected launches (0: no limit) a sample is used
  /// (SampledLaunches::sample). `typical`: that of this session, if known. Terms of the
  /// performance model and the columns that the user chose (LaunchColumn::chosen) are features if `named`
  /// contains them; chosen columns also with `chosen`.
  static Expected<LaunchRows> make(const Session& session, const LaunchColumns& columns,
                                   const Selection& selection, const std::string& target,
                                   Communicator& communicator, const Job& job, SampleSize sample = {},
                                   std::shared_ptr<const TypicalRows> typical = nullptr,
                                   const std::vector<std::string>& named = {}, bool chosen = false);

  /// Prepares the rows for models of single launches: adds the columns of RecentMemory and recent_idle, and
  /// gives overlap with memory operations as a percentage of the time in which it is counted: overlap acts in
  /// proportion to the fraction of a launch's time, which does not grow with the duration, as the overlap in
  /// ns does for any cause. This time is the typical duration where TypicalWindows limits the kind of
  /// operation, else the launch's duration. The kind stays limited only if operations early in launches do
  /// not clearly lengthen them (migrations: only if they clearly do not; a launch that faults waits for its
  /// pages, however late the fault). Else a launch is late because of its operations.
  void describe_single_launches();
  /// A copy with only these features.
  LaunchRows with_features(const std::vector<std::string>& names) const;
  bool contains(std::int64_t session_row) const { return launches_.contains(session_row); }

  /// Number of selected launches; more than rows() if a sample is used.
  std::int64_t selected() const { return launches_.selected(); }

  const std::vector<causal::FeatureInfo>& features() const override { return features_; }
  std::int64_t rows() const override { return launches_.rows(); }
  Expected<void> read(std::int64_t first, std::int64_t count, causal::RowBlock& block) const override;
  std::int64_t origin_of(std::int64_t row) const override { return session_rows(row, 1).front(); }
  /// Session rows of rows [first, first + count).
  std::vector<std::int64_t> session_rows(std::int64_t first, std::int64_t count) const {
    return launches_.session_rows(first, count);
  }
  std::vector<causal::Warning> remarks() const override;
  bool has_durations() const override { return session_->has_durations(); }
  std::uint32_t groups() const override {
    return static_cast<std::uint32_t>(session_->configurations().size());
  }
  std::uint32_t kernel_of(std::uint32_t group) const override {
    return session_->configurations()[group].kernel;
  }
  /// Whether a kernel communicates, but ran on no other device.
  bool waits_for_absent(std::uint32_t kernel) const override;
  std::string call_sites_in_words(const std::vector<std::int64_t>& rows) const override;
  std::string kernel_name(std::uint32_t kernel) const override {
    return is_named_after_file(*session_, kernel) ? std::string() : session_->kernels()[kernel].short_name;
  }

private:
  /// Whether memory operations count over the whole launch, also where TypicalWindows limits their kind.
  bool counts_all(std::string_view column) const;
  double time_of_overlap(std::string_view column, std::uint32_t configuration, double duration_ns) const;
  void read_rows(const std::vector<std::int64_t>& requested, causal::RowBlock& block) const;

  const Session* session_ = nullptr;
  const LaunchColumns* columns_ = nullptr;
  std::shared_ptr<const TypicalRows> typical_;
  std::string target_;              ///< its values are those of its column
  bool of_single_launches_ = false; ///< after describe_single_launches()
  std::vector<causal::FeatureInfo> features_;
  std::vector<FeatureCodes> codes_; ///< codes of each feature
  SampledLaunches launches_;
};

} // namespace jitterscope::analysis
