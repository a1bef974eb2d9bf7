// Caches of Kernel Tuner, in its own form and in the T4 interchange form.

#include "tests/core/import/formats/table/table_support.h"

namespace jitterscope::import {
namespace {

using store::TraceData;

class KernelTuner : public TableTest {};

const std::string kCache = R"({
"device_name": "NVIDIA X", "kernel_name": "conv", "problem_size": [4096, 4096],
"tune_params_keys": ["block_size_x", "mode", "flag"], "tune_params": {"block_size_x": [16, 32], "mode": ["a"], "flag": [true]},
"objective": "time",
"cache": {
"16,a,True": {"block_size_x": 16, "mode": "a", "flag": true, "time": 1.5, "times": [2.0, 1.25, 1.2500004], "compile_time": 9, "GFLOP/s": 7.5},
"32,a,True": {"block_size_x": 32, "mode": "a", "flag": true, "time": "RuntimeFailedConfig", "compile_time": 9},
"48,a,True": {"block_size_x": 48, "mode": "a", "flag": true, "time": "CompilationFailedConfig"},
"64,a,True": {"block_size_x": 64, "mode": "a", "flag": true, "time": "RuntimeFailedConfig"},
"80,a,True": {"block_size_x": 80, "mode": "a", "flag": true, "time": NaN, "times": [NaN, 3.0, -Infinity]},
"96,a,True": {"block_size_x": 96, "mode": "a", "flag": true, "time": 0.5}
}})";

void expect_cache(const TraceData& data) {
  EXPECT_EQ(launch_durations(data), (Integers{2'000'000, 1'250'000, 1'250'000, 3'000'000, 500'000}));
  EXPECT_EQ(numbers(data, "repetition"), (std::vector<double>{0, 1, 2, 1, 0}));
  EXPECT_EQ(numbers(data, "block_size_x"), (std::vector<double>{16, 16, 16, 80, 96}));
  EXPECT_EQ(numbers(data, "flag")[4], 1);
  EXPECT_EQ(text_at(data, "mode", 0), "a");
}

TEST_F(KernelTuner, RepetitionsAreLaunchesAndConfigurationsVariants) {
  const auto data = import_good_text(kCache, "conv.json");
  expect_cache(data);
  EXPECT_EQ(attributes_of(data), 4u);
  EXPECT_EQ(data.manifest.parameter_columns, (std::vector<std::string>{"block_size_x", "mode", "flag"}));
  EXPECT_EQ(data.find("configurations")->rows(), 3u);
  EXPECT_EQ(data.strings[StringId{configuration_value(data, "variant", 0)}], "16,a,True");
  EXPECT_EQ(configuration_value(data, "block_x", 3), 80u);
  EXPECT_EQ(launches_by_kernel(data), (std::map<std::string, int>{{"conv", 5}}));
  EXPECT_EQ(data.manifest.devices[0].name, "NVIDIA X");
  expect_reported(
      data,
      {{"failed-configuration-runtime", 2}, {"failed-configuration-compilation", 1}, {"missing-time", 2}});
}

TEST_F(KernelTuner, ObservedValuesAreKept) {
  const auto data = import_good_text(R"({"device_name": "X", "kernel_name": "k", "tune_params_keys": ["x"],
    "tune_params": {"x": [1, 2]}, "cache": {
    "1": {"x": 1, "time": 1, "times": [1, 2], "nvml_power": [100.5, 101.5], "core_freq": 1410, "mode": "eco",
          "temperature": 42.5, "GFLOP/s": 7.5, "power_readings": [[0, 1], [1, 2], [2, 3]], "compile_time": 3},
    "2": {"x": 2, "time": 3, "times": [3, 4], "nvml_power": 200, "core_freq": null}}})");
  EXPECT_EQ(numbers(data, "nvml_power"), (std::vector<double>{100.5, 101.5, 200, 200}));
  EXPECT_EQ(unit_of(data, "nvml_power"), "W");
  EXPECT_EQ(numbers(data, "core_freq")[1], 1.41e9);
  EXPECT_TRUE(std::isnan(numbers(data, "core_freq")[2]));
  EXPECT_EQ(numbers(data, "temperature")[0], 42.5);
  EXPECT_EQ(text_at(data, "mode", 1), "eco");
  EXPECT_EQ(attributes_of(data), 6u); // including x and repetition
  expect_reported(data, {{"derived-results", 1}, {"other-results", 1}});
}

TEST_F(KernelTuner, MeasurementsOfTheInterchangeForm) {
  const auto data = import_good_text(R"({"schema_version": "1.0.0", "results": [
    {"configuration": {"x": 1}, "times": {"runtimes": [1, 2]}, "invalidity": "correct", "measurements": [
     {"name": "time", "value": 1.5, "unit": "ms"}, {"name": "power", "value": [90, 91], "unit": "W"},
     {"name": "GFLOP/s", "value": 5, "unit": "GFLOP/s"}]}]})");
  EXPECT_EQ(numbers(data, "power"), (std::vector<double>{90, 91}));
  EXPECT_EQ(unit_of(data, "power"), "W");
  EXPECT_EQ(reported(data, "derived-results"), 1);
}

