#include "core/analysis/timeline/merged_rows.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <functional>
#include <optional>
#include <thread>

#include "core/analysis/timeline/merged_sums.h"
#include "core/analysis/timeline/timeline.h"
#include "core/base/parallel.h"
#include "core/base/stop.h"
#include "core/store/trace/event_kinds.h"
#include "core/store/tracks/track_index_tables.h"

namespace jitterscope::analysis {
namespace {

using store::EventTable;

constexpr std::size_t kColumnsOfAPass = 32;       // columns per pass over the tables
constexpr std::size_t kRowsTogether = 4'096;      // rows of a table read at once
constexpr std::size_t kCellsTogether = 2'000'000; // cells per call of timeline()
constexpr std::array kTables = {EventTable::Calls, EventTable::Ranges, EventTable::Messages};

std::uint8_t in_steps(double share) {
  return static_cast<std::uint8_t>(std::clamp(std::ceil(share * 255), 1.0, 255.0));
}

std::vector<std::int64_t> borders_of(Interval window, std::size_t columns) {
  std::vector<std::int64_t> borders;
  const auto length = static_cast<Int128>(window.length().count);
  for (std::size_t c = 0; c <= columns; ++c)
    borders.push_back(window.begin.count + static_cast<std::int64_t>(length * static_cast<Int128>(c) /
                                                                     static_cast<Int128>(columns)));
  return borders;
}

void put(MergedSums& sums, std::uint32_t row, std::span<MergedSums::Cell> room, std::uint32_t* names,
         std::uint8_t* shares) {
  sums.cells(row, room);
  for (std::size_t c = 0; c < room.size(); ++c) {
    names[c] = room[c].name;
    shares[c] = room[c].share > 0 ? in_steps(room[c].share) : 0;
  }
}

/// The tracks summed by one pass over the tables of their traces, and their rows.
struct Swept {
  struct Table {
    std::size_t trace = 0;
    EventTable table = EventTable::Ranges;
    std::vector<std::uint32_t> by_key; ///< 2 · resource + (state or transmission): index of the last track
                                       ///< added, kNone if there is none
    std::span<const std::int64_t> starts;
    store::Values<std::int64_t> durations;
    store::Values<std::uint32_t> names, threads;
    store::Values<std::uint8_t> kinds,
        depths; ///< empty: all rows of the table are of one kind and of depth 0
  };
  std::vector<Table> tables;
  std::vector<std::uint32_t> row_of_track;
  std::vector<std::uint32_t>
      same_track; ///< by track: index of the same track in another row; kNone if there is none
  std::vector<const store::Series*> series;  ///< by track: events of its outermost level
  std::vector<std::uint32_t> table_of_track; ///< by track: index in `tables`
  std::vector<std::uint32_t> rows;           ///< by row of the sums: index of the row in the request
};

/// One pass over the rows of tables that overlap a window.
class Sweep {
public:
  Sweep(const Session& session, const NameTable& names, const MergedRequest& request, const Swept& swept,
        MergedRows& out)
      : session_(session), names_(names), request_(request), swept_(swept), out_(out) {}

  /// Columns [first, last) of the borders of all columns.
  void run(std::span<const std::int64_t> borders, std::size_t first, std::size_t last,
           const std::function<bool()>& stop) {
    MergedSums sums(swept_.row_of_track, swept_.rows.size(), names_.names().size(),
                    request_.merging == Merging::Maximum);
    std::vector<Open> open = reaching(borders[first]);
    std::vector<std::size_t> next;
    for (const auto& table : swept_.tables) next.push_back(first_row(table, borders[first]));
    for (auto from = first; from < last; from += kColumnsOfAPass) {
      const auto to = std::min(from + kColumnsOfAPass, last);
      const auto block = borders.subspan(from, to - from + 1);
      sums.start(block);
      std::size_t kept = 0;
      for (const auto& event : open) {
        sums.add(event.track, event.name, block.front(), event.end);
        if (event.end > block.back()) open[kept++] = event;
      }
      open.resize(kept);
      for (std::size_t t = 0; t < swept_.tables.size(); ++t)
        if (!add_rows(swept_.tables[t], next[t], block.back(), sums, open, stop)) return;
      if (stop()) return;
      std::array<MergedSums::Cell, kColumnsOfAPass> room;
      for (std::uint32_t row = 0; row < swept_.rows.size(); ++row) {
        const auto at = swept_.rows[row] * static_cast<std::size_t>(request_.columns) + from;
        put(sums, row, {room.data(), to - from}, &out_.name[at], &out_.share[at]);
      }
    }
  }

