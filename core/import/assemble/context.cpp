#include "core/import/assemble/context.h"

#include <algorithm>
#include <limits>
#include <unordered_set>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "core/base/spill_vector.h"
#include "core/base/stop.h"
#include "core/columns/column_spec.h"
#include "core/import/assemble/background_task.h"
#include "core/import/assemble/counter_means.h"
#include "core/import/assemble/device_activity.h"
#include "core/import/assemble/nesting.h"

namespace jitterscope::import {
namespace {

using store::Severity;
using store::Table;
using store::TraceData;

constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();
constexpr std::size_t kRowsBetweenChecks = 4096;

/// The feature columns while they are computed. They grow with the rows: touching fresh memory for millions
/// of rows at once would take too long without checking for cancellation.
struct Features {
  SpillVector<float> gap, concurrency;
  SpillVector<float> host_to_device, device_to_host, device_to_device, peer_to_peer, memset, transfer_bytes;
  SpillVector<float> migration, migration_bytes, migration_count, page_faults, window_migration;
  SpillVector<float> linked_overlapped, linked_exposed, burst_position;
  SpillVector<std::int64_t> linked;
  SpillVector<std::uint32_t> linked_count;
  SpillVector<std::uint8_t> linked_kind;

  template <class Change>
  void for_all(Change&& change) {
    for (auto* column : {&gap, &burst_position}) change(*column);
    if (any_memory) for_memory(change);
  }
  /// Calls change(column) for each feature of memory operations.
  template <class Change>
  void for_memory(Change&& change) {
    for (auto* column : {&host_to_device, &device_to_host, &device_to_device, &peer_to_peer, &memset,
                         &transfer_bytes, &migration, &migration_bytes, &migration_count, &page_faults,
                         &window_migration, &linked_overlapped, &linked_exposed})
      change(*column);
    change(linked);
    change(linked_count);
    change(linked_kind);
  }

  bool any_memory = true; ///< false: the trace has no memory operations, so these features are 0 everywhere
};

/// The columns of the table "launches" from which features are computed.
struct Launches {
  explicit Launches(const Table& table)
      : start(table.get<std::int64_t>("start")), duration(table.get<std::int64_t>("duration")),
        configuration(table.get<std::uint32_t>("configuration")), stream(table.get<std::uint32_t>("stream")),
        call(table.get<std::uint32_t>("call")) {}
  std::size_t rows() const { return start.size(); }
  std::int64_t end(std::size_t row) const { return start[row] + duration[row]; }

