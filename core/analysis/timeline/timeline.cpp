#include "core/analysis/timeline/timeline.h"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <span>

#include "core/analysis/lanes/lane_walk.h"
#include "core/analysis/lanes/level_of_detail.h"
#include "core/analysis/session/trace_span.h"
#include "core/analysis/timeline/counter_columns.h"
#include "core/base/parallel.h"

namespace jitterscope::analysis {
namespace {

constexpr float kNothing = std::numeric_limits<float>::quiet_NaN();
constexpr std::size_t kTracksTogether = 32, kColumnsTogether = 8'000;
constexpr std::size_t kMaxNamesTogether = 4'096;   // up to this many, sums reserve memory for every name
constexpr std::size_t kEventsForThreads = 100'000; // fewer are summed before a thread has started

/// Converts a time of the session's axis to that of a trace; damaged stores may have any shift.
std::int64_t in_trace(std::int64_t time, const Trace& trace) {
  constexpr auto kFar = 2 * store::kFarthestTime;
  return static_cast<std::int64_t>(
      std::clamp<Int128>(static_cast<Int128>(time) - trace.shift_ns, -kFar, kFar));
}
Interval in_trace(Interval window, const Trace& trace) {
  return {{in_trace(window.begin.count, trace)}, {in_trace(window.end.count, trace)}};
}

/// Id in the session's name table for a name of a series.
std::uint32_t session_name(const Session& session, const NameTable& names, std::size_t t,
                           store::EventTable table, std::uint32_t name) {
  if (name == kNone) return kNone;
  if (table == store::EventTable::Launches) return session.traces()[t].kernel[name];
  if (table == store::EventTable::Transfers) return names.of_transfer(static_cast<std::uint8_t>(name));
  return names.of_string(t, name);
}

/// Sums need much memory if there are many names: each thread borrows one buffer while it needs it.
class BufferPool {
public:
  class Loan {
  public:
    explicit Loan(BufferPool& pool) : pool_(pool) {
      const std::lock_guard guard(pool_.lock_);
      if (pool_.free_.empty()) {
        room_ = std::make_unique<SumBuffers>();
      } else {
        room_ = std::move(pool_.free_.back());
        pool_.free_.pop_back();
      }
    }
    ~Loan() {
      const std::lock_guard guard(pool_.lock_);
      pool_.free_.push_back(std::move(room_));
    }
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;
    SumBuffers& operator*() { return *room_; }

  private:
    BufferPool& pool_;
    std::unique_ptr<SumBuffers> room_;
  };

private:
  std::mutex lock_;
  std::vector<std::unique_ptr<SumBuffers>> free_;
};

/// Events of one level in a window: events that begin in it and events that reach into it.
struct Reach {
  std::size_t first = 0, last = 0;
  std::vector<std::size_t>
      before; ///< indices of the events that reach into the window; at most the requested number
};

/// Lanes with interleaved rows, aggregated together (lane_walk.h).
class LanesTogether {
public:
  void add(const store::Series& series, ColumnBins bins, bool use_tiles) {
    for (const auto& lane : lanes_)
      if (lane->series == &series) return;
    lanes_.push_back(std::make_unique<Lane>(series, std::move(bins), use_tiles));
  }
  void walk() {
    std::vector<LaneWalk*> walks;
    for (auto& lane : lanes_) walks.push_back(&lane->walk);
    walk_together(walks);
    for (auto& lane : lanes_) lane->found = lane->walk.finish();
  }
  /// Empty for series that were not added.
  std::span<const BinSum> sums_of(const store::Series& series) const {
    for (const auto& lane : lanes_)
      if (lane->series == &series) return lane->found;
    return {};
  }

private:
  struct Lane {
    Lane(const store::Series& of, ColumnBins of_columns, bool use_tiles)
        : series(&of), bins(std::move(of_columns)), walk(of, bins, sums, use_tiles) {}
    const store::Series* series;
    ColumnBins bins;
    LaneSums sums;
    LaneWalk walk;
    std::span<const BinSum> found;
  };
  std::vector<std::unique_ptr<Lane>> lanes_;
};

class TrackReader {
public:
  TrackReader(const Session& session, const NameTable& names, const Tracks& tracks, const Dimming& dimming,
              const LaunchValues& values, const TimelineRequest& request)
      : session_(session), names_(names), tracks_(tracks), dimming_(dimming), values_(values),
        request_(request) {}