  static std::size_t first_row(const Session& session, const Swept::Table& table, std::int64_t time) {
    const auto begin = time - session.traces()[table.trace].shift_ns;
    return static_cast<std::size_t>(std::lower_bound(table.starts.begin(), table.starts.end(), begin) -
                                    table.starts.begin());
  }

private:
  struct Open {
    std::uint32_t track = 0, name = 0;
    std::int64_t end = 0;
  };

  std::size_t first_row(const Swept::Table& table, std::int64_t time) const {
    return first_row(session_, table, time);
  }

  std::uint32_t name_of(const Swept::Table& table, std::uint32_t name) const {
    return name == kNone ? kNone : names_.of_string(table.trace, name);
  }

  // Events that began before the time and end after it.
  std::vector<Open> reaching(std::int64_t time) const {
    std::vector<Open> open;
    for (std::uint32_t track = 0; track < swept_.series.size(); ++track) {
      const auto& series = *swept_.series[track];
      const auto& table = swept_.tables[swept_.table_of_track[track]];
      const auto shift = session_.traces()[table.trace].shift_ns;
      if (series.begin >= time - shift || series.end <= time - shift) continue;
      series.reaching(0, series.position_of(time - shift), time - shift,
                      [&](std::size_t, const store::Event& event) {
                        open.push_back({track, name_of(table, event.name), event.end + shift});
                        return true;
                      });
    }
    return open;
  }

  bool add_rows(const Swept::Table& table, std::size_t& next, std::int64_t end, MergedSums& sums,
                std::vector<Open>& open, const std::function<bool()>& stop) const {
    const auto shift = session_.traces()[table.trace].shift_ns;
    std::array<std::int64_t, kRowsTogether> durations;
    std::array<std::uint32_t, kRowsTogether> names, threads;
    std::array<std::uint8_t, kRowsTogether> kinds, depths;
    kinds.fill(0);
    depths.fill(0);
    while (next < table.starts.size() && table.starts[next] + shift < end) {
      if (stop()) return false;
      const auto first = next;
      auto last = std::min(first + kRowsTogether, table.starts.size());
      while (table.starts[last - 1] + shift >= end) --last;
      table.durations.read(first, last, durations.data());
      table.names.read(first, last, names.data());
      table.threads.read(first, last, threads.data());
      if (!table.kinds.empty()) table.kinds.read(first, last, kinds.data());
      if (!table.depths.empty()) table.depths.read(first, last, depths.data());
      const std::uint8_t odd = table.table == EventTable::Ranges ? store::kStateRange : store::kTransmission;
      for (std::size_t i = 0; i < last - first; ++i) {
        const auto key = 2 * std::size_t{threads[i]} + (kinds[i] == odd);
        if (key >= table.by_key.size() || depths[i] != 0) continue;
        if (table.by_key[key] == kNone) continue;
        const auto event = store::event_of(table.starts[first + i], durations[i], names[i]);
        const auto name = name_of(table, event.name);
        for (auto track = table.by_key[key]; track != kNone; track = swept_.same_track[track]) {
          sums.add(track, name, event.begin + shift, event.end + shift);
          if (event.end + shift > end) open.push_back({track, name, event.end + shift});
        }
      }
      next = last;
    }
    return true;
  }

