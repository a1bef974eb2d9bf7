#include "core/analysis/tracks.h"

#include <algorithm>

#include <fmt/core.h>

namespace jitterscope::analysis {

namespace {
constexpr std::size_t kMostLanes = 16;
constexpr std::uint8_t kStateRange = 3; // in table "ranges"
} // namespace

/// Buckets the rows of one trace by resource, then lists the tracks in tree order.
class TracksBuilder {
public:
  TracksBuilder(Tracks& tracks, const Session& session, std::size_t trace)
      : tracks_(tracks), trace_(trace), store_(session.traces()[trace].store),
        several_traces_(session.traces().size() > 1) {}

  void run() {
    const auto& resources = store_.resources();
    const auto count = resources.size();
    launches_.resize(count);
    device_launches_.resize(count);
    copies_.resize(count);
    migrations_.resize(count);
    calls_.resize(count);
    ranges_.resize(count);
    states_.resize(count);
    tracks_.by_stream_.emplace_back(count, kNone);
    tracks_.by_calls_.emplace_back(count, kNone);
    bucket_all();
    children_.resize(count);
    for (std::uint32_t r = 0; r < count; ++r)
      if (resources[r].parent != kNone) children_[resources[r].parent].push_back(r);
    for (std::uint32_t r = 0; r < count; ++r)
      if (resources[r].kind == store::ResourceKind::Host) add_host(r);
  }

private:
  std::uint32_t device_of(std::uint32_t resource) const {
    const auto& resources = store_.resources();
    while (resource != kNone && resources[resource].kind != store::ResourceKind::Device)
      resource = resources[resource].parent;
    return resource;
  }

  void bucket_all() {
    const auto streams = store_.column<std::uint32_t>("launches", "stream");
    for (std::uint32_t row = 0; row < streams.size(); ++row) {
      launches_[streams[row]].rows.push_back(row);
      if (const auto device = device_of(streams[row]); device != kNone)
        device_launches_[device].rows.push_back(row);
    }
    const auto places = store_.column<std::uint32_t>("transfers", "stream");
    const auto kinds = store_.column<std::uint8_t>("transfers", "kind");
    for (std::uint32_t row = 0; row < places.size(); ++row) {
      const auto device = device_of(places[row]);
      if (device == kNone) continue;
      const bool migration = store::is_migration(static_cast<store::TransferKind>(kinds[row]));
      (migration ? migrations_ : copies_)[device].rows.push_back(row);
    }
    const auto callers = store_.column<std::uint32_t>("calls", "thread");
    for (std::uint32_t row = 0; row < callers.size(); ++row) calls_[callers[row]].rows.push_back(row);
    const auto threads = store_.column<std::uint32_t>("ranges", "thread");
    const auto depths = store_.column<std::uint8_t>("ranges", "depth");
    const auto range_kinds = store_.column<std::uint8_t>("ranges", "kind");
    for (std::uint32_t row = 0; row < threads.size(); ++row) {
      if (range_kinds[row] == kStateRange) {
        states_[threads[row]].rows.push_back(row);
        continue;
      }
      ranges_[threads[row]].rows.push_back(row);
      ranges_[threads[row]].levels.push_back(depths[row]);
    }
  }

  bool any_below(std::uint32_t resource) const {
    if (!launches_[resource].rows.empty() || !device_launches_[resource].rows.empty() ||
        !copies_[resource].rows.empty() || !migrations_[resource].rows.empty() ||
        !calls_[resource].rows.empty() || !ranges_[resource].rows.empty() || !states_[resource].rows.empty())
      return true;
    return std::any_of(children_[resource].begin(), children_[resource].end(),
                       [&](std::uint32_t child) { return any_below(child); });
  }