  /// Reads consecutive tracks into `contents`, which has room for as many.
  void read(std::span<const std::uint32_t> ids, TrackContent* contents) {
    LanesTogether lanes;
    std::vector<TrackReaches> reaches;
    for (const auto id : ids) {
      reaches.push_back(reaches_of(id));
      if (reaches.back().cells) add_lanes(id, reaches.back(), lanes);
    }
    lanes.walk();
    for (std::size_t i = 0; i < ids.size(); ++i) contents[i] = read(ids[i], reaches[i], lanes);
  }

  /// Estimated number of events that read() reads without tiles; decides whether to use threads.
  std::size_t work(std::uint32_t id) const {
    std::size_t events = 0;
    const Trace& trace = session_.traces()[tracks_.list()[id].trace];
    for (const auto* series : tracks_.levels(id))
      if (series) {
        const auto reach = reach_of(*series, in_trace(request_.window, trace), 0);
        events += std::min(reach.last - reach.first, static_cast<std::size_t>(request_.columns) * 32);
      }
    return events;
  }

private:
  struct TrackReaches {
    std::vector<Reach> levels; ///< by level; empty for tracks without events
    std::size_t events = 0;
    bool cells = false; ///< the track has cells, because it has too many events for bars
  };

  TrackReaches reaches_of(std::uint32_t id) const {
    TrackReaches reaches;
    if (tracks_.counter(id) || tracks_.list()[id].kind == TrackKind::Active) return reaches;
    const auto window = in_trace(request_.window, session_.traces()[tracks_.list()[id].trace]);
    const auto limit = static_cast<std::size_t>(std::max(request_.max_bars, 0));
    for (const auto* series : tracks_.levels(id)) {
      reaches.levels.push_back(series ? reach_of(*series, window, limit + 1) : Reach{});
      const auto& reach = reaches.levels.back();
      reaches.events += reach.last - reach.first + reach.before.size();
    }
    // Idle time can fill a window without a single launch.
    reaches.cells = reaches.events > limit || (limit == 0 && tracks_.list()[id].kind == TrackKind::Idle);
    return reaches;
  }

  TrackContent read(std::uint32_t id, const TrackReaches& reaches, LanesTogether& lanes) {
    TrackContent content;
    content.track = id;
    content.bin_origin = session_.traces()[tracks_.list()[id].trace].shift_ns;
    if (tracks_.counter(id))
      read_counter(id, content);
    else if (tracks_.list()[id].kind == TrackKind::Active)
      read_active(id, content);
    else if (!tracks_.levels(id).empty())
      read_events(id, reaches, lanes, content);
    return content;
  }

  void add_lanes(std::uint32_t id, const TrackReaches& reaches, LanesTogether& lanes) const {
    const auto window = in_trace(request_.window, session_.traces()[tracks_.list()[id].trace]);
    for (std::size_t level = 0; level < reaches.levels.size(); ++level) {
      const auto* series = tracks_.levels(id)[level];
      const auto& reach = reaches.levels[level];
      if (series && !series->overlaps && series->names() <= kMaxNamesTogether && !selected_in(*series, 0))
        lanes.add(*series, bins_for(window, request_.columns, reach.last - reach.first), request_.use_tiles);
    }
  }

  // Selection of the launches of a trace; empty if all are selected.
  RowSelected selected_in(const store::Series& series, std::size_t t) const {
    if (series.table != store::EventTable::Launches || dimming_.kind() != DimmingKind::Exact) return {};
    return [this, t](std::size_t row) { return dimming_.selected(t, row); };
  }

  static Reach reach_of(const store::Series& series, Interval window, std::size_t max_before) {
    Reach reach;
    reach.first = series.position_of(window.begin.count);
    reach.last = std::max(series.position_of(window.end.count), reach.first);
    if (max_before > 0)
      series.reaching(0, reach.first, window.begin.count, [&](std::size_t position, const store::Event&) {
        reach.before.push_back(position);
        return reach.before.size() < max_before;
      });
    return reach;
  }

  void read_events(std::uint32_t id, const TrackReaches& of, LanesTogether& lanes, TrackContent& content) {
    const auto& levels = tracks_.levels(id);
    const auto t = tracks_.list()[id].trace;
    const auto window = in_trace(request_.window, session_.traces()[t]);
    const auto& reaches = of.levels;
    const bool idle = tracks_.list()[id].kind == TrackKind::Idle;
    for (std::size_t level = 0; level < levels.size(); ++level) {
      if (idle && !of.cells) {
        if (levels[level]) add_gaps(t, *levels[level], reaches[level], content);
      } else if (of.cells)
        add_cells(id, levels[level], window, reaches[level], lanes, content);
      else if (levels[level])
        add_bars(t, *levels[level], static_cast<std::uint8_t>(level), reaches[level], content);
    }
  }

