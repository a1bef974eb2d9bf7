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

#include "core/engine/messages/causal_options.h"
#include "core/engine/messages/efficiency_options.h"
#include "core/engine/messages/export_options.h"
#include "core/engine/messages/launch_options.h"
#include "core/engine/messages/metric_options.h"
#include "core/engine/messages/model_options.h"
#include "core/engine/messages/session_options.h"
#include "core/engine/messages/statistics_options.h"
#include "core/engine/messages/table_options.h"
#include "core/engine/messages/timeline_options.h"
#include "core/engine/operations/operations.h"
#include "core/engine/ranks/mpi_communicator.h"
#include "core/import/import.h"
#include "core/store/format/store.h"
#include "tests/support/request_text.h"
#include "tests/support/temporary_folder.h"

using namespace jitterscope;

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

  void run(const engine::Request& request) {
    const auto& operation = *engine::find_operation(request.operation);
    if (communicator_.rank() != 0 && operation.reach != engine::Reach::AllRanks) return;
    Gaps gaps;
    Job job;
    job.cancelled = [&] { return gaps.check(); };
    const auto answer = engine::run_operation(operation, {workspace_, communicator_, job, {}}, request);
    gaps.check();
    if (mpi_ && operation.reach == engine::Reach::AllRanks)
      (void)mpi_->close_job(answer ? std::nullopt : std::optional<Error>(answer.error()));
    std::array worst = {static_cast<std::int64_t>(-1e3 * gaps.longest)};
    if (operation.reach == engine::Reach::AllRanks) (void)communicator_.minimum(worst);
    if (communicator_.rank() != 0) return;
    const double longest = -1e-3 * static_cast<double>(worst[0]);
    late_ = late_ || longest > kLimit;
    std::printf("%-19s %9.1f %9lld %9.1f %9.1f %s %.90s%s\n", operation.name.c_str(), gaps.total(),
                static_cast<long long>(gaps.checks), longest, gaps.at, longest > kLimit ? "LATE" : "    ",
                test::text_of(request).c_str(), answer ? "" : (" " + answer.error().message).c_str());
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
  using namespace engine;
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
    bench.run(ImportOptions{.files = stores, .output = made});
    if (mpi) made = mpi->broadcast(made);
    stores = {made};
  }
  bench.run(OpenOptions{.stores = stores});
  if (!bench.is_open()) return 1;
  const auto end = bench.session().span().end.count;
  const auto rows = bench.session().launches();
  const std::string some = "duration > 10us";
  bench.run(BinsOptions{.all = true});
  bench.run(BinsOptions{.width_ns = 1'000'000, .by = "kernel", .partial = true});
  bench.run(KernelsOptions{.where = some});
  bench.run(DistributionOptions{.where = some, .group_by = "configuration"});
  bench.run(LaunchesOptions{
      .sort = "duration", .first = rows / 2, .count = 1'000, .columns = {"name", "duration"}, .locate = 17});
  bench.run(LaunchesOptions{.sort = "collective_wait_ns", .count = 100});
  bench.run(HeatMapOptions{.where = some});
  bench.run(AreaOfSelectionOptions{.end_ns = end, .where = some});
  bench.run(RowsNearOptions{.axes = {{.column = "duration", .edges = {0, 20'000, 50'000, 900'000}}},
                            .at = 0.3,
                            .within = 0.2,
                            .count = 1'000,
                            .columns = {"name", "start"}});
  bench.run(ParallelOptions());
  bench.run(ParallelOptions{.most_axes = 12, .within = some, .colour_by = "gap_ns"});
  bench.run(ParallelOptions{.axes = {"duration", "gap_ns", "short_name"},
                            .scales = {{.column = "duration", .scale = "rank"}},
                            .orders = {{.column = "short_name", .order = "target"}},
                            .target = "duration",
                            .within = "duration > 12us"});
  bench.run(WidestColumnsOptions{.most = 12});
  bench.run(
      RelatedOrderOptions{.axes = {"duration", "gap_ns", "start", "stream", "concurrency", "queue_delay_ns"},
                          .mutual_information = true});
  bench.run(TracksOptions());
  bench.run(TimelineOptions{.where = some, .end_ns = end, .columns = 2'000, .value = "relative_to_mean"});
  bench.run(TimelineOptions{.end_ns = end, .columns = 20'000});
  bench.run(TimelineOptions{.where = "duration > gap_ns",
                            .begin_ns = end / 2,
                            .end_ns = end / 2 + end / 50,
                            .columns = 2'000,
                            .value = "duration"});
  bench.run(OverviewOptions{.columns = 20'000});
  bench.run(StretchesOptions{.least_gap = 1e-4});
  bench.run(AreaOptions{.end_ns = end});
  bench.run(LaunchOptions{.row = rows / 2});
  bench.run(FlowOptions{.row = rows / 2});
  bench.run(StepOptions{.row = rows / 2, .by = "kernel", .direction = 1});
  bench.run(StepOptions{.row = 0, .by = "stream", .direction = -1});
  bench.run(PartnersOptions{.row = rows / 2});
  bench.run(ArrivalsOptions());
  bench.run(CheckFilterOptions{.where = some});
  EvidenceOptions evidence;
  evidence.question = std::make_unique<CausalOptions>(CausalOptions{.target = "duration"});
  evidence.from = "gap_ns", evidence.to = "duration";
  bench.run(evidence);
  bench.run(ContrastOptions{.where = "duration > 20us"});
  bench.run(ReasonsOptions{.moments = {{{0}, {end / 3}}, {{end / 2}, {end}}}});
  bench.run(CausesAlongOptions{.end_ns = end, .columns = 2'000});
  bench.run(CausesAlongOptions{.begin_ns = end / 2, .end_ns = end / 2 + end / 50, .columns = 2'000});
  bench.run(CausalOptions{.bootstrap = 20, .most_rows = 200'000});
  bench.run(DevicesOptions());
  bench.run(LaunchExcessOptions{.row = rows / 2});
  bench.run(LaunchLinksOptions{.row = rows / 2});
  bench.run(EventOptions{.track = 0, .row = rows / 2});
  bench.run(EventFlowOptions{.track = 0, .row = rows / 2});
  bench.run(EfficiencyOptions{.sums = true});
  bench.run(EfficiencyOptions{.begin_ns = 0, .end_ns = end / 2, .by = "rank"});
  bench.run(GpusOptions());
  PredictOptions predict;
  predict.gpu = "A100";
  bench.run(predict);
  const std::string modelled = "model_mwp > 2"; // computed on first use; unknown without counters
  bench.run(KernelsOptions{.where = modelled});
  bench.run(DistributionOptions{.where = modelled});
  bench.run(HeatMapOptions{.where = modelled});
  bench.run(ContrastOptions{.where = modelled});
  bench.run(BinsOptions{.where = modelled, .all = true});
  bench.run(LaunchesOptions{.where = modelled, .sort = "model_mwp", .count = 1'000});
  bench.run(ParallelOptions{.axes = {"duration", "model_mwp", "model_waves"}, .within = modelled});
  bench.run(TimelineOptions{.where = modelled, .end_ns = end, .columns = 2'000});
  bench.run(CausalOptions{.where = modelled, .most_rows = 200'000});
  bench.run(ExportParaverOptions{.path = folder.file("run.prv")});
  bench.run(ExportChromeOptions{.path = folder.file("run.json")});
  bench.run(ExportCsvOptions{.path = folder.file("run.csv")});
  bench.run(ExportMetricOptions{.text = "count(kernels)", .path = folder.file("metric.csv")});
  bench.run(VerifyStoresOptions{.stores = stores});
  return bench.late() ? 1 : 0;
}