  std::uint32_t add(std::int32_t parent, TrackKind kind, const std::string& label, TrackTable table,
                    TrackRows rows) {
    static constexpr const char* kTables[] = {"", "launches", "transfers", "calls", "ranges", "samples"};
    Track track;
    track.id = static_cast<std::uint32_t>(tracks_.list_.size());
    track.parent = parent;
    track.kind = kind;
    track.label = label;
    track.depth = parent < 0 ? 0 : tracks_.list_[static_cast<std::size_t>(parent)].depth + 1;
    track.trace = trace_;
    rows.table = table;
    if (table != TrackTable::None && table != TrackTable::Samples) {
      const auto durations = store_.column<std::int64_t>(kTables[static_cast<int>(table)], "duration");
      const bool places = store_.manifest().launch_order;
      for (const auto row : rows.rows) {
        const std::int64_t extent = places ? 1 : durations[row];
        rows.longest_ns = std::max(rows.longest_ns, extent);
        track.busy_ns += extent;
      }
      track.events = static_cast<std::int64_t>(rows.rows.size());
    }
    for (const auto level : rows.levels) track.levels = std::max(track.levels, level + 1);
    track.details = track.events > 0 ? fmt::format("{}\n{} events", label, track.events) : label;
    tracks_.list_.push_back(std::move(track));
    tracks_.rows_.push_back(std::move(rows));
    return tracks_.list_.back().id;
  }

  void add_host(std::uint32_t host) {
    if (!any_below(host)) return;
    const auto& name = store_.resources()[host].name;
    std::string label = name.empty() ? "host" : name;
    if (several_traces_) label = fmt::format("trace {}: {}", trace_ + 1, label);
    const auto track = add(-1, TrackKind::Host, label, TrackTable::None, {});
    for (const auto child : children_[host]) add_process(child, static_cast<std::int32_t>(track));
  }

  void add_process(std::uint32_t process, std::int32_t parent) {
    if (!any_below(process)) return;
    const auto& r = store_.resources()[process];
    std::string label = r.rank >= 0 ? fmt::format("rank {} · ", r.rank) : std::string();
    const auto slash = r.name.find_last_of('/');
    const std::string program = slash == std::string::npos ? r.name : r.name.substr(slash + 1);
    label +=
        program.empty() ? fmt::format("process {}", r.number) : fmt::format("{} [{}]", program, r.number);
    const auto track =
        static_cast<std::int32_t>(add(parent, TrackKind::Process, label, TrackTable::None, {}));
    for (const auto child : children_[process])
      if (store_.resources()[child].kind == store::ResourceKind::Device) add_device(child, track);
    for (const auto child : children_[process])
      if (store_.resources()[child].kind == store::ResourceKind::Thread) add_thread(child, track);
  }

  void add_device(std::uint32_t device, std::int32_t parent) {
    if (!any_below(device)) return;
    const auto& r = store_.resources()[device];
    const std::string label =
        r.name.empty() ? fmt::format("GPU {}", r.number) : fmt::format("GPU {} · {}", r.number, r.name);
    const auto track = static_cast<std::int32_t>(
        add(parent, TrackKind::Device, label, TrackTable::Launches, std::move(device_launches_[device])));
    for (const auto child : children_[device]) {
      if (launches_[child].rows.empty()) continue;
      lay_lanes(launches_[child]);
      const auto& stream = store_.resources()[child];
      const auto name = stream.name.empty() ? fmt::format("stream {}", stream.number) : stream.name;
      tracks_.by_stream_[trace_][child] =
          add(track, TrackKind::Stream, name, TrackTable::Launches, std::move(launches_[child]));
    }
    if (!copies_[device].rows.empty())
      add(track, TrackKind::Copies, "copies", TrackTable::Transfers, std::move(copies_[device]));
    if (!migrations_[device].rows.empty())
      add(track, TrackKind::Migrations, "unified memory", TrackTable::Transfers,
          std::move(migrations_[device]));
    add_counters(device, track);
  }

