#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/analysis/columns/launch_reader.h"

namespace jitterscope::analysis {

/// Numbers the groups into which a column of categories or texts divides launches: 0, 1 … in the order of the
/// column's values, and last the launches without a value. Arguments must outlive it. Safe to use from
/// several threads.
class GroupNumbers {
public:
  GroupNumbers(const Session& session, const LaunchColumns& columns, const std::string& name);

  /// How many there may be, that of no value included.
  std::size_t count() const { return values_.size() + 1; }
  /// The column's value; NaN for no value.
  double value(std::uint32_t number) const {
    return number < values_.size() ? values_[number] : std::numeric_limits<double>::quiet_NaN();
  }
  std::uint32_t number(double value) const;

  /// Of the rows of a segment. `buffer` is the thread's own.
  void read(const Segment& segment, std::uint32_t* out, std::vector<double>& buffer) const;

private:
  LaunchReader reader_;
  std::vector<double> values_;                    ///< ascending
  std::vector<std::vector<std::uint32_t>> of_id_; ///< per trace, where the configuration or stream decides
};

} // namespace jitterscope::analysis
