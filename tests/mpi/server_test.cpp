#include <chrono>
#include <future>
#include <map>
#include <set>
#include <thread>

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/engine/server/server.h"
#include "core/import/import.h"
#include "core/store/format/store.h"
#include "tests/generator/generator.h"
#include "tests/support/temporary_folder.h"

using namespace jitterscope;
using namespace jitterscope::engine;
using nlohmann::json;

namespace {

/// A server on its own thread and the other end of its socket.
class ServerTest : public ::testing::Test {
protected:
  void SetUp() override {
    int ends[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    raw_ = ends[0];
    near_ = std::make_unique<Socket>(ends[0]);
    server_ = std::thread([far = ends[1]] {
      const auto communicator = local_communicator();
      Server(Socket(far), *communicator, nullptr).run();
    });
    const auto hello = receive();
    EXPECT_EQ(hello.type, FrameType::Hello);
  }
  void TearDown() override {
    near_.reset(); // the server quits when its window closes the socket
    server_.join();
  }
  void ask(std::uint64_t number, const std::string& operation, const json& options) {
    ASSERT_TRUE(near_->send({FrameType::Request, number, encode(Request{operation, options})}));
  }
  Frame receive() {
    for (int i = 0; i < 3000; ++i) { // five minutes
      auto frame = near_->receive(100);
      if (!frame || near_->closed()) break;
      if (*frame && (*frame)->type != FrameType::Progress) return std::move(**frame);
    }
    return {FrameType::Quit, 0, {}};
  }
  std::string make_store(std::int64_t launches) {
    generator::Options options;
    options.launches = launches;
    EXPECT_TRUE(generator::generate(options, folder_.file("t.sqlite"), {}));
    auto data = import::import_files({folder_.file("t.sqlite")}, {});
    EXPECT_TRUE(data && store::write_store(*data, folder_.file("t.jts")));
    return folder_.file("t.jts");
  }
  void open(const std::string& store) {
    ask(1, "open", {{"stores", {store}}});
    ASSERT_EQ(receive().type, FrameType::Answer);
  }

  test::TemporaryFolder folder_;
  std::unique_ptr<Socket> near_;
  std::thread server_;
  int raw_ = -1;
};

} // namespace

TEST_F(ServerTest, BestBinsSoFarComeBeforeTheAnswer) {
  open(make_store(20000));
  ask(2, "bins",
      {{"partial", true},
       {"rows_per_partial", 2000},
       {"all", true},
       {"top_count", 4},
       {"width_ns", 100'000}});
  double share = 0;
  int partial = 0;
  for (;; ++partial) {
    const auto frame = receive();
    ASSERT_EQ(frame.request, 2u);
    const auto answer = decode_answer(frame.payload);
    ASSERT_TRUE(answer);
    const auto listed = answer->get<std::int64_t>("index").size();
    if (frame.type == FrameType::Answer) {
      EXPECT_FALSE(answer->document.contains("share"));
      EXPECT_EQ(answer->document.at("kept_bins").size(), 4u);
      EXPECT_EQ(static_cast<std::int64_t>(listed), answer->document.at("bin_count").get<std::int64_t>());
      break;
    }
    ASSERT_EQ(frame.type, FrameType::Partial);
    EXPECT_GT(answer->document.at("share").get<double>(), share);
    share = answer->document.at("share");
    EXPECT_EQ(answer->document.at("kept_bins").size(), 4u);
    EXPECT_EQ(listed, 4u);
    EXPECT_FALSE(answer->document.at("kept_bins")[0].at("top_kernel").is_null());
  }
  EXPECT_EQ(partial, 9);
  ask(3, "bins", {{"rows_per_partial", 2000}}); // partial answers are not requested
  EXPECT_EQ(receive().type, FrameType::Answer);
}

TEST_F(ServerTest, AnswersWhatItCanAndNamesWhatItCannot) {
  open(make_store(2000));
  ask(2, "bins", json::object());
  const auto answer = decode_answer(receive().payload);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->document.at("metric"), "kernel_variability");
  ask(3, "no such thing", json::object());
  ask(4, "bins", {{"width_ns", "a text"}, {"channel", "another"}});
  ask(5, "bins", {{"where", "nothing = 3"}});
  std::map<std::uint64_t, Error> failures;
  for (int i = 0; i < 3; ++i) {
    const auto frame = receive();
    ASSERT_EQ(frame.type, FrameType::Failure);
    failures[frame.request] = *decode_failure(frame.payload);
  }
  for (std::uint64_t number : {3, 4, 5}) EXPECT_EQ(failures.at(number).kind, ErrorKind::BadUse) << number;
  EXPECT_NE(failures.at(5).message.find("nothing"), std::string::npos);
}

TEST_F(ServerTest, QuestionsBeforeASessionAreRefusedInWords) {
  ask(1, "timeline", {{"begin_ns", 0}, {"end_ns", 10}, {"columns", 10}});
  const auto frame = receive();
  ASSERT_EQ(frame.type, FrameType::Failure);
  EXPECT_NE(decode_failure(frame.payload)->message.find("no session"), std::string::npos);
}

TEST_F(ServerTest, ANewerRequestOfTheSameKindReplacesAnOlder) {
  open(make_store(60'000));
  for (std::uint64_t number = 10; number < 20; ++number) ask(number, "causal", {{"bootstrap", 400}});
  std::size_t cancelled = 0;
  for (int i = 0; i < 10; ++i) {
    const auto frame = receive();
    if (frame.type == FrameType::Failure) {
      EXPECT_EQ(decode_failure(frame.payload)->kind, ErrorKind::Cancelled);
      ++cancelled;
    } else {
      EXPECT_EQ(frame.request, 19u);
    }
  }
  EXPECT_EQ(cancelled, 9u);
}

TEST_F(ServerTest, SlowQuestionsWaitForOthersOfTheSameSession) {
  const auto store = make_store(20000);
  const std::vector<std::string> operations = {"open",       "causal", "contrast", "kernels",
                                               "efficiency", "open",   "bins"};
  for (std::size_t i = 0; i < operations.size(); ++i)
    ask(i + 1, operations[i],
        operations[i] == "open"       ? json{{"stores", {store}}, {"channel", std::to_string(i)}}
        : operations[i] == "contrast" ? json{{"intervals", {{0, 1'000'000}}}}
                                      : json::object());
  std::vector<std::uint64_t> order;
  for (std::size_t i = 0; i < operations.size(); ++i) order.push_back(receive().request);
  EXPECT_EQ(order, (std::vector<std::uint64_t>{1, 4, 5, 2, 3, 6, 7}));
}

TEST_F(ServerTest, QuickQuestionsAreAnsweredDuringALongOne) {
  open(make_store(60'000));
  ask(10, "causal", {{"bootstrap", 2000}});
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  ask(11, "timeline", {{"begin_ns", 0}, {"end_ns", 1'000'000'000}, {"columns", 100}});
  EXPECT_EQ(receive().request, 11u);
  ASSERT_TRUE(near_->send({FrameType::Cancel, 10, {}}));
  const auto frame = receive();
  EXPECT_EQ(frame.request, 10u);
  EXPECT_EQ(frame.type, FrameType::Failure);
}

// A job that is always cancelled: an operation that never checks would return its answer.
TEST_F(ServerTest, EveryOperationThatMayBeLongChecksForACancel) {
  const auto store = make_store(20'000);
  const auto communicator = local_communicator();
  Workspace workspace;
  Job job;
  ASSERT_TRUE(
      run_operation(*find_operation("open"), {workspace, *communicator, job, {}}, {{"stores", {store}}}));
  job.cancelled = [] { return true; };
  const json axis = {{"column", "duration"}, {"edges", {0, 20'000, 900'000}}};
  const std::vector<std::pair<const char*, json>> questions = {
      {"open", {{"stores", {store}}}},
      {"import", {{"files", {folder_.file("t.sqlite")}}, {"output", folder_.file("u.jts")}}},
      {"bins", json::object()},
      {"kernels", json::object()},
      {"distribution", json::object()},
      {"launches", json::object()},
      {"heat_map", json::object()},
      {"area_of_selection", {{"begin_ns", 0}, {"end_ns", 1'000'000'000}, {"where", "duration > 1us"}}},
      {"rows_near", {{"left", axis}}},
      {"parallel", json::object()},
      {"parallel", {{"axes", {"duration", "stream"}}, {"within", "duration > 1us"}}},
      {"related_order", {{"axes", {"duration", "stream"}}}},
      {"timeline", {{"begin_ns", 0}, {"end_ns", 1'000'000'000}, {"columns", 100}}},
      {"timeline",
       {{"begin_ns", 0},
        {"end_ns", 1'000'000'000},
        {"columns", 100},
        {"where", "duration > 1us"},
        {"value", "duration"}}},
      {"partners", {{"row", 5}}},
      {"step", {{"row", 5}, {"by", "kernel"}, {"direction", 1}}},
      {"causal", json::object()},
      {"evidence", {{"from", "gap_ns"}, {"to", "duration"}}},
      {"contrast", {{"where", "duration > 1us"}}},
      {"reasons", {{"moments", {{0, 1'000'000}}}}}};
  for (const auto& [operation, options] : questions) {
    const auto answer =
        run_operation(*find_operation(operation), {workspace, *communicator, job, {}}, options);
    ASSERT_FALSE(answer) << operation << options.dump();
    EXPECT_EQ(answer.error().kind, ErrorKind::Cancelled) << operation << " " << describe(answer.error());
  }
}

TEST_F(ServerTest, AQuickQuestionThatACancelInterruptsIsStillAnswered) {
  open(make_store(60'000));
  for (std::uint64_t number = 10; number < 60; number += 2) {
    ask(number, "causal", {{"bootstrap", 2000}});
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    ask(number + 1, "timeline",
        {{"begin_ns", 0}, {"end_ns", 1'000'000'000}, {"columns", 20'000}, {"where", "duration > 10us"}});
    ASSERT_TRUE(near_->send({FrameType::Cancel, number, {}}));
    std::map<std::uint64_t, FrameType> answers;
    for (int i = 0; i < 2; ++i) {
      const auto frame = receive();
      answers[frame.request] = frame.type;
    }
    EXPECT_EQ(answers.at(number), FrameType::Failure);
    EXPECT_EQ(answers.at(number + 1), FrameType::Answer);
  }
}

TEST_F(ServerTest, AChannelThatIsNotTextIsHarmless) {
  open(make_store(2000));
  for (std::uint64_t number = 2; number < 6; ++number) ask(number, "bins", {{"channel", 5}});
  std::set<std::uint64_t> answered;
  for (int i = 0; i < 4; ++i) answered.insert(receive().request);
  EXPECT_EQ(answered.size(), 4u);
}

TEST_F(ServerTest, NonsenseOnTheSocketEndsTheServerQuietly) {
  const std::string nonsense(1000, 'z');
  ASSERT_GT(::write(raw_, nonsense.data(), nonsense.size()), 0);
  EXPECT_EQ(receive().type, FrameType::Quit);
}
