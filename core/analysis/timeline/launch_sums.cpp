#include "core/analysis/timeline/launch_sums.h"

#include <algorithm>
#include <limits>

#include "core/analysis/filter/row_filter.h"
#include "core/analysis/session/threads.h"

namespace jitterscope::analysis {
namespace {

constexpr std::int64_t kPiece = 1 << 16; ///< rows per call of the filter

/// Aggregates of one stream or device over consecutive rows.
struct Slot {
  std::uint64_t events = 0, busy = 0, covered = 0;
  /// Start of the first row, clipped to the range.
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  std::int64_t reached = std::numeric_limits<std::int64_t>::min(); ///< maximum end, clipped to the range

  bool empty() const { return first > reached; }
  void add(std::int64_t from, std::int64_t to, bool begins) {
    events += begins;
    busy += static_cast<std::uint64_t>(to - from);
    covered += static_cast<std::uint64_t>(std::max<std::int64_t>(to - std::max(from, reached), 0));
    first = std::min(first, from);
    reached = std::max(reached, to);
  }
};
using Slots = std::vector<Slot>; ///< by resource: all launches; then by device: collectives

/// Columns and lookups for summing the launches of one trace.
class TraceRows {
public:
  TraceRows(const Session& session, std::size_t t, Interval range)
      : trace_(session.traces()[t]), starts_(trace_.starts()), durations_(trace_.durations()),
        configurations_(trace_.configurations()),
        streams_(trace_.store.column<std::uint32_t>("launches", "stream")),
        begin_(range.begin.count - trace_.shift_ns), end_(range.end.count - trace_.shift_ns) {
    const auto& resources = trace_.store.resources();
    for (std::uint32_t r = 0; r < resources.size(); ++r) {
      auto at = r;
      for (std::size_t up = 0; up < resources.size() && at < resources.size() &&
                               resources[at].kind != store::ResourceKind::Device;
           ++up)
        at = resources[at].parent;
      devices_.push_back(at < resources.size() && resources[at].kind == store::ResourceKind::Device ? at
                                                                                                    : kNone);
    }
    for (const auto configuration : trace_.configuration)
      communicates_.push_back(session.kernels()[session.configurations()[configuration].kernel].collective);
  }

  std::size_t resources() const { return devices_.size(); }
  Slots slots() const { return Slots(2 * devices_.size()); }
  std::int64_t begin_of(std::int64_t row) const {
    return std::clamp(starts_[static_cast<std::size_t>(row)], -store::kFarthestTime, store::kFarthestTime);
  }

  /// Calls `use(slot, from, to, begins in the range)` for every sum that includes the row.
  template <class Use>
  void each_sum(std::int64_t row, Use&& use) const {
    const auto r = static_cast<std::size_t>(row);
    const auto stream = streams_[r];
    if (stream >= devices_.size()) return;
    const auto event = store::event_of(starts_[r], trace_.extent(durations_[r]), 0);
    const auto from = std::clamp(event.begin, begin_, end_), to = std::clamp(event.end, begin_, end_);
    const bool begins = event.begin >= begin_ && event.begin < end_;
    use(stream, from, to, begins);
    const auto device = devices_[stream];
    if (device == kNone) return;
    if (device != stream) use(device, from, to, begins);
    const auto configuration = configurations_[r];
    if (configuration < communicates_.size() && communicates_[configuration])
      use(devices_.size() + device, from, to, begins);
  }

private:
  const Trace& trace_;
  std::span<const std::int64_t> starts_;
  store::Values<std::int64_t> durations_;
  store::Values<std::uint32_t> configurations_, streams_;
  std::int64_t begin_, end_;           ///< borders of the range in times of the store
  std::vector<std::uint32_t> devices_; ///< by resource: device that it belongs to, kNone if none
  std::vector<bool> communicates_;     ///< by configuration of the store: whether its kernel communicates
};

/// Consecutive launches of one trace, with their sums.
struct Run {
  Segment rows;
  Slots sums;
};

/// Message format: sum of one slot in one of a rank's runs.
struct Record {
  std::int64_t run = 0, slot = 0;
  Slot sum;
};

class Summation {
public:
  Summation(const Session& session, const LaunchColumns& columns, const Selection& selection, Interval range)
      : session_(session), filter_(session, columns, selection), buffers_(threads_of_rank()),
        masks_(threads_of_rank()) {
    for (std::size_t t = 0; t < session.traces().size(); ++t) traces_.emplace_back(session, t, range);
    for (const auto& segment : session.launches_in(range))
      if (segment.rows() > 0) inside_.push_back(segment), rows_ += segment.rows();
  }

