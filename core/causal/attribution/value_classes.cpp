#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/causal/attribution/fit_rows.h"

namespace jitterscope::causal {
namespace {

/// Of numeric factors: classes of equal counts are combined with classes of equal width.
constexpr std::size_t kQuantileClasses = 8, kWidthClasses = 12;
constexpr std::size_t kMinPerClass = 12;
constexpr double kMostlyZero = 0.5; ///< fraction of zeros above which 0 means that the event did not happen

} // namespace

ValueClasses::ValueClasses(const FeatureInfo& feature, std::span<const float> values) {
  if (feature.role == FeatureRole::category) {
    category_ = true;
    count_ = std::min(feature.labels.size(), kMaxLevels);
    return;
  }
  std::vector<float> known;
  known.reserve(values.size());
  for (const float v : values)
    if (!std::isnan(v)) known.push_back(v);
  const auto zeros = std::count(known.begin(), known.end(), 0.0f);
  const bool negative = std::any_of(known.begin(), known.end(), [](float v) { return v < 0; });
  zero_apart_ = feature.role == FeatureRole::event ||
                (!negative && static_cast<double>(zeros) > kMostlyZero * static_cast<double>(known.size()));
  if (zero_apart_) std::erase(known, 0.0f);
  cut(std::move(known));
  count_ = cuts_.size() + (zero_apart_ ? 2 : 1);
}

// Equal counts resolve dense ranges of values, equal widths sparse ones: a clock that drops for a hundredth
// of the run has its own classes.
void ValueClasses::cut(std::vector<float> values) {
  if (values.size() < 2 * kMinPerClass) return;
  std::sort(values.begin(), values.end());
  const auto at = [&](double part) {
    return static_cast<double>(
        values[static_cast<std::size_t>(part * static_cast<double>(values.size() - 1))]);
  };
  std::vector<double> requested;
  for (std::size_t i = 1; i < kQuantileClasses; ++i)
    requested.push_back(at(static_cast<double>(i) / kQuantileClasses));
  const double low = at(0.002), high = at(0.998);
  for (std::size_t i = 1; i < kWidthClasses; ++i)
    requested.push_back(low + (high - low) * static_cast<double>(i) / kWidthClasses);
  std::sort(requested.begin(), requested.end());
  std::size_t below = 0;
  for (const double c : requested) {
    const auto place = static_cast<std::size_t>(
        std::upper_bound(values.begin(), values.end(), static_cast<float>(c)) - values.begin());
    if (place < below + kMinPerClass || values.size() - place < kMinPerClass) continue;
    cuts_.push_back(
        std::midpoint(static_cast<double>(values[place - 1]), static_cast<double>(values[place])));
    below = place;
  }
}

std::uint8_t ValueClasses::of(double value) const {
  if (std::isnan(value)) return kNone;
  if (category_)
    return value >= 0 && value < static_cast<double>(count_) ? static_cast<std::uint8_t>(value) : kNone;
  if (zero_apart_ && value == 0) return 0;
  const auto above = std::upper_bound(cuts_.begin(), cuts_.end(), value) - cuts_.begin();
  return static_cast<std::uint8_t>(above + (zero_apart_ ? 1 : 0));
}

} // namespace jitterscope::causal
