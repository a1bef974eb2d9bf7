#pragma once

#include <memory>
#include <string>
#include <vector>

namespace jitterscope::analysis {

/// One node of a condition. Leaves compare a column with a number, another column or a set of numbers or text
/// ids, or test whether its value is missing.
struct FilterNode {
  enum class Kind { And, Or, Not, Compare, CompareColumns, In, Missing };
  Kind kind = Kind::And;
  std::vector<std::shared_ptr<const FilterNode>> children;
  std::string column;
  std::string other;           ///< of CompareColumns: the second column
  std::string comparison;      ///< of Compare and CompareColumns: one of = != < <= > >=
  double number = 0;           ///< of Compare: the number
  std::vector<double> members; ///< of In: the numbers or text ids, sorted
};

} // namespace jitterscope::analysis
