// Efficiencies of dragged ranges at growing sizes, compared with a plain scan of the same columns in the
// same run:
//   jitterscope-bench-efficiency [THREADS [STATES_OF_THREAD [LAUNCHES]]]

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <stdexcept>

#include "core/efficiency/efficiency.h"
#include "tests/bench/measure.h"
#include "tests/support/small_trace.h"
#include "tests/support/temporary_folder.h"

using namespace jitterscope;
using namespace jitterscope::bench;

namespace {

constexpr std::int64_t kStep = 100'000; ///< ns from one state of a thread to its next state of the same kind

/// Host threads that alternate between computing and waiting, one MPI call per wait; 8 threads per process.
void add_threads(store::TraceData& data, int threads, int states) {
  std::vector<std::uint32_t> resources;
  for (int t = 0; t < threads; ++t) {
    if (t % 8 == 0)
      data.resources.push_back({store::ResourceKind::Process, 0, kNone, 1'000 + t / 8, t / 8, "program"});
    const auto process =
        static_cast<std::uint32_t>(data.resources.size() - 1 - static_cast<std::size_t>(t % 8));
    resources.push_back(static_cast<std::uint32_t>(data.resources.size()));
    data.resources.push_back({store::ResourceKind::Thread, process, kNone, t, -1, ""});
  }
  auto& starts = test::column<std::int64_t>(data, "ranges", "start");
  auto& durations = test::column<std::int64_t>(data, "ranges", "duration");
  auto& names = test::column<std::uint32_t>(data, "ranges", "name");
  const auto running = data.strings.intern("Running").value,
             waiting = data.strings.intern("Group Communication").value;
  const auto call = data.strings.intern("MPI_Allreduce").value;
  const auto add = [&](std::int64_t begin, std::int64_t end, std::uint32_t name, std::uint32_t thread) {
    starts.push_back(begin);
    durations.push_back(end - begin);
    names.push_back(name);
    test::column<std::uint32_t>(data, "ranges", "thread").push_back(thread);
  };
  auto by_wait = resources; // in the order in which their waits begin
  std::ranges::stable_sort(by_wait, {}, [](std::uint32_t thread) { return thread % 1'000; });
  for (int s = 0; s < states / 2; ++s) {
    const auto step = s * kStep;
    for (const auto thread : resources) add(step, step + 50'000 + thread % 1'000 * 20, running, thread);
    for (const auto thread : by_wait) {
      const auto begin = step + 50'000 + thread % 1'000 * 20;
      add(begin, step + kStep, waiting, thread);
      test::column<std::int64_t>(data, "messages", "start").push_back(begin);
      test::column<std::int64_t>(data, "messages", "duration").push_back(step + kStep - begin);
      test::column<std::uint32_t>(data, "messages", "thread").push_back(thread);
    }
  }
  const auto rows = starts.size(), messages = test::column<std::int64_t>(data, "messages", "start").size();
  test::column<std::uint32_t>(data, "ranges", "domain").assign(rows, 0);
  test::column<std::uint8_t>(data, "ranges", "depth").assign(rows, 0);
  test::column<std::uint8_t>(data, "ranges", "kind").assign(rows, 3);
  test::column<std::uint8_t>(data, "messages", "kind").assign(messages, 1);
  test::column<std::uint32_t>(data, "messages", "name").assign(messages, call);
  test::column<std::uint32_t>(data, "messages", "peer").assign(messages, kNone);
  test::column<std::int64_t>(data, "messages", "bytes").assign(messages, -1);
  test::column<std::uint32_t>(data, "messages", "tag").assign(messages, kNone);
}

/// Launches of 10 … 50 µs on two streams of one device that sometimes overlap; each tenth is a collective.
void add_launches(store::TraceData& data, std::int64_t launches) {
  test::add_kernel(data, "compute", 1);
  test::add_kernel(data, "ncclKernel", 1);
  std::mt19937_64 random(1);
  std::int64_t at = 0;
  for (std::int64_t i = 0; i < launches; ++i) {
    at += static_cast<std::int64_t>(random() % 40'000);
    test::add_launches(data, {{at, 10'000 + static_cast<std::int64_t>(random() % 40'000),
                               i % 10 == 0 ? 1u : 0u, 2 + static_cast<std::uint32_t>(i % 2)}});
  }
}

double scan_ms(const analysis::Session& session, const char* table) {
  const auto starts = session.traces()[0].store.starts(table);
  const auto durations = session.traces()[0].store.column<std::int64_t>(table, "duration");
  std::int64_t sum = 0;
  const auto cost = cost_of([&] {
    for (std::size_t row = 0; row < starts.size(); ++row)
      sum += std::min(starts[row] + durations[row], INT64_MAX / 4) - starts[row];
  });
  if (sum == 42) std::printf(" ");
  return 1e3 * cost.wall_s;
}

void measure(const char* what, store::TraceData data, const char* table) {
  const test::TemporaryFolder folder;
  const auto path = folder.file("bench.jts");
  if (!store::add_track_index(data, {}) || !store::write_store(data, path))
    throw std::runtime_error("no store");
  const auto rows = data.find(table)->rows();
  data = {};
  auto session = analysis::Session::open({path});
  if (!session) throw std::runtime_error(describe(session.error()));
  const auto alone = local_communicator();
  std::unique_ptr<efficiency::Activity> activity;
  const auto made = cost_of([&] {
    activity = std::make_unique<efficiency::Activity>(*efficiency::Activity::make(*session, *alone, {}));
  });
  const auto span = session->span();
  std::mt19937_64 random(2);
  double worst = 0, sum = 0, cpu = 0;
  constexpr int kRanges = 20;
  for (int i = 0; i < kRanges; ++i) {
    efficiency::Options options;
    const auto a = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(span.length().count));
    const auto b = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(span.length().count));
    options.range =
        Interval{span.begin + Nanoseconds{std::min(a, b)}, span.begin + Nanoseconds{std::max(a, b) + 1}};
    const auto cost = cost_of([&] {
      if (!efficiency::efficiencies(*activity, *session, options, *alone, {}))
        throw std::runtime_error("no answer");
    });
    worst = std::max(worst, 1e3 * cost.wall_s);
    sum += 1e3 * cost.wall_s;
    cpu += 1e3 * cost.cpu_s;
  }
  std::printf(
      "%-14s %12zu rows  prepared in %8.1f ms (CPU %8.1f)  range %7.2f ms (CPU %7.2f), worst %7.2f ms  "
      "plain scan %8.1f ms\n",
      what, rows, 1e3 * made.wall_s, 1e3 * made.cpu_s, sum / kRanges, cpu / kRanges, worst,
      scan_ms(*session, table));
}

} // namespace

int main(int argc, char** argv) {
  const int threads = argc > 1 ? std::atoi(argv[1]) : 10'000, states = argc > 2 ? std::atoi(argv[2]) : 100;
  const std::int64_t launches = argc > 3 ? std::atoll(argv[3]) : 1'000'000;
  auto host = test::empty_trace(2);
  add_threads(host, threads, states);
  measure("host threads", std::move(host), "ranges");
  auto device = test::empty_trace(2);
  add_launches(device, launches);
  measure("launches", std::move(device), "launches");
  return 0;
}
