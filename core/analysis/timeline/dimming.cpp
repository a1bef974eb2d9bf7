#include "core/analysis/timeline/dimming.h"

#include <algorithm>

#include "core/base/stratified_sample.h"

namespace jitterscope::analysis {
namespace {

/// The window and the dyadic bins that its outermost columns show (ColumnBins).
Interval with_outermost_bins(Interval window, int pixel_columns) {
  if (pixel_columns < 2) return window;
  const Nanoseconds margin{2 * ((window.length().count - 1) / (pixel_columns - 1) + 1)};
  return {window.begin - margin, window.end + margin};
}

} // namespace

Dimming::Dimming(const Session& session, const LaunchColumns& columns, const Tracks& tracks,
                 const Selection& selection, Interval window, int pixel_columns, std::int64_t max_requested,
                 Stop& stop)
    : window_(window), pixel_columns_(pixel_columns) {
  if (selection.everything()) return;
  const auto evaluated = with_outermost_bins(window, pixel_columns);
  kind_ = find_rows(session, evaluated) <= max_requested ? DimmingKind::Exact : DimmingKind::Sampled;
  if (kind_ == DimmingKind::Exact)
    ask_all(session, columns, tracks, selection, evaluated.begin, stop);
  else
    sample(session, columns, tracks, selection, find_rows(session, window), stop);
}

std::int64_t Dimming::find_rows(const Session& session, Interval interval) {
  std::int64_t rows = 0;
  rows_.clear();
  for (const auto& trace : session.traces()) {
    const auto starts = trace.starts();
    const auto at = [&](Nanoseconds time) {
      return std::lower_bound(starts.begin(), starts.end(), time.count - trace.shift_ns) - starts.begin();
    };
    Rows of;
    of.first = at(interval.begin);
    of.last = std::max<std::int64_t>(at(interval.end), of.first);
    rows += of.last - of.first;
    rows_.push_back(std::move(of));
  }
  return rows;
}

void Dimming::ask_all(const Session& session, const LaunchColumns& columns, const Tracks& tracks,
                      const Selection& selection, Nanoseconds from, Stop& stop) {
  constexpr std::int64_t kPiece = 1 << 15; // rows between two checks for cancellation
  for (std::size_t t = 0; t < rows_.size(); ++t) {
    Rows& of = rows_[t];
    for (auto first = of.first; first < of.last && !stop.requested(); first += kPiece) {
      const auto part = selection.select(session, columns, {t, first, std::min(first + kPiece, of.last)});
      of.mask.insert(of.mask.end(), part.begin(), part.end());
    }
    const auto* launches = tracks.launches(t);
    if (!launches) continue;
    const auto begin = from.count - session.traces()[t].shift_ns;
    launches->reaching(0, launches->position_of(begin), begin,
                       [&](std::size_t position, const store::Event&) {
                         const auto row = launches->row(position);
                         const auto one = static_cast<std::int64_t>(row);
                         of.reach[row] = selection.select(session, columns, {t, one, one + 1}).front();
                         return true;
                       });
  }
}

void Dimming::sample(const Session& session, const LaunchColumns& columns, const Tracks& tracks,
                     const Selection& selection, std::int64_t rows, Stop& stop) {
  shares_.resize(tracks.list().size());
  const auto step = std::max(rows / (kSampledLaunches / kSampleRun), kSampleRun);
  for (std::size_t t = 0; t < rows_.size(); ++t)
    for (const auto run : stratified_sample((rows_[t].last - rows_[t].first + kSampleRun - 1) / kSampleRun,
                                            (rows_[t].last - rows_[t].first + step - 1) / step)) {
      if (stop.requested()) return;
      const auto first = rows_[t].first + run * kSampleRun,
                 last = std::min(first + kSampleRun, rows_[t].last);
      const auto mask = selection.select(session, columns, {t, first, last});
      for (auto row = first; row < last; ++row)
        add_sample(session, tracks, t, row, mask[static_cast<std::size_t>(row - first)]);
    }
}

void Dimming::add_sample(const Session& session, const Tracks& tracks, std::size_t t, std::int64_t row,
                         bool selected) {
  const Trace& trace = session.traces()[t];
  const auto r = static_cast<std::size_t>(row);
  const auto offset = static_cast<double>(trace.starts()[r] + trace.shift_ns - window_.begin.count) /
                      static_cast<double>(window_.length().count);
  const auto column = std::clamp(static_cast<int>(offset * pixel_columns_), 0, pixel_columns_ - 1);
  // Launches of length 0 get a small weight, so that a column with only such launches has a share.
  const auto length = std::max(static_cast<double>(trace.extent(trace.durations()[r])), 1e-3);
  const auto track = tracks.track_of_stream(t, trace.store.column<std::uint32_t>("launches", "stream")[r]);
  if (track == kNone) return;
  add_to(track, column, length, selected);
  if (const auto device = tracks.list()[track].parent; device >= 0)
    add_to(static_cast<std::uint32_t>(device), column, length, selected);
}

void Dimming::add_to(std::uint32_t track, int column, double length, bool selected) {
  auto& shares = shares_[track];
  if (shares.empty()) shares.resize(static_cast<std::size_t>(pixel_columns_) + 1);
  for (auto* share : {&shares[static_cast<std::size_t>(column)], &shares.back()}) {
    share->all += length;
    if (selected) share->selected += length;
  }
}

bool Dimming::selected(std::size_t trace, std::size_t row) const {
  const Rows& of = rows_[trace];
  const auto at = static_cast<std::int64_t>(row) - of.first;
  if (at >= 0)
    return at >= static_cast<std::int64_t>(of.mask.size()) || of.mask[static_cast<std::size_t>(at)];
  const auto found = of.reach.find(row);
  return found == of.reach.end() || found->second;
}

float Dimming::share(std::uint32_t track, int pixel_column) const {
  const auto& shares = shares_[track];
  if (shares.empty()) return 1;
  const auto& column = shares[static_cast<std::size_t>(pixel_column)];
  const auto& known = column.all > 0 ? column : shares.back();
  return static_cast<float>(known.selected / known.all);
}

} // namespace jitterscope::analysis
