// How long each operation works without looking whether it was cancelled: the longest time between two looks,
// from the start of the operation to its end. Prints one line for each; an operation that ends within the
// limit needs no look.
//
// jitterscope-bench-cancel STORE.jts… | FILE.sqlite

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "core/engine/operations.h"
#include "core/import/import.h"
#include "core/store/store.h"
#include "tests/support/temporary_folder.h"

using namespace jitterscope;
using nlohmann::json;
using Clock = std::chrono::steady_clock;

namespace {

constexpr double kLimit = 50; // ms

double ms_between(Clock::time_point a, Clock::time_point b) {
  return std::chrono::duration<double, std::milli>(b - a).count();
}

class Bench {
public:
  void run(const char* operation, const json& options) {
    const auto begin = Clock::now();
    auto last = begin;
    double longest = 0, at = 0;
    long looks = 0;
    const auto look = [&](Clock::time_point now) {
      if (ms_between(last, now) > longest) longest = ms_between(last, now), at = ms_between(begin, last);
      last = now;
    };
    Job job;
    job.cancelled = [&] { return ++looks, look(Clock::now()), false; };
    const auto answer = engine::run_operation(*engine::find_operation(operation),
                                              {workspace_, *communicator_, job, {}}, options);
    const auto end = Clock::now();
    look(end);
    std::printf("%-19s %9.1f %9ld %9.1f %9.1f %s %.90s%s\n", operation, ms_between(begin, end), looks,
                longest, at, longest > kLimit ? "LATE" : "    ", options.dump().c_str(),
                answer ? "" : (" " + answer.error().message).c_str());
    std::fflush(stdout);
  }
  const analysis::Session& session() const { return *workspace_.session; }

private:
  engine::Workspace workspace_;
  std::unique_ptr<Communicator> communicator_ = local_communicator();
};

} // namespace

int main(int argc, char** argv) {
  const test::TemporaryFolder folder;
  std::vector<std::string> stores(argv + 1, argv + argc);
  if (stores.empty()) return 1;
  std::printf("%-19s %9s %9s %9s %9s\n", "operation", "ms", "looks", "longest", "from ms");
  Bench bench;
  if (!stores.front().ends_with(".jts")) {
    const auto made = folder.file("made.jts");
    bench.run("import", {{"files", stores}, {"output", made}});
    stores = {made};
  }
  bench.run("open", {{"stores", stores}});
  const auto end = bench.session().span().end.count;
  const auto rows = bench.session().launches();
  const json axis = {{"column", "duration"}, {"edges", {0, 20'000, 50'000, 900'000}}};
  bench.run("bins", {{"all", true}});
  bench.run("bins", {{"by", "kernel"}, {"width_ns", 1'000'000}, {"partial", true}});
  bench.run("kernels", {{"where", "duration > 10us"}});
  bench.run("distribution", {{"group_by", "configuration"}, {"where", "duration > 10us"}});
  bench.run("launches", {{"sort", "duration"},
                         {"first", rows / 2},
                         {"count", 1'000},
                         {"columns", {"name", "duration"}},
                         {"locate", 17}});
  bench.run("launches", {{"sort", "collective_wait_ns"}, {"count", 100}});
  bench.run("heat_map", {{"where", "duration > 10us"}});
  bench.run("area_of_selection", {{"begin_ns", 0}, {"end_ns", end}, {"where", "duration > 10us"}});
  bench.run("rows_near",
            {{"left", axis}, {"at", 0.3}, {"within", 0.2}, {"count", 1'000}, {"columns", {"name", "start"}}});
  bench.run("parallel", json::object());
  bench.run("parallel", {{"most_axes", 12}, {"within", "duration > 10us"}, {"colour_by", "gap_ns"}});
  bench.run("parallel", {{"axes", {"duration", "gap_ns", "short_name"}},
                         {"scales", {{"duration", "rank"}}},
                         {"orders", {{"short_name", "target"}}},
                         {"target", "duration"},
                         {"within", "duration > 12us"}});
  bench.run("widest_columns", {{"most", 12}});
  bench.run("related_order",
            {{"axes", {"duration", "gap_ns", "start", "stream", "concurrency", "queue_delay_ns"}},
             {"mutual_information", true}});
  bench.run("tracks", json::object());
  bench.run("timeline", {{"begin_ns", 0},
                         {"end_ns", end},
                         {"columns", 2'000},
                         {"where", "duration > 10us"},
                         {"value", "against_usual"}});
  bench.run("timeline", {{"begin_ns", 0}, {"end_ns", end}, {"columns", 20'000}});
  bench.run("timeline", {{"begin_ns", end / 2},
                         {"end_ns", end / 2 + end / 50},
                         {"columns", 2'000},
                         {"where", "duration > gap_ns"},
                         {"value", "duration"}});
  bench.run("overview", {{"columns", 20'000}});
  bench.run("stretches", {{"least_gap", 1e-4}});
  bench.run("statistics_of_range", {{"track", 0}, {"begin_ns", 0}, {"end_ns", end}});
  bench.run("area", {{"begin_ns", 0}, {"end_ns", end}});
  bench.run("launch", {{"row", rows / 2}});
  bench.run("flow", {{"row", rows / 2}});
  bench.run("step", {{"row", rows / 2}, {"by", "kernel"}, {"direction", 1}});
  bench.run("step", {{"row", 0}, {"by", "stream"}, {"direction", -1}});
  bench.run("partners", {{"row", rows / 2}});
  bench.run("arrivals", json::object());
  bench.run("check_filter", {{"where", "duration > 10us"}});
  bench.run("evidence", {{"from", "gap_ns"}, {"to", "duration"}, {"target", "duration"}});
  bench.run("contrast", {{"where", "duration > 20us"}});
  bench.run("reasons", {{"moments", {{0, end / 3}, {end / 2, end}}}});
  bench.run("causes_along", {{"begin_ns", 0}, {"end_ns", end}, {"columns", 2'000}});
  bench.run("causes_along", {{"begin_ns", end / 2}, {"end_ns", end / 2 + end / 50}, {"columns", 2'000}});
  bench.run("causal", {{"bootstrap", 20}, {"most_rows", 200'000}});
}