TEST_F(KernelTuner, ACacheThatIsStillWritten) {
  for (const auto* end : {"\n}", ",\n", "}\n", "}"}) {
    const auto text = kCache.substr(0, kCache.rfind("\n}}")) +
                      (std::string(end) == "}" || std::string(end) == "}\n" ? "\n" : end);
    const auto data = import_good_text(text, "conv.json");
    EXPECT_EQ(reported(data, "cut-off"), 1) << end;
    EXPECT_GE(launches_of(data), 4u);
  }
}

TEST_F(KernelTuner, UnknownDeviceAndKernelAfterTheCache) {
  const auto data =
      import_good_text(R"({"device_name": "", "tune_params_keys": ["x"], "tune_params": {"x": [1]},
    "cache": {"1": {"x": 1, "times": [1, 2]}}, "kernel_name": "late"})",
                       "c.json");
  EXPECT_EQ(launches_by_kernel(data), (std::map<std::string, int>{{"late", 2}}));
  EXPECT_EQ(data.manifest.devices[0].name, "");
}

TEST_F(KernelTuner, InterchangeForm) {
  const auto data = import_good_text(R"({"schema_version": "1.0.0", "metadata": {"zeroes": 0}, "results": [
    {"timestamp": "t", "configuration": {"block_size_x": 16, "mode": "a"}, "times": {"compilation_time": 5, "runtimes": [1.5, 2.5]},
     "invalidity": "correct", "correctness": 1, "measurements": [{"name": "time", "value": 2.0, "unit": "ms"}], "objectives": ["time"]},
    {"configuration": {"block_size_x": 32, "mode": "b"}, "times": {}, "invalidity": "runtime", "correctness": 0, "measurements": []},
    {"configuration": {"block_size_x": 64, "mode": "b"}, "times": {}, "invalidity": "correct",
     "measurements": [{"name": "time", "value": 7, "unit": "us"}]}]})",
                                     "c_T4.json");
  EXPECT_EQ(launch_durations(data), (Integers{1'500'000, 2'500'000, 7'000}));
  EXPECT_EQ(data.strings[StringId{configuration_value(data, "variant", 0)}], "16,a");
  EXPECT_EQ(reported(data, "failed-configuration-runtime"), 1);
}

// The codes of the report are fixed; the words of the file are in its text.
TEST_F(KernelTuner, UnknownFailuresHaveOneCode) {
  const auto data = import_good_text(R"({"kernel_name": "k", "tune_params_keys": ["x"], "cache": {
    "1": {"x": 1, "time": 2}, "2": {"x": 2, "time": "my failure"}, "3": {"x": 3, "time": "another"},
    "4": {"x": 4, "time": "my failure"}, "5": {"x": 5, "time": "InvalidConfig"}, "6": {"x": 6}}})");
  EXPECT_EQ(reported(data, "failed-configuration-other"), 3) << report_of(data);
  EXPECT_NE(report_of(data).find("configuration 2 of k failed (my failure, another)"), std::string::npos)
      << report_of(data);
  EXPECT_EQ(reported(data, "failed-configuration-constraints"), 1) << report_of(data);
  EXPECT_EQ(reported(data, "failed-configuration-without-time"), 1) << report_of(data);
}

