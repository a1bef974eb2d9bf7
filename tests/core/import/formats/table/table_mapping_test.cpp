// The user's mapping of the columns of a plain table, and the preview before the import.

#include "core/import/formats/table/preview.h"
#include "core/import/preview_file.h"
#include "tests/core/import/formats/table/table_support.h"

namespace jitterscope::import {
namespace {

using table::Preview;
using table::PreviewColumn;

const std::string kTable = "who,t0,t1,gpu no,watts,took\n"
                           "axpy,10,14,1,50,4\n"
                           "gemm,20,29,0,60,9\n";

ImportOptions mapped(const std::vector<std::string>& entries) {
  ImportOptions options;
  const auto mapping = parse_mapping(entries);
  EXPECT_TRUE(mapping.has_value());
  if (mapping) options.mapping = *mapping;
  return options;
}

class TableMappingTest : public TableTest {
protected:
  std::optional<Preview> preview(const std::string& text, const ImportOptions& options = {},
                                 const std::string& name = "table.csv") {
    write_bytes(folder_.path(name), text);
    auto shown = preview_file(folder_.path(name), options);
    if (!shown) ADD_FAILURE() << describe(shown.error());
    return shown ? *shown : std::nullopt;
  }
  Error error_with(const std::vector<std::string>& entries) {
    const auto data = import_text(kTable, "table.csv", mapped(entries));
    EXPECT_FALSE(data.has_value());
    return data ? Error{} : data.error();
  }
};

std::map<std::string, ColumnRole> roles_of(const Preview& preview) {
  std::map<std::string, ColumnRole> roles;
  for (const auto& column : preview.columns)
    if (column.role) roles[column.name] = *column.role;
  return roles;
}

TEST(TableMapping, EntriesAreReadAndWritten) {
  const std::vector<std::string> entries = {"kernel=a,b", "start=t=0", "device=", "unit:t=0=us"};
  const auto mapping = parse_mapping(entries);
  ASSERT_TRUE(mapping.has_value());
  EXPECT_EQ(mapping->kernel_column(), "a,b");
  EXPECT_EQ(mapping->column(ColumnRole::Start), "t=0");
  EXPECT_EQ(mapping->column(ColumnRole::Device), "");
  EXPECT_EQ(mapping->column(ColumnRole::End), std::nullopt);
  EXPECT_EQ(mapping->units.at("t=0"), "us");
  EXPECT_EQ(entries_of(*mapping), entries);
  for (const std::string bad : {"start", "begin=t0", "unit:t0", ""})
    EXPECT_EQ(parse_mapping(std::vector{bad}).error().kind, ErrorKind::BadUse) << bad;
}

TEST_F(TableMappingTest, ColumnsAreUsedAsTheUserMapsThem) {
  EXPECT_TRUE(import_good_text(kTable).manifest.launch_order);
  const auto data = import_good_text(kTable, "table.csv",
                                     mapped({"kernel=who", "start=t0", "end=t1", "device=gpu no",
                                             "unit:t0=us", "unit:t1=us", "unit:watts=W"}));
  EXPECT_FALSE(data.manifest.launch_order);
  EXPECT_EQ(launches_by_kernel(data), (std::map<std::string, int>{{"axpy", 1}, {"gemm", 1}}));
  EXPECT_EQ(launch_durations(data), (Integers{4'000, 9'000}));
  EXPECT_EQ(data.manifest.devices.size(), 2u);
  EXPECT_EQ(unit_of(data, "watts"), "W");
}

TEST_F(TableMappingTest, ADurationNeedsNoPlaceInTime) {
  const auto data = import_good_text(kTable, "table.csv", mapped({"duration=took", "unit:took=ms"}));
  EXPECT_TRUE(data.manifest.launch_order);
  EXPECT_EQ(launch_durations(data), (Integers{4'000'000, 9'000'000}));
}

TEST_F(TableMappingTest, WhatIsFoundCanBeRemoved) {
  const std::string timed = "name,start_ns,end_ns,device\nk,1,2,0\nl,3,5,1\n";
  const auto found = import_good_text(timed);
  EXPECT_FALSE(found.manifest.launch_order);
  EXPECT_EQ(launches_by_kernel(found).size(), 2u);
  const auto data = import_good_text(timed, "table.csv", mapped({"start=", "kernel="}));
  EXPECT_TRUE(data.manifest.launch_order);
  EXPECT_EQ(launches_by_kernel(data).size(), 1u);
  EXPECT_EQ(attributes_of(data), 4u);
  const auto one = import_good_text(timed, "table.csv", mapped({"device="}));
  EXPECT_EQ(one.manifest.devices.size(), 1u);
}

TEST_F(TableMappingTest, ImpossibleOptionsAreErrorsWithAHint) {
  const auto missing = error_with({"start=begin"});
  EXPECT_EQ(missing.kind, ErrorKind::BadInput);
  EXPECT_NE(missing.hint.find("who, t0, t1"), std::string::npos) << missing.hint;
  EXPECT_NE(error_with({"duration=took"}).hint.find("unit:took=us"), std::string::npos);
  EXPECT_NE(error_with({"duration=who", "unit:who=us"}).message.find("contains text"), std::string::npos);
  EXPECT_NE(error_with({"start=t0"}).hint.find("end=COLUMN"), std::string::npos);
  EXPECT_NE(error_with({"start=who", "end=t1"}).message.find("start"), std::string::npos);
}

TEST_F(TableMappingTest, RecordsInJsonArePreviewedAsTheTableThatTheyAre) {
  std::string records = "[";
  for (int i = 0; i < 6; ++i)
    records += std::string(i ? "," : "") + R"({"kernel":"k","dur":)" + std::to_string(i) +
               R"(,"grid":{"x":64},"note":"a,b"})";
  records += "]";
  const auto shown = preview(records, {}, "records.json");
  ASSERT_TRUE(shown.has_value());
  EXPECT_EQ(shown->titles, (std::vector<std::string>{"kernel", "dur", "grid.x", "note"}));
  EXPECT_EQ(shown->rows.size(), 5u);
  EXPECT_EQ(shown->rows.front(), (std::vector<std::string>{"k", "0", "64", "a,b"}));
  const auto said = mapped({"kernel=kernel", "duration=dur", "unit:dur=us"});
  const auto chosen = preview(records, said, "records.json");
  ASSERT_TRUE(chosen.has_value());
  EXPECT_EQ(roles_of(*chosen), (std::map<std::string, ColumnRole>{{"kernel", ColumnRole::Kernel},
                                                                  {"dur", ColumnRole::Duration}}));
  const auto data = import_good_text(records, "records.json", said);
  EXPECT_EQ(launch_durations(data).back(), 5'000);
  // Only the beginning of a long file is read.
  const auto head = records.substr(0, records.size() - 1);
  std::string many = head;
  while (many.size() < (5 << 20)) many += "," + head.substr(1);
  const auto of_long = preview(many + "]", {}, "long.json");
  ASSERT_TRUE(of_long.has_value());
  EXPECT_EQ(of_long->titles, shown->titles);
  EXPECT_EQ(of_long->rows, shown->rows);
  EXPECT_FALSE(preview(R"([{"name":"Ada","age":36},{"name":"Max","age":40}])", {}, "people.json"));
}

TEST_F(TableMappingTest, APreviewShowsRowsAndWhatColumnsAreReadAs) {
  const auto shown =
      preview("name,start_us,end_us,stream,block_x,power [W],note\nk,1,2,7,64,50.5,\nk,3,5,7,64,51\n");
  ASSERT_TRUE(shown.has_value());
  EXPECT_TRUE(shown->timed);
  EXPECT_FALSE(shown->doubtful());
  EXPECT_EQ(roles_of(*shown), (std::map<std::string, ColumnRole>{{"name", ColumnRole::Kernel},
                                                                 {"start_us", ColumnRole::Start},
                                                                 {"end_us", ColumnRole::End},
                                                                 {"stream", ColumnRole::Stream}}));
  EXPECT_EQ(shown->rows, (std::vector<std::vector<std::string>>{{"k", "1", "2", "7", "64", "50.5", ""},
                                                                {"k", "3", "5", "7", "64", "51"}}));
  EXPECT_TRUE(shown->columns[4].configuration);
  EXPECT_EQ(shown->columns[5].unit, "W");
  EXPECT_EQ(shown->columns[0].holds, PreviewColumn::Holds::Texts);
  EXPECT_EQ(shown->columns[6].holds, PreviewColumn::Holds::Nothing);
}

TEST_F(TableMappingTest, APreviewHasDoubtsWhereAColumnMayBeATime) {
  EXPECT_TRUE(preview("start,end\n1,2\n3,4\n")->doubtful());
  EXPECT_TRUE(preview("duration,x\n1,2\n3,4\n")->doubtful());
  EXPECT_FALSE(preview("kernel,x\na,2\nb,4\n")->doubtful());
  EXPECT_FALSE(preview("x,y\n1,2\n3,4\n")->doubtful());
}

TEST_F(TableMappingTest, WhatIsChosenInAPreviewIsTheMapping) {
  const auto found = preview(kTable);
  auto chosen = *found;
  EXPECT_EQ(mapping_between(*found, chosen), TableMapping{});
  chosen.columns[0].role = ColumnRole::Kernel;
  chosen.columns[3].role = ColumnRole::Kernel;
  chosen.columns[5].role = ColumnRole::Duration;
  chosen.columns[5].unit = "us";
  const auto mapping = mapping_between(*found, chosen);
  EXPECT_EQ(entries_of(mapping),
            (std::vector<std::string>{"kernel=who, gpu no", "duration=took", "unit:took=us"}));
  ImportOptions options;
  options.mapping = mapping;
  const auto again = preview(kTable, options);
  EXPECT_EQ(roles_of(*again), roles_of(chosen));
  EXPECT_EQ(launches_by_kernel(import_good_text(kTable, "table.csv", options)).size(), 2u);
}

// A start needs an end or a duration: it is recognised when the user has chosen one.
TEST_F(TableMappingTest, RolesThatAChoiceMakesPossibleAreShownAndCanBeRemoved) {
  const std::string table = "node,ts,perf,stream\n1,1591118862,2.5,7\n2,1591118870,1.5,8\n";
  auto found = *preview(table);
  EXPECT_TRUE(roles_of(found).empty());
  auto chosen = found;
  const auto check = [&] {
    ImportOptions options;
    options.mapping = mapping_between(found, chosen);
    const auto checked = *preview(table, options);
    for (auto* shown : {&found, &chosen}) copy_recognised_roles(checked, options.mapping, *shown);
    EXPECT_EQ(mapping_between(found, chosen), options.mapping);
    return checked;
  };
  chosen.columns[2].role = ColumnRole::Duration;
  chosen.columns[2].unit = "ms";
  EXPECT_TRUE(check().timed);
  EXPECT_EQ(roles_of(chosen),
            (std::map<std::string, ColumnRole>{
                {"ts", ColumnRole::Start}, {"perf", ColumnRole::Duration}, {"stream", ColumnRole::Stream}}));
  chosen.columns[1].role = {};
  EXPECT_FALSE(check().timed);
  EXPECT_EQ(roles_of(chosen), (std::map<std::string, ColumnRole>{{"perf", ColumnRole::Duration}}));
  EXPECT_EQ(entries_of(mapping_between(found, chosen)),
            (std::vector<std::string>{"start=", "duration=perf", "unit:perf=ms"}));
  chosen.columns[1].role = ColumnRole::Start;
  check();
  EXPECT_EQ(roles_of(chosen).size(), 3u);
  chosen.columns[2].role = {};
  EXPECT_FALSE(check().timed);
  EXPECT_TRUE(roles_of(chosen).empty());
}

TEST_F(TableMappingTest, ARecognisedRoleDoesNotReplaceAChosenOne) {
  const std::string table = "ts,perf,stream\n1591118862,2.5,7\n1591118870,1.5,8\n";
  const auto found = *preview(table);
  auto chosen = found;
  chosen.columns[1].role = ColumnRole::Duration;
  chosen.columns[1].unit = "ms";
  chosen.columns[2].role = ColumnRole::Rank;
  ImportOptions options;
  options.mapping = mapping_between(found, chosen);
  copy_recognised_roles(*preview(table, options), options.mapping, chosen);
  EXPECT_EQ(roles_of(chosen),
            (std::map<std::string, ColumnRole>{
                {"ts", ColumnRole::Start}, {"perf", ColumnRole::Duration}, {"stream", ColumnRole::Rank}}));
}

TEST_F(TableMappingTest, ColumnsOfEqualNamesAreDistinguished) {
  const auto shown = preview("a,a,\n1,2,3\n4,5,6\n");
  EXPECT_EQ(shown->columns[0].name, "a");
  EXPECT_EQ(shown->columns[1].name, "a (column 2)");
  EXPECT_EQ(shown->columns[2].name, "column 3");
}

TEST_F(TableMappingTest, FilesOfProfilersHaveNoPreview) {
  EXPECT_FALSE(preview("{\"traceEvents\": []}", {}, "trace.json").has_value());
  const std::string event =
      R"({"ph": "X", "cat": "kernel", "name": "k", "ts": 1.5, "dur": 2, "pid": 0, "tid": 7, "args": {}})";
  EXPECT_FALSE(preview("{\"traceEvents\": [" + event + ", " + event + "]}", {}, "trace.json").has_value());
  EXPECT_FALSE(
      preview("Time (%),Total Time (ns),Instances,Avg (ns),Operation\n60.0,1000,2,500.0,k\n", {}, "sum.csv")
          .has_value());
  EXPECT_FALSE(preview_file("/nowhere.csv", {})->has_value());
  EXPECT_FALSE(preview_file(folder_.path(""), {})->has_value());
}

} // namespace
} // namespace jitterscope::import
