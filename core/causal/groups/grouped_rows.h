#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/causal/groups/row_groups.h"

namespace jitterscope::causal {

/// What the differences between groups of rows make of the variability of launches.
struct GroupShare {
  double share = 0;            ///< 0 … 1
  Range interval;              ///< 95 %
  std::string lowest, highest; ///< groups with the shortest and the longest durations
};

/// Rows of a source with the roles of their columns: numeric identifiers become categories; timestamps and
/// identifiers with too many values are excluded (FeatureInfo::leaves). If the target differs between many
/// groups of rows (GPUs, nodes …), the columns that name them are excluded as well: they become levels of a
/// random-effects model (RowGroups), and rows are compared within and between the units.
class GroupedRows final : public ChangedRows {
public:
  /// Collective. `options` of the question: its target, its reading and the roles it states for columns.
  static Expected<GroupedRows> make(const RowSource& source, const Options& options,
                                    Communicator& communicator, const Job& job,
                                    std::size_t least_units = kManyUnits);

  const std::optional<RowGroups>& row_groups() const { return groups_; }
  /// Whether the groups of this source are rows of one unit, instead of configurations.
  bool by_unit() const { return by_unit_; }
  /// Text of an identifier's value.
  std::string name_of(std::size_t feature, int code) const;

  /// Part of Σ |duration − mean of the configuration| that would vanish if the groups of a level did not
  /// differ, with their effects shrunk (group_effects()); the interval is a jackknife over parts of the rows.
  /// 0 with very many configurations. Of a source with durations. Collective.
  Expected<GroupShare> share_of_level(std::size_t level, Communicator& communicator, const Job& job) const;

  std::vector<Warning> remarks() const override;

  /// Rows that were read are cached, up to kMaxKeptBytes: a question reads its rows about ten times, and
  /// computing the columns of launches costs more than the analysis of them.
  Expected<void> read(std::int64_t first, std::int64_t count, RowBlock& block) const override;
  static constexpr std::size_t kMaxKeptBytes = std::size_t{256} << 20;
  std::uint32_t groups() const override {
    return by_unit_ ? static_cast<std::uint32_t>(groups_->levels[groups_->unit].code.size())
                    : source_->groups();
  }
  std::uint32_t kernel_of(std::uint32_t group) const override {
    return by_unit_ ? 0 : source_->kernel_of(group);
  }
  std::string kernel_name(std::uint32_t kernel) const override {
    return by_unit_ ? std::string() : source_->kernel_name(kernel);
  }
  bool waits_for_absent(std::uint32_t kernel) const override {
    return !by_unit_ && source_->waits_for_absent(kernel);
  }
  std::string call_sites_in_words(const std::vector<std::int64_t>& rows) const override {
    return by_unit_ ? std::string() : source_->call_sites_in_words(rows);
  }

private:
  explicit GroupedRows(const RowSource& source) : ChangedRows(source) {}
  void assign_roles(const std::string& target, bool of_launches);
  /// Unit of a row of the source; −1 if unknown.
  int unit_of(const RowBlock& block, Eigen::Index row) const;
  Expected<void> read_source(std::int64_t first, std::int64_t count, RowBlock& block) const;
  Expected<const RowBlock*> tile(std::int64_t number) const;

  std::vector<ColumnRole> roles_;
  std::optional<RowGroups> groups_;
  bool by_unit_ = false;
  std::vector<bool> recoded_;                                  ///< by feature: numbers converted to codes
  mutable std::vector<std::unique_ptr<const RowBlock>> tiles_; ///< tiles of kTileRows rows; null: not kept
  mutable std::size_t kept_bytes_ = 0;
};

/// Target of a question that does not name one.
std::string target_of(const RowSource& source, const Options& options);

/// Computes variance components and ranked devices of rows that have groups.
GroupEstimates estimate_groups(const GroupedRows& rows, const std::string& target);

} // namespace jitterscope::causal