  const SpillVector<std::int64_t>&start, &duration;
  const SpillVector<std::uint32_t>&configuration, &stream, &call;
};

/// State of a stream while its launches are visited in order.
struct StreamState {
  bool used = false;
  std::int64_t latest_end = 0;
  std::int64_t burst_position = 0;
};

/// Distinguishes the first launch of a configuration on a device from later ones.
class FirstLaunches {
public:
  /// Devices are identified by resource.
  FirstLaunches(std::size_t resources, std::size_t configurations)
      : resources_(resources), configurations_(configurations) {
    if (configurations == 0 || resources < kMaxFlags / configurations)
      flags_.resize((resources + 1) * configurations); // the last: launches without a known device
  }
  bool of(std::uint32_t device, std::uint32_t configuration) {
    if (flags_.empty()) return seen_.insert(std::uint64_t{device} << 32 | configuration).second;
    const auto of_device = std::min<std::size_t>(device, resources_) * configurations_;
    return std::exchange(flags_[of_device + configuration], std::uint8_t{1}) == 0;
  }

private:
  static constexpr std::size_t kMaxFlags = std::size_t{1} << 24;
  std::size_t resources_, configurations_;
  SpillVector<std::uint8_t> flags_;
  std::unordered_set<std::uint64_t> seen_; // used where flags would take too much memory
};

using Window = store::LaunchWindow;

// Most feeding windows contain no memory operation: then all these features are 0, the initial value of
// the columns.
void memory_features(Features& f, std::size_t row, const Window& w, const store::MemoryActivity& memory) {
  const auto found = memory.around(w);
  if (found.linked_transfer_count == 0) return;
  f.host_to_device[row] = found.overlap_host_to_device_ns;
  f.device_to_host[row] = found.overlap_device_to_host_ns;
  f.device_to_device[row] = found.overlap_device_to_device_ns;
  f.peer_to_peer[row] = found.overlap_peer_to_peer_ns;
  f.memset[row] = found.overlap_memset_ns;
  f.transfer_bytes[row] = found.overlap_transfer_bytes;
  f.migration[row] = found.migration_ns;
  f.migration_bytes[row] = found.migration_bytes;
  f.migration_count[row] = found.migration_count;
  f.page_faults[row] = found.page_fault_count;
  f.window_migration[row] = found.window_migration_ns;
  f.linked[row] = found.linked_transfer_ns;
  f.linked_count[row] = found.linked_transfer_count;
  f.linked_kind[row] = found.linked_kind;
  f.linked_overlapped[row] = found.linked_overlapped_ns;
  f.linked_exposed[row] = found.linked_exposed_ns;
}

// Computes gap, burst and feeding window, and whether the launch overlaps an earlier one of its stream.
Window pass_stream(Features& f, std::size_t row, const Launches& launches, StreamState& stream,
                   bool& overlaps) {
  const auto start = launches.start[row], end = launches.end(row);
  Window window{start, start, end};
  overlaps = stream.used && start < stream.latest_end;
  const auto gap = stream.used ? std::max<std::int64_t>(0, start - stream.latest_end) : 0;
  f.gap[row] = stream.used ? static_cast<float>(gap) : kMissing;
  stream.burst_position = stream.used && gap <= kBurstGap ? stream.burst_position + 1 : 0;
  f.burst_position[row] = static_cast<float>(stream.burst_position);
  if (stream.used) window.begin = std::min(stream.latest_end, start);
  stream.latest_end = stream.used ? std::max(stream.latest_end, end) : end;
  stream.used = true;
  return window;
}

SpillVector<float> queue_delays(const Launches& launches, const Table& calls, Stop& stop) {
  const auto& start = calls.get<std::int64_t>("start");
  const auto& duration = calls.get<std::int64_t>("duration");
  SpillVector<float> delays;
  delays.reserve(launches.rows());
  for (std::size_t row = 0; row < launches.rows() && !stop.at(row); ++row) {
    const auto call = launches.call[row];
    delays.push_back(
        call == kNone ? kMissing : static_cast<float>(launches.start[row] - (start[call] + duration[call])));
  }
  return delays;
}

void note_overlap(const TraceData& data, const Launches& launches, std::size_t row,
                  store::ImportReport& report, std::int64_t count) {
  if (count == 0) return;
  const auto& track = data.resources[launches.stream[row]];
  const bool of_thread = track.kind == store::ResourceKind::Thread;
  const auto* what = of_thread ? "row" : "launch";
  const auto* where = of_thread ? "thread" : "stream";
  report.add(
      Severity::Info, "overlapping-launches",
      fmt::format("the {0} at {2} ns on {1} {3} begins before an earlier {0} of its {1} has ended; those "
                  "that overlap an earlier one have gap 0, and their feeding window begins when they "
                  "start",
                  what, where, launches.start[row], track.number),
      count);
}

// Memory operations of the device of each resource, null where there are none.
std::vector<const store::MemoryActivity*>
by_stream(const std::unordered_map<std::uint32_t, store::MemoryActivity>& devices,
          const std::vector<std::uint32_t>& physical) {
  std::vector<const store::MemoryActivity*> activities(physical.size());
  for (std::size_t resource = 0; resource < physical.size(); ++resource)
    if (const auto found = devices.find(physical[resource]); found != devices.end())
      activities[resource] = &found->second;
  return activities;
}

// Fills the features that depend on stream and device; returns the bits for "flags".
SpillVector<std::uint8_t> sweep(const TraceData& data, const Launches& launches,
                                const std::vector<std::uint32_t>& physical, Features& f,
                                store::ImportReport& report, Stop& stop) {
  const auto devices = memory_of_devices(data, physical, stop);
  if (stop.requested()) return {};
  f.any_memory = data.find("transfers")->rows() > 0;
  if (!f.any_memory)
    f.for_memory([&]<class T>(SpillVector<T>& column) { column = SpillVector<T>::zeros(launches.rows()); });
  f.concurrency = concurrency_of(data, physical, stop);
  if (stop.requested()) return {};
  f.for_all([&](auto& column) { column.reserve(launches.rows()); });
  std::vector<StreamState> streams(data.resources.size());
  const auto activities = by_stream(devices, physical);
  FirstLaunches first(data.resources.size(), data.find("configurations")->rows());
  SpillVector<std::uint8_t> flags(launches.rows());
  std::int64_t overlapping = 0;
  std::size_t first_overlapping = 0;
  for (std::size_t row = 0; row < launches.rows(); ++row) {
    if (row % kRowsBetweenChecks == 0) {
      if (stop.requested()) return {};
      f.for_all([&](auto& column) { column.resize(std::min(launches.rows(), row + kRowsBetweenChecks)); });
    }
    const auto device = physical[launches.stream[row]];
    bool overlaps = false;
    const auto window = pass_stream(f, row, launches, streams[launches.stream[row]], overlaps);
    if (const auto* memory = activities[launches.stream[row]]) memory_features(f, row, window, *memory);
    if (first.of(device, launches.configuration[row])) flags[row] |= store::kLaunchFirst;
    if (overlaps) {
      flags[row] |= store::kLaunchOverlaps;
      if (overlapping++ == 0) first_overlapping = row;
    }
  }
  note_overlap(data, launches, first_overlapping, report, overlapping);
  return flags;
}

void append(Table& table, Features&& f, SpillVector<float>&& queue_delay) {
  const auto add = [&](std::string_view name, auto& values) {
    const auto& spec = column_spec(name);
    table.add(std::string(name), std::string(spec.unit), std::string(spec.description), std::move(values));
  };
  add("gap_ns", f.gap);
  add("queue_delay_ns", queue_delay);
  add("concurrency", f.concurrency);
  add("overlap_host_to_device_ns", f.host_to_device);
  add("overlap_device_to_host_ns", f.device_to_host);
  add("overlap_device_to_device_ns", f.device_to_device);
  add("overlap_peer_to_peer_ns", f.peer_to_peer);
  add("overlap_memset_ns", f.memset);
  add("overlap_transfer_bytes", f.transfer_bytes);
  add("migration_ns", f.migration);
  add("migration_bytes", f.migration_bytes);
  add("migration_count", f.migration_count);
  add("page_fault_count", f.page_faults);
  add("window_migration_ns", f.window_migration);
  add("linked_transfer_ns", f.linked);
  add("linked_transfer_count", f.linked_count);
  add(store::kLinkedKind, f.linked_kind);
  add("linked_overlapped_ns", f.linked_overlapped);
  add("linked_exposed_ns", f.linked_exposed);
  add("burst_position", f.burst_position);
}

SpillVector<std::uint32_t> ranges_of_launches(const TraceData& data, const Launches& launches, Stop& stop) {
  const auto& calls = *data.find("calls");
  const auto& ranges = *data.find("ranges");
  const auto range_of_call =
      innermost_range(ranges.get<std::int64_t>("start"), ranges.get<std::int64_t>("duration"),
                      ranges.get<std::uint32_t>("thread"), ranges.get<std::uint8_t>("kind"),
                      calls.get<std::int64_t>("start"), calls.get<std::uint32_t>("thread"), stop);
  auto range = data.find("launches")->get<std::uint32_t>("range"); // unchanged where no call is known
  if (stop.requested()) return range;
  for (std::size_t row = 0; row < range.size() && !stop.at(row); ++row)
    if (const auto call = launches.call[row]; call != kNone) range[row] = range_of_call[call];
  return range;
}

/// The features that need no sweep over the launches of each stream.
struct OfCallsAndSamples {
  SpillVector<float> queue_delay;
  SpillVector<std::uint32_t> range;
  std::vector<CounterMeans> means;
  store::ImportReport report;
};

OfCallsAndSamples of_calls_and_samples(const TraceData& data, const Launches& launches,
                                       const std::vector<std::uint32_t>& physical, const Job& job) {
  Stop stop(job);
  OfCallsAndSamples found;
  found.queue_delay = queue_delays(launches, *data.find("calls"), stop);
  found.range = ranges_of_launches(data, launches, stop);
  found.means = counter_means(data, physical, found.report, stop);
  return found;
}

template <class T>
SpillVector<T>& mutable_column(Table& table, const char* name) {
  const auto place = std::find_if(table.columns.begin(), table.columns.end(),
                                  [&](const store::Column& column) { return column.name == name; });
  return std::get<SpillVector<T>>(place->values);
}

} // namespace

Expected<void> add_context(TraceData& data, store::ImportReport& report, const Job& job,
                           const std::function<void()>& before_changes) {
  auto& table = *data.find("launches");
  const auto physical = store::physical_devices(data.resources);
  const Launches launches(table);
  BackgroundTask<OfCallsAndSamples> background(
      job, [&](const Job& own) { return of_calls_and_samples(data, launches, physical, own); });
  Stop stop(job);
  Features features;
  const auto flags = sweep(data, launches, physical, features, report, stop);
  if (stop.requested()) return Job::cancelled_error();
  auto others = background.result();
  before_changes();
  if (background.cancelled() || stop.requested()) return Job::cancelled_error();
  for (const auto& entry : others.report.entries())
    report.add(entry.severity, entry.code, entry.text, entry.count);
  auto& bits = mutable_column<std::uint8_t>(table, "flags");
  for (std::size_t row = 0; row < bits.size(); ++row) {
    SpillMemory::relieve_at(row);
    bits[row] |= flags[row];
  }
  mutable_column<std::uint32_t>(table, "range") = std::move(others.range);
  append(table, std::move(features), std::move(others.queue_delay));
  append(table, std::move(others.means));
  return {};
}

void mark_first_launches(TraceData& data) {
  auto& table = *data.find("launches");
  const auto physical = store::physical_devices(data.resources);
  const auto& stream = table.get<std::uint32_t>("stream");
  const auto& configuration = table.get<std::uint32_t>("configuration");
  auto& flags = mutable_column<std::uint8_t>(table, "flags");
  FirstLaunches first(data.resources.size(), data.find("configurations")->rows());
  for (std::size_t row = 0; row < flags.size(); ++row) {
    SpillMemory::relieve_at(row);
    if (first.of(physical[stream[row]], configuration[row])) flags[row] |= store::kLaunchFirst;
  }
}

} // namespace jitterscope::import
