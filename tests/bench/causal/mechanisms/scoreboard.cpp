// How often the causal engine is right on mechanisms whose true causes are known by simulating without them.
// `jitterscope_causal_mechanisms [--half develop|report] [--seeds N] [--first-seed S] [--only NAME|AREA]
// [--each] [--intervals] [--no-rivals] [--aims]`
// With --aims, the exit code is 1 if the true cause is named first in less than 95 % of the runs, a false one
// in more than 3 %, or less than 93 or more than 97 % of the intervals contain the share of their own run.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <map>

#include "core/causal/answer/analyse.h"
#include "tests/bench/causal/mechanisms/rivals.h"

namespace {

using namespace jitterscope;
using namespace jitterscope::causal;
using namespace jitterscope::mechanisms;

struct Score {
  int runs = 0, expected = 0, first = 0, wrong = 0, intervals = 0;
  int covered = 0; ///< intervals that contain the true share of their own run
  /// Intervals that contain the true share over many runs, which is what they estimate. More than 95 % of the
  /// intervals contain the share of their own run, because they are made from resampled rows of that run.
  int of_many = 0;
  void add(const Score& s) {
    runs += s.runs, expected += s.expected, first += s.first, wrong += s.wrong, intervals += s.intervals,
        covered += s.covered, of_many += s.of_many;
  }
};

struct Settings {
  std::string half = "develop", only;
  int seeds = 3;
  std::uint64_t first_seed = 1;
  bool each = false, rivals = true, intervals = false, aims = false;
};

bool begins_with_any(const std::string& name, const std::vector<std::string>& beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [&](const auto& b) { return name.starts_with(b); });
}

double variability(const Simulation& s) {
  const auto& table = s.table;
  if (table.duration_ns.empty()) { // a plain table: the variance of its target
    double mean = 0, squares = 0;
    for (const double v : s.outcome()) mean += v / static_cast<double>(s.n);
    for (const double v : s.outcome()) squares += (v - mean) * (v - mean);
    return squares;
  }
  std::vector<Column> of_group(table.groups());
  for (std::size_t i = 0; i < s.n; ++i) of_group[table.group[i]].push_back(table.duration_ns[i]);
  double sum = 0;
  for (Column& d : of_group) {
    if (d.empty()) continue;
    const auto middle = d.begin() + static_cast<std::ptrdiff_t>(d.size() / 2);
    std::nth_element(d.begin(), middle, d.end());
    for (const double v : d) sum += std::fabs(v - *middle);
  }
  return sum;
}

/// Percent of the variability of runs that vanishes without the cause; the random numbers stay the same.
double true_share(const Mechanism& m, std::optional<double> held_at, std::uint64_t first_seed, int runs) {
  double with = 0, without = 0;
  for (int r = 0; r < runs; ++r) {
    const std::uint64_t seed = first_seed + static_cast<std::uint64_t>(r);
    Simulation a(seed, m.rows, false, {}), b(seed, m.rows, true, held_at);
    m.run(a), m.run(b);
    with += variability(a), without += variability(b);
  }
  return 100 * (1 - without / with);
}

bool is_cause(const Contribution& c) {
  return c.role == Role::cause;
}

Score judge(const Mechanism& m, const CausalResult& r,
            const std::function<double(std::optional<double>)>& truth_of_run,
            const std::function<double(std::optional<double>)>& truth_of_many, bool print_interval) {
  Score s;
  s.runs = s.expected = 1;
  const Contribution* first = r.contributions.empty() ? nullptr : &r.contributions.front();
  const bool right = first && begins_with_any(first->feature, m.first);
  const double share = first ? first->attributable_percent.value_or(first->percent) : 0;
  for (const Contribution& c : r.contributions)
    if (is_cause(c) && !begins_with_any(c.feature, m.real) &&
        (m.label != Label::identifiable || !begins_with_any(c.feature, m.first)))
      s.wrong = 1;
  if (m.label == Label::identifiable) s.first = right && is_cause(*first);
  if (m.label == Label::associated)
    s.first = right && !is_cause(*first), s.wrong |= first && !right && share >= 10;
  if (m.label == Label::nothing) s.expected = 0;
  for (const Contribution& c : r.contributions) {
    if (m.label != Label::identifiable || !is_cause(c) || !begins_with_any(c.feature, m.first)) continue;
    const auto held_at = m.event_reference ? std::nullopt : c.reference;
    const auto holds = [&](double truth) {
      return c.attributable_percent ? c.attributable_ci_low <= truth && truth <= c.attributable_ci_high
                                    : c.ci_low <= truth && truth <= c.ci_high;
    };
    const double of_run = truth_of_run(held_at), of_many = truth_of_many(held_at);
    ++s.intervals, s.covered += holds(of_run), s.of_many += holds(of_many);
    if (print_interval)
      std::printf("interval %s %.3f %.3f %.3f, truth of the run %.3f, of many %.3f\n", m.name.c_str(),
                  c.attributable_percent ? c.attributable_ci_low : c.ci_low,
                  c.attributable_percent.value_or(c.percent),
                  c.attributable_percent ? c.attributable_ci_high : c.ci_high, of_run, of_many);
    break;
  }
  return s;
}