  // Gaps between launches as bars, in full length even where the window cuts them; the gaps before the first
  // and after the last launch extend to the span of the trace.
  void add_gaps(std::size_t t, const store::Series& series, const Reach& reach, TrackContent& content) const {
    const auto shift = session_.traces()[t].shift_ns;
    const auto window = request_.window;
    const auto span = span_of(session_.traces()[t].store).value_or(Interval());
    auto covered_to = reach.before.empty() && reach.first > 0 ? end_before(series, reach.first) + shift
                      : reach.before.empty()                  ? span.begin.count + shift
                                                              : window.begin.count;
    const auto gap_to = [&](std::int64_t time) {
      if (time > covered_to && time > window.begin.count && covered_to < window.end.count)
        content.bars.push_back({covered_to, time, kNone, -1, 0, 0, kNoValue});
    };
    const auto add = [&](std::size_t position) {
      const auto event = series.at(position);
      gap_to(event.begin + shift);
      covered_to = std::max(covered_to, event.end + shift);
    };
    for (const auto position : reach.before) add(position);
    for (auto position = reach.first; position < reach.last; ++position) add(position);
    gap_to(reach.last < series.events() ? series.begin_at(reach.last) + shift : span.end.count + shift);
  }

  // Maximum end of the events before a position, which is not the first. Time of the store.
  static std::int64_t end_before(const store::Series& series, std::size_t position) {
    const auto last = series.at(position - 1);
    auto end = last.end;
    series.reaching(0, position, std::max(end, last.begin + 1), [&](std::size_t, const store::Event& event) {
      end = std::max(end, event.end);
      return true;
    });
    return end;
  }

  void add_bars(std::size_t t, const store::Series& series, std::uint8_t level, const Reach& reach,
                TrackContent& content) const {
    const Trace& trace = session_.traces()[t];
    const bool launches = series.table == store::EventTable::Launches;
    const auto add = [&](std::size_t position) {
      const auto event = series.at(position);
      const auto row = series.row(position);
      const bool dimmed = launches && dimming_.kind() == DimmingKind::Exact && !dimming_.selected(t, row);
      content.bars.push_back({event.begin + trace.shift_ns, event.end + trace.shift_ns,
                              session_name(session_, names_, t, series.table, event.name),
                              static_cast<std::int64_t>(row) + (launches ? trace.first_launch : 0), level,
                              static_cast<std::uint8_t>(dimmed),
                              launches ? values_.of_launch(t, row) : kNoValue});
    };
    for (const auto position : reach.before) add(position);
    for (auto position = reach.first; position < reach.last; ++position) add(position);
  }

  // Nothing is known of the time outside the span of the trace.
  static TimelineCell idle_cell(Interval bin, const BinSum& sum, Interval span) {
    const auto recorded = overlap(bin, span).count;
    if (recorded <= 0 || sum.covered >= static_cast<std::uint64_t>(recorded)) return {}; // or a damaged sum
    const auto idle = static_cast<double>(recorded) - static_cast<double>(sum.covered);
    return {1, static_cast<float>(idle / static_cast<double>(bin.length().count)), kNone, 1, kNoValue};
  }

  void add_cells(std::uint32_t id, const store::Series* series, Interval window, const Reach& reach,
                 LanesTogether& lanes, TrackContent& content) {
    const auto first = content.cells.size();
    content.cells.resize(first + static_cast<std::size_t>(request_.columns));
    content.dyadic.push_back(0);
    if (!series) return;
    const auto t = tracks_.list()[id].trace;
    const bool launches = series->table == store::EventTable::Launches;
    const auto kind = tracks_.list()[id].kind;
    const auto span = span_of(session_.traces()[t].store).value_or(Interval());
    const auto bins = bins_for(window, request_.columns, reach.last - reach.first);
    content.dyadic.back() = bins.dyadic();
    BufferPool::Loan room(pool_);
    auto sums = lanes.sums_of(*series);
    if (sums.empty()) sums = sum_bins(*series, bins, *room, selected_in(*series, t), request_.use_tiles);
    for (int c = 0; c < request_.columns; ++c) {
      const auto sum = column_sum(bins, sums, c);
      auto& cell = content.cells[first + static_cast<std::size_t>(c)];
      if (kind == TrackKind::Idle) {
        cell = idle_cell(bins.interval(c), sums[bins.bin_of(c)], span);
        continue;
      }
      if (sum.count == 0) continue;
      cell.count = static_cast<std::uint32_t>(std::min<std::uint64_t>(sum.count, kNone));
      cell.busy = static_cast<float>(sum.covered);
      cell.name = session_name(session_, names_, t, series->table, sum.name);
      cell.selected = static_cast<float>(sum.selected);
      if (!launches) continue;
      if (dimming_.kind() == DimmingKind::Sampled) cell.selected = dimming_.share(id, c);
      cell.value = values_.of_column(id, c);
    }
  }

