#include "core/analysis/timeline.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/analysis/coverage.h"

namespace jitterscope::analysis {
namespace {

constexpr float kNothing = std::numeric_limits<float>::quiet_NaN();

/// The events of one track's table, with the name of each.
struct Events {
  std::span<const std::int64_t> starts;
  store::Values<std::int64_t> durations;
  std::int64_t shift = 0;

  bool places = false; ///< every launch stands for one place of a launch order

  Events(const Trace& trace, TrackTable table)
      : shift(trace.shift_ns), places(trace.store.manifest().launch_order) {
    static constexpr const char* kTables[] = {"", "launches", "transfers", "calls", "ranges"};
    const char* name = kTables[static_cast<int>(table)];
    starts = trace.store.starts(name);
    durations = trace.store.column<std::int64_t>(name, "duration");
  }
  std::int64_t begin(std::uint32_t row) const { return starts[row] + shift; }
  std::int64_t end(std::uint32_t row) const { return starts[row] + (places ? 1 : durations[row]) + shift; }
};

class TrackReader {
public:
  TrackReader(const Session& session, const LaunchColumns& columns, const NameTable& names,
              const Tracks& tracks, const Selection& selection, const TimelineRequest& request)
      : session_(session), names_(names), tracks_(tracks), request_(request),
        masks_(session.traces().size()) {
    if (selection.everything()) return;
    for (std::size_t t = 0; t < masks_.size(); ++t) mask_window(columns, selection, t);
  }

  TrackContent read(std::uint32_t id) const {
    TrackContent content;
    content.track = id;
    const auto& rows = tracks_.rows(id);
    if (rows.table == TrackTable::None) return content;
    if (rows.table == TrackTable::Samples)
      read_counter(id, content);
    else
      read_events(id, content);
    return content;
  }

private:
  // The mask of the launches that can reach into the window: those that start before its end.
  struct WindowMask {
    std::int64_t first = 0;
    std::vector<std::uint8_t> selected;
  };

  void mask_window(const LaunchColumns& columns, const Selection& selection, std::size_t t) {
    const Trace& trace = session_.traces()[t];
    std::int64_t longest = 0;
    for (const auto& track : tracks_.list())
      if (track.trace == t && track.kind == TrackKind::Device)
        longest = std::max(longest, tracks_.rows(track.id).longest_ns);
    const auto starts = trace.starts();
    const auto low = std::lower_bound(starts.begin(), starts.end(),
                                      request_.window.begin.count - trace.shift_ns - longest);
    const auto high = std::lower_bound(low, starts.end(), request_.window.end.count - trace.shift_ns);
    masks_[t].first = low - starts.begin();
    masks_[t].selected = selection.select(session_, columns, {t, masks_[t].first, high - starts.begin()});
  }

  bool selected(std::size_t trace, TrackTable table, std::uint32_t row) const {
    const auto& mask = masks_[trace];
    if (table != TrackTable::Launches || mask.selected.empty()) return true;
    const auto at = static_cast<std::int64_t>(row) - mask.first;
    return at < 0 || at >= static_cast<std::int64_t>(mask.selected.size()) ||
           mask.selected[static_cast<std::size_t>(at)];
  }

  void read_events(std::uint32_t id, TrackContent& content) const {
    const auto& track = tracks_.list()[id];
    const auto& rows = tracks_.rows(id);
    const Trace& trace = session_.traces()[track.trace];
    const Events events(trace, rows.table);
    const auto before = [&](std::uint32_t row, std::int64_t time) { return events.begin(row) < time; };
    const auto first = std::lower_bound(rows.rows.begin(), rows.rows.end(),
                                        request_.window.begin.count - rows.longest_ns, before);
    const auto last = std::lower_bound(first, rows.rows.end(), request_.window.end.count, before);
    const bool fold = last - first > request_.most_bars;
    std::vector<Coverage> levels;
    if (fold)
      levels.assign(static_cast<std::size_t>(track.levels), Coverage(request_.window, request_.columns));
    NameReader name_of_row(*this, trace, track.trace, rows.table);
    for (auto at = first; at != last; ++at) {
      const auto row = *at;
      const auto begin = events.begin(row), end = events.end(row);
      if (end < request_.window.begin.count) continue;
      const auto place = static_cast<std::size_t>(at - rows.rows.begin());
      const std::uint8_t level = rows.levels.empty() ? std::uint8_t{0} : rows.levels[place];
      const bool chosen = selected(track.trace, rows.table, row);
      if (fold) {
        levels[level].add(begin, end, name_of_row(row), chosen);
      } else {
        const std::int64_t handle =
            rows.table == TrackTable::Launches ? trace.first_launch + row : static_cast<std::int64_t>(row);
        content.bars.push_back(
            {begin, end, name_of_row(row), handle, level, static_cast<std::uint8_t>(!chosen)});
      }
    }
    for (const auto& level : levels) {
      const auto cells = level.cells();
      content.cells.insert(content.cells.end(), cells.begin(), cells.end());
    }
  }

