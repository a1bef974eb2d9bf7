#include "core/reasons/rows/typical_windows.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <utility>

#include "core/base/median.h"
#include "core/base/stratified_sample.h"

namespace jitterscope::analysis {
namespace {

using store::MemoryAround;
using store::TransferKind;

constexpr std::string_view kConcurrency = "concurrency";
constexpr std::int64_t kRun = 64;                        // consecutive launches of a sampled run
constexpr std::int64_t kMaxRuns = std::int64_t{1} << 12; // maximum number of sampled runs
constexpr std::size_t kMaxSlices = 200;                  // intervals of time, each with its own rate
constexpr std::size_t kLaunchesOfASlice = 1'000;
constexpr double kMinOverlapped = 5, kMinOverlappedInAll = 50; // minimum launches per slice, and overall
constexpr double kMaxLogChange = 3;            // limit of |ln(duration / typical duration)| of a launch
constexpr double kMinEffect = 0.03, kSure = 2; // change of ln(duration); half width in standard errors
// Fraction of the time of a slice, added at the overall rate so that slices without operations have a rate.
constexpr double kBorrowed = 0.1;

enum Place : std::size_t {
  kHostToDevice,
  kDeviceToHost,
  kDeviceToDevice,
  kPeerToPeer,
  kMemset,
  kMigrations,
  kPlaces
};
constexpr std::array<const char*, kPlaces> kWords = {"host-to-device copies",
                                                     "device-to-host copies",
                                                     "device-to-device copies",
                                                     "peer-to-peer copies",
                                                     "memsets",
                                                     "unified-memory migrations"};
constexpr std::array<TransferKind, kMigrations> kCopies = {
    TransferKind::HostToDevice, TransferKind::DeviceToHost, TransferKind::DeviceToDevice,
    TransferKind::PeerToPeer, TransferKind::Memset};

/// A launch column: the kinds of operations it counts, and its value.
struct LimitedColumn {
  unsigned kinds = 0; ///< bits of the kinds, by Place
  double (*value)(const MemoryAround&) = nullptr;
};
constexpr unsigned bit(Place place) {
  return 1u << place;
}
constexpr unsigned kAllPlaces = (1u << kPlaces) - 1;
constexpr unsigned kSized = bit(kHostToDevice) | bit(kDeviceToHost) | bit(kDeviceToDevice) | bit(kPeerToPeer);

const std::map<std::string_view, LimitedColumn>& limited_columns() {
  static const std::map<std::string_view, LimitedColumn> columns = {
      {"overlap_host_to_device_ns",
       {bit(kHostToDevice), [](const MemoryAround& a) { return double{a.overlap_host_to_device_ns}; }}},
      {"overlap_device_to_host_ns",
       {bit(kDeviceToHost), [](const MemoryAround& a) { return double{a.overlap_device_to_host_ns}; }}},
      {"overlap_device_to_device_ns",
       {bit(kDeviceToDevice), [](const MemoryAround& a) { return double{a.overlap_device_to_device_ns}; }}},
      {"overlap_peer_to_peer_ns",
       {bit(kPeerToPeer), [](const MemoryAround& a) { return double{a.overlap_peer_to_peer_ns}; }}},
      {"overlap_memset_ns",
       {bit(kMemset), [](const MemoryAround& a) { return double{a.overlap_memset_ns}; }}},
      {"overlap_transfer_bytes",
       {kSized, [](const MemoryAround& a) { return double{a.overlap_transfer_bytes}; }}},
      {"migration_ns", {bit(kMigrations), [](const MemoryAround& a) { return double{a.migration_ns}; }}},
      {"migration_bytes",
       {bit(kMigrations), [](const MemoryAround& a) { return double{a.migration_bytes}; }}},
      {"migration_count",
       {bit(kMigrations), [](const MemoryAround& a) { return double{a.migration_count}; }}},
      {"page_fault_count",
       {bit(kMigrations), [](const MemoryAround& a) { return double{a.page_fault_count}; }}},
      {"window_migration_ns",
       {bit(kMigrations), [](const MemoryAround& a) { return double{a.window_migration_ns}; }}},
      {"linked_transfer_ns",
       {kAllPlaces, [](const MemoryAround& a) { return static_cast<double>(a.linked_transfer_ns); }}},
      {"linked_transfer_count",
       {kAllPlaces, [](const MemoryAround& a) { return static_cast<double>(a.linked_transfer_count); }}},
      {"linked_overlapped_ns",
       {kAllPlaces, [](const MemoryAround& a) { return double{a.linked_overlapped_ns}; }}},
      {"linked_exposed_ns", {kAllPlaces, [](const MemoryAround& a) { return double{a.linked_exposed_ns}; }}}};
  return columns;
}

/// The memory operations of a trace by device (row of its resource tree).
std::map<std::uint32_t, store::MemoryOperations>
operations_of(const Trace& trace, const std::vector<std::uint32_t>& physical, Stop& stop) {
  std::map<std::uint32_t, store::MemoryOperations> devices;
  const auto begin = trace.store.column<std::int64_t>("transfers", "start");
  const auto length = trace.store.column<std::int64_t>("transfers", "duration");
  const auto bytes = trace.store.column<std::int64_t>("transfers", "bytes");
  const auto kind = trace.store.column<std::uint8_t>("transfers", "kind");
  const auto cause = trace.store.column<std::uint8_t>("transfers", "migration_cause");
  const auto where = trace.store.column<std::uint32_t>("transfers", "stream");
  for (std::size_t row = 0; row < begin.size() && !stop.at(row); ++row)
    devices[physical[where[row]]].add({begin[row], begin[row] + std::max<std::int64_t>(length[row], 0),
                                       std::max<std::int64_t>(bytes[row], 0)},
                                      static_cast<TransferKind>(kind[row]),
                                      static_cast<store::MigrationCause>(cause[row]),
                                      bytes[row] != store::kUnknownBytes);
  return devices;
}

/// Runs of launches, spread over the session.
std::vector<Segment> sample_of(const Session& session) {
  std::vector<Segment> sample;
  for (const auto run : stratified_sample((session.launches() + kRun - 1) / kRun, kMaxRuns))
    for (const auto& segment : session.segments(run * kRun, std::min((run + 1) * kRun, session.launches())))
      sample.push_back(segment);
  return sample;
}

std::vector<std::int64_t> typical_durations(const Session& session, const std::vector<Segment>& sample) {
  std::vector<std::vector<std::int64_t>> known(session.configurations().size());
  for (const auto& segment : sample) {
    const Trace& trace = session.traces()[segment.trace];
    const auto durations = trace.durations();
    const auto configurations = trace.configurations();
    for (auto row = static_cast<std::size_t>(segment.first); row < static_cast<std::size_t>(segment.last);
         ++row)
      if (durations[row] != store::kMissingDuration)
        known[trace.configuration[configurations[row]]].push_back(durations[row]);
  }
  std::vector<std::int64_t> typical(known.size(), -1);
  for (std::size_t c = 0; c < known.size(); ++c) {
    if (known[c].empty()) continue;
    typical[c] = std::llround(median_of(known[c]));
  }
  return typical;
}

/// Operations of one kind. typical: number that begin within the typical duration of launches. late: number
/// that begin after it, in launches with none before. late_ns: time in which late ones could begin.
struct Begins {
  std::int64_t typical = 0, late = 0;
  double late_ns = 0;
};
/// Sums of ln(duration / typical duration) over launches with, or without, an operation that begins within
/// their typical duration or runs at their start.
struct Lengths {
  double n = 0, sum = 0, squares = 0;
  void add(double y) { n += 1, sum += y, squares += y * y; }
  double mean() const { return sum / n; }
  double variance() const { return std::max(0.0, squares / n - mean() * mean()) / n; }
};
struct Slice {
  double typical_ns = 0;
  std::array<Begins, kPlaces> begins{};
  std::array<std::array<Lengths, 2>, kPlaces> lengths; ///< by kind: without and with an operation
};

/// Operations of one kind, sorted by start time.
struct Times {
  std::vector<std::int64_t> begins, ends;

