#include "core/analysis/filter/value_set.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/vector_clones.h"

namespace jitterscope::analysis {
namespace {

constexpr double kEnd = std::numeric_limits<double>::infinity();

double after(double value) {
  return std::nextafter(value, kEnd);
}
double before(double value) {
  return std::nextafter(value, -kEnd);
}

JITTERSCOPE_VECTOR_CLONES
void test_range(const double* values, std::size_t count, double low, double high, std::uint8_t* out) {
  for (std::size_t i = 0; i < count; ++i)
    out[i] = static_cast<std::uint8_t>((values[i] >= low) & (values[i] <= high));
}

JITTERSCOPE_VECTOR_CLONES
void add_range(const double* values, std::size_t count, double low, double high, std::uint8_t* out) {
  for (std::size_t i = 0; i < count; ++i)
    out[i] |= static_cast<std::uint8_t>((values[i] >= low) & (values[i] <= high));
}

JITTERSCOPE_VECTOR_CLONES
void add_missing(const double* values, std::size_t count, std::uint8_t* out) {
  for (std::size_t i = 0; i < count; ++i) out[i] |= static_cast<std::uint8_t>(values[i] != values[i]);
}

} // namespace

ValueSet ValueSet::all() {
  ValueSet set = between(-kEnd, kEnd);
  set.missing_ = true;
  return set;
}

ValueSet ValueSet::missing() {
  ValueSet set;
  set.missing_ = true;
  return set;
}

ValueSet ValueSet::between(double low, double high) {
  ValueSet set;
  if (low <= high) set.ranges_.push_back({low, high});
  return set;
}

ValueSet ValueSet::below(double value, bool inclusive) {
  if (!inclusive && value == -kEnd) return {};
  return between(-kEnd, inclusive ? value : before(value));
}

ValueSet ValueSet::above(double value, bool inclusive) {
  if (!inclusive && value == kEnd) return {};
  return between(inclusive ? value : after(value), kEnd);
}

ValueSet ValueSet::of(std::span<const double> values) {
  ValueSet set;
  for (const double value : values)
    if (!std::isnan(value)) set.ranges_.push_back({value, value});
  std::sort(set.ranges_.begin(), set.ranges_.end(),
            [](const Range& a, const Range& b) { return a.low < b.low; });
  set.ranges_.erase(std::unique(set.ranges_.begin(), set.ranges_.end()), set.ranges_.end());
  return set;
}

ValueSet ValueSet::operator|(const ValueSet& other) const {
  std::vector<Range> both = ranges_;
  both.insert(both.end(), other.ranges_.begin(), other.ranges_.end());
  std::sort(both.begin(), both.end(), [](const Range& a, const Range& b) { return a.low < b.low; });
  ValueSet out;
  out.missing_ = missing_ || other.missing_;
  for (const Range& range : both) {
    if (!out.ranges_.empty() && range.low <= after(out.ranges_.back().high))
      out.ranges_.back().high = std::max(out.ranges_.back().high, range.high);
    else
      out.ranges_.push_back(range);
  }
  return out;
}

ValueSet ValueSet::operator!() const {
  ValueSet out;
  out.missing_ = !missing_;
  double from = -kEnd;
  bool open = true;
  for (const Range& range : ranges_) {
    if (range.low > from) out.ranges_.push_back({from, before(range.low)});
    open = range.high < kEnd;
    if (!open) break;
    from = after(range.high);
  }
  if (open) out.ranges_.push_back({from, kEnd});
  return out;
}

ValueSet ValueSet::operator&(const ValueSet& other) const {
  return !((!*this) | (!other));
}

bool ValueSet::contains(double value) const {
  if (std::isnan(value)) return missing_;
  const auto above = std::upper_bound(ranges_.begin(), ranges_.end(), value,
                                      [](double v, const Range& r) { return v < r.low; });
  return above != ranges_.begin() && value <= (above - 1)->high;
}

void ValueSet::test(const double* values, std::size_t count, std::uint8_t* out) const {
  constexpr std::size_t kMaxPasses = 6; // above this, a search per value is faster
  if (ranges_.size() > kMaxPasses) {
    for (std::size_t i = 0; i < count; ++i) out[i] = contains(values[i]);
    return;
  }
  if (ranges_.empty())
    std::fill(out, out + count, std::uint8_t{0});
  else
    test_range(values, count, ranges_[0].low, ranges_[0].high, out);
  for (std::size_t r = 1; r < ranges_.size(); ++r)
    add_range(values, count, ranges_[r].low, ranges_[r].high, out);
  if (missing_) add_missing(values, count, out);
}

} // namespace jitterscope::analysis
