// Every kind of sentence of a causal answer, with real numbers, against tests/golden/causal_sentences.txt,
// so that every change of a text is reviewed. JITTERSCOPE_WRITE_GOLDEN=1 causal_test
// --gtest_filter='SentenceKinds*' writes the file.

#include <cstdlib>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "core/causal/answer/advice.h"
#include "core/causal/answer/sentences.h"

namespace jitterscope::causal {
namespace {

const std::string kGolden = std::string(JITTERSCOPE_GOLDEN_DIR) + "/causal_sentences.txt";

FeatureReport named(const char* name, const char* label, const char* unit = "") {
  FeatureReport f;
  f.name = name, f.label = label, f.unit = unit;
  return f;
}

/// A contribution to the variability of launches.
Contribution factor(const char* feature, const char* label, Role role, double share) {
  Contribution c;
  c.feature = feature, c.label = label, c.role = role, c.sign = 1, c.stability = 0.95, c.event = true;
  c.percent = share / 2, c.ci_low = share / 2 - 4, c.ci_high = share / 2 + 5;
  c.attributable_percent = share, c.attributable_ci_low = share - 2, c.attributable_ci_high = share + 1;
  c.rest_percent = share, c.affected = 1'079, c.of_rows = 20'000, c.compared = 1'079,
  c.mean_extra_ns = 15'000;
  return c;
}

Contribution migration() {
  return factor("migration_ns", "unified-memory migration during the launch", Role::cause, 87);
}

/// A contribution to the variance of a column.
Contribution column(const char* feature, const char* label, Role role, double share) {
  Contribution c;
  c.feature = feature, c.label = label, c.role = role, c.sign = -1, c.stability = 0.97;
  c.percent = share, c.ci_low = share - 3, c.ci_high = share + 4;
  return c;
}

class Kinds {
public:
  void launches(const char* kind, std::vector<Contribution> contributions, std::vector<Acts> acts,
                void (*change)(CausalResult&) = nullptr, const char* call_sites = "") {
    CausalResult r;
    r.n = 20'000, r.bootstrap = 200, r.target = "kernel_variability", r.target_label = "the variability";
    r.contributions = std::move(contributions);
    if (change) change(r);
    SentenceContext t;
    t.target = TargetKind::variability, t.acts = std::move(acts), t.call_sites = call_sites;
    write(kind, r, t);
  }
  void table(const char* kind, std::vector<Contribution> contributions,
             void (*change)(CausalResult&) = nullptr) {
    CausalResult r;
    r.n = 8'000, r.bootstrap = 200, r.target = "runtime_ms", r.target_label = "runtime ms",
    r.unexplained_percent = 40;
    r.contributions = std::move(contributions);
    if (change) change(r);
    SentenceContext t;
    t.acts.assign(r.contributions.size(), Acts::column);
    write(kind, r, t);
  }
  std::string text() const { return text_.str(); }

private:
  void write(const char* kind, const CausalResult& r, const SentenceContext& t) {
    text_ << "[" << kind << "]\n";
    for (const auto& sentence : sentences(r, t)) text_ << sentence << "\n";
    for (const auto& line : in_words(advice_on(r, Tool::nsight_systems))) text_ << line << "\n";
    text_ << "\n";
  }
  std::ostringstream text_;
};

Contribution changed(Contribution c, void (*change)(Contribution&)) {
  change(c);
  return c;
}

void causes(Kinds& kinds) {
  kinds.launches("an event", {migration()}, {Acts::event});
  kinds.launches("an event, part of its launches compared",
                 {changed(migration(), [](auto& c) { c.compared = 412; })}, {Acts::event});
  kinds.launches("an event that shortens launches",
                 {changed(factor("graph_launch", "launch from a graph", Role::cause, 31),
                          [](auto& c) { c.mean_extra_ns = -3'200; })},
                 {Acts::event});
  kinds.launches("an event that widens the spread", {factor("stream_14", "stream 14", Role::cause, 22)},
                 {Acts::spread_by_event});
  kinds.launches("a numeric factor",
                 {changed(factor("mean_gpc_clock_hz", "GPC clock", Role::cause, 64),
                          [](auto& c) { c.event = false, c.sign = -1, c.reference = 1.41e9; })},
                 {Acts::shift}, [](CausalResult& r) {
                   r.features.push_back(named("mean_gpc_clock_hz", "GPC clock", "Hz"));
                 });
  kinds.launches(
      "a numeric factor that widens the spread",
      {changed(factor("gap_ns", "gap before the launch", Role::cause, 45), [](auto& c) { c.event = false; })},
      {Acts::spread});
  kinds.launches("a factor along a bend",
                 {changed(factor("temperature", "temperature", Role::cause, 35),
                          [](auto& c) { c.event = false, c.sign = 0; })},
                 {Acts::bend});
  kinds.launches("a configuration column",
                 {changed(factor("blocks", "number of blocks", Role::cause, 28),
                          [](auto& c) { c.event = false, c.sign = -1; })},
                 {Acts::configuration});
  kinds.launches("a call site", {factor("call_site", "call site", Role::cause, 40)}, {Acts::event}, nullptr,
                 "Call sites differ most for `scale`: typically 16 µs after `fill` and 10 µs after `gemm`.");
  kinds.launches("two causes and what is left",
                 {factor("migration_ns", "unified-memory migration during the launch", Role::cause, 60),
                  changed(factor("first_launch", "first launch of its configuration", Role::cause, 24),
                          [](auto& c) { c.rest_percent = 18; })},
                 {Acts::event, Acts::event}, [](CausalResult& r) {
                   r.rest = Rest{"search", 77.4, 1'155};
                 });
  kinds.launches("a cause measured without another",
                 {changed(migration(), [](auto& c) { c.apart_from = "first_launch"; })}, {Acts::event},
                 [](CausalResult& r) {
                   r.features.push_back(named("first_launch", "first launch of its configuration"));
                 });
  kinds.launches("a cause of some kernels",
                 {changed(migration(),
                          [](auto& c) {
                            c.only_on = OnKernels{{"sum", "add"}, {"copy"}, 340, 81};
                          })},
                 {Acts::event});
  kinds.launches("a cause with a condition",
                 {changed(migration(),
                          [](auto& c) {
                            c.only_where = Condition{"read_only", "read only = 1", 1, 71};
                          })},
                 {Acts::event});
  kinds.launches("a twin", {changed(migration(), [](auto& c) { c.twins = {"eviction"}; })}, {Acts::event},
                 [](CausalResult& r) { r.features.push_back(named("eviction", "eviction")); });
}

void associations(Kinds& kinds) {
  const auto next_to_migration = [&](const char* kind, Contribution c,
                                     void (*change)(CausalResult&) = nullptr) {
    kinds.launches(
        kind,
        {factor("migration_ns", "unified-memory migration during the launch", Role::cause, 60), std::move(c)},
        {Acts::event, Acts::event}, change);
  };
  const auto associated = [](const char* feature, const char* label, double share = 40) {
    return factor(feature, label, Role::associated, share);
  };
  next_to_migration("mostly through a cause",
                    changed(associated("linked_transfer_ns", "memory operations since the previous launch"),
                            [](auto& c) { c.rest_percent = 2; }));
  next_to_migration("waiting in a queue",
                    associated("queue_delay_ns", "delay between the launch call and the start"));
  next_to_migration("other work beside shorter launches",
                    changed(associated("concurrency > 0", "other kernels running at the same time"),
                            [](auto& c) { c.sign = -1; }));
  next_to_migration("rows selected by the target", associated("gap_ns", "gap before the launch"),
                    [](CausalResult& r) { r.selected_by_target = true; });
  next_to_migration("earlier work", changed(associated("gap_ns", "gap before the launch"),
                                            [](auto& c) { c.of_earlier_work = true; }));
  next_to_migration("without resamples", associated("gap_ns", "gap before the launch"),
                    [](CausalResult& r) { r.bootstrap = 0; });
  next_to_migration("few launches",
                    changed(associated("overlap_peer_to_peer_ns", "peer-to-peer copies during the launch"),
                            [](auto& c) { c.affected = 4; }));
  next_to_migration("one stretch",
                    changed(associated("concurrency", "other kernels running at the same time"),
                            [](auto& c) { c.in_one_stretch = true; }));
  next_to_migration("drift",
                    changed(associated("temperature", "temperature"), [](auto& c) { c.drifts = true; }));
  next_to_migration("exposure", changed(associated("page_fault_count", "page faults during the launch"),
                                        [](auto& c) { c.of_length = true; }));
  next_to_migration("a small share",
                    changed(associated("overlap_memset_ns", "memsets during the launch", 4.3),
                            [](auto& c) { c.rest_percent = 4; }));
  next_to_migration("an uncertain sign",
                    changed(associated("stream_13", "stream 13"), [](auto& c) { c.sign = 0; }));
  next_to_migration("weak evidence",
                    changed(associated("power", "power"), [](auto& c) { c.stability = 0.6; }));
  kinds.launches(
      "overlap without a cause",
      {changed(associated("gap_ns", "gap before the launch"), [](auto& c) { c.rest_percent = 2; })},
      {Acts::shift});
  kinds.launches("associations without a cause",
                 {changed(associated("power", "power"), [](auto& c) { c.stability = 0.6; })}, {Acts::shift});
  kinds.launches("nothing", {}, {});
  kinds.launches("nothing, most of it on one kernel", {}, {}, [](CausalResult& r) {
    r.rest = Rest{"search", 77.4, 1'155};
  });
}

void tables(Kinds& kinds) {
  kinds.table("a cause of a column", {column("sm_clock", "SM clock", Role::cause, 58)},
              [](CausalResult& r) { r.unexplained_percent = 41; });
  kinds.table("associations of a column", {column("sm_clock", "SM clock", Role::cause, 38),
                                           column("power", "power", Role::associated, 21)});
  kinds.table("a column without a cause", {column("power", "power", Role::associated, 30)});
  kinds.table("nothing explains a column", {});
  kinds.table("an open direction", {column("power", "power", Role::associated, 30)}, [](CausalResult& r) {
    Edge open;
    open.from = "temperature", open.to = r.target, open.directed = false;
    r.edges.push_back(open), r.features.push_back(named("temperature", "temperature"));
  });
  kinds.table("curves, pairs and spread", {}, [](CausalResult& r) {
    r.bends.push_back({"tile", "tile size", 34});
    r.pairs.push_back({"unroll", "vector", "unroll", "vector width", 22});
    r.spreads.push_back({"node", "node", 18});
  });
  kinds.table("non-linear effects", {column("sm_clock", "SM clock", Role::cause, 58)}, [](CausalResult& r) {
    Nonlinear check;
    check.part = 0.17;
    r.nonlinear = check;
  });
}

void more_tables(Kinds& kinds) {
  kinds.table("non-linear effects alone", {}, [](CausalResult& r) {
    Nonlinear check;
    check.part = 0.17;
    r.nonlinear = check;
  });
  kinds.launches("two measures of a cause with a condition",
                 {migration(), changed(factor("migration_count", "migrations", Role::cause, 40),
                                       [](auto& c) {
                                         c.under = "migration_ns", c.rest_percent = 3;
                                         c.only_where = Condition{"read_only", "read only = 1", 1, 71};
                                       })},
                 {Acts::event, Acts::event});
}

TEST(SentenceKinds, ReadAsTheGoldenFileHasThem) {
  Kinds kinds;
  causes(kinds), associations(kinds), tables(kinds), more_tables(kinds);
  if (std::getenv("JITTERSCOPE_WRITE_GOLDEN")) std::ofstream(kGolden) << kinds.text();
  std::ifstream file(kGolden);
  ASSERT_TRUE(file) << kGolden;
  std::stringstream golden;
  golden << file.rdbuf();
  std::istringstream ours(kinds.text()), theirs(golden.str());
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
} // namespace jitterscope::causal
