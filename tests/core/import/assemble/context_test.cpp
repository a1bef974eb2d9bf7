// Context features compared with the simplest way to compute them: every launch against every other row.

#include "core/import/assemble/context.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "core/import/assemble/assemble.h"
#include "core/import/assemble/nesting.h"
#include "core/import/records/draft.h"
#include "tests/core/import/import_support.h"

namespace jitterscope::import {
namespace {

using store::MigrationCause;
using store::ResourceKind;
using store::TraceData;
using store::TransferKind;

struct Shape {
  int launches = 300, transfers = 200, calls = 200, ranges = 150, samples = 100;
  int processes = 2, streams = 3;
  std::int64_t span = 4'000;
};

struct Streams {
  std::vector<std::uint32_t> streams, devices, threads;
};

// Two processes that use two devices each; device 0 of both is the same piece of hardware.
Streams add_resources(Draft& draft, const Shape& shape) {
  Streams made;
  std::uint32_t shared = kNone;
  const auto host = draft.add_resource(ResourceKind::Host, kNone, 0, "");
  for (int p = 0; p < shape.processes; ++p) {
    const auto process = draft.add_resource(ResourceKind::Process, host, 100 + p, "");
    made.threads.push_back(draft.add_resource(ResourceKind::Thread, process, 100 + p, ""));
    for (int d = 0; d < 2; ++d) {
      const auto device = draft.add_resource(ResourceKind::Device, process, d, "");
      if (d == 0) shared = shared == kNone ? device : shared;
      if (d == 0) draft.resources[device].physical = shared;
      made.devices.push_back(device);
      for (int s = 0; s < shape.streams; ++s)
        made.streams.push_back(draft.add_resource(ResourceKind::Stream, device, s, ""));
    }
  }
  return made;
}

TraceData random_trace(unsigned seed, const Shape& shape) {
  std::mt19937 random(seed);
  const auto below = [&](std::int64_t bound) {
    return static_cast<std::int64_t>(random() % static_cast<unsigned>(bound));
  };
  const auto pick = [&](const std::vector<std::uint32_t>& from) {
    return from[static_cast<std::size_t>(below(static_cast<std::int64_t>(from.size())))];
  };
  Draft draft;
  const auto made = add_resources(draft, shape);
  const auto name = draft.strings.intern("k").value;
  for (int i = 0; i < shape.calls; ++i) {
    draft.calls.start.push_back(below(shape.span));
    draft.calls.duration.push_back(below(20));
    draft.calls.name.push_back(name);
    draft.calls.thread.push_back(pick(made.threads));
    draft.calls.correlation.push_back(0);
    draft.calls.result.push_back(0);
  }
  for (int i = 0; i < shape.launches; ++i) {
    Configuration configuration;
    configuration.kernel = draft.kernel({name, name});
    configuration.grid_x = static_cast<std::uint32_t>(below(5));
    draft.launches.start.push_back(below(shape.span));
    draft.launches.duration.push_back(below(60));
    draft.launches.configuration.push_back(draft.configuration(configuration));
    draft.launches.stream.push_back(pick(made.streams));
    draft.launches.call.push_back(below(4) == 0 ? kNone : static_cast<std::uint32_t>(below(shape.calls)));
    draft.launches.correlation.push_back(0);
    draft.launches.flags.push_back(0);
  }
  for (int i = 0; i < shape.transfers; ++i) {
    const auto kind = static_cast<TransferKind>(below(store::kTransferKinds));
    draft.transfers.start.push_back(below(shape.span));
    draft.transfers.duration.push_back(below(4) == 0 ? 0 : below(80));
    draft.transfers.bytes.push_back(below(10'000));
    draft.transfers.kind.push_back(static_cast<std::uint8_t>(kind));
    draft.transfers.cause.push_back(is_migration(kind) ? static_cast<std::uint8_t>(below(6))
                                                       : std::uint8_t{0});
    draft.transfers.stream.push_back(is_migration(kind) ? pick(made.devices) : pick(made.streams));
    draft.transfers.call.push_back(kNone);
    draft.transfers.correlation.push_back(0);
  }
  for (int i = 0; i < shape.ranges; ++i) {
    draft.ranges.start.push_back(below(shape.span));
    draft.ranges.duration.push_back(below(400));
    draft.ranges.name.push_back(name);
    draft.ranges.domain.push_back(0);
    draft.ranges.thread.push_back(pick(made.threads));
    draft.ranges.kind.push_back(static_cast<std::uint8_t>(below(3)));
  }
  for (std::uint32_t c = 0; c < 2; ++c) {
    draft.counters.push_back(
        {draft.strings.intern(c ? "SM Active" : "Clock [MHz]").value, 0, made.devices[c]});
    for (int i = 0; i < shape.samples; ++i) {
      draft.samples.time.push_back(i * shape.span / shape.samples + below(10));
      draft.samples.counter.push_back(c);
      draft.samples.value.push_back(static_cast<double>(below(1000)));
    }
  }
  auto data = assemble(std::move(draft), {}, Job{});
  EXPECT_TRUE(data.has_value());
  store::ImportReport report;
  EXPECT_TRUE(add_context(*data, report, Job{}).has_value());
  return std::move(*data);
}

/// Time as a set of single nanoseconds: the plain definition of "covers".
struct Nanosecond {
  std::vector<char> covered;
  std::int64_t from;
  Nanosecond(std::int64_t begin, std::int64_t end)
      : covered(static_cast<std::size_t>(std::max<std::int64_t>(0, end - begin))), from(begin) {}
  void cover(std::int64_t begin, std::int64_t end) {
    const auto last = from + static_cast<std::int64_t>(covered.size());
    for (auto t = std::max(begin, from); t < std::min(end, last); ++t)
      covered[static_cast<std::size_t>(t - from)] = 1;
  }
  std::int64_t count() const { return std::count(covered.begin(), covered.end(), char{1}); }
};

struct View {
  explicit View(const TraceData& d) : data(d) {
    for (std::uint32_t row = 0; row < d.resources.size(); ++row) {
      auto device = d.resources[row].kind == ResourceKind::Stream ? d.resources[row].parent : row;
      physical.push_back(d.resources[device].physical);
    }
  }
  const TraceData& data;
  std::vector<std::uint32_t> physical;
  const SpillVector<std::int64_t>& start = launch_starts(data);
  const SpillVector<std::int64_t>& duration = launch_durations(data);
  const SpillVector<std::uint32_t>& stream = column<std::uint32_t>(data, "launches", "stream");
  const SpillVector<std::int64_t>& begin = column<std::int64_t>(data, "transfers", "start");
  const SpillVector<std::int64_t>& length = column<std::int64_t>(data, "transfers", "duration");
  const SpillVector<std::int64_t>& bytes = column<std::int64_t>(data, "transfers", "bytes");
  const SpillVector<std::uint8_t>& kind = column<std::uint8_t>(data, "transfers", "kind");
  const SpillVector<std::uint8_t>& cause = column<std::uint8_t>(data, "transfers", "migration_cause");
  const SpillVector<std::uint32_t>& where = column<std::uint32_t>(data, "transfers", "stream");

  float feature(const char* name, std::size_t row) const {
    return column<float>(data, "launches", name)[row];
  }
  bool same_device(std::size_t launch, std::size_t transfer) const {
    return physical[stream[launch]] == physical[where[transfer]];
  }
};

void check_execution(const View& v, std::size_t i) {
  const auto s = v.start[i], e = s + v.duration[i];
  std::array<Nanosecond, store::kTransferKinds> kinds{Nanosecond(s, e), {s, e}, {s, e}, {s, e}, {s, e},
                                                      {s, e},           {s, e}, {s, e}, {s, e}, {s, e}};
  Nanosecond migration(s, e);
  double bytes = 0;
  std::int64_t overlapping = 0, overlapping_bytes = 0, faults = 0;
  for (std::size_t t = 0; t < v.begin.size(); ++t) {
    if (!v.same_device(i, t)) continue;
    const auto tb = v.begin[t], te = tb + v.length[t];
    const auto kind = static_cast<TransferKind>(v.kind[t]);
    kinds[v.kind[t]].cover(tb, te);
    const auto overlap = std::min(e, te) - std::max(s, tb);
    if (!is_migration(kind) && kind != TransferKind::Memset && overlap > 0)
      bytes += static_cast<double>(v.bytes[t]) * static_cast<double>(overlap) / static_cast<double>(te - tb);
    if (!is_migration(kind)) continue;
    migration.cover(tb, te);
    const bool counted = tb < e && std::max(te, tb + 1) > s;
    overlapping += counted;
    overlapping_bytes += counted ? v.bytes[t] : 0;
    faults += counted && v.cause[t] == static_cast<std::uint8_t>(MigrationCause::PageFault);
  }
  EXPECT_EQ(v.feature("overlap_host_to_device_ns", i), kinds[1].count());
  EXPECT_EQ(v.feature("overlap_device_to_host_ns", i), kinds[2].count());
  EXPECT_EQ(v.feature("overlap_device_to_device_ns", i), kinds[3].count());
  EXPECT_EQ(v.feature("overlap_peer_to_peer_ns", i), kinds[5].count());
  EXPECT_EQ(v.feature("overlap_memset_ns", i), kinds[6].count());
  EXPECT_NEAR(v.feature("overlap_transfer_bytes", i), bytes, 0.01 + bytes * 1e-5);
  EXPECT_EQ(v.feature("migration_ns", i), migration.count());
  EXPECT_EQ(v.feature("migration_count", i), overlapping);
  EXPECT_EQ(v.feature("migration_bytes", i), overlapping_bytes);
  EXPECT_EQ(v.feature("page_fault_count", i), faults);
}

void check_stream_and_window(const View& v, std::size_t i) {
  const auto s = v.start[i], e = s + v.duration[i];
  bool first = true;
  std::int64_t latest = 0;
  for (std::size_t j = 0; j < i; ++j)
    if (v.stream[j] == v.stream[i]) {
      latest = first ? v.start[j] + v.duration[j] : std::max(latest, v.start[j] + v.duration[j]);
      first = false;
    }
  const auto window = first ? s : std::min(latest, s);
  Nanosecond linked(-1'000, 10'000), inside(s, e), migration(window, e);
  std::vector<Nanosecond> kinds(store::kTransferKinds, Nanosecond(window, e));
  std::uint32_t count = 0;
  for (std::size_t t = 0; t < v.begin.size(); ++t) {
    const auto tb = v.begin[t], te = tb + v.length[t];
    if (!v.same_device(i, t)) continue;
    if (is_migration(static_cast<TransferKind>(v.kind[t]))) migration.cover(tb, te);
    if (tb < e && std::max(te, tb + 1) > window) ++count;
    if (tb >= e || te <= window) continue;
    linked.cover(tb, te);
    inside.cover(tb, te);
    kinds[v.kind[t]].cover(tb, te);
  }
  const auto longest = std::max_element(kinds.begin(), kinds.end(),
                                        [](const auto& a, const auto& b) { return a.count() < b.count(); });
  const auto kind =
      longest->count() > 0 ? longest - kinds.begin() : 0; // the length of some operations is missing: unknown
  EXPECT_EQ(column<std::uint8_t>(v.data, "launches", std::string(store::kLinkedKind).c_str())[i],
            count > 0 ? store::kLinkedKindOfUnknown + kind : 0);
  EXPECT_EQ(column<std::int64_t>(v.data, "launches", "linked_transfer_ns")[i], linked.count());
  EXPECT_EQ(column<std::uint32_t>(v.data, "launches", "linked_transfer_count")[i], count);
  EXPECT_EQ(v.feature("linked_overlapped_ns", i), inside.count());
  EXPECT_EQ(v.feature("linked_exposed_ns", i), linked.count() - inside.count());
  EXPECT_EQ(v.feature("window_migration_ns", i), migration.count());
  if (first)
    EXPECT_TRUE(std::isnan(v.feature("gap_ns", i)));
  else
    EXPECT_EQ(v.feature("gap_ns", i), std::max<std::int64_t>(0, s - latest));
  const auto flags = column<std::uint8_t>(v.data, "launches", "flags")[i];
  EXPECT_EQ((flags & store::kLaunchOverlaps) != 0, !first && s < latest);
}

void check_concurrency(const View& v, std::size_t i) {
  const auto s = v.start[i], e = s + v.duration[i];
  std::int64_t shared = 0;
  for (std::size_t j = 0; j < v.start.size(); ++j)
    if (j != i && v.physical[v.stream[j]] == v.physical[v.stream[i]])
      shared += std::max<std::int64_t>(0, std::min(e, v.start[j] + v.duration[j]) - std::max(s, v.start[j]));
  if (e == s)
    EXPECT_TRUE(std::isnan(v.feature("concurrency", i)));
  else
    EXPECT_FLOAT_EQ(v.feature("concurrency", i),
                    static_cast<float>(static_cast<double>(shared) / static_cast<double>(e - s)));
}

void check_range(const View& v, std::size_t i) {
  const auto call = column<std::uint32_t>(v.data, "launches", "call")[i];
  std::uint32_t innermost = kNone;
  const auto& start = column<std::int64_t>(v.data, "ranges", "start");
  const auto& duration = column<std::int64_t>(v.data, "ranges", "duration");
  if (call != kNone) {
    const auto time = column<std::int64_t>(v.data, "calls", "start")[call];
    for (std::uint32_t r = 0; r < start.size(); ++r) {
      const bool open = start[r] <= time && time < start[r] + duration[r];
      if (!open || column<std::uint8_t>(v.data, "ranges", "kind")[r] == kMark ||
          column<std::uint32_t>(v.data, "ranges", "thread")[r] !=
              column<std::uint32_t>(v.data, "calls", "thread")[call])
        continue;
      if (innermost == kNone || start[r] > start[innermost] ||
          (start[r] == start[innermost] && duration[r] <= duration[innermost]))
        innermost = r;
    }
  }
  EXPECT_EQ(column<std::uint32_t>(v.data, "launches", "range")[i], innermost);
}

class RandomTraces : public testing::TestWithParam<unsigned> {};

TEST_P(RandomTraces, HaveTheFeaturesThatBruteForceFinds) {
  const auto data = random_trace(GetParam(), Shape{});
  const View view(data);
  for (std::size_t row = 0; row < view.start.size(); ++row) {
    SCOPED_TRACE(row);
    check_execution(view, row);
    check_stream_and_window(view, row);
    check_concurrency(view, row);
    check_range(view, row);
    if (testing::Test::HasFailure()) return;
  }
}

TEST_P(RandomTraces, CountFirstLaunchesPerDeviceAndConfiguration) {
  const auto data = random_trace(GetParam(), Shape{});
  const View view(data);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> seen;
  for (std::size_t row = 0; row < view.start.size(); ++row) {
    const std::pair key(view.physical[view.stream[row]],
                        column<std::uint32_t>(data, "launches", "configuration")[row]);
    const bool first = std::find(seen.begin(), seen.end(), key) == seen.end();
    seen.push_back(key);
    ASSERT_EQ((column<std::uint8_t>(data, "launches", "flags")[row] & store::kLaunchFirst) != 0, first);
  }
}

TEST_P(RandomTraces, DepthCountsTheRangesAround) {
  const auto data = random_trace(GetParam(), Shape{});
  const auto& start = column<std::int64_t>(data, "ranges", "start");
  const auto& duration = column<std::int64_t>(data, "ranges", "duration");
  const auto& thread = column<std::uint32_t>(data, "ranges", "thread");
  const auto& kind = column<std::uint8_t>(data, "ranges", "kind");
  for (std::size_t i = 0; i < start.size(); ++i) {
    int depth = 0;
    for (std::size_t j = 0; j < start.size(); ++j) {
      const bool opened_before =
          start[j] < start[i] ||
          (start[j] == start[i] && (duration[j] > duration[i] || (duration[j] == duration[i] && j < i)));
      depth += j != i && thread[j] == thread[i] && kind[j] == kPushPopRange && opened_before &&
               start[j] + duration[j] > start[i];
    }
    ASSERT_EQ(column<std::uint8_t>(data, "ranges", "depth")[i], depth) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomTraces, testing::Range(1u, 13u));

TEST(CounterMeans, AreTakenDuringTheLaunchOrFromTheNearestSampleOfTheDevice) {
  Draft draft;
  const auto made = add_resources(draft, Shape{});
  const auto name = draft.strings.intern("SM Active [Throughput %]").value;
  draft.counters.push_back({name, draft.strings.intern("%").value, made.devices[0]});
  for (int i = 0; i < 10; ++i) {
    draft.samples.time.push_back(i * 100);
    draft.samples.counter.push_back(0);
    draft.samples.value.push_back(i);
  }
  const auto add = [&](std::int64_t start, std::int64_t duration, std::uint32_t stream) {
    draft.launches.start.push_back(start);
    draft.launches.duration.push_back(duration);
    draft.launches.configuration.push_back(draft.configuration({}));
    draft.launches.stream.push_back(stream);
    draft.launches.call.push_back(kNone);
    draft.launches.correlation.push_back(0);
    draft.launches.flags.push_back(0);
  };
  draft.kernel({0, 0});
  add(150, 200, made.streams[0]);  // samples 2 and 3
  add(510, 20, made.streams[0]);   // nearest: 5
  add(560, 30, made.streams[0]);   // nearest: 6
  add(990, 20, made.streams[0]);   // 100 ns after the last: still within one period
  add(1'100, 20, made.streams[0]); // more than one period after the last sample
  add(150, 200, made.streams[static_cast<std::size_t>(Shape{}.streams)]); // another device
  auto data = assemble(std::move(draft), {}, Job{});
  ASSERT_TRUE(data.has_value());
  store::ImportReport report;
  ASSERT_TRUE(add_context(*data, report, Job{}).has_value());
  const auto* means = data->find("launches")->find("mean_sm_active");
  ASSERT_NE(means, nullptr);
  EXPECT_EQ(means->unit, "%");
  const auto& values = std::get<SpillVector<float>>(means->values);
  EXPECT_EQ(values[0], 2.5f);
  EXPECT_TRUE(std::isnan(values[1])); // same start, later stream: the other device
  EXPECT_EQ(values[2], 5.0f);
  EXPECT_EQ(values[3], 6.0f);
  EXPECT_EQ(values[4], 9.0f);
  EXPECT_TRUE(std::isnan(values[5]));
}

TEST(Bursts, EndAtGapsOfMoreThanTenMicroseconds) {
  Draft draft;
  const auto made = add_resources(draft, Shape{});
  draft.kernel({0, 0});
  for (const std::int64_t start : {0, 1'000, 2'000, 20'000, 30'100, 50'000}) {
    draft.launches.start.push_back(start);
    draft.launches.duration.push_back(100);
    draft.launches.configuration.push_back(draft.configuration({}));
    draft.launches.stream.push_back(made.streams[0]);
    draft.launches.call.push_back(kNone);
    draft.launches.correlation.push_back(0);
    draft.launches.flags.push_back(0);
  }
  auto data = assemble(std::move(draft), {}, Job{});
  ASSERT_TRUE(data.has_value());
  store::ImportReport report;
  ASSERT_TRUE(add_context(*data, report, Job{}).has_value());
  EXPECT_EQ(column<float>(*data, "launches", "burst_position"), (std::vector<float>{0, 1, 2, 0, 1, 0}));
}

TEST(Context, OfAMillionLaunchesAndTransfersTakesSeconds) {
  Shape shape;
  shape.launches = shape.transfers = shape.calls = 1'000'000;
  shape.ranges = 200'000;
  shape.span = 1'000'000'000;
  const auto before = std::clock(); // CPU time of this process, independent of other load
  const auto data = random_trace(7, shape);
  EXPECT_EQ(launch_starts(data).size(), 1'000'000u);
  EXPECT_LT((std::clock() - before) / CLOCKS_PER_SEC, 60);
}

TEST(Context, CanBeCancelled) {
  Shape shape;
  auto data = random_trace(3, shape);
  auto& launches = *data.find("launches");
  launches.columns.resize(8); // the columns that add_context() started from
  Job job;
  job.cancelled = [] { return true; };
  store::ImportReport report;
  const auto done = add_context(data, report, job);
  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().kind, ErrorKind::Cancelled);
}

} // namespace
} // namespace jitterscope::import
