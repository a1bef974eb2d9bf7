#include "core/analysis/export/csv_export.h"

#include <cmath>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "core/analysis/bins/bins.h"
#include "tests/core/analysis/export/export_support.h"
#include "tests/support/many_launches.h"
#include "tests/support/open_session.h"
#include "tests/support/real_data.h"

using namespace jitterscope;
using namespace jitterscope::analysis;
using test::generated;
using test::imported;
using test::OpenSession;

namespace {

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string written_table(const OpenSession& open) {
  const auto path = open.folder.file("launches.csv");
  const auto report = export_launches_csv(*open.session, *open.columns, path, {});
  if (!report) throw std::runtime_error(describe(report.error()));
  EXPECT_EQ(report->launches, open.session->launches());
  EXPECT_EQ(report->bytes, static_cast<std::int64_t>(text_of(path).size()));
  return path;
}

/// One line of text for each launch, with the values that an export must keep.
std::vector<std::string> launches_of(const Session& session) {
  std::vector<std::string> lines;
  for (const auto& trace : session.traces()) {
    const auto streams = trace.store.column<std::uint32_t>("launches", "stream");
    for (std::size_t row = 0; row < trace.starts().size(); ++row) {
      const auto& c = session.configurations()[trace.configuration[trace.configurations()[row]]];
      const auto& stream = trace.store.resources()[streams[row]];
      std::string line = std::to_string(trace.starts()[row] + trace.shift_ns) + " " +
                         std::to_string(trace.durations()[row]) + " " + session.kernels()[c.kernel].name +
                         " " + session.kernels()[c.kernel].short_name + " " + std::to_string(stream.number) +
                         " " + std::to_string(trace.store.resources()[stream.parent].number);
      for (const auto value : {c.grid[0], c.grid[1], c.grid[2], c.block[0], c.block[1], c.block[2],
                               c.static_shared_memory, c.dynamic_shared_memory, c.registers})
        line += " " + std::to_string(value);
      lines.push_back(line);
    }
  }
  std::ranges::sort(lines);
  return lines;
}

std::vector<std::string> bins_of(const OpenSession& open) {
  BinOptions options;
  options.width_ns = 1'000'000;
  options.metric = "kernel_variability";
  const auto bins = compute_bins(*open.session, *open.columns, {}, options, *open.communicator, {});
  if (!bins) throw std::runtime_error(describe(bins.error()));
  std::vector<std::string> lines;
  for (const auto& bin : bins->bins)
    lines.push_back(std::to_string(bin.index) + " " + std::to_string(bin.statistics.n) + " " +
                    std::to_string(bin.statistics.sum));
  return lines;
}

/// Launches by rank and device.
std::map<std::pair<double, double>, int> devices_of(const OpenSession& open) {
  std::map<std::pair<double, double>, int> launches;
  const Segment all{0, 0, open.session->launches()};
  const auto ranks = open.columns->read("rank", all), devices = open.columns->read("device", all);
  for (std::size_t row = 0; row < ranks.size(); ++row)
    ++launches[{std::isnan(ranks[row]) ? -1 : ranks[row], devices[row]}];
  return launches;
}

void expect_equal_table(const OpenSession& before) {
  const OpenSession after({imported(written_table(before))});
  EXPECT_EQ(launches_of(*before.session), launches_of(*after.session));
  EXPECT_EQ(before.session->kernels().size(), after.session->kernels().size());
  EXPECT_EQ(before.session->configurations().size(), after.session->configurations().size());
  EXPECT_EQ(bins_of(before), bins_of(after));
}

} // namespace

TEST(CsvExport, OfAGeneratedTraceIsReadAgainEqual) {
  const test::TemporaryFolder folder;
  expect_equal_table(OpenSession({generated(folder, 1, generator::all_causes())}));
}

TEST(CsvExport, KeepsTheDevicesOfSeveralProcesses) {
  const test::TemporaryFolder folder;
  const OpenSession before({generated(folder, 3, generator::all_causes())});
  const OpenSession after({imported(written_table(before))});
  EXPECT_EQ(before.session->configurations().size(), after.session->configurations().size());
  EXPECT_EQ(bins_of(before), bins_of(after));
  EXPECT_EQ(devices_of(before), devices_of(after));
}

TEST(CsvExport, OfARealTraceIsReadAgainEqual) {
  REQUIRE_REAL_DATA(path, "nsys/rtx3090-20runs/report12.sqlite");
  expect_equal_table(OpenSession({imported(path)}));
}

