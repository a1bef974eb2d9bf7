#include "tests/generator/generator.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <numeric>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <stdlib.h>

#include "core/import/import.h"

namespace jitterscope::generator {
namespace {

class Generated : public testing::Test {
protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "jitterscope-generator-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ + "/" + name; }

  Truth make(const Options& options, const std::string& name = "trace.sqlite") {
    auto truth = generate(options, path(name), truth_path_for(path(name)));
    if (!truth) ADD_FAILURE() << describe(truth.error());
    return truth ? *truth : Truth{};
  }

  store::TraceData import_made(const std::string& name = "trace.sqlite") {
    auto data = import::import_files({path(name)}, Job{});
    if (!data) ADD_FAILURE() << describe(data.error());
    return data ? std::move(*data) : store::TraceData{};
  }

  static std::string bytes(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    std::ostringstream out;
    out << in.rdbuf();
    return out.str();
  }

private:
  std::string folder_;
};

Options options_with(std::vector<Cause> causes, std::int64_t launches = 20'000) {
  Options options;
  options.launches = launches;
  options.causes = std::move(causes);
  return options;
}

const SpillVector<std::int64_t>& durations(const store::TraceData& data) {
  return data.find("launches")->get<std::int64_t>("duration");
}

// Mean of |duration − mean of the configuration| over launches that `chosen` accepts, and over the others.
template <class Chosen>
std::pair<double, double> variability(const store::TraceData& data, Chosen&& chosen) {
  const auto& duration = durations(data);
  const auto& configuration = data.find("launches")->get<std::uint32_t>("configuration");
  std::map<std::uint32_t, std::pair<double, double>> groups;
  for (std::size_t row = 0; row < duration.size(); ++row) {
    groups[configuration[row]].first += static_cast<double>(duration[row]);
    groups[configuration[row]].second += 1.0;
  }
  double sums[2] = {0, 0}, counts[2] = {0, 0};
  for (std::size_t row = 0; row < duration.size(); ++row) {
    const auto& [sum, count] = groups[configuration[row]];
    const auto side = chosen(row) ? 0 : 1;
    sums[side] += std::abs(static_cast<double>(duration[row]) - sum / count);
    counts[side] += 1.0;
  }
  return {sums[0] / counts[0], sums[1] / counts[1]};
}

TEST_F(Generated, TraceHasTheRowsThatTheTruthCounts) {
  for (const auto* schema : {"3.25.0", "3.0.0", "none"}) {
    SCOPED_TRACE(schema);
    auto options = options_with({Cause::Migration});
    options.devices = 2;
    options.schema = *schema_from(schema);
    const auto truth = make(options);
    const auto data = import_made();
    EXPECT_EQ(durations(data).size(), 20'000u);
    EXPECT_EQ(std::accumulate(durations(data).begin(), durations(data).end(), std::int64_t{0}),
              truth.duration_sum_ns);
    EXPECT_EQ(data.find("transfers")->rows(),
              static_cast<std::size_t>(truth.copies + truth.memsets + truth.migrations));
    EXPECT_EQ(data.find("calls")->rows(), static_cast<std::size_t>(truth.calls));
    EXPECT_EQ(data.find("ranges")->rows(), static_cast<std::size_t>(truth.ranges));
    EXPECT_EQ(data.find("samples")->rows(), static_cast<std::size_t>(truth.samples));
    EXPECT_EQ(data.find("kernels")->rows(), 8u);
    EXPECT_EQ(data.find("configurations")->rows(), 32u);
    EXPECT_EQ(data.manifest.devices.size(), 2u);
    EXPECT_EQ(data.manifest.sources[0].schema, schema == std::string("none") ? "" : schema);
    for (const auto call : data.find("launches")->get<std::uint32_t>("call")) ASSERT_NE(call, kNone);
    for (const auto range : data.find("launches")->get<std::uint32_t>("range")) ASSERT_NE(range, kNone);
    for (const auto& entry : data.manifest.report)
      EXPECT_EQ(entry.severity, store::Severity::Info) << entry.text;
  }
}

TEST_F(Generated, SameSeedGivesTheSameBytesAndAnotherSeedDoesNot) {
  auto options = options_with(all_causes(), 5'000);
  make(options, "a.sqlite");
  make(options, "b.sqlite");
  options.seed = 2;
  make(options, "c.sqlite");
  EXPECT_TRUE(bytes(path("a.sqlite")) == bytes(path("b.sqlite")));
  EXPECT_FALSE(bytes(path("a.sqlite")) == bytes(path("c.sqlite")));
}

TEST_F(Generated, TruthIsWrittenNextToTheTrace) {
  make(options_with({Cause::Copy}));
  const auto truth = nlohmann::json::parse(bytes(path("trace.truth.json")));
  ASSERT_EQ(truth.at("causes").size(), 1u);
  EXPECT_EQ(truth.at("causes")[0].at("cause"), "copy");
  EXPECT_EQ(truth.at("causes")[0].at("features")[0], "overlap_host_to_device_ns");
  EXPECT_EQ(truth.at("launches"), 20'000);
}

TEST_F(Generated, EveryCauseTakesAShareOfTheVariabilityAndWithoutOneThereIsOnlyNoise) {
  const auto quiet = make(options_with({}));
  const double noise = static_cast<double>(quiet.variability_sum_ns) / static_cast<double>(quiet.launches);
  EXPECT_GT(noise, 50.0);
  EXPECT_LT(noise, 300.0);
  for (const auto cause : all_causes()) {
    SCOPED_TRACE(to_string(cause));
    const auto truth = make(options_with({cause}));
    ASSERT_EQ(truth.causes.size(), 1u);
    EXPECT_GT(truth.causes[0].affected_launches, 0);
    EXPECT_GT(truth.causes[0].share_of_variability, 0.25);
    EXPECT_LT(truth.causes[0].share_of_variability, 1.0);
    EXPECT_GT(truth.causes[0].attributable_share, 0.05);
    EXPECT_LT(truth.causes[0].attributable_share, 1.0);
    EXPECT_GT(truth.variability_sum_ns, quiet.variability_sum_ns);
  }
}

TEST_F(Generated, LaunchesThatMeetMigrationsAreTheLongOnes) {
  const auto truth = make(options_with({Cause::Migration}));
  const auto data = import_made();
  const auto& migration_ns = data.find("launches")->get<float>("migration_ns");
  const auto affected =
      std::count_if(migration_ns.begin(), migration_ns.end(), [](float ns) { return ns > 0; });
  EXPECT_EQ(affected, truth.causes[0].affected_launches);
  const auto [with, without] = variability(data, [&](std::size_t row) { return migration_ns[row] > 0; });
  EXPECT_GT(with, 10 * without);
}

TEST_F(Generated, CopiesSlowMemoryBoundKernelsOnly) {
  make(options_with({Cause::Copy}));
  const auto data = import_made();
  const auto& overlap = data.find("launches")->get<float>("overlap_host_to_device_ns");
  const auto& configuration = data.find("launches")->get<std::uint32_t>("configuration");
  const auto& kernel = data.find("configurations")->get<std::uint32_t>("kernel");
  const auto& name = data.find("kernels")->get<std::uint32_t>("short_name");
  const auto of_kernel = [&](std::size_t row, const char* requested) {
    return data.strings[StringId{name[kernel[configuration[row]]]}] == requested;
  };
  const auto bound =
      variability(data, [&](std::size_t row) { return of_kernel(row, "transpose") && overlap[row] > 0; });
  const auto free =
      variability(data, [&](std::size_t row) { return of_kernel(row, "gemm_tile") && overlap[row] > 0; });
  EXPECT_GT(bound.first, 10 * free.first);
}

TEST_F(Generated, SlowClocksAreSeenInTheSamples) {
  make(options_with({Cause::Clock}, 60'000));
  const auto data = import_made();
  const auto& clock = data.find("launches")->get<float>("mean_gpc_clock_frequency");
  const auto slow = std::count_if(clock.begin(), clock.end(), [](float hz) { return hz < 1.2e9f; });
  EXPECT_GT(slow, 1'000);
  const auto [with, without] = variability(data, [&](std::size_t row) { return clock[row] < 1.2e9f; });
  EXPECT_GT(with, without);
}

TEST_F(Generated, FirstLaunchesAreFlaggedAndSlow) {
  const auto truth = make(options_with({Cause::Warmup}));
  const auto data = import_made();
  const auto& flags = data.find("launches")->get<std::uint8_t>("flags");
  std::int64_t first = 0;
  for (std::size_t row = 0; row < flags.size(); ++row)
    if (flags[row] & store::kLaunchFirst) {
      ++first;
      EXPECT_GT(durations(data)[row], 1'000'000);
    }
  EXPECT_EQ(first, truth.causes[0].affected_launches);
}

TEST_F(Generated, CausesActByTurns) {
  auto options = options_with({Cause::Clock, Cause::Stream});
  options.turn_ns = 20'000'000;
  const auto truth = generate(options, path("turns.sqlite"), "", path("parts.csv"));
  ASSERT_TRUE(truth.has_value()) << describe(truth.error());
  std::ifstream parts(path("parts.csv"));
  std::string line;
  std::getline(parts, line);
  EXPECT_EQ(line, "start,device,stream,configuration,duration,clock,stream");
  std::int64_t launches = 0, added = 0, in_turn[3][2] = {};
  for (; std::getline(parts, line); ++launches) {
    long long start = 0, device = 0, stream = 0, configuration = 0, duration = 0, clock = 0, of_stream = 0;
    ASSERT_EQ(std::sscanf(line.c_str(), "%lld,%lld,%lld,%lld,%lld,%lld,%lld", &start, &device, &stream,
                          &configuration, &duration, &clock, &of_stream),
              7);
    added += clock;
    in_turn[start / options.turn_ns % 3][0] += clock, in_turn[start / options.turn_ns % 3][1] += of_stream;
  }
  EXPECT_EQ(launches, options.launches);
  EXPECT_EQ(added, truth->causes[0].added_ns);
  EXPECT_GT(in_turn[0][0], 0);
  EXPECT_GT(in_turn[1][1], 0);
  EXPECT_EQ(in_turn[0][1] + in_turn[2][1] + in_turn[1][0], 0);
  EXPECT_LT(in_turn[2][0], in_turn[0][0] / 100); // for launches that extend into the next turn
}

TEST_F(Generated, OptionsOutOfRangeAreRefused) {
  Options options;
  options.launches = 0;
  EXPECT_EQ(generate(options, path("x.sqlite"), "").error().kind, ErrorKind::BadUse);
  options = options_with({Cause::Clock});
  options.schema = Schema::None;
  EXPECT_EQ(generate(options, path("x.sqlite"), "").error().kind, ErrorKind::BadUse);
  EXPECT_EQ(generate(options_with({}), "/nowhere/x.sqlite", "").error().kind, ErrorKind::Io);
}

} // namespace
} // namespace jitterscope::generator
