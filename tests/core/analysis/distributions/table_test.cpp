// Tables without times: rows are in launch order, durations may be missing, attributes are numbers or texts.

#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/analysis/bins/bins.h"
#include "core/analysis/columns/info.h"
#include "core/analysis/distributions/kernels.h"
#include "core/analysis/parallel/parallel.h"
#include "core/reasons/rows/launch_rows.h"
#include "tests/support/open_session.h"

using namespace jitterscope;
using namespace jitterscope::test;

namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

// Launches 0 … n−1 of one configuration, with a text and a counter associated with the duration.
store::TraceData table(const std::vector<std::int64_t>& durations) {
  auto data = empty_trace();
  add_kernel(data, "kernel", 1);
  std::vector<LaunchRow> rows;
  std::vector<double> counter, noise;
  std::vector<std::uint32_t> text;
  for (std::size_t i = 0; i < durations.size(); ++i) {
    rows.push_back({static_cast<std::int64_t>(i), durations[i], 0, 2});
    counter.push_back(durations[i] < 0
                          ? kNothing
                          : 3.0 * static_cast<double>(durations[i] + static_cast<std::int64_t>(i % 5) * 30));
    noise.push_back(static_cast<double>((i * 7919) % 13));
    text.push_back(i % 2 == 0 ? data.strings.intern("even").value : data.strings.intern("odd").value);
  }
  add_launches(data, rows);
  auto& launches = *data.find("launches");
  const std::vector<double> same(durations.size(), 5.0);
  launches.add("noise", "", "goes with nothing", noise);
  launches.add("counter", "cycles", "goes with the duration", counter);
  launches.add("constant", "", "always five", same);
  launches.add("parity", std::string(store::kTextUnit), "even or odd", text);
  data.manifest.launch_order = true;
  data.manifest.sources.push_back({"table.csv", 1, "", "table", "", "", -1, 0, "", true});
  data.manifest.constant_columns = {"constant"};
  return data;
}

} // namespace

TEST(Table, RowsAreInLaunchOrderOnePlaceEach) {
  const OpenSession open({table({100, 300, 200})});
  EXPECT_TRUE(open.session->launch_order());
  EXPECT_EQ(open.session->launch_span().begin.count, 0);
  EXPECT_EQ(open.session->launch_span().end.count, 3);
  EXPECT_EQ(open.columns->find("end"), nullptr);
  EXPECT_EQ(open.columns->find("start")->unit, "");
}

TEST(Table, TheNextTableFollowsTheOneBefore) {
  const OpenSession open({table({1, 2, 3}), table({4, 5})});
  EXPECT_EQ(open.session->launch_span().end.count, 5);
  const auto starts = open.columns->read("start", {1, 0, 2});
  EXPECT_EQ(starts, (std::vector<double>{3, 4}));
}

TEST(Table, CannotShareAnAxisWithATrace) {
  auto trace = empty_trace();
  add_kernel(trace, "kernel", 1);
  add_launches(trace, {{0, 10, 0, 2}});
  try {
    const OpenSession open({table({1, 2}), trace});
    ADD_FAILURE() << "opened";
  } catch (const std::runtime_error& problem) {
    EXPECT_NE(std::string(problem.what()).find("cannot share a time axis"), std::string::npos)
        << problem.what();
  }
}

TEST(Table, MissingDurationsStayMissing) {
  const OpenSession open({table({100, store::kMissingDuration, 300})});
  const auto durations = open.columns->read("duration", {0, 0, 3});
  EXPECT_EQ(durations[0], 100);
  EXPECT_TRUE(std::isnan(durations[1]));
  const auto variability = open.columns->read("kernel_variability", {0, 0, 3});
  EXPECT_EQ(variability[0], 100); // the mean of the two measured launches is 200
  EXPECT_TRUE(std::isnan(variability[1]));
  const auto rows = analysis::kernel_table(*open.session, *open.columns, {}, *open.communicator, {});
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->front().launches, 3);
  EXPECT_EQ(rows->front().duration.n, 2);
}

