#include "core/analysis/timeline/stretches.h"

#include <algorithm>
#include <cmath>

#include "core/analysis/timeline/timeline.h"

namespace jitterscope::analysis {
namespace {

constexpr int kColumns = 4'000, kFiner = 200;
constexpr std::int64_t kFineEnough = 1'000; // width of a window that is not refined further [ns]

struct Looking {
  const Session& session;
  const NameTable& names;
  const Tracks& tracks;

  std::vector<bool> filled(Interval window, int columns) const {
    std::vector<bool> filled;
    for (const auto& cell : overview(session, names, tracks, window, columns))
      filled.push_back(cell.count > 0 || cell.busy > 0);
    return filled;
  }
  static Nanoseconds edge(Interval window, std::size_t place, std::size_t columns) {
    const auto share = static_cast<double>(place) / static_cast<double>(columns);
    return {window.begin.count + std::llround(share * static_cast<double>(window.length().count))};
  }
  // Finds the first or last filled cell of the window by repeated refinement.
  Nanoseconds find(Interval window, bool first) const {
    while (window.length().count > kFineEnough) {
      const auto columns = static_cast<int>(std::min<std::int64_t>(kFiner, window.length().count));
      const auto cells = filled(window, columns);
      const auto from_left = std::find(cells.begin(), cells.end(), true);
      if (from_left == cells.end()) break;
      const auto from_right = std::find(cells.rbegin(), cells.rend(), true);
      const auto place =
          static_cast<std::size_t>(first ? from_left - cells.begin() : cells.rend() - from_right - 1);
      window = {edge(window, place, cells.size()), edge(window, place + 1, cells.size())};
    }
    return first ? window.begin : window.end;
  }
};

} // namespace

std::vector<Interval> stretches_of_launches(const Session& session, const NameTable& names,
                                            const Tracks& tracks, double min_gap) {
  const Interval whole = session.launch_span();
  if (whole.empty()) return {};
  const Looking looking{session, names, tracks};
  const auto columns = static_cast<int>(std::min<std::int64_t>(kColumns, whole.length().count));
  const auto cells = looking.filled(whole, columns);
  const auto maximum = std::max(1.0, min_gap * static_cast<double>(cells.size()));
  std::vector<std::pair<std::size_t, std::size_t>> runs; // indices of first and last filled cell
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (!cells[i]) continue;
    if (runs.empty() || static_cast<double>(i - runs.back().second - 1) > maximum) runs.emplace_back(i, i);
    runs.back().second = i;
  }
  std::vector<Interval> stretches;
  for (const auto& [first, last] : runs) {
    const auto cell = [&](std::size_t place) {
      return Interval{Looking::edge(whole, place, cells.size()),
                      Looking::edge(whole, place + 1, cells.size())};
    };
    stretches.push_back({looking.find(cell(first), true), looking.find(cell(last), false)});
  }
  return stretches;
}

} // namespace jitterscope::analysis
