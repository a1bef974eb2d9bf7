// Profiles of Caliper: its own records and JSON.

#include "tests/core/import/formats/table/table_support.h"

namespace jitterscope::import {
namespace {

class Caliper : public TableTest {};

// Kernels and regions of two ranks.
const std::string kCali = R"(__rec=node,id=21,attr=10,data=268,parent=3
__rec=node,id=22,attr=8,data=function,parent=21
__rec=node,id=31,attr=10,data=77,parent=1
__rec=node,id=32,attr=8,data=mpi.rank,parent=31
__rec=node,id=40,attr=10,data=12,parent=3
__rec=node,id=41,attr=8,data=cupti.kernel.name,parent=40
__rec=node,id=48,attr=10,data=129,parent=5
__rec=node,id=50,attr=8,data=sum#cupti.activity.duration,parent=48
__rec=node,id=14,attr=8,data=attribute.unit,parent=3
__rec=node,id=60,attr=14,data=sec,parent=5
__rec=node,id=61,attr=10,data=1,parent=60
__rec=node,id=62,attr=8,data=scale#cupti.activity.duration,parent=61
__rec=node,id=70,attr=22,data=main
__rec=node,id=71,attr=22,data=solve\, again,parent=70
__rec=node,id=72,attr=41,data=_Z4axpyPf,parent=71
__rec=ctx,ref=72,attr=32=50=62,data=0=281439.000000=0.000281
__rec=ctx,ref=72,attr=32=50=62,data=1=258974=0.000259
__rec=ctx,ref=71,attr=32=62,data=1=0.5
__rec=ctx,ref=70
__rec=globals,ref=70
__rec=other,x=1
)";

TEST_F(Caliper, RecordsAreRowsOfKernelsAndRegions) {
  const auto data = import_good_text(kCali, "profile.cali");
  EXPECT_EQ(data.manifest.sources[0].format, "Caliper profile");
  EXPECT_TRUE(data.manifest.launch_order);
  EXPECT_EQ(launches_by_kernel(data), (std::map<std::string, int>{{"axpy", 2}, {"solve, again", 1}}));
  EXPECT_EQ(launch_durations(data), (Integers{281'439, 258'974, 500'000'000}));
  EXPECT_EQ(numbers(data, "mpi_rank"), (std::vector<double>{0, 1, 1}));
  EXPECT_EQ(text_at(data, "path", 0), "main/solve, again");
  EXPECT_EQ(text_at(data, "cupti_kernel_name", 1), "_Z4axpyPf");
  EXPECT_EQ(unit_of(data, "scale_cupti_activity_duration"), "ns");
  expect_reported(data, {{"records-without-numbers", 1}, {"other-records", 1}});
}

TEST_F(Caliper, JsonHoldsTheSame) {
  const auto json = [](const std::string& first, const std::string& unit) {
    return R"({"data": [ [ )" + first +
           R"(, 0, null ], [ 2000, 1, 1 ], "odd" ], "columns": [ "sum#time.duration", "mpi.rank", "path" ],
      "column_metadata": [ { "is_value": true)" +
           unit + R"( }, { "is_value": true }, { "is_value": false } ],
      "nodes": [ { "label": "main", "column": "path" }, { "label": "solve", "column": "path", "parent": 0 } ] })";
  };
  const auto whole = import_good_text(json("21948.000000", ""), "profile.json");
  EXPECT_EQ(launch_durations(whole), (Integers{21'948'000, 2'000'000}));
  expect_reported(whole, {{"times-without-unit", 2}, {"broken-records", 1}});
  EXPECT_EQ(launches_by_kernel(whole), (std::map<std::string, int>{{"(no region)", 1}, {"solve", 1}}));
  EXPECT_EQ(text_at(whole, "path", 1), "main/solve");
  const auto seconds = import_good_text(json("0.5", ""), "profile.json");
  EXPECT_EQ(launch_durations(seconds)[0], 500'000'000);
  const auto stated = import_good_text(json("21948", R"(, "attribute.unit": "usec")"), "profile.json");
  EXPECT_EQ(launch_durations(stated)[0], 21'948'000);
  EXPECT_EQ(reported(stated, "times-without-unit"), 0);
}

