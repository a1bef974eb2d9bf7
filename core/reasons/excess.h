#pragma once

#include <array>
#include <memory>
#include <string_view>
#include <vector>

#include "core/analysis/columns/excess_columns.h"
#include "core/reasons/launch_reasons.h"

namespace jitterscope::analysis {

/// Excess of launches and its parts by cause, as columns of launches.
///
/// excess_ns of a launch: duration minus the median of its configuration and call site (of at least ten; else
/// missing). Parts: what the causes of LaunchReasons account for, in one column for each kind of cause, and
/// the rest. The columns are the same in every session with durations; kinds of causes that do not act are 0.
/// different_work_ns is not a part of the excess: by how much the median of the call site is above that of
/// the configuration.
class Excess final : public ExcessColumns {
public:
  static Kind kind_of(const causal::FeatureInfo& feature);

  explicit Excess(std::shared_ptr<const LaunchReasons> reasons);

  std::vector<double> read(std::string_view column, const Segment& segment) const override;
  /// excess_ns of every row and, in the order of Kind, its parts.
  struct Rows {
    std::vector<double> total;
    std::array<std::vector<double>, kKinds> parts;
  };
  Rows read(const Segment& segment) const;

  const LaunchReasons& reasons() const { return *reasons_; }

private:
  std::shared_ptr<const LaunchReasons> reasons_;
  std::vector<Kind> kinds_; ///< by term
};

} // namespace jitterscope::analysis
