// The main job on a generated trace, step by step, each compared with its physical limit or with another
// tool, measured in the same run.

#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "core/engine/messages/causal_options.h"
#include "core/engine/messages/session_options.h"
#include "core/engine/messages/statistics_options.h"
#include "core/engine/messages/timeline_options.h"
#include "core/engine/operations/operations.h"
#include "core/import/import.h"
#include "core/store/format/store.h"
#include "tests/bench/measure.h"
#include "tests/generator/generator.h"
#include "tests/support/temporary_folder.h"

using namespace jitterscope;
using namespace jitterscope::bench;

namespace {

void row(const char* step, Cost ours, double per, const char* unit, const char* peer, Cost theirs) {
  std::printf("%-34s %9.3f %9.3f %12.2f %-10s", step, ours.wall_s, ours.cpu_s, ours.cpu_s / per * 1e9, unit);
  if (peer) std::printf(" %-30s %9.3f  %6.2f x", peer, theirs.cpu_s, ours.cpu_s / theirs.cpu_s);
  std::printf("\n");
}

// The time that an operation runs on after it was cancelled: the longest of five runs, cancelled after 0, 1,
// 2, 3 and 4 fifths of its duration.
void cancels(const std::vector<std::string>& stores) {
  const auto communicator = local_communicator();
  engine::Workspace workspace;
  using Clock = std::chrono::steady_clock;
  const auto ask = [&](const engine::Request& request, const Job& job) {
    return engine::run_operation({workspace, *communicator, job}, request).has_value();
  };
  if (!ask(engine::OpenOptions{.stores = stores}, {})) std::exit(3);
  const struct {
    const char* words;
    engine::Request request;
  } kQuestions[] = {
      {"bins of 10 ms", engine::BinsOptions{.width_ns = 10'000'000}},
      {"bins of 1 ms, all listed", engine::BinsOptions{.width_ns = 1'000'000, .all = true}},
      {"one bin", engine::BinsOptions{.width_ns = std::int64_t{1} << 50}},
      {"bins of 10 ms by kernel", engine::BinsOptions{.width_ns = 10'000'000, .by = "kernel"}},
      {"bins of 10 ms by configuration", engine::BinsOptions{.width_ns = 10'000'000, .by = "configuration"}},
      {"bins of 10 ms, duration > 20us",
       engine::BinsOptions{.where = "duration > 20us", .width_ns = 10'000'000}},
      {"kernels", engine::KernelsOptions()}};
  std::printf("%lld launches\n%-34s %12s %22s\n", static_cast<long long>(workspace.session->launches()),
              "operation", "whole, ms", "longest wait, ms");
  for (const auto& [words, request] : kQuestions) {
    const auto ms_since = [](Clock::time_point begin) {
      return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
    };
    const auto begin = Clock::now();
    if (!ask(request, {})) { // there are more groups than the operation computes
      std::printf("%-34s %12s\n", words, "refused");
      continue;
    }
    const double whole = ms_since(begin);
    double longest = 0;
    for (int fifth = 0; fifth < 5; ++fifth) {
      const auto start = Clock::now();
      const double after = whole * fifth / 5;
      Job job;
      job.cancelled = [&] { return ms_since(start) >= after; };
      if (!ask(request, job)) longest = std::max(longest, ms_since(start) - after);
    }
    std::printf("%-34s %12.1f %22.1f\n", words, whole, longest);
  }
}

// Time until the window can show the first ranked bins and the final ones, for stores of any size.
void first_bins(const std::vector<std::string>& stores) {
  const auto communicator = local_communicator();
  engine::Workspace workspace;
  const Job job;
  const auto begin = std::chrono::steady_clock::now();
  const auto passed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  const auto ask = [&](const engine::Request& request,
                       const std::function<void(const engine::Answer&)>& partial) {
    const auto answer = engine::run_operation({workspace, *communicator, job, partial}, request);
    if (!answer) stop(answer.error());
  };
  ask(engine::OpenOptions{.stores = stores}, {});
  std::printf("%lld launches; wall s since opening was requested\n%-34s %9.3f\n",
              static_cast<long long>(workspace.session->launches()), "opened", passed());
  for (const std::int64_t width : {std::int64_t{0}, std::int64_t{10'000'000}, std::int64_t{1'000'000}}) {
    int partial = 0;
    const auto asked = passed();
    ask(engine::BinsOptions{.width_ns = width, .all = true, .partial = true},
        [&](const engine::Answer& so_far) {
          if (partial++ == 0)
            std::printf("  first ranked bins, of %4.1f %% %18.3f after the request\n",
                        100 * so_far.document.at("share").get<double>(), passed() - asked);
        });
    std::printf("bins of %-8s %5d partial answers %9.3f after the request\n",
                width == 0           ? "1/2000"
                : width == 1'000'000 ? "1 ms"
                                     : "10 ms",
                partial, passed() - asked);
  }
}

void forget(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY);
  if (file < 0) return;
  ::posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED); // pages mapped by others stay
  ::close(file);
}

