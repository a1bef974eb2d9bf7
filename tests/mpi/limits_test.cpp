// Hostile requests of another program of the same user: beyond the limits they end with an error that states
// the limit.

#include <string>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "core/engine/messages/causal_options.h"
#include "core/engine/messages/request_limits.h"
#include "core/engine/messages/session_options.h"
#include "core/engine/messages/statistics_options.h"
#include "core/engine/messages/table_options.h"
#include "core/engine/operations/operations.h"
#include "core/store/format/store.h"
#include "tests/support/small_trace.h"
#include "tests/support/temporary_folder.h"

using namespace jitterscope;
using namespace jitterscope::engine;

namespace {

Expected<Answer> ask(Workspace& workspace, const Request& request) {
  const auto communicator = local_communicator();
  const Job job;
  return run_operation({workspace, *communicator, job, {}}, request);
}

void expect_limit(const Expected<Answer>& answer, const std::string& limit) {
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind, ErrorKind::BadUse);
  EXPECT_NE(answer.error().message.find(limit), std::string::npos) << answer.error().message;
}

/// A session of a few launches.
struct Opened {
  test::TemporaryFolder folder;
  Workspace workspace;

  Opened() {
    auto data = test::empty_trace();
    test::add_kernel(data, "fill(int*)", 1);
    test::add_launches(data, {{0, 10, 0}, {20, 30, 0}, {60, 20, 0}});
    EXPECT_TRUE(store::write_store(data, folder.file("a.jts")));
    EXPECT_TRUE(ask(workspace, OpenOptions{.stores = {folder.file("a.jts")}}));
  }
};

std::string nested(int levels) {
  return std::string(static_cast<std::size_t>(levels), '[') +
         std::string(static_cast<std::size_t>(levels), ']');
}

} // namespace

TEST(RequestLimits, NestingIsCountedBeforeATextIsParsed) {
  EXPECT_TRUE(check_text(nested(RequestLimits::kNesting)));
  EXPECT_FALSE(check_text(nested(RequestLimits::kNesting + 1)));
  const auto deep = check_text(R"({"where": )" + nested(150'000) + "}");
  ASSERT_FALSE(deep);
  EXPECT_NE(deep.error().message.find("64 levels"), std::string::npos) << deep.error().message;
  EXPECT_TRUE(check_text(R"({"where": ")" + std::string(1'000, '[') + R"(\"[[", "a": []})"))
      << "brackets inside a string do not count";
  Opened opened;
  const auto answer =
      ask(opened.workspace, CausalOptions{.knowledge = "{\"tiers\": " + nested(150'000) + "}"});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind, ErrorKind::BadUse);
  EXPECT_NE(answer.error().message.find("64 levels"), std::string::npos) << answer.error().message;
}

TEST(RequestLimits, AreStatedInTheError) {
  Opened opened;
  auto& workspace = opened.workspace;
  const auto axes = [](std::size_t count) { return std::vector<std::string>(count, "duration"); };
  expect_limit(ask(workspace, ParallelOptions{.axes = axes(257)}), "256");
  EXPECT_TRUE(ask(workspace, ParallelOptions{.axes = axes(256), .bins = 64}));
  expect_limit(ask(workspace, RelatedOrderOptions{.axes = axes(257)}), "256");
  EXPECT_TRUE(ask(workspace, RelatedOrderOptions{.axes = axes(256)}));
  expect_limit(ask(workspace, ParallelOptions{.axes = axes(250),
                                              .bins = 254,
                                              .classes = {"duration > 1", "duration > 2", "duration > 3"}}),
               "64000000 histogram cells");
  expect_limit(ask(workspace, HeatMapOptions{.columns = 100'000, .rows = 100'000}), "16000000 cells");
  expect_limit(ask(workspace, DistributionOptions{.bins = std::int64_t{1} << 62}), "100000");
  expect_limit(ask(workspace, LaunchesOptions{.count = 2'000'000'000}), "1000000");
  expect_limit(ask(workspace, CausalOptions{.bootstrap = 2'000'000}), "1000000");
  EvidenceOptions evidence;
  evidence.question = std::make_unique<CausalOptions>(CausalOptions{.bootstrap = 2'000'000});
  expect_limit(ask(workspace, evidence), "1000000");
  expect_limit(ask(workspace, BinsOptions{.intervals = std::vector<Interval>(1'000'001)}), "1000000 members");
  expect_limit(ask(workspace, BinsOptions{.where = std::string(RequestLimits::kText, ' ')}),
               "64000000 bytes");
}

TEST(RequestLimits, TablesAndStoresAreFiles) {
  Opened opened;
  const auto pipe = opened.folder.file("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string& table : {std::string("/dev/zero"), pipe}) {
    const CausalOptions question{.table = table};
    EvidenceOptions evidence;
    evidence.question = std::make_unique<CausalOptions>(question);
    for (const Request& request : {Request(question), Request(evidence)}) {
      const auto answer = ask(opened.workspace, request);
      ASSERT_FALSE(answer);
      EXPECT_EQ(answer.error().message, "this is a device or a pipe, not a file");
    }
    const auto answer = ask(opened.workspace, OpenOptions{.stores = {table}});
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().message, "this is a device or a pipe, not a store");
    EXPECT_FALSE(
        ask(opened.workspace, ImportOptions{.files = {table}, .output = opened.folder.file("b.jts")}));
  }
}