  /// name_of with the columns looked up once.
  class NameReader {
  public:
    NameReader(const TrackReader& reader, const Trace& trace, std::size_t t, TrackTable table)
        : reader_(reader), trace_(trace), t_(t), table_(table) {
      if (table == TrackTable::Transfers) kinds_ = trace.store.column<std::uint8_t>("transfers", "kind");
      if (table == TrackTable::Calls) strings_ = trace.store.column<std::uint32_t>("calls", "name");
      if (table == TrackTable::Ranges) strings_ = trace.store.column<std::uint32_t>("ranges", "name");
      if (table == TrackTable::Launches) strings_ = trace.configurations();
    }
    std::uint32_t operator()(std::uint32_t row) const {
      if (table_ == TrackTable::Transfers) return reader_.names_.of_transfer(kinds_[row]);
      if (table_ == TrackTable::Launches)
        return reader_.session_.configurations()[trace_.configuration[strings_[row]]].kernel;
      return reader_.names_.of_string(t_, strings_[row]);
    }

  private:
    const TrackReader& reader_;
    const Trace& trace_;
    std::size_t t_;
    TrackTable table_;
    store::Values<std::uint8_t> kinds_;
    store::Values<std::uint32_t> strings_;
  };

  void read_counter(std::uint32_t id, TrackContent& content) const {
    const auto& track = tracks_.list()[id];
    const auto& rows = tracks_.rows(id);
    const Trace& trace = session_.traces()[track.trace];
    const auto times = trace.store.starts("samples");
    const auto values = trace.store.column<double>("samples", "value");
    content.counter_minimum = rows.minimum;
    content.counter_maximum = rows.maximum;
    content.counter.assign(static_cast<std::size_t>(request_.columns), {kNothing, kNothing, kNothing});
    std::vector<double> sums(content.counter.size());
    std::vector<std::int64_t> counts(content.counter.size());
    const auto from = times.begin() + static_cast<std::ptrdiff_t>(rows.first_sample);
    const auto to = times.begin() + static_cast<std::ptrdiff_t>(rows.last_sample);
    const auto first = std::lower_bound(from, to, request_.window.begin.count - trace.shift_ns);
    for (auto at = first; at != to && *at + trace.shift_ns < request_.window.end.count; ++at) {
      const auto offset = static_cast<double>(*at + trace.shift_ns - request_.window.begin.count);
      const auto c =
          std::min(static_cast<std::size_t>(offset / static_cast<double>(request_.window.length().count) *
                                            request_.columns),
                   content.counter.size() - 1);
      const double value = values[static_cast<std::size_t>(at - times.begin())];
      auto& column = content.counter[c];
      column.minimum =
          counts[c] ? std::min(column.minimum, static_cast<float>(value)) : static_cast<float>(value);
      column.maximum =
          counts[c] ? std::max(column.maximum, static_cast<float>(value)) : static_cast<float>(value);
      sums[c] += value;
      ++counts[c];
    }
    for (std::size_t c = 0; c < counts.size(); ++c)
      if (counts[c]) content.counter[c].mean = static_cast<float>(sums[c] / static_cast<double>(counts[c]));
  }

  const Session& session_;
  const NameTable& names_;
  const Tracks& tracks_;
  const TimelineRequest& request_;
  std::vector<WindowMask> masks_;
};

} // namespace

std::vector<TrackContent> timeline(const Session& session, const LaunchColumns& columns,
                                   const NameTable& names, const Tracks& tracks, const Selection& selection,
                                   const TimelineRequest& request) {
  const TrackReader reader(session, columns, names, tracks, selection, request);
  std::vector<TrackContent> contents;
  if (request.tracks.empty()) {
    for (const auto& track : tracks.list()) contents.push_back(reader.read(track.id));
  } else {
    for (const auto id : request.tracks)
      if (id < tracks.list().size()) contents.push_back(reader.read(id));
  }
  return contents;
}

std::vector<TimelineCell> overview(const Session& session, Interval span, int columns) {
  Coverage coverage(span, columns);
  for (const auto& trace : session.traces()) {
    const auto starts = trace.starts();
  const auto durations = trace.durations();
    const auto configurations = trace.configurations();
    for (std::size_t row = 0; row < starts.size(); ++row)
      coverage.add(starts[row] + trace.shift_ns, starts[row] + trace.extent(durations[row]) + trace.shift_ns,
                   session.configurations()[trace.configuration[configurations[row]]].kernel, true);
  }
  return coverage.cells();
}

} // namespace jitterscope::analysis