  /// Runs of a rank: at most one per trace.
  std::vector<Run> runs_of(int rank, int ranks) const {
    const auto share = share_of(rows_, rank, ranks);
    std::vector<Run> runs;
    std::int64_t before = 0;
    for (const auto& segment : inside_) {
      const auto first = std::max(share.first, before), last = std::min(share.last, before + segment.rows());
      if (first < last)
        runs.push_back({{segment.trace, segment.first + first - before, segment.first + last - before}, {}});
      before += segment.rows();
    }
    return runs;
  }

  /// Sums the runs on all threads; false when cancelled.
  bool add_up(std::vector<Run>& runs, const Job& job) {
    std::vector<Run> parts;
    std::vector<std::size_t> whole;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const auto& rows = runs[i].rows;
      const auto count = std::clamp<std::int64_t>(
          rows.rows() / kPiece, 1, kPartsOfThread * static_cast<std::int64_t>(buffers_.size()));
      for (std::int64_t part = 0; part < count; ++part) {
        const auto [first, last] = share_of(rows.rows(), static_cast<int>(part), static_cast<int>(count));
        parts.push_back({{rows.trace, rows.first + first, rows.first + last}, {}});
        whole.push_back(i);
      }
    }
    const bool done = on_threads(
        static_cast<std::int64_t>(parts.size()), job, "area", [&](std::size_t thread, std::int64_t part) {
          auto& run = parts[static_cast<std::size_t>(part)];
          run.sums = traces_[run.rows.trace].slots();
          each_selected(run.rows, thread, [&](std::int64_t row) {
            traces_[run.rows.trace].each_sum(row, [&](std::size_t slot, std::int64_t from, std::int64_t to,
                                                      bool begins) { run.sums[slot].add(from, to, begins); });
            return true;
          });
        });
    if (!done) return false;
    for (auto& run : runs) run.sums = traces_[run.rows.trace].slots();
    for (std::size_t i = 0; i < parts.size(); ++i) append(runs[whole[i]].sums, parts[i]);
    return true;
  }

  /// Adds the launches of one trace that begin before the range and reach into it.
  void add_reaching(const store::Series& launches, std::size_t t, Interval range, Slots& sums) {
    const auto begin = range.begin.count - session_.traces()[t].shift_ns;
    launches.reaching(0, launches.position_of(begin), begin, [&](std::size_t position, const store::Event&) {
      const auto row = static_cast<std::int64_t>(launches.row(position));
      std::uint8_t passes = 0;
      filter_.select({t, row, row + 1}, &passes, buffers_.front());
      if (passes)
        traces_[t].each_sum(row, [&](std::size_t slot, std::int64_t from, std::int64_t to, bool begins) {
          sums[slot].add(from, to, begins);
        });
      return true;
    });
  }

  /// Appends the next run; time that earlier launches already cover is not counted again.
  void append(Slots& sums, const Run& next) {
    Slots shared = overlap(sums, next);
    for (std::size_t slot = 0; slot < sums.size(); ++slot) {
      const Slot& of = next.sums[slot];
      if (of.empty()) continue;
      sums[slot].events += of.events;
      sums[slot].busy += of.busy;
      sums[slot].covered += of.covered - shared[slot].covered;
      sums[slot].first = std::min(sums[slot].first, of.first);
      sums[slot].reached = std::max(sums[slot].reached, of.reached);
    }
  }

  const TraceRows& trace(std::size_t t) const { return traces_[t]; }

private:
  static constexpr std::int64_t kPartsOfThread = 8;

  /// Calls `use(row)` for the selected rows in order until it returns false.
  template <class Use>
  void each_selected(const Segment& rows, std::size_t thread, Use&& use) {
    auto& mask = masks_[thread];
    for (auto first = rows.first; first < rows.last; first += kPiece) {
      const auto last = std::min(first + kPiece, rows.last);
      mask.resize(static_cast<std::size_t>(last - first));
      if (!filter_.select({rows.trace, first, last}, mask.data(), buffers_[thread])) continue;
      for (auto row = first; row < last; ++row)
        if (mask[static_cast<std::size_t>(row - first)] && !use(row)) return;
    }
  }

