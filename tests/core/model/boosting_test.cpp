#include <limits>

#include <gtest/gtest.h>
#include <xgboost/c_api.h>

#include "tests/core/model/correction_support.h"

namespace jitterscope::model {
namespace {

Matrix matrix(std::vector<float>& y, int rows = 200) {
  Random random;
  Matrix x;
  for (int i = 0; i < rows; ++i) {
    const double a = random.next(), b = random.next(), c = random.next();
    const double row[] = {a, i % 7 == 0 ? std::numeric_limits<double>::quiet_NaN() : b, c};
    x.append(row);
    y.push_back(static_cast<float>(a * a + (b > 0.5 ? 1 : 0) - c));
  }
  return x;
}

std::vector<float> predicted_by_library(const Matrix& x, const std::vector<float>& y, const char* method) {
  DMatrixHandle rows = nullptr;
  BoosterHandle booster = nullptr;
  XGDMatrixCreateFromMat_omp(x.values.data(), x.rows, x.columns, std::numeric_limits<float>::quiet_NaN(),
                             &rows, 1);
  XGDMatrixSetFloatInfo(rows, "label", y.data(), y.size());
  XGBoosterCreate(&rows, 1, &booster);
  for (const auto& [name, value] : {std::pair{"objective", "reg:squarederror"},
                                    {"base_score", "0"},
                                    {"tree_method", method},
                                    {"max_depth", "3"},
                                    {"eta", "0.05"},
                                    {"lambda", "1"},
                                    {"min_child_weight", "3"},
                                    {"nthread", "1"},
                                    {"seed", "1"},
                                    {"verbosity", "0"}})
    XGBoosterSetParam(booster, name, value);
  for (int round = 0; round < 60; ++round) XGBoosterUpdateOneIter(booster, round, rows);
  bst_ulong size = 0;
  const float* values = nullptr;
  XGBoosterPredict(booster, rows, 0, 0, 0, &size, &values);
  std::vector<float> out(values, values + size);
  XGBoosterFree(booster);
  XGDMatrixFree(rows);
  return out;
}

void expect_same_as_library(int rows, const char* method) {
  std::vector<float> y;
  const auto x = matrix(y, rows);
  BoostingOptions options;
  options.rounds = 60;
  const auto trees = boost(x, y, options, never);
  ASSERT_TRUE(trees) << trees.error().message;
  EXPECT_EQ(trees->size(), 60u);
  EXPECT_EQ(damage_of(*trees, 3), "");
  const auto expected = predicted_by_library(x, y, method);
  ASSERT_EQ(expected.size(), x.rows);
  for (std::size_t r = 0; r < x.rows; ++r)
    EXPECT_EQ(static_cast<float>(sum_of(*trees, x.row(r))), expected[r]) << r;
}

TEST(Boosting, ExportedTreesPredictLikeTheLibrary) {
  expect_same_as_library(200, "exact");
}

TEST(Boosting, ManyRowsAreBinned) {
  expect_same_as_library(1'200, "hist");
}

TEST(Boosting, ALeafHasAtLeastThreeRows) {
  Matrix x;
  std::vector<float> y;
  for (int i = 0; i < 5; ++i) {
    const double row[] = {static_cast<double>(i)};
    x.append(row);
    y.push_back(static_cast<float>(i));
  }
  const auto trees = boost(x, y, {}, never);
  ASSERT_TRUE(trees);
  for (const auto& tree : *trees) EXPECT_EQ(tree.size(), 1u); // five rows are too few for two leaves of three
}

TEST(Boosting, StopsWhenItIsCancelled) {
  std::vector<float> y;
  const auto x = matrix(y);
  int asked = 0;
  const auto trees = boost(x, y, {}, [&] { return ++asked > 3; });
  ASSERT_FALSE(trees);
  EXPECT_EQ(trees.error().kind, ErrorKind::Cancelled);
  EXPECT_EQ(asked, 4);
}

TEST(Boosting, TrainingWithoutRowsIsRefused) {
  EXPECT_FALSE(boost({}, {}, {}, never));
}

TEST(Boosting, DamagedTreesAreFound) {
  const auto damaged = [](TreeNode root, std::size_t leaves) {
    Tree tree{root};
    tree.resize(1 + leaves);
    return !damage_of(std::vector<Tree>{tree}, 2).empty();
  };
  TreeNode good;
  good.left = 1, good.right = 2;
  EXPECT_FALSE(damaged(good, 2));
  auto node = good;
  node.left = 0; // itself
  EXPECT_TRUE(damaged(node, 2));
  node = good, node.right = 3;
  EXPECT_TRUE(damaged(node, 2));
  node = good, node.right = -1;
  EXPECT_TRUE(damaged(node, 2));
  node = good, node.feature = 2;
  EXPECT_TRUE(damaged(node, 2));
  node = good, node.feature = -1;
  EXPECT_TRUE(damaged(node, 2));
  node = good, node.threshold = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(damaged(node, 2));
  EXPECT_FALSE(damage_of(std::vector<Tree>{Tree{}}, 2).empty());
}

} // namespace
} // namespace jitterscope::model
