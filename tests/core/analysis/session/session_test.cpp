#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/analysis/session/trace_names.h"
#include "tests/support/open_session.h"

using namespace jitterscope;
using analysis::names_of_traces;
using test::OpenSession;

namespace {

store::TraceData trace_of(const std::vector<test::LaunchRow>& rows, std::int64_t utc = -1) {
  auto data = test::empty_trace(2);
  test::add_kernel(data, "a", 2);
  test::add_kernel(data, "b", 1);
  test::add_launches(data, rows);
  data.manifest.origin_utc_ns = utc;
  return data;
}

} // namespace

TEST(TraceNames, AreThoseOfTheirFilesUnlessTheseAreCalledTheSame) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(
      names_of_traces({{"/a/one.sqlite", "/c/1.jts"}, {"two.json.gz", "/c/2.jts"}, {"/a/set/", "/c/3.jts"}}),
      (Names{"one", "two.json", "set"}));
  EXPECT_EQ(names_of_traces({{"/a/run.sqlite", "/c/1.jts"}, {"/b/run.sqlite", "/c/2.jts"}}),
            (Names{"1", "2"}));
  EXPECT_EQ(names_of_traces({{"", "/c/1.jts"}, {"/b/run.sqlite", "/c/2.jts"}}), (Names{"1", "2"}));
  EXPECT_EQ(
      names_of_traces({{"/a/run.sqlite", "/c/x.jts"}, {"/b/run.sqlite", "/d/x.jts"}, {"", "/d/run.jts"}}),
      (Names{"run", "run #2", "run #3"}));
  EXPECT_TRUE(names_of_traces({}).empty());
}

TEST(Session, VariabilityIsTheDistanceFromTheMeanOfTheConfiguration) {
  const OpenSession open({trace_of({{0, 10, 0}, {20, 30, 0}, {60, 7, 1}, {70, 100, 2}, {200, 104, 2}})});
  const auto v = open.columns->read("kernel_variability", {0, 0, 5});
  EXPECT_EQ(v[0], 10);
  EXPECT_EQ(v[1], 10);
  EXPECT_TRUE(std::isnan(v[2])) << "a configuration that ran once has no variability";
  EXPECT_EQ(v[3], 2);
  EXPECT_EQ(v[4], 2);
  EXPECT_EQ(open.columns->read("relative_variability", {0, 0, 1})[0], 0.5);
}

TEST(Session, TheSameKernelInTwoTracesIsOneKernelWithOneMean) {
  const OpenSession open({trace_of({{0, 10, 0}}), trace_of({{0, 30, 0}})});
  EXPECT_EQ(open.session->kernels().size(), 2u);
  EXPECT_EQ(open.session->configurations()[0].launches, 2);
  EXPECT_EQ(open.session->configurations()[0].mean_ns(), 20);
}

TEST(Session, TracesMeetAtTheirAbsoluteTimes) {
  const OpenSession open({trace_of({{5, 10, 0}}, 1000), trace_of({{5, 10, 0}}, 1300)});
  EXPECT_EQ(open.session->traces()[0].shift_ns, 0);
  EXPECT_EQ(open.session->traces()[1].shift_ns, 300);
  EXPECT_EQ(open.session->launch_span().begin.count, 5);
  EXPECT_EQ(open.session->launch_span().end.count, 315);
  EXPECT_EQ(open.columns->read("start", {1, 0, 1})[0], 305);
}

TEST(Session, WithoutAbsoluteTimesTheZerosMeetAndTheAlignmentReportsThat) {
  const OpenSession open({trace_of({{5, 10, 0}}, 1000), trace_of({{5, 10, 0}})});
  EXPECT_EQ(open.session->traces()[1].shift_ns, 0);
  EXPECT_NE(open.session->traces()[1].alignment.find("not aligned"), std::string::npos);
}

TEST(Session, SegmentsCutAtTheBordersOfTraces) {
  const OpenSession open({trace_of({{0, 1, 0}, {1, 1, 0}, {2, 1, 0}}), trace_of({{0, 1, 0}, {1, 1, 0}})});
  const auto parts = open.session->segments(2, 4);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].trace, 0u);
  EXPECT_EQ(parts[0].first, 2);
  EXPECT_EQ(parts[1].first, 0);
  EXPECT_EQ(parts[1].last, 1);
}

TEST(Session, KernelsOfOneShortNameAreOneValueOfIt) {
  auto data = trace_of({{0, 10, 0}, {20, 30, 2}, {60, 7, 0}});
  auto& shorts = test::column<std::uint32_t>(data, "kernels", "short_name");
  shorts[1] = shorts[0]; // b gets the short name of a
  const OpenSession open({data});
  const auto names = open.columns->read("name", {0, 0, 3}),
             short_names = open.columns->read("short_name", {0, 0, 3});
  EXPECT_NE(names[0], names[1]);
  EXPECT_EQ(short_names[0], short_names[1]);
  EXPECT_EQ(open.columns->text("short_name", short_names[1]), "a");
  EXPECT_EQ(open.columns->of_configurations("short_name", 0), std::vector<double>(3, short_names[0]));
}