// KTT states the unit of times once, in the interchange form and in its own.
TEST_F(KernelTuner, TimesOfT4AreInTheUnitOfTheirMeasurement) {
  const auto import_as = [&](const std::string& name, const std::string& more) {
    return import_good_text(
        R"({"schema_version":"1.0.0","metadata":{},"results":[{"configuration":{"B":16},)" + more +
            R"("times":{"runtimes":[]},"invalidity":"correct","measurements":[{"name":")" + name +
            R"(","value":12.5,"unit":"Microseconds"}]}]})",
        "ktt_T4.json");
  };
  for (const auto& data :
       {import_as("TotalDuration", ""), import_as("kernel_span", R"("objectives":["kernel_span"],)")}) {
    EXPECT_EQ(launch_durations(data), (Integers{12'500}));
    EXPECT_EQ(data.find("launches")->find("totalduration"), nullptr);
  }
}

TEST_F(KernelTuner, ResultsOfKtt) {
  const auto t4 =
      import_good_text(R"({"metadata": {"autotuner": "KTT", "device": "RTX 4090", "timeunit": "microseconds"},
    "results": [{"configuration": {"A": 1}, "times": {"runtimes": [1.5]}, "invalidity": "correct"},
    {"configuration": {"A": 2}, "times": {"runtimes": [2]}, "measurements": [{"name": "time", "value": 2, "unit": "ms"}]}],
    "schema_version": "1.0.0"})",
                       "t4.json");
  EXPECT_EQ(launch_durations(t4), (Integers{1'500, 2'000'000}));
  EXPECT_EQ(t4.manifest.devices[0].name, "RTX 4090");
  const std::string own =
      R"({"Metadata": {"KttVersion": "2.1", "Device": "X", "GlobalSizeType": "TYPE", "TimeUnit": "Microseconds"},
    "Results": [{"KernelName": "conv", "Status": "Ok", "TotalDuration": 9, "Configuration": [{"Name": "B", "Value": 16}, {"Name": "M", "Value": "a"}],
      "ComputationResults": [{"KernelFunction": "f", "Duration": 2.5, "GlobalSize": {"X": 512, "Y": 2, "Z": 1}, "LocalSize": {"X": 64, "Y": 1, "Z": 1}}]},
    {"KernelName": "conv", "Status": "ComputationFailed", "Configuration": [{"Name": "B", "Value": 32}], "ComputationResults": []},
    {"KernelName": "conv", "Status": "Ok", "TotalDuration": 4, "Configuration": [{"Name": "B", "Value": 8}]},
    {"KernelName": "two", "Status": "Ok", "Configuration": [{"Name": "B", "Value": 8}], "ComputationResults": [{"Duration": 1}, {"Duration": 2}]}]})";
  const auto blocks = import_good_text(own, "ktt.json");
  EXPECT_EQ(launch_durations(blocks), (Integers{2'500, 4'000, 3'000}));
  EXPECT_EQ(launches_by_kernel(blocks), (std::map<std::string, int>{{"conv", 2}, {"two", 1}}));
  EXPECT_EQ(numbers(blocks, "b"), (std::vector<double>{16, 8, 8}));
  EXPECT_EQ(text_at(blocks, "m", 0), "a");
  EXPECT_EQ(configuration_value(blocks, "grid_x", 0), 512u);
  EXPECT_EQ(configuration_value(blocks, "block_x", 0), 64u);
  EXPECT_EQ(reported(blocks, "failed-configuration-runtime"), 1);
  auto threads = own;
  threads.replace(threads.find("TYPE"), 4, "OpenCL");
  EXPECT_EQ(configuration_value(import_good_text(threads, "ktt.json"), "grid_x", 0), 8u);
  expect_damage_is_survived(own, 7);
}

TEST_F(KernelTuner, TheResultOfTuneKernelIsRead) {
  const auto data =
      import_good_text(R"([{"b": 1, "time": 0.5, "times": [0.5, 0.75], "compile_time": 3, "GFLOP/s": 2},
    {"b": 2, "time": "RuntimeFailedConfig", "times": []}, {"b": 3, "time": 2, "times": [2]}])",
                       "vector_add.json");
  EXPECT_EQ(launch_durations(data), (Integers{500'000, 750'000, 2'000'000}));
  EXPECT_EQ(numbers(data, "b"), (std::vector<double>{1, 1, 3}));
}

TEST_F(KernelTuner, ResultsOfClTune) {
  const auto data = import_good_text(R"({"kernel_family": "xgemm", "device": "A100", "results": [
    {"kernel": "Xgemm", "time": 1.25, "parameters": {"MWG": 16, "NWG": 32}}, {"kernel": "Xgemm", "parameters": {"MWG": 8}}]})",
                                     "xgemm.json");
  EXPECT_EQ(launch_durations(data), (Integers{1'250'000}));
  EXPECT_EQ(launches_by_kernel(data), (std::map<std::string, int>{{"Xgemm", 1}}));
  EXPECT_EQ(numbers(data, "nwg"), (std::vector<double>{32}));
}