  const Session& session_;
  const NameTable& names_;
  const MergedRequest& request_;
  const Swept& swept_;
  MergedRows& out_;
};

/// The rows that a pass over the tables can sum: rows in which all tracks show calls, ranges or messages.
class Plan {
public:
  Plan(const Session& session, const Tracks& tracks, const MergedRequest& request)
      : session_(session), tracks_(tracks), request_(request) {}

  Swept swept;
  std::vector<std::uint32_t> others; ///< indices in the request of the rows that are summed track by track

  void make(bool sweep) {
    for (std::uint32_t row = 0; row < request_.rows.size(); ++row) {
      const auto& ids = request_.rows[row];
      const bool all = sweep && !ids.empty() &&
                       std::all_of(ids.begin(), ids.end(), [&](auto id) { return series_of(id) != nullptr; });
      if (!all) {
        if (!ids.empty()) others.push_back(row);
        continue;
      }
      for (const auto id : ids) add(id);
      swept.rows.push_back(row);
    }
  }

  /// True if the tables have few rows in the window per column of a track; with many, tiles are faster.
  bool pays() const {
    constexpr std::size_t kRowsPerColumn = 64;
    std::size_t rows = 0;
    for (const auto& table : swept.tables)
      rows += Sweep::first_row(session_, table, request_.window.end.count) -
              Sweep::first_row(session_, table, request_.window.begin.count);
    return rows <= kRowsPerColumn * swept.series.size() * static_cast<std::size_t>(request_.columns);
  }

private:
  const store::Series* series_of(std::uint32_t id) const {
    if (id >= tracks_.list().size() || tracks_.levels(id).empty()) return nullptr;
    const auto* series = tracks_.levels(id).front();
    return series && std::find(kTables.begin(), kTables.end(), series->table) != kTables.end() ? series
                                                                                               : nullptr;
  }

  void add(std::uint32_t id) {
    const auto* series = series_of(id);
    const auto trace = tracks_.list()[id].trace;
    auto found = std::find_if(swept.tables.begin(), swept.tables.end(), [&](const Swept::Table& each) {
      return each.trace == trace && each.table == series->table;
    });
    if (found == swept.tables.end()) found = swept.tables.insert(found, table_of(trace, series->table));
    const bool odd =
        series->kind == store::SeriesKind::States || series->kind == store::SeriesKind::Transmissions;
    auto& number = found->by_key[2 * std::size_t{series->resource} + odd];
    swept.same_track.push_back(number);
    number = static_cast<std::uint32_t>(swept.series.size());
    swept.series.push_back(series);
    swept.table_of_track.push_back(static_cast<std::uint32_t>(found - swept.tables.begin()));
    swept.row_of_track.push_back(static_cast<std::uint32_t>(swept.rows.size()));
  }

  Swept::Table table_of(std::size_t trace, EventTable kind) const {
    const auto& store = session_.traces()[trace].store;
    const char* name = store::kEventTables[static_cast<int>(kind)];
    Swept::Table table;
    table.trace = trace;
    table.table = kind;
    table.by_key.assign(2 * store.resources().size(), kNone);
    table.starts = store.starts(name);
    table.durations = store.column<std::int64_t>(name, "duration");
    table.names = store.column<std::uint32_t>(name, "name");
    table.threads = store.column<std::uint32_t>(name, "thread");
    if (kind != EventTable::Calls) table.kinds = store.column<std::uint8_t>(name, "kind");
    if (kind == EventTable::Ranges) table.depths = store.column<std::uint8_t>(name, "depth");
    return table;
  }

  const Session& session_;
  const Tracks& tracks_;
  const MergedRequest& request_;
};

/// Rows whose sums come from the contents of their tracks.
class ByTrack {
public:
  ByTrack(const NameTable& names, const MergedRequest& request, MergedRows& out)
      : names_(names), request_(request), out_(out),
        borders_(borders_of(request.window, static_cast<std::size_t>(request.columns))) {}