TEST(CsvExport, KeepsNamesThatLookLikeSomethingElse) {
  auto data = test::empty_trace(1);
  const std::vector<std::string> names = {
      "a,b",          "say \"hi\"", "two\nlines",    "</script>",   "tab\there",     "NA",       "nan",
      "123",          "1e5",        "=\"guarded\"",  "Memcpy HtoD", "[CUDA memset]", "#comment", "=1+1",
      "\xC3\xA9\x01", "name",       "f<int>(float)", "-",           "'quoted'",      "a;b\tc"};
  std::vector<test::LaunchRow> rows;
  for (std::uint32_t i = 0; i < names.size(); ++i) {
    test::add_kernel(data, names[i], 1);
    for (int n = 0; n < 3; ++n) rows.push_back({(i + n * 100) * 1'000, 10 + n, i, 2});
  }
  std::ranges::sort(rows, {}, &test::LaunchRow::start);
  test::add_launches(data, rows);
  const OpenSession before({std::move(data)});
  const OpenSession after({imported(written_table(before))});
  std::set<std::string> read;
  for (const auto& kernel : after.session->kernels()) read.insert(kernel.name);
  std::set<std::string> expected(names.begin(), names.end());
  expected.erase("\xC3\xA9\x01");
  expected.insert("\xC3\xA9\xE2\x90\x81"); // a table must not contain control characters
  EXPECT_EQ(read, expected);
  EXPECT_EQ(after.session->launches(), before.session->launches());
  EXPECT_EQ(after.session->traces()[0].store.table("transfers").rows, 0u);
}

TEST(CsvExport, StatesUnitsAndKeepsEveryDigit) {
  auto data = test::empty_trace(1);
  test::add_kernel(data, "k", 1);
  test::add_launches(data, {{1'000'000'000'000'000'001, 9'007'199'254'740'993, 0, 2}});
  data.find("launches")->add<double>("l2_hits", "%", "hits", SpillVector<double>{0.1 + 0.2});
  const OpenSession open({std::move(data)});
  const auto text = text_of(written_table(open));
  EXPECT_NE(text.find("name,start [ns],duration [ns],"), std::string::npos);
  EXPECT_NE(text.find(",l2_hits [%]"), std::string::npos);
  EXPECT_NE(text.find("\nk,1000000000000000001,9007199254740993,"), std::string::npos);
  EXPECT_NE(text.find("0.30000000000000004"), std::string::npos);
}

// Variability, gaps and the like are computed again instead of being read: a copy of the target among the
// recorded columns would explain all of it.
TEST(CsvExport, DerivedColumnsAreNotReadAsRecordedOnes) {
  const test::TemporaryFolder folder;
  const OpenSession before({generated(folder, 1, generator::all_causes())});
  const OpenSession after({imported(written_table(before))});
  for (const auto& column : after.columns->list()) {
    EXPECT_FALSE(column.name.starts_with("recorded_kernel_variability")) << column.name;
    EXPECT_FALSE(column.name.starts_with("recorded_gap")) << column.name;
  }
  EXPECT_NE(after.columns->find("recorded_migration_ns"), nullptr);
}

TEST(CsvExport, OfATableWithoutTimesKeepsItsLaunches) {
  const test::TemporaryFolder folder;
  std::ofstream(folder.file("t.csv")) << "kernel,duration (us),m\nf,1.5,1\ng,2.25,2\nf,1.75,3\n";
  import::ImportOptions options;
  options.kernel_column = "kernel";
  auto data = import::import_files({folder.file("t.csv")}, {}, options);
  ASSERT_TRUE(data);
  const OpenSession before({std::move(*data)});
  const OpenSession after({imported(written_table(before))});
  ASSERT_EQ(after.session->launches(), 3);
  EXPECT_TRUE(after.session->launch_order());
  EXPECT_EQ(after.session->kernels().size(), 2u);
  EXPECT_EQ(after.session->traces()[0].durations()[1], 2'250);
  EXPECT_EQ(after.columns->read("m", {0, 0, 3}), (std::vector<double>{1, 2, 3}));
}

TEST(CsvExport, IsCancelledWithoutAFile) {
  const OpenSession open({test::trace_of(50'000)});
  Job job;
  int asked = 0;
  job.cancelled = [&] { return ++asked > 2; };
  const auto path = open.folder.file("no.csv");
  const auto report = export_launches_csv(*open.session, *open.columns, path, job);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().kind, ErrorKind::Cancelled);
  EXPECT_FALSE(std::ifstream(path).good());
}
