#include <chrono>
#include <future>
#include <map>
#include <random>
#include <thread>

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/engine/messages/causal_options.h"
#include "core/engine/messages/efficiency_options.h"
#include "core/engine/messages/launch_options.h"
#include "core/engine/messages/session_options.h"
#include "core/engine/messages/statistics_options.h"
#include "core/engine/messages/table_options.h"
#include "core/engine/messages/timeline_options.h"
#include "core/engine/server/server.h"
#include "core/import/import.h"
#include "core/store/format/store.h"
#include "tests/generator/generator.h"
#include "tests/support/temporary_folder.h"

using namespace jitterscope;
using namespace jitterscope::engine;

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
  void ask(std::uint64_t number, const Request& request) {
    ASSERT_TRUE(near_->send({FrameType::Request, number, encode(request)}));
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
    ask(1, OpenOptions{.stores = {store}});
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
  ask(2, BinsOptions{
             .width_ns = 100'000, .top_count = 4, .all = true, .partial = true, .rows_per_partial = 2000});
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
  ask(3, BinsOptions{.rows_per_partial = 2000}); // partial answers are not requested
  EXPECT_EQ(receive().type, FrameType::Answer);
}

TEST_F(ServerTest, AnswersWhatItCanAndNamesWhatItCannot) {
  open(make_store(2000));
  ask(2, BinsOptions());
  const auto answer = decode_answer(receive().payload);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->document.at("metric"), "kernel_variability");
  Request unknown = BinsOptions();
  unknown.operation = "no such thing";
  ask(3, unknown);
  ask(4, {BinsOptions{.width_ns = -1}, "another"});
  ask(5, BinsOptions{.where = "nothing = 3"});
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
  ask(1, TimelineOptions{.end_ns = 10, .columns = 10});
  const auto frame = receive();
  ASSERT_EQ(frame.type, FrameType::Failure);
  EXPECT_NE(decode_failure(frame.payload)->message.find("no session"), std::string::npos);
}

TEST_F(ServerTest, ANewerRequestOfTheSameKindReplacesAnOlder) {
  open(make_store(60'000));
  for (std::uint64_t number = 10; number < 20; ++number) ask(number, CausalOptions{.bootstrap = 400});
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
  const OpenOptions opening{.stores = {store}};
  const std::vector<Request> requests = {
      {opening, "first"}, CausalOptions(),     ContrastOptions{.intervals = {{{0}, {1'000'000}}}},
      KernelsOptions(),   EfficiencyOptions(), {opening, "second"},
      BinsOptions()};
  for (std::size_t i = 0; i < requests.size(); ++i) ask(i + 1, requests[i]);
  std::vector<std::uint64_t> order;
  for (std::size_t i = 0; i < requests.size(); ++i) order.push_back(receive().request);
  EXPECT_EQ(order, (std::vector<std::uint64_t>{1, 4, 5, 2, 3, 6, 7}));
}

TEST_F(ServerTest, QuickQuestionsAreAnsweredDuringALongOne) {
  open(make_store(60'000));
  ask(10, CausalOptions{.bootstrap = 2000});
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  ask(11, TimelineOptions{.end_ns = 1'000'000'000, .columns = 100});
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
  ASSERT_TRUE(run_operation({workspace, *communicator, job, {}}, OpenOptions{.stores = {store}}));
  job.cancelled = [] { return true; };
  EvidenceOptions evidence;
  evidence.from = "gap_ns", evidence.to = "duration";
  const std::vector<Request> requests = {
      OpenOptions{.stores = {store}},
      ImportOptions{.files = {folder_.file("t.sqlite")}, .output = folder_.file("u.jts")},
      BinsOptions(),
      KernelsOptions(),
      DistributionOptions(),
      LaunchesOptions(),
      HeatMapOptions(),
      AreaOfSelectionOptions{.end_ns = 1'000'000'000, .where = "duration > 1us"},
      RowsNearOptions{.axes = {{.column = "duration", .edges = {0, 20'000, 900'000}}}},
      ParallelOptions(),
      ParallelOptions{.axes = {"duration", "stream"}, .within = "duration > 1us"},
      RelatedOrderOptions{.axes = {"duration", "stream"}},
      TimelineOptions{.end_ns = 1'000'000'000, .columns = 100},
      TimelineOptions{
          .where = "duration > 1us", .end_ns = 1'000'000'000, .columns = 100, .value = "duration"},
      PartnersOptions{.row = 5},
      StepOptions{.row = 5, .by = "kernel", .direction = 1},
      CausalOptions(),
      evidence,
      ContrastOptions{.where = "duration > 1us"},
      ReasonsOptions{.moments = {{{0}, {1'000'000}}}}};
  for (const auto& request : requests) {
    const auto& operation = request.operation;
    const auto answer = run_operation({workspace, *communicator, job, {}}, request);
    ASSERT_FALSE(answer) << operation;
    EXPECT_EQ(answer.error().kind, ErrorKind::Cancelled) << operation << " " << describe(answer.error());
  }
}

TEST_F(ServerTest, AQuickQuestionThatACancelInterruptsIsStillAnswered) {
  open(make_store(60'000));
  for (std::uint64_t number = 10; number < 60; number += 2) {
    ask(number, CausalOptions{.bootstrap = 2000});
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    ask(number + 1, TimelineOptions{.where = "duration > 10us", .end_ns = 1'000'000'000, .columns = 20'000});
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

// Bytes of options that are cut off, of another operation, or random.
TEST_F(ServerTest, DamagedOptionsAreRefused) {
  open(make_store(2000));
  const Request whole =
      BinsOptions{.where = "duration > 1us", .intervals = {{{0}, {1'000'000}}}, .metric = "duration"};
  std::mt19937 random(1);
  std::uint64_t number = 2;
  const auto answer_to = [&](const Bytes& options) {
    Request request = whole;
    request.options = options;
    ask(++number, request);
    return receive();
  };
  for (std::size_t length = 0; length < whole.options.size(); length += 7) {
    const auto frame =
        answer_to({whole.options.begin(), whole.options.begin() + static_cast<std::ptrdiff_t>(length)});
    ASSERT_EQ(frame.type, FrameType::Failure) << length;
    EXPECT_NE(decode_failure(frame.payload)->message.find("damaged"), std::string::npos);
  }
  for (int i = 0; i < 500; ++i) { // a changed byte may leave the options valid
    auto options = whole.options;
    options[random() % options.size()] = static_cast<std::uint8_t>(random());
    EXPECT_EQ(answer_to(options).request, number);
  }
  const auto frame = answer_to(Request(CompareOptions{.runs = {{.traces = {0}}}}).options);
  EXPECT_EQ(frame.request, number);
}

TEST_F(ServerTest, NonsenseOnTheSocketEndsTheServerQuietly) {
  const std::string nonsense(1000, 'z');
  ASSERT_GT(::write(raw_, nonsense.data(), nonsense.size()), 0);
  EXPECT_EQ(receive().type, FrameType::Quit);
}
