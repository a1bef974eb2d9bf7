#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/causal/base/row_source.h"

namespace jitterscope::causal {

/// Launches to which a model of durations is fitted, in any fixed order; the same on every rank.
struct FitRows {
  std::vector<FeatureInfo> features;
  std::vector<std::vector<float>> values; ///< by feature, then by row; NaN if missing
  std::vector<double> duration_ns;        ///< above 0; other rows are not used
  std::vector<std::uint32_t> peers;       ///< by row: group of equal work (configuration and call site)
  std::vector<std::uint32_t> kernel;      ///< by row: index of the kernel, below `kernels`
  std::vector<std::uint32_t> block;       ///< by row: block of neighbouring times, 0 … blocks − 1
  std::vector<double> typical_ns;         ///< by peers: median duration; NaN for too few launches
  std::vector<std::size_t>
      parts; ///< features that are components of a launch's time, ns; duration_ns excludes them
  std::uint32_t kernels = 1;
  std::uint32_t blocks = 1;
  std::size_t run = SIZE_MAX; ///< rows that were consecutive launches, if the rows are runs of a sample

  std::size_t rows() const { return duration_ns.size(); }
};

/// Divides the values of a feature into few classes. Missing values have no class.
class ValueClasses {
public:
  static constexpr std::uint8_t kNone = 255;
  static constexpr std::size_t kMaxLevels =
      64; ///< maximum number of category levels; rarer levels have no class

  ValueClasses() = default;
  ValueClasses(const FeatureInfo& feature, std::span<const float> values);

  std::size_t count() const { return count_; }
  std::uint8_t of(double value) const;
  /// Whether class 0 holds exactly the value 0 ("it did not happen").
  bool zero_apart() const { return zero_apart_; }
  bool category() const { return category_; }

private:
  void cut(std::vector<float> values);

  bool category_ = false, zero_apart_ = false;
  std::vector<double> cuts_; ///< ascending class boundaries of a numeric factor
  std::size_t count_ = 0;
};

} // namespace jitterscope::causal
