#include "core/analysis/launch_mask.h"

#include <algorithm>

#include "core/analysis/row_filter.h"
#include "core/analysis/threads.h"

namespace jitterscope::analysis {

std::optional<LaunchMask> LaunchMask::of(const Session& session, const LaunchColumns& columns, const Tracks& tracks,
                                         const Selection& selection, Interval range, const Job& job) {
  constexpr std::int64_t kPiece = 1 << 16;
  const RowFilter filter(session, columns, selection);
  LaunchMask made;
  std::vector<Segment> pieces;
  for (std::size_t t = 0; t < session.traces().size(); ++t) {
    const auto& trace = session.traces()[t];
    const auto starts = trace.starts();
    const auto at = [&](Nanoseconds time) {
      return std::lower_bound(starts.begin(), starts.end(), time.count - trace.shift_ns) - starts.begin();
    };
    Rows of;
    of.first = at(range.begin);
    const std::int64_t last = std::max<std::int64_t>(at(range.end), of.first);
    of.mask.resize(static_cast<std::size_t>(last - of.first));
    for (auto first = of.first; first < last; first += kPiece) pieces.push_back({t, first, std::min(first + kPiece, last)});
    made.rows_.push_back(std::move(of));
  }
  std::vector<RowFilter::Buffers> buffers(threads_of_rank());
  const bool done = on_threads(static_cast<std::int64_t>(pieces.size()), job, "filtering launches", [&](std::size_t thread, std::int64_t task) {
    const auto& piece = pieces[static_cast<std::size_t>(task)];
    auto& of = made.rows_[piece.trace];
    filter.select(piece, of.mask.data() + (piece.first - of.first), buffers[thread]);
  });
  if (!done) return std::nullopt;
  for (std::size_t t = 0; t < made.rows_.size(); ++t) {
    const auto* launches = tracks.launches(t);
    if (!launches) continue;
    const auto begin = range.begin.count - session.traces()[t].shift_ns;
    launches->reaching(0, launches->position_of(begin), begin, [&](std::size_t position, const store::Event&) {
      const auto row = launches->row(position);
      const auto one = static_cast<std::int64_t>(row);
      filter.select({t, one, one + 1}, &made.rows_[t].reach[row], buffers.front());
      return true;
    });
  }
  return made;
}

bool LaunchMask::selected(std::size_t trace, std::size_t row) const {
  const Rows& of = rows_[trace];
  const auto at = static_cast<std::int64_t>(row) - of.first;
  if (at >= 0) return at < static_cast<std::int64_t>(of.mask.size()) && of.mask[static_cast<std::size_t>(at)] != 0;
  const auto found = of.reach.find(row);
  return found != of.reach.end() && found->second != 0;
}

} // namespace jitterscope::analysis
