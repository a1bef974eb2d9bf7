#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/causal/base/row_source.h"

namespace jitterscope::causal {

/// Launches that a model of durations is fitted on, in any fixed order; the same on every rank.
struct FitRows {
  std::vector<FeatureInfo> features;
  std::vector<std::vector<float>> values; ///< by feature, then by row; NaN where missing
  std::vector<double> duration_ns;        ///< above 0; other rows are not used
  std::vector<std::uint32_t> peers;       ///< launches with equal work: configuration and call site
  std::vector<std::uint32_t> kernel;      ///< below `kernels`
  std::vector<std::uint32_t> block;       ///< blocks of neighbouring time, 0 … blocks − 1
  std::vector<double> typical_ns;         ///< by peers: median duration; NaN for peers of too few launches
  std::vector<std::size_t>
      parts; ///< features that are parts of a launch's time, ns; duration_ns is without them
  std::uint32_t kernels = 1;
  std::uint32_t blocks = 1;

  std::size_t rows() const { return duration_ns.size(); }
};

/// The values of a feature in few classes. Missing values are in none.
class ValueClasses {
public:
  static constexpr std::uint8_t kNone = 255;
  static constexpr std::size_t kMost = 64; ///< levels of a category; the rarest others are in no class

  ValueClasses() = default;
  ValueClasses(const FeatureInfo& feature, std::span<const float> values);

  std::size_t count() const { return count_; }
  std::uint8_t of(double value) const;
  /// Class 0 holds exactly the value 0: it did not happen.
  bool zero_apart() const { return zero_apart_; }
  bool category() const { return category_; }

private:
  void cut(std::vector<float> values);

  bool category_ = false, zero_apart_ = false;
  std::vector<double> cuts_; ///< ascending, between classes of amounts
  std::size_t count_ = 0;
};

} // namespace jitterscope::causal
