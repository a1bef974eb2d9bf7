// Tables whose times count from 1970: units found from the values, missing times, the zero of the capture.

#include "tests/core/import/formats/table/table_support.h"

namespace jitterscope::import {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

class UnixTimes : public TableTest {
protected:
  static ImportOptions mapped(const std::vector<std::string>& entries) {
    ImportOptions options;
    const auto mapping = parse_mapping(entries);
    EXPECT_TRUE(mapping.has_value());
    if (mapping) options.mapping = *mapping;
    return options;
  }
  static SpillVector<std::int64_t> times(const store::TraceData& data, const char* name) {
    return data.find("launches") ? column<std::int64_t>(data, "launches", name) : SpillVector<std::int64_t>();
  }
  static SpillVector<std::int64_t> starts(const store::TraceData& data) { return times(data, "start"); }
  static SpillVector<std::int64_t> durations(const store::TraceData& data) { return times(data, "duration"); }
  static std::string sentence(const store::TraceData& data, std::string_view code) {
    for (const auto& entry : data.manifest.report)
      if (entry.code == code) return entry.text;
    return "not reported";
  }
  const ImportOptions took_ms_ = mapped({"duration=perf", "unit:perf=ms"});
};

TEST_F(UnixTimes, WholeNumbersInTheirRangeNeedNoUnit) {
  const std::vector<std::pair<std::string, std::string>> zeros = {
      {"s", ""}, {"ms", "000"}, {"us", "000000"}, {"ns", "000000000"}};
  for (const auto& [unit, zero] : zeros) {
    SCOPED_TRACE(unit);
    const auto data = import_good_text(
        "node,ts,perf\n1,1591118862" + zero + ",2.5\n2,1591118870" + zero + ",1.5\n", "table.csv", took_ms_);
    EXPECT_EQ(starts(data), (Integers{0, 8 * kSecond}));
    EXPECT_EQ(durations(data), (Integers{2'500'000, 1'500'000}));
    EXPECT_EQ(data.manifest.origin_utc_ns, 1'591'118'862 * kSecond);
    expect_reported(data, {{"times-since-1970", 1}, {"times-without-unit", 0}});
    const auto said = sentence(data, "times-since-1970");
    EXPECT_NE(said.find("\"ts\""), std::string::npos) << said;
    EXPECT_NE(said.find(" " + unit + " since 1970"), std::string::npos) << said;
    EXPECT_NE(said.find("--map \"unit:ts="), std::string::npos) << said;
  }
}

// pandas writes integers with a fraction where values are missing.
TEST_F(UnixTimes, MissingValuesDoNotHideTheUnit) {
  for (const auto* rows : {"1591118862,2\n-1,2\n1591118870,2\n", "1591118862.0,2\n,2\n1591118870.0,2\n",
                           "1591118862.0,2\n-1.0,2\n1591118870.0,2\n"}) {
    const auto data = import_good_text("ts,perf\n" + std::string(rows), "table.csv", took_ms_);
    EXPECT_EQ(starts(data), (Integers{0, 8 * kSecond})) << rows;
    EXPECT_EQ(reported(data, "missing-time"), 1) << rows;
  }
}

TEST_F(UnixTimes, AMappedStartNeedsNoKnownName) {
  const std::string text = "when,perf,x\n1591118862,2,1\n1591118870,2,3\n";
  auto options = took_ms_;
  EXPECT_TRUE(import_good_text(text, "table.csv", options).manifest.launch_order);
  options.mapping.columns[static_cast<std::size_t>(ColumnRole::Start)] = "When";
  EXPECT_EQ(starts(import_good_text(text, "table.csv", options)), (Integers{0, 8 * kSecond}));
}

TEST_F(UnixTimes, AStatedUnitHasPriority) {
  const auto of_unit = [&](const std::string& title, const std::vector<std::string>& entries) {
    return import_good_text(title + ",perf\n1591118862,2\n1591118870,2\n", "table.csv", mapped(entries));
  };
  for (const auto& data : {of_unit("ts", {"duration=perf", "unit:perf=ms", "unit:ts=us"}),
                           of_unit("ts_us", {"duration=perf", "unit:perf=ms"})}) {
    ASSERT_EQ(starts(data).size(), 2u);
    EXPECT_EQ(starts(data)[1] - starts(data)[0], 8'000);
    EXPECT_EQ(reported(data, "times-since-1970"), 0);
  }
}

TEST_F(UnixTimes, OtherNumbersKeepTheUnitOfTheDuration) {
  for (const auto* second : {"1591118870000", "999999999", "0", "2305843010", "99999999999999999999"}) {
    const auto data = import_good_text("ts,perf\n1591118862," + std::string("2\n") + second + ",2\n",
                                       "table.csv", took_ms_);
    EXPECT_EQ(reported(data, "times-since-1970"), 0) << second;
    ASSERT_FALSE(durations(data).empty()) << second;
    EXPECT_EQ(durations(data)[0], 2'000'000) << second;
  }
  const auto parts = import_good_text("ts,perf\n1591118862.5,2\n1591118870,2\n", "table.csv", took_ms_);
  EXPECT_EQ(reported(parts, "times-since-1970"), 0);
}

// Counters since the start of a machine have values in these ranges, too.
TEST_F(UnixTimes, TwoColumnsWithoutUnitAreDoubted) {
  const auto data = import_good_text("start,end\n1591118862000,1591118862002\n1591118870000,1591118870001\n");
  EXPECT_EQ(starts(data), (Integers{0, 8 * kSecond}));
  EXPECT_EQ(durations(data), (Integers{2'000'000, 1'000'000}));
  EXPECT_EQ(reported(data, "times-without-unit"), 1);
  EXPECT_NE(sentence(data, "times-without-unit").find("ms since 1970"), std::string::npos);
  const auto ns = import_good_text("start,end\n1591118862000000000,1591118862000000002\n");
  EXPECT_EQ(durations(ns), (Integers{2}));
  expect_reported(ns, {{"times-without-unit", 0}, {"times-since-1970", 1}});
}

TEST_F(UnixTimes, CountsInTheirRangeAreAttributes) {
  const auto data = import_good_text("bytes,perf\n1591118862,2\n1591118870,2\n", "table.csv", took_ms_);
  EXPECT_TRUE(data.manifest.launch_order);
  EXPECT_EQ(numbers(data, "bytes"), (std::vector<double>{1'591'118'862, 1'591'118'870}));
  EXPECT_EQ(reported(data, "times-since-1970"), 0);
}

TEST_F(UnixTimes, MinusOneIsAMissingStart) {
  const auto options = mapped({"start=ts", "unit:ts=s", "duration=perf", "unit:perf=ms"});
  const std::string head = "ts,perf,x\n";
  for (const std::string text : {"-1,2,1\n1591118870,2,2\n1591118862,3,3\n-1,2,4\n,2,5\n",
                                 "1591118870,2,2\n-1,2,1\n-1,2,4\n1591118862,3,3\n,2,5\n"}) {
    SCOPED_TRACE(text);
    const auto data = import_good_text(head + text, "table.csv", options);
    EXPECT_EQ(starts(data), (Integers{0, 8 * kSecond}));
    EXPECT_EQ(numbers(data, "x"), (std::vector<double>{3, 2}));
    EXPECT_EQ(data.manifest.origin_utc_ns, 1'591'118'862 * kSecond);
    expect_reported(data, {{"missing-time", 3}, {"impossible-time", 0}});
    const auto said = sentence(data, "missing-time");
    EXPECT_NE(said.find("\"ts\""), std::string::npos) << said;
    EXPECT_NE(said.find("-1"), std::string::npos) << said;
  }
}

TEST_F(UnixTimes, MinusOneIsATimeWhereOthersAreNearZero) {
  for (const auto* other : {"0", "1"}) {
    const auto data = import_good_text("start_us,duration_us\n-1,1\n" + std::string(other) + ",1\n5,1\n");
    EXPECT_EQ(starts(data), (Integers{-1'000, 1'000 * std::stoi(other), 5'000})) << other;
    EXPECT_EQ(reported(data, "missing-time"), 0) << other;
  }
  const auto data = import_good_text("start_us,duration_us\n-1,1\n2,1\n5,1\n");
  EXPECT_EQ(starts(data), (Integers{2'000, 5'000}));
}

TEST_F(UnixTimes, AMissingEndIsReportedByItsColumn) {
  const auto data = import_good_text("start_ms,end_ms\n1591118862000,1591118862001\n1591118863000,-1\n");
  EXPECT_EQ(durations(data), (Integers{1'000'000}));
  EXPECT_NE(sentence(data, "missing-time").find("\"end\""), std::string::npos);
}

TEST_F(UnixTimes, TimesBefore1970AreNotInACapture) {
  const auto data = import_good_text("start_s,duration_ms\n1591118862,1\n-2,1\n1591118863,1\n");
  EXPECT_EQ(starts(data), (Integers{0, kSecond}));
  EXPECT_NE(sentence(data, "impossible-time").find("before 1970"), std::string::npos);
}

// Dates count from 1970, too.
TEST_F(UnixTimes, TheCaptureBeginsAtTheFirstStartInAnyOrderOfRows) {
  const auto data = import_good_text("started,duration_ms\n2024-05-01 10:00:09,1\n2024-05-01 10:00:00,1\n"
                                     "2024-05-01 10:00:04,1\n");
  EXPECT_EQ(starts(data), (Integers{0, 4 * kSecond, 9 * kSecond}));
  const auto copies = import_good_text("name,start_s,end_s\nk,1591118870,1591118871\n"
                                       "[CUDA memset],1591118862,1591118863\n");
  EXPECT_EQ(starts(copies), (Integers{8 * kSecond}));
  EXPECT_EQ(column<std::int64_t>(copies, "transfers", "start"), (Integers{0}));
  EXPECT_EQ(copies.manifest.origin_utc_ns, 1'591'118'862 * kSecond);
}

TEST_F(UnixTimes, ManyRowsAreJudgedAsFew) {
  std::string text = "node,ts,perf\n";
  for (int row = 0; row < 5'000; ++row)
    text += fmt::format("{},{},2.5\n", row % 7, row % 100 == 3 ? -1 : 1'591'118'862 + 7'919 * row % 10'007);
  for (const bool one_by_one : {false, true}) {
    auto options = took_ms_;
    options.one_by_one = one_by_one;
    const auto data = import_good_text(text, "table.csv", options);
    ASSERT_EQ(starts(data).size(), 4'950u);
    EXPECT_EQ(starts(data)[0], 0);
    EXPECT_LT(starts(data)[4'949], 10'007 * kSecond);
    expect_reported(data, {{"missing-time", 50}, {"times-since-1970", 1}});
  }
  std::string mixed = text + "1,1591118862000,2.5\n";
  EXPECT_EQ(reported(import_good_text(mixed, "table.csv", took_ms_), "times-since-1970"), 0);
}

TEST_F(UnixTimes, RealFleet) {
  REQUIRE_REAL_DATA(path, "variability/gpu-fleet/sgemm-longhorn-agg.csv");
  const auto data = import_files({path}, Job{}, took_ms_);
  ASSERT_TRUE(data.has_value()) << describe(data.error());
  EXPECT_EQ(launches_of(*data), 11'063u);
  EXPECT_EQ(reported(*data, "missing-time"), 24);
  EXPECT_EQ(data->manifest.origin_utc_ns, 1'589'933'531 * kSecond);
  EXPECT_EQ(starts(*data)[0], 0);
}

TEST_F(UnixTimes, Damage) {
  expect_damage_is_survived("ts,end,v\n1591118862,1591118863,1\n-1,1591118864,2\n1591118866,1591118869,3\n");
}

} // namespace
} // namespace jitterscope::import
