#include "core/causal/answer/sentences.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "core/causal/base/wording.h"

namespace jitterscope::causal {
namespace {

Contribution contribution(const char* label, Role role, double percent) {
  Contribution c;
  c.feature = c.label = label, c.role = role, c.sign = 1, c.stability = 0.95;
  c.percent = percent, c.ci_low = percent - 4, c.ci_high = percent + 5;
  return c;
}

/// A contribution to the variability of launches: `percent` is the attributable share.
Contribution attributed(const char* label, Role role, double percent) {
  Contribution c = contribution(label, role, 20);
  c.attributable_percent = percent, c.attributable_ci_low = percent - 6, c.attributable_ci_high = percent + 3;
  c.affected = 17, c.of_rows = 1'086, c.compared = 17, c.mean_extra_ns = 21'000;
  return c;
}

CausalResult result(std::vector<Contribution> contributions) {
  CausalResult r;
  r.n = 1'086, r.bootstrap = 200, r.target = "kernel_variability", r.target_label = "the variability";
  r.contributions = std::move(contributions);
  return r;
}

SentenceContext of_launches(std::vector<Acts> acts) {
  SentenceContext t;
  t.target = TargetKind::variability, t.of_what = " of `reset`", t.acts = std::move(acts);
  return t;
}

using Sentences = std::vector<std::string>;

TEST(Sentences, AnEventShowsItsLaunchesAndWhatEachAdds) {
  CausalResult r = result({attributed("migrations", Role::cause, 94)});
  EXPECT_EQ(sentences(r, of_launches({Acts::event})),
            Sentences{"94 % (88–97 %) of the variability of `reset` comes from migrations (17 of 1,086 "
                      "launches; each adds "
                      "21 µs on average)."});
  r.contributions[0].compared = 7;
  EXPECT_NE(
      sentences(r, of_launches({Acts::event}))[0].find(
          "adds 21 µs on average, estimated from the 7 of them that have comparable launches without it)."),
      std::string::npos);
  r.contributions[0].mean_extra_ns = -2'000;
  EXPECT_NE(sentences(r, of_launches({Acts::event}))[0].find("each saves 2.0 µs"), std::string::npos);
}

TEST(Sentences, ASmallShareIsWithinItsInterval) {
  CausalResult r = result({contribution("a", Role::cause, 1.4)});
  r.contributions[0].ci_low = 1.04, r.contributions[0].ci_high = 1.44;
  SentenceContext t;
  t.target = TargetKind::column, t.acts = {Acts::column};
  EXPECT_TRUE(sentences(r, t)[0].starts_with("1.4 % (1.0–1.4 %) of"));
}

TEST(Sentences, AnIntervalThatRoundsToTheShareIsOmitted) {
  CausalResult r = result({contribution("a", Role::cause, 100)});
  r.contributions[0].ci_low = 99.97, r.contributions[0].ci_high = 100;
  SentenceContext t;
  t.target = TargetKind::column, t.acts = {Acts::column};
  EXPECT_TRUE(sentences(r, t)[0].starts_with("100.0 % of")) << sentences(r, t)[0];
  r.contributions[0].ci_low = 99.9;
  EXPECT_TRUE(sentences(r, t)[0].starts_with("100.0 % (99.9–100.0 %) of")) << sentences(r, t)[0];
}

TEST(Sentences, WithoutResamplesThereAreNoIntervals) {
  CausalResult r = result({attributed("migrations", Role::associated, 94)});
  r.bootstrap = 0;
  const auto reported = sentences(r, of_launches({Acts::event}));
  EXPECT_TRUE(std::any_of(reported.begin(), reported.end(), [](const std::string& s) {
    return s.find("migrations, 94 % of it, but without bootstrap resamples its uncertainty is unknown.") !=
           std::string::npos;
  })) << reported[1];
}

TEST(Sentences, AssociationsWithoutOverlapAreNotAttributedToACause) {
  auto overlapping = attributed("gap", Role::associated, 40);
  overlapping.rest_percent = 2;
  const auto reported = sentences(result({overlapping}), of_launches({Acts::shift}));
  EXPECT_NE(reported[1].find("other associated factors account for most of this share"), std::string::npos)
      << reported[1];
  const auto with_events = sentences(result({attributed("migrations", Role::cause, 50), overlapping}),
                                     of_launches({Acts::event, Acts::shift}));
  EXPECT_NE(with_events.back().find("Also associated, mostly through the causes above: gap, 40 % (34–43 %)."),
            std::string::npos)
      << with_events.back();
}

TEST(Sentences, AmountsStateWhetherTheyMoveOrWidenDurations) {
  CausalResult r = result({attributed("SM clock", Role::cause, 95)});
  const auto reported = [&](Acts acts, int sign) {
    r.contributions[0].sign = sign;
    return sentences(r, of_launches({acts}))[0];
  };
  EXPECT_NE(reported(Acts::shift, -1)
                .find("launches at lower values take longer (17 of 1,086 launches; 21 µs on average)"),
            std::string::npos);
  EXPECT_NE(reported(Acts::shift, 1).find("launches at higher values take longer"), std::string::npos);
  EXPECT_NE(reported(Acts::spread, -1).find("launches at lower values vary more (17"), std::string::npos);
  EXPECT_NE(reported(Acts::bend, 0).find("launches take longer at some of its values than at others"),
            std::string::npos);
  EXPECT_NE(reported(Acts::both_ways, 0)
                .find("launches of some configurations take longer at its higher values, those of others at"),
            std::string::npos);
  EXPECT_NE(reported(Acts::configuration, 1)
                .find("launches vary more at higher values, relative to their duration"),
            std::string::npos);
}

TEST(Sentences, CausesAfterTheFirstStateWhatTheyAddAndWhatIsLeft) {
  auto second = attributed("stream 14", Role::cause, 40);
  second.rest_percent = 25;
  const auto reported = sentences(result({attributed("migrations", Role::cause, 50), second}),
                                  of_launches({Acts::event, Acts::event}));
  ASSERT_EQ(reported.size(), 3u);
  EXPECT_TRUE(reported[1].starts_with("A further 25 % comes from stream 14")) << reported[1];
  EXPECT_NE(reported[1].find("alone it would account for 40 % (34–43 %)"), std::string::npos) << reported[1];
  EXPECT_EQ(reported[2], "25 % of the variability of `reset` is not explained by anything recorded.");
  EXPECT_NEAR(percent_without_cause(result({attributed("migrations", Role::cause, 50), second})), 25, 1e-9);
  second.role = Role::associated;
  EXPECT_NEAR(percent_without_cause(result({attributed("migrations", Role::cause, 50), second})), 50, 1e-9);
  EXPECT_NEAR(percent_without_cause(result({second})), 100, 1e-9);
}

TEST(Sentences, SharesDoNotAddUpToMoreThanAll) {
  auto second = attributed("stream 14", Role::cause, 40);
  second.rest_percent = 26;
  const auto reported = sentences(result({attributed("copies", Role::cause, 96), second}),
                                  of_launches({Acts::event, Acts::event}));
  EXPECT_TRUE(reported[1].starts_with("A further 4 % comes from stream 14")) << reported[1];
}

TEST(Sentences, UndirectedFactorsAreNamedWithCausesToo) {
  auto r = result({attributed("migrations", Role::cause, 50)});
  FeatureReport clock;
  clock.name = clock.label = "clock";
  r.features.push_back(clock);
  Edge edge;
  edge.from = "clock", edge.to = r.target, edge.directed = false;
  r.edges.push_back(edge);
  const auto reported = sentences(r, of_launches({Acts::event}));
  EXPECT_TRUE(reported.back().starts_with(
      "clock is associated with the variability, but the data do not identify the direction."))
      << reported.back();
}

TEST(Sentences, AssociationsThatAreNoCausesForOneReasonShareASentence) {
  std::vector<Contribution> ranks;
  for (const char* label : {"rank 0", "rank 1", "rank 2", "rank 3", "rank 4"}) {
    ranks.push_back(attributed(label, Role::associated, 5));
    ranks.back().attributable_ci_low = 4, ranks.back().attributable_ci_high = 6;
  }
  const auto of_all = [&](std::size_t count) {
    const auto reported = sentences(
        result({ranks.begin(), ranks.begin() + static_cast<std::ptrdiff_t>(count)}), of_launches({}));
    std::vector<std::string> found;
    std::ranges::copy_if(reported, std::back_inserter(found),
                         [](const std::string& s) { return s.starts_with("Associated"); });
    EXPECT_EQ(found.size(), 1u) << count;
    return found.empty() ? std::string() : found.front();
  };
  EXPECT_EQ(of_all(2),
            "Associated with the variability of `reset`: rank 0, 5.0 % (4.0–6.0 %) of it; rank 1, 5.0 % "
            "(4.0–6.0 %), but only factors of 10 % or more are called causes.");
  EXPECT_NE(of_all(4).find("rank 3"), std::string::npos);
  EXPECT_NE(of_all(5).find("rank 2, 5.0 % (4.0–6.0 %); and 2 more, but only"), std::string::npos);
}

TEST(Sentences, SmallSharesAreNotCalledWeakEvidence) {
  auto small = attributed("copies", Role::associated, 4.3);
  small.attributable_ci_low = 3.6, small.attributable_ci_high = 5.1, small.rest_percent = 4;
  const auto reported = sentences(result({attributed("migrations", Role::cause, 80), small}),
                                  of_launches({Acts::event, Acts::event}));
  EXPECT_TRUE(std::any_of(reported.begin(), reported.end(), [](const std::string& s) {
    return s.find("but only factors of 10 % or more are called causes") != std::string::npos;
  }));
}

TEST(Sentences, StateWhereTheRestIs) {
  auto r = result({attributed("migrations", Role::cause, 50)});
  r.rest = Rest{"search", 77.4, 1'155};
  EXPECT_EQ(sentences(r, of_launches({Acts::event}))[1],
            "50 % of the variability of `reset` is not explained by anything recorded, 77 % of it on "
            "`search` (1,155 launches).");
  r.contributions.clear();
  EXPECT_TRUE(
      sentences(r, of_launches({}))[0].ends_with("launches); 77 % of it is on `search` (1,155 launches)."))
      << sentences(r, of_launches({}))[0];
}

TEST(Sentences, SharesOfOtherColumnsAreNotReportedAsUnexplained) {
  CausalResult r = result({contribution("a", Role::cause, 40)});
  r.target = r.target_label = "power", r.unexplained_percent = 0.2;
  SentenceContext t;
  t.acts = {Acts::column, Acts::column};
  EXPECT_EQ(sentences(r, t)[1],
            "A further 60 % of the variance is associated with columns that vary with these causes.");
  r.contributions.push_back(contribution("b", Role::associated, 30));
  r.unexplained_percent = 25;
  EXPECT_EQ(sentences(r, t)[1],
            "A further 35 % of the variance is associated with the columns below; 25 % is not explained by "
            "anything recorded.");
  auto more = attributed("gap", Role::associated, 30);
  more.rest_percent = 30;
  EXPECT_EQ(
      sentences(result({attributed("migrations", Role::cause, 50), more}),
                of_launches({Acts::event, Acts::shift}))[1],
      "50 % of the variability of `reset` has no identified cause; associated factors account for part of "
      "it.");
}

TEST(Sentences, NothingIsReportedToExplainWhereNothingDoes) {
  auto weak = attributed("gap", Role::associated, 30);
  weak.rest_percent = 30;
  const auto reported = sentences(result({weak}), of_launches({Acts::shift}));
  ASSERT_EQ(reported.size(), 2u);
  EXPECT_EQ(
      reported[0],
      "Recorded factors are associated with the variability of `reset`, but none can be called its cause "
      "with confidence (1,086 launches).");
  auto weaker = attributed("gap", Role::associated, 5);
  EXPECT_EQ(sentences(result({weaker}), of_launches({Acts::shift}))[0],
            "Nothing recorded explains the variability of `reset` (1,086 launches).");
  weaker.rest_percent = 5;
  EXPECT_EQ(sentences(result({weaker}), of_launches({Acts::shift}))[0],
            "Nothing recorded explains more than 5 % of the variability of `reset` (1,086 "
            "launches).")
      << "the associated factor is listed";
  EXPECT_NE(reported[1].find("but the evidence is too weak to call it a cause"), std::string::npos)
      << reported[1];
}

// "Not explained by anything recorded" is not next to a recorded factor that accounts for part of the rest.
TEST(Sentences, TheRestHasAssociatedFactorsWhereTheyAreListed) {
  const auto rest_of = [](Contribution other) {
    auto cause = attributed("migrations", Role::cause, 33);
    return sentences(result({cause, std::move(other)}), of_launches({Acts::event, Acts::event})).at(1);
  };
  auto weak = attributed("call site", Role::associated, 8.8);
  weak.rest_percent = 8.8;
  EXPECT_NE(rest_of(weak).find("has no identified cause; associated factors account for part of it"),
            std::string::npos)
      << rest_of(weak);
  auto through = attributed("bytes", Role::associated, 33);
  through.rest_percent = 2;
  EXPECT_NE(rest_of(through).find("is not explained by anything recorded"), std::string::npos)
      << "it accounts for the same part as the cause: " << rest_of(through);
}

TEST(Wording, AShareIsNeverRoundedToAllOrNothing) {
  EXPECT_EQ(share_in_words(100), "100 %");
  EXPECT_EQ(share_in_words(99.6), "99.6 %");
  EXPECT_EQ(share_in_words(99.97), "99.97 %");
  EXPECT_EQ(share_in_words(99.99996), "> 99.999 %");
  EXPECT_EQ(share_in_words(99.4), "99 %");
  EXPECT_EQ(share_in_words(37.4), "37 %");
  EXPECT_EQ(share_in_words(9.97), "10 %");
  EXPECT_EQ(share_in_words(0.843), "0.84 %");
  EXPECT_EQ(share_in_words(0.04), "0.04 %");
  EXPECT_EQ(share_in_words(0.00004), "< 0.001 %");
  EXPECT_EQ(share_in_words(0), "0 %");
}

TEST(Sentences, AssociationsStateWhyTheyAreNotCauses) {
  auto overlapping = attributed("bytes moved", Role::associated, 60),
       queue = attributed("queue delay", Role::associated, 60);
  overlapping.rest_percent = 5, queue.rest_percent = 60, queue.feature = "queue_delay";
  const auto reported = sentences(result({attributed("migrations", Role::cause, 95), overlapping, queue}),
                                  of_launches({Acts::event, Acts::shift, Acts::shift}));
  ASSERT_EQ(reported.size(), 3u);
  EXPECT_NE(reported[1].find("mostly through the causes above"), std::string::npos) << reported[1];
  EXPECT_NE(reported[2].find("waiting shows how long earlier work took"), std::string::npos) << reported[2];
}

TEST(Sentences, AColumnWithoutAConfidentCauseIsReportedAsAssociated) {
  CausalResult r = result({contribution("a", Role::associated, 30)});
  r.target = r.target_label = "power";
  SentenceContext t;
  t.acts = {Acts::column};
  EXPECT_EQ(sentences(r, t)[0],
            "Recorded factors are associated with power, but none can be called its cause with "
            "confidence (1,086 rows).");
  r.contributions[0].percent = 3;
  EXPECT_EQ(sentences(r, t)[0],
            "Nothing recorded explains more than 3 % of the variance of power (1,086 rows).");
  // With an undirected edge, the sentence states that the direction is not identified.
  Edge open;
  open.from = "power", open.to = "a", open.directed = false;
  r.edges = {open};
  FeatureReport a;
  a.name = "a", a.label = "clock";
  r.features = {a};
  EXPECT_NE(
      sentences(r, t)[1].find("clock is associated with power, but the data do not identify the direction"),
      std::string::npos);
}

} // namespace
} // namespace jitterscope::causal
