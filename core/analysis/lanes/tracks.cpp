#include "core/analysis/lanes/tracks.h"

#include <algorithm>
#include <array>

#include <fmt/core.h>

#include "core/store/format/analysis_rows.h"

namespace jitterscope::analysis {

using store::ResourceKind;
using store::SeriesKind;

/// Lists the tracks of one trace in tree order.
class TracksBuilder {
public:
  TracksBuilder(Tracks& tracks, const Session& session, std::size_t trace)
      : tracks_(tracks), trace_(trace), name_(session.traces()[trace].name),
        store_(session.traces()[trace].store), index_(tracks.index_[trace]),
        several_traces_(session.traces().size() > 1) {}

  void run() {
    const auto& resources = store_.resources();
    const auto count = resources.size();
    for (auto& of_kind : series_) of_kind.resize(count);
    for (const auto& series : index_.series()) {
      auto& levels = series_[static_cast<std::size_t>(series.kind)][series.resource];
      if (levels.size() <= series.level) levels.resize(series.level + std::size_t{1});
      levels[series.level] = &series;
      if (series.kind == SeriesKind::AllLaunches) tracks_.launches_[trace_] = &series;
    }
    for (auto* of : {&tracks_.by_stream_, &tracks_.by_calls_, &tracks_.by_messages_, &tracks_.by_copies_,
                     &tracks_.by_migrations_, &tracks_.by_resource_})
      (*of)[trace_].assign(count, kNone);
    tracks_.transmissions_[trace_].assign(count, nullptr);
    children_.resize(count);
    for (std::uint32_t r = 0; r < count; ++r)
      if (resources[r].parent != kNone) children_[resources[r].parent].push_back(r);
    for (auto& of : children_) // sorted by rank; children without a rank keep their order
      std::stable_sort(of.begin(), of.end(), [&](std::uint32_t a, std::uint32_t b) {
        return resources[a].rank < resources[b].rank;
      });
    for (std::uint32_t r = 0; r < count; ++r) {
      if (resources[r].kind != ResourceKind::Process || resources[r].rank < 0) continue;
      const auto [rank, added] = tracks_.by_rank_[trace_].try_emplace(resources[r].rank);
      for (const auto child : children_[r])
        if (added && resources[child].kind == ResourceKind::Thread) rank->second.threads.push_back(child);
    }
    mark_used();
    for (std::uint32_t r = 0; r < count; ++r)
      if (resources[r].kind == ResourceKind::Host) add_host(r);
  }

private:
  const TrackLevels& levels(SeriesKind kind, std::uint32_t resource) const {
    return series_[static_cast<std::size_t>(kind)][resource];
  }

  // Parents precede their children, so one backward pass reaches every ancestor.
  void mark_used() {
    const auto& resources = store_.resources();
    used_.resize(resources.size());
    const auto devices = store_.column<std::uint32_t>("counters", "device");
    for (std::size_t counter = 0; counter < index_.counters().size(); ++counter)
      if (const auto of = devices[counter]; of < used_.size() && !index_.counters()[counter].times.empty())
        used_[of] = true;
    for (auto r = resources.size(); r-- > 0;) {
      for (std::size_t kind = 1; kind < series_.size(); ++kind) // 0: all launches, without a resource
        if (!series_[kind][r].empty()) used_[r] = true;
      if (used_[r] && resources[r].parent != kNone) used_[resources[r].parent] = true;
    }
  }

  std::uint32_t add(std::int32_t parent, TrackKind kind, const std::string& label,
                    const TrackLevels& series = {}) {
    Track track;
    track.id = static_cast<std::uint32_t>(tracks_.list_.size());
    track.parent = parent;
    track.kind = kind;
    track.label = label;
    track.depth = parent < 0 ? 0 : tracks_.list_[static_cast<std::size_t>(parent)].depth + 1;
    track.trace = trace_;
    track.levels = std::max(static_cast<int>(series.size()), 1);
    std::uint64_t busy = 0;
    for (const auto* level : series) {
      if (!level) continue;
      track.events += static_cast<std::int64_t>(level->events());
      busy += static_cast<std::uint64_t>(level->busy); // may wrap around in a damaged store
    }
    track.busy_ns = static_cast<std::int64_t>(busy);
    track.details = track.events > 0 ? fmt::format("{}\n{} events", label, track.events) : label;
    tracks_.list_.push_back(std::move(track));
    tracks_.levels_.push_back(series);
    tracks_.counters_.push_back(nullptr);
    return tracks_.list_.back().id;
  }

