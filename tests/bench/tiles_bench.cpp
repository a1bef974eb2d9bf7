// Building the track index and drawing from it, at growing numbers of launches, compared with reading memory
// in the same run.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "core/analysis/timeline/timeline.h"
#include "core/base/parallel.h"
#include "core/base/spill_memory.h"
#include "tests/bench/measure.h"
#include "tests/support/small_trace.h"
#include "tests/support/temporary_folder.h"

using namespace jitterscope;
using namespace jitterscope::bench;

namespace {

constexpr int kStreams = 64, kStreamsOfDevice = 8, kKernels = 400, kColumns = 2'000, kViewsOfZoom = 7;

/// Launches of 10 … 50 µs with gaps of up to 5 µs on 64 streams of 8 devices; 25 of the 400 kernels are
/// frequent.
class Launches {
public:
  bool next(std::int64_t& start, std::int64_t& duration, std::uint32_t& kernel, std::uint32_t& stream) {
    stream =
        static_cast<std::uint32_t>(std::min_element(free_at_.begin(), free_at_.end()) - free_at_.begin());
    const auto random = step();
    start = free_at_[stream];
    duration = 10'000 + static_cast<std::int64_t>(random % 40'000);
    kernel =
        static_cast<std::uint32_t>((random >> 20) % 10 ? (random >> 24) % 25 : (random >> 24) % kKernels);
    free_at_[stream] = start + duration + static_cast<std::int64_t>((random >> 40) % 5'000);
    return true;
  }
  std::uint64_t step() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_;
  }

private:
  std::vector<std::int64_t> free_at_ = std::vector<std::int64_t>(kStreams);
  std::uint64_t state_ = 88172645463325252ull;
};