/// Other methods do not separate associations from causes: whichever column they name counts.
Score judge_rival(const Mechanism& m, const std::string& named) {
  Score s;
  s.runs = 1, s.expected = m.label == Label::identifiable;
  s.first = s.expected && begins_with_any(named, m.first) && !named.empty();
  s.wrong = !named.empty() && (m.label != Label::identifiable ||
                               (!begins_with_any(named, m.first) && !begins_with_any(named, m.real)));
  return s;
}

double percent(int part, int all) {
  return all > 0 ? 100.0 * part / all : 0.0;
}

bool reaches_aims(const Score& s) {
  const double covered = percent(s.covered, s.intervals);
  return percent(s.first, s.expected) >= 95 && percent(s.wrong, s.runs) <= 3 && covered >= 93 &&
         covered <= 97;
}

void print(const char* what, const Score& s) {
  std::printf(
      "%-34s %5d runs | first %4d of %4d %5.1f %% | false %4d %5.1f %% | covered %4d of %4d %5.1f %%, of "
      "many %5.1f %%\n",
      what, s.runs, s.first, s.expected, percent(s.first, s.expected), s.wrong, percent(s.wrong, s.runs),
      s.covered, s.intervals, percent(s.covered, s.intervals), percent(s.of_many, s.intervals));
}

/// Returns the score over all runs.
Score run_all(const Settings& o) {
  std::map<std::string, Score> areas;
  Score all, lines, trees, lingam;
  const auto communicator = local_communicator();
  for (const Mechanism& m : all_mechanisms()) {
    if (!o.only.empty() ? m.name != o.only && m.area != o.only
                        : is_for_development(m.name) != (o.half == "develop"))
      continue;
    Score own;
    std::map<std::optional<double>, double> truths;
    const auto truth_of_many = [&](std::optional<double> held_at) {
      const auto [at, missing] = truths.try_emplace(held_at, 0.0);
      return missing ? at->second = true_share(m, held_at, 900'001, 30) : at->second;
    };
    for (int k = 0; k < o.seeds; ++k) {
      const std::uint64_t seed = o.first_seed + static_cast<std::uint64_t>(k);
      double truth = 0;
      const auto truth_of_run = [&](std::optional<double> held_at) {
        return truth = true_share(m, held_at, seed, 1);
      };
      Simulation s(seed, m.rows, false, {});
      m.run(s);
      Options options;
      options.second_opinions = false;
      const auto result = analyse(s.table, options, *communicator);
      if (!result) {
        std::printf("%s: %s\n", m.name.c_str(), describe(result.error()).c_str());
        own.add({1, m.label != Label::nothing});
        continue;
      }
      const Score one = judge(m, *result, truth_of_run, truth_of_many, o.intervals);
      own.add(one);
      if (o.each) {
        std::printf("  %s %d: first %d false %d, covered %d, truth %.1f\n", m.name.c_str(), k, one.first,
                    one.wrong, one.covered, truth);
        for (const auto& c : result->contributions)
          std::printf("    %s %s %.1f (%.1f–%.1f), R² %.1f (%.1f–%.1f), stability %.2f\n",
                      c.role == Role::cause ? "cause" : "associated", c.feature.c_str(),
                      c.attributable_percent.value_or(-1), c.attributable_ci_low, c.attributable_ci_high,
                      c.percent, c.ci_low, c.ci_high, c.stability);
        for (const auto& sentence : result->sentences) std::printf("      %s\n", sentence.c_str());
        for (const auto& w : result->warnings)
          std::printf("      note [%s]: %s\n", w.code.c_str(), w.text.c_str());
      }
      if (!o.rivals) continue;
      const Rivals rivals = ask_rivals(s.table);
      lines.add(judge_rival(m, rivals.least_squares)), trees.add(judge_rival(m, rivals.boosted_trees)),
          lingam.add(judge_rival(m, rivals.lingam));
    }
    print(("  " + m.name).c_str(), own);
    areas[m.area].add(own), all.add(own);
    std::fflush(stdout);
  }
  for (const auto& [area, score] : areas) print(area.c_str(), score);
  print("overall", all);
  if (o.rivals) print("least squares", lines), print("boosted trees", trees), print("DirectLiNGAM", lingam);
  return all;
}

} // namespace

int main(int count, char** arguments) {
  Settings o;
  for (int i = 1; i < count; ++i) {
    const std::string name = arguments[i];
    const char* value = i + 1 < count ? arguments[i + 1] : "";
    if (name == "--half")
      o.half = value, ++i;
    else if (name == "--seeds")
      o.seeds = std::max(1, std::atoi(value)), ++i;
    else if (name == "--first-seed")
      o.first_seed = std::strtoull(value, nullptr, 10), ++i;
    else if (name == "--only")
      o.only = value, ++i;
    else if (name == "--each")
      o.each = true;
    else if (name == "--intervals")
      o.intervals = true;
    else if (name == "--no-rivals")
      o.rivals = false;
    else if (name == "--aims")
      o.aims = true;
    else
      return std::fprintf(stderr, "unknown option %s\n", name.c_str()), 2;
  }
  const Score all = run_all(o);
  return o.aims && !reaches_aims(all) ? 1 : 0;
}