  // Mean number of running kernels per column, from the same sums as cells; minimum and maximum only if the
  // launches themselves are read.
  void read_active(std::uint32_t id, TrackContent& content) {
    content.counter.assign(static_cast<std::size_t>(request_.columns), {kNothing, kNothing, kNothing});
    if (!tracks_.levels(id).front()) return; // damaged store
    const auto& series = *tracks_.levels(id).front();
    const auto window = in_trace(request_.window, session_.traces()[tracks_.list()[id].trace]);
    const auto reach = reach_of(series, window, 0);
    const auto bins = bins_for(window, request_.columns, reach.last - reach.first);
    std::vector<CounterColumn> counter;
    {
      BufferPool::Loan room(pool_);
      for (const auto& sum : sum_bins(series, bins, *room, {}, request_.use_tiles)) {
        const auto width = bins.borders()[counter.size() + 1] - bins.borders()[counter.size()];
        const auto mean = static_cast<float>(static_cast<double>(sum.busy) / static_cast<double>(width));
        counter.push_back({mean, mean, mean});
      }
    }
    if (!bins.dyadic()) add_extremes(series, reach, bins, counter);
    content.counter = by_column(bins, counter);
    content.dyadic = {bins.dyadic()};
    content.counter_maximum = highest_activity(id);
  }

  // Upper bound of concurrently running kernels: the number of lanes of the streams.
  double highest_activity(std::uint32_t id) const {
    double lanes = 0;
    for (const auto& track : tracks_.list())
      if (track.kind == TrackKind::Stream && track.parent == tracks_.list()[id].parent) lanes += track.levels;
    return std::max(lanes, 1.0);
  }

  // Processes starts and ends in time order; a column includes the number active at its start.
  static void add_extremes(const store::Series& series, const Reach& reach, const ColumnBins& bins,
                           std::vector<CounterColumn>& counter) {
    const auto borders = bins.borders();
    std::vector<std::pair<std::int64_t, int>> steps;
    int active = 0;
    series.reaching(0, reach.first, borders.front(), [&](std::size_t, const store::Event& event) {
      ++active;
      steps.emplace_back(event.end, -1);
      return true;
    });
    for (auto position = reach.first; position < reach.last; ++position) {
      const auto event = series.at(position);
      if (event.end == event.begin) continue;
      steps.emplace_back(event.begin, 1);
      steps.emplace_back(event.end, -1);
    }
    std::sort(steps.begin(), steps.end()); // at equal times, ends before starts
    std::size_t at = 0;
    for (std::size_t c = 0; c + 1 < borders.size(); ++c) {
      for (; at < steps.size() && steps[at].first <= borders[c]; ++at) active += steps[at].second;
      int low = active, high = active;
      for (; at < steps.size() && steps[at].first < borders[c + 1]; ++at) {
        active += steps[at].second;
        if (at + 1 < steps.size() && steps[at + 1].first == steps[at].first) continue; // simultaneous
        low = std::min(low, active);
        high = std::max(high, active);
      }
      counter[c].minimum = static_cast<float>(low);
      counter[c].maximum = static_cast<float>(high);
    }
  }

  void read_counter(std::uint32_t id, TrackContent& content) const {
    const auto& series = *tracks_.counter(id);
    const auto all = series.extremes(0, series.times.size());
    content.counter_minimum = all.minimum;
    content.counter_maximum = all.maximum;
    const auto& trace = session_.traces()[tracks_.list()[id].trace];
    content.counter = counter_columns(series, in_trace(request_.window, trace), request_.columns,
                                      span_of(trace.store).value_or(Interval()).end.count);
  }