// Both ways to load columns into memory, from a file outside and inside the page cache, compared with reading
// the file alone.
void access(const std::string& path) {
  const double bytes = static_cast<double>(std::filesystem::file_size(path));
  std::printf("%s, %.0f MB; %-28s %9s %9s %9s\n", path.c_str(), bytes / 1e6, "", "wall s", "CPU s", "GB/s");
  const auto line = [&](const char* what, const Cost& cost) {
    std::printf("%-40s %9.3f %9.3f %9.2f\n", what, cost.wall_s, cost.cpu_s, bytes / 1e9 / cost.wall_s);
  };
  const auto read = [&] {
    std::vector<char> piece(1 << 20);
    const int file = ::open(path.c_str(), O_RDONLY);
    while (file >= 0 && ::read(file, piece.data(), piece.size()) > 0) {
    }
    ::close(file);
  };
  std::int64_t sum = 0;
  const auto open = [&](store::Access how) {
    const auto store = store::Store::open(path, how);
    if (!store) stop(store.error());
    // Touches every page: mapped pages are loaded on first access.
    for (const auto& column : store->table("launches").columns) {
      const auto bytes_of = column.rows * store::size_of(column.stored);
      for (std::size_t at = 0; at < bytes_of; at += 4096) sum += static_cast<std::int64_t>(column.data[at]);
    }
  };
  for (const bool cold : {true, false}) {
    const auto prepare = [&] { cold ? forget(path) : read(); };
    prepare(), line(cold ? "limit: the file read, cold" : "limit: the file read, warm", cost_of(read));
    prepare(), line("mapped, columns of launches accessed", cost_of([&] { open(store::Access::Mapped); }));
    prepare(), line("read into memory (no mapping)", cost_of([&] { open(store::Access::Read); }));
  }
  if (sum == 42) std::puts("");
}

} // namespace

// jitterscope-bench-main-job [LAUNCHES]            the job on a run of that many launches
// jitterscope-bench-main-job cancel STORE.jts…     time that operations run on after they were cancelled
// jitterscope-bench-main-job STORE.jts…            time until bins are available
// jitterscope-bench-main-job access STORE.jts      columns mapped and read, from disk and from the page cache
int main(int argc, char** argv) {
  if (argc > 2 && std::string(argv[1]) == "access") {
    access(argv[2]);
    return 0;
  }
  if (argc > 2 && std::string(argv[1]) == "cancel") {
    cancels({argv + 2, argv + argc});
    return 0;
  }
  if (argc > 1 && std::string(argv[1]).ends_with(".jts")) {
    first_bins({argv + 1, argv + argc});
    return 0;
  }
  generator::Options options;
  options.launches = argc > 1 ? std::atoll(argv[1]) : 1'000'000;
  options.causes = {generator::Cause::Migration, generator::Cause::Clock};
  const test::TemporaryFolder folder;
  const auto sqlite = folder.file("trace.sqlite"), path = folder.file("trace.jts");
  const double n = static_cast<double>(options.launches);
  std::printf("%lld launches; time per launch in ns of CPU\n", static_cast<long long>(options.launches));
  std::printf("%-34s %9s %9s %12s %-10s %-30s %9s  %8s\n", "step", "wall s", "CPU s", "per launch", "",
              "peer or limit", "CPU s", "ratio");

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
  const auto ask = [&](const engine::Request& request) {
    auto answer = engine::run_operation({workspace, *communicator, job}, request);
    if (!answer) stop(answer.error());
    return std::move(*answer);
  };
  const auto span = [&] {
    return std::pair{workspace.session->span().begin.count, workspace.session->span().end.count};
  };
  row("open a stored trace to first view", cost_of([&] {
        ask(engine::OpenOptions{.stores = {path}});
        ask(engine::TracksOptions());
        ask(engine::TimelineOptions{.begin_ns = span().first, .end_ns = span().second, .columns = 1400});
        ask(engine::OverviewOptions{.columns = 1400});
      }),
      n, "ns", nullptr, {});
  const auto durations = workspace.session->traces()[0].durations();
  std::int64_t sum = 0;
  const auto memory =
      median_of(5, [&] { sum += std::accumulate(durations.begin(), durations.end(), std::int64_t{0}); });
  row("bins: kernel variability", median_of(3, [&] { ask(engine::BinsOptions()); }), n, "ns",
      "one read of one column", memory);
  row("kernels table", median_of(3, [&] { ask(engine::KernelsOptions()); }), n, "ns", nullptr, {});
  row("timeline, whole run, 1400 columns",
      median_of(3,
                [&] {
                  ask(engine::TimelineOptions{
                      .begin_ns = span().first, .end_ns = span().second, .columns = 1400});
                }),
      n, "ns", nullptr, {});
  row("parallel coordinates, 10 axes", median_of(3, [&] { ask(engine::ParallelOptions()); }), n, "ns",
      nullptr, {});
  const auto window = [&](int tenth) { // a hundredth of the run, from this tenth of it on
    const std::int64_t length = (span().second - span().first) / 100;
    const std::int64_t begin = span().first + 10 * tenth * length;
    return engine::ContrastOptions{.intervals = {{{begin}, {begin + length}}}};
  };
  row("why these launches, first question", cost_of([&] { ask(window(2)); }), n, "ns", nullptr, {});
  int tenth = 2;
  row("why these launches, every further one", median_of(5, [&] { ask(window(++tenth)); }), n, "ns", nullptr,
      {});
  row("causal answer, provisional", cost_of([&] { ask(engine::CausalOptions{.provisional = true}); }), n,
      "ns", nullptr, {});
  row("causal graph, 200 replicates", cost_of([&] { ask(engine::CausalOptions()); }), n, "ns", nullptr, {});
  if (sum == 42) std::puts("");
  return 0;
}
