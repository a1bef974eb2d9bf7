// The main job on a generated trace, step by step, each beside its physical limit or peer measured in the
// same run.

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "core/engine/operations.h"
#include "core/import/import.h"
#include "core/store/store.h"
#include "tests/bench/measure.h"
#include "tests/generator/generator.h"
#include "tests/support/temporary_folder.h"

using namespace jitterscope;
using namespace jitterscope::bench;
using nlohmann::json;

namespace {

void row(const char* step, Cost ours, double per, const char* unit, const char* peer, Cost theirs) {
  std::printf("%-34s %9.3f %9.3f %12.2f %-10s", step, ours.wall_s, ours.cpu_s, ours.cpu_s / per * 1e9, unit);
  if (peer) std::printf(" %-30s %9.3f  %6.2f x", peer, theirs.cpu_s, ours.cpu_s / theirs.cpu_s);
  std::printf("\n");
}

} // namespace

int main(int argc, char** argv) {
  generator::Options options;
  options.launches = argc > 1 ? std::atoll(argv[1]) : 1'000'000;
  options.causes = {generator::Cause::Migration, generator::Cause::Clock};
  const test::TemporaryFolder folder;
  const auto sqlite = folder.file("trace.sqlite"), path = folder.file("trace.jts");
  const double n = static_cast<double>(options.launches);
  std::printf("%lld launches; time per launch in ns of CPU\n", static_cast<long long>(options.launches));
  std::printf("%-34s %9s %9s %12s %-10s %-30s %9s  %8s\n", "step", "wall s", "CPU s", "per launch", "",
              "peer or limit", "CPU s", "ours/its");

  row("generate", cost_of([&] {
        if (auto made = generator::generate(options, sqlite, {}); !made) stop(made.error());
      }),
      n, "ns", nullptr, {});
  const auto scan = median_of(3, [&] { bare_scan(sqlite); });
  row("import", cost_of([&] {
        auto data = import::import_files({sqlite}, {});
        if (!data) stop(data.error());
        if (auto written = store::write_store(*data, path); !written) stop(written.error());
      }),
      n, "ns", "bare sqlite3 scan", scan);
  std::printf("  SQLite %.1f MB, store %.1f MB\n",
              static_cast<double>(std::filesystem::file_size(sqlite)) / 1e6,
              static_cast<double>(std::filesystem::file_size(path)) / 1e6);

  const auto communicator = local_communicator();
  engine::Workspace workspace;
  const Job job;
  const auto ask = [&](const char* operation, const json& wanted) {
    auto answer =
        engine::run_operation(*engine::find_operation(operation), {workspace, *communicator, job}, wanted);
    if (!answer) stop(answer.error());
    return std::move(*answer);
  };
  const auto span = [&] {
    return std::pair{workspace.session->span().begin.count, workspace.session->span().end.count};
  };
  row("open a stored trace to first view", cost_of([&] {
        ask("open", {{"stores", {path}}});
        ask("tracks", json::object());
        ask("timeline", {{"begin_ns", span().first}, {"end_ns", span().second}, {"columns", 1400}});
        ask("overview", {{"columns", 1400}});
      }),
      n, "ns", nullptr, {});
  const auto durations = workspace.session->traces()[0].durations();
  std::int64_t sum = 0;
  const auto memory =
      median_of(5, [&] { sum += std::accumulate(durations.begin(), durations.end(), std::int64_t{0}); });
  row("bins: kernel variability", median_of(3, [&] { ask("bins", json::object()); }), n, "ns",
      "one read of one column", memory);
  row("kernels table", median_of(3, [&] { ask("kernels", json::object()); }), n, "ns", nullptr, {});
  row("timeline, whole run, 1400 columns",
      median_of(3,
                [&] {
                  ask("timeline", {{"begin_ns", span().first}, {"end_ns", span().second}, {"columns", 1400}});
                }),
      n, "ns", nullptr, {});
  row("parallel coordinates, 10 axes", median_of(3, [&] { ask("parallel", json::object()); }), n, "ns",
      nullptr, {});
  row("causal graph, 200 replicates", cost_of([&] { ask("causal", json::object()); }), n, "ns", nullptr, {});
  if (sum == 42) std::puts("");
  return 0;
}
