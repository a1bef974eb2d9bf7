// Files that are imported together stay distinguishable.

#include <gtest/gtest.h>

#include "core/import/assemble/runs.h"

namespace jitterscope::import {
namespace {

using store::ResourceKind;
using Names = std::vector<std::string>;

/// Two files of one host, a process and some launches each.
struct TwoFiles {
  Draft draft;
  std::vector<RunPart> parts;

  TwoFiles() {
    const auto host = draft.add_resource(ResourceKind::Host, kNone, 0, "host");
    add("in/before.sqlite", host, 2);
    add("in/after.sqlite", host, 3);
  }
  void add(const std::string& path, std::uint32_t host, std::size_t launches) {
    RunPart part;
    part.path = path;
    part.from = draft.sizes();
    part.first_resource = draft.resources.size();
    draft.add_resource(ResourceKind::Process, host, 100, "solver");
    part.last_resource = draft.resources.size();
    for (std::size_t i = 0; i < launches; ++i) draft.launches.start.push_back(0);
    part.to = draft.sizes();
    parts.push_back(part);
  }
  const Attribute* run() const {
    for (const auto& each : draft.attributes.all())
      if (each.name == "run") return &each;
    return nullptr;
  }
};

} // namespace

TEST(Runs, AreNamedAfterTheirFilesWithoutWhatToolsPutBehind) {
  EXPECT_EQ(names_of_runs({"a/report1.sqlite", "b/worker0_step_12.pt.trace.json.gz"}),
            (Names{"report1", "worker0_step_12"}));
  EXPECT_EQ(names_of_runs({"a/trace.json", "b/trace.json"}), (Names{"a/trace", "b/trace"}));
  EXPECT_EQ(names_of_runs({"a/trace.json", "a/trace.csv"}), (Names{"a/trace", "a/trace #2"}));
}

TEST(Runs, EveryLaunchStatesItsFile) {
  TwoFiles two;
  distinguish_runs(two.draft, two.parts);
  ASSERT_TRUE(two.run());
  ASSERT_EQ(two.run()->strings.size(), 5U);
  for (std::size_t row = 0; row < 5; ++row)
    EXPECT_EQ(two.draft.strings[StringId{two.run()->strings[row]}], row < 2 ? "before" : "after") << row;
}

TEST(Runs, ProcessesOfOneHostGetTheRunAfterTheirName) {
  TwoFiles two;
  distinguish_runs(two.draft, two.parts);
  EXPECT_EQ(two.draft.resources[1].name, "solver · before");
  EXPECT_EQ(two.draft.resources[2].name, "solver · after");
}

TEST(Runs, OneFileWithLaunchesIsNotARunAmongOthers) {
  TwoFiles two;
  two.add("in/calls only.sqlite", 0, 0);
  two.parts.erase(two.parts.begin());
  distinguish_runs(two.draft, two.parts);
  EXPECT_FALSE(two.run());
  EXPECT_EQ(two.draft.resources[2].name, "solver");
}

TEST(Runs, AColumnOfThatNameInAFileStaysAsItIs) {
  TwoFiles two;
  const auto own = two.draft.attributes.number("run", "");
  two.draft.attributes.set(own, 0, 7);
  distinguish_runs(two.draft, two.parts);
  ASSERT_TRUE(two.run());
  EXPECT_FALSE(two.run()->text);
  EXPECT_EQ(two.draft.attributes.all().size(), 1U);
}

} // namespace jitterscope::import
