#include "core/analysis/parallel/column_steps.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/base/vector_clones.h"

namespace jitterscope::analysis {
namespace {

// Values below the maximum / kMaxRatio share a step, so that zeros do not leave most steps to tiny values.
constexpr double kMaxRatio = 16'777'216;

// Bit patterns of positive numbers are in numeric order. Adding 0 gives −0 the same step as 0.
JITTERSCOPE_VECTOR_CLONES
void ratio_steps(const double* values, std::size_t count, double low, std::int64_t origin, int shift,
                 std::uint16_t* out) {
  for (std::size_t i = 0; i < count; ++i) {
    const double value = values[i] > low ? values[i] : low;
    const std::int64_t step = (std::bit_cast<std::int64_t>(value) - origin) >> shift;
    const std::int64_t maximum = step < ColumnSteps::kMaxBuckets ? step : ColumnSteps::kMaxBuckets;
    out[i] = static_cast<std::uint16_t>(values[i] != values[i] ? ColumnSteps::kMissing : maximum);
  }
}

JITTERSCOPE_VECTOR_CLONES
void even_steps(const double* values, std::size_t count, double low, double scale, std::uint16_t* out) {
  for (std::size_t i = 0; i < count; ++i) {
    const double step = (values[i] - low) * scale;
    const double minimum = step > 0 ? step : 0;
    const auto maximum =
        static_cast<std::int32_t>(minimum < ColumnSteps::kMaxBuckets ? minimum : ColumnSteps::kMaxBuckets);
    out[i] = static_cast<std::uint16_t>(values[i] != values[i] ? ColumnSteps::kMissing : maximum);
  }
}

JITTERSCOPE_VECTOR_CLONES
void test_run(const std::uint16_t* steps, std::size_t count, std::uint16_t first, std::uint16_t last,
              std::uint8_t* out) {
  const auto length = static_cast<std::uint16_t>(last - first);
  for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<std::uint16_t>(steps[i] - first) <= length;
}

JITTERSCOPE_VECTOR_CLONES
void add_run(const std::uint16_t* steps, std::size_t count, std::uint16_t first, std::uint16_t last,
             std::uint8_t* out) {
  const auto length = static_cast<std::uint16_t>(last - first);
  for (std::size_t i = 0; i < count; ++i)
    out[i] = out[i] | static_cast<std::uint8_t>(static_cast<std::uint16_t>(steps[i] - first) <= length);
}

JITTERSCOPE_VECTOR_CLONES
bool any_of(const std::uint16_t* steps, std::size_t count, std::uint16_t step) {
  std::uint16_t any = 0;
  for (std::size_t i = 0; i < count; ++i) any = any | static_cast<std::uint16_t>(steps[i] == step);
  return any != 0;
}

} // namespace

ColumnSteps::ColumnSteps(double low, double high, std::size_t rows)
    : even_(!(low >= 0)), low_(low), rows_(rows, kMissing) {
  if (even_) {
    const double length = high - low;
    scale_ =
        length > 0 && std::isfinite(length) && std::isfinite(kMaxBuckets / length) ? kMaxBuckets / length : 0;
    if (!std::isfinite(low)) low_ = 0, scale_ = 0;
    return;
  }
  if (!std::isfinite(high) || !(high > low)) high = low;
  low_ = std::max(low, high / kMaxRatio) + 0.0;
  origin_ = std::bit_cast<std::int64_t>(low_);
  const auto span = static_cast<std::uint64_t>(std::bit_cast<std::int64_t>(std::max(high, low_)) - origin_);
  shift_ = std::max(0, static_cast<int>(std::bit_width(span)) - 16);
}

std::uint16_t ColumnSteps::of(double value) const {
  std::uint16_t step = 0;
  if (even_)
    even_steps(&value, 1, low_, scale_, &step);
  else
    ratio_steps(&value, 1, low_, origin_, shift_, &step);
  return step;
}

void ColumnSteps::put(std::span<const double> values, std::size_t first) {
  if (even_)
    even_steps(values.data(), values.size(), low_, scale_, rows_.data() + first);
  else
    ratio_steps(values.data(), values.size(), low_, origin_, shift_, rows_.data() + first);
}

ColumnSteps::Cut ColumnSteps::cut(const ValueSet& values) const {
  Cut cut;
  cut.missing = values.has_missing();
  for (const auto& range : values.ranges()) {
    int first = of(range.low), last = of(range.high);
    // A step with an edge is inside or outside if the range of its values is known; else its rows are read.
    const auto decide = [&](int step) {
      const auto known = known_.find(static_cast<std::uint16_t>(step));
      if (known == known_.end() || (known->second.high >= range.low && known->second.low <= range.high &&
                                    !(known->second.low >= range.low && known->second.high <= range.high))) {
        cut.edges.push_back(static_cast<std::uint16_t>(step));
        return false;
      }
      return known->second.low >= range.low && known->second.high <= range.high;
    };
    const bool one = first == last;
    const bool low_inside = decide(first), high_inside = one ? low_inside : decide(last);
    if (!low_inside) ++first;
    if (!high_inside && !(one && !low_inside)) --last;
    if (first <= last)
      cut.inside.push_back({static_cast<std::uint16_t>(first), static_cast<std::uint16_t>(last)});
  }
  std::sort(cut.edges.begin(), cut.edges.end());
  cut.edges.erase(std::unique(cut.edges.begin(), cut.edges.end()), cut.edges.end());
  return cut;
}

void ColumnSteps::test(const std::uint16_t* steps, std::size_t count, const Cut& cut, std::uint8_t* out) {
  if (cut.inside.empty()) std::fill(out, out + count, std::uint8_t{0});
  for (std::size_t r = 0; r < cut.inside.size(); ++r)
    (r == 0 ? test_run : add_run)(steps, count, cut.inside[r].first, cut.inside[r].last, out);
  if (cut.missing) add_run(steps, count, kMissing, kMissing, out);
}

std::size_t ColumnSteps::find(const std::uint16_t* steps, std::size_t count, std::uint16_t step,
                              std::uint16_t* out) {
  constexpr std::size_t kFew = 64;
  std::size_t found = 0;
  for (std::size_t from = 0; from < count; from += kFew) {
    const auto to = std::min(from + kFew, count);
    if (!any_of(steps + from, to - from, step)) continue;
    for (std::size_t i = from; i < to; ++i)
      if (steps[i] == step) out[found++] = static_cast<std::uint16_t>(i);
  }
  return found;
}

} // namespace jitterscope::analysis
