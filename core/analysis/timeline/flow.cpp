#include "core/analysis/timeline/flow.h"

#include <algorithm>

#include <fmt/core.h>

namespace jitterscope::analysis {
namespace {

struct Place {
  std::size_t trace = 0;
  std::size_t row = 0; ///< row of table "launches" in the trace
};

Expected<Place> place_of(const Session& session, std::int64_t row) {
  const auto segments = session.segments(row, row + 1);
  if (row < 0 || segments.empty())
    return failure(ErrorKind::BadUse, fmt::format("there is no launch {}", row));
  return Place{segments.front().trace, static_cast<std::size_t>(segments.front().first)};
}

std::uint32_t stream_of(const Trace& trace, std::size_t row) {
  return trace.store.column<std::uint32_t>("launches", "stream")[row];
}

std::int64_t end_of(const Trace& trace, std::size_t row) {
  return trace.starts()[row] + std::max<std::int64_t>(trace.extent(trace.durations()[row]), 0);
}

LaunchStep step_to(const Session& session, const Tracks& tracks, const Place& place) {
  const Trace& trace = session.traces()[place.trace];
  return {trace.first_launch + static_cast<std::int64_t>(place.row),
          tracks.track_of_stream(place.trace, stream_of(trace, place.row)),
          trace.starts()[place.row] + trace.shift_ns, end_of(trace, place.row) + trace.shift_ns};
}

// Latest end of the launches that begin before the given launch on its stream; start of the launch if there
// are none.
std::int64_t window_begin(const Trace& trace, const TrackLevels& lanes, std::size_t row) {
  const auto start = trace.starts()[row];
  std::int64_t latest = INT64_MIN;
  for (const auto* lane : lanes) {
    if (!lane) continue;
    auto position = lane->position_of(start);
    while (position < lane->events() && lane->begin_at(position) == start && lane->row(position) < row)
      ++position;
    if (position > 0) latest = std::max(latest, lane->at(position - 1).end);
  }
  return latest == INT64_MIN ? start : std::min(latest, end_of(trace, row));
}

void add_transfers(const Session& session, const Tracks& tracks, std::size_t t, std::uint32_t track,
                   std::int64_t begin, std::int64_t end, std::size_t maximum, LaunchFlow& flow) {
  if (track == kNone) return;
  const auto shift = session.traces()[t].shift_ns;
  std::size_t listed = 0;
  const auto add = [&](const store::Series& series, std::size_t position, const store::Event& event) {
    ++flow.transfer_count;
    if (listed++ < maximum)
      flow.transfers.push_back(
          {track, static_cast<std::int64_t>(series.row(position)), event.begin + shift, event.end + shift});
  };
  for (const auto* series : tracks.levels(track)) {
    if (!series) continue;
    const auto first = series->position_of(begin), last = series->position_of(end);
    series->reaching(0, first, begin, [&](std::size_t position, const store::Event& event) {
      add(*series, position, event);
      return true;
    });
    for (auto position = first; position < last; ++position) add(*series, position, series->at(position));
  }
}

} // namespace

Expected<LaunchFlow> launch_flow(const Session& session, const Tracks& tracks, std::int64_t row,
                                 std::size_t maximum) {
  const auto place = place_of(session, row);
  if (!place) return forward(place.error());
  const Trace& trace = session.traces()[place->trace];
  const auto& resources = trace.store.resources();
  LaunchFlow flow;
  const auto stream = stream_of(trace, place->row);
  flow.track = tracks.track_of_stream(place->trace, stream);
  const auto begin = trace.starts()[place->row], end = end_of(trace, place->row);
  flow.begin = begin + trace.shift_ns;
  flow.end = end + trace.shift_ns;
  flow.window_begin = flow.begin;
  if (const auto call = trace.store.column<std::uint32_t>("launches", "call")[place->row]; call != kNone) {
    flow.call_track =
        tracks.track_of_calls(place->trace, trace.store.column<std::uint32_t>("calls", "thread")[call]);
    flow.call_begin = trace.store.starts("calls")[call] + trace.shift_ns;
    flow.call_end = flow.call_begin + trace.store.column<std::int64_t>("calls", "duration")[call];
  }
  if (flow.track == kNone || session.launch_order()) return flow;
  const auto from = window_begin(trace, tracks.levels(flow.track), place->row);
  flow.window_begin = from + trace.shift_ns;
  const auto device = resources[stream].parent;
  if (device == kNone || device >= resources.size()) return flow;
  for (std::uint32_t r = 0; r < resources.size();
       ++r) { // one physical device may appear under several processes
    const bool same =
        r == device || (resources[r].kind == store::ResourceKind::Device && resources[r].physical != kNone &&
                        resources[r].physical == resources[device].physical);
    if (!same) continue;
    for (const bool migrations : {false, true})
      add_transfers(session, tracks, place->trace, tracks.track_of_transfers(place->trace, r, migrations),
                    from, end, maximum, flow);
  }
  return flow;
}

namespace {

bool same_device(const std::vector<store::Resource>& resources, std::uint32_t a, std::uint32_t b) {
  if (a == b) return true;
  const auto known = [&](std::uint32_t r) {
    return r < resources.size() && resources[r].kind == store::ResourceKind::Device;
  };
  return known(a) && known(b) && resources[a].physical != kNone &&
         resources[a].physical == resources[b].physical;
}

// The first launch of a stream that begins at or after `time`.
std::optional<std::size_t> first_launch_after(const TrackLevels& lanes, std::int64_t time) {
  std::optional<std::pair<std::int64_t, std::size_t>> first;
  for (const auto* lane : lanes) {
    if (!lane) continue;
    const auto position = lane->position_of(time);
    if (position == lane->events()) continue;
    const std::pair found(lane->begin_at(position), lane->row(position));
    if (!first || found < *first) first = found;
  }
  return first ? std::optional(first->second) : std::nullopt;
}

// Launches whose feeding window overlaps [begin, end) of the trace: the launches that run in it, and the
// first launch after it if its stream has been idle since.
void add_fed_launches(const Trace& trace, const TrackLevels& lanes, std::uint32_t from, std::size_t copy,
                      std::uint32_t to, std::int64_t begin, std::int64_t end, std::size_t maximum,
                      std::vector<FlowArrow>& arrows) {
  const auto add = [&](std::size_t row, const store::Event& launch) {
    if (arrows.size() >= maximum) return false;
    const auto window =
        window_begin(trace, lanes, row); // begins after the copy if an earlier launch was still running
    if (end <= window && begin < window) return true;
    // The arrow ends where the data can first be used: at the copy's end, clamped to the launch.
    const auto place = std::clamp(end, launch.begin, std::max(launch.begin, launch.end));
    arrows.push_back({from, to, end + trace.shift_ns, place + trace.shift_ns, static_cast<std::int64_t>(copy),
                      trace.first_launch + static_cast<std::int64_t>(row), true});
    return true;
  };
  for (const auto* lane : lanes) {
    if (!lane) continue;
    const auto first = lane->position_of(begin), last = lane->position_of(end);
    lane->reaching(0, first, begin, [&](std::size_t position, const store::Event& event) {
      return add(lane->row(position), event);
    });
    for (auto position = first; position < last && add(lane->row(position), lane->at(position)); ++position) {
    }
  }
  const auto next = first_launch_after(lanes, end);
  if (next) add(*next, {trace.starts()[*next], end_of(trace, *next), kNone});
}

void add_copy(const Session& session, const Tracks& tracks, std::size_t t, std::uint32_t track,
              std::size_t row, std::size_t maximum, std::vector<FlowArrow>& arrows) {
  const Trace& trace = session.traces()[t];
  const auto begin = trace.store.starts("transfers")[row];
  const auto end =
      begin + std::max<std::int64_t>(trace.store.column<std::int64_t>("transfers", "duration")[row], 0);
  if (const auto call = trace.store.column<std::uint32_t>("transfers", "call")[row]; call != kNone) {
    const auto calls = tracks.track_of_calls(t, trace.store.column<std::uint32_t>("calls", "thread")[call]);
    const auto done =
        trace.store.starts("calls")[call] + trace.store.column<std::int64_t>("calls", "duration")[call];
    if (calls != kNone)
      arrows.push_back({calls, track, done + trace.shift_ns, begin + trace.shift_ns, call,
                        static_cast<std::int64_t>(row), false});
  }
  const auto& resources = trace.store.resources();
  const auto stream = trace.store.column<std::uint32_t>("transfers", "stream")[row];
  if (stream >= resources.size()) return;
  const auto device =
      resources[stream].kind == store::ResourceKind::Device ? stream : resources[stream].parent;
  for (std::uint32_t r = 0; r < resources.size(); ++r) {
    if (resources[r].kind != store::ResourceKind::Stream ||
        !same_device(resources, resources[r].parent, device))
      continue;
    const auto launches = tracks.track_of_stream(t, r);
    if (launches != kNone)
      add_fed_launches(trace, tracks.levels(launches), track, row, launches, begin, end, maximum, arrows);
  }
}

void add_call(const Session& session, const Tracks& tracks, std::size_t t, std::uint32_t track,
              std::uint32_t row, std::size_t maximum, std::vector<FlowArrow>& arrows) {
  constexpr std::size_t kMaxExamined = 4'000'000;
  const Trace& trace = session.traces()[t];
  const auto begin = trace.store.starts("calls")[row];
  const auto done =
      begin + std::max<std::int64_t>(trace.store.column<std::int64_t>("calls", "duration")[row], 0);
  const auto search = [&](const char* table, std::int64_t first_row, auto&& target) {
    const auto starts = trace.store.starts(table);
    const auto calls = trace.store.column<std::uint32_t>(table, "call");
    const auto first =
        static_cast<std::size_t>(std::lower_bound(starts.begin(), starts.end(), begin) - starts.begin());
    std::size_t listed = 0;
    for (auto i = first; i < std::min(starts.size(), first + kMaxExamined) && listed < maximum; ++i) {
      if (calls[i] != row) continue;
      if (const auto to = target(i); to != kNone) {
        arrows.push_back({track, to, done + trace.shift_ns, starts[i] + trace.shift_ns, row,
                          first_row + static_cast<std::int64_t>(i), false});
        ++listed;
      }
    }
  };
  search("launches", trace.first_launch,
         [&](std::size_t i) { return tracks.track_of_stream(t, stream_of(trace, i)); });
  const auto& resources = trace.store.resources();
  search("transfers", 0, [&](std::size_t i) {
    const auto stream = trace.store.column<std::uint32_t>("transfers", "stream")[i];
    if (stream >= resources.size()) return kNone;
    const auto device =
        resources[stream].kind == store::ResourceKind::Device ? stream : resources[stream].parent;
    return tracks.track_of_transfers(t, device, false);
  });
}

} // namespace

Expected<std::vector<FlowArrow>> event_flow(const Session& session, const Tracks& tracks, std::uint32_t track,
                                            std::int64_t row, std::size_t maximum) {
  if (track >= tracks.list().size())
    return failure(ErrorKind::BadUse, fmt::format("there is no track {}", track));
  const auto kind = tracks.list()[track].kind;
  const bool copies = kind == TrackKind::Copies || kind == TrackKind::Migrations;
  std::vector<FlowArrow> arrows;
  if (!copies && kind != TrackKind::Calls) return arrows;
  const auto t = tracks.list()[track].trace;
  const auto rows = session.traces()[t].store.starts(copies ? "transfers" : "calls").size();
  if (row < 0 || static_cast<std::size_t>(row) >= rows)
    return failure(ErrorKind::BadUse, fmt::format("track {} has no event {}", track, row));
  if (copies)
    add_copy(session, tracks, t, track, static_cast<std::size_t>(row), maximum, arrows);
  else
    add_call(session, tracks, t, track, static_cast<std::uint32_t>(row), maximum, arrows);
  return arrows;
}

namespace {

// Row of the next (or previous) launch on the stream, in the order of start, then row.
std::optional<std::size_t> next_on_stream(const TrackLevels& lanes, std::int64_t start, std::size_t row,
                                          bool forward) {
  std::optional<std::pair<std::int64_t, std::size_t>> best;
  const std::pair own(start, row);
  for (const auto* lane : lanes) {
    if (!lane) continue;
    auto position = lane->position_of(start);
    if (forward) {
      while (position < lane->events() && std::pair(lane->begin_at(position), lane->row(position)) <= own)
        ++position;
      if (position == lane->events()) continue;
    } else {
      while (position < lane->events() && std::pair(lane->begin_at(position), lane->row(position)) < own)
        ++position;
      if (position == 0) continue;
      --position;
    }
    const std::pair found(lane->begin_at(position), lane->row(position));
    if (!best || (forward ? found < *best : found > *best)) best = found;
  }
  return best ? std::optional(best->second) : std::nullopt;
}

// Reads pieces, away from the row, until a launch of the same kernel is found.
Expected<std::optional<std::size_t>> next_of_kernel(const Session& session, const Trace& trace,
                                                    std::size_t row, bool forward, const Job& job) {
  constexpr std::size_t kPiece = 1 << 16;
  const auto all = trace.configurations();
  const auto kernel_at = [&](std::uint32_t configuration) {
    return session.configurations()[trace.configuration[configuration]].kernel;
  };
  const auto requested = kernel_at(all[row]);
  const auto rows = static_cast<std::size_t>(trace.launches());
  std::vector<std::uint32_t> piece(kPiece);
  for (auto at = forward ? row + 1 : row; forward ? at < rows : at > 0;) {
    if (job.cancelled()) return Job::cancelled_error();
    const auto first = forward ? at : at - std::min(at, kPiece),
               last = forward ? std::min(at + kPiece, rows) : at;
    all.read(first, last, piece.data());
    for (std::size_t i = 0; i < last - first; ++i) {
      const auto in_piece = forward ? i : last - first - 1 - i;
      if (kernel_at(piece[in_piece]) == requested) return std::optional(first + in_piece);
    }
    at = forward ? last : first;
  }
  return std::optional<std::size_t>();
}

} // namespace

Expected<std::optional<LaunchStep>> step_from(const Session& session, const Tracks& tracks, std::int64_t row,
                                              StepBy by, int direction, const Job& job) {
  const auto place = place_of(session, row);
  if (!place) return forward(place.error());
  const Trace& trace = session.traces()[place->trace];
  std::optional<std::size_t> found;
  if (by == StepBy::Kernel) {
    auto next = next_of_kernel(session, trace, place->row, direction > 0, job);
    if (!next) return forward(next.error());
    found = *next;
  } else if (const auto track = tracks.track_of_stream(place->trace, stream_of(trace, place->row));
             track != kNone) {
    found = next_on_stream(tracks.levels(track), trace.starts()[place->row], place->row, direction > 0);
  }
  if (!found) return std::optional<LaunchStep>();
  return std::optional(step_to(session, tracks, {place->trace, *found}));
}

} // namespace jitterscope::analysis
