#include "core/causal/statistics/boosted_trees.h"

#include <array>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <xgboost/c_api.h>

#include "core/base/job.h"

namespace jitterscope::causal {
namespace {

constexpr int kTrees = 100;
constexpr std::array<std::pair<const char*, const char*>, 13> kParameters{{
    {"objective", "reg:squarederror"},
    {"base_score", "0"},
    {"tree_method", "hist"},
    {"max_bin", "256"},
    {"max_depth", "3"},
    {"eta", "0.1"},
    {"min_child_weight", "10"},
    // On residuals of lines, a pure interaction has no gain at the first split; on half of the rows it has a
    // gain.
    {"subsample", "0.5"},
    {"seed_per_iteration", "1"},
    {"nthread", "1"}, // more threads are slower at these sizes, and each rank has one core
    {"seed", "1"},
    {"verbosity", "0"},
    {"disable_default_eval_metric", "1"},
}};

tl::unexpected<Error> library_failure() {
  return failure(ErrorKind::Internal, fmt::format("gradient boosting failed: {}", XGBGetLastError()));
}

using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Expected<std::shared_ptr<void>> rows_of(const Eigen::MatrixXd& x) {
  const RowMajor values = x.cast<float>();
  DMatrixHandle handle = nullptr;
  if (XGDMatrixCreateFromMat_omp(values.data(), static_cast<bst_ulong>(x.rows()),
                                 static_cast<bst_ulong>(x.cols()), std::numeric_limits<float>::quiet_NaN(),
                                 &handle, 1) != 0)
    return library_failure();
  return std::shared_ptr<void>(handle, [](void* h) { XGDMatrixFree(h); });
}

} // namespace

Expected<BoostedTrees> BoostedTrees::fit(const Eigen::MatrixXd& x, const Eigen::VectorXd& y,
                                         const std::function<bool()>& cancelled) {
  auto rows = rows_of(x);
  if (!rows) return forward(rows.error());
  const Eigen::VectorXf labels = y.cast<float>();
  DMatrixHandle matrix = rows->get();
  if (XGDMatrixSetFloatInfo(matrix, "label", labels.data(), static_cast<bst_ulong>(labels.size())) != 0)
    return library_failure();
  BoosterHandle handle = nullptr;
  if (XGBoosterCreate(&matrix, 1, &handle) != 0) return library_failure();
  BoostedTrees trees(std::shared_ptr<void>(handle, [](void* h) { XGBoosterFree(h); }));
  for (const auto& [name, value] : kParameters)
    if (XGBoosterSetParam(handle, name, value) != 0) return library_failure();
  for (int round = 0; round < kTrees; ++round) {
    if (cancelled()) return Job::cancelled_error();
    if (XGBoosterUpdateOneIter(handle, round, matrix) != 0) return library_failure();
  }
  return trees;
}

Expected<Eigen::VectorXd> BoostedTrees::predict(const Eigen::MatrixXd& x) const {
  auto rows = rows_of(x);
  if (!rows) return forward(rows.error());
  constexpr const char* how =
      R"({"type": 0, "training": false, "iteration_begin": 0, "iteration_end": 0, "strict_shape": false})";
  const bst_ulong* shape = nullptr;
  bst_ulong dimensions = 0;
  const float* values = nullptr;
  if (XGBoosterPredictFromDMatrix(booster_.get(), rows->get(), how, &shape, &dimensions, &values) != 0)
    return library_failure();
  return Eigen::VectorXd(Eigen::Map<const Eigen::VectorXf>(values, x.rows()).cast<double>());
}

} // namespace jitterscope::causal
