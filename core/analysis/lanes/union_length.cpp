#include "core/analysis/lanes/union_length.h"

#include <algorithm>

namespace jitterscope::analysis {
namespace {

class Union {
public:
  Union(const store::Series& series, std::int64_t begin, std::int64_t end)
      : series_(series), begin_(begin), end_(end) {}

  std::uint64_t length() {
    if (series_.levels.empty()) return of_events(begin_, end_);
    const auto shift = series_.levels.back().shift;
    // The parts outside the coarsest tiles hold few events.
    std::uint64_t sum = 0;
    auto at = begin_;
    for (const auto tile : series_.levels.back().at) {
      const auto first = tile * (std::int64_t{1} << shift), last = first + (std::int64_t{1} << shift);
      if (last <= at || first >= end_) continue;
      if (first > at) sum += of_events(at, first);
      sum += of_bin(shift, tile);
      at = std::min(last, end_);
    }
    if (at < end_) sum += of_events(at, end_);
    return sum;
  }

private:
  std::uint64_t of_bin(int shift, std::int64_t at) {
    const auto first = std::max(at * (std::int64_t{1} << shift), begin_);
    const auto last = std::min(at * (std::int64_t{1} << shift) + (std::int64_t{1} << shift), end_);
    if (first >= last) return 0;
    const auto* level = series_.tiles(shift);
    const auto found = level ? std::lower_bound(level->at.begin(), level->at.end(), at)
                             : std::span<const std::int64_t>().begin();
    const bool tiled = level && found != level->at.end() && *found == at;
    if (!tiled || shift == 0) return of_events(first, last);
    if (last - first == std::int64_t{1} << shift)
      return static_cast<std::uint64_t>(level->covered[static_cast<std::size_t>(found - level->at.begin())]);
    return of_bin(shift - 1, 2 * at) + of_bin(shift - 1, 2 * at + 1);
  }

  std::uint64_t of_events(std::int64_t begin, std::int64_t end) const {
    std::uint64_t sum = 0;
    auto reached = begin;
    const auto add = [&](const store::Event& event) {
      const auto from = std::max(event.begin, reached), to = std::min(event.end, end);
      if (to <= from) return;
      sum += static_cast<std::uint64_t>(to - from);
      reached = to;
    };
    const auto first = series_.position_of(begin), last = series_.position_of(end);
    series_.reaching(0, first, begin, [&](std::size_t, const store::Event& event) {
      add(event);
      return true;
    });
    for (auto position = first; position < last; ++position) add(series_.at(position));
    return sum;
  }

  const store::Series& series_;
  std::int64_t begin_, end_;
};

} // namespace

std::uint64_t union_length(const store::Series& series, std::int64_t begin, std::int64_t end) {
  return begin < end ? Union(series, begin, end).length() : 0;
}

} // namespace jitterscope::analysis