  // Launches of one stream that overlap (concurrent kernels of a hardware queue) stand in lanes below each
  // other, each in the first that is free; beyond kMostLanes in the one that is free soonest.
  void lay_lanes(TrackRows& track) const {
    if (store_.manifest().launch_order) return;
    const auto starts = store_.starts("launches");
    const auto durations = store_.column<std::int64_t>("launches", "duration");
    std::vector<std::int64_t> free_at;
    track.levels.reserve(track.rows.size());
    for (const auto row : track.rows) {
      auto lane =
          std::find_if(free_at.begin(), free_at.end(), [&](std::int64_t end) { return end <= starts[row]; });
      if (lane == free_at.end() && free_at.size() < kMostLanes) lane = free_at.insert(lane, starts[row]);
      if (lane == free_at.end()) lane = std::min_element(free_at.begin(), free_at.end());
      *lane = std::max(*lane, starts[row] + durations[row]);
      track.levels.push_back(static_cast<std::uint8_t>(lane - free_at.begin()));
    }
    if (free_at.size() < 2) std::vector<std::uint8_t>().swap(track.levels);
  }

  void add_counters(std::uint32_t device, std::int32_t parent) {
    const auto names = store_.column<std::uint32_t>("counters", "name");
    const auto units = store_.column<std::uint32_t>("counters", "unit");
    const auto devices = store_.column<std::uint32_t>("counters", "device");
    const auto of = store_.column<std::uint32_t>("samples", "counter");
    const auto values = store_.column<double>("samples", "value");
    for (std::uint32_t counter = 0; counter < names.size(); ++counter) {
      if (devices[counter] != device) continue;
      TrackRows rows;
      rows.first_sample =
          static_cast<std::size_t>(std::lower_bound(of.begin(), of.end(), counter) - of.begin());
      rows.last_sample =
          static_cast<std::size_t>(std::upper_bound(of.begin(), of.end(), counter) - of.begin());
      if (rows.first_sample == rows.last_sample) continue;
      const auto [low, high] =
          std::minmax_element(values.begin() + static_cast<std::ptrdiff_t>(rows.first_sample),
                              values.begin() + static_cast<std::ptrdiff_t>(rows.last_sample));
      rows.minimum = *low;
      rows.maximum = *high;
      const auto samples = static_cast<std::int64_t>(rows.last_sample - rows.first_sample);
      const auto track = add(parent, TrackKind::Counter, std::string(store_.string({names[counter]})),
                             TrackTable::Samples, std::move(rows));
      tracks_.list_[track].unit = std::string(store_.string({units[counter]}));
      tracks_.list_[track].events = samples;
      tracks_.list_[track].details = fmt::format("{}\n{} samples", tracks_.list_[track].label, samples);
    }
  }

  void add_thread(std::uint32_t thread, std::int32_t parent) {
    if (calls_[thread].rows.empty() && ranges_[thread].rows.empty() && states_[thread].rows.empty()) return;
    const auto& r = store_.resources()[thread];
    const std::string label =
        r.name.empty() ? fmt::format("thread {}", r.number) : fmt::format("{} [{}]", r.name, r.number);
    if (!states_[thread].rows.empty())
      add(parent, TrackKind::Ranges, label + " · states", TrackTable::Ranges, std::move(states_[thread]));
    if (!ranges_[thread].rows.empty())
      add(parent, TrackKind::Ranges, label + " · ranges", TrackTable::Ranges, std::move(ranges_[thread]));
    if (!calls_[thread].rows.empty())
      tracks_.by_calls_[trace_][thread] =
          add(parent, TrackKind::Calls, label + " · calls", TrackTable::Calls, std::move(calls_[thread]));
    add_counters(thread, parent);
  }

  Tracks& tracks_;
  std::size_t trace_;
  const store::Store& store_;
  bool several_traces_;
  std::vector<std::vector<std::uint32_t>> children_;
  std::vector<TrackRows> launches_, device_launches_, copies_, migrations_, calls_, ranges_, states_;
};

Tracks::Tracks(const Session& session) {
  for (std::size_t trace = 0; trace < session.traces().size(); ++trace)
    TracksBuilder(*this, session, trace).run();
}

std::uint32_t Tracks::track_of_stream(std::size_t trace, std::uint32_t stream) const {
  return trace < by_stream_.size() && stream < by_stream_[trace].size() ? by_stream_[trace][stream] : kNone;
}

std::uint32_t Tracks::track_of_calls(std::size_t trace, std::uint32_t thread) const {
  return trace < by_calls_.size() && thread < by_calls_[trace].size() ? by_calls_[trace][thread] : kNone;
}

} // namespace jitterscope::analysis