TEST(Session, KernelsOfOneShortNameAreOneKernelOnRequest) {
  auto data = trace_of({{0, 10, 0}, {20, 30, 2}, {60, 7, 1}, {80, 20, 2}});
  auto& shorts = test::column<std::uint32_t>(data, "kernels", "short_name");
  shorts[1] = shorts[0];
  const test::TemporaryFolder folder;
  const auto first = folder.file("first.jts"), second = folder.file("second.jts");
  ASSERT_TRUE(store::write_store(data, first) && store::write_store(data, second));
  const auto full = analysis::Session::open({first, second});
  ASSERT_TRUE(full);
  EXPECT_EQ(full->kernels().size(), 2u);
  auto named = analysis::Session::open({first, second}, {}, analysis::KernelNames::Short);
  ASSERT_TRUE(named);
  ASSERT_EQ(named->kernels().size(), 1u);
  EXPECT_EQ(named->kernels()[0].name, "a");
  EXPECT_LT(named->configurations().size(), full->configurations().size());
  const analysis::LaunchColumns columns(*named);
  EXPECT_EQ(columns.text("name", columns.read("name", {1, 0, 2})[1]), "a");
}

TEST(Session, TheKindOfCopiesIsAColumnWhereTheStoreHoldsIt) {
  auto data = trace_of({{0, 10, 0}, {20, 30, 0}, {60, 7, 1}});
  const OpenSession without({data});
  EXPECT_TRUE(without.columns->find("copy_kind")->constant);
  EXPECT_TRUE(std::isnan(without.columns->read("copy_kind", {0, 0, 1})[0]));
  const auto memset =
      static_cast<std::uint8_t>(store::kLinkedKindOfUnknown + static_cast<int>(store::TransferKind::Memset));
  data.find("launches")
      ->add<std::uint8_t>(std::string(store::kLinkedKind), "", "", {0, memset, store::kLinkedKindOfUnknown});
  const OpenSession open({data});
  const auto kinds = open.columns->read("copy_kind", {0, 0, 3});
  EXPECT_FALSE(open.columns->find("copy_kind")->constant);
  EXPECT_EQ(open.columns->text("copy_kind", kinds[0]), "none");
  EXPECT_EQ(open.columns->text("copy_kind", kinds[1]), "memset");
  EXPECT_EQ(open.columns->text("copy_kind", kinds[2]), "unknown");
  EXPECT_EQ(open.columns->find(std::string(store::kLinkedKind)), nullptr)
      << "the stored column is listed only as copy_kind";
}

TEST(Session, RowsAreNumberedThroughAllTraces) {
  const OpenSession open({trace_of({{0, 10, 0}, {20, 30, 0}}), trace_of({{0, 30, 0}})});
  EXPECT_EQ(open.columns->read("row", {0, 1, 2})[0], 1);
  EXPECT_EQ(open.columns->read("row", {1, 0, 1})[0], 2);
}

TEST(Session, MemoryStallIsMissingWithoutLinkedTransfers) {
  auto data = trace_of({{0, 10, 0}, {20, 30, 0}});
  data.find("launches")->add<std::int64_t>("linked_transfer_ns", "ns", "", {0, 42});
  data.find("launches")->add<std::uint32_t>("linked_transfer_count", "", "", {0, 3});
  const OpenSession open({data});
  const auto m = open.columns->read("memory_stall", {0, 0, 2});
  EXPECT_TRUE(std::isnan(m[0]));
  EXPECT_EQ(m[1], 12);
}

// Only launches that ran count: unused configurations and streams do not.
TEST(Session, StatesWhatIsTheSameForAllLaunches) {
  const auto constants = [](std::vector<store::TraceData> traces) {
    const OpenSession open(std::move(traces));
    std::set<std::string> names;
    for (const auto& column : open.columns->list())
      if (column.constant) names.insert(column.name);
    return names;
  };
  auto one = test::empty_trace(2);
  test::add_kernel(one, "kernel", 3); // adds three configurations that differ in grid_x
  test::add_launches(one, {{0, 10, 1, 2}, {20, 10, 1, 2}});
  auto known = constants({one});
  for (const char* name :
       {"configuration", "grid_x", "block_y", "blocks", "registers", "stream", "device", "rank", "process"})
    EXPECT_TRUE(known.contains(name)) << name;
  for (const char* name : {"start", "duration", "kernel", "name", "short_name", "row"})
    EXPECT_FALSE(known.contains(name)) << name;
  auto two = one;
  test::add_launches(two, {{40, 10, 2, 3}});
  known = constants({two});
  for (const char* name : {"configuration", "grid_x", "blocks", "stream"})
    EXPECT_FALSE(known.contains(name)) << name;
  for (const char* name : {"grid_y", "block_x", "device"}) EXPECT_TRUE(known.contains(name)) << name;
  // Each trace has one process: together they are two.
  auto other = one;
  other.resources[1].number = 101;
  known = constants({one, other});
  EXPECT_FALSE(known.contains("process"));
  EXPECT_TRUE(known.contains("stream"));
}

TEST(Session, AnEmptyTraceOpens) {
  const OpenSession open({trace_of({})});
  EXPECT_EQ(open.session->launches(), 0);
  EXPECT_TRUE(open.session->launch_span().empty());
}
