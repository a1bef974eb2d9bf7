#pragma once

#include <functional>
#include <memory>

#include <Eigen/Core>

#include "core/base/error.h"

namespace jitterscope::causal {

/// Regression by gradient-boosted trees (Friedman 2001) with the library libxgboost (Chen and Guestrin 2016):
/// squared error, 100 trees of depth 3, learning rate 0.1, histograms of 256 bins, one thread. Each tree is
/// fitted to half of the rows (Friedman 2002), with at least 10 rows per leaf. Deterministic: the same rows
/// give the same trees.
///
/// Numbers are stored in 32 bits: pass standardised columns and response.
class BoostedTrees {
public:
  /// `cancelled` is polled before every tree. Errors: Cancelled, or Internal with the library's message.
  static Expected<BoostedTrees> fit(const Eigen::MatrixXd& x, const Eigen::VectorXd& y,
                                    const std::function<bool()>& cancelled);

  /// One prediction per row; columns as in `fit`.
  Expected<Eigen::VectorXd> predict(const Eigen::MatrixXd& x) const;

private:
  explicit BoostedTrees(std::shared_ptr<void> booster) : booster_(std::move(booster)) {}
  std::shared_ptr<void> booster_;
};

} // namespace jitterscope::causal
