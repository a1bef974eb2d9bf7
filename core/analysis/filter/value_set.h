#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace jitterscope::analysis {

/// Values of one column that a condition holds for: any condition on a single column (comparisons, ranges,
/// lists, "is missing", joined by and, or, not) is a union of closed intervals and whether a missing value
/// (NaN) belongs to it.
class ValueSet {
public:
  struct Range {
    double low = 0, high = 0; ///< both belong to it
    bool operator==(const Range&) const = default;
  };

  ValueSet() = default; ///< of nothing
  static ValueSet all();
  static ValueSet missing();
  static ValueSet between(double low, double high);
  static ValueSet below(double value, bool itself);
  static ValueSet above(double value, bool itself);
  static ValueSet of(std::span<const double> values);

  ValueSet operator|(const ValueSet& other) const;
  ValueSet operator&(const ValueSet& other) const;
  ValueSet operator!() const; ///< missing values change sides too

  bool contains(double value) const;
  /// 1 for each value that belongs to it, else 0.
  void test(const double* values, std::size_t count, std::uint8_t* out) const;

  const std::vector<Range>& ranges() const { return ranges_; } ///< sorted, disjoint
  bool has_missing() const { return missing_; }
  bool operator==(const ValueSet&) const = default;

private:
  std::vector<Range> ranges_;
  bool missing_ = false;
};

} // namespace jitterscope::analysis