  void add_host(std::uint32_t host) {
    if (!used_[host]) return;
    const auto& name = store_.resources()[host].name;
    std::string label = name.empty() ? "host" : name;
    if (several_traces_) label = fmt::format("{}: {}", name_, label);
    const auto track = add(-1, TrackKind::Host, label);
    for (const auto child : children_[host]) add_process(child, static_cast<std::int32_t>(track));
  }

  void add_process(std::uint32_t process, std::int32_t parent) {
    if (!used_[process]) return;
    const auto& r = store_.resources()[process];
    std::string label = r.rank >= 0 ? fmt::format("rank {} · ", r.rank) : std::string();
    const auto slash = r.name.find_last_of('/');
    const std::string program = slash == std::string::npos ? r.name : r.name.substr(slash + 1);
    label +=
        program.empty() ? fmt::format("process {}", r.number) : fmt::format("{} [{}]", program, r.number);
    const auto track = static_cast<std::int32_t>(add(parent, TrackKind::Process, label));
    for (const auto child : children_[process])
      if (store_.resources()[child].kind == ResourceKind::Device) add_device(child, track);
    for (const auto child : children_[process])
      if (store_.resources()[child].kind == ResourceKind::Thread) add_thread(child, track);
  }

  void add_device(std::uint32_t device, std::int32_t parent) {
    if (!used_[device]) return;
    const auto& r = store_.resources()[device];
    const std::string label =
        r.name.empty() ? fmt::format("GPU {}", r.number) : fmt::format("GPU {} · {}", r.number, r.name);
    const auto track = static_cast<std::int32_t>(
        add(parent, TrackKind::Device, label, levels(SeriesKind::DeviceLaunches, device)));
    tracks_.by_resource_[trace_][device] = static_cast<std::uint32_t>(track);
    describe_device(track);
    add_derived(device, track);
    for (const auto child : children_[device]) {
      const auto& lanes = levels(SeriesKind::StreamLaunches, child);
      if (lanes.empty()) continue;
      const auto& stream = store_.resources()[child];
      const auto name = stream.name.empty() ? fmt::format("stream {}", stream.number) : stream.name;
      tracks_.by_stream_[trace_][child] = add(track, TrackKind::Stream, name, lanes);
    }
    if (const auto& copies = levels(SeriesKind::Copies, device); !copies.empty()) {
      const auto all = add(track, TrackKind::Copies, "copies", copies);
      tracks_.by_copies_[trace_][device] = all;
      add_copies_of_kinds(device, static_cast<std::int32_t>(all));
    }
    if (const auto& migrations = levels(SeriesKind::Migrations, device); !migrations.empty())
      tracks_.by_migrations_[trace_][device] =
          add(track, TrackKind::Migrations, "unified memory", migrations);
    add_counters(device, track);
  }

  // One track per kind below the track of all memory operations; a store with an older index has none.
  void add_copies_of_kinds(std::uint32_t device, std::int32_t parent) {
    const auto& kinds = levels(SeriesKind::CopiesOfKind, device);
    for (std::size_t kind = 0; kind < std::min<std::size_t>(kinds.size(), store::kTransferKinds); ++kind)
      if (kinds[kind])
        add(parent, TrackKind::Copies, std::string(to_string(static_cast<store::TransferKind>(kind))),
            {kinds[kind]});
  }

  void describe_device(std::int32_t track) {
    auto& of = tracks_.list_[static_cast<std::size_t>(track)];
    if (of.events > 0)
      of.details =
          fmt::format("{}\n{} launches\nbusy\tunion of its streams: any kernel runs", of.label, of.events);
  }

