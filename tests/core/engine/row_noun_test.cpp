#include "core/engine/messages/row_noun.h"

#include <gtest/gtest.h>

namespace jitterscope::engine {
namespace {

TEST(RowNoun, FollowsTheKindOfTheRows) {
  const char* text =
      "32 launches took 3 % longer than the same launches elsewhere. Launches vary; one launch.";
  EXPECT_EQ(with_row_noun(text, "launches"), text);
  EXPECT_EQ(with_row_noun(text, "bursts"),
            "32 bursts took 3 % longer than the same bursts elsewhere. Bursts vary; one burst.");
  EXPECT_EQ(with_row_noun(text, "calls"),
            "32 calls took 3 % longer than the same calls elsewhere. Calls vary; one call.");
  EXPECT_EQ(with_row_noun(text, "mixed"),
            "32 rows took 3 % longer than the same rows elsewhere. Rows vary; one row.");
  EXPECT_EQ(with_row_noun("the gap before the launch on the stream", "ranges"),
            "the gap before the range on the thread");
  EXPECT_EQ(with_row_noun("columns that depend on kernel variability", "bursts"),
            "columns that depend on variability");
  EXPECT_EQ(with_row_noun("Next &Launch|Launches|%1 launches", "bursts"), "Next &Burst|Bursts|%1 bursts");
}

TEST(RowNoun, LeavesQuotedTextAndLaunchesThatAreNotRows) {
  for (const char* text :
       {"kernel launches", "launch configuration", "the launch call", "launch from a graph", "launch order",
        "`launch step` and `first launches`", "first_launch", "relaunch launched", "<a href='launch:4'>",
        "launch-order", "there is no column 'launch size'", "\"launch step\" (launch_x)",
        "'the launch's step'"})
    EXPECT_EQ(with_row_noun(text, "bursts"), text);
  EXPECT_EQ(with_row_noun("the rank's launches, 'one launch' and the ranks' launches", "bursts"),
            "the rank's bursts, 'one launch' and the ranks' bursts");
}

TEST(RowNoun, LeavesNames) {
  NounNames names;
  for (const char* name :
       {"Launch size", "launch step", "copy on the stream", "a.launch", "x launches y launches"})
    names.add(name);
  const auto named = [&](std::string_view text) { return with_row_noun(text, "bursts", names); };
  EXPECT_EQ(named("Launch size of the launch in launch step"), "Launch size of the burst in launch step");
  EXPECT_EQ(named("launch size accounts for it"), "launch size accounts for it")
      << "labels begin sentences with a capital";
  EXPECT_EQ(named("x launches y launches: launches"), "x launches y launches: bursts");
  EXPECT_EQ(named("a.launch, data.launch"), "a.launch, data.burst") << "not the end of another word";
  EXPECT_EQ(named("launch steps"), "burst steps") << "not a part of another word";
  EXPECT_EQ(named("copy on the stream, on the stream"), "copy on the stream, on the thread");
  EXPECT_EQ(named("launch"), "burst");
  for (const char* text : {"name = launch", "launch", "launches"}) names.add_option(text);
  EXPECT_EQ(named("launches with name = launch"), "bursts with name = launch");
  names.add("Kernel kernel variability");
  EXPECT_EQ(named("Kernel kernel variability, kernel variability"), "Kernel kernel variability, variability");
  names.add("launch");
  EXPECT_EQ(named("launch of launches"), "launch of bursts") << "a name that is the noun itself";
}

TEST(RowNoun, OfADocumentIsSetInDescriptionsAlone) {
  nlohmann::json document = {{"kind", "launch"},
                             {"columns", {{{"name", "launch"}, {"description", "gap before the launch"}}}},
                             {"report", {{{"code", "x"}, {"text", "12 launches are left out"}}}}};
  auto expected = document;
  expected["columns"][0]["description"] = "gap before the burst";
  set_row_noun(document, "bursts", {});
  EXPECT_EQ(document, expected);
}

} // namespace
} // namespace jitterscope::engine
