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
  EXPECT_EQ(with_row_noun("Next &Launch|Launches|%1 launches", "bursts"), "Next &Burst|Bursts|%1 bursts");
}

TEST(RowNoun, LeavesNamesAndLaunchesThatAreNotRows) {
  for (const char* text :
       {"kernel launches", "launch configuration", "the launch call", "launch from a graph", "launch order",
        "a burst of launches", "`launch step` and `first launches`", "first_launch", "relaunch launched",
        "<a href='launch:4'>", "launch-order"})
    EXPECT_EQ(with_row_noun(text, "bursts"), text);
}

TEST(RowNoun, OfAnAnswerIsSetInTextsAlone) {
  nlohmann::json document = {{"kind", "launch"},
                             {"sentences", {"1 launch", "2 launches"}},
                             {"columns", {{{"name", "gap"}, {"description", "gap before the launch"}}}},
                             {"fields", {{{"label", "name"}, {"text", "launch"}, {"value", "launch"}}}},
                             {"report", {{{"code", "x"}, {"text", "12 launches are left out"}}}},
                             {"warnings", {{{"code", "launch"}, {"text", "the launch"}}}}};
  auto descriptions = document;
  set_row_noun(descriptions, "bursts", false);
  EXPECT_EQ(descriptions.at("columns")[0].at("description"), "gap before the burst");
  EXPECT_EQ(descriptions.at("sentences"), document.at("sentences"));
  set_row_noun(document, "bursts", true);
  EXPECT_EQ(document.at("sentences"), nlohmann::json({"1 burst", "2 bursts"}));
  EXPECT_EQ(document.at("warnings")[0], nlohmann::json({{"code", "launch"}, {"text", "the burst"}}));
  EXPECT_EQ(document.at("kind"), "launch");
  EXPECT_EQ(document.at("fields")[0].at("text"), "launch") << "a value, not a text about rows";
  EXPECT_EQ(document.at("report")[0].at("text"), "12 launches are left out");
}

} // namespace
} // namespace jitterscope::engine
