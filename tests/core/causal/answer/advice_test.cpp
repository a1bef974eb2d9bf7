#include "core/causal/answer/advice.h"

#include <set>

#include <gtest/gtest.h>

namespace jitterscope::causal {
namespace {

CausalResult with(std::initializer_list<std::pair<const char*, Role>> contributions) {
  CausalResult r;
  r.target = "kernel_variability";
  for (const auto& [feature, role] : contributions) {
    Contribution c;
    c.feature = c.label = feature, c.role = role;
    r.contributions.push_back(c);
  }
  return r;
}

TEST(Advice, EveryCauseOfTheSpecificationHasARemedy) {
  for (const char* feature :
       {"migration_bytes", "window_migration_ns > 0", "page_fault_count", "mean_gpc_clock_frequency",
        "sm_clock", "temperature", "overlap_host_to_device_ns", "gap_ns", "first_launch", "concurrency",
        "collective_wait_ns", "device 3", "rank"}) {
    const auto advice = advice_for(feature, Tool::nsight_systems);
    ASSERT_TRUE(advice) << feature;
    EXPECT_EQ(advice->feature, feature);
    EXPECT_FALSE(advice->source.empty()) << feature;
    EXPECT_EQ(advice->text.back(), '.') << feature;
  }
  EXPECT_NE(advice_for("gpu_clock", Tool::other)->text.find("lock the clock"), std::string::npos)
      << "columns whose names contain \"clock\" have the advice for clocks";
  EXPECT_FALSE(advice_for("tokens", Tool::other));
}

TEST(Advice, CommandsAreThoseOfTheVendor) {
  EXPECT_NE(advice_for("migration_ns", Tool::rocm)->command.find("hipMemPrefetchAsync"), std::string::npos);
  EXPECT_NE(advice_for("migration_ns", Tool::pytorch)->command.find("cudaMemPrefetchAsync"),
            std::string::npos);
}

TEST(Advice, OfHostsDoesNotNameDevices) {
  for (const auto tool : {Tool::extrae, Tool::score_p, Tool::other_of_host}) {
    EXPECT_EQ(advice_for("rank 8", tool)->command.find("nvidia"), std::string::npos);
    EXPECT_EQ(advice_for("gap_ns", tool)->text.find("graph"), std::string::npos);
    EXPECT_FALSE(advice_for("first_launch", tool));
    for (const char* feature :
         {"page_faults", "frequency_ghz", "gap_ns", "burst_position", "rank", "process"}) {
      ASSERT_TRUE(advice_for(feature, tool)) << feature;
      EXPECT_FALSE(advice_for(feature, tool)->command.empty())
          << feature << ": no command that checks the advice";
    }
    for (const auto& advice : recording_advice(tool, {}))
      EXPECT_TRUE(advice.text.find("GPU") == std::string::npos && !advice.command.empty()) << advice.text;
  }
  EXPECT_EQ(host_tool_of("Paraver trace"), Tool::extrae);
  EXPECT_EQ(host_tool_of("OTF2 archive"), Tool::score_p);
  EXPECT_NE(advice_for("page_faults", Tool::nsight_systems)->text.find("huge pages"), std::string::npos)
      << "page faults of the host are not migrations";
}

TEST(Advice, OnlyCausesAreAdvisedOnAndEachRemedyOnce) {
  const auto advice = advice_on(
      with({{"migration_ns", Role::cause}, {"page_fault_count", Role::cause}, {"gap_ns", Role::associated}}),
      Tool::nsight_systems);
  ASSERT_EQ(advice.size(), 1u);
  EXPECT_EQ(advice[0].feature, "migration_ns");
  const auto words = in_words(advice);
  ASSERT_EQ(words.size(), 1u);
  EXPECT_TRUE(words[0].starts_with("Advice: Prefetch managed memory")) << words[0];
  EXPECT_EQ(advice[0].kind, Advice::Kind::remedy);
}

TEST(Advice, WithoutACauseTheOptionOfTheToolIsNamed) {
  auto r = with({{"gap_ns", Role::associated}});
  const auto words = in_words(advice_on(r, tool_of("Nsight Systems SQLite")));
  ASSERT_EQ(words.size(), 1u);
  EXPECT_NE(words[0].find("GPU clocks (nsys profile --gpu-metrics-devices=all)"), std::string::npos)
      << words[0];
  FeatureReport clock;
  clock.name = "mean_sm_clock_hz";
  r.features.push_back(clock);
  EXPECT_EQ(in_words(advice_on(r, Tool::nsight_systems))[0].find("GPU clocks"), std::string::npos);
  EXPECT_NE(in_words(advice_on(r, tool_of("rocprofv3 CSV")))[0].find("rocprofv3 --pmc"), std::string::npos);
  EXPECT_NE(in_words(advice_on(r, tool_of("Nsight Compute CSV")))[0].find("--clock-control none"),
            std::string::npos)
      << "Nsight Compute locks the clocks by default";
  r.target = "power";
  EXPECT_TRUE(advice_on(r, Tool::nsight_systems).empty())
      << "a column of a table is not recorded by a profiler";
}

TEST(Advice, EveryToolHasSomethingToRecord) {
  for (const Tool tool :
       {Tool::nsight_systems, Tool::nsight_compute, Tool::rocm, Tool::pytorch, Tool::other}) {
    const auto advice = recording_advice(tool, {});
    ASSERT_FALSE(advice.empty());
    for (const auto& a : advice) EXPECT_TRUE(tool == Tool::other || !a.command.empty()) << a.text;
  }
}

} // namespace
} // namespace jitterscope::causal
