// Tables of many devices: variance components, identifiers, and explanations of differences between devices.

#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/causal/base/random.h"
#include "core/causal/groups/grouped_rows.h"
#include "core/causal/statistics/normal_scores.h"
#include "tests/core/causal/thread_communicator.h"
#include "tests/support/launch_table.h"
#include "tests/support/real_data.h"
#include "tests/support/table_file.h"

namespace jitterscope::causal {
namespace {

class Normal {
public:
  explicit Normal(std::uint64_t seed) : random_(seed, 3) {}
  double operator()(double sigma = 1) {
    return sigma * normal_quantile(std::clamp(random_.uniform(), 1e-12, 1 - 1e-12));
  }
  std::size_t below(std::size_t bound) { return random_.below(bound); }

private:
  Random random_;
};

struct Planted {
  std::size_t cabinets, nodes, devices, rows;
  double cabinet, node, device, rest; ///< variances
};

/// Unbalanced: each level has 1 … 2 k − 1 members, k on average.
std::vector<GroupSums> nested(const Planted& p, std::uint64_t seed) {
  Normal normal(seed);
  std::vector<GroupSums> groups;
  int node = 0, device = 0;
  for (std::size_t c = 0; c < p.cabinets; ++c) {
    const double of_cabinet = normal(std::sqrt(p.cabinet));
    for (std::size_t n = 1 + normal.below(2 * p.nodes - 1); n-- > 0; ++node) {
      const double of_node = of_cabinet + normal(std::sqrt(p.node));
      for (std::size_t d = 1 + normal.below(2 * p.devices - 1); d-- > 0; ++device) {
        const double of_device = of_node + normal(std::sqrt(p.device));
        GroupSums& sums = groups.emplace_back(GroupSums{{static_cast<int>(c), node, device}});
        for (std::size_t r = 1 + normal.below(2 * p.rows - 1); r-- > 0;)
          merge({{}, 1, of_device + normal(std::sqrt(p.rest)), 0}, sums);
      }
    }
  }
  return groups;
}

TEST(NestedVarianceTest, BalancedGroupsGiveTheMeanSquaresOfTheAnalysisOfVariance) {
  // Two groups of (1, 3) and (5, 7): mean squares between 16 and within 2; (16 − 2) / 2 = 7.
  std::vector<GroupSums> groups{{{0}}, {{1}}};
  for (const double y : {1.0, 3.0}) merge({{}, 1, y, 0}, groups[0]);
  for (const double y : {5.0, 7.0}) merge({{}, 1, y, 0}, groups[1]);
  const auto found = nested_variances(groups);
  EXPECT_NEAR(found.variance[0], 7, 1e-12);
  EXPECT_NEAR(found.variance[1], 2, 1e-12);
  EXPECT_NEAR(found.mean, 4, 1e-12);
}

TEST(NestedVarianceTest, EstimatesOfUnbalancedGroupsAreUnbiased) {
  const Planted planted{20, 6, 4, 6, 1, 0.5, 2, 1};
  std::vector<double> mean(4);
  constexpr int seeds = 200;
  for (int s = 0; s < seeds; ++s) {
    const auto found = nested_variances(nested(planted, static_cast<std::uint64_t>(s) + 1));
    for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += found.variance[i] / seeds;
  }
  EXPECT_NEAR(mean[0], planted.cabinet, 0.1);
  EXPECT_NEAR(mean[1], planted.node, 0.06);
  EXPECT_NEAR(mean[2], planted.device, 0.06);
  EXPECT_NEAR(mean[3], planted.rest, 0.03);
}

TEST(NestedVarianceTest, IntervalsOfSharesCoverThePlantedOnes) {
  const Planted planted{20, 6, 4, 8, 1, 1, 4, 1};
  const double total = planted.cabinet + planted.node + planted.device + planted.rest;
  const std::vector<double> truth{planted.cabinet / total, planted.node / total, planted.device / total,
                                  planted.rest / total, 1 - planted.rest / total};
  constexpr int seeds = 400;
  std::vector<int> covered(truth.size());
  for (int s = 0; s < seeds; ++s) {
    const auto shares = variance_shares(nested(planted, static_cast<std::uint64_t>(s) + 1'000), 3);
    ASSERT_EQ(shares.size(), truth.size());
    for (std::size_t i = 0; i < truth.size(); ++i)
      covered[i] += shares[i].interval.low <= truth[i] && truth[i] <= shares[i].interval.high;
  }
  for (const int count : covered) {
    EXPECT_GE(count, 0.92 * seeds);
    EXPECT_LE(count, 0.985 * seeds);
  }
}

TEST(NestedVarianceTest, EffectsOfDevicesArePulledTowardsTheMeanByTheirScatter) {
  std::vector<GroupSums> groups{{{0}}, {{1}}, {{2}}};
  for (int i = 0; i < 4; ++i)
    merge({{}, 1, 10.0 + 6 * (i % 2), 0}, groups[0]), merge({{}, 1, 20.0 + 6 * (i % 2), 0}, groups[1]);
  merge({{}, 1, 30, 0}, groups[2]);
  const auto effects = group_effects(groups, 0, nested_variances(groups));
  EXPECT_EQ(effects[0].n, 4);
  EXPECT_LT(effects[0].effect, 0);
  EXPECT_LT(effects[2].effect - effects[0].effect, 0.97 * (30 - 13));
  EXPECT_GT(effects[2].effect, effects[1].effect);
  EXPECT_GT(effects[2].interval.high - effects[2].interval.low,
            effects[0].interval.high - effects[0].interval.low);
}

/// Groups with these effects and 40 rows each, and the same without each of 10 blocks of rows.
std::pair<std::vector<GroupSums>, std::vector<std::vector<GroupSums>>>
blocks_of(const std::vector<double>& effects) {
  Normal normal(11);
  std::vector<GroupSums> all;
  std::vector<std::vector<GroupSums>> without(10);
  for (int g = 0; g < static_cast<int>(effects.size()); ++g) {
    all.push_back({{g}});
    for (auto& some : without) some.push_back({{g}});
    for (std::size_t row = 0; row < 40; ++row) {
      const GroupSums one{{}, 1, effects[static_cast<std::size_t>(g)] + normal(), 0};
      merge(one, all.back());
      for (std::size_t b = 0; b < without.size(); ++b)
        if (row % without.size() != b) merge(one, without[b].back());
    }
  }
  return {all, without};
}

TEST(NestedVarianceTest, TwoGroupsHaveIntervalsOverBlocksOfRowsOnly) {
  const auto [groups, without] = blocks_of({0, 1});
  for (const auto& share : variance_shares(groups, 1)) {
    EXPECT_TRUE(std::isnan(share.interval.low));
    EXPECT_TRUE(std::isnan(share.interval.high));
  }
  for (const auto& share : variance_shares(groups, 1, without)) {
    EXPECT_LT(share.interval.low, share.share - 0.05);
    EXPECT_GT(share.interval.high, share.share + 0.05);
  }
}

TEST(NestedVarianceTest, IntervalsOfGroupsThatDoNotDifferHaveAWidth) {
  for (const std::size_t count : {2u, 8u}) {
    auto [groups, without] = blocks_of(std::vector<double>(count));
    for (auto& group : groups) group.mean *= 1e-3; // differ by less than chance
    for (auto& some : without)
      for (auto& group : some) group.mean *= 1e-3;
    const auto shares = variance_shares(groups, 1, without);
    EXPECT_EQ(shares[0].share, 0);
    EXPECT_GT(shares[0].interval.high, 0) << count;
    EXPECT_LT(shares[1].interval.low, 1) << count;
    for (const auto& effect : group_effects(groups, 0, nested_variances(groups)))
      EXPECT_GT(effect.interval.high, effect.interval.low);
  }
}

TEST(ColumnRoleTest, NamesOfIdentifiersAreRecognisedAndMeasurementsOfPlacesAreNot) {
  EXPECT_EQ(identified_by_name("gpu_id"), Place::device);
  EXPECT_EQ(identified_by_name("uuid"), Place::device);
  EXPECT_EQ(identified_by_name("hostName"), Place::node);
  EXPECT_EQ(identified_by_name("rack"), Place::cabinet);
  EXPECT_EQ(identified_by_name("mpi_rank"), Place::rank);
  EXPECT_EQ(identified_by_name("correlation_id"), Place::other);
  EXPECT_EQ(identified_by_name("stream_id"), Place::other);
  EXPECT_EQ(identified_by_name("day"), Place::day);
  EXPECT_EQ(identified_by_name("session_id"), Place::run);
  for (const char* name :
       {"gpu_clock", "host_wait_ms", "device_power", "node_count", "perf", "reps", "id_ratio", ""})
    EXPECT_FALSE(identified_by_name(name)) << name;
}

TEST(ColumnRoleTest, NamesOfTimesAreRecognised) {
  for (const char* name : {"kern_min_start", "end_ns", "start_time", "ts", "timestamp", "date"})
    EXPECT_TRUE(is_timestamp_by_name(name)) << name;
  for (const char* name : {"runtime", "start_clock", "elapsed_time", "time", "restarts"})
    EXPECT_FALSE(is_timestamp_by_name(name)) << name;
}

/// A column of a plain table.
FeatureInfo plain(const std::string& name) {
  FeatureInfo info;
  info.name = name, info.of_plain_table = true;
  return info;
}

std::vector<ColumnRole> roles_of(const LaunchTable& rows) {
  auto roles = column_roles(rows, {}, *local_communicator(), {});
  EXPECT_TRUE(roles);
  return *roles;
}

TEST(ColumnRoleTest, IntegersWithoutOrderAreIdentifiersAndWholeDegreesAreAmounts) {
  Normal normal(5);
  std::vector<double> code, degrees, noise, y;
  std::vector<double> effect(60);
  for (double& e : effect) e = normal(3);
  for (int i = 0; i < 3'000; ++i) {
    code.push_back(static_cast<double>(normal.below(60))), degrees.push_back(std::round(60 + normal(6)));
    noise.push_back(static_cast<double>(normal.below(40)));
    y.push_back(100 + effect[static_cast<std::size_t>(code.back())] + 0.5 * degrees.back() + normal());
  }
  LaunchTable rows;
  rows.add(plain("board"), code), rows.add(plain("degrees"), degrees), rows.add(plain("x"), noise),
      rows.add(plain("y"), y);
  rows.target = "y";
  const auto roles = roles_of(rows);
  EXPECT_EQ(roles[0].kind, ColumnRole::Kind::identifier);
  EXPECT_EQ(roles[1].kind, ColumnRole::Kind::amount);
  EXPECT_EQ(roles[2].kind, ColumnRole::Kind::amount);
  EXPECT_EQ(roles[3].kind, ColumnRole::Kind::amount);
}

TEST(ColumnRoleTest, ColumnsWhoseDifferenceIsTheTargetAreTimes) {
  Normal normal(6);
  std::vector<double> from, to, load, y;
  for (int i = 0; i < 500; ++i) {
    y.push_back(20 + normal(2)), from.push_back(1e4 + normal(300)), to.push_back(from.back() + y.back());
    load.push_back(0.5 * y.back() + normal(1));
  }
  LaunchTable rows;
  rows.add(plain("enter"), from), rows.add(plain("leave"), to), rows.add(plain("load"), load),
      rows.add(plain("y"), y);
  rows.target = "y";
  const auto roles = roles_of(rows);
  EXPECT_EQ(roles[0].kind, ColumnRole::Kind::timestamp);
  EXPECT_EQ(roles[1].kind, ColumnRole::Kind::timestamp);
  EXPECT_EQ(roles[2].kind, ColumnRole::Kind::amount);
}

TEST(ColumnRoleTest, MinusOneIsNotANumberOfAPlace) {
  LaunchTable rows;
  rows.add(plain("node"), {-1, 4, 4, 7, -1, 7}), rows.add(plain("y"), {1, 2, 3, 4, 5, 6});
  rows.target = "y";
  EXPECT_EQ(roles_of(rows)[0].values, (std::vector<double>{4, 7}));
}

/// Runs of 96 devices: 12 cabinets of 4 nodes, numbered from 0 in each, with 2 devices. A third of the rows
/// has −1 as cabinet and node.
std::string fleet(bool clock, std::uint64_t seed, double device_spread = 0.03) {
  Normal normal(seed);
  std::string text = "uuid,cabinet,node,ts,sm_clock_mhz,temperature_c,runtime_ms\n";
  std::vector<double> silicon(96), other(96);
  for (std::size_t d = 0; d < 96; ++d) silicon[d] = normal(), other[d] = normal(device_spread);
  for (int i = 0; i < 2'000; ++i) {
    const std::size_t d = normal.below(96);
    const bool placed = i % 3 != 0;
    const double mhz = std::round(1'400 + 40 * silicon[d] + normal(3));
    const double runtime = 2'000 * std::exp((clock ? -silicon[d] * 40 / 1'400 : other[d]) + normal(0.004));
    text +=
        fmt::format("GPU-{:03}x,{},{},{},{},{:.2f},{:.3f}\n", d, placed ? fmt::format("c{}", d / 8) : "-1",
                    placed ? static_cast<int>(d / 2 % 4) : -1, 1.6e9 + i, mhz, 60 + normal(3), runtime);
  }
  return text;
}

CausalResult answer(const std::string& text) {
  auto rows = jitterscope::test::rows_of_text(text);
  EXPECT_TRUE(rows);
  auto result = analyse(*rows, {}, *local_communicator());
  EXPECT_TRUE(result) << (result ? "" : describe(result.error()));
  return result ? *result : CausalResult();
}

TEST(FleetTest, TheClockExplainsTheDifferencesBetweenDevices) {
  const auto result = answer(fleet(true, 1));
  EXPECT_EQ(result.target, "runtime_ms");
  ASSERT_TRUE(result.groups);
  EXPECT_GT(result.groups->between.percent, 95);
  EXPECT_EQ(result.groups->between.levels, 96);
  EXPECT_EQ(result.groups->devices.size(), 96u);
  ASSERT_FALSE(result.contributions.empty());
  EXPECT_EQ(result.contributions.front().feature, "sm_clock_mhz");
  EXPECT_EQ(result.contributions.front().role, Role::cause);
  EXPECT_EQ(result.contributions.front().sign, -1);
  EXPECT_NE(result.sentences.front().find("between GPUs (96, column uuid)"), std::string::npos)
      << result.sentences.front();
  double sum = 0;
  for (const auto& c : result.groups->components) sum += c.percent;
  EXPECT_NEAR(sum, 100, 1e-9);
  EXPECT_EQ(result.find("ts")->status, FeatureStatus::dropped);
}

TEST(FleetTest, DevicesAreTheCauseWhereNothingRecordedExplainsThem) {
  const auto result = answer(fleet(false, 2));
  ASSERT_FALSE(result.contributions.empty());
  EXPECT_EQ(result.contributions.front().feature, "uuid");
  EXPECT_EQ(result.contributions.front().role, Role::cause);
  EXPECT_GT(result.contributions.front().percent, 90);
  EXPECT_NE(result.sentences.at(1).find("Nothing recorded explains the variance of runtime ms between GPUs"),
            std::string::npos);
}

TEST(FleetTest, TheLevelWithTheDifferencesIsTheCause) {
  Normal normal(9);
  std::vector<double> warm(12);
  for (double& of_cabinet : warm) of_cabinet = normal(0.08);
  std::string text = "cabinet,node,runtime_s\n";
  for (int i = 0; i < 1'800; ++i) {
    const auto node = normal.below(192);
    text += fmt::format("c{},n{},{:.3f}\n", node / 16, node, 500 * std::exp(warm[node / 16] + normal(0.02)));
  }
  const auto result = answer(text);
  ASSERT_FALSE(result.contributions.empty());
  EXPECT_EQ(result.contributions.front().feature, "cabinet");
  EXPECT_EQ(result.contributions.front().role, Role::cause);
  EXPECT_TRUE(result.sentences.at(1).starts_with("Nothing else recorded explains")) << result.sentences.at(1);
}

TEST(FleetTest, DevicesThatDoNotDifferAreNotCauses) {
  const auto result = answer(fleet(false, 3, 0));
  ASSERT_TRUE(result.groups);
  EXPECT_LT(result.groups->between.ci_low, 1);
  for (const auto& c : result.contributions) EXPECT_EQ(c.role, Role::associated) << c.feature;
  ASSERT_GT(result.sentences.size(), 1u);
  EXPECT_EQ(result.sentences.front().find("between GPUs (96"), std::string::npos) << result.sentences.front();
  EXPECT_TRUE(std::any_of(result.sentences.begin() + 1, result.sentences.end(), [](const auto& sentence) {
    return sentence.find("between GPUs (96") != std::string::npos;
  }));
}

TEST(FleetTest, NightsOfACampaignAreGroups) {
  Normal normal(12);
  std::string text = "night,load,runtime_ms\n";
  for (int night = 0; night < 12; ++night) {
    const double slower = normal(0.05);
    for (int run = 0; run < 60; ++run)
      text += fmt::format("{},{:.3f},{:.3f}\n", night, normal(), 100 * std::exp(slower + normal(0.02)));
  }
  const auto result = answer(text);
  ASSERT_TRUE(result.groups);
  EXPECT_EQ(result.groups->between.levels, 12);
  EXPECT_GT(result.groups->between.percent, 60);
  EXPECT_NE(result.sentences.front().find("between days (12, column night)"), std::string::npos)
      << result.sentences.front();
}

TEST(FleetTest, SomeRowsOfADeviceStateThePlaceForOthers) {
  auto rows = jitterscope::test::rows_of_text(fleet(true, 4));
  ASSERT_TRUE(rows);
  auto grouped = GroupedRows::make(*rows, {}, *local_communicator(), {});
  ASSERT_TRUE(grouped && grouped->row_groups());
  const RowGroups& groups = *grouped->row_groups();
  ASSERT_EQ(groups.levels.size(), 3u);
  EXPECT_EQ(groups.levels[0].code.size(), 12u);
  EXPECT_EQ(groups.levels[1].code.size(), 48u)
      << "nodes with the same number in different cabinets are different nodes";
  EXPECT_EQ(groups.levels[2].code.size(), 96u);
  EXPECT_EQ(groups.unit, 2u);
  EXPECT_EQ(groups.unnamed[0], 667);
  EXPECT_EQ(groups.still_unnamed[0], 0);
  EXPECT_EQ(groups.rows, 2'000);
}

TEST(FleetTest, NumbersOfDevicesWithinANodeNameThemTogetherWithIt) {
  Normal normal(7);
  std::string text = "node,gpu,runtime_ms\n";
  std::vector<double> speed(80);
  for (double& s : speed) s = normal(0.05);
  for (int i = 0; i < 1'600; ++i) {
    const auto device = normal.below(80);
    text +=
        fmt::format("\"n,{}\",{},{}\n", device / 4, device % 4, 100 * std::exp(speed[device] + normal(0.01)));
  }
  const auto result = answer(text);
  ASSERT_TRUE(result.groups);
  EXPECT_EQ(result.groups->between.levels, 80);
  EXPECT_EQ(result.groups->place_columns, (std::vector<std::string>{"node"}));
  EXPECT_EQ(result.groups->devices.front().places.front().substr(0, 2), "n,");
}

TEST(FleetTest, IdentifiersOfSingleRowsAreNotGroups) {
  Normal normal(8);
  std::string text = "uuid,load,y\n";
  for (int i = 0; i < 400; ++i) {
    const double load = normal();
    text += fmt::format("run-{},{},{}\n", i, load, load + normal());
  }
  const auto result = answer(text);
  EXPECT_FALSE(result.groups);
  EXPECT_EQ(result.find("uuid")->status, FeatureStatus::dropped);
  ASSERT_FALSE(result.contributions.empty());
  EXPECT_EQ(result.contributions.front().feature, "load");
}

TEST(FleetTest, TheAnswerIsTheSameOnAnyNumberOfRanks) {
  auto rows = jitterscope::test::rows_of_text(fleet(true, 9));
  ASSERT_TRUE(rows);
  const auto alone = analyse(*rows, {}, *local_communicator());
  ASSERT_TRUE(alone);
  for (const auto& text : test::answers_of_ranks(*rows, {}, 3)) EXPECT_EQ(text, to_json(*alone).dump());
}

TEST(FleetTest, ComponentsAndDevicesSurviveEncoding) {
  const auto result = answer(fleet(true, 10));
  const auto json = to_json(result);
  EXPECT_EQ(json.at("variance_components").size(), result.groups->components.size());
  EXPECT_TRUE(json.at("devices")[0].contains("difference_percent"));
  const auto back = decode_result(encode(result));
  ASSERT_TRUE(back);
  EXPECT_EQ(to_json(*back), json);
}

/// Launches of kernels with one configuration each on numbered devices.
class Launches {
public:
  /// `factor`: of the duration; with a scatter of 2 %.
  void add(std::uint32_t configuration, int device, double factor, int count) {
    for (int i = 0; i < count; ++i) {
      rows_.duration_ns.push_back(1e4 * std::pow(2, configuration) * factor * std::exp(normal_(0.02)));
      rows_.group.push_back(configuration), devices_.push_back(device);
    }
  }
  GroupEstimates estimates() {
    FeatureInfo info;
    info.name = "device", info.role = FeatureRole::category, info.labels = {"0", "1", "2"};
    rows_.add(info, devices_);
    for (std::uint32_t g = 0; g < rows_.groups(); ++g) rows_.kernel_of_group.push_back(g / 2);
    Options options;
    options.target = "duration";
    auto grouped = GroupedRows::make(rows_, options, *local_communicator(), {}, 2);
    EXPECT_TRUE(grouped && grouped->row_groups());
    return grouped && grouped->row_groups() ? estimate_groups(*grouped, "duration") : GroupEstimates();
  }

private:
  Normal normal_{12};
  LaunchTable rows_;
  std::vector<double> devices_;
};

bool has_note(const GroupEstimates& estimates, const std::string& code) {
  return std::ranges::any_of(estimates.notes, [&](const Warning& note) { return note.code == code; });
}

TEST(FleetTest, DevicesWithoutASharedConfigurationAreNotCompared) {
  Launches launches;
  for (std::uint32_t c = 0; c < 6; ++c) launches.add(c, c < 3 ? 0 : 1, 1, 50);
  const auto estimates = launches.estimates();
  EXPECT_TRUE(has_note(estimates, "devices-not-compared"));
  EXPECT_NE(estimates.sentences.front().find("cannot be computed"), std::string::npos);
  const auto json = to_json(estimates);
  EXPECT_TRUE(json.at("variance_between").at("percent").is_null());
  ASSERT_EQ(json.at("devices").size(), 2u);
  for (const auto& device : json.at("devices")) {
    EXPECT_TRUE(device.at("difference_percent").is_null() && device.at("ci_high").is_null());
    EXPECT_EQ(device.at("n"), 150);
  }
}

TEST(FleetTest, LaunchesOfConfigurationsOfOneDeviceDoNotDiluteItsDifference) {
  Launches launches;
  launches.add(0, 0, 1, 100), launches.add(0, 1, 1.1, 100), launches.add(1, 1, 1, 900);
  launches.add(2, 2, 1, 100);
  const auto estimates = launches.estimates();
  ASSERT_EQ(estimates.devices.size(), 3u);
  EXPECT_EQ(estimates.devices.front().name, "1");
  EXPECT_EQ(estimates.devices.front().n, 1'000);
  EXPECT_NEAR(estimates.devices.front().difference_percent - estimates.devices[1].difference_percent, 9.5, 1);
  EXPECT_TRUE(std::isnan(estimates.devices.back().difference_percent))
      << "device 2 runs another configuration";
  EXPECT_TRUE(has_note(estimates, "devices-not-compared"));
}

TEST(FleetTest, IntervalsOfTwoDevicesIncludeTheUncertaintyOfConfigurations) {
  Launches launches;
  for (std::uint32_t c = 0; c < 12; ++c) launches.add(c, 0, 1, 50), launches.add(c, 1, 1.03, 50);
  const auto estimates = launches.estimates();
  EXPECT_TRUE(has_note(estimates, "few-groups"));
  ASSERT_EQ(estimates.components.size(), 4u);
  for (const auto& c : estimates.components) EXPECT_LT(c.ci_low, c.ci_high) << c.group;
  const auto& rest = estimates.components.back();
  EXPECT_GT(rest.ci_high, 1.2 * rest.percent) << "the share of the configurations is not known exactly";
}

/// Rows of 6 devices; n0 is fast but for a few rows, which give it the highest arithmetic mean.
std::string skewed(bool zero) {
  Normal normal(13);
  std::string text = "uuid,perf\n";
  for (int i = 0; i < 240; ++i) {
    const double centre = i % 6 > 0 ? 64 + i % 6 : i % 60 == 0 ? 1'200 : 1;
    text += fmt::format("n{},{:.4f}\n", i % 6, zero && i == 1 ? 0 : centre * std::exp(normal(0.03)));
  }
  return text;
}

GroupEstimates estimates_of(const std::string& text) {
  auto rows = jitterscope::test::rows_of_text(text);
  EXPECT_TRUE(rows);
  auto grouped = GroupedRows::make(*rows, {}, *local_communicator(), {}, 2);
  EXPECT_TRUE(grouped && grouped->row_groups());
  return estimate_groups(*grouped, "perf");
}

TEST(FleetTest, DevicesAreRankedByTheMeansThatAreStated) {
  const auto estimates = estimates_of(skewed(false));
  EXPECT_NE(estimates.sentences.front().find("of the variance of the logarithm of perf"), std::string::npos);
  EXPECT_NE(estimates.sentences.at(1).find("by geometric mean"), std::string::npos);
  ASSERT_EQ(estimates.devices.size(), 6u);
  EXPECT_EQ(estimates.devices.back().name, "n0");
  EXPECT_GT(estimates.devices.back().mean, estimates.devices.front().mean);
  for (std::size_t d = 1; d < 6; ++d)
    EXPECT_GT(*estimates.devices[d - 1].geometric_mean, *estimates.devices[d].geometric_mean);
  const auto json = to_json(estimates);
  EXPECT_EQ(json.at("device_scale"), "logarithm");
}

TEST(FleetTest, ValuesWithoutALogarithmAreComparedThemselves) {
  const auto estimates = estimates_of(skewed(true));
  EXPECT_TRUE(has_note(estimates, "values-compared"));
  EXPECT_EQ(estimates.sentences.front().find("logarithm"), std::string::npos);
  EXPECT_EQ(estimates.devices.front().name, "n0");
  EXPECT_FALSE(estimates.devices.front().geometric_mean);
  const auto json = to_json(estimates);
  EXPECT_EQ(json.at("device_scale"), "value");
  EXPECT_TRUE(json.at("devices")[0].at("geometric_mean").is_null());
}

TEST(FleetTest, NamesGuessTheTarget) {
  EXPECT_EQ(guess_target({"gpu_id", "perf", "freq", "dev_id"}, {"gpu_id", "perf", "freq", "dev_id"}), "perf");
  EXPECT_EQ(guess_target({"x", "y"}, {"x", "y"}), "y");
  EXPECT_EQ(guess_target({"x", "y"}, {"x"}), "y") << "a constant column is not replaced by another one";
  EXPECT_EQ(guess_target({"perf", "y"}, {"y"}), "y");
  EXPECT_EQ(guess_target({"x", "y", "end_ns", "node"}, {"x", "y", "end_ns", "node"}), "y");
  EXPECT_EQ(guess_target({"kernel_variability", "runtime", "y"}, {"kernel_variability", "runtime", "y"}),
            "kernel_variability");
}

TEST(FleetTest, NamesOfStepsGuessTheTargetIfThereIsNoDuration) {
  const std::vector<std::string> names{"batch", "step_time_ms", "data_time_ms", "seed"};
  EXPECT_EQ(guess_target(names, names), "step_time_ms");
  EXPECT_EQ(guess_target({"fwd_ms", "seed"}, {"fwd_ms", "seed"}), "fwd_ms");
  EXPECT_EQ(guess_target({"fwd_ms", "bwd_ms", "seed"}, {"fwd_ms", "bwd_ms", "seed"}), "seed");
  EXPECT_TRUE(is_result_by_name("step_time_ms"));
  EXPECT_FALSE(is_result_by_name("seed"));
}

/// Launches of one kernel on `ranks` ranks, whose durations differ by `spread`; with another column.
LaunchTable launches_of_ranks(std::size_t ranks, double spread, double of_batch, std::uint64_t seed) {
  constexpr int rows = 4'000;
  Normal normal(seed);
  std::vector<double> effect(ranks), rank, batch;
  for (double& e : effect) e = normal(spread);
  LaunchTable launches;
  for (int i = 0; i < rows; ++i) {
    rank.push_back(static_cast<double>(normal.below(ranks))),
        batch.push_back(static_cast<double>(normal.below(8)));
    launches.duration_ns.push_back(
        1e5 * (1 + effect[static_cast<std::size_t>(rank.back())] + of_batch * batch.back() + normal(0.03)));
    launches.group.push_back(0);
  }
  launches.kernel_of_group = {0};
  FeatureInfo info = plain("rank");
  info.role = FeatureRole::category;
  for (std::size_t r = 0; r < ranks; ++r) info.labels.push_back(std::to_string(r));
  launches.add(info, rank), launches.add(plain("batch"), batch);
  return launches;
}

Options of_few_resamples() {
  Options options;
  options.bootstrap = 60, options.second_opinions = false, options.nonlinear = false;
  return options;
}

CausalResult explained(const LaunchTable& launches) {
  auto result = analyse(launches, of_few_resamples(), *local_communicator());
  EXPECT_TRUE(result) << (result ? "" : describe(result.error()));
  return result ? *result : CausalResult();
}

// Each rank has 1 to 3 % of the variability.
TEST(FleetTest, DifferencesBetweenManyRanksAreOneCauseOfTheVariability) {
  const auto launches = launches_of_ranks(48, 0.05, 0, 4);
  const auto result = explained(launches);
  ASSERT_FALSE(result.contributions.empty());
  const auto& first = result.contributions.front();
  EXPECT_EQ(first.feature, "rank");
  EXPECT_EQ(first.role, Role::cause);
  // Normal differences: the spread without them is that of the noise.
  const double truth = 100 * (1 - 0.03 / std::hypot(0.03, 0.05));
  ASSERT_TRUE(first.attributable_percent);
  EXPECT_NEAR(*first.attributable_percent, truth, 6);
  EXPECT_LT(first.attributable_ci_low, *first.attributable_percent);
  EXPECT_GT(first.attributable_ci_high, *first.attributable_percent);
  const auto said = testing::PrintToString(result.sentences);
  EXPECT_NE(said.find("comes from differences between ranks"), std::string::npos) << said;
  EXPECT_EQ(said.find("Nothing recorded"), std::string::npos) << said;
  EXPECT_LT(result.without_cause_percent, 60);
  for (const auto& text : test::answers_of_ranks(launches, of_few_resamples(), 3))
    EXPECT_EQ(text, to_json(result).dump());
}

TEST(FleetTest, RanksThatHardlyDifferAreNoCauseOfTheVariability) {
  const auto result = explained(launches_of_ranks(48, 0.002, 0, 5));
  EXPECT_TRUE(std::ranges::none_of(result.contributions, [](const auto& c) { return c.role == Role::cause; }))
      << testing::PrintToString(result.sentences);
}

TEST(FleetTest, ClockAndPowerLimitOfASharedFleet) {
  REQUIRE_REAL_DATA(file, "variability/gpu-fleet/sgemm-longhorn-agg.csv");
  auto rows = jitterscope::test::rows_of_file(file);
  ASSERT_TRUE(rows);
  const auto result = analyse(*rows, {}, *local_communicator());
  ASSERT_TRUE(result);
  EXPECT_EQ(result->target, "perf");
  ASSERT_TRUE(result->groups);
  EXPECT_NEAR(result->groups->between.percent, 97, 2);
  EXPECT_EQ(result->groups->between.levels, 392);
  EXPECT_EQ(result->contributions.front().feature, "freq");
  EXPECT_EQ(result->contributions.front().role, Role::cause);
  EXPECT_GT(result->contributions.front().alone_percent, 88);
  std::string all;
  for (const auto& sentence : result->sentences) all += sentence + "\n";
  EXPECT_NE(all.find("power limit of 300 W"), std::string::npos) << all;
  EXPECT_NE(all.find("pwr is between 96.2 % and 99.5 % of 300 W in 99.6 % of the rows"), std::string::npos)
      << all;
  EXPECT_NE(all.find("cabinet and node are missing"), std::string::npos) << all;
}

TEST(FleetTest, NothingExplainsTheDevicesOfAnotherSharedFleet) {
  REQUIRE_REAL_DATA(file, "variability/gpu-fleet/pagerank-longhorn-agg.csv");
  auto rows = jitterscope::test::rows_of_file(file);
  ASSERT_TRUE(rows);
  const auto result = analyse(*rows, {}, *local_communicator());
  ASSERT_TRUE(result);
  EXPECT_GT(result->groups->between.percent, 98);
  ASSERT_EQ(result->contributions.size(), 1u);
  EXPECT_EQ(result->contributions.front().feature, "uuid");
  EXPECT_NE(result->sentences.at(1).find("Nothing recorded explains"), std::string::npos);
}

} // namespace
} // namespace jitterscope::causal
