#include "core/reasons/excess_along.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <optional>
#include <span>

#include "core/analysis/session/threads.h"

namespace jitterscope::analysis {
namespace {

constexpr std::int64_t kPiece = 4096; ///< maximum rows read at once
/// Sums are integers in units of 1 ns, or of 1/kFine ns if columns are at most kFineColumn_ns long: then a
/// part of a launch in one column is only a few ns.
constexpr std::int64_t kFine = 1024, kFineColumn_ns = 4096;

std::vector<std::int64_t> borders_of(Interval window, int columns) {
  const auto length = window.length().count, n = static_cast<std::int64_t>(columns);
  std::vector<std::int64_t> borders;
  for (std::int64_t i = 0; i <= n; ++i)
    borders.push_back(window.begin.count + length / n * i + length % n * i / n);
  return borders;
}

// Segments of the launches that start in the window, and one segment for each earlier launch that reaches
// into the window.
std::vector<Segment> pieces_of(const Session& session, Interval window) {
  std::vector<Segment> pieces;
  const auto reach = std::min(std::max(kReach * window.length().count, kMinReach_ns),
                              window.begin.count - session.launch_span().begin.count + 1);
  if (reach > 0)
    for (const auto& before : session.launches_in({{window.begin.count - reach}, window.begin})) {
      const auto& trace = session.traces()[before.trace];
      const auto starts = trace.starts();
      const auto durations = trace.durations();
      for (auto row = before.first; row < before.last; ++row) {
        const auto at = static_cast<std::size_t>(row);
        if (starts[at] + trace.shift_ns + durations[at] > window.begin.count)
          pieces.push_back({before.trace, row, row + 1});
      }
    }
  for (const auto& inside : session.launches_in(window))
    for (auto row = inside.first; row < inside.last; row += kPiece)
      pieces.push_back({inside.trace, row, std::min(row + kPiece, inside.last)});
  return pieces;
}

class Columns {
public:
  explicit Columns(const std::vector<std::int64_t>& borders)
      : borders_(borders), per_ns_(borders[1] - borders[0] <= kFineColumn_ns ? kFine : 1),
        sums_((borders.size() - 1 + kAbove) * Excess::kKinds) {}

  void add(const Trace& trace, const Segment& piece, const Excess::Rows& rows) {
    const auto starts = trace.starts();
    const auto durations = trace.durations();
    for (auto row = piece.first; row < piece.last; ++row) {
      const auto i = static_cast<std::size_t>(row - piece.first);
      if (std::isnan(rows.total[i])) continue;
      const auto begin = starts[static_cast<std::size_t>(row)] + trace.shift_ns;
      count(rows, i);
      add(begin, begin + durations[static_cast<std::size_t>(row)], rows, i);
    }
  }
  std::vector<std::int64_t>& numbers() { return sums_; }
  ExcessAlong result() const {
    ExcessAlong along{borders_, {}, {}};
    along.ns.resize(borders_.size() - 1);
    for (std::size_t i = 0; i < along.ns.size() * Excess::kKinds; ++i)
      along.ns[i / Excess::kKinds][i % Excess::kKinds] =
          static_cast<double>(sums_[i]) / static_cast<double>(per_ns_);
    for (std::size_t kind = 0; kind < Excess::kKinds; ++kind)
      if (const auto launches = above(0)[kind]; launches > 0)
        along.minimum[kind] = above(1)[kind] / launches / 2;
    return along;
  }

private:
  /// Rows of sums_ after the columns: number of launches with a positive part, and the sum of these parts.
  static constexpr std::size_t kAbove = 2;

  std::span<const std::int64_t> above(std::size_t what) const {
    return std::span(sums_).subspan((borders_.size() - 1 + what) * Excess::kKinds, Excess::kKinds);
  }
  void count(const Excess::Rows& rows, std::size_t i) {
    const auto at = (borders_.size() - 1) * Excess::kKinds;
    for (std::size_t kind = 0; kind < Excess::kKinds; ++kind) {
      const auto excess = std::llround(rows.parts[kind][i]);
      if (excess <= 0) continue;
      ++sums_[at + kind];
      sums_[at + Excess::kKinds + kind] += excess;
    }
  }
  void add(std::int64_t begin, std::int64_t end, const Excess::Rows& rows, std::size_t i) {
    const auto after = std::upper_bound(borders_.begin(), borders_.end(), begin) - borders_.begin();
    for (auto column = static_cast<std::size_t>(std::max<std::ptrdiff_t>(after, 1) - 1);
         column + 1 < borders_.size() && borders_[column] < end; ++column) {
      const auto inside = std::min(end, borders_[column + 1]) - std::max(begin, borders_[column]);
      const double share = static_cast<double>(inside * per_ns_) / static_cast<double>(end - begin);
      for (std::size_t kind = 0; kind < Excess::kKinds; ++kind)
        sums_[column * Excess::kKinds + kind] += std::llround(rows.parts[kind][i] * share);
    }
  }

  const std::vector<std::int64_t>& borders_;
  std::int64_t per_ns_;            ///< units of the sums in columns
  std::vector<std::int64_t> sums_; ///< (columns + kAbove) × kinds
};

} // namespace

Expected<ExcessAlong> excess_along(const Session& session, const Excess& excess, Interval window, int columns,
                                   Communicator& communicator, const Job& job) {
  if (session.launch_order())
    return failure(ErrorKind::BadUse, "a table without times has no excess over time");
  const auto borders = borders_of(window, columns);
  const auto pieces = pieces_of(session, window);
  const auto mine =
      share_of(static_cast<std::int64_t>(pieces.size()), communicator.rank(), communicator.size());
  Columns sums(borders);
  std::mutex together;
  const bool whole =
      on_threads(mine.last - mine.first, job, "summing causes over time", [&](std::size_t, std::int64_t i) {
        const auto& piece = pieces[static_cast<std::size_t>(mine.first + i)];
        const auto rows = excess.read(piece);
        const std::lock_guard lock(together);
        sums.add(session.traces()[piece.trace], piece, rows);
      });
  if (!whole) return Job::cancelled_error();
  if (auto summed = communicator.sum(sums.numbers()); !summed) return forward(summed.error());
  return sums.result();
}

} // namespace jitterscope::analysis
