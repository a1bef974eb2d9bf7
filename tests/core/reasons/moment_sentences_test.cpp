// Every kind of sentence about a moment, with real numbers, compared with tests/golden/moment_sentences.txt.
// JITTERSCOPE_WRITE_GOLDEN=1 moment_sentences_test writes the file.

#include <cstdlib>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "core/reasons/contrast.h"

namespace jitterscope::analysis {
namespace {

Contrast longer() {
  Contrast c;
  c.launches = 412, c.peers = 18'300;
  c.expected_ns = 22.5e6, c.excess_ns = 8.1e6, c.excess_low_ns = 7.2e6, c.excess_high_ns = 9.0e6,
  c.rest_ns = 0.57e6;
  Reason clock;
  clock.feature = "mean_gpc_clock_hz", clock.label = "GPC clock", clock.unit = "Hz";
  clock.excess_ns = 7.53e6, clock.low_ns = 7.1e6, clock.high_ns = 7.9e6;
  clock.here_text = "0.71 GHz", clock.elsewhere_text = "1.41 GHz", clock.launches = 405;
  c.reasons = {clock};
  return c;
}

Reason migration(double ns) {
  Reason r;
  r.feature = "migration_ns", r.label = "unified-memory migration during the launch",
  r.role = causal::FeatureRole::event;
  r.excess_ns = ns, r.low_ns = ns - 0.2e6, r.high_ns = ns + 0.3e6;
  r.here = 9, r.elsewhere = 0.4, r.launches = 37;
  r.here_text = "9 % of launches", r.elsewhere_text = "0.4 %";
  return r;
}

/// Launches that are shorter than their peers because they have no migrations, or fewer.
Contrast without_migrations(double here) {
  Contrast c;
  c.launches = 6, c.peers = 2'128;
  c.expected_ns = 22.5e6, c.excess_ns = -3.3e6, c.excess_low_ns = -4e6, c.excess_high_ns = -2.9e6;
  c.rest_ns = -0.1e6;
  c.reasons = {migration(-3.2e6)};
  c.reasons[0].here = here, c.reasons[0].elsewhere = 0.84, c.reasons[0].launches = 0;
  c.reasons[0].here_text = "0.1 % of launches", c.reasons[0].elsewhere_text = "0.84 %";
  return c;
}

std::string text() {
  std::ostringstream out;
  const auto write = [&](const char* kind, const Contrast& contrast) {
    out << "[" << kind << "]\n";
    for (const auto& sentence : sentences_of(contrast)) out << sentence << "\n";
    const auto reason = short_reason(contrast);
    out << "list: " << (reason.empty() ? note_of(contrast) : reason) << "\n\n";
  };
  Contrast c = longer();
  write("a numeric factor", c);
  c.reasons = {migration(6.9e6)};
  write("an event", c);
  c.reasons.push_back(longer().reasons[0]), c.reasons[1].excess_ns = -0.9e6, c.reasons[1].low_ns = -1.2e6,
                                            c.reasons[1].high_ns = -0.6e6;
  write("a factor in the other direction", c);
  c = longer();
  c.reasons[0].excess_ns = 9.6e6, c.reasons[0].low_ns = 9.1e6, c.reasons[0].high_ns = 10.1e6,
  c.rest_ns = -1.5e6;
  write("more than the excess", c);
  c = longer();
  c.reasons[0].role = causal::FeatureRole::category, c.reasons[0].feature = "device",
  c.reasons[0].label = "device", c.reasons[0].here_text = "3";
  write("a place", c);
  c = longer();
  c.reasons.clear(), c.rest_ns = c.excess_ns;
  Difference candidate{"power", "power", "W",    Difference::Kind::may_explain, 310, 240,
                       0.01,    "310 W", "240 W"};
  Difference once{"tokens", "tokens", "", Difference::Kind::only_here, 4'096, 512, 0.01, "4,096", "512"};
  c.differences = {candidate, once};
  write("nothing recorded, but differences", c);
  c.differences = {candidate};
  write("nothing recorded, but an association", c);
  c = longer();
  c.excess_ns = 0.2e6, c.excess_low_ns = -0.4e6, c.excess_high_ns = 0.7e6, c.left_out = 12;
  write("no excess", c);
  c = longer();
  c.excess_ns = -3.3e6, c.excess_low_ns = -4e6, c.excess_high_ns = -2.9e6, c.reasons.clear(),
  c.rest_ns = c.excess_ns;
  write("shorter launches", c);
  c = Contrast();
  c.left_out = 8, c.left_out_ns = 4e6, c.left_out_waiting_ns = 3.88e6;
  write("nothing to compare with", c);
  c.from = Contrast::From::filter, c.without_duration = 1;
  write("nothing that passes the filter to compare with", c);
  c = longer();
  c.reasons.insert(c.reasons.begin(), c.reasons[0]);
  c.reasons[0].low_ns = -1e6, c.reasons[0].label = "uncertain clock";
  write("the first reason is not sure", c);
  write("an absent event", without_migrations(0));
  write("a rarer event", without_migrations(0.1));
  c = without_migrations(0);
  c.reasons[0].excess_ns = -4.2e6, c.reasons[0].low_ns = -4.4e6, c.reasons[0].high_ns = -3.9e6,
  c.rest_ns = 0.9e6;
  write("an absent event, more than the excess", c);
  c = longer();
  c.work.ns = 9.4e6, c.work.expected_ns = 22.5e6, c.work.difference_ns = 10e6, c.work.kernel = "gemm",
  c.work.typical_ns = {90e3, 209e3};
  write("different work", c);
  return out.str();
}

TEST(MomentSentences, ReadAsTheGoldenFileHasThem) {
  const std::string path = std::string(JITTERSCOPE_GOLDEN_DIR) + "/moment_sentences.txt";
  if (std::getenv("JITTERSCOPE_WRITE_GOLDEN")) std::ofstream(path) << text();
  std::ifstream file(path);
  ASSERT_TRUE(file) << path;
  std::stringstream golden;
  golden << file.rdbuf();
  std::istringstream ours(text()), theirs(golden.str());
  std::string kind, a, b;
  for (int line = 1; std::getline(ours, a); ++line) {
    if (a.starts_with('[')) kind = a;
    ASSERT_TRUE(std::getline(theirs, b)) << kind;
    EXPECT_EQ(a, b) << kind << ", line " << line
                    << "; JITTERSCOPE_WRITE_GOLDEN=1 writes the file again: read the difference";
  }
  EXPECT_FALSE(std::getline(theirs, b)) << b;
}

} // namespace
} // namespace jitterscope::analysis
