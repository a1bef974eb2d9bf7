// Logs of monitors next to a trace: their samples become counters of the devices of the trace.

#include <cstdlib>
#include <ctime>

#include "core/import/formats/device_log/device_log_reader.h"
#include "core/import/preview_file.h"
#include "tests/core/import/formats/chrome_support.h"
#include "tests/core/import/formats/table/table_support.h"

namespace jitterscope::import {
namespace {

constexpr std::int64_t kBegin = 1'790'857'026'000'000'000; // 2026-10-01 12:17:06 UTC
constexpr int kLaunches = 100;                             // 10 ms apart: the clock falls after the first 50

const std::string kQueryHeader =
    "timestamp, index, name, clocks.current.sm [MHz], power.draw [W], temperature.gpu, "
    "clocks_event_reasons.active\n";

std::string kernel(int i, int device) {
  return fmt::format(
      R"({{"ph":"X","cat":"kernel","name":"gemm","pid":{},"tid":7,"ts":{},"dur":{},)"
      R"("args":{{"device":{},"stream":7,"correlation":{},"grid":[4,1,1],"block":[128,1,1]}}}})",
      device, i * 10'000, i < kLaunches / 2 ? 1'000 : 1'500, device, i);
}

std::string trace_of(const std::vector<int>& devices, const std::string& base = std::to_string(kBegin)) {
  std::string events;
  for (const int device : devices)
    for (int i = 0; i < kLaunches; ++i) events += (events.empty() ? "" : ",") + kernel(i, device);
  return (base.empty() ? "{" : R"({"schemaVersion":1,"baseTimeNanoseconds":)" + base + ",") +
         R"("traceEvents":[)" + events + "]}";
}

// Local time of a number of ms after kBegin, `hours` east of UTC.
std::string date_at(std::int64_t ms, int hours = 0) {
  const auto seconds = static_cast<std::time_t>(kBegin / 1'000'000'000 + ms / 1000 + hours * 3600);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y/%m/%d %H:%M:%S", &parts);
  return fmt::format("{}.{:03}", text, ms % 1000);
}

double clock_at(std::int64_t ms) {
  return ms < 10 * kLaunches / 2 ? 1980 : 1320;
}

// A log of a GPU, from the second before the trace to the second after it.
std::string query_log(int hours = 0, int index = 0) {
  auto text = kQueryHeader;
  for (std::int64_t ms = 0; ms < 3'000; ms += 10)
    text += fmt::format("{}, {}, NVIDIA H100, {} MHz, {:.2f} W, 51, 0x000000000000000{}\n",
                        date_at(ms, hours), index, clock_at(ms), ms < 500 ? 200.0 : 690.0, ms < 500 ? 0 : 4);
  return text;
}

class DeviceLogs : public testing::Test {
protected:
  DeviceLogs() { use_zone("UTC"); }
  ~DeviceLogs() override { use_zone(nullptr); }

  static void use_zone(const char* zone) {
    if (zone)
      setenv("TZ", zone, 1);
    else
      unsetenv("TZ");
    tzset();
  }
  std::string write(const std::string& name, const std::string& text) {
    write_bytes(folder_.path(name), text);
    return folder_.path(name);
  }
  Expected<store::TraceData> import_both(const std::string& trace, const std::string& log,
                                         const ImportOptions& options = {}) {
    return import_files({write("trace.json", trace), write("log.csv", log)}, Job{}, options);
  }
  store::TraceData good(const std::string& log, const std::string& trace = trace_of({0}),
                        const ImportOptions& options = {}) {
    auto data = import_both(trace, log, options);
    if (!data) ADD_FAILURE() << describe(data.error());
    return data ? std::move(*data) : store::TraceData{};
  }
  Error refused(const std::string& log, const std::string& trace = trace_of({0})) {
    const auto data = import_both(trace, log);
    EXPECT_FALSE(data.has_value());
    return data ? Error{} : data.error();
  }

  TemporaryFolder folder_;
};

std::set<std::string> names_of(const store::TraceData& data) {
  std::set<std::string> names;
  for (const auto name : column<std::uint32_t>(data, "counters", "name"))
    names.insert(data.strings[StringId{name}]);
  return names;
}

std::string unit_of(const store::TraceData& data, const std::string& column_name) {
  const auto* found = data.find("launches")->find(column_name);
  return found ? found->unit : "no column";
}

// The clock of each launch is the one at its time.
void expect_clocks(const store::TraceData& data) {
  ASSERT_NE(data.find("launches"), nullptr);
  ASSERT_NE(data.find("launches")->find("mean_sm_clock"), nullptr);
  const auto& clock = column<float>(data, "launches", "mean_sm_clock");
  ASSERT_EQ(clock.size(), static_cast<std::size_t>(kLaunches));
  EXPECT_FLOAT_EQ(clock[10], 1980e6F);
  EXPECT_FLOAT_EQ(clock[48], 1980e6F);
  EXPECT_FLOAT_EQ(clock[52], 1320e6F);
  EXPECT_FLOAT_EQ(clock[90], 1320e6F);
}

std::string alignment_of(const store::TraceData& data, std::string_view file) {
  for (const auto& source : data.manifest.sources)
    if (source.path.ends_with(file)) return source.alignment;
  return {};
}

TEST_F(DeviceLogs, ALogOfNvidiaSmiGivesLaunchesTheirClock) {
  const auto data = good(query_log());
  expect_clocks(data);
  EXPECT_EQ(unit_of(data, "mean_sm_clock"), "Hz");
  EXPECT_EQ(unit_of(data, "mean_power"), "W");
  EXPECT_EQ(unit_of(data, "mean_temperature"), "C");
  EXPECT_FLOAT_EQ(column<float>(data, "launches", "mean_power_cap_active")[10], 0);
  EXPECT_FLOAT_EQ(column<float>(data, "launches", "mean_power_cap_active")[90], 1);
  EXPECT_EQ(names_of(data), (std::set<std::string>{"SM Clock", "Power", "Temperature", "Power Cap Active"}))
      << "reasons that do not occur have no counter";
  EXPECT_EQ(data.find("launches")->rows(), static_cast<std::size_t>(kLaunches))
      << "rows of the log are not launches";
  const auto& times = column<std::int64_t>(data, "samples", "time");
  EXPECT_GE(*std::min_element(times.begin(), times.end()), 0);
  EXPECT_LE(*std::max_element(times.begin(), times.end()), 991'500'000 + 20'000'000)
      << "samples after the trace";
}

TEST_F(DeviceLogs, UnitsMayBeMissingAndValuesNotAvailable) {
  std::string text = "timestamp, index, clocks.sm, power.draw, fan.speed, pstate\n";
  for (std::int64_t ms = 0; ms < 1'000; ms += 10)
    text += fmt::format("{}, 0, {}, {}, [N/A], P0\n", date_at(ms), clock_at(ms),
                        ms % 20 == 0 ? "[N/A]" : "500.5");
  const auto data = good(text);
  expect_clocks(data);
  EXPECT_EQ(names_of(data), (std::set<std::string>{"SM Clock", "Power"}));
}

TEST_F(DeviceLogs, NumbersMayHaveADecimalComma) {
  std::string text = "unix_time;sm_clock_mhz;power_w\n";
  for (std::int64_t ms = 0; ms < 1'000; ms += 10)
    text +=
        fmt::format("{};{};{}\n", kBegin / 1'000'000 + ms, clock_at(ms), ms % 20 == 0 ? "244,759" : "85,5");
  const auto data = good(text);
  expect_clocks(data);
  const auto& power = column<float>(data, "launches", "mean_power");
  for (std::size_t i = 5; i < 10; ++i) EXPECT_TRUE(power[i] > 85 && power[i] < 245) << power[i];
  EXPECT_EQ(reported(data, "decimal-comma"), 1);
}

TEST_F(DeviceLogs, AnUnreadableFirstCellIsNoTextColumn) {
  std::string text = "timestamp, index, clocks.sm [MHz], power.draw [W]\n";
  for (std::int64_t ms = 0; ms < 1'000; ms += 10)
    text += fmt::format("{}, 0, {} MHz, {}\n", date_at(ms), clock_at(ms),
                        ms < 20 ? "[GPU requires reset]" : "251.00 W");
  const auto data = good(text);
  EXPECT_EQ(names_of(data), (std::set<std::string>{"SM Clock", "Power"}));
  EXPECT_EQ(reported(data, "not-a-number"), 2);
}

TEST_F(DeviceLogs, DmonRepeatsItsHeader) {
  std::string text;
  for (std::int64_t ms = 0; ms < 1'000; ms += 10) {
    if (ms % 100 == 0)
      text += "#Date        Time         gpu    pwr  gtemp     sm   mclk   pclk \n"
              "#YYYYMMDD    HH:MM:SS     Idx      W      C      %    MHz    MHz \n";
    auto date = date_at(ms);
    date.erase(7, 1).erase(4, 1);
    text += fmt::format(" {}     0    130     52      -   2619   {} \n", date, clock_at(ms));
  }
  const auto data = good(text);
  EXPECT_EQ(names_of(data),
            (std::set<std::string>{"Power", "Temperature", "Memory Clock", "Processor Clock"}));
  EXPECT_FLOAT_EQ(column<float>(data, "launches", "mean_processor_clock")[90], 1320e6F);
  EXPECT_NE(refused("#gpu    pwr   pclk \n#Idx      W    MHz \n  0    130   1980 \n").hint.find("-o DT"),
            std::string::npos);
}

TEST_F(DeviceLogs, TablesOfSamplesHaveTimesInAnyUnit) {
  for (const auto& [title, per_unit, zeros] : std::vector<std::tuple<std::string, std::int64_t, int>>{
           {"time_ns", 1, 0}, {"timestamp", 1'000'000, 3}, {"unix_time", 1'000, 0}, {"time", 1, 0}}) {
    SCOPED_TRACE(title);
    std::string text = title + ",gpu,sm_clock_mhz,power_w\n";
    for (std::int64_t ms = 0; ms < 1'000; ms += 10)
      text += fmt::format("{},0,{},500\n", (kBegin + ms * 1'000'000) / per_unit, clock_at(ms));
    expect_clocks(good(text));
  }
  std::string seconds = "time,sm_clock_mhz\n", dates = "when,sm_clock_mhz\n";
  for (std::int64_t ms = 0; ms < 1'000; ms += 10) {
    seconds += fmt::format("{}.{:03},{}\n", kBegin / 1'000'000'000, ms, clock_at(ms));
    dates += fmt::format("2026-10-01T14:17:06.{:03}+02:00,{}\n", ms, clock_at(ms));
  }
  expect_clocks(good(seconds));
  ImportOptions options;
  options.mapping.samples = "when";
  expect_clocks(good(dates, trace_of({0}), options));
}

TEST_F(DeviceLogs, ALogBelongsToItsTimeZone) {
  const auto here = good(query_log());
  EXPECT_NE(alignment_of(here, "log.csv").find("the zone of this machine"), std::string::npos);
  const auto abroad = good(query_log(2)); // UTC+2, while this machine is at UTC
  expect_clocks(abroad);
  EXPECT_NE(alignment_of(abroad, "log.csv").find("UTC+2:00"), std::string::npos);
  EXPECT_EQ(reported(abroad, "alignment-unknown"), 0);
  use_zone("XYZ-5:30");
  const auto set = good(query_log());
  expect_clocks(set);
  EXPECT_NE(alignment_of(set, "log.csv").find("taken as UTC:"), std::string::npos);
}

// A log of three hours overlaps a short trace in several zones.
TEST_F(DeviceLogs, AnAmbiguousZoneIsDoubtful) {
  auto text = kQueryHeader;
  for (std::int64_t s = -5'400; s < 5'400; s += 1)
    text += fmt::format("{}, 0, X, 1500 MHz, 300 W, 51, 0x0\n", date_at(s * 1000));
  const auto data = good(text);
  EXPECT_EQ(reported(data, "alignment-unknown"), 1);
  EXPECT_NE(alignment_of(data, "log.csv").find("the zone of this machine"), std::string::npos);
}

TEST_F(DeviceLogs, ALogOfAnotherTimeIsRefusedOrLeftOut) {
  std::string text = "time_ns,sm_clock_mhz\n";
  for (int i = 0; i < 50; ++i) text += fmt::format("{},1980\n", kBegin + 86'400'000'000'000 + i * 10'000'000);
  const auto error = refused(text);
  EXPECT_NE(error.message.find("do not overlap"), std::string::npos) << error.message;
  EXPECT_NE(error.message.find("(UTC), and the trace"), std::string::npos) << error.message; // ns since 1970
  EXPECT_NE(error.message.find("2026-10-02"), std::string::npos) << error.message;
  const auto data = import_good({folder_.path("")}); // the same files, found in the folder
  EXPECT_EQ(reported(data, "log-left-out"), 1);
  EXPECT_EQ(data.find("samples")->rows(), 0u);
  EXPECT_NE(refused(query_log(), trace_of({0}, "")).message.find("does not state when"), std::string::npos);
}

TEST_F(DeviceLogs, DevicesAreFoundByTheirIndex) {
  auto text = query_log(0, 0);
  for (std::int64_t ms = 0; ms < 1'000; ms += 10)
    text += date_at(ms) + ", 1, NVIDIA H100, 1000 MHz, 100 W, 51, 0x0\n" + date_at(ms) +
            ", 7, NVIDIA H100, 500 MHz, 100 W, 51, 0x0\n";
  const auto data = good(text, trace_of({0, 1}));
  EXPECT_EQ(reported(data, "other-devices"), 1);
  const auto& clock = column<float>(data, "launches", "mean_sm_clock");
  const auto& stream = column<std::uint32_t>(data, "launches", "stream");
  for (std::size_t row = 0; row < clock.size(); ++row) {
    const auto device = data.resources[data.resources[stream[row]].parent].number;
    EXPECT_TRUE(device == 1 ? clock[row] == 1000e6F : clock[row] >= 1320e6F) << device << " " << clock[row];
  }
  expect_clocks(good(query_log(0, 3))); // log and trace have one device each, so numbers may differ
}

// Every process sees its GPU as device 0.
TEST_F(DeviceLogs, RanksDistinguishDevicesOfOneNumber) {
  std::string text = "time_ns,rank,sm_clock_mhz\n", own = "time_ns,power_w\n",
              unclear = "time_ns,gpu,fan_speed\n";
  for (std::int64_t ms = 0; ms < 1'000; ms += 10) {
    const auto time = kBegin + ms * 1'000'000;
    text += fmt::format("{0},0,1000\n{0},1,2000\n", time);
    own += fmt::format("{},300\n", time);
    unclear += fmt::format("{},0,50\n{},1,50\n", time, time);
  }
  const auto data =
      import_good({write("rank0.json", trace_of({0})), write("rank1.json", trace_of({0})),
                   write("log.csv", text), write("power_rank1.csv", own), write("unclear.csv", unclear)});
  const auto& clock = column<float>(data, "launches", "mean_sm_clock");
  const auto& power = column<float>(data, "launches", "mean_power");
  const auto& stream = column<std::uint32_t>(data, "launches", "stream");
  for (std::size_t row = 0; row < clock.size(); ++row) {
    const auto device = data.resources[stream[row]].parent;
    const auto rank = data.resources[data.resources[device].parent].rank;
    EXPECT_FLOAT_EQ(clock[row], rank == 0 ? 1000e6F : 2000e6F);
    EXPECT_EQ(power[row] == 300, rank == 1);
  }
  EXPECT_EQ(reported(data, "log-without-device"), 1);
  EXPECT_FALSE(names_of(data).contains("fan_speed"));
}

TEST_F(DeviceLogs, TwoLogsOfOneQuantityGiveOneCounter) {
  std::string coarse = "time_ns,sm_clock_mhz,fan_speed\n";
  for (int i = 0; i < 10; ++i) coarse += fmt::format("{},100,{}\n", kBegin + i * 100'000'000, i);
  const auto data = import_good(
      {write("trace.json", trace_of({0})), write("a.csv", coarse), write("log.csv", query_log())});
  expect_clocks(data);
  EXPECT_EQ(reported(data, "same-counter"), 1);
  EXPECT_TRUE(names_of(data).contains("Fan Speed"));
}

TEST_F(DeviceLogs, TablesOfLaunchesStayTablesOfLaunches) {
  const auto is_log = [&](const std::string& text) {
    return device_log::is_table_of_samples(Input::from_memory("t.csv", text), {});
  };
  const auto time = std::to_string(kBegin);
  EXPECT_TRUE(is_log("time_ns,clock_mhz\n" + time + ",1\n"));
  EXPECT_FALSE(is_log("timestamp,duration_us,clock_mhz\n" + time + ",5,1\n"));
  EXPECT_FALSE(is_log("kernel,timestamp,clock_mhz\naxpy," + time + ",1\n"));
  EXPECT_FALSE(is_log("start_ns,end_ns,clock_mhz\n" + time + "," + time + ",1\n"));
  EXPECT_FALSE(is_log("time_ns,grid_x,clock_mhz\n" + time + ",5,1\n"));
  EXPECT_FALSE(is_log("time_ns,clock_mhz\n5000,1\n")) << "a duration";
  EXPECT_FALSE(is_log("time_ns,clock_mhz\n" + time + ",1\n" + std::to_string(kBegin - 1) + ",1\n"))
      << "the times of samples must increase";
  EXPECT_FALSE(is_log("clock_mhz,power_w\n1,2\n"));
}

TEST_F(DeviceLogs, TheColumnsOfALogNeedNoDialog) {
  EXPECT_TRUE(is_log_next_to_a_trace(write("log.csv", query_log())));
  EXPECT_FALSE(is_log_next_to_a_trace(write("trace.json", trace_of({0}))));
  EXPECT_FALSE(is_log_next_to_a_trace(write("launches.csv", "start_ns,end_ns,clock\n10,20,1\n")));
  EXPECT_FALSE(is_log_next_to_a_trace(folder_.path("missing.csv")));
}

TEST_F(DeviceLogs, ATableOfSamplesAloneIsATable) {
  const auto data = import_good({write("log.csv", query_log())});
  EXPECT_TRUE(data.manifest.launch_order);
  EXPECT_EQ(data.find("launches")->rows(), 300u);
  ImportOptions never;
  never.mapping.samples = "";
  const auto refused = import_both(trace_of({0}), query_log(), never);
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().message.find("cannot share a time axis"), std::string::npos);
  ImportOptions absent;
  absent.mapping.samples = "missing";
  EXPECT_FALSE(import_both(trace_of({0}), query_log(), absent).has_value());
}

TEST_F(DeviceLogs, ALogWithoutNamesOrTraceIsRefused) {
  const auto text = query_log();
  const auto error = refused(text.substr(text.find('\n') + 1));
  EXPECT_NE(error.hint.find("without noheader"), std::string::npos) << error.hint;
  const auto alone = import_files({write("dmon.txt", "#Date Time gpu pclk\n#YYYYMMDD HH:MM:SS Idx MHz\n"
                                                     " 20261001 11:37:06 0 1980\n")},
                                  Job{});
  ASSERT_FALSE(alone.has_value());
  EXPECT_NE(alone.error().hint.find("together with a trace"), std::string::npos);
}

class DamagedLogs : public DeviceLogs {
protected:
  // For any log: a trace with its launches, or an error with a message.
  void expect_survived(const std::string& log) {
    const auto data = import_both(trace_of({0}), log);
    if (!data) {
      EXPECT_FALSE(data.error().message.empty());
      EXPECT_NE(data.error().kind, ErrorKind::Internal) << describe(data.error());
      return;
    }
    EXPECT_EQ(data->find("launches")->rows(), static_cast<std::size_t>(kLaunches));
    const auto written = store::write_store(*data, folder_.path("damaged.jts"));
    EXPECT_TRUE(written.has_value()) << describe(written.error());
  }
};

TEST_F(DamagedLogs, AreSurvived) {
  const auto log = query_log().substr(0, 700);
  for (std::size_t size = 1; size < log.size(); size += 13) expect_survived(log.substr(0, size));
  for (std::size_t at = 0; at < log.size(); at += 17)
    for (const char damage : {'"', '\n', '\0', '\xFF', ',', '9'}) {
      auto bytes = log;
      bytes[at] = damage;
      expect_survived(bytes);
    }
}

TEST_F(DamagedLogs, ExtremeNumbersAreDroppedAndCounted) {
  auto log = query_log();
  log += "9999/99/99 99:99:99.999, 0, X, 1980 MHz, 5 W, 5, 0x0\n"
         "2261/12/31 23:59:59.999, 0, X, 1980 MHz, 5 W, 5, 0x0\n" +
         date_at(900) + ", 99999999999999999999, X, 1e999 MHz, five W, 5 MHz, 0xFFFFFFFFFFFFFFFFFF\n";
  const auto data = good(log);
  EXPECT_EQ(reported(data, "missing-time"), 2);
  EXPECT_GE(reported(data, "not-a-number"), 1);
}

} // namespace
} // namespace jitterscope::import