store::TraceData trace_of(std::int64_t launches) {
  auto data = test::empty_trace(0);
  std::vector<std::uint32_t> streams;
  for (int device = 0; device < kStreams / kStreamsOfDevice; ++device) {
    const auto row = device == 0 ? 2u : static_cast<std::uint32_t>(data.resources.size());
    if (device > 0) data.resources.push_back({store::ResourceKind::Device, 1, row, device, -1, "GPU"});
    for (int stream = 0; stream < kStreamsOfDevice; ++stream) {
      streams.push_back(static_cast<std::uint32_t>(data.resources.size()));
      data.resources.push_back({store::ResourceKind::Stream, row, kNone, stream, -1, ""});
    }
  }
  for (int kernel = 0; kernel < kKernels; ++kernel)
    test::add_kernel(data, "kernel " + std::to_string(kernel), 1);
  auto& starts = test::column<std::int64_t>(data, "launches", "start");
  auto& durations = test::column<std::int64_t>(data, "launches", "duration");
  auto& configurations = test::column<std::uint32_t>(data, "launches", "configuration");
  auto& of = test::column<std::uint32_t>(data, "launches", "stream");
  const auto count = static_cast<std::size_t>(launches);
  for (auto* column : {&starts, &durations}) column->reserve(count);
  for (auto* column : {&configurations, &of}) column->reserve(count);
  Launches made;
  for (std::int64_t i = 0; i < launches; ++i) {
    std::int64_t start = 0, duration = 0;
    std::uint32_t kernel = 0, stream = 0;
    made.next(start, duration, kernel, stream);
    starts.push_back(start);
    durations.push_back(duration);
    configurations.push_back(kernel);
    of.push_back(streams[stream]);
    if (i % 65'536 == 0) SpillMemory::relieve();
  }
  for (const char* name : {"call", "range"})
    test::column<std::uint32_t>(data, "launches", name).assign(count, kNone);
  test::column<std::uint32_t>(data, "launches", "correlation").assign(count, 0);
  test::column<std::uint8_t>(data, "launches", "flags").assign(count, 0);
  test::column<std::uint32_t>(data, "counters", "name").push_back(0);
  test::column<std::uint32_t>(data, "counters", "unit").push_back(0);
  test::column<std::uint32_t>(data, "counters", "device").push_back(2);
  auto& times = test::column<std::int64_t>(data, "samples", "time");
  auto& values = test::column<double>(data, "samples", "value");
  for (std::int64_t i = 0; i < launches / 4; ++i) {
    times.push_back(starts.back() / std::max<std::int64_t>(launches / 4, 1) * i);
    values.push_back(static_cast<double>(made.step() % 1'000));
  }
  test::column<std::uint32_t>(data, "samples", "counter").assign(times.size(), 0);
  return data;
}

double bytes_of(const store::TraceData& data, const char* name) {
  double bytes = 0;
  for (const auto& column : data.find(name)->columns)
    bytes += std::visit(
        [](const auto& values) {
          return static_cast<double>(values.size() *
                                     sizeof(typename std::decay_t<decltype(values)>::value_type));
        },
        column.values);
  return bytes;
}

/// Seconds per byte read from memory, one thread.
double read_limit() {
  std::vector<std::uint64_t> memory(std::size_t{32} << 20, 1);
  std::uint64_t sum = 0;
  const auto cost = median_of(5, [&] { sum += std::accumulate(memory.begin(), memory.end(), sum); });
  if (sum == 42) std::puts("");
  return cost.cpu_s / static_cast<double>(memory.size() * sizeof memory[0]);
}

struct Opened {
  std::unique_ptr<analysis::Session> session;
  std::unique_ptr<analysis::LaunchColumns> columns;
  std::unique_ptr<analysis::NameTable> names;
  std::unique_ptr<analysis::Tracks> tracks;
};

Opened open(const std::string& path) {
  Opened opened;
  auto session = analysis::Session::open({path});
  if (!session) stop(session.error());
  opened.session = std::make_unique<analysis::Session>(std::move(*session));
  opened.columns = std::make_unique<analysis::LaunchColumns>(*opened.session);
  opened.names = std::make_unique<analysis::NameTable>(*opened.session);
  opened.tracks = std::make_unique<analysis::Tracks>(*opened.session);
  return opened;
}

void print_views(const Opened& opened, const char* what, const std::vector<std::uint32_t>& tracks) {
  const auto span = opened.session->span();
  std::mt19937_64 random(1);
  std::vector<Cost> views;
  Cost worst, overview;
  int worst_zoom = 0;
  for (int zoom = 0; span.length().count >> zoom > kColumns; ++zoom) {
    std::vector<Cost> of_zoom;
    for (int view = 0; view < kViewsOfZoom; ++view) {
      analysis::TimelineRequest request;
      const auto length = span.length().count >> zoom;
      const auto room = static_cast<std::uint64_t>(span.length().count - length) + 1;
      const auto begin = span.begin.count + static_cast<std::int64_t>(random() % room);
      request.window = {{begin}, {begin + length}};
      request.columns = kColumns;
      request.tracks = tracks;
      const auto draw = [&] {
        timeline(*opened.session, *opened.columns, *opened.names, *opened.tracks, {}, request);
      };
      draw(); // loads the pages of the file
      of_zoom.push_back(cost_of(draw));
    }
    std::sort(of_zoom.begin(), of_zoom.end(), [](const Cost& a, const Cost& b) { return a.cpu_s < b.cpu_s; });
    const auto median = of_zoom[of_zoom.size() / 2];
    if (zoom == 0) overview = median;
    if (median.cpu_s > worst.cpu_s) worst = median, worst_zoom = zoom;
    views.push_back(median);
  }
  std::sort(views.begin(), views.end(), [](const Cost& a, const Cost& b) { return a.cpu_s < b.cpu_s; });
  const auto typical = views[views.size() / 2];
  std::printf(
      "  %-34s wall/CPU ms: whole %.2f/%.2f, median zoom %.2f/%.2f, worst zoom (span/2^%d) %.2f/%.2f\n", what,
      overview.wall_s * 1e3, overview.cpu_s * 1e3, typical.wall_s * 1e3, typical.cpu_s * 1e3, worst_zoom,
      worst.wall_s * 1e3, worst.cpu_s * 1e3);
}

void print_ranges(const Opened& opened) {
  const auto& all = *opened.tracks->launches(0);
  std::mt19937_64 random(2);
  Cost worst;
  for (int i = 0; i < 200; ++i) {
    auto a =
        all.begin + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(all.end - all.begin));
    auto b =
        all.begin + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(all.end - all.begin));
    if (a > b) std::swap(a, b);
    std::uint64_t busy = 0;
    const auto cost = cost_of([&] { busy = range_statistics(all, a, b).busy; });
    if (cost.cpu_s > worst.cpu_s && i > 0) worst = cost;
    if (busy == 42) std::puts("");
  }
  std::printf("  statistics of an arbitrary range of all launches: worst of 200 %.3f ms\n",
              worst.cpu_s * 1e3);
}

void run(std::int64_t launches, double read_s) {
  const SpillMemory spill_memory;
  const test::TemporaryFolder folder;
  const auto path = folder.file("trace.jts");
  const double n = static_cast<double>(launches);
  std::printf("%lld launches, %lld samples\n", static_cast<long long>(launches),
              static_cast<long long>(launches / 4));
  {
    auto data = trace_of(launches);
    const auto built = cost_of([&] {
      if (auto done = store::add_track_index(data, {}); !done) stop(done.error());
    });
    double events = 0;
    std::vector<std::int64_t> seen;
    const auto& series = *data.find("series");
    for (std::size_t i = 0; i < series.rows(); ++i) {
      const auto first = series.get<std::int64_t>("first_block")[i];
      if (std::find(seen.begin(), seen.end(), first) == seen.end())
        events += static_cast<double>(series.get<std::int64_t>("events")[i]);
      seen.push_back(first);
    }
    std::printf("  build: %.1f ns wall, %.1f ns CPU an event of a series (%.0f series events; %.1f ns wall a "
                "launch)\n",
                built.wall_s / events * 1e9, built.cpu_s / events * 1e9, events, built.wall_s / n * 1e9);
    std::printf("  bytes an event of a series: tiles %.2f, blocks %.2f, row numbers %.2f; of a launch %.2f; "
                "%.3f tiles an "
                "event; counters %.2f a sample\n",
                bytes_of(data, "tiles") / events,
                (bytes_of(data, "series_blocks") + bytes_of(data, "series_groups")) / events,
                bytes_of(data, "series_rows") / events,
                (bytes_of(data, "tiles") + bytes_of(data, "series_blocks") + bytes_of(data, "series_rows")) /
                    n,
                static_cast<double>(data.find("tiles")->rows()) / events,
                (bytes_of(data, "counter_blocks") + bytes_of(data, "counter_groups")) / (n / 4));
    if (auto written = store::write_store(data, path); !written) stop(written.error());
  }
  Opened opened;
  const auto opening = cost_of([&] { opened = open(path); });
  std::printf("  open session, names and tracks: %.1f ms wall, %.1f ms CPU%s\n", opening.wall_s * 1e3,
              opening.cpu_s * 1e3, opened.tracks->index_rebuilt() ? " (REBUILT)" : "");
  std::vector<std::uint32_t> streams, devices, counters;
  for (const auto& track : opened.tracks->list()) {
    if (track.kind == analysis::TrackKind::Stream) streams.push_back(track.id);
    if (track.kind == analysis::TrackKind::Device) devices.push_back(track.id);
    if (track.kind == analysis::TrackKind::Counter) counters.push_back(track.id);
  }
  print_views(opened, "64 streams x 2000 columns", streams);
  print_views(opened, "8 devices (8 launches at a time)", devices);
  print_views(opened, "1 counter", counters);
  const auto strip = median_of(
      5, [&] { overview(*opened.session, *opened.names, *opened.tracks, opened.session->span(), 1'200); });
  std::printf("  overview strip of 1200 columns: %.2f ms\n", strip.cpu_s * 1e3);
  print_ranges(opened);
  std::printf(
      "  limit: reading start, duration and configuration of every launch from memory (%.1f GB/s): %.1f ms\n",
      1e-9 / read_s, 14 * n * read_s * 1e3);
}

} // namespace

int main(int argc, char** argv) {
  const std::int64_t maximum = argc > 1 ? std::atoll(argv[1]) : 100'000'000;
  const auto limit = read_limit();
  std::printf("%d processors; memory is read at %.1f GB/s by one\n", worker_threads(), 1e-9 / limit);
  for (std::int64_t launches = std::min<std::int64_t>(maximum, 1'000'000);;
       launches = std::min(launches * 10, maximum)) {
    run(launches, limit);
    std::fflush(stdout);
    if (launches == maximum) return 0;
  }
}
