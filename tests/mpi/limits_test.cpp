// Hostile requests of another program of the same user: beyond the limits they end with an error that states
// the limit.

#include <string>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "core/engine/messages/request_limits.h"
#include "core/engine/operations/operations.h"
#include "core/store/format/store.h"
#include "tests/support/small_trace.h"
#include "tests/support/temporary_folder.h"

using namespace jitterscope;
using namespace jitterscope::engine;
using nlohmann::json;

namespace {

Expected<Answer> ask(Workspace& workspace, const std::string& operation, const json& options) {
  const auto communicator = local_communicator();
  const Job job;
  return run_operation(*find_operation(operation), {workspace, *communicator, job, {}}, options);
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
    EXPECT_TRUE(ask(workspace, "open", {{"stores", {folder.file("a.jts")}}}));
  }
};

std::string nested(int levels) {
  return std::string(static_cast<std::size_t>(levels), '[') +
         std::string(static_cast<std::size_t>(levels), ']');
}

} // namespace

TEST(RequestLimits, NestingIsCountedBeforeTheTextIsParsed) {
  EXPECT_TRUE(check_text(nested(RequestLimits::kNesting)));
  EXPECT_FALSE(check_text(nested(RequestLimits::kNesting + 1)));
  const auto deep = check_text(R"({"where": )" + nested(150'000) + "}");
  ASSERT_FALSE(deep);
  EXPECT_NE(deep.error().message.find("64 levels"), std::string::npos) << deep.error().message;
  EXPECT_TRUE(check_text(R"({"where": ")" + std::string(1'000, '[') + R"(\"[[", "a": []})"))
      << "brackets inside a string do not count";
  auto options = json::parse(R"({"where": )" + nested(RequestLimits::kNesting) + "}");
  const auto request = decode_request(encode(Request{"bins", options}));
  ASSERT_FALSE(request);
  EXPECT_EQ(request.error().kind, ErrorKind::BadUse);
}

TEST(RequestLimits, AreStatedInTheError) {
  Opened opened;
  auto& workspace = opened.workspace;
  const auto axes = [](std::size_t count) { return std::vector<std::string>(count, "duration"); };
  for (const char* operation : {"parallel", "related_order"}) {
    expect_limit(ask(workspace, operation, {{"axes", axes(257)}}), "256");
    EXPECT_TRUE(ask(workspace, operation, {{"axes", axes(256)}, {"bins", 64}})) << operation;
  }
  expect_limit(ask(workspace, "parallel",
                   {{"axes", axes(250)},
                    {"bins", 254},
                    {"classes", json::array({"duration > 1", "duration > 2", "duration > 3"})}}),
               "64000000 histogram cells");
  expect_limit(ask(workspace, "heat_map", {{"columns", 100'000}, {"rows", 100'000}}), "16000000 cells");
  expect_limit(ask(workspace, "distribution", {{"bins", 1e300}}), "100000");
  expect_limit(ask(workspace, "launches", {{"count", 2'000'000'000}}), "1000000");
  expect_limit(ask(workspace, "causal", {{"bootstrap", 2'000'000}}), "1000000");
  expect_limit(ask(workspace, "bins", {{"intervals", std::vector<int>(1'000'001)}}), "1000000 members");
}

TEST(RequestLimits, TablesAndStoresAreFiles) {
  Opened opened;
  const auto pipe = opened.folder.file("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string& table : {std::string("/dev/zero"), pipe}) {
    for (const char* operation : {"causal", "evidence"}) {
      const auto answer = ask(opened.workspace, operation, {{"table", table}});
      ASSERT_FALSE(answer);
      EXPECT_EQ(answer.error().message, "this is a device or a pipe, not a file");
    }
    const auto answer = ask(opened.workspace, "open", {{"stores", {table}}});
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().message, "this is a device or a pipe, not a store");
    EXPECT_FALSE(
        ask(opened.workspace, "import", {{"files", {table}}, {"output", opened.folder.file("b.jts")}}));
  }
}
