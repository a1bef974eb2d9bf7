#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "core/model/correction/kernel_features.h"
#include "tests/core/model/correction_support.h"

namespace jitterscope::model {
namespace {

TEST(Correction, LearnsWhatFeaturesExplain) {
  const auto rows = explained_rows(400, 0.02);
  const auto c = fitted_correction(rows, "kernels", never);
  ASSERT_TRUE(c) << c.error().message;
  EXPECT_TRUE(c->applied()) << c->refusal;
  EXPECT_EQ(c->validation.folds, 5);
  EXPECT_EQ(c->validation.rows, 400);
  EXPECT_EQ(c->validation.groups, 20);
  EXPECT_LT(c->validation.corrected.median, 6);
  EXPECT_GT(c->validation.analytical.median, 20);
  EXPECT_EQ(c->trees.size(), static_cast<std::size_t>(c->validation.rounds));
  const std::set<std::size_t> important(c->important.begin(), c->important.end());
  EXPECT_TRUE(important.contains(0) && important.contains(1));
  const std::vector<double> row{2, 0, 0.5};
  EXPECT_NEAR(factor_of(*c, row).value, std::exp(0.6), 0.1);
}

TEST(Correction, IsRefusedWhereItDoesNotBeatTheModel) {
  // The pattern learned from some groups is the opposite of that of the others.
  auto rows = explained_rows(200, 0);
  for (std::size_t r = 0; r < rows.measured.size(); ++r) {
    rows.groups[r] = r < 100 ? "high" : "low";
    rows.measured[r] = rows.predicted[r] * (r < 100 ? 1.2 : 0.8);
  }
  const auto c = fitted_correction(rows, "kernels", never);
  ASSERT_TRUE(c);
  EXPECT_FALSE(c->applied());
  EXPECT_NE(c->refusal.find("is not below"), std::string::npos);
  EXPECT_EQ(factor_of(*c, std::vector<double>{2, 0, 0.5}).value, 1);
  EXPECT_EQ(c->validation.analytical.mean, error_summary(rows.measured, rows.predicted).mean);
}

// A choice of families by the rows whose error is stated makes noise look like an improvement, most of all if
// each kernel is a family.
TEST(Correction, OfNoiseIsNotAnImprovementWithFamilies) {
  Random random;
  constexpr int kSeeds = 8, kKernels = 60;
  for (const int families : {10, kKernels}) {
    double stated = 0; // percentage points
    for (int seed = 0; seed < kSeeds; ++seed) {
      CorrectionRows rows;
      rows.features = {"a", "b"};
      for (int i = 0; i < kKernels; ++i) {
        rows.values.push_back({random.next(), random.next()});
        rows.predicted.push_back(100);
        double noise = -6; // nearly normally distributed
        for (int k = 0; k < 12; ++k) noise += random.next();
        rows.measured.push_back(100 * std::exp(0.3 * noise));
        rows.groups.push_back("k" + std::to_string(i));
        rows.families.push_back("f" + std::to_string(i % families));
      }
      const auto c = fitted_correction(rows, "kernels", never);
      ASSERT_TRUE(c);
      stated += c->validation.corrected.mean - c->validation.analytical.mean;
    }
    EXPECT_GT(stated / kSeeds, -0.2) << families;
  }
}

TEST(Correction, IsRefusedWithFewRowsOrOneGroup) {
  const auto few = fitted_correction(explained_rows(29, 0), "kernels", never);
  ASSERT_TRUE(few);
  EXPECT_FALSE(few->applied());
  EXPECT_NE(few->refusal.find("29 rows"), std::string::npos);
  EXPECT_TRUE(fitted_correction(explained_rows(200, 0), "kernels", never)->applied());
  auto rows = explained_rows(200, 0);
  for (auto& group : rows.groups) group = "k";
  const auto one = fitted_correction(rows, "kernels", never);
  ASSERT_TRUE(one);
  EXPECT_FALSE(one->applied());
}

TEST(Correction, OutsideTheTrainingRangeTheFactorIsOneAndMarked) {
  const auto c = fitted_correction(explained_rows(400, 0.02), "kernels", never);
  ASSERT_TRUE(c);
  EXPECT_TRUE(factor_of(*c, std::vector<double>{9, 0, 0.5}).extrapolated);
  EXPECT_EQ(factor_of(*c, std::vector<double>{9, 0, 0.5}).value, 1);
  EXPECT_TRUE(factor_of(*c, std::vector<double>{std::nan(""), 0, 0.5}).extrapolated);
  EXPECT_FALSE(factor_of(*c, std::vector<double>{1, 0, 0.5}).extrapolated);
}

TEST(Correction, OfOtherMachinesDoesNotCarryOver) {
  auto rows = explained_rows(400, 0.02);
  rows.features.push_back("multiprocessors");
  rows.machine = {3};
  for (auto& row : rows.values) row.push_back(120);
  const auto c = fitted_correction(rows, "kernels", never);
  ASSERT_TRUE(c && c->applied());
  EXPECT_FALSE(factor_of(*c, std::vector<double>{1, 0, 0.5, 120}).extrapolated);
  EXPECT_TRUE(factor_of(*c, std::vector<double>{1, 0, 0.5, 104}).extrapolated);
  EXPECT_EQ(factor_of(*c, std::vector<double>{1, 0, 0.5, 104}).value, 1);
}

TEST(Correction, IsClippedToTheRangeOfItsTargets) {
  auto c = *fitted_correction(explained_rows(400, 0.02), "kernels", never);
  Tree huge(1);
  huge[0].value = 1000;
  c.trees.push_back(huge);
  EXPECT_EQ(factor_of(c, std::vector<double>{1, 0, 0.5}).value, std::exp(c.clip_high));
  EXPECT_LE(c.clip_high, 1.2 + 0.2 + 0.02);
}

TEST(Correction, HeldOutFactorsAreThoseOfTheValidation) {
  const auto rows = explained_rows(200, 0.02);
  const auto fit = fit_correction(rows, "kernels", never);
  ASSERT_TRUE(fit);
  ASSERT_EQ(fit->held_out.size(), 200u);
  std::vector<double> corrected;
  for (std::size_t r = 0; r < 200; ++r) corrected.push_back(rows.predicted[r] * fit->held_out[r].value);
  EXPECT_EQ(error_summary(rows.measured, corrected).mean, fit->correction.validation.corrected.mean);
}

TEST(Correction, FoldsKeepGroupsTogetherAndAreBalanced) {
  const std::vector<std::string> groups{"a", "a", "a", "b", "c", "d", "b", "e"};
  const auto folds = folds_of(groups, 3);
  EXPECT_EQ(folds[0], folds[1]);
  EXPECT_EQ(folds[3], folds[6]);
  std::vector<int> sizes(3, 0);
  for (const int f : folds) ++sizes[static_cast<std::size_t>(f)];
  EXPECT_EQ(*std::max_element(sizes.begin(), sizes.end()), 3);
  EXPECT_EQ(folds_of({"a", "b"}, 5), (std::vector<int>{0, 1}));
  EXPECT_TRUE(folds_of({}, 5).empty());
}

TEST(Correction, UnusableRowsAreRefused) {
  auto rows = explained_rows(60, 0);
  rows.measured[7] = 0;
  EXPECT_FALSE(fitted_correction(rows, "kernels", never));
  rows = explained_rows(60, 0), rows.values[3].pop_back();
  EXPECT_FALSE(fitted_correction(rows, "kernels", never));
  rows = explained_rows(60, 0), rows.groups.pop_back();
  EXPECT_FALSE(fitted_correction(rows, "kernels", never));
  rows = explained_rows(60, 0), rows.values[3][0] = INFINITY;
  EXPECT_FALSE(fitted_correction(rows, "kernels", never));
  const auto cancelled = fitted_correction(explained_rows(60, 0), "kernels", [] { return true; });
  ASSERT_FALSE(cancelled);
  EXPECT_EQ(cancelled.error().kind, ErrorKind::Cancelled);
}

/// Rows of families with a factor that no feature explains, in addition to the explained one.
CorrectionRows rows_of_families(double hidden_step) {
  auto rows = explained_rows(400, 0.02);
  for (std::size_t r = 0; r < rows.values.size(); ++r) {
    const auto family = r % 4;
    rows.families.push_back("family " + std::to_string(family));
    rows.groups[r] = "kernel " + std::to_string(r % 40); // 40 = 4 · 10: each kernel is in one family
    rows.measured[r] *= std::exp(hidden_step * static_cast<double>(family));
  }
  return rows;
}

TEST(Correction, CarriesOverToOtherFamiliesOnlyWhereLeavingThemOutShowsIt) {
  const auto same = fitted_correction(rows_of_families(0), "kernels", never);
  ASSERT_TRUE(same && same->applied());
  EXPECT_EQ(same->families.size(), 4u);
  EXPECT_EQ(same->family_validation.folds, 4);
  EXPECT_TRUE(same->carries_over());
  const std::vector<double> row{2, 0, 0.5};
  EXPECT_NE(factor_of(*same, row, "another").value, 1);

  auto rows = rows_of_families(0); // families take 5, 1 and 0.2 times as long: no family predicts another
  for (std::size_t r = 0; r < rows.values.size(); ++r)
    if (r % 4 != 0) rows.measured[r] = rows.predicted[r] * (r % 4 == 1 ? 5 : r % 4 == 2 ? 1 : 0.2);
  const auto different = fitted_correction(rows, "kernels", never);
  ASSERT_TRUE(different);
  EXPECT_FALSE(different->carries_over());
  if (different->applied()) {
    EXPECT_TRUE(factor_of(*different, row, "another").extrapolated);
    EXPECT_EQ(factor_of(*different, row, "another").value, 1);
  }
}

TEST(Correction, FamiliesInWhichItDoesNotHelpAreLeftAlone) {
  auto rows = rows_of_families(0);
  for (std::size_t r = 0; r < rows.values.size(); ++r)
    if (r % 4 == 2) rows.measured[r] = rows.predicted[r] * 1.001; // the analytical model is nearly exact here
  const auto fit = fit_correction(rows, "kernels", never);
  ASSERT_TRUE(fit && fit->correction.applied()) << fit->correction.refusal;
  EXPECT_FALSE(fit->correction.families.at("family 2"));
  EXPECT_TRUE(fit->correction.families.at("family 1"));
  double analytical = 0, held_out = 0;
  for (std::size_t r = 0; r < rows.values.size(); ++r) {
    if (r % 4 != 2) continue;
    EXPECT_TRUE(fit->held_out[r].untrusted || fit->held_out[r].extrapolated);
    analytical += std::abs(rows.predicted[r] / rows.measured[r] - 1);
    held_out += std::abs(rows.predicted[r] * fit->held_out[r].value / rows.measured[r] - 1);
  }
  EXPECT_EQ(held_out, analytical);
  EXPECT_TRUE(factor_of(fit->correction, std::vector<double>{2, 0, 0.5}, "family 2").untrusted);
}

TEST(Correction, FamiliesAreCodeWithOtherNumbers) {
  EXPECT_EQ(family_of("void f<float, 256, 8u, 0u>(float4*)"), "void f<float, #, #u, #u>(float4*)");
  EXPECT_EQ(family_of("f<double, 16>"), family_of("f<double, 1024>"));
  EXPECT_NE(family_of("f<double, 16>"), family_of("f<float, 16>"));
  EXPECT_NE(family_of("half2"), family_of("half4"));
}

TEST(Correction, ErrorsAreThoseOfNumpy) {
  const std::vector<double> measured{100, 100, 100, 100}, predicted{101, 98, 110, 60};
  const auto e = error_summary(measured, predicted);
  EXPECT_NEAR(e.mean, 13.25, 1e-9);
  EXPECT_NEAR(e.median, 6, 1e-9);
  EXPECT_NEAR(e.p95, 35.5, 1e-9);
}

std::vector<std::uint64_t> repeated(std::size_t rows, std::uint64_t groups) {
  std::vector<std::uint64_t> out;
  for (std::size_t i = 0; i < rows; ++i) out.push_back(i % groups);
  return out;
}

// 20,000 launches of 60 kernels in a loop: every fourth launch alone would sample only 15 of the kernels.
TEST(Correction, ASampleHasRowsOfEveryGroupOfALoop) {
  const auto groups = repeated(20'000, 60);
  const auto sample = sample_rows(groups, 5'000);
  ASSERT_EQ(sample.size(), 5'000u);
  EXPECT_TRUE(std::is_sorted(sample.begin(), sample.end()));
  std::map<std::uint64_t, int> counts;
  for (const auto row : sample) ++counts[groups[row]];
  ASSERT_EQ(counts.size(), 60u);
  for (const auto& [group, count] : counts) EXPECT_NEAR(count, 5'000.0 / 60, 1.0) << group;
}

TEST(Correction, FewRowsAreAllInTheSample) {
  EXPECT_EQ(sample_rows(repeated(5, 2), 5), (std::vector<std::size_t>{0, 1, 2, 3, 4}));
  EXPECT_TRUE(sample_rows({}, 5).empty());
}

// With a sample, the other rows of a kernel must not be predicted by trees that were trained on that kernel.
TEST(Correction, RowsOutsideTheSampleAreFromTheFoldThatExcludedTheirGroup) {
  const auto rows = explained_rows(400, 0.02);
  const auto fit = fit_correction(rows, "kernels", never);
  ASSERT_TRUE(fit) << fit.error().message;
  ASSERT_TRUE(fit->correction.applied());
  ASSERT_EQ(fit->folds.size(), 5u);
  int differ = 0;
  for (std::size_t r = 0; r < rows.values.size(); ++r) {
    const auto factor = fit->held_out_factor(rows.values[r], rows.groups[r]);
    EXPECT_EQ(factor.value, fit->held_out[r].value) << r;
    differ += factor.value != factor_of(fit->correction, rows.values[r]).value;
  }
  EXPECT_GT(differ, 300);
  EXPECT_EQ(fit->held_out_factor(rows.values[0], "not in training").value,
            factor_of(fit->correction, rows.values[0]).value);
}

} // namespace
} // namespace jitterscope::model