  // Tracks derived from the launches of a device; not for tables without times.
  void add_derived(std::uint32_t device, std::int32_t parent) {
    const auto& launches = levels(SeriesKind::DeviceLaunches, device);
    if (launches.empty() || store_.manifest().launch_order) return;
    std::size_t lanes = 0;
    for (const auto child : children_[device]) lanes += levels(SeriesKind::StreamLaunches, child).size();
    if (lanes > 1) {
      const auto active = add(parent, TrackKind::Active, "active kernels", launches);
      tracks_.list_[active].details =
          "active kernels\nnumber of kernels that run on the device at once\nline\tmean over the "
          "column\nband\tminimum to maximum, where columns contain few launches";
    }
    if (const auto& collectives = levels(SeriesKind::Collectives, device); !collectives.empty()) {
      const auto track = add(parent, TrackKind::Collective, "in collective", collectives);
      tracks_.list_[track].details = fmt::format(
          "in collective\nunion of the kernels whose name contains nccl, rccl or nvshmem\nlaunches\t{}",
          tracks_.list_[track].events);
    }
    const auto idle = add(parent, TrackKind::Idle, "idle", launches);
    tracks_.list_[idle].details = "idle\nno kernel runs on the device; memory operations may run";
  }

  void add_counters(std::uint32_t device, std::int32_t parent) {
    const auto names = store_.column<std::uint32_t>("counters", "name");
    const auto units = store_.column<std::uint32_t>("counters", "unit");
    const auto devices = store_.column<std::uint32_t>("counters", "device");
    for (std::uint32_t counter = 0; counter < index_.counters().size(); ++counter) {
      const auto& series = index_.counters()[counter];
      if (devices[counter] != device || series.times.empty()) continue;
      const auto track = add(parent, TrackKind::Counter, std::string(store_.string({names[counter]})));
      tracks_.counters_[track] = &series;
      tracks_.list_[track].unit = std::string(store_.string({units[counter]}));
      tracks_.list_[track].events = static_cast<std::int64_t>(series.times.size());
      tracks_.list_[track].details =
          fmt::format("{}\n{} samples", tracks_.list_[track].label, series.times.size());
    }
  }

  void add_thread(std::uint32_t thread, std::int32_t parent) {
    if (!used_[thread]) return;
    const auto& r = store_.resources()[thread];
    const std::string label =
        r.name.empty() ? fmt::format("thread {}", r.number) : fmt::format("{} [{}]", r.name, r.number);
    const auto first = static_cast<std::uint32_t>(tracks_.list_.size());
    if (const auto& rows = levels(SeriesKind::StreamLaunches, thread); !rows.empty())
      tracks_.by_stream_[trace_][thread] =
          add(parent, TrackKind::Stream,
              fmt::format("{} · {}", label, to_string(store::analysis_rows(store_))), rows);
    if (const auto& states = levels(SeriesKind::States, thread); !states.empty())
      add(parent, TrackKind::Ranges, label + " · states", states);
    if (const auto& calls = levels(SeriesKind::MpiCalls, thread); !calls.empty())
      add_messages(thread, add(parent, TrackKind::MpiCalls, label + " · MPI", calls));
    if (const auto& sent = levels(SeriesKind::Transmissions, thread); !sent.empty())
      add_messages(thread, add(parent, TrackKind::Messages, label + " · messages sent", sent));
    if (const auto& ranges = levels(SeriesKind::Ranges, thread); !ranges.empty())
      add(parent, TrackKind::Ranges, label + " · ranges", ranges);
    if (const auto& calls = levels(SeriesKind::Calls, thread); !calls.empty())
      tracks_.by_calls_[trace_][thread] = add(parent, TrackKind::Calls, label + " · calls", calls);
    add_counters(thread, parent);
    if (tracks_.list_.size() > first) tracks_.by_resource_[trace_][thread] = first;
  }

  // Messages to a rank whose thread has no track end on that of its first thread that has one.
  void add_messages(std::uint32_t thread, std::uint32_t track) {
    auto& of = tracks_.by_messages_[trace_][thread];
    if (of == kNone) of = track;
    if (const auto& sent = levels(SeriesKind::Transmissions, thread); !sent.empty())
      tracks_.transmissions_[trace_][thread] = sent.front();
    const auto process = store_.resources()[thread].parent;
    if (process != kNone && store_.resources()[process].rank >= 0)
      if (auto& rank = tracks_.by_rank_[trace_][store_.resources()[process].rank]; rank.track == kNone)
        rank.track = track;
  }

