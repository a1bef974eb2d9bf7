// Names of a session that contain the noun of its rows, in the answers of the engine.

#include <functional>

#include <gtest/gtest.h>
#include <re2/re2.h>

#include "core/causal/base/result.h"
#include "core/engine/messages/causal_answers.h"
#include "core/engine/messages/causal_options.h"
#include "core/engine/messages/launch_answers.h"
#include "core/engine/messages/launch_options.h"
#include "core/engine/messages/session_options.h"
#include "core/engine/messages/statistics_answers.h"
#include "core/engine/messages/statistics_options.h"
#include "core/engine/messages/table_answers.h"
#include "core/engine/messages/table_json.h"
#include "core/engine/messages/table_options.h"
#include "core/engine/operations/operations.h"
#include "core/import/analysis_rows/present.h"
#include "core/import/import.h"
#include "core/store/format/store.h"
#include "tests/generator/paraver_run.h"
#include "tests/support/temporary_folder.h"

namespace jitterscope::engine {
namespace {

using nlohmann::json;

/// The bursts of a run whose counter and region have this word in their names.
class NamedRun {
public:
  explicit NamedRun(const std::string& word) {
    generator::ParaverOptions options;
    options.processes = 4;
    options.threads = 2;
    options.steps = 60;
    options.region = word + " step";
    options.counter = word + " size";
    const auto path = folder_.file("run.prv"), store = folder_.file("run.jts");
    EXPECT_TRUE(generator::write_paraver(options, path));
    auto data = import::import_files({path}, job_);
    EXPECT_TRUE(data && import::present_all(*data, store::AnalysisRows::Bursts, job_));
    EXPECT_TRUE(data && store::write_store(*data, store, job_));
    info_ = ask(OpenOptions{.stores = {store}});
  }
  const json& info() const { return info_; }
  json ask(const Request& request) {
    auto answer = run_operation({workspace_, *communicator_, job_, {}}, request);
    EXPECT_TRUE(answer) << request.operation << ": " << describe(answer.error());
    return answer ? answer->document : json();
  }
  template <TableType Table>
  Table read(const Request& request) {
    const auto answer =
        run_operation({workspace_, *communicator_, job_, {}}, request).and_then(table_of<Table>);
    EXPECT_TRUE(answer) << request.operation << ": " << describe(answer.error());
    return answer.value_or(Table());
  }
  std::string error_of(const Request& request) {
    auto answer = run_operation({workspace_, *communicator_, job_, {}}, request);
    return answer ? std::string() : answer.error().message + " " + answer.error().hint;
  }

private:
  test::TemporaryFolder folder_;
  std::unique_ptr<Communicator> communicator_ = local_communicator();
  Workspace workspace_;
  Job job_;
  json info_;
};

/// The answer with "lauxxx" for "launch" in the names of the run.
json renamed(const json& document) {
  std::string text = document.dump();
  RE2::GlobalReplace(&text, "aunch([ _])(size|step)", "auxxx\\1\\2");
  return json::parse(text);
}

/// Two runs that differ only in the names of a counter and a region: in one of them, these contain "launch".
class RowNames : public testing::Test {
protected:
  NamedRun named_{"Launch"}, other_{"Lauxxx"};

  /// The answer about the other run, which must be the same but for the names. `question` makes the options
  /// for a column of the counter.
  template <class Question>
  json same(const Question& question) {
    return same(question, named_.ask(question(kNamed)), other_.ask(question(kOther)));
  }
  /// The same for a typed answer.
  template <TableType Table, class Question>
  json same_table(const Question& question) {
    return same(question, json_of(named_.read<Table>(question(kNamed))),
                json_of(other_.read<Table>(question(kOther))));
  }

  static json causal_result(NamedRun& run, const CausalOptions& question) {
    const auto result = causal::decode_result(run.read<answers::CausalAnswer>(question).result);
    return result ? causal::to_json(*result) : json();
  }

  static constexpr auto kNamed = "launch_size", kOther = "lauxxx_size";

