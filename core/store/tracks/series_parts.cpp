#include "core/store/tracks/series_parts.h"

#include <algorithm>
#include <numeric>

#include "core/base/spill_vector.h"
#include "core/store/tracks/series_kind.h"

namespace jitterscope::store {

void SeriesParts::grow(std::size_t size) {
  constexpr std::size_t kStep = std::size_t{1} << 20;
  if (rows_.capacity() < size) rows_.reserve(std::max(size, rows_.capacity() + rows_.capacity() / 2));
  while (rows_.size() < size) {
    SpillMemory::relieve();
    rows_.resize(std::min(size, rows_.size() + kStep));
  }
}

std::vector<Part> SeriesParts::split(const Part& part, const SpillVector<std::uint8_t>& levels) {
  std::vector<std::size_t> next(257);
  for (const auto level : levels) ++next[level + 1u];
  std::vector<Part> parts(256);
  for (std::size_t level = 0; level < 256; ++level)
    if (next[level + 1] == part.size()) {
      parts[level] = part;
      return parts;
    }
  SpillVector<std::uint32_t> rows(part.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    SpillMemory::relieve_at(i);
    rows[i] = row_of(part, i);
  }
  const auto base = part.in_order ? rows_.size() : part.first;
  if (part.in_order) rows_.resize(base + rows.size());
  std::partial_sum(next.begin(), next.end(), next.begin());
  for (std::size_t level = 0; level < 256; ++level)
    parts[level] = {base + next[level], base + next[level + 1], false};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    SpillMemory::relieve_at(i);
    rows_[base + next[levels[i]]++] = rows[i];
  }
  return parts;
}

SpillVector<std::uint8_t> SeriesParts::lanes(const Part& part, const EventRows& events) const {
  SpillVector<std::int64_t> free_at;
  SpillVector<std::uint8_t> levels;
  levels.reserve(part.size());
  for (std::size_t i = 0; i < part.size(); ++i) {
    SpillMemory::relieve_at(i);
    const auto event = events.at(row_of(part, i));
    auto lane =
        std::find_if(free_at.begin(), free_at.end(), [&](std::int64_t end) { return end <= event.begin; });
    if (lane == free_at.end() && free_at.size() < kMostLanes) lane = free_at.insert(lane, event.begin);
    if (lane == free_at.end()) lane = std::min_element(free_at.begin(), free_at.end());
    *lane = std::max(*lane, event.end);
    levels.push_back(static_cast<std::uint8_t>(lane - free_at.begin()));
  }
  if (free_at.size() < 2) levels.clear();
  return levels;
}

} // namespace jitterscope::store
