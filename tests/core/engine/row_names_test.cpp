// Names of a session that contain the noun of its rows, in the answers of the engine.

#include <gtest/gtest.h>
#include <re2/re2.h>

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
    info_ = ask("open", {{"stores", {store}}});
  }
  const json& info() const { return info_; }
  json ask(const std::string& operation, const json& options) {
    auto answer = run_operation(*find_operation(operation), {workspace_, *communicator_, job_, {}}, options);
    EXPECT_TRUE(answer) << operation << ": " << describe(answer.error());
    return answer ? answer->document : json();
  }
  std::string error_of(const std::string& operation, const json& options) {
    auto answer = run_operation(*find_operation(operation), {workspace_, *communicator_, job_, {}}, options);
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

  /// The answer about the other run, which must be the same but for the names. `options` have COUNTER for
  /// the column of the counter.
  json same(const std::string& operation, const std::string& options) {
    const auto of = [&](NamedRun& run, const char* column) {
      std::string text = options;
      RE2::GlobalReplace(&text, "COUNTER", column);
      return run.ask(operation, json::parse(text));
    };
    const auto found = of(named_, "launch_size"), expected = of(other_, "lauxxx_size");
    EXPECT_EQ(renamed(found).dump(1), expected.dump(1)) << operation;
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
  for (const char* options :
       {R"({"bootstrap": 20})", R"({"bootstrap": 20, "target": "COUNTER"})",
        R"({"bootstrap": 20, "features": ["COUNTER", "rank"], "where": "COUNTER > 0"})"}) {
    const auto causal = same("causal", options);
    EXPECT_FALSE(causal.at("sentences").empty());
    EXPECT_NE(causal.dump().find("lauxxx size"), std::string::npos)
        << "no text of the answer contains the name";
    for (const char* key : {"sentences", "warnings", "reading_text"})
      EXPECT_TRUE(of_launches(causal.at(key)).empty()) << causal.at(key).dump(1);
  }
  const auto contrast = same("contrast", R"({"where": "rank = 2 and start > 200ms and start < 400ms"})");
  EXPECT_TRUE(of_launches(contrast.at("sentences")).empty()) << contrast.at("sentences").dump(1);
  same("reasons", R"({"moments": [[200000000, 300000000], [300000000, 400000000]]})");
  same("bins", R"({"metric": "COUNTER", "by": "range"})");
}

TEST_F(RowNames, StayInErrors) {
  const auto text = named_.error_of("check_filter", {{"where", "launch_sizes > 3"}});
  EXPECT_NE(text.find("launch_sizes"), std::string::npos) << text;
}

} // namespace
} // namespace jitterscope::engine