  /// Length of the part of the next run's union that is before the end of the earlier launches. Reads only
  /// launches that begin before that end; sums entirely before it need no reading.
  Slots overlap(const Slots& sums, const Run& next) {
    const TraceRows& rows = traces_[next.rows.trace];
    Slots shared = rows.slots();
    std::vector<std::int64_t> until(sums.size(), std::numeric_limits<std::int64_t>::min());
    std::int64_t furthest = std::numeric_limits<std::int64_t>::min();
    for (std::size_t slot = 0; slot < sums.size(); ++slot) {
      const Slot& of = next.sums[slot];
      if (sums[slot].empty() || of.empty() || sums[slot].reached <= of.first) continue;
      if (sums[slot].reached >= of.reached) {
        shared[slot].covered = of.covered;
        continue;
      }
      until[slot] = sums[slot].reached;
      furthest = std::max(furthest, until[slot]);
    }
    if (furthest == std::numeric_limits<std::int64_t>::min()) return shared;
    each_selected(next.rows, 0, [&](std::int64_t row) {
      rows.each_sum(row, [&](std::size_t slot, std::int64_t from, std::int64_t to, bool) {
        if (from < until[slot]) shared[slot].add(from, std::min(to, until[slot]), true);
      });
      return rows.begin_of(row) < furthest;
    });
    return shared;
  }

  const Session& session_;
  RowFilter filter_;
  std::vector<RowFilter::Buffers> buffers_;
  std::vector<std::vector<std::uint8_t>> masks_;
  std::vector<TraceRows> traces_;
  std::vector<Segment> inside_;
  std::int64_t rows_ = 0;
};

/// Collects the runs of all ranks in rank order; complete on rank 0.
Expected<std::vector<Run>> gathered(const Summation& summation, const std::vector<Run>& mine,
                                    Communicator& communicator) {
  std::vector<Run> all;
  std::int64_t own = 0;
  for (int rank = 0; rank < communicator.size(); ++rank) {
    if (rank == communicator.rank()) own = static_cast<std::int64_t>(all.size());
    for (auto& run : summation.runs_of(rank, communicator.size())) all.push_back(std::move(run));
  }
  std::vector<Record> records;
  for (std::size_t i = 0; i < mine.size(); ++i)
    for (std::size_t slot = 0; slot < mine[i].sums.size(); ++slot)
      if (!mine[i].sums[slot].empty())
        records.push_back(
            {own + static_cast<std::int64_t>(i), static_cast<std::int64_t>(slot), mine[i].sums[slot]});
  const auto found = communicator.gather<Record>(records);
  if (!found) return forward(found.error());
  if (communicator.rank() != 0) return std::vector<Run>();
  for (auto& run : all) run.sums = summation.trace(run.rows.trace).slots();
  for (const auto& record : *found)
    all[static_cast<std::size_t>(record.run)].sums[static_cast<std::size_t>(record.slot)] = record.sum;
  return all;
}

LaunchSums sums_of(const Slot& slot) {
  return {slot.events, slot.busy, slot.covered};
}

} // namespace

Expected<SelectedLaunches> selected_launches(const Session& session, const LaunchColumns& columns,
                                             const Tracks* tracks, const Selection& selection, Interval range,
                                             Communicator& communicator, const Job& job) {
  Summation summation(session, columns, selection, range);
  auto mine = summation.runs_of(communicator.rank(), communicator.size());
  if (!summation.add_up(mine, job)) return Job::cancelled_error();
  const auto all = gathered(summation, mine, communicator);
  if (!all) return forward(all.error());
  SelectedLaunches selected;
  if (communicator.rank() != 0) return selected;
  std::vector<Slots> sums;
  for (std::size_t t = 0; t < session.traces().size(); ++t) {
    sums.push_back(summation.trace(t).slots());
    if (const auto* launches = tracks->launches(t)) summation.add_reaching(*launches, t, range, sums.back());
  }
  for (const auto& run : *all) summation.append(sums[run.rows.trace], run);
  for (const auto& of : sums) {
    SelectedLaunches::OfTrace trace;
    const auto half = of.size() / 2;
    for (std::size_t slot = 0; slot < of.size(); ++slot)
      (slot < half ? trace.resources : trace.collectives).push_back(sums_of(of[slot]));
    selected.traces.push_back(std::move(trace));
  }
  return selected;
}

} // namespace jitterscope::analysis