// A result may turn out to be wrong after it was timed.
TEST_F(KernelTuner, TimesOfFailedConfigurationsAreCounted) {
  const auto data = import_good_text(R"({"kernel_name": "k", "tune_params_keys": ["x"], "cache": {
    "1": {"x": 1, "time": 2, "times": [1, 3]},
    "2": {"x": 2, "time": "RuntimeFailedConfig", "times": [3.25, 3.5, NaN, 3.75]},
    "3": {"x": 3, "time": "CompilationFailedConfig"}}})");
  EXPECT_EQ(launches_of(data), 2u);
  EXPECT_EQ(reported(data, "failed-configuration-runtime"), 1);
  EXPECT_EQ(reported(data, "times-of-failed-configurations"), 3) << report_of(data);
}

TEST_F(KernelTuner, WithoutTimesIsAnError) {
  EXPECT_NE(
      error_of(R"({"tune_params_keys": ["x"], "cache": {"1": {"x": 1, "time": "RuntimeFailedConfig"}}})")
          .message.find("time"),
      std::string::npos);
}

TEST_F(KernelTuner, Damage) {
  expect_damage_is_survived(kCache, 5);
}

struct Variation {
  std::size_t configurations = 0;
  double median = 0, high = 0, maximum = 0; // coefficient of variation, %
  double first_to_median = 0;
};

Variation variation_of(const TraceData& data) {
  std::map<std::uint32_t, std::vector<double>> by_configuration;
  const auto& durations = launch_durations(data);
  const auto& configurations = column<std::uint32_t>(data, "launches", "configuration");
  for (std::size_t i = 0; i < durations.size(); ++i)
    by_configuration[configurations[i]].push_back(static_cast<double>(durations[i]));
  std::vector<double> all;
  for (const auto& [configuration, times] : by_configuration) {
    double mean = 0, square = 0;
    for (const auto time : times) mean += time / static_cast<double>(times.size());
    for (const auto time : times) square += (time - mean) * (time - mean) / static_cast<double>(times.size());
    all.push_back(100 * std::sqrt(square) / mean);
  }
  std::sort(all.begin(), all.end());
  return {all.size(), all[all.size() / 2], all[all.size() * 95 / 100], all.back(), 0};
}

// Every repetition in the file is a launch or is reported.
TEST(KernelTunerReal, NoRepetitionIsLostInSilence) {
  REQUIRE_REAL_DATA(path, "variability/benchmark-hub/convolution_A6000.json.gz");
  const auto data = import_good({path});
  EXPECT_EQ(launches_of(data), 124'448u);
  EXPECT_EQ(static_cast<std::int64_t>(launches_of(data)) + reported(data, "times-of-failed-configurations"),
            132'096);
  expect_reported(data, {{"failed-configuration-runtime", 221}, {"failed-configuration-compilation", 252}});
}

TEST(KernelTunerReal, BenchmarkHub) {
  REQUIRE_REAL_DATA(path, "variability/benchmark-hub/convolution_A100.json.gz");
  const auto data = import_good({path});
  const auto variation = variation_of(data);
  EXPECT_EQ(launches_of(data), variation.configurations * 32);
  EXPECT_EQ(reported(data, "failed-configuration-runtime") +
                reported(data, "failed-configuration-compilation"),
            reported(data, "failed-configuration-runtime") == 155 ? 161 : -1);
  EXPECT_NEAR(variation.median, 1.2, 0.06);
  EXPECT_NEAR(variation.high, 7.7, 0.1);
  EXPECT_NEAR(variation.maximum, 29, 0.6);
  EXPECT_EQ(attributes_of(data), 11u);
  EXPECT_EQ(data.manifest.devices[0].name, "NVIDIA A100-PCIE-40GB");
}

TEST(KernelTunerReal, OtherDevices) {
  for (const auto* file : {"variability/benchmark-hub/convolution_A6000.json.gz",
                           "variability/benchmark-hub/convolution_W7800.json.gz"}) {
    SCOPED_TRACE(file);
    REQUIRE_REAL_DATA(path, file);
    const auto data = import_good({path});
    const auto variation = variation_of(data);
    EXPECT_GT(variation.configurations, 3000u);
    EXPECT_EQ(launches_of(data), variation.configurations * 32);
  }
}

} // namespace
} // namespace jitterscope::import
