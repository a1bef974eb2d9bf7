#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/analysis/columns/launch_reader.h"

namespace jitterscope::analysis {

/// Numbers the groups into which a column of categories or texts divides launches: 0, 1 … in the order of
/// the column's values; the last number is for launches without a value. Arguments must outlive this object.
/// Thread-safe.
class GroupNumbers {
public:
  GroupNumbers(const Session& session, const LaunchColumns& columns, const std::string& name);

  /// Maximum number of groups, including the one for missing values.
  std::size_t count() const { return values_.size() + 1; }
  /// The column's value; NaN for the group of missing values.
  double value(std::uint32_t number) const {
    return number < values_.size() ? values_[number] : std::numeric_limits<double>::quiet_NaN();
  }
  std::uint32_t number(double value) const;

  /// Reads group numbers of the rows of a segment. `buffer` belongs to the calling thread.
  void read(const Segment& segment, std::uint32_t* out, std::vector<double>& buffer) const;

private:
  std::uint32_t one_of_text(std::uint32_t number) const {
    return number < first_of_text_.size() ? first_of_text_[number] : number;
  }
  LaunchReader reader_;
  /// By number: the first group with the same text; call sites of several configurations may have one text.
  std::vector<std::uint32_t> first_of_text_;
  std::vector<double> values_; ///< by group: value of the column, ascending
  /// Per trace: group number by configuration or stream, if the column depends only on one of these.
  std::vector<std::vector<std::uint32_t>> of_id_;
};

} // namespace jitterscope::analysis