  void add(std::uint32_t row, std::span<const TrackContent> contents) {
    const auto columns = static_cast<std::size_t>(request_.columns);
    const std::vector<std::uint32_t> row_of_track(contents.size(), 0);
    MergedSums sums(row_of_track, 1, names_.names().size(), request_.merging == Merging::Maximum);
    sums.start(borders_);
    std::vector<double> selected(columns), time(columns), value(columns), weight(columns);
    bool cells = false;
    for (const auto& content : contents)
      if (std::count(content.dyadic.begin(), content.dyadic.end(), 1) > 0) out_.dyadic[row] = 1;
    for (std::uint32_t i = 0; i < contents.size(); ++i)
      for (std::size_t c = 0; c < columns && c < contents[i].cells.size(); ++c) {
        const auto& cell = contents[i].cells[c];
        if (cell.count == 0) continue;
        cells = true;
        const auto width = static_cast<double>(borders_[c + 1] - borders_[c]);
        const double busy = std::max(static_cast<double>(cell.busy) * width, 1.0);
        sums.add_time(i, cell.name, c, std::llround(busy));
        time[c] += busy;
        selected[c] += busy * static_cast<double>(cell.selected);
        if (!std::isnan(cell.value)) add_value(static_cast<double>(cell.value), busy, value[c], weight[c]);
      }
    const auto at = row * columns;
    if (!cells) return put_counters(contents, at);
    std::vector<MergedSums::Cell> room(columns);
    put(sums, 0, room, &out_.name[at], &out_.share[at]);
    for (std::size_t c = 0; c < columns; ++c) {
      if (!out_.selected.empty() && time[c] > 0)
        out_.selected[at + c] =
            static_cast<std::uint8_t>(std::lround(255 * std::min(selected[c] / time[c], 1.0)));
      if (!out_.value.empty() && weight[c] > 0) out_.value[at + c] = static_cast<float>(value[c] / weight[c]);
    }
  }

private:
  void add_value(double value, double time, double& sum, double& weight) const {
    if (request_.merging != Merging::Maximum) {
      sum += value * time;
      weight += time;
    } else if (weight == 0 || value > sum) {
      sum = value;
      weight = 1;
    }
  }

  void put_counters(std::span<const TrackContent> contents, std::size_t at) const {
    double low = INFINITY, high = -INFINITY;
    for (const auto& content : contents)
      if (!content.counter.empty()) {
        low = std::min(low, content.counter_minimum);
        high = std::max(high, content.counter_maximum);
      }
    for (std::size_t c = 0; c < static_cast<std::size_t>(request_.columns); ++c) {
      double sum = 0, weight = 0;
      for (const auto& content : contents) {
        if (c >= content.counter.size() || std::isnan(content.counter[c].mean)) continue;
        const auto& column = content.counter[c];
        add_value(static_cast<double>(request_.merging == Merging::Maximum ? column.maximum : column.mean), 1,
                  sum, weight);
      }
      if (weight == 0) continue;
      out_.share[at + c] = in_steps(high > low ? (sum / weight - low) / (high - low) : 0.5);
    }
  }

