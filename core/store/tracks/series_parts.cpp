#include "core/store/tracks/series_parts.h"

#include <algorithm>
#include <numeric>

#include "core/base/spill_vector.h"

namespace jitterscope::store {

void SeriesParts::grow(std::size_t size) {
  constexpr std::size_t kStep = std::size_t{1} << 20;
  if (size > 0 && rows_.capacity() < size)
    rows_.reserve(std::max({size, expected_, rows_.capacity() + rows_.capacity() / 2}));
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

} // namespace jitterscope::store
