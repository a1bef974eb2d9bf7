#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/base/error.h"

namespace jitterscope::model {

/// Rows × columns of features, row-major; NaN if missing.
struct Matrix {
  std::size_t rows = 0, columns = 0;
  std::vector<float> values;

  std::span<const float> row(std::size_t r) const { return {values.data() + r * columns, columns}; }
  void append(std::span<const double> row_values);
};

/// A node of a regression tree. A leaf has no children; children have larger indices than their parent.
struct TreeNode {
  int left = -1, right = -1; ///< indices of the children in the tree; −1 in a leaf
  int feature = 0;
  float threshold = 0; ///< rows with a smaller value of the feature go left
  bool missing_left = true;
  float value = 0; ///< value of a leaf
  float gain = 0;  ///< gain of the split
};
using Tree = std::vector<TreeNode>;

float value_of(const Tree& tree, std::span<const float> row);
/// Sum over the trees, in single precision as in the library.
double sum_of(std::span<const Tree> trees, std::span<const float> row);

struct BoostingOptions {
  int rounds = 300;
  int depth = 3;
  double learning_rate = 0.05;
  double lambda = 1;
  double min_rows = 3; ///< minimum rows in a leaf
};

/// Regression by gradient-boosted trees (Friedman 2001) with squared loss, by libxgboost (Chen and Guestrin
/// 2016), with exact splits; above 1,000 rows the features are binned into at most 256 quantiles. No
/// subsampling, one thread, base 0: the same rows give the same trees. The trees are extracted from the
/// library and evaluated here, so that saved trees never reach its parser. Errors: BadUse without rows or
/// columns or if `x` and `y` differ in their number of rows, Cancelled (`cancelled` is polled before every
/// round), Internal with the library's message.
Expected<std::vector<Tree>> boost(const Matrix& x, std::span<const float> y, const BoostingOptions& options,
                                  const std::function<bool()>& cancelled);

/// Checks that trees can be evaluated on rows of this many columns: children follow their parent and are
/// inside the tree, features exist, numbers are finite. Returns the problem; empty if there is none.
std::string damage_of(std::span<const Tree> trees, std::size_t columns);

} // namespace jitterscope::model
