// How long each operation works without checking whether it was cancelled: the longest CPU time of the main
// thread of any rank between two checks, including the start and the end of the operation. Prints one line
// per operation. The exit code is 1 if any of these times is above the limit.
//
// [mpirun -n RANKS] jitterscope-bench-cancel STORE.jts… | FILE.sqlite

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/engine/operations/operations.h"
#include "core/engine/ranks/mpi_communicator.h"
#include "core/import/import.h"
#include "core/store/format/store.h"
#include "tests/support/temporary_folder.h"

using namespace jitterscope;
using nlohmann::json;

namespace {

constexpr double kLimit = 50; // ms

double cpu_ms() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return 1e3 * static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_nsec);
}

/// The longest CPU time between two checks of a job, in ms, and the number of checks.
class Gaps {
public:
  bool check() {
    const double now = cpu_ms();
    if (now - last_ > longest) longest = now - last_, at = last_ - begin_;
    last_ = now;
    ++checks;
    return false;
  }
  double total() const { return last_ - begin_; }
  double longest = 0, at = 0;
  std::int64_t checks = 0;

private:
  const double begin_ = cpu_ms();
  double last_ = begin_;
};

class Bench {
public:
  Bench(Communicator& communicator, engine::MpiCommunicator* mpi) : communicator_(communicator), mpi_(mpi) {}

  void run(const char* name, const json& options) {
    const auto& operation = *engine::find_operation(name);
    if (communicator_.rank() != 0 && operation.reach != engine::Reach::AllRanks) return;
    Gaps gaps;
    Job job;
    job.cancelled = [&] { return gaps.check(); };
    const auto answer = engine::run_operation(operation, {workspace_, communicator_, job, {}}, options);
    gaps.check();
    if (mpi_ && operation.reach == engine::Reach::AllRanks)
      (void)mpi_->close_job(answer ? std::nullopt : std::optional<Error>(answer.error()));
    std::array worst = {static_cast<std::int64_t>(-1e3 * gaps.longest)};
    if (operation.reach == engine::Reach::AllRanks) (void)communicator_.minimum(worst);
    if (communicator_.rank() != 0) return;
    const double longest = -1e-3 * static_cast<double>(worst[0]);
    late_ = late_ || longest > kLimit;
    std::printf("%-19s %9.1f %9lld %9.1f %9.1f %s %.90s%s\n", name, gaps.total(),
                static_cast<long long>(gaps.checks), longest, gaps.at, longest > kLimit ? "LATE" : "    ",
                options.dump().c_str(), answer ? "" : (" " + answer.error().message).c_str());
    std::fflush(stdout);
  }
  bool is_open() const { return workspace_.session != nullptr; }
  const analysis::Session& session() const { return *workspace_.session; }
  bool late() const { return late_; }

private:
  engine::Workspace workspace_;
  Communicator& communicator_;
  engine::MpiCommunicator* mpi_;
  bool late_ = false;
};

} // namespace

int main(int argc, char** argv) {
  const auto mpi =
      std::getenv("OMPI_COMM_WORLD_SIZE") ? std::make_unique<engine::MpiCommunicator>(&argc, &argv) : nullptr;
  const auto local = local_communicator();
  Communicator& communicator = mpi ? static_cast<Communicator&>(*mpi) : *local;
  const test::TemporaryFolder folder;
  std::vector<std::string> stores(argv + 1, argv + argc);
  if (stores.empty()) return 1;
  if (communicator.rank() == 0)
    std::printf("%-19s %9s %9s %9s %9s\n", "operation", "CPU ms", "checks", "longest", "from ms");
  Bench bench(communicator, mpi.get());
  if (!stores.front().ends_with(".jts")) {
    auto made = folder.file("made.jts");
    bench.run("import", {{"files", stores}, {"output", made}});
    if (mpi) made = mpi->broadcast(made);
    stores = {made};
  }
  bench.run("open", {{"stores", stores}});
  if (!bench.is_open()) return 1;
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
                         {"value", "relative_to_mean"}});
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
  bench.run("devices", json::object());
  bench.run("launch_excess", {{"row", rows / 2}});
  bench.run("launch_links", {{"row", rows / 2}});
  bench.run("event", {{"track", 0}, {"row", rows / 2}});
  bench.run("event_flow", {{"track", 0}, {"row", rows / 2}});
  bench.run("efficiency", {{"sums", true}});
  bench.run("efficiency", {{"range", {0, end / 2}}, {"by", "rank"}});
  bench.run("gpus", json::object());
  bench.run("predict", {{"gpu", "A100"}});
  const char* modelled = "model_mwp > 2"; // computed on first use; unknown without counters
  for (const char* name : {"kernels", "distribution", "heat_map", "contrast"})
    bench.run(name, {{"where", modelled}});
  bench.run("bins", {{"all", true}, {"where", modelled}});
  bench.run("launches", {{"sort", "model_mwp"}, {"count", 1'000}, {"where", modelled}});
  bench.run("parallel", {{"axes", {"duration", "model_mwp", "model_waves"}}, {"within", modelled}});
  bench.run("timeline", {{"begin_ns", 0}, {"end_ns", end}, {"columns", 2'000}, {"where", modelled}});
  bench.run("causal", {{"where", modelled}, {"most_rows", 200'000}});
  bench.run("export_paraver", {{"path", folder.file("run.prv")}});
  bench.run("export_chrome", {{"path", folder.file("run.json")}});
  bench.run("export_csv", {{"path", folder.file("run.csv")}});
  bench.run("export_metric", {{"text", "count(kernels)"}, {"path", folder.file("metric.csv")}});
  bench.run("verify", {{"stores", stores}});
  return bench.late() ? 1 : 0;
}