  void add(std::span<const store::Span> spans) {
    for (const auto& span : spans) begins.push_back(span.begin), ends.push_back(span.end);
  }
  std::size_t before(std::int64_t time) const {
    return static_cast<std::size_t>(std::lower_bound(begins.begin(), begins.end(), time) - begins.begin());
  }
};
using DeviceTimes = std::array<Times, kPlaces>;

DeviceTimes times_of(const store::MemoryOperations& operations) {
  DeviceTimes times;
  for (std::size_t kind = 0; kind < kCopies.size(); ++kind) times[kind].add(operations.of(kCopies[kind]));
  times[kMigrations].add(operations.migrations());
  return times;
}

void examine(Slice& slice, const DeviceTimes& times, std::int64_t start, std::int64_t typical,
             std::int64_t duration) {
  const std::int64_t end = start + duration, typical_end = std::min(end, start + typical);
  const double change = typical > 0 && duration > 0
                            ? std::log(static_cast<double>(duration) / static_cast<double>(typical))
                            : std::numeric_limits<double>::quiet_NaN();
  slice.typical_ns += static_cast<double>(typical_end - start);
  for (std::size_t kind = 0; kind < kPlaces; ++kind) {
    if (times[kind].begins.empty()) continue;
    auto& found = slice.begins[kind];
    const auto first = times[kind].before(start), middle = times[kind].before(typical_end);
    found.typical += static_cast<std::int64_t>(middle - first);
    const bool at_start = first > 0 && times[kind].ends[first - 1] > start;
    // For the effect, the time is the same for all launches: a launch that ends early has less time for an
    // operation to begin.
    const bool with = at_start || times[kind].before(start + typical) > first;
    if (!std::isnan(change)) slice.lengths[kind][with].add(std::clamp(change, -kMaxLogChange, kMaxLogChange));
    if (middle > first || at_start) continue;
    found.late += static_cast<std::int64_t>(times[kind].before(end) - middle);
    found.late_ns += static_cast<double>(end - typical_end);
  }
}

/// Sets the interval of the effect of operations of this kind.
void estimate_effect(TypicalWindows::Kind& known, const std::vector<Slice>& slices, std::size_t kind) {
  double overlapped = 0, difference = 0, variance = 0;
  for (const auto& slice : slices) {
    const auto& [others, with] = slice.lengths[kind];
    if (with.n < kMinOverlapped || others.n < kMinOverlapped) continue;
    overlapped += with.n, difference += with.n * (with.mean() - others.mean()),
        variance += with.n * with.n * (with.variance() + others.variance());
  }
  if (overlapped < kMinOverlappedInAll) return;
  known.effect_low = (difference - kSure * std::sqrt(variance)) / overlapped;
  known.effect_high = (difference + kSure * std::sqrt(variance)) / overlapped;
}

std::vector<TypicalWindows::Kind> judge(const std::vector<Slice>& slices) {
  std::vector<TypicalWindows::Kind> kinds(kPlaces);
  double all_ns = 0;
  for (const auto& slice : slices) all_ns += slice.typical_ns;
  for (std::size_t kind = 0; kind < kPlaces; ++kind) {
    auto& known = kinds[kind];
    known.words = kWords[kind];
    std::int64_t all = 0;
    for (const auto& slice : slices) all += slice.begins[kind].typical, known.late += slice.begins[kind].late;
    const double borrowed_ns = kBorrowed * all_ns / static_cast<double>(slices.size());
    if (!(borrowed_ns > 0)) continue;
    const double rate = static_cast<double>(all) / all_ns;
    for (const auto& slice : slices)
      known.by_chance += slice.begins[kind].late_ns *
                         (static_cast<double>(slice.begins[kind].typical) + rate * borrowed_ns) /
                         (slice.typical_ns + borrowed_ns);
    estimate_effect(known, slices, kind);
  }
  return kinds;
}

} // namespace

struct TypicalWindows::Operations {
  std::vector<std::vector<std::uint32_t>> physical; ///< device of every resource, by trace
  std::vector<std::map<std::uint32_t, store::MemoryOperations>> by_device; ///< by trace, then device
};

Expected<TypicalWindows> TypicalWindows::make(const Session& session, const Job& job) {
  TypicalWindows windows;
  windows.session_ = &session;
  const auto sample = sample_of(session);
  windows.typical_ = typical_durations(session, sample);
  const bool has_context =
      std::all_of(session.traces().begin(), session.traces().end(), [](const Trace& trace) {
        return trace.store.table("launches").find("gap_ns") !=
               nullptr; // computed with the other context columns
      });
  if (!has_context || session.launch_order() || session.launches() == 0) return windows;
  Stop stop(job);
  Operations operations;
  for (const auto& trace : session.traces()) {
    operations.physical.push_back(store::physical_devices(trace.store.resources()));
    operations.by_device.push_back(operations_of(trace, operations.physical.back(), stop));
    if (stop.requested()) return Job::cancelled_error();
  }
  windows.counters_ = TypicalCounters(session, operations.physical);
  windows.counters_.align(sample, windows.typical_, stop);
  windows.concurrency_ = TypicalConcurrency(session, operations.physical, stop);
  windows.recent_ = RecentMemory(session, operations.physical, operations.by_device, stop);
  if (stop.requested()) return Job::cancelled_error();
  auto kinds = windows.examine_sample(sample, operations, stop);
  if (!kinds) return forward(kinds.error());
  windows.kinds_ = std::move(*kinds);
  if (std::none_of(windows.kinds_.begin(), windows.kinds_.end(),
                   [](const Kind& kind) { return kind.limited(); }))
    return windows;
  for (std::size_t t = 0; t < session.traces().size(); ++t) {
    const auto& physical = operations.physical[t];
    auto& devices = windows.devices_.emplace_back();
    devices.of_stream.assign(physical.size(), kNone);
    for (const auto& [device, known] : operations.by_device[t]) {
      for (std::size_t resource = 0; resource < physical.size(); ++resource)
        if (physical[resource] == device)
          devices.of_stream[resource] = static_cast<std::uint32_t>(devices.activities.size());
      devices.activities.emplace_back(known, stop);
      if (stop.requested()) return Job::cancelled_error();
    }
    operations.by_device[t].clear();
  }
  return windows;
}

Expected<std::vector<TypicalWindows::Kind>> TypicalWindows::examine_sample(const std::vector<Segment>& sample,
                                                                           const Operations& operations,
                                                                           Stop& stop) const {
  std::size_t sampled = 0, passed = 0;
  for (const auto& segment : sample) sampled += static_cast<std::size_t>(segment.rows());
  std::vector<Slice> slices(std::clamp<std::size_t>(sampled / kLaunchesOfASlice, 1, kMaxSlices));
  std::size_t current = session_->traces().size();
  std::map<std::uint32_t, DeviceTimes> times;
  for (const auto& segment : sample) {
    const Trace& trace = session_->traces()[segment.trace];
    if (segment.trace != current) {
      current = segment.trace;
      times.clear();
      for (const auto& [device, known] : operations.by_device[current]) times[device] = times_of(known);
    }
    const auto starts = trace.starts();
    const auto durations = trace.durations();
    const auto configurations = trace.configurations();
    const auto streams = trace.store.column<std::uint32_t>("launches", "stream");
    for (auto row = static_cast<std::size_t>(segment.first); row < static_cast<std::size_t>(segment.last);
         ++row, ++passed) {
      if (stop.at(passed)) return Job::cancelled_error();
      const auto found = times.find(operations.physical[current][streams[row]]);
      if (found == times.end() || durations[row] == store::kMissingDuration) continue;
      const auto typical = typical_[trace.configuration[configurations[row]]];
      examine(slices[passed * slices.size() / sampled], found->second, starts[row], typical, durations[row]);
    }
  }
  return judge(slices);
}

bool TypicalWindows::provides(std::string_view column) const {
  return counters_.measures(column) || limits(column) || recent_.provides(column) ||
         (column == kConcurrency && concurrency_.known());
}

template <class Holds>
bool TypicalWindows::any_kind(std::string_view column, const Holds& holds) const {
  const auto found = limited_columns().find(column);
  if (found == limited_columns().end()) return false;
  for (std::size_t kind = 0; kind < kinds_.size(); ++kind)
    if ((found->second.kinds >> kind & 1u) && holds(kinds_[kind])) return true;
  return false;
}

bool TypicalWindows::acts(std::string_view column) const {
  return any_kind(column, [](const Kind& kind) { return kind.effect_low >= kMinEffect; });
}

bool TypicalWindows::does_not_act(std::string_view column) const {
  return any_kind(column, [](const Kind& kind) { return kind.effect_high < kMinEffect; });
}

bool TypicalWindows::limits(std::string_view column) const {
  return any_kind(column, [](const Kind& kind) { return kind.limited(); });
}

const std::vector<MemoryAround>& TypicalWindows::around(const Segment& segment) const {
  auto& last = last_.value();
  if (segment.trace == last.segment.trace && segment.first == last.segment.first &&
      segment.last == last.segment.last)
    return last.rows;
  const Trace& trace = session_->traces()[segment.trace];
  const auto& devices = devices_[segment.trace];
  const auto starts = trace.starts();
  const auto durations = trace.durations();
  const auto configurations = trace.configurations();
  const auto streams = trace.store.column<std::uint32_t>("launches", "stream");
  const auto gaps = trace.store.column<float>("launches", "gap_ns");
  last.rows.assign(static_cast<std::size_t>(segment.rows()), {});
  for (std::size_t i = 0; i < last.rows.size(); ++i) {
    const auto row = static_cast<std::size_t>(segment.first) + i;
    const auto device = devices.of_stream[streams[row]];
    if (device == kNone) continue;
    const auto typical = typical_[trace.configuration[configurations[row]]];
    const auto start = starts[row];
    const auto length = typical >= 0 ? typical : std::max<std::int64_t>(durations[row], 0);
    const auto gap = gaps[row] > 0 ? static_cast<std::int64_t>(gaps[row]) : 0; // NaN: first of its stream
    last.rows[i] = devices.activities[device].around({start - gap, start, start + length});
  }
  last.segment = segment;
  return last.rows;
}

std::vector<double> TypicalWindows::idle_gaps(const Segment& segment, std::vector<double> gaps) const {
  if (!concurrency_.known()) return gaps;
  const auto kernels = concurrency_.within_gaps(segment, gaps);
  for (std::size_t i = 0; i < gaps.size(); ++i) gaps[i] -= kernels[i];
  const auto& store = session_->traces()[segment.trace].store;
  constexpr std::string_view kExposed = "linked_exposed_ns";
  if (!store.table("launches").find(kExposed)) return gaps;
  const auto exposed = store.column<float>("launches", kExposed);
  for (std::size_t i = 0; i < gaps.size(); ++i)
    if (const double memory = exposed[static_cast<std::size_t>(segment.first) + i];
        memory > 0) // else unknown
      gaps[i] = std::max(0.0, gaps[i] - memory);
  return gaps;
}

std::vector<double> TypicalWindows::read(std::string_view column, const Segment& segment) const {
  if (counters_.measures(column)) return counters_.read(column, segment, typical_);
  if (column == kConcurrency) return concurrency_.read(segment, typical_);
  if (recent_.provides(column)) return recent_.read(column, segment);
  const auto value = limited_columns().find(column)->second.value;
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(segment.rows()));
  for (const auto& known : around(segment)) values.push_back(value(known));
  return values;
}

} // namespace jitterscope::analysis