  template <class Question>
  json same(const Question& question, const json& found, const json& expected) {
    EXPECT_EQ(renamed(found).dump(1), expected.dump(1)) << Request(question("")).operation;
    return expected;
  }
};

/// Texts of an answer about launches.
std::vector<std::string> of_launches(const json& document) {
  std::vector<std::string> texts;
  if (document.is_string()) {
    auto text = document.get<std::string>();
    RE2::GlobalReplace(&text, "[ (]launch(es)? (call|configuration|order)", "");
    if (RE2::PartialMatch(text, "[ (]launch(es)?[ .,)]")) texts.push_back(document);
  }
  if (document.is_structured())
    for (const auto& item : document)
      for (auto& text : of_launches(item)) texts.push_back(std::move(text));
  return texts;
}

TEST_F(RowNames, OfTheSessionStayInDescriptions) {
  auto found = named_.info(), expected = other_.info();
  for (auto* document : {&found, &expected})
    for (const char* key : {"inputs", "alignment"}) document->erase(key); // folders and checksums
  EXPECT_EQ(renamed(found).dump(1), expected.dump(1));
  const auto described = of_launches(expected.at("columns"));
  EXPECT_TRUE(described.empty()) << json(described).dump(1);
}

TEST_F(RowNames, StayInAnswers) {
  const std::vector<std::function<CausalOptions(const std::string&)>> questions = {
      [](const std::string&) { return CausalOptions{.bootstrap = 20}; },
      [](const std::string& counter) { return CausalOptions{.target = counter, .bootstrap = 20}; },
      [](const std::string& counter) {
        return CausalOptions{.where = counter + " > 0", .features = {counter, "rank"}, .bootstrap = 20};
      }};
  for (const auto& question : questions) {
    const auto causal =
        same(question, causal_result(named_, question(kNamed)), causal_result(other_, question(kOther)));
    EXPECT_FALSE(causal.at("sentences").empty());
    EXPECT_NE(causal.dump().find("lauxxx size"), std::string::npos)
        << "no text of the answer contains the name";
    for (const char* key : {"sentences", "warnings", "reading_text"})
      EXPECT_TRUE(of_launches(causal.at(key)).empty()) << causal.at(key).dump(1);
  }
  const auto contrast = same_table<answers::ContrastAnswer>([](const std::string&) {
    return ContrastOptions{.where = "rank = 2 and start > 200ms and start < 400ms"};
  });
  EXPECT_TRUE(of_launches(contrast.at("sentences")).empty()) << contrast.at("sentences").dump(1);
  same_table<answers::ReasonsAnswer>([](const std::string&) {
    return ReasonsOptions{.moments = {{{200'000'000}, {300'000'000}}, {{300'000'000}, {400'000'000}}}};
  });
  same([](const std::string& counter) { return BinsOptions{.metric = counter, .by = "range"}; });
}

TEST_F(RowNames, StayInTypedAnswers) {
  const auto launches =
      named_.read<answers::LaunchesAnswer>(LaunchesOptions{.columns = {"gap_ns", "launch_size"}});
  ASSERT_EQ(launches.columns.size(), 2u);
  EXPECT_NE(launches.columns[0].description.find("start of the burst"), std::string::npos)
      << launches.columns[0].description;
  EXPECT_TRUE(of_launches(launches.columns[0].description).empty()) << launches.columns[0].description;
  EXPECT_EQ(launches.columns[1].name, "launch_size");
  EXPECT_NE(launches.columns[1].description.find("aunch"), std::string::npos)
      << "the name in its description";
  const auto one = named_.read<answers::LaunchAnswer>(LaunchOptions{.row = 3});
  for (const auto& field : one.fields) {
    if (field.name.find("launch") != field.name.npos) continue;
    EXPECT_TRUE(of_launches(field.description).empty()) << field.name << ": " << field.description;
  }
  const auto axes = named_.read<answers::ParallelAnswer>(ParallelOptions{.axes = {"gap_ns"}}).axes;
  ASSERT_EQ(axes.size(), 1u);
  EXPECT_EQ(axes[0].description, launches.columns[0].description);
}

TEST_F(RowNames, StayInErrors) {
  const auto text = named_.error_of(CheckFilterOptions{.where = "launch_sizes > 3"});
  EXPECT_NE(text.find("launch_sizes"), std::string::npos) << text;
}

} // namespace
} // namespace jitterscope::engine