  Tracks& tracks_;
  std::size_t trace_;
  const std::string& name_; ///< name of the trace
  const store::Store& store_;
  const store::TrackIndex& index_;
  bool several_traces_;
  std::array<std::vector<TrackLevels>, store::kSeriesKinds>
      series_; ///< by SeriesKind and resource: one series per level
  std::vector<std::vector<std::uint32_t>> children_;
  std::vector<bool> used_; ///< by resource: whether it or a descendant has events or samples
};

Tracks::Tracks(const Session& session) : launches_(session.traces().size()) {
  for (const auto& trace : session.traces()) index_.emplace_back(trace.store);
  const auto count = session.traces().size();
  for (auto* of : {&by_stream_, &by_calls_, &by_messages_, &by_copies_, &by_migrations_, &by_resource_})
    of->resize(count);
  transmissions_.resize(count);
  by_rank_.resize(count);
  // Files of ranks are sorted by rank, not by name; others keep the order in which they were
  // given.
  const auto rank_of = [&](std::size_t trace) {
    for (const auto& resource : session.traces()[trace].store.resources())
      if (resource.kind == ResourceKind::Process && resource.rank >= 0) return resource.rank;
    return -1;
  };
  std::vector<std::pair<int, std::size_t>> order;
  for (std::size_t trace = 0; trace < count; ++trace) order.emplace_back(rank_of(trace), trace);
  std::sort(order.begin(), order.end());
  for (const auto& [rank, trace] : order) TracksBuilder(*this, session, trace).run();
}

bool Tracks::index_rebuilt() const {
  return std::any_of(index_.begin(), index_.end(), [](const auto& index) { return index.rebuilt(); });
}

std::uint32_t Tracks::track_of_stream(std::size_t trace, std::uint32_t stream) const {
  return trace < by_stream_.size() && stream < by_stream_[trace].size() ? by_stream_[trace][stream] : kNone;
}

std::uint32_t Tracks::track_of(std::size_t trace, const Rank& rank, std::uint32_t thread) const {
  if (thread == 0 || thread >= rank.threads.size()) return rank.track;
  const auto resource = rank.threads[thread], track = track_of_messages(trace, resource);
  if (track != kNone) return track;
  const auto first = track_of_resource(trace, resource);
  return first == kNone ? rank.track : first;
}

std::uint32_t Tracks::track_of_rank(std::size_t trace, std::int64_t rank, std::uint32_t thread) const {
  if (trace < by_rank_.size())
    if (const auto own = by_rank_[trace].find(rank); own != by_rank_[trace].end())
      return track_of(trace, own->second, thread);
  for (std::size_t other = 0; other < by_rank_.size(); ++other)
    if (const auto found = by_rank_[other].find(rank);
        found != by_rank_[other].end() && found->second.track != kNone)
      return track_of(other, found->second, thread);
  return kNone;
}

std::uint32_t Tracks::track_of_messages(std::size_t trace, std::uint32_t thread) const {
  return trace < by_messages_.size() && thread < by_messages_[trace].size() ? by_messages_[trace][thread]
                                                                            : kNone;
}

const store::Series* Tracks::transmissions(std::size_t trace, std::uint32_t thread) const {
  return trace < transmissions_.size() && thread < transmissions_[trace].size()
             ? transmissions_[trace][thread]
             : nullptr;
}

std::uint32_t Tracks::track_of_transfers(std::size_t trace, std::uint32_t device, bool migrations) const {
  const auto& of = migrations ? by_migrations_ : by_copies_;
  return trace < of.size() && device < of[trace].size() ? of[trace][device] : kNone;
}

std::uint32_t Tracks::track_of_resource(std::size_t trace, std::uint32_t resource) const {
  return trace < by_resource_.size() && resource < by_resource_[trace].size() ? by_resource_[trace][resource]
                                                                              : kNone;
}

std::uint32_t Tracks::track_of_calls(std::size_t trace, std::uint32_t thread) const {
  return trace < by_calls_.size() && thread < by_calls_[trace].size() ? by_calls_[trace][thread] : kNone;
}

} // namespace jitterscope::analysis