  const NameTable& names_;
  const MergedRequest& request_;
  MergedRows& out_;
  std::vector<std::int64_t> borders_;
};

Expected<void> add_by_track(const Session& session, const LaunchColumns& columns, const NameTable& names,
                            const Tracks& tracks, const Selection& selection, const MergedRequest& request,
                            const std::vector<std::uint32_t>& rows, MergedRows& out, const Job& job) {
  ByTrack by_track(names, request, out);
  for (std::size_t first = 0; first < rows.size();) {
    TimelineRequest of;
    of.window = request.window;
    of.columns = request.columns;
    of.max_bars = 0;
    of.max_lines = 0;
    of.value = request.value;
    std::size_t last = first;
    std::vector<std::size_t> ends; // end of each row's tracks in of.tracks
    while (last < rows.size() &&
           (last == first || of.tracks.size() * static_cast<std::size_t>(request.columns) < kCellsTogether)) {
      for (const auto id : request.rows[rows[last++]])
        if (id < tracks.list().size()) of.tracks.push_back(id);
      ends.push_back(of.tracks.size());
    }
    if (!of.tracks.empty()) {
      const auto read = timeline(session, columns, names, tracks, selection, of, job);
      if (!read) return forward(read.error());
      std::size_t begin = 0;
      for (std::size_t i = 0; i < ends.size(); ++i) {
        by_track.add(rows[first + i], std::span(read->tracks).subspan(begin, ends[i] - begin));
        begin = ends[i];
      }
    }
    first = last;
  }
  return {};
}

// Divides the window into parts with about the same number of rows of the largest table, at column borders.
std::vector<std::size_t> parts_of(const Session& session, const Swept& swept,
                                  std::span<const std::int64_t> borders, int parts) {
  std::vector<std::size_t> first = {0};
  const auto largest =
      std::max_element(swept.tables.begin(), swept.tables.end(),
                       [](const auto& a, const auto& b) { return a.starts.size() < b.starts.size(); });
  const auto begin = Sweep::first_row(session, *largest, borders.front()),
             end = Sweep::first_row(session, *largest, borders.back());
  constexpr std::size_t kRowsForThreads = 200'000;
  for (int part = 1; part < parts && end - begin >= kRowsForThreads; ++part) {
    const auto row = begin + (end - begin) * static_cast<std::size_t>(part) / static_cast<std::size_t>(parts);
    const auto time = largest->starts[row] + session.traces()[largest->trace].shift_ns;
    const auto column =
        static_cast<std::size_t>(std::lower_bound(borders.begin(), borders.end(), time) - borders.begin());
    if (column > first.back() && column + 1 < borders.size()) first.push_back(column);
  }
  first.push_back(borders.size() - 1);
  return first;
}

} // namespace

Expected<MergedRows> merged_rows(const Session& session, const LaunchColumns& columns, const NameTable& names,
                                 const Tracks& tracks, const Selection& selection,
                                 const MergedRequest& request, const Job& job) {
  const auto cells = request.rows.size() * static_cast<std::size_t>(request.columns);
  MergedRows out;
  out.name.assign(cells, kNone);
  out.share.assign(cells, 0);
  out.dyadic.assign(request.rows.size(), 0);
  if (!selection.everything()) out.selected.assign(cells, 255);
  if (!request.value.empty()) out.value.assign(cells, kNoValue);
  std::optional<Plan> plan(std::in_place, session, tracks, request);
  plan->make(true);
  if (!plan->swept.rows.empty() && !plan->pays()) {
    plan.emplace(session, tracks, request);
    plan->make(false);
  }
  if (!plan->swept.rows.empty()) {
    const auto borders = borders_of(request.window, static_cast<std::size_t>(request.columns));
    const auto parts = parts_of(session, plan->swept, borders, 2 * worker_threads());
    Stop stop(job);
    std::atomic<bool> stopped{false};
    const auto caller = std::this_thread::get_id();
    const auto stop_requested = [&] { // only the calling thread may check
      if (std::this_thread::get_id() == caller && stop.requested()) stopped = true;
      return stopped.load();
    };
    Sweep sweep(session, names, request, plan->swept, out);
    if (!parallel_for(
            parts.size() - 1, worker_threads(),
            [&](std::size_t part) { sweep.run(borders, parts[part], parts[part + 1], stop_requested); },
            stop_requested) ||
        stop.requested())
      return Job::cancelled_error();
  }
  if (auto done = add_by_track(session, columns, names, tracks, selection, request, plan->others, out, job);
      !done)
    return forward(done.error());
  return out;
}

} // namespace jitterscope::analysis
