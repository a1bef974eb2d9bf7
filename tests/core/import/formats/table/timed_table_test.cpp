// Tables with the times of their rows: a start with an end or a duration.

#include <set>

#include <fmt/core.h>

#include "core/import/formats/table/date_time.h"
#include "tests/core/import/formats/table/table_support.h"

namespace jitterscope::import {
namespace {

class TimedTable : public TableTest {
protected:
  static SpillVector<std::int64_t> starts(const store::TraceData& data) { return launch_starts(data); }
  static SpillVector<std::int64_t> durations(const store::TraceData& data) { return launch_durations(data); }
};

TEST_F(TimedTable, StartsAndEndsGiveRowsAPlaceInTime) {
  const auto data = import_good_text("kernel,start_ns,end_ns,bytes\nb,500,1500,7\na,100,350,8\n");
  EXPECT_FALSE(data.manifest.launch_order);
  EXPECT_FALSE(data.manifest.sources[0].timeless);
  EXPECT_EQ(starts(data), (Integers{100, 500}));
  EXPECT_EQ(durations(data), (Integers{250, 1000}));
  EXPECT_EQ(numbers(data, "bytes"), (std::vector<double>{8, 7}));
  EXPECT_EQ(launches_by_kernel(data), (std::map<std::string, int>{{"a", 1}, {"b", 1}}));
}

TEST_F(TimedTable, RanksAndDevicesMayBeWrittenWithAFraction) {
  const auto data =
      import_good_text("kernel,start_us,duration_us,rank,device\nk,0,5,0.0,2.0\nk,10,5,1.0,3.0\n");
  std::set<std::int32_t> ranks;
  std::set<std::int64_t> devices;
  for (const auto& resource : data.resources) {
    if (resource.rank >= 0) ranks.insert(resource.rank);
    if (resource.kind == store::ResourceKind::Device) devices.insert(resource.number);
  }
  EXPECT_EQ(ranks, (std::set<std::int32_t>{0, 1}));
  EXPECT_EQ(devices, (std::set<std::int64_t>{2, 3}));
}

TEST_F(TimedTable, TimesSplitOverTwoColumnsAreJoined) {
  const std::string head = "kernel,start_sec,start_nsec,end_sec,end_nsec\n";
  const std::string rows = "a,1700000000,999999000,1700000001,500\nb,1700000001,700,1700000001,900\n";
  for (const bool one_by_one : {false, true}) {
    ImportOptions options;
    options.one_by_one = one_by_one;
    const auto data = import_good_text(head + rows, "times.csv", options);
    EXPECT_EQ(starts(data), (Integers{0, 1700}));
    EXPECT_EQ(durations(data), (Integers{1500, 200}));
    EXPECT_EQ(attributes_of(data), attributes_of(import_good_text("kernel,start_ns,end_ns\na,1,2\n")));
    expect_reported(data, {{"repeated-title", 0}, {"no-durations", 0}});
  }
}

TEST_F(TimedTable, DurationsThatAreAllZeroAreDoubted) {
  const auto data = import_good_text("kernel,start_s,end_s\na,1,1\nb,2,2\nc,2,2\n");
  EXPECT_EQ(reported(data, "no-durations"), 3);
}

TEST_F(TimedTable, EnterAndLeaveArePaired) {
  const auto data = import_good_text("Timestamp (us),Event Type,Name,Process,Thread\n"
                                     "0,Enter,main,0,0\n1,Enter,MPI_Send,0,0\n1,Enter,main,1,0\n"
                                     "3.5,Leave,MPI_Send,0,0\n4,Instant,mark,0,0\n5,Leave,main,0,0\n"
                                     "6,Leave,never entered,0,0\n7,Other,x,0,0\nx,Enter,x,0,0\n");
  EXPECT_EQ(launches_of(data), 0u);
  EXPECT_EQ(column<std::int64_t>(data, "ranges", "start"), (Integers{0, 1000, 1000, 4000}));
  EXPECT_EQ(sum(column<std::int64_t>(data, "ranges", "duration")), 5000 + 2500 + 5000);
  expect_reported(data, {{"open-range", 1},
                         {"end-without-begin", 1},
                         {"other-events", 1},
                         {"missing-time", 1},
                         {"no-kernels", 1}});
  EXPECT_EQ(std::count_if(data.resources.begin(), data.resources.end(),
                          [](const auto& r) { return r.kind == store::ResourceKind::Process; }),
            2);
}

// Tracers list kernels and copies in one table.
TEST_F(TimedTable, MemoryOperationsAreNotLaunches) {
  using enum store::TransferKind;
  const std::vector<std::pair<std::string, store::TransferKind>> names = {
      {"[CUDA memcpy HtoD]", HostToDevice},
      {"[CUDA memcpy DtoH]", DeviceToHost},
      {"[CUDA memcpy Device-to-Device]", DeviceToDevice},
      {"[CUDA Unified Memory memcpy HtoD]", MigrationHostToDevice},
      {"[CUDA memset]", Memset},
      {"[memcpy]", Unknown},
      {"Memcpy HtoD (Pageable -> Device)", HostToDevice},
      {"Memcpy PtoP (Device -> Device)", PeerToPeer},
      {"Memset (Device)", Memset},
      {"CopyHostToDevice", HostToDevice},
      {"FillBuffer", Memset},
      {"__amd_rocclr_copyBuffer.kd", DeviceToDevice}};
  std::string text = "name,start_ns,end_ns,stream,bytes,power\nfirst,0,10,7,,1\n";
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto at = 100 + 100 * i;
    text += fmt::format("\"{}\",{},{},7,{},2\n", names[i].first, at, at + 20,
                        i == 0 ? "" : fmt::format("{}", 64 * i));
    text += fmt::format("kernel,{},{},9,,{}\n", at + 50, at + 90, i);
  }
  for (const auto* kernel : {"memcpy_kernel", "Memset2D", "CopyRows", "[my memo]", "void copy<float>(int)"})
    text += fmt::format("\"{}\",5000,5010,7,,1\n", kernel);
  const auto data = import_good_text(text);
  EXPECT_EQ(launches_of(data), 1 + names.size() + 5);
  EXPECT_EQ(launches_by_kernel(data).at("kernel"), static_cast<int>(names.size()));
  EXPECT_EQ(launches_by_kernel(data).count("[CUDA memset]"), 0u);
  EXPECT_EQ(reported(data, "memory-operations"), static_cast<std::int64_t>(names.size()));
  const auto kinds = column<std::uint8_t>(data, "transfers", "kind");
  const auto bytes = column<std::int64_t>(data, "transfers", "bytes");
  const auto starts = column<std::int64_t>(data, "transfers", "start");
  ASSERT_EQ(kinds.size(), names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    SCOPED_TRACE(names[i].first);
    EXPECT_EQ(static_cast<store::TransferKind>(kinds[i]), names[i].second);
    EXPECT_EQ(bytes[i], i == 0 ? store::kUnknownBytes : static_cast<std::int64_t>(64 * i));
    EXPECT_EQ(starts[i], static_cast<std::int64_t>(100 + 100 * i));
  }
  // Values belong to the remaining launches.
  EXPECT_EQ(numbers(data, "power")[1], 0);
  EXPECT_EQ(numbers(data, "power")[names.size()], static_cast<double>(names.size() - 1));
}

TEST_F(TimedTable, MemoryOperationsAloneAreATrace) {
  const auto data = import_good_text("name,start_ns,end_ns\n[CUDA memset],1,5\n[CUDA memcpy DtoH],7,9\n");
  EXPECT_EQ(launches_of(data), 0u);
  EXPECT_EQ(column<std::int64_t>(data, "transfers", "duration"), (Integers{4, 2}));
}

TEST_F(TimedTable, UnitsAreInTitlesOrBelowThem) {
  for (const auto* table :
       {"start_us,end_us\n1.5,4\n10,11\n", "Start (us),End (us)\n1.5,4\n10,11\n",
        "begin [us],stop [us]\n1.5,4\n10,11\n", "StartUs,EndUs\n1.5,4\n10,11\n",
        "start,end\nus,us\n1.5,4\n10,11\n", "start_ms,end_ms\n0.0015,0.004\n0.01,0.011\n",
        "start_us,end\n1.5,4\n10,11\n", "start_time_us;end_time_us\n1,5;4\n10;11\n",
        "Start (s),End (us)\n0.0000015,4\n1e-5,11\n", "start_us,duration_ms\n1.5,0.0025\n10,0.001\n",
        "BeginNs\tEndNs\n1500\t4000\n10000\t11000\n", "start_s,end_s\n0.0000015,4e-6\n1e-5,1.1e-5\n",
        "kernel_start_us,durationNs\n1.5,2500\n10,1000\n"}) {
    SCOPED_TRACE(table);
    const auto data = import_good_text(table);
    EXPECT_EQ(starts(data), (Integers{1'500, 10'000}));
    EXPECT_EQ(durations(data), (Integers{2'500, 1'000}));
    EXPECT_EQ(reported(data, "times-without-unit"), 0);
  }
}

TEST_F(TimedTable, WholeNumbersWithoutUnitAreNanosecondsAndThatIsReported) {
  const auto data = import_good_text("start,end\n100,200\n300,350\n");
  EXPECT_EQ(durations(data), (Integers{100, 50}));
  EXPECT_EQ(reported(data, "times-without-unit"), 1);
  const auto fractions = import_good_text("start,end,x\n1.5,2.5,1\n3,3.5,2\n");
  EXPECT_TRUE(fractions.manifest.launch_order);
  EXPECT_EQ(reported(fractions, "times-without-unit"), 1);
  EXPECT_EQ(attributes_of(fractions), 3u);
}

TEST_F(TimedTable, TitlesThatOnlyResembleTimesAreAttributes) {
  for (const auto* table : {"start,x\n1,2\n3,4\n", "x,end_ns\n1,2\n3,4\n", "start (MB),end (MB)\n1,2\n3,4\n",
                            "start,end\nred,1\nblue,2\n", "restart_ns,weekend_ns\n1,2\n3,4\n"})
    EXPECT_TRUE(import_good_text(table).manifest.launch_order) << table;
}

TEST_F(TimedTable, DevicesAndStreamsAreResources) {
  const auto data = import_good_text(
      "name,start_ns,end_ns,gpu,stream\nk,0,9,1,7\nk,10,19,0,7\nk,20,29,1,side\nk,30,39,,\n");
  std::map<std::pair<store::ResourceKind, std::string>, int> places;
  for (const auto& resource : data.resources)
    ++places[{resource.kind, resource.name.empty() ? std::to_string(resource.number) : resource.name}];
  using enum store::ResourceKind;
  EXPECT_EQ((places[{Device, "0"}]), 1);
  EXPECT_EQ((places[{Device, "1"}]), 1);
  EXPECT_EQ((places[{Stream, "7"}]), 2);
  EXPECT_EQ((places[{Stream, "side"}]), 1);
  EXPECT_EQ((places[{Stream, "0"}]), 1);
  EXPECT_EQ((places[{Process, "table"}]), 1);
  const auto plain = import_good_text("name,start_ns,end_ns\nk,0,9\nk,10,19\n");
  EXPECT_EQ(data.find("launches")->columns.size(), plain.find("launches")->columns.size()); // no attribute
}

TEST_F(TimedTable, TheTimeOfAStepIsTakenAsTheDuration) {
  const auto data = import_good_text("kernel,step_time (s),data_time (s),seed\na,1.5,0.5,1\na,2,0.25,2\n");
  EXPECT_EQ(durations(data), (Integers{1'500'000'000, 2'000'000'000}));
  EXPECT_EQ(reported(data, "assumed-duration"), 1);
  EXPECT_EQ(durations(import_good_text("kernel,fwd_ms,seed\na,1,1\na,2,2\n")),
            (Integers{1'000'000, 2'000'000}));
  for (const auto* table : {"kernel,fwd_ms,bwd_ms\na,1,1\na,2,2\n", "kernel,queue_delay_us,x\na,1,1\na,2,2\n",
                            "start_us,end_us,fwd_ms\n1,2,3\n3,4,5\n"})
    EXPECT_EQ(reported(import_good_text(table), "assumed-duration"), 0) << table;
}

TEST_F(TimedTable, QueuesWithNamesAreThoseOfABatchSystem) {
  const auto data =
      import_good_text("name,start_ns,end_ns,queue\nk,0,9,debug\nk,10,19,long\nk,20,29,debug\n");
  EXPECT_EQ(text_at(data, "queue", 1), "long");
  const auto numbered = import_good_text("name,start_ns,end_ns,queue_id\nk,0,9,3\nk,10,19,4\n");
  EXPECT_EQ(std::ranges::count(numbered.resources, store::ResourceKind::Stream, &store::Resource::kind), 2);
}

TEST_F(TimedTable, TimesSince1970GiveTheTraceItsDate) {
  const auto data = import_good_text(
      "start_s,end_s\n1763748223.000000500,1763748223.000001\n1763748223.0,1763748223.0000001\n");
  EXPECT_EQ(data.manifest.origin_utc_ns, 1'763'748'223'000'000'000); // the first start, not the first row
  EXPECT_EQ(durations(data), (Integers{100, 500}));
  EXPECT_EQ(starts(data), (Integers{0, 500}));
}

TEST_F(TimedTable, RowsWithoutUsableTimesAreDroppedAndCounted) {
  const auto data =
      import_good_text("start_ns,end_ns,x\n10,20,1\n30,20,2\n,20,3\n40,n/a,4\n99999999999999999999,3,5\n"
                       "-9223372036854775808,9223372036854775807,6\n50,60,7\n");
  EXPECT_EQ(numbers(data, "x"), (std::vector<double>{1, 7}));
  expect_reported(data, {{"negative-duration", 1}, {"missing-time", 3}, {"impossible-time", 1}});
  EXPECT_NE(error_of("start_ns,end_ns\n5,4\n9,1\n").message.find("no row of the table"), std::string::npos);
}

// One time out of range among valid rows.
TEST_F(TimedTable, OneImpossibleTimeIsEnough) {
  for (const std::string bad :
       {"10,1152921504606846987", "10,9223372036854775807", "-1152921504606846977,0"}) {
    const auto data = import_good_text("start_ns,end_ns,x\n1,20,1\n" + bad + ",2\n50,60,3\n");
    EXPECT_EQ(numbers(data, "x"), (std::vector<double>{1, 3})) << bad;
    EXPECT_EQ(reported(data, "impossible-time"), 1) << bad;
  }
  for (const std::string bad : {"-2,1000000000000000100", "1000000000000000050,-2"}) {
    const auto dated =
        import_good_text("start_ns,end_ns,x\n1000000000000000000,1000000000000000100,1\n" + bad + ",2\n");
    EXPECT_EQ(numbers(dated, "x"), std::vector<double>{1}) << bad;
    EXPECT_EQ(reported(dated, "impossible-time"), 1) << bad;
  }
}

TEST_F(TimedTable, AnImpossibleTimeInTheFirstRowHarmsNoOther) {
  const std::string garbage = "k,9223372036854775807,9223372036854775807\n";
  for (const auto* good : {"k,100,200\n", "k,1700000000000000100,1700000000000000200\n"}) {
    const auto data = import_good_text("kernel,start_ns,end_ns\n" + garbage + good + "k,7,\n");
    EXPECT_EQ(launch_durations(data), (Integers{100})) << good;
    EXPECT_EQ(reported(data, "impossible-time"), 1);
    EXPECT_EQ(launches_of(import_good_text("kernel,start_ns,end_ns\n" + garbage + good)), 1u);
  }
}

TEST_F(TimedTable, RowsWithoutUsableDurationsAreDroppedAndCounted) {
  const auto data =
      import_good_text("start_ns,duration_ns,x\n10,20,1\n30,,2\n40,-1,3\n-1152921504606846977,5,4\n"
                       "1,1152921504606846977,5\n1,9223372036854775807,6\n50,60,7\n");
  EXPECT_EQ(numbers(data, "x"), (std::vector<double>{1, 7}));
  expect_reported(data, {{"missing-time", 1}, {"negative-duration", 1}, {"impossible-time", 3}});
}

TEST_F(TimedTable, SharesTheAxisOfOtherTraces) {
  write_bytes(folder_.path("a.csv"), "start_ns,end_ns\n5,9\n10,12\n");
  write_bytes(folder_.path("b.csv"), "start_ns,end_ns\n6,8\n10,13\n");
  const auto data = import_files({folder_.path("a.csv"), folder_.path("b.csv")}, Job{}, {});
  ASSERT_TRUE(data) << describe(data.error());
  EXPECT_EQ(launches_of(*data), 4u);
}

TEST_F(TimedTable, Damage) {
  expect_damage_is_survived(
      "kernel,start_us,end_us,gpu,stream,v\nk,1.5,2,0,7,1\nh,1763748223000000.25,1763748224000000,1,s,2\n"
      "k,3,-4,x,y,3\n");
}

TEST_F(TimedTable, StreamsKeepTheirNumbers) {
  const auto data = import_good_text("start_ns,end_ns,stream,device,rank\n0,10,-1,0,0\n20,40,65536,0,70000\n"
                                     "60,63,140234567890,-1,-5\n");
  std::vector<std::int64_t> streams;
  for (const auto row : column<std::uint32_t>(data, "launches", "stream"))
    streams.push_back(data.resources[row].number);
  EXPECT_EQ(streams, (std::vector<std::int64_t>{-1, 65'536, 140'234'567'890}));
  std::set<std::int32_t> ranks;
  for (const auto& resource : data.resources)
    if (resource.kind == store::ResourceKind::Process) ranks.insert(resource.rank);
  EXPECT_EQ(ranks, (std::set<std::int32_t>{-1, 0, 70'000}));
  expect_reported(data, {{"odd-number", 1}, {"odd-rank", 1}});
  const auto says = [](const store::TraceData& of, std::string_view words) {
    return std::ranges::any_of(
        of.manifest.report, [&](const auto& entry) { return entry.text.find(words) != std::string::npos; });
  };
  EXPECT_TRUE(says(data, "-1 is not a number of a device"));
  const auto large = import_good_text("start_ns,end_ns,stream\n0,10,18014398509481984\n");
  expect_reported(large, {{"odd-number", 1}});
  EXPECT_TRUE(says(large, " is not a number of a stream"));
}

TEST_F(TimedTable, AUnitThatIsNoTimeIsRefused) {
  ImportOptions options;
  options.mapping = *parse_mapping(std::vector<std::string>{"start=a", "end=b", "unit:a=parsec"});
  const auto data = import_text("kernel,a,b\nk,1,2\n", "table.csv", options);
  ASSERT_FALSE(data);
  EXPECT_NE(data.error().message.find("parsec"), std::string::npos) << data.error().message;
}

TEST_F(TimedTable, EveryRowMayNameAnotherDevice) {
  std::string text = "start_ns,end_ns,device,stream\n";
  for (int row = 0; row < 70'000; ++row) text += fmt::format("{},{},gpu-{},s{}\n", row, row + 1, row, row);
  const auto data = import_good_text(text);
  EXPECT_EQ(launches_of(data), 70'000u);
  EXPECT_EQ(reported(data, "too-many-places"), 70'000 - 65'536);
}

TEST_F(TimedTable, DatesWithATimeOfDayAreTimes) {
  const auto data = import_good_text("start,end,gpu\n2024-05-01T10:00:00.5Z,2024-05-01 12:00:01+02:00,0\n"
                                     "2024-05-01T10:00:00.500000250,2024/05/01 10:00:00.6,0\n");
  EXPECT_FALSE(data.manifest.launch_order);
  EXPECT_EQ(starts(data), (Integers{0, 250}));
  EXPECT_EQ(durations(data), (Integers{500'000'000, 99'999'750}));
  EXPECT_EQ(data.manifest.sources[0].utc_ns, 1'714'557'600'500'000'000);
}

TEST_F(TimedTable, RowsMayHaveNothingButNamesAndDates) {
  const auto data =
      import_good_text("kernel,start,end\na,2024-05-01 10:00:00.000001,2024-05-01 10:00:00.000009\n"
                       "b,2024-05-01 10:00:01,2024-05-01 10:00:01.5\n");
  EXPECT_EQ(durations(data), (Integers{8'000, 500'000'000}));
  EXPECT_EQ(launches_by_kernel(data), (std::map<std::string, int>{{"a", 1}, {"b", 1}}));
  EXPECT_FALSE(import_text(
      "time,level,text\n2024-05-01 10:00:00,info,begun\n2024-05-01 10:00:01,info,done\n")); // a log
}

TEST_F(TimedTable, ADateNextToADurationIsATime) {
  const auto data = import_good_text("started,duration_ms\n2024-05-01 10:00:00,1\n2024-05-01 10:00:01,2.5\n");
  EXPECT_EQ(starts(data), (Integers{0, 1'000'000'000}));
  EXPECT_EQ(durations(data), (Integers{1'000'000, 2'500'000}));
}

TEST_F(TimedTable, InvalidDatesAreReportedAndDatesWithoutATimeAreTexts) {
  const auto data =
      import_good_text("start,end,n\n2024-05-01 10:00:00,2024-05-01 10:00:01,1\n"
                       "2024-13-01 10:00:00,2024-05-01 10:00:01,2\n2024-05-01 10:00:00,soon,3\n");
  EXPECT_EQ(
      starts(data).size(),
      3u); // only two of three values of each column are dates (fewer than 90 %), so both columns are texts
  EXPECT_TRUE(data.manifest.launch_order);
  EXPECT_TRUE(import_good_text("start,end,n\n2024-05-01,2024-05-02,1\n").manifest.launch_order);
}

TEST(DateTime, IsReadOrRefused) {
  using table::parse_date_time;
  constexpr std::int64_t second = 1'000'000'000;
  EXPECT_EQ(parse_date_time("1970-01-01T00:00:01Z"), second);
  EXPECT_EQ(parse_date_time(" 1970-01-02 00:00 "), 86'400 * second);
  EXPECT_EQ(parse_date_time("1970-01-01T01:00:00+0100"), 0);
  EXPECT_EQ(parse_date_time("1970-01-01T00:00:00-01"), 3'600 * second);
  EXPECT_EQ(parse_date_time("2000-02-29T23:59:59.123456789012Z"), 951'868'799 * second + 123'456'789);
  for (const auto* text :
       {"", "2024", "2024-05-01", "2024-05-01T", "2024-05-01T1:00:00", "2023-02-29T00:00:00",
        "2024-05-01T24:00:00", "2024-05-01T10:00:00.", "2024-05-01T10:00:00Zx", "1969-12-31T23:59:59Z",
        "1970-01-01T00:00:00+01:00", "9999-01-01T00:00:00Z", "2024-05-01T10:00:00+",
        "2024-05-01T10:00:00+1:00", "12024-05-01T10:00:00"})
    EXPECT_FALSE(parse_date_time(text)) << text;
}

TEST_F(TimedTable, StartAndEndCountNextToADuration) {
  const auto agreeing =
      import_good_text("kernel,start_ns,end_ns,duration_ns\na,0,10000,10000\nb,20000,50000,30000\n");
  EXPECT_EQ(reported(agreeing, "contradicting-duration"), 0);
  const auto data = import_good_text(
      "kernel,start_ns,end_ns,duration_ns\na,0,10000,20000\nb,20000,50000,60000\nc,60000,,7000\n");
  EXPECT_EQ(launch_durations(data), (Integers{10'000, 30'000, 7'000}));
  expect_reported(data, {{"contradicting-duration", 2}, {"overlapping-launches", 0}});
}

TEST_F(TimedTable, RanksAreProcessesWithADeviceEach) {
  const auto data = import_good_text("name,start_ns,end_ns,MPI Rank\nk,0,10,0\nk,5,15,3\nk,20,30,0\n");
  std::map<std::int32_t, std::int64_t> device_of;
  for (const auto& resource : data.resources)
    if (resource.kind == store::ResourceKind::Device)
      device_of[data.resources[resource.parent].rank] = resource.number;
  EXPECT_EQ(device_of, (std::map<std::int32_t, std::int64_t>{{0, 0}, {3, 3}}));
  EXPECT_EQ(data.find("launches")->find("recorded_rank"), nullptr);
}

TEST_F(TimedTable, DevicesWithNamesHaveSmallNumbers) {
  const auto data =
      import_good_text("name,start_ns,end_ns,device\nk,0,10,GPU-1\nk,5,15,GPU-0\nk,20,30,big one\n");
  std::map<std::string, std::int64_t> devices;
  for (const auto& resource : data.resources)
    if (resource.kind == store::ResourceKind::Device) devices[resource.name] = resource.number;
  EXPECT_EQ(devices, (std::map<std::string, std::int64_t>{{"GPU-1", 1}, {"GPU-0", 0}, {"big one", 2}}));
}

TEST_F(TimedTable, StartsThatASpreadsheetRounded) {
  std::string text = "name,start_ns,duration_ns\n";
  for (int i = 0; i < 40; ++i) text += "k,1.62068E+14," + std::to_string(100 + i) + "\n";
  EXPECT_EQ(reported(import_good_text(text), "rounded-starts"), 39);
}

} // namespace
} // namespace jitterscope::import
