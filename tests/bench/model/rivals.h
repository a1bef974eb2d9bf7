#pragma once

#include <vector>

#include "core/model/correction/correction.h"

namespace jitterscope::bench {

/// Rows of kernels with the roofline's time next to the model's.
struct KernelRows {
  model::CorrectionRows rows;    ///< times in µs
  std::vector<double> roofline;  ///< times of the roofline model [µs]
  std::vector<std::string> type; ///< data type of the kernel
};

/// Training rows and test rows.
struct Split {
  std::vector<std::size_t> training, test;
};

/// Predictions of the test rows [µs] by models that learn from the training rows.
struct Predictions {
  std::vector<double> measured, roofline, analytical, corrected, linear, trees;
  std::vector<double> anyway;   ///< corrected even for families and GPUs that are not in the training rows
  std::size_t extrapolated = 0; ///< rows that the correction leaves unchanged
};
Predictions predict(const KernelRows& kernels, const Split& split);
void append(Predictions& to, const Predictions& more);

} // namespace jitterscope::bench
