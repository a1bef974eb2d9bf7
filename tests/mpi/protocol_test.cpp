#include <random>

#include <gtest/gtest.h>

#include "core/engine/messages/comparison_answers.h"
#include "core/engine/messages/frame.h"
#include "core/engine/messages/messages.h"
#include "core/engine/messages/table_answers.h"
#include "core/engine/messages/table_json.h"
#include "core/engine/messages/timeline_answers.h"

using namespace jitterscope;
using namespace jitterscope::engine;

TEST(Frames, ArriveWholeInAnyPieces) {
  const Frame first{FrameType::Request, 7, {1, 2, 3}}, second{FrameType::Cancel, 8, {}};
  auto bytes = encode(first);
  const auto more = encode(second);
  bytes.insert(bytes.end(), more.begin(), more.end());
  FrameReader reader;
  std::vector<Frame> got;
  for (const auto byte : bytes) {
    reader.append({&byte, 1});
    auto frame = reader.next();
    ASSERT_TRUE(frame);
    if (*frame) got.push_back(**frame);
  }
  ASSERT_EQ(got.size(), 2u);
  EXPECT_EQ(got[0].payload, first.payload);
  EXPECT_EQ(got[1].request, 8u);
}

TEST(Frames, NonsenseIsAnError) {
  for (const std::vector<std::uint8_t>& bytes : {std::vector<std::uint8_t>(kHeadBytes, 'x'),
                                                 [] {
                                                   auto frame = encode(Frame{FrameType::Request, 1, {}});
                                                   frame[4] = 99;
                                                   return frame;
                                                 }(),
                                                 [] {
                                                   auto frame = encode(Frame{FrameType::Request, 1, {}});
                                                   frame[22] = 0x7F;
                                                   return frame;
                                                 }()}) {
    FrameReader reader;
    reader.append(bytes);
    EXPECT_FALSE(reader.next());
  }
}

TEST(Messages, RoundTripThroughTheirEncoding) {
  Answer answer;
  answer.document = {{"a", 1}, {"text", "µ"}};
  answer.add("starts", std::vector<std::int64_t>{1, -2, 3});
  answer.add("shares", std::vector<double>{0.5});
  answer.add("names", std::vector<std::uint32_t>{7, 8});
  answer.add("levels", std::vector<std::uint8_t>{});
  answer.add("busy", std::vector<float>{0.25f});
  const auto bytes = encode(answer);
  const auto back = decode_answer(bytes);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->document, answer.document);
  EXPECT_EQ(back->get<std::int64_t>("starts"), (std::vector<std::int64_t>{1, -2, 3}));
  EXPECT_EQ(back->get<double>("shares"), (std::vector<double>{0.5}));
  EXPECT_EQ(back->get<std::uint32_t>("names")[1], 8u);
  EXPECT_EQ(back->get<float>("busy")[0], 0.25f);
  EXPECT_TRUE(back->get<double>("nothing").empty());
  const Error error{ErrorKind::BadInput, "message", "file", "place", "hint"};
  const auto failure_back = decode_failure(encode(error));
  ASSERT_TRUE(failure_back);
  EXPECT_EQ(describe(*failure_back), describe(error));
}

TEST(Messages, TypedAnswersAreReadAsTheyWereWritten) {
  answers::OverviewAnswer overview{.span = {{-5}, {7}}};
  overview.cells.emplace_back(3u, 1u, 0.5f, 1.0f, 2.5f);
  const auto back = decode_answer(encode(Answer(overview)));
  ASSERT_TRUE(back);
  const auto read = table_of<answers::OverviewAnswer>(*back);
  ASSERT_TRUE(read) << describe(read.error());
  EXPECT_EQ(*read, overview);
  const auto other = table_of<answers::HeatMapAnswer>(*back);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().kind, ErrorKind::Engine);
  EXPECT_FALSE(table_of<answers::OverviewAnswer>(Answer())) << "a document has no table";
}

TEST(Messages, ATypedAnswerIsADocumentOfItsFields) {
  answers::CompareAnswer answer;
  answer.runs = {{.name = "a", .traces = {"x", "y"}}, {.name = "b"}};
  answer.kernels = {{.run = "b",
                     .n_a = 3,
                     .median_a_ns = 1.5,
                     .median_ratio = std::nan(""),
                     .verdict = answers::Verdict::Few,
                     .failed = true},
                    {.run = "b"}};
  answer.fail_if = std::make_unique<answers::FailIfAnswer>();
  answer.fail_if->failed = 1;
  const auto document = json_of(answer);
  EXPECT_EQ(document.at("schema_version"), 1) << "a number with its default value";
  EXPECT_EQ(
      document.at("runs").dump(),
      R"([{"name":"a","repeated":false,"traces":["x","y"]},{"name":"b","repeated":false,"traces":[]}])");
  const auto& kernel = document.at("kernels").at(0);
  EXPECT_EQ(kernel.at("n_a"), 3);
  EXPECT_EQ(kernel.at("median_a_ns"), 1.5);
  EXPECT_TRUE(kernel.at("median_ratio").is_null());
  EXPECT_EQ(kernel.at("verdict"), "few");
  EXPECT_EQ(kernel.at("configuration"), "");
  EXPECT_EQ(kernel.at("failed"), true);
  EXPECT_TRUE(document.at("kernels").at(1).at("failed").is_null());
  EXPECT_TRUE(document.at("new").is_array() && document.at("new").empty());
  EXPECT_EQ(document.at("fail_if").at("failed"), 1);
  answer.fail_if.reset();
  EXPECT_FALSE(json_of(answer).contains("fail_if"));
  EXPECT_EQ(words_of_enum("Very_Slow"), "very slow");
}

TEST(Messages, TextThatIsNotUtf8DoesNotStopAnAnswer) {
  Answer answer;
  answer.document["name"] = std::string("kernel\xff\xfe");
  EXPECT_TRUE(decode_answer(encode(answer)));
}

TEST(Messages, DamagedBuffersAreRefusedOrHarmless) {
  Answer answer;
  answer.document = {{"a", std::string(200, 'x')}};
  answer.add("starts", std::vector<std::int64_t>(50, 3));
  answers::TracksAnswer tracks;
  for (int i = 0; i < 20; ++i) tracks.tracks.push_back({.label = "thread", .unit = "W"});
  const Bytes wholes[] = {encode(answer), encode(Answer(tracks))};
  std::mt19937 random(4);
  for (int trial = 0; trial < 5000; ++trial) {
    auto bytes = wholes[trial % 2];
    for (int i = 0; i < 1 + trial % 3; ++i)
      bytes[random() % bytes.size()] = static_cast<std::uint8_t>(random());
    if (trial % 5 == 0) bytes.resize(random() % bytes.size());
    if (const auto answered = decode_answer(bytes)) (void)table_of<answers::TracksAnswer>(*answered);
    (void)decode_request(bytes);
    (void)decode_failure(bytes);
    (void)decode_hello(bytes);
    (void)decode_progress(bytes);
  }
}