TEST_F(Caliper, RanksAreProcesses) {
  const auto ranks = [](const store::TraceData& data) {
    std::map<std::string, std::int32_t> of_processes;
    for (const auto& resource : data.resources)
      if (resource.kind == store::ResourceKind::Process) of_processes[resource.name] = resource.rank;
    return of_processes;
  };
  auto data = import_good_text(kCali, "profile.cali");
  EXPECT_EQ(ranks(data), (std::map<std::string, std::int32_t>{{"rank 0", 0}, {"rank 1", 1}}));
  const auto& streams = column<std::uint32_t>(data, "launches", "stream");
  EXPECT_NE(streams[0], streams[1]);
  EXPECT_EQ(streams[1], streams[2]);
  data = import_good_text(kCali + "__rec=ctx,ref=71,attr=62,data=0.25\n", "profile.cali");
  EXPECT_EQ(ranks(data).at("profile.cali"), -1);
}

TEST_F(Caliper, TruncatedFilesAreReported) {
  EXPECT_EQ(reported(import_good_text(kCali, "profile.cali"), "cut-off-file"), 0);
  const auto globals = kCali.find("__rec=globals");
  const auto whole_lines = import_good_text(kCali.substr(0, globals), "profile.cali");
  expect_reported(whole_lines, {{"cut-off-file", 1}});
  EXPECT_EQ(launch_durations(whole_lines), (Integers{281'439, 258'974, 500'000'000}));
  const auto last = kCali.find("0.5"); // a number that is cut would be another number
  const auto cut = import_good_text(kCali.substr(0, last + 2), "profile.cali");
  expect_reported(cut, {{"cut-off-file", 1}});
  EXPECT_EQ(launch_durations(cut), (Integers{281'439, 258'974}));
}

TEST_F(Caliper, ReferencesToMissingNodesAreReported) {
  auto text = kCali;
  const std::string node = "__rec=node,id=72,attr=41,data=_Z4axpyPf,parent=71\n";
  text.erase(text.find(node), node.size());
  expect_reported(import_good_text(text, "profile.cali"), {{"unknown-nodes", 2}, {"cut-off-file", 0}});
  text = kCali;
  const std::string type = "__rec=node,id=31,attr=10,data=77,parent=1\n"; // of mpi.rank, which has 3 values
  text.erase(text.find(type), type.size());
  expect_reported(import_good_text(text, "profile.cali"), {{"unknown-nodes", 3}});
  text = kCali;
  text.insert(text.find("__rec=globals"), "__rec=ctx,ref=71,attr=32=62,data=1\n");
  expect_reported(import_good_text(text, "profile.cali"), {{"unknown-nodes", 0}, {"broken-records", 1}});
}

TEST_F(Caliper, ByteOrderMarksAreIgnored) {
  const auto data = import_good_text("\xEF\xBB\xBF" + kCali, "profile.cali");
  EXPECT_EQ(data.manifest.sources[0].format, "Caliper profile");
  EXPECT_EQ(launch_durations(data).size(), 3u);
  expect_reported(data, {{"other-records", 1}, {"unknown-nodes", 0}});
}

// Written by Caliper 1.5: without globals, the unit in time.unit.
TEST_F(Caliper, OldReleasesStateUnitsInTimeUnit) {
  const std::string text = R"(__rec=node,id=2,attr=9,data=uint
__rec=node,id=20,attr=10,data=84,parent=3
__rec=node,id=22,attr=8,data=time.unit,parent=20
__rec=node,id=32,attr=22,data=usec,parent=2
__rec=node,id=35,attr=10,data=85,parent=32
__rec=node,id=37,attr=8,data=time.inclusive.duration,parent=35
__rec=node,id=34,attr=8,data=time.offset,parent=35
__rec=ctx,attr=37=34,data=1813=7
__rec=ctx,attr=34,data=8
)";
  const auto data = import_good_text(text, "old.cali");
  EXPECT_EQ(launch_durations(data), (Integers{1'813'000, store::kMissingDuration}));
  EXPECT_EQ(unit_of(data, "time_offset"), "ns");
  EXPECT_EQ(numbers(data, "time_offset"), (std::vector<double>{7000, 8000}));
  expect_reported(data, {{"cut-off-file", 0}, {"times-without-unit", 0}, {"inclusive-times", 1}});
}

TEST_F(Caliper, DamageIsSurvived) {
  expect_damage_is_survived(kCali, 5);
  // Nodes that are their own ancestors, and references to nothing.
  expect_trace_or_error("__rec=node,id=9,attr=9,data=x,parent=9\n__rec=ctx,ref=9=77,attr=9=9=9,data=1\n__rec="
                        "ctx,attr=5,data=1\n");
  EXPECT_NE(error_of("__rec=node,id=21,attr=10,data=268,parent=3\n", "empty.cali").message.find("no record"),
            std::string::npos);
}

} // namespace
} // namespace jitterscope::import