TEST(Table, WithoutDurationsThereIsNoVariabilityAndRankingReportsThat) {
  const OpenSession open({table({store::kMissingDuration, store::kMissingDuration})});
  EXPECT_FALSE(open.session->has_durations());
  EXPECT_EQ(open.columns->find("duration"), nullptr);
  EXPECT_EQ(open.columns->find("kernel_variability"), nullptr);
  const auto bins = analysis::compute_bins(*open.session, *open.columns, {}, {}, *open.communicator, {});
  ASSERT_FALSE(bins);
  EXPECT_NE(bins.error().message.find("no durations"), std::string::npos);
  analysis::BinOptions options;
  options.metric = "noise";
  EXPECT_TRUE(analysis::compute_bins(*open.session, *open.columns, {}, options, *open.communicator, {}));
}

TEST(Table, TextsAreReadByTheirOwnNumbersAndConstantsAreMarked) {
  const OpenSession open({table({1, 2, 3}), table({4, 5})});
  const auto* parity = open.columns->find("parity");
  ASSERT_TRUE(parity);
  EXPECT_EQ(parity->kind, analysis::ColumnKind::Text);
  const auto values = open.columns->read("parity", {1, 0, 2});
  EXPECT_EQ(open.columns->text("parity", values[0]), "even");
  EXPECT_EQ(open.columns->text("parity", values[1]), "odd");
  EXPECT_TRUE(open.columns->find("constant")->constant);
  EXPECT_FALSE(open.columns->find("counter")->constant);
  const auto info = analysis::info(*open.session, *open.columns);
  EXPECT_EQ(info["axis"], "launch-order");
  EXPECT_EQ(info["constant_columns"], 1);
  EXPECT_EQ(info["launches"]["count"], 5);
}

TEST(Table, TheMostInformativeAxesComeFirstAndTheDurationOnlyOnce) {
  std::vector<std::int64_t> durations;
  for (int i = 0; i < 40; ++i) durations.push_back(1000 + (i * 37) % 400);
  auto data = table(durations);
  std::vector<double> microseconds;
  for (const auto duration : durations) microseconds.push_back(static_cast<double>(duration) / 1000);
  data.find("launches")->add("the_same", "us", "the duration in another unit", microseconds);
  const OpenSession open({data});
  const auto axes = analysis::default_axes(*open.session, *open.columns, 3, *open.communicator, {});
  ASSERT_TRUE(axes);
  EXPECT_EQ(*axes, (std::vector<std::string>{"counter", "duration", "kernel_variability"}));
}

TEST(Table, AnAxisThatNextToNoRowHasAPlaceOnIsNotChosen) {
  std::vector<std::int64_t> durations;
  for (int i = 0; i < 400; ++i) durations.push_back(1000 + (i * 37) % 400);
  for (const int present : {3, 40}) { // 0.75 %, 10 %
    auto data = table(durations);
    std::vector<double> sparse(durations.size(), kNothing);
    for (int i = 0; i < present; ++i)
      sparse[static_cast<std::size_t>(i * 7)] =
          static_cast<double>(durations[static_cast<std::size_t>(i * 7)] + i * 53 % 170);
    data.find("launches")->add("sparse", "", "of a few rows only", sparse);
    const OpenSession open({data});
    const auto axes = analysis::default_axes(*open.session, *open.columns, 12, *open.communicator, {});
    ASSERT_TRUE(axes);
    EXPECT_EQ(std::count(axes->begin(), axes->end(), "sparse"), present > 10 ? 1 : 0);
  }
}

TEST(Table, BinsHoldTenRowsAtLeast) {
  const OpenSession open({table(std::vector<std::int64_t>(25, 7))});
  const auto bins = analysis::compute_bins(*open.session, *open.columns, {}, {}, *open.communicator, {});
  ASSERT_TRUE(bins);
  EXPECT_EQ(bins->width_ns, 10);
  EXPECT_EQ(bins->bins.size(), 3u);
}

TEST(Table, TextsBecomeCategoriesOfTheCausalRows) {
  const OpenSession open({table({1, 2, 3, 4})});
  const auto rows =
      analysis::LaunchRows::make(*open.session, *open.columns, {}, "duration", *open.communicator, {});
  ASSERT_TRUE(rows);
  const auto& features = rows->features();
  const auto parity =
      std::find_if(features.begin(), features.end(), [](const auto& f) { return f.name == "parity"; });
  ASSERT_NE(parity, features.end());
  EXPECT_EQ(parity->role, causal::FeatureRole::category);
  EXPECT_EQ(parity->labels, (std::vector<std::string>{"even", "odd"}));
}
