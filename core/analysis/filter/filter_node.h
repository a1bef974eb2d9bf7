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
  std::string other;           ///< CompareColumns
  std::string comparison;      ///< = != < <= > >=
  double number = 0;           ///< Compare
  std::vector<double> members; ///< In, sorted
};

} // namespace jitterscope::analysis
