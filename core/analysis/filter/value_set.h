#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace jitterscope::analysis {

/// Set of values that fulfil a condition on a single column. Any condition on one column (comparisons,
/// ranges, lists, "is missing", combined by and, or, not) is a union of closed intervals plus a flag for
/// missing values (NaN).
class ValueSet {
public:
  struct Range {
    double low = 0, high = 0; ///< both ends are included
    bool operator==(const Range&) const = default;
  };

  ValueSet() = default; ///< the empty set
  static ValueSet all();
  static ValueSet missing();
  static ValueSet between(double low, double high);
  static ValueSet below(double value, bool inclusive);
  static ValueSet above(double value, bool inclusive);
  static ValueSet of(std::span<const double> values);

  ValueSet operator|(const ValueSet& other) const;
  ValueSet operator&(const ValueSet& other) const;
  ValueSet operator!() const; ///< complement, also for missing values

  bool contains(double value) const;
  /// Writes 1 for each value in the set, else 0.
  void test(const double* values, std::size_t count, std::uint8_t* out) const;

  const std::vector<Range>& ranges() const { return ranges_; } ///< disjoint ranges in ascending order
  bool has_missing() const { return missing_; }
  bool operator==(const ValueSet&) const = default;

private:
  std::vector<Range> ranges_;
  bool missing_ = false;
};

} // namespace jitterscope::analysis
