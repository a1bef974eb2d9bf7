#pragma once

#include <array>
#include <memory>
#include <string_view>
#include <vector>

#include "core/analysis/columns/excess_columns.h"
#include "core/reasons/launch_reasons.h"

namespace jitterscope::analysis {

/// Excess of launches and its parts per cause, as launch columns.
///
/// excess_ns of a launch: duration minus the median duration, without waiting for other devices, of its
/// configuration and call site. It is missing if fewer than ten such launches are in the sample. Parts: the
/// contributions of the causes of LaunchReasons, one column per kind of cause, and the rest. The columns are
/// the same in every session with durations; kinds of causes without effect are 0. different_work_ns is not a
/// part of the excess: it is the median of the call site minus that of the configuration.
class Excess final : public ExcessColumns {
public:
  static Kind kind_of(const causal::FeatureInfo& feature);

  explicit Excess(std::shared_ptr<const LaunchReasons> reasons);

  std::vector<double> read(std::string_view column, const Segment& segment) const override;
  /// excess_ns of every row and its parts in the order of Kind.
  struct Rows {
    std::vector<double> total;
    std::array<std::vector<double>, kKinds> parts;
  };
  Rows read(const Segment& segment) const;

  const LaunchReasons& reasons() const { return *reasons_; }

private:
  std::shared_ptr<const LaunchReasons> reasons_;
  std::vector<Kind> kinds_; ///< kind of each term
};

} // namespace jitterscope::analysis