  const Session& session_;
  const NameTable& names_;
  const Tracks& tracks_;
  const Dimming& dimming_;
  const LaunchValues& values_;
  const TimelineRequest& request_;
  BufferPool pool_;
};

} // namespace

Expected<Timeline> timeline(const Session& session, const LaunchColumns& columns, const NameTable& names,
                            const Tracks& tracks, const Selection& selection, const TimelineRequest& request,
                            const Job& job) {
  Stop stop(job);
  const Dimming dimming(session, columns, tracks, selection, request.window, request.columns,
                        request.max_requested_launches, stop);
  const LaunchValues values(session, columns, tracks, request.value, request.window, request.columns,
                            request.max_requested_launches, stop);
  if (stop.requested()) return Job::cancelled_error();
  TrackReader reader(session, names, tracks, dimming, values, request);
  std::vector<std::uint32_t> requested;
  for (const auto& track : tracks.list())
    if (request.tracks.empty()) requested.push_back(track.id);
  for (const auto id : request.tracks)
    if (id < tracks.list().size()) requested.push_back(id);
  std::size_t work = 0;
  for (const auto id : requested) work += reader.work(id);
  Timeline answer;
  answer.dimming = dimming.kind();
  answer.values = values.kind();
  answer.messages = message_lines(session, tracks, requested, request.window, request.max_lines);
  answer.tracks.resize(requested.size());
  const auto threads = work < kEventsForThreads ? 1 : worker_threads();
  // Limits the number of columns per piece: the stop is polled between two pieces.
  const auto limit = std::clamp<std::size_t>(
      kColumnsTogether / static_cast<std::size_t>(std::max(request.columns, 1)), 1, kTracksTogether);
  const auto together =
      std::clamp<std::size_t>(requested.size() / static_cast<std::size_t>(threads), 1, limit);
  const auto read = [&](std::size_t i) {
    const auto first = i * together, count = std::min(together, requested.size() - first);
    reader.read(std::span(requested).subspan(first, count), &answer.tracks[first]);
  };
  if (!parallel_for((requested.size() + together - 1) / together, threads, read,
                    [&] { return stop.requested(); }))
    return Job::cancelled_error();
  return answer;
}

Timeline timeline(const Session& session, const LaunchColumns& columns, const NameTable& names,
                  const Tracks& tracks, const Selection& selection, const TimelineRequest& request) {
  return *timeline(session, columns, names, tracks, selection, request, {});
}

store::RangeStatistics range_statistics(const Session& session, const Tracks& tracks, std::uint32_t track,
                                        Interval range) {
  const auto in = in_trace(range, session.traces()[tracks.list()[track].trace]);
  store::RangeStatistics sums;
  for (const auto* series : tracks.levels(track))
    if (series) sums.add(store::range_statistics(*series, in.begin.count, in.end.count));
  return sums;
}

Interval timeline_span(const Session& session, const Tracks& tracks) {
  auto span = session.span();
  if (session.launch_order()) return span;     // samples have a time, the axis has none
  const auto time_of = [](std::int64_t time) { // any in a damaged store
    return std::clamp(time, -store::kFarthestTime, store::kFarthestTime);
  };
  for (const auto& track : tracks.list()) {
    const auto* counter = tracks.counter(track.id);
    if (!counter || counter->times.empty()) continue;
    const auto shift = session.traces()[track.trace].shift_ns;
    const Interval samples{{time_of(counter->times.front()) + shift},
                           {time_of(counter->times.back()) + shift + 1}};
    span = span.empty() ? samples
                        : Interval{std::min(span.begin, samples.begin), std::max(span.end, samples.end)};
  }
  return span;
}

std::vector<TimelineCell> overview(const Session& session, const NameTable& names, const Tracks& tracks,
                                   Interval span, int columns) {
  struct Joined {
    std::uint64_t count = 0;
    double busy = 0;
    std::map<std::uint32_t, double> name_busy;
  };
  std::vector<Joined> joined(static_cast<std::size_t>(columns));
  SumBuffers room;
  for (std::size_t t = 0; t < session.traces().size(); ++t) {
    const auto* launches = tracks.launches(t);
    if (!launches) continue;
    const auto bins = bins_for(in_trace(span, session.traces()[t]), columns, launches->events());
    const auto sums = sum_bins(*launches, bins, room);
    for (int c = 0; c < columns; ++c) {
      const auto sum = column_sum(bins, sums, c);
      if (sum.count == 0) continue;
      auto& of = joined[static_cast<std::size_t>(c)];
      of.count += sum.count;
      of.busy += sum.busy;
      of.name_busy[session_name(session, names, t, launches->table, sum.name)] += sum.name_busy;
    }
  }
  std::vector<TimelineCell> cells(joined.size());
  for (std::size_t c = 0; c < joined.size(); ++c) {
    if (joined[c].count == 0) continue;
    const auto best = std::max_element(joined[c].name_busy.begin(), joined[c].name_busy.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    cells[c] = {static_cast<std::uint32_t>(std::min<std::uint64_t>(joined[c].count, kNone)),
                static_cast<float>(std::min(1.0, joined[c].busy)), best->first, 1};
  }
  return cells;
}

} // namespace jitterscope::analysis
